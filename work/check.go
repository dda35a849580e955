package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"coord"
	"coord/gitops"
	"coord/worktree"
)

// Check runs the named required checks, or all of them, on the worktree's
// snapshot and records a receipt for each. The first failure does not stop
// the others. A check that a receipt among known covers already is not run
// again. It returns the new receipts, and CodeCheckFailed if one is no
// evidence.
func (d *Desk) Check(ctx context.Context, b worktree.Bound, names []string, known []coord.Receipt) ([]coord.Receipt, error) {
	there, err := d.at(ctx, b)
	if err != nil {
		return nil, err
	}
	chosen, err := there.Checks(ctx, b.Target, names)
	if err != nil {
		return nil, err
	}
	if err := d.renew(ctx, b); err != nil {
		return nil, err
	}
	if chosen, err = there.uncovered(ctx, chosen, known); err != nil {
		return nil, err
	}
	var receipts []coord.Receipt
	var bad error
	for _, c := range chosen {
		r, err := there.runHere(ctx, b.Path, c)
		if err != nil {
			return receipts, err
		}
		receipt, err := d.Record(ctx, b, "", r.Run)
		if err != nil {
			return receipts, err
		}
		receipts = append(receipts, receipt)
		if bad == nil {
			bad = r.verdict(receipt)
		}
	}
	return receipts, bad
}

// Checks are the named checks that the target requires, or all of them.
func (d *Desk) Checks(ctx context.Context, target string, names []string) ([]coord.Check, error) {
	checks, err := d.ChecksOf(ctx, target)
	if err != nil {
		return nil, err
	}
	return choose(checks, names, target)
}

// uncovered are the checks that no known receipt covers for the tree as it is.
func (d *Desk) uncovered(ctx context.Context, checks []coord.Check, known []coord.Receipt) ([]coord.Check, error) {
	if len(known) == 0 {
		return checks, nil
	}
	tree, err := d.Repo.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(checks, func(c coord.Check) bool {
		return slices.ContainsFunc(known, func(r coord.Receipt) bool { return r.Counts(c.Require(), tree) && !r.Spent })
	}), nil
}

// Record reports a run of a check under the attempt. A key makes sure that it
// is recorded once, whenever it is tried again.
func (d *Desk) Record(ctx context.Context, b worktree.Bound, key coord.Key, r coord.Run) (coord.Receipt, error) {
	r.Base = b.Base
	if err := d.decided(ctx, &r); err != nil {
		return coord.Receipt{}, err
	}
	deed := []string{"receipt", string(b.Attempt), r.Check, r.Definition, string(r.Tree), string(r.Result)}
	if r.Result != coord.ResultPassed {
		deed = append(deed, r.StartedAt.String()) // how often it failed matters
	}
	return d.Service.RecordReceipt(d.deed(ctx, strings.Join(deed, " ")), coord.RecordReceipt{Key: key, Attempt: b.Attempt, Fence: b.Fence, Run: r})
}

// decided states the decision of this command in the run of a check that
// failed too often on its tree; others need none.
func (d *Desk) decided(ctx context.Context, r *coord.Run) error {
	if d.Decision == "" {
		return nil
	}
	receipts, err := d.Service.ReceiptsFor(ctx, d.Project, r.Tree)
	if err == nil && coord.StateOf(coord.RequiredCheck{Name: r.Check, Digest: r.Definition}, receipts, r.Tree).Spent() {
		r.Decision = d.Decision
	}
	return err
}

// RunChecks runs checks in a worktree of the desk's repository and hands over
// each run as it ends. It needs no service and records nothing.
func (d *Desk) RunChecks(ctx context.Context, dir string, checks []coord.Check, take func(coord.Run) error) error {
	for _, c := range checks {
		r, err := d.runHere(ctx, dir, c)
		if err != nil {
			return err
		}
		if err := take(r.Run); err != nil {
			return err
		}
	}
	return nil
}

// verdict is nil for a run that is evidence for its own tree.
func (r ran) verdict(receipt coord.Receipt) error {
	state := coord.CheckState{RequiredCheck: coord.RequiredCheck{Name: r.Check, Digest: r.Definition}}
	what, next := "", []string{"mend it", "coord check"}
	switch {
	case r.Result == coord.ResultSkipped:
		what, next = fmt.Sprintf("check %s skipped itself with exit status %d on tree %s, which is no evidence", r.Check, r.ExitStatus, r.Tree.Short()), []string{"coord check where it can run"}
	case r.Result != coord.ResultPassed:
		what = fmt.Sprintf("check %s %s with exit status %d on tree %s", r.Check, r.Result, r.ExitStatus, r.Tree.Short())
	case r.made != "":
		what, next = fmt.Sprintf("check %s changed files that are not ignored (%s), so it does not count", r.Check, r.made), []string{"echo " + r.made + " >>.gitignore", "coord check"}
	case len(r.Changed) > 0:
		what, next = fmt.Sprintf("check %s changed tracked files (%s), so it does not count", r.Check, r.Changed[0]), []string{"coord check"}
	case receipt.Spent:
		what = fmt.Sprintf("check %s passed on tree %s, where it had failed too often", r.Check, r.Tree.Short())
	default:
		return nil
	}
	if receipt.Spent {
		state.Failures = coord.AllowedFailures + 1
		what += "; there a pass counts only with a decision"
		next = append([]string{"mend it"}, state.Next(r.Tree, coord.Rerun{Task: receipt.Task, Command: "coord check"})...)
	}
	return coord.Errorf(coord.CodeCheckFailed, "%s", what).WithNext(next...)
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
