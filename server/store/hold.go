package store

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"coord"
)

// Hold claims an integration task and reserves its target, both or neither.
// A landing whose holder's lease ended is taken over with its record: the
// former holder may have pushed.
func (s *service) Hold(ctx context.Context, c coord.Hold) (coord.Held, error) {
	if err := s.mayWork(); err != nil {
		return coord.Held{}, err
	}
	i := intent[coord.Held]{operation: "hold", key: c.Key, ids: []string{string(c.Project)}, command: c, session: true, current: currentHold}
	return mutate(ctx, s, i, func(t *tx) (coord.Held, error) { return t.hold(c) })
}

// currentHold gives a replayed hold today's standing. It grants nothing.
func currentHold(t *tx, out *coord.Held) error {
	a, err := t.attempt(out.Attempt.ID)
	if err != nil {
		return err
	}
	l, err := t.landing(out.Landing.ID)
	if err != nil {
		return err
	}
	*out, err = t.held(a, l)
	out.Replayed = true
	return err
}

func (t *tx) hold(c coord.Hold) (coord.Held, error) {
	p, err := t.project(c.Project)
	if err != nil {
		return coord.Held{}, err
	}
	task, err := t.toLand(c, p)
	if err == nil {
		err = p.CheckRepository(c.Repository, task.Repository)
	}
	if err != nil {
		return coord.Held{}, err
	}
	reserved, found, err := one(&t.view, scanLanding, "SELECT "+landingColumns+" FROM landings l WHERE l.repository = ? AND l.target = ? AND l.state IN ('held', 'merged', 'publishing')",
		string(task.Repository), task.Target)
	if err != nil {
		return coord.Held{}, err
	}
	if found && reserved.Integration == task.ID && t.holdsLive(task) {
		a, err := t.attempt(task.Owner.Attempt)
		if err != nil {
			return coord.Held{}, err
		}
		out, err := t.held(a, reserved)
		out.Replayed = true
		return out, err
	}
	if found && reserved.Integration != task.ID {
		return coord.Held{}, t.targetHeld(reserved, p.Policy)
	}
	if !found { // what may have been pushed is observed wherever it went
		target, err := t.target(task.Repository, task.Target)
		if err := cmp.Or(err, target.CheckOpen()); err != nil {
			return coord.Held{}, err
		}
	}
	a, err := t.grant(task, p.Policy, c.Recovery)
	if err != nil {
		return coord.Held{}, err
	}
	if found { // what may have been pushed is observed, whatever became of its approvals
		return t.takeOver(a, reserved)
	}
	if err := t.mayLand(task.Submission, p.Policy); err != nil {
		return coord.Held{}, err
	}
	return t.reserve(a, task, p.Policy.Strategy)
}

// mayLand asks every rule whether the submission may go on to its target now:
// nothing blocks it, it was judged by what its task says, every approval
// counts, and a person said so where the policy wants that. It holds when the
// target is reserved, and again in the transaction that permits the push.
func (t *tx) mayLand(id coord.SubmissionID, p coord.Policy) error {
	x, err := t.submission(id)
	if err != nil {
		return err
	}
	work, err := t.task(x.Task)
	if err != nil {
		return err
	}
	have, err := t.slots(id)
	if err != nil {
		return err
	}
	if err := cmp.Or(x.CheckApproved(have), work.facts.CheckUnblocked(), x.CheckCurrent(work.Task)); err != nil {
		return err
	}
	given, err := t.authorizations(work.Project, coord.ActionLand)
	if err != nil {
		return err
	}
	return p.CheckAuthorized(coord.Landable{Task: work.ID, Commit: x.Commit, Target: x.Target}, given, t.now)
}

// toLand is the integration task that is wanted: the named one, a named code
// task's, or the first in the queue, preferring one whose target is free.
func (t *tx) toLand(c coord.Hold, p coord.Project) (taskRow, error) {
	if c.Task == "" {
		id, err := t.pickLanding(p, c.Target)
		if err != nil {
			return taskRow{}, err
		}
		return t.task(id)
	}
	task, err := t.taskOf(c.Project, c.Task)
	if err != nil || task.Kind == coord.KindIntegration {
		return task, err
	}
	code, err := t.task(codeTask(task))
	if err != nil {
		return code, err
	}
	if code.Submission == "" || code.Lifecycle != coord.LifecycleOpen {
		return code, coord.Errorf(coord.CodeStateConflict, "%s is %s and has nothing to land; nothing was changed", code.ID, code.Status).WithNext("coord task show " + string(code.ID))
	}
	x, err := t.submission(code.Submission)
	if err != nil {
		return code, err
	}
	if x.Integration == "" {
		return code, coord.Errorf(coord.CodeStateConflict, "%s is a %s task: it is done when it is accepted, and nothing lands; nothing was changed", code.ID, code.Kind).WithNext("coord task show " + string(code.ID))
	}
	return t.task(x.Integration)
}

const (
	ofTarget    = " AND (? = '' OR t.target = ?)"
	targetTaken = "(EXISTS (SELECT 1 FROM landings l WHERE l.repository = t.repository AND l.target = t.target AND l.state IN ('held', 'merged', 'publishing'))" +
		" OR EXISTS (SELECT 1 FROM targets g WHERE g.repository = t.repository AND g.target = t.target AND g.seen <> ''))"

	// What mayLand would refuse is passed over: its parameters are whether
	// landings need no authorization, and now.
	landable = ` AND EXISTS (SELECT 1 FROM submissions s JOIN tasks w ON w.id = s.task WHERE s.id = t.subject AND w.digest = s.judged AND w.open_blockers = 0
		AND (? OR EXISTS (SELECT 1 FROM authorizations z WHERE z.project = t.project AND z.action = 'land' AND z.until > ? AND (z.task IS NULL OR z.task = s.task) AND (z.revision = '' OR z.revision = s.commit_id) AND z.environment IN ('', t.target))))`

	// Parameters: project, target twice, and those of landable.
	pickLandable    = "SELECT t.id FROM tasks t WHERE t.project = ? AND t.kind = 'integration' AND " + claimable + ofTarget + landable
	pickFreeLanding = pickLandable + " AND NOT " + targetTaken + first
	pickNextLanding = pickLandable + first
	// Parameters: project, target twice; of the own one also session, latest
	// expiry that is past its grace, that of mayRecover, and session.
	pickAnyLanding = "SELECT t.id FROM tasks t WHERE t.project = ? AND t.kind = 'integration' AND " + claimable + ofTarget + first
	pickOwnLanding = "SELECT t.id FROM attempts a JOIN tasks t ON t.id = a.task WHERE a.project = ? AND a.kind = 'integration' AND a.ended IS NULL" + ofTarget +
		" AND (a.session = ? OR a.expires_at <= ? AND " + mayRecover + ") ORDER BY a.session = ? DESC, a.expires_at LIMIT 1"
)

// freeLanding is the first integration task that may be landed now and whose
// target nobody holds; "" when there is none.
func (v *view) freeLanding(p coord.Project, target string) (id coord.TaskID, err error) {
	_, err = v.get([]any{&id}, pickFreeLanding, string(p.Key), target, target, p.Policy.Integration != coord.IntegrateHuman, nanos(v.now))
	return id, err
}

// pickLanding prefers the caller's own hold or a dead holder's, then the
// first whose target is free. If only held targets have a queue, or nothing in
// it may be landed, the first of it is returned, so that the refusal says who
// holds the target or what is missing.
func (t *tx) pickLanding(p coord.Project, target string) (id coord.TaskID, err error) {
	key, me := string(p.Key), string(t.caller.Session)
	over := nanos(t.now.Add(-time.Duration(p.Policy.RecoveryGrace)))
	if found, err := t.get([]any{&id}, pickOwnLanding, key, target, target, me, over, p.Policy.Recovery != coord.RecoverManual, me); found || err != nil {
		return id, err
	}
	if id, err := t.freeLanding(p, target); id != "" || err != nil {
		return id, err
	}
	if found, err := t.get([]any{&id}, pickNextLanding, key, target, target, p.Policy.Integration != coord.IntegrateHuman, nanos(t.now)); found || err != nil {
		return id, err
	}
	if found, err := t.get([]any{&id}, pickAnyLanding, key, target, target); found || err != nil {
		return id, err
	}
	return "", t.nothing(p, coord.KindIntegration)
}

// targetHeld is the refusal when another landing reserves the target: wait
// for a live holder, take over from a dead one first.
func (t *tx) targetHeld(l landingRow, p coord.Policy) error {
	other, err := t.task(l.Integration)
	if err != nil {
		return err
	}
	_, err = other.facts.Grant(coord.Claimant{Session: t.caller.Session, Role: t.caller.Role}, nil, p, t.now)
	name := func(e *coord.Error) *coord.Error {
		return e.WithDetail("task", string(l.Integration)).WithDetail("code_task", string(l.Task)).WithDetail("landing", string(l.ID)).WithDetail("holder", l.Holder)
	}
	var e *coord.Error
	if !asCoord(err, &e) {
		return coord.Errorf(coord.CodeInternal, "%s reserves %s and nobody holds it: %w", l.ID, l.Target, err)
	}
	if e.Code != coord.CodeTaskTaken {
		return name(e)
	}
	held := coord.Errorf(coord.CodeTargetHeld, "%s is held by %s for %s since %s; nothing was changed", l.Target, l.Holder, l.Task, l.HeldAt.Format("15:04:05 MST")).
		WithNext("coord integrate --wait")
	if other.holder == t.caller.Session {
		held = held.WithNext("coord integrate " + string(l.Task))
	}
	held.RetryAfterMS = e.RetryAfterMS
	held = held.WithDetail("as_of", strconv.FormatInt(int64(t.head.seq), 10))
	return name(held).WithDetail("since", l.HeldAt.Format(time.RFC3339))
}

// reserve makes the landing of a fresh hold.
func (t *tx) reserve(a attemptRow, task taskRow, by coord.Strategy) (coord.Held, error) {
	code := task.Submission.Task()
	var n int64
	if _, err := t.get([]any{&n}, "SELECT count(*) + 1 FROM landings WHERE task = ?", string(code)); err != nil {
		return coord.Held{}, err
	}
	id := coord.NewLandingID(code, n)
	err := t.change(`INSERT INTO landings (id, project, task, number, submission, integration, attempt, generation, repository, target, strategy, state, holder, held_at, changed_at)
		SELECT ?, ?, ?, ?, s.id, ?, ?, ?, ?, ?, ?, 'held', ?, ?, ? FROM submissions s WHERE s.id = ? AND s.state = 'approved'`,
		string(id), string(task.Project), string(code), n, string(task.ID), string(a.ID), a.Generation, string(task.Repository), task.Target, string(by), t.caller.Name,
		nanos(t.now), nanos(t.now), string(task.Submission))
	if err != nil {
		return coord.Held{}, err
	}
	if err := t.change("UPDATE submissions SET landing = ? WHERE id = ? AND state = 'approved'", string(id), string(task.Submission)); err != nil {
		return coord.Held{}, err
	}
	return t.holding(a, id, fmt.Sprintf("%s holds %s to land %s", t.caller.Name, task.Target, code))
}

// takeOver puts the landing of a dead holder under the new fence. What was
// merged on the dead machine is merged again; what may have been pushed is to
// be observed first.
func (t *tx) takeOver(a attemptRow, l landingRow) (coord.Held, error) {
	if a.EndedAt != nil { // it only said what blocks the landing, and gave the target back
		l, err := t.landing(l.ID)
		if err != nil {
			return coord.Held{}, err
		}
		return t.held(a, l)
	}
	err := t.change(`UPDATE landings SET attempt = ?, generation = ?, holder = ?, changed_at = ?, state = CASE WHEN state = 'publishing' THEN state ELSE 'held' END
		WHERE id = ? AND state = ? AND attempt = ? AND generation = ?`,
		string(a.ID), a.Generation, t.caller.Name, nanos(t.now), string(l.ID), string(l.State), string(l.attempt), l.Fence.Generation)
	if err != nil {
		return coord.Held{}, err
	}
	return t.holding(a, l.ID, fmt.Sprintf("%s took over %s from %s to land %s", t.caller.Name, l.Target, l.Holder, l.Task))
}

func (t *tx) holding(a attemptRow, id coord.LandingID, text string) (coord.Held, error) {
	l, err := t.landing(id)
	if err != nil {
		return coord.Held{}, err
	}
	if err := t.recordLanding(coord.EventLandingHeld, l.Landing, "%s", text); err != nil {
		return coord.Held{}, err
	}
	return t.held(a, l)
}

// held is what a hold answers, as things are now.
func (v *view) held(a attemptRow, l landingRow) (coord.Held, error) {
	out := coord.Held{Attempt: a.Attempt, Landing: l.Landing}
	task, err := v.task(l.Task)
	if err != nil {
		return out, err
	}
	out.Task = task.Task
	x, err := v.submission(l.Submission)
	if err != nil {
		return out, err
	}
	out.Submission = x.Submission
	out.Target, err = v.target(l.Repository, l.Target)
	return out, err
}

// releaseHold gives back the target that an integration attempt reserves.
func (t *tx) releaseHold(a attemptRow, reason string) error {
	l, found, err := one(&t.view, scanLanding, "SELECT "+landingColumns+" FROM landings l WHERE l.integration = ? AND l.state IN ('held', 'merged', 'publishing')", string(a.Task))
	if err != nil || !found {
		return err
	}
	next, err := l.Fail(coord.FailLanding{State: coord.LandingReleased, Reason: reason})
	if err != nil {
		return err
	}
	if next, err = t.saveLanding(l, next); err != nil {
		return err
	}
	if err := t.recordLanding(coord.EventLandingFailed, next, "%s gave %s back before landing %s", t.actor(), l.Target, l.Task); err != nil {
		return err
	}
	return t.reslotNow(l.Submission) // a stricter policy left it alone while it was being landed
}
