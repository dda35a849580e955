package work

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"coord"
	"coord/gitops"
	"coord/worktree"
)

// Check runs the named required checks, or all of them, on the worktree's
// snapshot and records a receipt for each. The first failure does not stop
// the others. It returns the receipts, and CodeCheckFailed if one does not
// count.
func (d *Desk) Check(ctx context.Context, b worktree.Bound, names []string) ([]coord.Receipt, error) {
	there, err := d.at(ctx, b)
	if err != nil {
		return nil, err
	}
	checks, err := there.ChecksOf(ctx, b.Target)
	if err != nil {
		return nil, err
	}
	chosen, err := choose(checks, names, b.Target)
	if err != nil {
		return nil, err
	}
	if err := d.renew(ctx, b); err != nil {
		return nil, err
	}
	var receipts []coord.Receipt
	var bad error
	for _, c := range chosen {
		r, err := there.runHere(ctx, b.Path, c)
		if err != nil {
			return receipts, err
		}
		r.Base = b.Base
		deed := d.deed(ctx, strings.Join([]string{"receipt", string(b.Attempt), r.Check, r.Definition, string(r.Tree), string(r.Result)}, " "))
		receipt, err := d.Service.RecordReceipt(deed, coord.RecordReceipt{Attempt: b.Attempt, Fence: b.Fence, Run: r.Run})
		if err != nil {
			return receipts, err
		}
		receipts = append(receipts, receipt)
		if bad == nil {
			bad = verdict(r)
		}
	}
	return receipts, bad
}

// verdict is nil for a run that counts for its own tree.
func verdict(r ran) error {
	switch {
	case r.Result != coord.ResultPassed:
		return coord.Errorf(coord.CodeCheckFailed, "check %s %s with exit status %d on tree %s", r.Check, r.Result, r.ExitStatus, r.Tree.Short()).
			WithNext("mend it", "coord check")
	case r.made != "":
		return coord.Errorf(coord.CodeCheckFailed, "check %s changed files that are not ignored (%s), so it does not count", r.Check, r.made).
			WithNext("echo "+r.made+" >>.gitignore", "coord check")
	case len(r.Changed) > 0:
		return coord.Errorf(coord.CodeCheckFailed, "check %s changed tracked files (%s), so it does not count", r.Check, r.Changed[0]).
			WithNext("coord check")
	}
	return nil
}

func choose(checks []coord.Check, names []string, target string) ([]coord.Check, error) {
	if len(names) == 0 {
		return checks, nil
	}
	var chosen []coord.Check
	for _, n := range names {
		i := slices.IndexFunc(checks, func(c coord.Check) bool { return c.Name == n })
		if i < 0 {
			return nil, coord.Errorf(coord.CodeNotFound, "%s on %s has no check named %q", ConfigFile, target, n).WithNext("coord check")
		}
		chosen = append(chosen, checks[i])
	}
	return chosen, nil
}

// ran is a run of a check, with one file that was not there before it.
type ran struct {
	coord.Run
	made string
}

// runHere runs a check in dir between two snapshots: the run belongs to the
// first, and names what differs in the second.
func (d *Desk) runHere(ctx context.Context, dir string, c coord.Check) (ran, error) {
	before, err := d.Repo.KeepSnapshot(ctx)
	if err != nil {
		return ran{}, err
	}
	d.Say("check %s on tree %s", c.Name, before.Short())
	r := ran{Run: d.RunCheck(ctx, dir, c)}
	r.Check, r.Definition, r.Tree, r.Machine = c.Name, c.Digest(), before, d.Machine
	if err := ctx.Err(); err != nil {
		return r, coord.Errorf(coord.CodeUnavailable, "check %s was interrupted and says nothing: %w", c.Name, err).WithNext("coord check")
	}
	after, err := d.Repo.KeepSnapshot(ctx)
	if err != nil {
		return r, err
	}
	if after != before {
		err = d.nameChanges(ctx, &r, after)
		return r, err
	}
	r.Commit, err = d.cleanCommit(ctx, before)
	return r, err
}

// cleanCommit is HEAD if its tree is the snapshot.
func (d *Desk) cleanCommit(ctx context.Context, tree coord.OID) (coord.OID, error) {
	head, err := d.Repo.Head(ctx)
	if err != nil || head.Unborn {
		return "", err
	}
	commit, err := d.Repo.ReadCommit(ctx, head.Commit)
	if err != nil || commit.Tree != tree {
		return "", err
	}
	return head.Commit, nil
}

// nameChanges fills in at most 100 paths that differ between the run's tree
// and the one after it.
func (d *Desk) nameChanges(ctx context.Context, r *ran, after coord.OID) error {
	old, err := d.files(ctx, r.Tree)
	if err != nil {
		return err
	}
	now, err := d.files(ctx, after)
	if err != nil {
		return err
	}
	for p, e := range now {
		if _, was := old[p]; !was {
			r.made = min(cmp.Or(r.made, p), p)
		}
		if old[p] != e {
			r.Changed = append(r.Changed, p)
		}
	}
	for p := range old {
		if _, is := now[p]; !is {
			r.Changed = append(r.Changed, p)
		}
	}
	slices.Sort(r.Changed)
	r.Changed = r.Changed[:min(len(r.Changed), 100)]
	return nil
}

func (d *Desk) files(ctx context.Context, tree coord.OID) (map[string]gitops.TreeEntry, error) {
	entries, err := d.Repo.ReadTree(ctx, tree)
	files := make(map[string]gitops.TreeEntry, len(entries))
	for _, e := range entries {
		files[e.Path] = e
	}
	return files, err
}
