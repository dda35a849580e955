package work

import (
	"context"

	"coord"
	"coord/worktree"
)

// autoNote is the note of a checkpoint that nobody asked for.
const autoNote = "saved automatically"

// AutoSave makes a checkpoint of an attempt's worktree if it holds work that
// the latest checkpoint does not. It is no progress of the attempt, and keeps
// what the agent said is left to do. It does nothing while an earlier request
// of the session waits for its answer: that one comes first.
func (d *Desk) AutoSave(ctx context.Context, b worktree.Bound) (saved bool, err error) {
	if !b.Kind.Submits() || d.Unsettled != nil && d.Unsettled() {
		return false, nil
	}
	there, err := d.at(ctx, b)
	if err != nil {
		return false, err
	}
	worked, err := there.worked(ctx, b)
	if err != nil || !worked {
		return false, err
	}
	t, err := d.Service.Task(ctx, b.Task)
	if err != nil {
		return false, err
	}
	next := ""
	var last *coord.Checkpoint
	for i, c := range t.Checkpoints {
		if c.Attempt == b.Attempt {
			next, last = c.Next, &t.Checkpoints[i]
		}
	}
	if last != nil && last.Pushed {
		tree, err := there.Repo.Snapshot(ctx)
		if err != nil || tree == last.Tree {
			return false, err
		}
	}
	c, err := there.composeCheckpoint(ctx, b, autoNote, next)
	if err != nil {
		return false, err
	}
	c.Automatic = true
	_, err = there.keepCheckpoint(ctx, b, c)
	return err == nil, err
}
