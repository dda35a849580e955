package store

import (
	"cmp"
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
	if err != nil || out.Lessons != nil {
		return err
	}
	rows, err := list(&t.view, t.scanLesson, "SELECT "+lessonColumns+" FROM lessons l WHERE l.submission = ? ORDER BY l.number", string(x.ID))
	out.Lessons = lessonsOf(rows)
	return err
}

func (t *tx) submit(c coord.Submit) (out coord.Submitted, err error) {
	a, task, p, err := t.submittable(c)
	if err != nil {
		return out, err
	}
	x, err := t.addSubmission(c, a, task, p)
	if err != nil {
		return out, err
	}
	if err := t.addContributors(task.ID, c.Contributors); err != nil {
		return out, err
	}
	if err := t.handOver(a, x.ID); err != nil {
		return out, err
	}
	if err := t.addFollowers(&x, task, p); err != nil {
		return out, err
	}
	err = t.record(coord.Event{
		Kind: coord.EventSubmissionCreated, Project: task.Project, Task: task.ID, Text: fmt.Sprintf("%s submitted %s: %s", t.caller.Name, x.ID, coord.OneLine(c.Summary)),
		Data: map[string]string{"submission": string(x.ID), "commit": string(x.Commit), "tree": string(x.Tree), "integration": string(x.Integration)},
	})
	if err != nil {
		return out, err
	}
	for _, text := range c.Lessons {
		l, err := t.addLesson(coord.Lesson{Project: task.Project, Text: text, Task: task.ID}, x.ID)
		if err != nil {
			return out, err
		}
		out.Lessons = append(out.Lessons, l)
	}
	out.Submission = x
	if x.State != coord.SubmissionAccepted {
		return out, nil
	}
	row, err := t.submission(x.ID)
	if err != nil {
		return out, err
	}
	return out, t.accepted(row)
}

// submittable proves authority and evidence: the work was done by what the
// task says now, nothing blocks it, and every required check passed on exactly
// the submitted tree.
func (t *tx) submittable(c coord.Submit) (a attemptRow, task taskRow, p coord.Policy, err error) {
	if a, err = t.owned(c.Attempt, c.Fence); err != nil {
		return a, task, p, err
	}
	if task, err = t.task(a.Task); err != nil {
		return a, task, p, err
	}
	if !task.Kind.Submits() {
		return a, task, p, coord.Errorf(coord.CodeStateConflict, "%s is a %s task and takes no submission; nothing was changed", task.ID, task.Kind).WithNext("coord status")
	}
	if err = cmp.Or(task.facts.CheckUnblocked(), c.CheckDigest(task.Task)); err != nil {
		return a, task, p, err
	}
	project, err := t.project(task.Project)
	if err != nil {
		return a, task, p, err
	}
	receipts, err := t.receipts(task.Project, c.Tree)
	if err != nil {
		return a, task, p, err
	}
	for _, id := range c.Resolved {
		if _, err := t.finding(task.ID, id); err != nil {
			return a, task, p, err
		}
	}
	landing, by, err := t.revertedLanding(task, c.Commit)
	if err != nil {
		return a, task, p, err
	}
	return a, task, project.Policy, cmp.Or(c.CheckReport(task.Task, project.Policy), c.CheckNotReverted(landing, by), c.CheckEvidence(task.Task, receipts))
}

// revertedLanding is the landing of the very commit on the task's target that
// another task took back, and that task; empty if there is none.
func (v *view) revertedLanding(task taskRow, commit coord.OID) (landing coord.LandingID, by coord.TaskID, err error) {
	_, err = v.get([]any{&landing, &by}, `SELECT l.id, r.id FROM submissions x JOIN landings l ON l.submission = x.id AND l.state = 'landed'
		JOIN tasks r ON r.project = x.project AND r.source_key = 'revert:' || l.id AND r.source_key <> '' AND r.lifecycle = 'done'
		WHERE x.project = ? AND x.state = 'landed' AND x.commit_id = ? AND x.repository = ? AND x.target = ? LIMIT 1`,
		string(task.Project), string(commit), string(task.Repository), task.Target)
	return landing, by, err
}

func (t *tx) addSubmission(c coord.Submit, a attemptRow, task taskRow, p coord.Policy) (x coord.Submission, err error) {
	var n int64
	if _, err := t.get([]any{&n}, "SELECT count(*) + 1 FROM submissions WHERE task = ?", string(task.ID)); err != nil {
		return x, err
	}
	x = coord.Submission{
		ID: coord.NewSubmissionID(task.ID, n), Task: task.ID, Attempt: a.ID, Author: t.caller.Name, State: c.State(task.Task, p),
		Commit: c.Commit, Tree: c.Tree, Base: c.Base, Ref: c.Ref, Repository: task.Repository, Target: task.Target,
		Summary: c.Summary, Digest: task.Digest, Judged: task.Digest, Required: c.Required, Evidence: c.Evidence, Handoff: c.Handoff,
		Amendment: c.Amendment, Resolved: c.Resolved, At: t.now,
	}
	if task.Kind != coord.KindCode {
		x.Required = nil
	}
	if c.Distance != nil {
		x.Distance = &coord.Distance{Tip: c.Distance.Tip, Ahead: c.Distance.Ahead, Behind: c.Distance.Behind, At: t.now}
	}
	if x.Integration, err = t.integrationID(task, p); err != nil {
		return x, err
	}
	return x, t.change(`INSERT INTO submissions (id, project, task, number, attempt, generation, author, state, commit_id, tree, base, ref, distance, repository, target,
			summary, digest, judged, required, evidence, handoff, amendment, resolved, integration, at, changed_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		string(x.ID), string(task.Project), string(task.ID), n, string(a.ID), a.Generation, x.Author, string(x.State), string(x.Commit), string(x.Tree), string(x.Base),
		x.Ref, toJSON(x.Distance), string(x.Repository), x.Target, x.Summary, x.Digest, x.Judged, toJSON(x.Required), toJSON(x.Evidence), x.Handoff, toJSON(x.Amendment), toJSON(x.Resolved),
		string(x.Integration), nanos(t.now), nanos(t.now))
}

// integrationID is the id that the integration task will get, after those of
// the reviews: a submission is immutable, so it has to name it from the start.
func (t *tx) integrationID(task taskRow, p coord.Policy) (coord.TaskID, error) {
	reviews, integration := coord.Followers(task.Task, p)
	if integration == nil {
		return "", nil
	}
	var last int64
	_, err := t.get([]any{&last}, "SELECT last_task FROM projects WHERE key = ?", string(task.Project))
	return coord.NewTaskID(task.Project, last+int64(len(reviews))+1), err
}

// handOver ends the live attempt as submitted, in one step with the task's
// pointer to the submission.
func (t *tx) handOver(a attemptRow, id coord.SubmissionID) error {
	args := append([]any{nanos(t.now)}, t.liveArgs(a)...)
	if err := t.change("UPDATE attempts SET ended = 'submitted', ended_at = ? WHERE "+stillLive, args...); err != nil {
		return err
	}
	if err := t.freeReservations(a.ID); err != nil {
		return err
	}
	return t.change("UPDATE tasks SET attempt = NULL, submission = ?, saved = NULL WHERE id = ? AND attempt = ? AND generation = ? AND lifecycle = 'open'",
		string(id), string(a.Task), string(a.ID), a.Generation)
}

// addFollowers creates the review tasks, if any, and the integration task that
// waits for them.
func (t *tx) addFollowers(x *coord.Submission, task taskRow, p coord.Policy) error {
	reviews, integration := coord.Followers(task.Task, p)
	for _, r := range reviews {
		id, err := t.addTask(r, x.ID)
		if err != nil {
			return err
		}
		x.Reviews = append(x.Reviews, id)
	}
	if integration == nil {
		return nil
	}
	integration.DependsOn = x.Reviews
	id, err := t.addTask(*integration, x.ID)
	if err == nil && id != x.Integration {
		return coord.Errorf(coord.CodeInternal, "follower %s got another id than %s", id, x.Integration)
	}
	return err
}
