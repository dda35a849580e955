package gitops

import (
	"context"
	"fmt"

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
