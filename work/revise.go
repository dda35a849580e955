package work

import (
	"context"

	"coord"
)

// CandidateMissing looks at the remote itself whether it lacks the commit that
// the task's submission names. It refuses where the ref still has it, or the
// target does.
func (d *Desk) CandidateMissing(ctx context.Context, task coord.TaskID) error {
	x, err := d.candidate(ctx, task)
	if err != nil {
		return err
	}
	target := "refs/heads/" + x.Target
	refs, err := d.Repo.Observe(ctx, d.Remote, x.Ref, target)
	if err != nil {
		return err
	}
	if refs[x.Ref] == x.Commit {
		return coord.Errorf(coord.CodeRequirement, "the candidate of %s is on the remote: %s is %s; nothing was changed", x.Task, x.Ref, x.Commit.Short()).
			WithNext("coord integrate "+string(x.Task), "coord task show "+string(x.Task))
	}
	tip, err := d.fetchTarget(ctx, x.Target)
	if err != nil {
		return err
	}
	if in, err := d.Repo.IsAncestor(ctx, x.Commit, tip); err == nil && in { // an error: it is not here either
		return coord.Errorf(coord.CodeRequirement, "%s holds the candidate of %s already; nothing was changed", x.Target, x.Task).WithNext("coord integrate " + string(x.Task))
	}
	return nil
}

// candidate is the current submission of a task, or what a follower is about.
func (d *Desk) candidate(ctx context.Context, task coord.TaskID) (coord.Submission, error) {
	t, err := d.Service.Task(ctx, task)
	if err != nil {
		return coord.Submission{}, err
	}
	for _, x := range t.Submissions {
		if x.ID == t.Submission {
			return x, nil
		}
	}
	return coord.Submission{}, coord.Errorf(coord.CodeStateConflict, "%s has no submission that waits for review or landing; nothing was changed", task).WithNext("coord task show " + string(task))
}
