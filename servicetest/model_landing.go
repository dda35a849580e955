package servicetest

import (
	"slices"

	"pgregory.net/rapid"

	"coord"
)

// reserved is whether another landing has the branch.
func (w *world) reserved(st *strand) bool {
	return slices.ContainsFunc(w.strands, func(o *strand) bool { return o != st && o.branch == st.branch && o.landing.State.Reserves() })
}

// Hold reserves a target, or takes an abandoned landing over.
func (w *world) Hold(t *rapid.T) {
	st := w.pick(t, func(st *strand) bool { return st.phase == approved })
	me := rapid.IntRange(0, len(w.sessions)-1).Draw(t, "session")
	s, want := st.integration, []coord.Code{coord.CodeStateConflict, coord.CodeRequirement, coord.CodeTargetHeld, coord.CodeRecoveryRequired}
	var r *coord.Recovery
	if st.phase == approved {
		var wrong coord.Code
		r, wrong = w.recovery(t, s, "")
		switch c := w.claimable(s, me, "", wrong); {
		case s.owner == nobody && w.reserved(st): // a dead holder is to be taken over first
			want = []coord.Code{coord.CodeTargetHeld, coord.CodeRecoveryRequired, coord.CodeStateConflict}
		case c == coord.CodeTaskTaken:
			want = []coord.Code{c, coord.CodeTargetHeld}
		default:
			want = []coord.Code{c}
		}
	}
	mine, orphan, was := st.phase == approved && w.live(s) && s.owner == me, st.phase == approved && s.owner != nobody, st.landing
	held, err := w.sessions[me].Hold(w.ctx, coord.Hold{Key: newKey(), Project: w.project, Task: st.code.id, Recovery: r})
	w.want(t, "hold", err, want...)
	switch {
	case err != nil:
		return
	case mine && held.Landing.State != was.State:
		t.Fatalf("reconnected to a landing in %s, was %s", held.Landing.State, was.State)
	case mine:
		s.until = held.Attempt.Lease.ExpiresAt
		return
	}
	w.given(t, s, me, held.Attempt)
	kept := orphan && was.State == coord.LandingPublishing
	if orphan {
		w.reached["taken over"]++
	}
	if kept && (held.Landing.State != coord.LandingPublishing || held.Landing.Result != was.Result) || !kept && held.Landing.State != coord.LandingHeld {
		t.Fatalf("held %+v, was %+v", held.Landing, was)
	}
	st.landing = held.Landing
}

// Land does the next step of a landing.
func (w *world) Land(t *rapid.T) {
	st, g, me := w.grasp(t, integration)
	if w.authority(g, me) == "" && st.landing.State != coord.LandingPublishing && st.landing.Tries >= coord.MaxTries {
		t.Skip("merged often enough")
	}
	svc, l := w.sessions[me], st.landing
	if l.State == coord.LandingHeld {
		c := coord.RecordMerge{Key: newKey(), Landing: l.ID, Fence: g.fence, Base: newOID(), Result: newOID(), Tree: newOID(), Required: []coord.RequiredCheck{testCheck.Require()}}
		m, err := svc.RecordMerge(w.ctx, c)
		w.want(t, "merge", err, w.authority(g, me))
		if err == nil {
			st.landing = m.Landing
		}
		return
	}
	if l.State == coord.LandingMerged {
		p, err := svc.Permit(w.ctx, coord.Permit{Key: newKey(), Landing: l.ID, Fence: g.fence, Base: l.Base, Result: l.Result, Tree: l.Tree, Runs: []coord.Run{passing(l.Tree)}})
		w.want(t, "permit", err, w.authority(g, me))
		if err == nil {
			st.landing = p
		}
		return
	}
	if l.State == "" {
		t.Skip("never held")
	}
	w.observe(t, st, g, me)
}

func (w *world) observe(t *rapid.T, st *strand, g grip, me int) {
	o := coord.RecordObservation{Key: newKey(), Landing: st.landing.ID, Fence: g.fence, Tip: newOID()}
	if rapid.IntRange(0, 2).Draw(t, "arrived") > 0 {
		o.Tip, o.Contained, o.Tree = st.landing.Result, true, st.landing.Tree
	}
	want := []coord.Code{w.authority(g, me)}
	if !st.landing.State.Reserves() {
		want = []coord.Code{coord.CodeFenced, coord.CodeStateConflict}
	}
	out, err := w.sessions[me].RecordObservation(w.ctx, o)
	w.want(t, "observe", err, want...)
	if err != nil {
		return
	}
	st.landing = out.Landing
	if o.Contained {
		w.reached["landed"]++
		st.phase, st.code.closed = finished, true
		st.integration.closed, st.integration.owner = true, nobody
	}
	if o.Contained != (out.Landing.State == coord.LandingLanded) || o.Contained != (out.Task.Status == coord.StatusDone) {
		t.Fatalf("contained %v gave %s, task %s", o.Contained, out.Landing.State, out.Task.Status)
	}
}

// Conflict gives the target back.
func (w *world) Conflict(t *rapid.T) {
	st, g, me := w.grasp(t, integration)
	if st.landing.State == coord.LandingPublishing || !st.landing.State.Reserves() {
		t.Skip("not before a permit")
	}
	l, err := w.sessions[me].FailLanding(w.ctx, coord.FailLanding{Key: newKey(), Landing: st.landing.ID, Fence: g.fence, State: coord.LandingConflict, Conflicts: []string{"a.go"}})
	w.want(t, "conflict", err, w.authority(g, me))
	if err == nil {
		w.reached["conflict"]++
		st.landing, st.phase, st.integration.owner = l, stopped, nobody
	}
}

// Revise sends back: after a conflict by anyone, else by an author.
func (w *world) Revise(t *rapid.T) {
	st := w.pick(t, func(st *strand) bool { return st.phase == stopped })
	me := rapid.IntRange(0, len(w.sessions)-1).Draw(t, "session")
	reason := rapid.SampledFrom([]coord.ReviseReason{coord.ReviseConflict, coord.ReviseConflict, coord.ReviseWithdrawn}).Draw(t, "reason")
	want := coord.Code("")
	switch {
	case st.phase == working || st.phase == finished:
		want = coord.CodeStateConflict
	case st.landing.State.Reserves():
		want = coord.CodeTargetHeld
	case reason == coord.ReviseConflict && st.phase != stopped:
		want = coord.CodeRequirement
	case reason == coord.ReviseWithdrawn && !st.authors[me]:
		want = coord.CodeNotPermitted
	}
	_, err := w.sessions[me].Revise(w.ctx, coord.Revise{Key: newKey(), Task: st.code.id, Reason: reason})
	w.want(t, "revise", err, want)
	if err == nil {
		w.reached["revised"]++
		st.sentBack()
	}
}
