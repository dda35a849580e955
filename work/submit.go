package work

import (
	"context"
	"fmt"
	"strings"

	"coord"
	"coord/gitops"
	"coord/worktree"
)

// SubmitOptions says what is handed over.
type SubmitOptions struct {
	Summary string
	All     bool // commit the snapshot first, with Summary as message
	Lessons []string
	// Read is the start of the task's digest that the caller read since the
	// attempt began: the work is by that text.
	Read         string
	Evidence     []coord.Evidence
	Handoff      string
	Amendment    *coord.Amendment
	Resolved     []coord.FindingID
	Contributors []coord.SessionID
}

// Submitted is a submission with the commit that All made, if it made one.
type Submitted struct {
	coord.Submitted
	Committed coord.OID `json:"committed,omitempty"`
}

// Submit pushes the worktree's commit to a create-only ref, reads it back,
// and hands it over. A lost lease, missing evidence and what the record
// would not take are found before anything is changed. Submitting again what
// was already handed over answers with that submission.
func (d *Desk) Submit(ctx context.Context, b worktree.Bound, o SubmitOptions) (Submitted, error) {
	there, err := d.at(ctx, b)
	if err != nil {
		return Submitted{}, err
	}
	if err := d.renew(ctx, b); err != nil {
		return there.submitted(ctx, b, err)
	}
	c, err := there.prove(ctx, b, o)
	if err != nil {
		return Submitted{}, err
	}
	committed, err := there.commitAll(ctx, o)
	if err != nil {
		return Submitted{}, err
	}
	if err := there.describe(ctx, b, &c); err != nil {
		return Submitted{}, err
	}
	if err := there.pushAndReadBack(ctx, gitops.RefUpdate{Name: c.Ref, New: c.Commit, Old: gitops.Absent}); err != nil {
		return Submitted{}, notSubmitted(b.Task, err)
	}
	s, err := d.Service.Submit(ctx, c)
	if err != nil {
		return there.submitted(ctx, b, err)
	}
	d.markEnded(b)
	return Submitted{Submitted: s, Committed: committed}, nil
}

// submitted looks, after a refusal, whether this attempt handed over this very
// commit already, in a run whose answer was lost. Otherwise the refusal stands.
func (d *Desk) submitted(ctx context.Context, b worktree.Bound, refusal error) (Submitted, error) {
	if undecided(refusal) {
		return Submitted{}, refusal
	}
	head, err := d.Repo.Head(ctx)
	if err != nil {
		return Submitted{}, refusal
	}
	t, err := d.Service.Task(ctx, b.Task)
	if err != nil {
		return Submitted{}, refusal
	}
	for _, s := range t.Submissions {
		if s.Attempt == b.Attempt && s.Commit == head.Commit {
			d.markEnded(b)
			return Submitted{Submitted: coord.Submitted{Submission: s, Replayed: true}}, nil
		}
	}
	return Submitted{}, refusal
}

func notSubmitted(task coord.TaskID, cause error) error {
	code := coord.CodeOf(cause)
	if code == coord.CodeInternal {
		code = coord.CodeRemoteRefused
	}
	return coord.Errorf(code, "%s was not submitted: its commit could not be pushed: %w", task, cause).
		WithNext("coord submit -m SUMMARY once the remote takes pushes", "coord doctor")
}

// prove refuses, before anything is changed, uncommitted work without All, a
// tree that lacks a required receipt, a text that is too long, and what the
// record would refuse as it stands.
func (d *Desk) prove(ctx context.Context, b worktree.Bound, o SubmitOptions) (coord.Submit, error) {
	if !o.All {
		if err := d.checkCommitted(ctx, b.Task); err != nil {
			return coord.Submit{}, err
		}
	}
	if err := d.checkSubmodules(ctx, b.Task); err != nil {
		return coord.Submit{}, err
	}
	tip, err := d.fetchTarget(ctx, b.Target)
	if err != nil {
		return coord.Submit{}, err
	}
	c := coord.Submit{
		Attempt: b.Attempt, Fence: b.Fence, Summary: o.Summary, Lessons: o.Lessons, Evidence: o.Evidence, Handoff: o.Handoff,
		Amendment: o.Amendment, Resolved: o.Resolved, Contributors: o.Contributors,
	}
	record, err := d.onRecord(ctx, b)
	if err != nil {
		return coord.Submit{}, err
	}
	if c.Digest, err = digestRead(b, o.Read, record); err != nil {
		return coord.Submit{}, err
	}
	if b.Kind == coord.KindCode { // what does not land needs no check
		checks, err := d.required(ctx, tip)
		if err != nil {
			return coord.Submit{}, err
		}
		c.Required = definitions(checks)
	}
	if c.Tree, err = d.Repo.Snapshot(ctx); err != nil {
		return coord.Submit{}, err
	}
	likely := c
	likely.Commit, likely.Base, likely.Ref = tip, tip, d.candidateRef(b.Attempt, tip)
	if err := likely.Validate(); err != nil {
		return coord.Submit{}, err
	}
	return c, d.foresee(ctx, c, record)
}

// checkSubmodules refuses to call saved what is not: a snapshot holds the
// commits of submodules, never their uncommitted work.
func (d *Desk) checkSubmodules(ctx context.Context, task coord.TaskID) error {
	if !d.Repo.MayHoldSubmodules() {
		return nil
	}
	changes, err := d.Repo.Status(ctx)
	if err != nil {
		return err
	}
	for _, c := range changes {
		if c.DirtySubmodule {
			return coord.Errorf(coord.CodeRequirement, "the submodule %s has uncommitted work, which a snapshot of %s cannot hold; nothing was saved", c.Path, task).
				WithNext("git -C "+c.Path+" commit -a", "git -C "+c.Path+" push")
		}
	}
	return nil
}

// commitAll commits exactly the snapshot when there is uncommitted work.
func (d *Desk) commitAll(ctx context.Context, o SubmitOptions) (coord.OID, error) {
	changes, err := d.Repo.Status(ctx)
	if err != nil || len(changes) == 0 {
		return "", err
	}
	return d.Repo.CommitSnapshot(ctx, o.Summary)
}

// checkCommitted refuses a worktree with uncommitted work and names some.
func (d *Desk) checkCommitted(ctx context.Context, task coord.TaskID) error {
	changes, err := d.Repo.Status(ctx)
	if err != nil || len(changes) == 0 {
		return err
	}
	names := make([]string, 0, 5)
	for _, c := range changes[:min(5, len(changes))] {
		names = append(names, c.Path)
	}
	more := ""
	if n := len(changes) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return coord.Errorf(coord.CodeRequirement, "%s has uncommitted work: %s%s; nothing was submitted", task, strings.Join(names, ", "), more).
		WithNext(`coord submit --all -m "SUMMARY"`, "git commit")
}

// describe fills in the commit: HEAD, which must hold exactly the proved tree
// and something that the target does not have.
func (d *Desk) describe(ctx context.Context, b worktree.Bound, c *coord.Submit) error {
	head, err := d.Repo.Head(ctx)
	if err != nil {
		return err
	}
	commit, err := d.Repo.ReadCommit(ctx, head.Commit)
	if err != nil {
		return err
	}
	if commit.Tree != c.Tree {
		return coord.Errorf(coord.CodeRequirement, "the worktree of %s changed while it was being submitted; nothing was submitted", b.Task).WithNext("coord check")
	}
	tip, err := d.Repo.Resolve(ctx, d.trackingRef(b.Target))
	if err != nil {
		return err
	}
	rel, err := d.Repo.Compare(ctx, head.Commit, tip)
	if err != nil {
		return err
	}
	if rel.MergeBase == "" {
		return coord.Errorf(coord.CodeRequirement, "the commit of %s shares no history with %s and could not be merged; nothing was submitted", b.Task, b.Target).
			WithNext("git rebase --onto "+d.trackingRef(b.Target)+" --root", "coord check")
	}
	if rel.Ahead == 0 && b.Kind == coord.KindCode && !d.tookUp(ctx, b, head.Commit) {
		return coord.Errorf(coord.CodeRequirement, "%s has no commit that %s does not have; nothing was submitted", b.Task, b.Target).
			WithNext(`coord release -m "already done"`)
	}
	c.Commit, c.Base, c.Ref = head.Commit, rel.MergeBase, d.candidateRef(b.Attempt, head.Commit)
	c.Distance = &coord.Distance{Tip: tip, Ahead: rel.Ahead, Behind: rel.Behind}
	return nil
}

// tookUp reports whether the attempt began at the commit as saved or delivered
// work: then it may be on the target already, and landing it finds that out.
func (d *Desk) tookUp(ctx context.Context, b worktree.Bound, commit coord.OID) bool {
	t, err := d.Service.Task(ctx, b.Task)
	if err != nil {
		return false
	}
	for _, a := range t.Attempts {
		if a.ID == b.Attempt {
			return a.StartedFrom == commit
		}
	}
	return false
}

// markEnded notes that the worktree's attempt is over. The record knows it
// anyway; where the note cannot be written, the next command finds out again.
func (d *Desk) markEnded(b worktree.Bound) {
	b.Ended = true
	_ = b.Save(b.GitDir)
}
