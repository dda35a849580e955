package work

import (
	"context"

	"coord"
)

// startDelivered takes up a task whose work is on its target already: the
// attempt begins at that commit, and submitting it goes the usual way.
func (d *Desk) startDelivered(ctx context.Context, o StartOptions) (Started, error) {
	t, err := d.Service.Task(ctx, o.Task)
	if err != nil {
		return Started{}, err
	}
	commit, err := d.onTarget(ctx, o.Delivered, t.Task)
	if err != nil {
		return Started{}, err
	}
	claimed, err := d.Service.Claim(ctx, coord.Claim{
		Project: d.Project, Task: o.Task, Repository: d.Repository,
		Recovery: &coord.Recovery{Generation: t.Generation, Disposition: coord.DispositionDelivered, Commit: commit},
	})
	if err != nil {
		return Started{}, err
	}
	s, err := d.furnish(ctx, claimed, tip{target: t.Target, commit: commit, exact: true})
	s.Delivered = err == nil
	return s, err
}

// onTarget is the commit that rev names, which must be contained in the task's
// target as it is on the remote now.
func (d *Desk) onTarget(ctx context.Context, rev string, t coord.Task) (coord.OID, error) {
	at, err := d.fetchTarget(ctx, t.Target)
	if err != nil {
		return "", err
	}
	commit, err := d.Repo.Resolve(ctx, rev)
	if coord.CodeOf(err) == coord.CodeNotFound {
		return "", coord.Errorf(coord.CodeNotFound, "%q names no commit here; nothing was claimed", coord.OneLine(rev)).WithNext("git log "+d.Remote+"/"+t.Target, "coord start "+string(t.ID))
	}
	if err != nil {
		return "", err
	}
	rel, err := d.Repo.Compare(ctx, commit, at)
	if err == nil && rel.MergeBase != commit {
		err = coord.Errorf(coord.CodeRequirement, "%s is not on %s, so the work of %s is not delivered there; nothing was claimed", commit.Short(), t.Target, t.ID).
			WithNext("git log "+d.Remote+"/"+t.Target, "coord start "+string(t.ID))
	}
	return commit, err
}

// Block says that a task whose owner is gone cannot go on: its attempt ends,
// what was saved stays, and the blocker is on the record.
func (d *Desk) Block(ctx context.Context, task coord.TaskID, b coord.NewBlocker) (coord.Task, error) {
	t, err := d.Service.Task(ctx, task)
	if err != nil {
		return coord.Task{}, err
	}
	claimed, err := d.Service.Claim(ctx, coord.Claim{
		Project: d.Project, Task: task, Repository: d.Repository,
		Recovery: &coord.Recovery{Generation: t.Generation, Disposition: coord.DispositionBlocked, Blocker: &b},
	})
	return claimed.Task, err
}
