package store

import (
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
	if c.Kind != "" && !c.Kind.Submits() && c.Kind != coord.KindReview && c.Kind != coord.KindIntegration {
		return coord.Claimed{}, coord.Errorf(coord.CodeBadRequest, "kind %q is not code, general, review or integration", string(c.Kind))
	}
	i := intent[coord.Claimed]{operation: "claim", key: c.Key, ids: []string{string(c.Project)}, command: c, session: true, current: currentClaim}
	out, err := mutate(ctx, s, i, func(t *tx) (coord.Claimed, error) { return t.claim(c) })
	return s.withLessons(ctx, out, err)
}

// withLessons adds the lessons that apply to a task that is to be worked on. Where they cannot be
// read, the same request again gets the same claim with them.
func (s *service) withLessons(ctx context.Context, out coord.Claimed, err error) (coord.Claimed, error) {
	if err != nil || !out.Task.Kind.Submits() {
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
	if err != nil || !task.Kind.Submits() || c.Kind == "" || c.Kind.Submits() {
		return task.ID, err
	}
	if task.Submission == "" {
		return "", coord.Errorf(coord.CodeStateConflict, "%s has no submission to %s; nothing was changed", task.ID, verbOf(c.Kind)).WithNext("coord task show " + string(task.ID))
	}
	sub, err := t.submission(task.Submission)
	if err == nil && c.Kind == coord.KindIntegration && sub.Integration == "" {
		err = coord.Errorf(coord.CodeStateConflict, "%s is a general task, of which nothing lands; nothing was changed", task.ID).WithNext("coord task show " + string(task.ID))
	}
	if err != nil || c.Kind == coord.KindIntegration {
		return sub.Integration, err
	}
	if len(sub.Reviews) == 0 {
		return "", coord.Errorf(coord.CodeStateConflict, "the policy asks for no review of %s; nothing was changed", task.ID).WithNext("coord integrate " + string(task.ID))
	}
	return t.reviewOf(sub)
}

// inHand is the task of the kind that the caller's session holds live, the
// oldest first; "" when it holds none.
func (t *tx) inHand(p coord.ProjectKey, k coord.Kind) (id coord.TaskID, err error) {
	kinds := kindsOf(k)
	_, err = t.get([]any{&id}, ownLive, string(t.caller.Session), nanos(t.now), string(p), string(kinds[0]), string(kinds[len(kinds)-1]))
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
	if err := t.independent(task, p); err != nil {
		return attemptRow{}, err
	}
	who, err := t.claimant()
	if err != nil {
		return attemptRow{}, err
	}
	generation, err := task.facts.Grant(who, r, p, t.now)
	if err != nil {
		return attemptRow{}, err
	}
	b := beginning{task: task, policy: p, generation: generation, why: "recovered by " + t.caller.Name}
	event := coord.Event{
		Kind: coord.EventAttemptClaimed, Project: task.Project, Task: task.ID,
		Text: fmt.Sprintf("%s claimed %s, attempt %d", t.caller.Name, task.ID, generation),
	}
	if task.facts.Attempt == nil && task.Saved == nil && (r == nil || r.Disposition != coord.DispositionDelivered) {
		r = nil // nothing was there to be recovered
	}
	if r != nil {
		event.Kind = coord.EventAttemptRecovered
		event.Text = fmt.Sprintf("%s recovered %s, attempt %d, %s", t.caller.Name, task.ID, generation, recoveryText(r))
		event.Data = map[string]string{"disposition": string(r.Disposition), "commit": string(r.Commit), "reason": r.Reason}
		b.dispose(*r)
	}
	a, err := t.begin(b)
	if err != nil {
		return a, err
	}
	if err := t.record(event); err != nil || r == nil || r.Disposition != coord.DispositionBlocked {
		return a, err
	}
	return t.giveBack(a, *r.Blocker)
}

// dispose makes the new attempt go on from what the recovery says. Saved work
// that was delivered stays saved until its successor is submitted.
func (b *beginning) dispose(r coord.Recovery) {
	switch r.Disposition {
	case coord.DispositionRestart:
		b.restart = true
	case coord.DispositionDelivered:
		b.from = r.Commit
	case coord.DispositionBlocked:
		b.parked = true
	case coord.DispositionResume:
		b.from = r.Commit
	}
}

// giveBack ends an attempt that only says what its task is blocked by.
func (t *tx) giveBack(a attemptRow, b coord.NewBlocker) (attemptRow, error) {
	if err := t.releaseHold(a, b.Text); err != nil {
		return a, err
	}
	if err := t.end(a, coord.StandingReleased, "blocked: "+b.Text); err != nil {
		return a, err
	}
	if err := t.report(a.Task, &b); err != nil {
		return a, err
	}
	return t.attempt(a.ID)
}

// claimant is the caller's session as a claim is judged by.
func (t *tx) claimant() (coord.Claimant, error) {
	c := coord.Claimant{Session: t.caller.Session, Role: t.caller.Role}
	var capabilities string
	_, err := t.get([]any{&capabilities, &c.Held}, "SELECT capabilities, ("+countLive+") FROM sessions s WHERE s.id = ?", nanos(t.now), string(t.caller.Session))
	if err == nil && c.Held > 0 {
		c.Holdings, err = list(&t.view, scanHolding, listLive, string(t.caller.Session), nanos(t.now), coord.ListedHoldings)
	}
	if err != nil {
		return c, err
	}
	return c, fromJSON(capabilities, &c.Capabilities)
}

// What a session holds now. Attempts whose lease ended and that nobody took
// over can be many; the index leaves them out.
const (
	countLive = "SELECT count(*) FROM attempts a INDEXED BY attempts_live WHERE a.session = s.id AND a.ended IS NULL AND a.expires_at > ?"
	listLive  = "SELECT task, kind FROM attempts a INDEXED BY attempts_live WHERE a.session = ? AND a.ended IS NULL AND a.expires_at > ? ORDER BY a.started_at, a.id LIMIT ?"
	ownLive   = "SELECT task FROM attempts INDEXED BY attempts_live WHERE session = ? AND ended IS NULL AND expires_at > ? AND project = ? AND kind IN (?, ?) ORDER BY started_at, task LIMIT 1"
)

func scanHolding(r scanner) (h coord.Holding, err error) {
	err = r.Scan(&h.Task, &h.Kind)
	return h, err
}

func recoveryText(r *coord.Recovery) string {
	switch {
	case r.Disposition == coord.DispositionRestart:
		return "starting anew: " + coord.OneLine(r.Reason)
	case r.Disposition == coord.DispositionDelivered:
		return "whose work is on its target already at " + r.Commit.Short()
	case r.Disposition == coord.DispositionBlocked:
		return "which is blocked"
	case r.Commit == "":
		return "with nothing saved"
	}
	return "going on from " + r.Commit.Short()
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
	if out.Rules, err = v.rules(task.Project); err != nil {
		return out, err
	}
	if out.Obligations, err = v.obligations(a.Task, a.ID); err != nil {
		return out, err
	}
	if !task.Kind.Submits() {
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
	review, found, err := one(v, scanReview, "SELECT "+reviewColumns+" FROM reviews WHERE submission = ? AND verdict = 'changes_requested'", string(sub.ID))
	if found {
		out.Returned = &review
	}
	return err
}
