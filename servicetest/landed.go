package servicetest

import "coord"

// hold is a target in an integrator's hands.
type hold struct {
	a *actor
	coord.Held
}

func (a *actor) tryHold(id coord.TaskID, r *coord.Recovery) (hold, error) {
	h, err := a.Hold(a.s.ctx, coord.Hold{Key: newKey(), Project: a.s.project, Task: id, Recovery: r})
	return hold{a, h}, err
}

func (a *actor) hold(id coord.TaskID) hold { return must(a.tryHold(id, nil)) }

// plan is a merge of the candidate onto a new tip, requiring the test check.
func (h hold) plan() coord.RecordMerge {
	base := newOID()
	return coord.RecordMerge{
		Key: newKey(), Landing: h.Landing.ID, Fence: h.Attempt.Fence,
		Base: base, Result: newOID(), Tree: newOID(), Parents: []coord.OID{base, h.Submission.Commit}, Required: []coord.RequiredCheck{testCheck.Require()},
	}
}

func (h hold) merge() coord.Landing { return must(h.a.RecordMerge(h.a.s.ctx, h.plan())).Landing }

// permit asks to publish what l says was merged.
func (h hold) permit(l coord.Landing, runs ...coord.Run) (coord.Landing, error) {
	return h.a.Permit(h.a.s.ctx, coord.Permit{
		Key: newKey(), Landing: h.Landing.ID, Fence: h.Attempt.Fence,
		Base: l.Base, Result: l.Result, Tree: l.Tree, Runs: runs,
	})
}

// see reports that the result of l is on the target.
func (h hold) see(l coord.Landing) (coord.Landed, error) {
	return h.observe(coord.RecordObservation{Tip: l.Result, Contained: true, Tree: l.Tree})
}

func (h hold) observe(o coord.RecordObservation) (coord.Landed, error) {
	o.Key, o.Landing, o.Fence = newKey(), h.Landing.ID, h.Attempt.Fence
	return h.a.RecordObservation(h.a.s.ctx, o)
}

func (h hold) fail(f coord.FailLanding) (coord.Landing, error) {
	f.Key, f.Landing, f.Fence = newKey(), h.Landing.ID, h.Attempt.Fence
	return h.a.FailLanding(h.a.s.ctx, f)
}

// publishing is a hold whose push was permitted and may have happened.
func (a *actor) publishing(id coord.TaskID) (hold, coord.Landing) {
	h := a.hold(id)
	m := h.merge()
	return h, must(h.permit(m, passing(m.Tree)))
}

// land takes the code task through to its target.
func (s *stage) land(id coord.TaskID) coord.Landed {
	h, l := s.as("integrator").publishing(id)
	return must(h.see(l))
}
