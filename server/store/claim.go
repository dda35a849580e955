package store

import (
	"cmp"
	"context"
	"fmt"

	"coord"
)

// Claim takes the named task, or the next eligible one of the kind, for the
// caller's session. The whole decision and the grant are one transaction; a
// caller that already holds the named task gets it back as it is. The lessons
// are looked up after it, while others write.
func (s *service) Claim(ctx context.Context, c coord.Claim) (coord.Claimed, error) {
	if err := s.mayWork(); err != nil {
		return coord.Claimed{}, err
	}
	c.Kind = cmp.Or(c.Kind, coord.KindCode)
	if c.Kind != coord.KindCode && c.Kind != coord.KindReview && c.Kind != coord.KindIntegration {
		return coord.Claimed{}, coord.Errorf(coord.CodeBadRequest, "kind %q is not code, review or integration", string(c.Kind))
	}
	i := intent[coord.Claimed]{operation: "claim", key: c.Key, ids: []string{string(c.Project)}, command: c, session: true, current: currentClaim}
	out, err := mutate(ctx, s, i, func(t *tx) (coord.Claimed, error) { return t.claim(c) })
	return s.withLessons(ctx, out, err)
}

// withLessons adds the lessons that apply to a code task. Where they cannot be
// read, the same request again gets the same claim with them.
func (s *service) withLessons(ctx context.Context, out coord.Claimed, err error) (coord.Claimed, error) {
	if err != nil || out.Task.Kind != coord.KindCode {
		return out, err
	}
	out.Lessons, err = reading(ctx, s.Store, func(v *view) ([]coord.Lesson, error) { return v.relevantLessons(out.Task) })
	return out, err
}

// currentClaim gives a replayed grant today's standing. It grants nothing.
func currentClaim(t *tx, out *coord.Claimed) error {
	again, err := t.claimedAgain(out.Attempt.ID)
	*out = again
	return err
}

// claimedAgain is what a claim answers when the caller holds the attempt
// already.
func (t *tx) claimedAgain(id coord.AttemptID) (coord.Claimed, error) {
	a, err := t.attempt(id)
	if err != nil {
		return coord.Claimed{}, err
	}
	out, err := t.claimed(a)
	out.Replayed = true
	return out, err
}

func (t *tx) claim(c coord.Claim) (coord.Claimed, error) {
	p, err := t.project(c.Project)
	if err != nil {
		return coord.Claimed{}, err
	}
	id, err := t.wanted(c, p)
	if err != nil {
		return coord.Claimed{}, err
	}
	task, err := t.taskOf(c.Project, id)
	if err != nil {
		return coord.Claimed{}, err
	}
	if err := p.CheckRepository(c.Repository, task.Repository); err != nil {
		return coord.Claimed{}, err
	}
	if task.Kind == coord.KindIntegration {
		return coord.Claimed{}, coord.Errorf(coord.CodeStateConflict, "%s is taken together with its target branch; nothing was changed", task.ID).
			WithNext("coord integrate " + task.Source)
	}
	if t.holdsLive(task) { // it lost its memory, not its lease
		return t.claimedAgain(task.Owner.Attempt)
	}
	a, err := t.grant(task, p.Policy, c.Recovery)
	if err != nil {
		return coord.Claimed{}, err
	}
	return t.claimed(a)
}

// wanted is the task that the claim is about: the one it names, where a code
// task's id also stands for its review, or the next of the kind.
func (t *tx) wanted(c coord.Claim, p coord.Project) (coord.TaskID, error) {
	if c.Task == "" && !c.Another {
		if id, err := t.inHand(c.Project, c.Kind); err != nil || id != "" {
			return id, err
		}
	}
	if c.Task == "" {
		return t.pick(p, c.Kind)
	}
	task, err := t.taskOf(c.Project, c.Task)
	if err != nil || task.Kind != coord.KindCode || c.Kind == coord.KindCode {
		return task.ID, err
	}
	if task.Submission == "" {
		return "", coord.Errorf(coord.CodeStateConflict, "%s has no submission to %s; nothing was changed", task.ID, verbOf(c.Kind)).WithNext("coord task show " + string(task.ID))
	}
	sub, err := t.submission(task.Submission)
	if err != nil || c.Kind == coord.KindIntegration {
		return sub.Integration, err
	}
	if sub.Review == "" {
		return "", coord.Errorf(coord.CodeStateConflict, "the policy asks for no review of %s; nothing was changed", task.ID).WithNext("coord integrate " + string(task.ID))
	}
	return sub.Review, nil
}

// inHand is the task of the kind that the caller's session holds live, the
// oldest first; "" when it holds none.
func (t *tx) inHand(p coord.ProjectKey, k coord.Kind) (id coord.TaskID, err error) {
	_, err = t.get([]any{&id}, "SELECT task FROM attempts WHERE session = ? AND ended IS NULL AND project = ? AND kind = ? AND expires_at > ? ORDER BY started_at, task LIMIT 1",
		string(t.caller.Session), string(p), string(k), nanos(t.now))
	return id, err
}

func verbOf(k coord.Kind) string {
	if k == coord.KindReview {
		return "review"
	}
	return "land"
}

// holdsLive reports whether the caller's session holds the task with a live
// lease.
func (t *tx) holdsLive(task taskRow) bool {
	return task.Owner != nil && task.holder == t.caller.Session && task.Owner.Standing == coord.StandingLive
}

// grant decides by the root's rules and begins the attempt.
func (t *tx) grant(task taskRow, p coord.Policy, r *coord.Recovery) (attemptRow, error) {
	if err := t.independent(task); err != nil {
		return attemptRow{}, err
	}
	generation, err := task.facts.Grant(t.caller.Session, r, p, t.now)
	if err != nil {
		return attemptRow{}, err
	}
	b := beginning{task: task, policy: p, generation: generation, why: "recovered by " + t.caller.Name}
	event := coord.Event{Kind: coord.EventAttemptClaimed, Text: fmt.Sprintf("%s claimed %s, attempt %d", t.caller.Name, task.ID, generation)}
	if r != nil && (task.facts.Attempt != nil || task.Saved != nil) {
		event.Kind = coord.EventAttemptRecovered
		event.Text = fmt.Sprintf("%s recovered %s, attempt %d, %s", t.caller.Name, task.ID, generation, recoveryText(r))
		event.Data = map[string]string{"disposition": string(r.Disposition), "commit": string(r.Commit), "reason": r.Reason}
		b.restart = r.Disposition == coord.DispositionRestart
		if !b.restart && task.Saved != nil {
			b.from = task.Saved.Commit
		}
	}
	a, err := t.begin(b)
	if err != nil {
		return a, err
	}
	event.Project, event.Task = task.Project, task.ID
	return a, t.record(event)
}

func recoveryText(r *coord.Recovery) string {
	if r.Disposition == coord.DispositionRestart {
		return "starting anew: " + coord.OneLine(r.Reason)
	}
	if r.Commit == "" {
		return "with nothing saved"
	}
	return "going on from " + r.Commit.Short()
}

// independent refuses a review task to a session that worked on its subject.
func (t *tx) independent(task taskRow) error {
	if task.Kind != coord.KindReview {
		return nil
	}
	code := task.Submission.Task()
	contributors, err := t.contributors(code)
	if err != nil {
		return err
	}
	return coord.CheckIndependent(code, t.caller.Session, contributors)
}

// contributors are the sessions that ever held an attempt of the task.
func (v *view) contributors(task coord.TaskID) ([]coord.SessionID, error) {
	return list(v, scanText[coord.SessionID], "SELECT DISTINCT session FROM attempts WHERE task = ?", string(task))
}

// claimed is what a claim answers about an attempt, as things are now, but for
// the lessons.
func (v *view) claimed(a attemptRow) (coord.Claimed, error) {
	out := coord.Claimed{Attempt: a.Attempt}
	task, err := v.task(a.Task)
	if err != nil {
		return out, err
	}
	out.Task = task.Task
	if out.Project, err = v.project(task.Project); err != nil {
		return out, err
	}
	if task.Kind != coord.KindCode {
		sub, err := v.submission(task.Submission)
		out.Submission = &sub.Submission
		return out, err
	}
	return out, v.whyReturned(&out)
}

// whyReturned adds the decision that sent the latest submission back.
func (v *view) whyReturned(out *coord.Claimed) error {
	sub, found, err := one(v, scanSubmission, "SELECT "+submissionColumns+" FROM submissions WHERE task = ? ORDER BY number DESC LIMIT 1", string(out.Task.ID))
	if err != nil || !found || sub.State != coord.SubmissionReturned {
		return err
	}
	out.ReturnedReason = sub.returned
	review, found, err := one(v, scanReview, "SELECT "+reviewColumns+" FROM reviews WHERE submission = ?", string(sub.ID))
	if found && review.Verdict == coord.VerdictChangesRequested {
		out.Returned = &review
	}
	return err
}
