package store

import (
	"context"
	"fmt"
	"strings"

	"coord"
)

// Judge decides a submission as a person, without an attempt: an approval
// fills one open slot, a person's before another. An agent that was at that
// very review is told so by its next request.
func (s *service) Judge(ctx context.Context, c coord.Judge) (coord.Review, error) {
	if err := s.need(coord.RoleOperator); err != nil {
		return coord.Review{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Review{}, err
	}
	i := intent[coord.Review]{operation: "judge", key: c.Key, ids: []string{string(c.Submission)}, command: c}
	return mutate(ctx, s, i, func(t *tx) (coord.Review, error) { return t.judge(c) })
}

func (t *tx) judge(c coord.Judge) (out coord.Review, err error) {
	x, err := t.submission(c.Submission)
	if err != nil {
		return out, err
	}
	work, err := t.task(x.Task)
	if err != nil {
		return out, err
	}
	if err := c.CheckJudge(x.Submission, work.Task); err != nil {
		return out, err
	}
	slot, err := t.openSlot(x.ID)
	if err != nil {
		return out, err
	}
	j, err := t.judging(slot, c.Judgement)
	if err != nil {
		return out, err
	}
	if err := t.endOthersAs(slot.ID, coord.StandingSuperseded, t.actor()+" decided this review"); err != nil {
		return out, err
	}
	return t.conclude(j)
}

// openSlot is the review task that a person's decision fills. A submission in
// review has one.
func (t *tx) openSlot(x coord.SubmissionID) (taskRow, error) {
	var id coord.TaskID
	found, err := t.get([]any{&id}, `SELECT id FROM tasks WHERE subject = ? AND kind = 'review' AND lifecycle = 'open'
		ORDER BY CASE slot WHEN 'human' THEN 0 WHEN 'either' THEN 1 ELSE 2 END, number LIMIT 1`, string(x))
	if err != nil {
		return taskRow{}, err
	}
	if !found {
		return taskRow{}, coord.Errorf(coord.CodeInternal, "%s is in review and has no open review task", x)
	}
	return t.task(id)
}

// judging is a decision on one submission as it is being made.
type judging struct {
	said    coord.Judgement
	x       submissionRow
	work    taskRow // what the submission is of
	slot    taskRow // the review task that is decided
	policy  coord.Policy
	attempt coord.AttemptID // none of a person's
}

// judging reads what a decision at the review task is about, and asks every
// rule whether the caller may make it now.
func (t *tx) judging(slot taskRow, said coord.Judgement) (j judging, err error) {
	j = judging{said: said, slot: slot}
	if j.x, err = t.submission(slot.Submission); err != nil {
		return j, err
	}
	if j.work, err = t.task(j.x.Task); err != nil {
		return j, err
	}
	p, err := t.project(slot.Project)
	if err != nil {
		return j, err
	}
	j.policy = p.Policy
	return j, t.mayJudge(j)
}

func (t *tx) mayJudge(j judging) error {
	if err := j.slot.CheckSlot(t.caller.Role); err != nil {
		return err
	}
	if err := t.independent(j.slot, j.policy); err != nil {
		return err
	}
	if err := j.said.CheckJudge(j.x.Submission, j.work.Task); err != nil {
		return err
	}
	for _, f := range []coord.TaskFacts{j.work.facts, j.slot.facts} {
		if err := f.CheckUnblocked(); err != nil {
			return err
		}
	}
	approvers, err := t.approvers(j.x.ID)
	if err != nil {
		return err
	}
	return j.said.CheckDistinct(j.x.ID, t.caller.Principal, approvers)
}

// conclude does all that a decision means, once whoever held the review task has
// let go of it: the record, the amendment, the findings, and then the way to
// the target or back.
func (t *tx) conclude(j judging) (out coord.Review, err error) {
	if err := t.amend(&j); err != nil {
		return out, err
	}
	if out, err = t.addReview(j); err != nil {
		return out, err
	}
	err = t.record(coord.Event{
		Kind: coord.EventSubmissionReviewed, Project: j.work.Project, Task: j.work.ID,
		Text: fmt.Sprintf("%s reviewed %s: %s", t.actor(), j.x.ID, strings.ReplaceAll(string(out.Verdict), "_", " ")),
		Data: map[string]string{
			"submission": string(j.x.ID), "review": string(out.ID), "verdict": string(out.Verdict), "commit": string(j.x.Commit), "actor": string(out.Actor),
		},
	})
	if err != nil {
		return out, err
	}
	if err := t.closeTask(closing{task: j.slot.ID, to: coord.LifecycleDone, note: "reviewed by " + t.actor()}); err != nil {
		return out, err
	}
	if out.Verdict == coord.VerdictApproved {
		return out, t.settleApproval(j.x.ID)
	}
	return out, t.reject(j, out)
}

// reject sends the work back with what the reviewer wants changed, and asks
// how to go on when that was asked for too often.
func (t *tx) reject(j judging, r coord.Review) error {
	if err := t.sendBack(j.x, sending{reason: "changes requested: " + r.Note, followers: "a review asked for changes"}); err != nil {
		return err
	}
	return t.recurring(j.work.Task, r, j.policy.FindingLimit)
}

func (t *tx) addReview(j judging) (coord.Review, error) {
	x := j.x
	out := coord.Review{
		Submission: x.ID, Task: j.slot.ID, Commit: x.Commit, Digest: x.Judged, Verdict: j.said.Verdict, Actor: coord.ActorOf(t.caller.Role),
		Reviewer: t.actor(), Note: j.said.Note, Findings: j.said.Findings, At: t.now,
	}
	var id int64
	_, err := t.get([]any{&id}, `INSERT INTO reviews (submission, task, attempt, principal, commit_id, digest, verdict, actor, reviewer, note, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		string(x.ID), string(out.Task), orNull(string(j.attempt)), string(t.caller.Principal), string(out.Commit), out.Digest, string(out.Verdict), string(out.Actor),
		out.Reviewer, out.Note, nanos(t.now))
	if err != nil {
		return out, err
	}
	out.ID = reviewID(id)
	if err := t.addFindings(&out, id, x.Task); err != nil {
		return out, err
	}
	return out, t.resolve(x.Task, j.said.Resolved, id)
}

// amend writes what the reviewer said to the criteria that the submission
// proposes. Accepted, they are the task's from now on, and the submission is
// judged by them.
func (t *tx) amend(j *judging) error {
	verdict := j.said.Amendment
	if verdict == "" || j.x.Amendment.Verdict == verdict {
		return nil
	}
	judged := j.x.Judged
	if verdict == coord.AmendmentAccepted {
		if err := t.acceptCriteria(j); err != nil {
			return err
		}
		judged = j.work.Digest
	}
	err := t.change("UPDATE submissions SET amended = ?, judged = ?, changed_at = ? WHERE id = ? AND amended = '' AND judged = ? AND state = 'in_review'",
		string(verdict), judged, nanos(t.now), string(j.x.ID), j.x.Judged)
	j.x.Amendment.Verdict, j.x.Judged = verdict, judged
	return err
}

// acceptCriteria makes the proposed criteria the task's, and what the open
// reviews of the submission judge by.
func (t *tx) acceptCriteria(j *judging) error {
	criteria := j.x.Amendment.Criteria
	next, err := coord.EditTask{Criteria: &criteria}.Apply(j.work.Task)
	if err != nil {
		return err
	}
	err = t.change("UPDATE tasks SET criteria = ?, digest = ?, revision = ?, edited_seq = ? WHERE id = ? AND revision = ? AND digest = ? AND lifecycle = 'open'",
		toJSON(next.Criteria), next.Digest, next.Revision, int64(t.head.seq+1), string(next.ID), j.work.Revision, j.work.Digest)
	if err != nil {
		return err
	}
	j.work.Task = next
	err = t.record(coord.Event{
		Kind: coord.EventTaskEdited, Project: next.Project, Task: next.ID, Text: fmt.Sprintf("%s accepted the criteria that %s proposes: %s", t.actor(), j.x.ID, coord.OneLine(j.x.Amendment.Reason)),
		Data: map[string]string{"submission": string(j.x.ID), "digest": next.Digest},
	})
	if err != nil {
		return err
	}
	_, err = t.exec("UPDATE tasks SET criteria = ? WHERE subject = ? AND kind = 'review' AND lifecycle = 'open'", toJSON(criteria), string(j.x.ID))
	return err
}
