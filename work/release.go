package work

import (
	"context"

	"coord"
	"coord/worktree"
)

// Released is an attempt that was given back, with the checkpoint that its
// uncommitted or unpushed work was saved in, if there was any.
type Released struct {
	Attempt    coord.Attempt     `json:"attempt"`
	Checkpoint *coord.Checkpoint `json:"checkpoint,omitempty"`
}

// Release saves what the worktree holds and gives the attempt back. If the
// work cannot be pushed, nothing is released. With a blocker the task is
// blocked from then on. Releasing again answers with the
// attempt as it was released.
func (d *Desk) Release(ctx context.Context, b worktree.Bound, reason string, blocker *coord.NewBlocker) (Released, error) {
	if err := d.renew(ctx, b); err != nil {
		return d.released(ctx, b, Released{}, err)
	}
	saved, err := d.saveFirst(ctx, b, reason)
	out := Released{Checkpoint: saved}
	if err != nil {
		return d.released(ctx, b, out, err)
	}
	out.Attempt, err = d.Service.Release(ctx, coord.Release{Attempt: b.Attempt, Fence: b.Fence, Reason: reason, Blocker: blocker})
	if err != nil {
		return d.released(ctx, b, out, err)
	}
	d.markEnded(b)
	return out, nil
}

// released looks, after a refusal, whether an earlier run whose answer was
// lost already released the attempt.
func (d *Desk) released(ctx context.Context, b worktree.Bound, out Released, refusal error) (Released, error) {
	if undecided(refusal) {
		return out, refusal
	}
	t, err := d.Service.Task(ctx, b.Task)
	if err != nil {
		return out, refusal
	}
	for i, c := range t.Checkpoints {
		if c.Attempt == b.Attempt {
			out.Checkpoint = &t.Checkpoints[i]
		}
	}
	for _, a := range t.Attempts {
		if a.ID == b.Attempt && a.Standing == coord.StandingReleased {
			d.markEnded(b)
			out.Attempt = a
			return out, nil
		}
	}
	return out, refusal
}

// saveFirst makes a checkpoint of a code worktree that holds any work.
func (d *Desk) saveFirst(ctx context.Context, b worktree.Bound, reason string) (*coord.Checkpoint, error) {
	if !b.Kind.Submits() {
		return nil, nil
	}
	there, err := d.at(ctx, b)
	if err != nil {
		return nil, err
	}
	worked, err := there.worked(ctx, b)
	if err != nil || !worked {
		return nil, err
	}
	saved, err := there.checkpoint(ctx, b, "released: "+reason, d.left(ctx, b))
	if err != nil {
		return nil, err
	}
	return &saved, nil
}

// left is what the attempt's latest checkpoint says is left to do, which stays
// true of the one that its release makes.
func (d *Desk) left(ctx context.Context, b worktree.Bound) (next string) {
	t, err := d.Service.Task(ctx, b.Task)
	if err != nil {
		return ""
	}
	for _, c := range t.Checkpoints {
		if c.Attempt == b.Attempt {
			next = c.Next
		}
	}
	return next
}

// worked reports whether the worktree differs from the commit it started at.
func (d *Desk) worked(ctx context.Context, b worktree.Bound) (bool, error) {
	head, err := d.Repo.Head(ctx)
	if err != nil || head.Commit != b.Base {
		return head.Commit != "", err
	}
	changes, err := d.Repo.Status(ctx)
	return len(changes) > 0, err
}
