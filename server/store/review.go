package store

import (
	"context"
	"fmt"
	"strings"

	"coord"
)

// Review decides a submission under a live attempt at its review task.
func (s *service) Review(ctx context.Context, c coord.RecordReview) (coord.Review, error) {
	if err := s.mayWork(); err != nil {
		return coord.Review{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Review{}, err
	}
	i := intent[coord.Review]{operation: "review", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true}
	return mutate(ctx, s, i, func(t *tx) (coord.Review, error) { return t.review(c) })
}

func (t *tx) review(c coord.RecordReview) (out coord.Review, err error) {
	a, err := t.owned(c.Attempt, c.Fence)
	if err != nil {
		return out, err
	}
	task, err := t.task(a.Task)
	if err != nil {
		return out, err
	}
	if task.Kind != coord.KindReview {
		return out, coord.Errorf(coord.CodeStateConflict, "%s is a %s task and takes no review; nothing was changed", task.ID, task.Kind).WithNext("coord start --kind review")
	}
	if err := t.independent(task); err != nil {
		return out, err
	}
	x, err := t.submission(task.Submission)
	if err != nil {
		return out, err
	}
	if out, err = t.addReview(c, a, x); err != nil {
		return out, err
	}
	if err := t.end(a, coord.StandingFinished, string(c.Verdict)); err != nil {
		return out, err
	}
	return out, t.follow(out, task, x)
}

// follow is what the verdict does: the way to the target is free, or the work
// goes back to be done again.
func (t *tx) follow(r coord.Review, task taskRow, x submissionRow) error {
	err := t.record(coord.Event{
		Kind: coord.EventSubmissionReviewed, Project: task.Project, Task: x.Task,
		Text: fmt.Sprintf("%s reviewed %s: %s", t.caller.Name, x.ID, strings.ReplaceAll(string(r.Verdict), "_", " ")),
		Data: map[string]string{"submission": string(x.ID), "review": string(r.ID), "verdict": string(r.Verdict), "commit": string(x.Commit)},
	})
	if err != nil {
		return err
	}
	if r.Verdict == coord.VerdictApproved {
		err = t.change("UPDATE submissions SET state = 'approved', changed_at = ? WHERE id = ? AND state = 'in_review'", nanos(t.now), string(x.ID))
	} else {
		err = t.sendBack(x, "changes requested: "+r.Note)
	}
	if err != nil {
		return err
	}
	if err := t.closeTask(closing{task: task.ID, to: coord.LifecycleDone, note: "reviewed by " + t.caller.Name}); err != nil {
		return err
	}
	if r.Verdict == coord.VerdictApproved {
		return nil
	}
	return t.cancelFollower(x.Integration, "the review asked for changes")
}

func (t *tx) addReview(c coord.RecordReview, a attemptRow, x submissionRow) (coord.Review, error) {
	out := coord.Review{Submission: x.ID, Commit: x.Commit, Verdict: c.Verdict, Reviewer: t.caller.Name, Note: c.Note, Findings: c.Findings, At: t.now}
	if x.State != coord.SubmissionInReview {
		return out, coord.Errorf(coord.CodeStateConflict, "%s is %s and waits for no review; nothing was changed", x.ID, x.State).WithNext("coord next")
	}
	var id int64
	_, err := t.get([]any{&id}, `INSERT INTO reviews (submission, task, attempt, commit_id, verdict, reviewer, note, findings, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		string(x.ID), string(a.Task), string(a.ID), string(x.Commit), string(c.Verdict), out.Reviewer, c.Note, toJSON(c.Findings), nanos(t.now))
	out.ID = reviewID(id)
	return out, err
}

func reviewID(n int64) coord.ReviewID { return coord.ReviewID(fmt.Sprintf("v%d", n)) }

const reviewColumns = "id, submission, commit_id, verdict, reviewer, note, findings, at"

func scanReview(r scanner) (x coord.Review, err error) {
	var id, at int64
	var findings string
	if err = r.Scan(&id, &x.Submission, &x.Commit, &x.Verdict, &x.Reviewer, &x.Note, &findings, &at); err != nil {
		return x, err
	}
	x.ID, x.At = reviewID(id), instant(at)
	err = fromJSON(findings, &x.Findings)
	return x, err
}
