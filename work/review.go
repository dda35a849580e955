package work

import (
	"context"

	"coord"
	"coord/worktree"
)

// Review records a decision under the review attempt of the worktree. The same
// verdict again answers with the review that this attempt already gave.
func (d *Desk) Review(ctx context.Context, b worktree.Bound, c coord.RecordReview) (coord.Review, error) {
	c.Attempt, c.Fence = b.Attempt, b.Fence
	review, err := d.Service.Review(ctx, c)
	if err != nil {
		if review, err = d.reviewed(ctx, b, c.Verdict, err); err != nil {
			return review, err
		}
	}
	d.markEnded(b)
	return review, nil
}

// reviewed looks, after a refusal, for the review of an earlier run whose
// answer was lost. A review attempt that ended as finished gave the only
// review that its task has.
func (d *Desk) reviewed(ctx context.Context, b worktree.Bound, v coord.Verdict, refusal error) (coord.Review, error) {
	if undecided(refusal) {
		return coord.Review{}, refusal
	}
	t, err := d.Service.Task(ctx, b.Task)
	if err != nil || standing(t, b.Attempt) != coord.StandingFinished {
		return coord.Review{}, refusal
	}
	judged, err := d.Service.Task(ctx, t.Submission.Task())
	if err != nil {
		return coord.Review{}, refusal
	}
	for _, r := range judged.Reviews {
		if r.Task == t.ID && r.Verdict == v {
			return r, nil
		}
	}
	return coord.Review{}, refusal
}

// standing is the standing of one attempt, or "" if the task has no such.
func standing(t coord.TaskDetail, id coord.AttemptID) coord.Standing {
	for _, a := range t.Attempts {
		if a.ID == id {
			return a.Standing
		}
	}
	return ""
}
