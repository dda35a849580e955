package gitops

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"coord"
)

// Comparison is how one commit stands to another.
type Comparison struct {
	Ahead     int // commits in a that b does not have
	Behind    int // commits in b that a does not have
	MergeBase OID // a best common ancestor; none when they share no history
}

// Compare counts how far a is ahead of and behind b.
func (r *repo) Compare(ctx context.Context, a, b OID) (Comparison, error) {
	if err := r.haveCommits(ctx, a, b); err != nil {
		return Comparison{}, err
	}
	out, err := r.work(ctx, "rev-list", "--left-right", "--count", string(a)+"..."+string(b))
	if err != nil {
		return Comparison{}, wrap(coord.CodeInternal, err, "cannot compare %s with %s", a.Short(), b.Short())
	}
	var c Comparison
	if _, err := fmt.Sscan(string(out), &c.Ahead, &c.Behind); err != nil {
		return Comparison{}, coord.Errorf(coord.CodeInternal, "git rev-list gave %q: %w", out, err)
	}
	out, err = r.work(ctx, "merge-base", string(a), string(b))
	if err != nil && !exited(err, 1) {
		return Comparison{}, wrap(coord.CodeInternal, err, "cannot find what %s and %s share", a.Short(), b.Short())
	}
	c.MergeBase = OID(line(out))
	return c, nil
}

// IsAncestor reports whether descendant is, or has in its history, ancestor.
func (r *repo) IsAncestor(ctx context.Context, ancestor, descendant OID) (bool, error) {
	if err := r.haveCommits(ctx, ancestor, descendant); err != nil {
		return false, err
	}
	_, err := r.work(ctx, "merge-base", "--is-ancestor", string(ancestor), string(descendant))
	if err == nil || exited(err, 1) {
		return err == nil, nil
	}
	return false, wrap(coord.CodeInternal, err, "cannot tell whether %s is in %s", ancestor.Short(), descendant.Short())
}

// haveCommits refuses names that are not of commits here: for some commands
// Git ends with the same status for a missing commit as for "no".
func (r *repo) haveCommits(ctx context.Context, oids ...OID) error {
	_, err := r.readCommits(ctx, oids)
	return err
}

// Log gives the commits in to that are not in from, newest first, at most
// limit (which must be positive). With from none it is all of to's history.
func (r *repo) Log(ctx context.Context, from, to OID, limit int) ([]Commit, error) {
	if limit < 1 {
		return nil, coord.Errorf(coord.CodeBadRequest, "a log needs a positive limit, not %d", limit)
	}
	args := []string{"rev-list", "--topo-order", "--max-count=" + strconv.Itoa(limit), string(to)}
	ends := []OID{to}
	if from != "" {
		args, ends = append(args, "^"+string(from)), append(ends, from)
	}
	if err := r.haveCommits(ctx, ends...); err != nil {
		return nil, err
	}
	out, err := r.work(ctx, args...)
	if err != nil {
		return nil, wrap(coord.CodeInternal, err, "cannot list the commits of %s", to.Short())
	}
	var oids []OID
	for _, l := range strings.Fields(string(out)) {
		oids = append(oids, OID(l))
	}
	return r.readCommits(ctx, oids)
}
