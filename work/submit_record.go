package work

import (
	"context"
	"slices"
	"strings"

	"coord"
	"coord/worktree"
)

// onRecord is the task as it stands, or nothing where that cannot be told:
// then the record decides when the work is handed over. An earlier request
// that waits for its answer may be this submission.
func (d *Desk) onRecord(ctx context.Context, b worktree.Bound) (*coord.TaskDetail, error) {
	if d.Unsettled != nil && d.Unsettled() {
		return nil, nil
	}
	t, err := d.Service.Task(ctx, b.Task)
	if undecided(err) {
		return nil, nil
	}
	return &t, err
}

// digestRead is the digest of the text that the work was done by: the one that
// the brief showed, or the current one where the caller says that it read it.
func digestRead(b worktree.Bound, read string, t *coord.TaskDetail) (string, error) {
	switch {
	case read == "":
		return b.Digest, nil
	case t == nil:
		return "", coord.Errorf(coord.CodeUnavailable, "the text of %s cannot be read now, so it cannot be told whether it is that of %q; nothing was submitted", b.Task, coord.OneLine(read)).
			WithNext("coord submit --all -m SUMMARY --read " + coord.OneLine(read))
	case len(read) < 7 || !strings.HasPrefix(t.Digest, read):
		return "", coord.Errorf(coord.CodeStateConflict, "the digest of %s is %s now, not %q; nothing was submitted", b.Task, t.Digest[:7], coord.OneLine(read)).
			WithNext("coord task show "+string(b.Task), "coord submit --all -m SUMMARY --read "+t.Digest[:7])
	}
	return t.Digest, nil
}

// foresee refuses what the record would refuse as it stands, so that nothing
// is committed or pushed for it. The record judges again by itself.
func (d *Desk) foresee(ctx context.Context, c coord.Submit, t *coord.TaskDetail) error {
	if t == nil {
		return d.checkEvidence(ctx, c, nil)
	}
	if err := (coord.TaskFacts{ID: t.ID, Blockers: t.Blockers}).CheckUnblocked(); err != nil {
		return err
	}
	if err := c.CheckDigest(t.Task); err != nil {
		return err
	}
	for _, id := range c.Resolved {
		if !slices.ContainsFunc(t.Reviews, func(r coord.Review) bool {
			return slices.ContainsFunc(r.Findings, func(f coord.Finding) bool { return f.ID == id })
		}) {
			return coord.Errorf(coord.CodeNotFound, "%s has no finding %q; nothing was submitted", t.ID, coord.OneLine(string(id))).WithNext("coord task show " + string(t.ID))
		}
	}
	if err := d.checkReport(ctx, c, t.Task); err != nil {
		return err
	}
	return d.checkEvidence(ctx, c, t.Receipts)
}

// checkReport needs the policy for an amendment only: whether somebody judges
// it.
func (d *Desk) checkReport(ctx context.Context, c coord.Submit, t coord.Task) error {
	var p coord.Policy
	if c.Amendment != nil {
		project, err := d.Service.Project(ctx, d.Project)
		if err != nil {
			return err
		}
		p = project.Policy
	}
	return c.CheckReport(t, p)
}

// checkEvidence refuses a candidate whose tree lacks a required receipt. Those
// of the task itself, if they are known, mostly have them all; a receipt of
// the same tree is as good from any other.
func (d *Desk) checkEvidence(ctx context.Context, c coord.Submit, known []coord.Receipt) error {
	if len(coord.MissingChecks(c.Required, known, c.Tree)) == 0 {
		return nil
	}
	receipts, err := d.Service.ReceiptsFor(ctx, d.Project, c.Tree)
	if err != nil {
		return err
	}
	return coord.RefuseMissing(c.Required, receipts, c.Tree, "nothing was submitted", coord.Rerun{Task: c.Attempt.Task(), Command: "coord check"})
}
