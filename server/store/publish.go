package store

import (
	"cmp"
	"context"

	"coord"
)

// RecordMerge states a merge onto the fetched tip, and answers with the
// receipts that already cover its tree.
func (s *service) RecordMerge(ctx context.Context, c coord.RecordMerge) (coord.Merged, error) {
	if err := s.mayWork(); err != nil {
		return coord.Merged{}, err
	}
	i := intent[coord.Merged]{operation: "record_merge", key: c.Key, ids: []string{string(c.Landing)}, command: c, session: true, current: currentMerged}
	return mutate(ctx, s, i, func(t *tx) (coord.Merged, error) { return t.merge(c) })
}

func (t *tx) merge(c coord.RecordMerge) (out coord.Merged, err error) {
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
	next, err := l.Merge(c, x.Commit)
	if err != nil {
		return out, err
	}
	if out.Landing, err = t.saveLanding(l, next); err != nil {
		return out, err
	}
	err = t.recordLanding(coord.EventLandingMerged, out.Landing, "%s merged %s onto %s at %s, tree %s", t.caller.Name, l.Task, l.Target, c.Base.Short(), c.Tree.Short())
	if err != nil {
		return out, err
	}
	out.Receipts, err = t.receipts(a.project, c.Tree)
	return out, err
}

func currentMerged(t *tx, out *coord.Merged) error {
	l, err := t.landing(out.Landing.ID)
	out.Landing = l.Landing
	if err != nil || out.Receipts != nil {
		return err
	}
	a, err := t.attempt(l.attempt)
	if err == nil {
		out.Receipts, err = t.receipts(a.project, l.Tree)
	}
	return err
}

// Permit allows one push of exactly the merged result. The runs become
// receipts, also when they are the reason for a refusal.
func (s *service) Permit(ctx context.Context, c coord.Permit) (coord.Landing, error) {
	if err := s.mayWork(); err != nil {
		return coord.Landing{}, err
	}
	if err := checkRuns(c.Runs); err != nil {
		return coord.Landing{}, err
	}
	i := intent[coord.Landing]{operation: "permit", key: c.Key, ids: []string{string(c.Landing)}, command: c, session: true, current: currentLanding}
	return mutate(ctx, s, i, func(t *tx) (coord.Landing, error) { return t.permit(c) })
}

func currentLanding(t *tx, out *coord.Landing) error {
	l, err := t.landing(out.ID)
	*out = l.Landing
	return err
}

func checkRuns(runs []coord.Run) error {
	for _, r := range runs {
		if err := r.Validate(); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) permit(c coord.Permit) (coord.Landing, error) {
	l, a, err := t.ownedLanding(c.Landing, c.Fence)
	if err != nil {
		return coord.Landing{}, t.whyStopped(err, l)
	}
	p, err := t.project(a.project)
	if err != nil {
		return coord.Landing{}, err
	}
	if err := t.mayLand(l.Submission, p.Policy); err != nil {
		return coord.Landing{}, err
	}
	if err := t.addRuns(a, l.Task, c.Runs); err != nil {
		return coord.Landing{}, err
	}
	receipts, err := t.receipts(a.project, c.Tree)
	if err != nil {
		return coord.Landing{}, err
	}
	next, err := l.Allow(c, receipts)
	if err != nil {
		// What the checks said is true whether or not they passed. Nothing but
		// the receipts was written so far.
		code := coord.CodeOf(err)
		t.keep = code == coord.CodeRequirement || code == coord.CodeCheckFailed
		return coord.Landing{}, err
	}
	out, err := t.saveLanding(l, next)
	if err != nil {
		return out, err
	}
	return out, t.recordLanding(coord.EventLandingPermitted, out, "%s may push %s to %s", t.caller.Name, c.Result.Short(), l.Target)
}

func (t *tx) addRuns(a attemptRow, task coord.TaskID, runs []coord.Run) error {
	for _, r := range runs {
		if _, err := t.addReceipt(a, task, r); err != nil {
			return err
		}
	}
	return nil
}

// FailLanding gives the target back after a conflict or a failed check, which
// block the integration task until the work is revised, or just gives it
// back.
func (s *service) FailLanding(ctx context.Context, c coord.FailLanding) (coord.Landing, error) {
	if err := s.mayWork(); err != nil {
		return coord.Landing{}, err
	}
	if err := checkRuns(c.Runs); err != nil {
		return coord.Landing{}, err
	}
	i := intent[coord.Landing]{operation: "fail_landing", key: c.Key, ids: []string{string(c.Landing)}, command: c, session: true, current: currentLanding}
	return mutate(ctx, s, i, func(t *tx) (coord.Landing, error) { return t.failLanding(c) })
}

func (t *tx) failLanding(c coord.FailLanding) (coord.Landing, error) {
	l, a, err := t.ownedLanding(c.Landing, c.Fence)
	if err != nil {
		return coord.Landing{}, err
	}
	next, err := l.Fail(c)
	if err != nil {
		return coord.Landing{}, err
	}
	if err := t.addRuns(a, l.Task, c.Runs); err != nil {
		return coord.Landing{}, err
	}
	if next, err = t.saveLanding(l, next); err != nil {
		return next, err
	}
	how := coord.StandingFinished
	if next.State == coord.LandingReleased {
		how = coord.StandingReleased
	}
	if err := t.end(a, how, next.Reason); err != nil {
		return next, err
	}
	if err := t.blockLanding(next); err != nil {
		return next, err
	}
	if err := t.recordLanding(coord.EventLandingFailed, next, "%s", t.caller.Name+" "+failureText(next)); err != nil {
		return next, err
	}
	return next, t.reslotNow(l.Submission) // a stricter policy left it alone while it was being landed
}

// whyStopped tells the former holder of a landing why it was ended before the
// permit; others learn nothing.
func (t *tx) whyStopped(refusal error, l landingRow) error {
	a, err := t.attempt(l.attempt)
	if err != nil || coord.CodeOf(refusal) != coord.CodeFenced || l.State != coord.LandingReleased || l.Reason == "" || a.facts.Session != t.caller.Session {
		return refusal
	}
	return coord.Errorf(coord.CodeFenced, "%s was ended: %s; nothing was published", l.ID, l.Reason).WithNext("coord task show "+string(l.Task), "coord next")
}
