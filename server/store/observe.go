package store

import (
	"cmp"
	"context"
	"fmt"

	"coord"
)

// RecordObservation reports what the remote was read back to hold. It is the
// only way out of publishing, and the only way to landed.
func (s *service) RecordObservation(ctx context.Context, c coord.RecordObservation) (coord.Landed, error) {
	if err := s.mayWork(); err != nil {
		return coord.Landed{}, err
	}
	if err := checkProse("refusal", c.Refusal, 4000); err != nil {
		return coord.Landed{}, err
	}
	i := intent[coord.Landed]{operation: "record_observation", key: c.Key, ids: []string{string(c.Landing)}, command: c, session: true, current: currentLanded}
	return mutate(ctx, s, i, func(t *tx) (coord.Landed, error) { return t.observe(c) })
}

func currentLanded(t *tx, out *coord.Landed) error {
	l, err := t.landing(out.Landing.ID)
	if err != nil {
		return err
	}
	task, err := t.task(l.Task)
	*out = coord.Landed{Task: task.Task, Landing: l.Landing, Replayed: true}
	return err
}

func (t *tx) observe(c coord.RecordObservation) (out coord.Landed, err error) {
	l, a, err := t.ownedLanding(c.Landing, c.Fence)
	if err != nil {
		return out, err
	}
	target, err := t.target(l.Repository, l.Target)
	if err := cmp.Or(err, target.CheckReconciled()); err != nil {
		return out, err
	}
	x, err := t.submission(l.Submission)
	if err != nil {
		return out, err
	}
	next, err := l.Observe(c, x.Submission)
	if err != nil {
		return out, err
	}
	if out.Landing, err = t.saveLanding(l, next); err != nil {
		return out, err
	}
	if next.State == coord.LandingLanded {
		err = t.land(out.Landing, a)
	} else {
		err = t.notLanded(c, l, &out)
	}
	if err != nil {
		return out, err
	}
	task, err := t.task(l.Task)
	out.Task = task.Task
	return out, err
}

// notLanded logs that the target is without the work. After a push that did
// not arrive it may be pushed again, with the approvals that count by now.
func (t *tx) notLanded(c coord.RecordObservation, l landingRow, out *coord.Landed) error {
	err := t.recordLanding(coord.EventLandingObserved, out.Landing, "%s saw %s at %s, without %s", t.caller.Name, l.Target, c.Tip.Short(), l.Task)
	if err != nil || l.State != coord.LandingPublishing {
		return err
	}
	if err := t.voidLost(l.Submission); err != nil {
		return err
	}
	now, err := t.landing(l.ID)
	out.Landing = now.Landing
	return err
}

// land ends the attempt that landed l, and does all that a landing means.
func (t *tx) land(l coord.Landing, a attemptRow) error {
	if err := t.end(a, coord.StandingFinished, "landed"); err != nil {
		return err
	}
	verb := "landed"
	switch {
	case l.AlreadyIn:
		verb = "found already landed"
	case l.Reconstructed:
		verb = "found after the restore that it landed"
	}
	return t.landed(l, fmt.Sprintf("%s %s %s on %s as %s", t.caller.Name, verb, l.Task, l.Target, l.Result.Short()))
}

// landed does all that a landing means: submission, integration and code task
// are done, what waited for them is free, and what was learnt is verified.
func (t *tx) landed(l coord.Landing, text string) error {
	err := t.change("UPDATE submissions SET state = 'landed', landing = ?, changed_at = ? WHERE id = ? AND state = 'approved'", string(l.ID), nanos(t.now), string(l.Submission))
	if err != nil {
		return err
	}
	err = t.change(`INSERT INTO targets (repository, target, tip, observed_at, landing) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (repository, target) DO UPDATE SET tip = excluded.tip, observed_at = excluded.observed_at, landing = excluded.landing`,
		string(l.Repository), l.Target, string(l.ObservedTip), nanos(t.now), string(l.ID))
	if err != nil {
		return err
	}
	if err := t.verifyLessons(l.Submission); err != nil {
		return err
	}
	if err := t.recordLanding(coord.EventLandingLanded, l, "%s", text); err != nil {
		return err
	}
	note := fmt.Sprintf("landed on %s as %s", l.Target, l.Result.Short())
	if err := t.closeTask(closing{task: l.Integration, to: coord.LifecycleDone, note: note}); err != nil {
		return err
	}
	if err := t.closeTask(closing{task: l.Task, to: coord.LifecycleDone, note: note}); err != nil {
		return err
	}
	return t.change("UPDATE tasks SET landing = ?, saved = NULL WHERE id = ? AND lifecycle = 'done' AND submission = ?", string(l.ID), string(l.Task), string(l.Submission))
}
