package store

import (
	"context"
	"fmt"

	"coord"
)

// Submit makes the candidate, its follower tasks and its lessons, and ends
// the attempt: all or nothing.
func (s *service) Submit(ctx context.Context, c coord.Submit) (coord.Submitted, error) {
	if err := s.mayWork(); err != nil {
		return coord.Submitted{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Submitted{}, err
	}
	i := intent[coord.Submitted]{operation: "submit", key: c.Key, ids: []string{string(c.Attempt)}, command: c, session: true, current: currentSubmitted}
	return mutate(ctx, s, i, func(t *tx) (coord.Submitted, error) { return t.submit(c) })
}

func currentSubmitted(t *tx, out *coord.Submitted) error {
	x, err := t.submission(out.Submission.ID)
	out.Submission, out.Replayed = x.Submission, true
	return err
}

func (t *tx) submit(c coord.Submit) (out coord.Submitted, err error) {
	a, task, err := t.submittable(c)
	if err != nil {
		return out, err
	}
	p, err := t.project(task.Project)
	if err != nil {
		return out, err
	}
	x, err := t.addSubmission(c, a, task, p.Policy)
	if err != nil {
		return out, err
	}
	if err := t.handOver(a, x.ID); err != nil {
		return out, err
	}
	if err := t.addFollowers(x, task, p.Policy); err != nil {
		return out, err
	}
	err = t.record(coord.Event{
		Kind: coord.EventSubmissionCreated, Project: task.Project, Task: task.ID, Text: fmt.Sprintf("%s submitted %s: %s", t.caller.Name, x.ID, coord.OneLine(c.Summary)),
		Data: map[string]string{"submission": string(x.ID), "commit": string(x.Commit), "tree": string(x.Tree), "review": string(x.Review), "integration": string(x.Integration)},
	})
	if err != nil {
		return out, err
	}
	out.Submission = x
	for _, text := range c.Lessons {
		l, err := t.addLesson(coord.Lesson{Project: task.Project, Text: text, Task: task.ID}, x.ID)
		if err != nil {
			return out, err
		}
		out.Lessons = append(out.Lessons, l)
	}
	return out, nil
}

// submittable proves authority and evidence: every required check passed on
// exactly the submitted tree.
func (t *tx) submittable(c coord.Submit) (attemptRow, taskRow, error) {
	a, err := t.owned(c.Attempt, c.Fence)
	if err != nil {
		return a, taskRow{}, err
	}
	task, err := t.task(a.Task)
	if err != nil {
		return a, task, err
	}
	if task.Kind != coord.KindCode {
		return a, task, coord.Errorf(coord.CodeStateConflict, "%s is a %s task and takes no submission; nothing was changed", task.ID, task.Kind).WithNext("coord status")
	}
	receipts, err := t.receipts(task.Project, c.Tree)
	if err != nil {
		return a, task, err
	}
	if missing := coord.MissingChecks(c.Required, receipts, c.Tree); len(missing) > 0 {
		return a, task, coord.Errorf(coord.CodeRequirement, "check %s has no passing receipt for tree %s; nothing was submitted", missing[0].Name, c.Tree.Short()).
			WithDetail("check", missing[0].Name).WithNext("coord check")
	}
	return a, task, nil
}

func (t *tx) addSubmission(c coord.Submit, a attemptRow, task taskRow, p coord.Policy) (x coord.Submission, err error) {
	var n int64
	if _, err := t.get([]any{&n}, "SELECT count(*) + 1 FROM submissions WHERE task = ?", string(task.ID)); err != nil {
		return x, err
	}
	x = coord.Submission{
		ID: coord.NewSubmissionID(task.ID, n), Task: task.ID, Attempt: a.ID, Author: t.caller.Name, State: coord.SubmissionApproved,
		Commit: c.Commit, Tree: c.Tree, Base: c.Base, Ref: c.Ref, Repository: task.Repository, Target: task.Target,
		Summary: c.Summary, Digest: task.Digest, Required: c.Required, At: t.now,
	}
	if x.Review, x.Integration, err = t.followerIDs(task, p); err != nil {
		return x, err
	}
	if x.Review != "" {
		x.State = coord.SubmissionInReview
	}
	return x, t.change(`INSERT INTO submissions (id, project, task, number, attempt, generation, author, state, commit_id, tree, base, ref, repository, target,
			summary, digest, required, review, integration, at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		string(x.ID), string(task.Project), string(task.ID), n, string(a.ID), a.Generation, x.Author, string(x.State), string(x.Commit), string(x.Tree), string(x.Base),
		x.Ref, string(x.Repository), x.Target, x.Summary, x.Digest, toJSON(x.Required), orNull(string(x.Review)), string(x.Integration), nanos(t.now), nanos(t.now))
}

// followerIDs are the ids that the followers will get: a submission is
// immutable, so it has to name them from the start.
func (t *tx) followerIDs(task taskRow, p coord.Policy) (review, integration coord.TaskID, err error) {
	var last int64
	if _, err := t.get([]any{&last}, "SELECT last_task FROM projects WHERE key = ?", string(task.Project)); err != nil {
		return "", "", err
	}
	if r, _ := coord.Followers(task.Task, p); r != nil {
		last++
		review = coord.NewTaskID(task.Project, last)
	}
	return review, coord.NewTaskID(task.Project, last+1), nil
}

// handOver ends the live attempt as submitted, in one step with the task's
// pointer to the submission.
func (t *tx) handOver(a attemptRow, id coord.SubmissionID) error {
	args := append([]any{nanos(t.now)}, t.liveArgs(a)...)
	if err := t.change("UPDATE attempts SET ended = 'submitted', ended_at = ? WHERE "+stillLive, args...); err != nil {
		return err
	}
	return t.change("UPDATE tasks SET attempt = NULL, submission = ?, saved = NULL WHERE id = ? AND attempt = ? AND generation = ? AND lifecycle = 'open'",
		string(id), string(a.Task), string(a.ID), a.Generation)
}

// addFollowers creates the review task, if any, and the integration task that
// waits for it.
func (t *tx) addFollowers(x coord.Submission, task taskRow, p coord.Policy) error {
	review, integration := coord.Followers(task.Task, p)
	if review != nil {
		id, err := t.addTask(*review, x.ID)
		if err != nil {
			return err
		}
		integration.DependsOn = []coord.TaskID{id}
	}
	id, err := t.addTask(*integration, x.ID)
	if err == nil && id != x.Integration {
		return coord.Errorf(coord.CodeInternal, "follower %s got another id than %s", id, x.Integration)
	}
	return err
}
