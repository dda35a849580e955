package work_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"coord"
	"coord/server/store"
)

// When the process that was cut off goes on.
const (
	never  = "never"
	before = "before the bump" // of the fence, by whoever recovers
	after  = "after the bump"
)

// crash is one case of the enumeration.
type crash struct {
	lost    bool   // the request or answer at the point
	resumes string // never, before, after
	third   bool   // somebody pushes from outside meanwhile
	itself  bool   // recovered by another process of the same session
}

// crashPoint is a row of the table. Where a function is nil, the usual is done.
type crashPoint struct {
	name      string // C3
	where     string
	stop      func(lost bool) hook
	before    func(w *wreck)
	meanwhile func(w *wreck, c crash)
	recover   func(w *wreck, c crash, r *actor)
	then      func(w *wreck)       // after the recovery; a process that wakes after the bump wakes after this
	another   bool                 // only another session recovers
	alone     bool                 // the server is restored, with all projects
	second    bool                 // it is the recoverer of an earlier crash that is cut off
	want      func(c crash) string // what the table says; see outcome
}

// at stands after a call's effect, with its answer lost or not.
func at(call string) func(bool) hook {
	return func(lost bool) hook { return hook{call: call, after: true, lost: lost} }
}

// ahead stands before a call, which is lost or not.
func ahead(call string) func(bool) hook {
	return func(lost bool) hook { return hook{call: call, lost: lost} }
}

// overtook is what becomes of a push that was permitted and not yet made. It
// arrives if it is made before the fence moves, while main is where it has to
// be. A process of the session that recovers finds out that it did not arrive,
// and gives the target back.
func overtook(c crash) string {
	switch {
	case c.lost || c.third || c.resumes == never:
		return "queued"
	case c.resumes == before:
		return "landed"
	case c.itself:
		return "failed"
	}
	return "queued"
}

// orArrived is an outcome, unless the case is one in which the push arrived.
func orArrived(outcome func(crash) string) func(crash) string {
	return func(c crash) string {
		if c.lost {
			return "landed"
		}
		return outcome(c)
	}
}

func always(outcome string) func(crash) string { return func(crash) string { return outcome } }

var crashPoints = []crashPoint{
	{name: "C0", where: "between queue and hold", stop: ahead("Hold"), want: always("queued")},
	{name: "C1", where: "between hold and merge", stop: at("Hold"), want: always("queued")},
	{name: "C2", where: "between merge and permit", stop: at("RecordMerge"), want: always("queued")},
	{name: "C3", where: "between permit and push", stop: at("Permit"), want: overtook},
	{name: "C4", where: "between push and its answer", stop: at("push target"), want: always("landed")},
	{name: "C5", where: "between push and record", stop: ahead("RecordObservation"), want: always("landed")},
	{name: "C6", where: "between record and its answer", stop: at("RecordObservation"), want: always("landed")},
	{
		name: "C7", where: "the server is restored to before the permit",
		stop:      func(lost bool) hook { return hook{call: "push target", after: !lost, lost: lost} },
		meanwhile: func(w *wreck, _ crash) { w.isRestored() }, another: true, alone: true,
		want: func(c crash) string {
			if c.lost && (c.third || c.resumes != before) {
				return "queued" // nothing to find
			}
			return "reconstructed"
		},
	},
	{
		name: "C8", where: "the remote is rewound after the landing", stop: at("RecordObservation"),
		meanwhile: func(w *wreck, _ crash) { w.origin.set("admin", mainRef, w.base) },
		want:      always("diverged"),
	},
	{
		name: "C9", where: "in a push of several refs, to a remote that takes no atomic one",
		before: func(w *wreck) { w.origin.atomic = false },
		stop:   func(lost bool) hook { return hook{call: "push target", skip: 2, after: lost, lost: lost} },
		want: orArrived(func(c crash) string {
			if c.third || c.resumes == never {
				return "queued"
			}
			return "landed" // no fence keeps it back, and main is where it expects it
		}),
	},
	{
		name: "C10", where: "the remote refuses the push", stop: at("push target"),
		before:  func(w *wreck) { w.origin.refuse = closed },
		recover: func(w *wreck, _ crash, r *actor) { w.isReopened(r) },
		want:    always("failed"),
	},
	{
		name: "C11", where: "the network is cut during the push",
		stop: func(lost bool) hook { return hook{call: "push target", after: lost, lost: true} },
		want: orArrived(func(c crash) string {
			if c.third || c.resumes == never || c.resumes == after && !c.itself {
				return "queued"
			}
			return "landed" // the fence says no twice, and then the same push is made again
		}),
	},
	{
		name: "C12", where: "after the recoverer's bump, before anything else", stop: at("push fence"), second: true,
		want: always("queued"),
	},
	{
		name: "C13", where: "main is rewound to the base of a stale permit", stop: at("Permit"),
		then: func(w *wreck) { w.origin.set("admin", mainRef, w.base) },
		want: always("diverged"),
	},
	{
		name: "C14", where: "cancel while publishing",
		stop:      func(lost bool) hook { return hook{call: "push target", after: lost, lost: lost} },
		meanwhile: func(w *wreck, _ crash) { w.isNotCancelled() },
		want:      orArrived(overtook),
	},
	{
		name: "C15", where: "the lease ends during a long check",
		stop: func(lost bool) hook {
			if lost {
				return hook{call: "Permit", lost: true}
			}
			return hook{call: "check"}
		},
		meanwhile: func(w *wreck, _ crash) { w.clock.Advance(lease + grace) },
		want:      always("queued"),
	},
	{
		name: "C16", where: "two recover at once", stop: at("Permit"), another: true,
		recover: func(w *wreck, _ crash, r *actor) { w.isRecoveredTwice(r) },
		want:    overtook,
	},
	{
		name: "C17", where: "the candidate's ref is moved after the approval", stop: at("RecordMerge"),
		meanwhile: func(w *wreck, c crash) { w.isWithoutCandidate(c.lost) },
		recover:   func(w *wreck, c crash, r *actor) { w.isPushedAgain(c, r) },
		want:      always("queued"),
	},
	{
		name: "C18", where: "the result is lost with its clone", stop: at("Permit"),
		meanwhile: func(w *wreck, _ crash) { w.agents[0].clone.lose() },
		want: func(c crash) string {
			if c.lost || c.third || c.resumes == never || !c.itself {
				return "queued"
			}
			return "failed" // whose clone it is finds that it has nothing to push
		},
	},
}

// TestC0_C18_EveryCrashPoint cuts a landing off at every point of the table,
// with the request or answer there lost or not, wakes what was cut off never,
// before or after the fence moves, and lets a third party push meanwhile or
// not; by merge and by squash; recovered by somebody else, and by the same
// session. It ends landed once or as the table says: nothing is merged twice,
// nothing that was on the target is lost, the landed tree is the verified one,
// the record agrees with the remote, and another agent can go on.
func TestC0_C18_EveryCrashPoint(t *testing.T) {
	for _, by := range []coord.Strategy{coord.StrategyMerge, coord.StrategySquash} {
		m := newMould(t, by, maxCrashes)
		for _, p := range crashPoints {
			t.Run(fmt.Sprintf("%s by %s", p.name, by), func(t *testing.T) {
				t.Parallel()
				w := m.world(t)
				for i, c := range p.cases() {
					t.Run(p.title(c), func(t *testing.T) {
						if p.alone {
							w = m.world(t)
						}
						p.play(m.wreck(t, w, i), c)
					})
				}
			})
		}
	}
}

const maxCrashes = 24 // cases of a row

func (p crashPoint) cases() (all []crash) {
	for _, itself := range []bool{false, true} {
		for _, lost := range []bool{false, true} {
			for _, resumes := range []string{never, before, after} {
				for _, third := range []bool{false, true} {
					if !itself || !p.another {
						all = append(all, crash{lost, resumes, third, itself})
					}
				}
			}
		}
	}
	return all
}

func (p crashPoint) title(c crash) string {
	s := p.name
	if c.lost {
		s += " lost"
	}
	s += ", resumes " + c.resumes
	if c.third {
		s += ", third party"
	}
	if c.itself {
		s += ", the same session"
	}
	return s
}

// play goes through one case.
func (p crashPoint) play(w *wreck, c crash) {
	w.t.Helper()
	if p.before != nil {
		p.before(w)
	}
	v := p.cutOff(w, c)
	if p.meanwhile != nil {
		p.meanwhile(w, c)
	}
	if c.third {
		w.origin.pushed("third", "third", "1")
	}
	var r *actor
	if c.itself {
		r = w.in(v.by.clone)
	} else {
		w.clock.Advance(lease + grace)
		r = w.actor("delta")
	}
	if c.resumes == before || c.resumes == after && p.then == nil {
		r.when(hook{call: "push", after: c.resumes == after, do: v.goesOn})
	}
	if p.recover != nil {
		p.recover(w, c, r)
	} else {
		r.lands(w.first.Task)
	}
	if p.then != nil {
		p.then(w)
	}
	if c.resumes == never {
		v.isKilled()
	}
	v.goesOn()
	w.comesToRest(p, c)
}

// cutOff has a process stand where the row says.
func (p crashPoint) cutOff(w *wreck, c crash) *visit {
	w.t.Helper()
	a := w.in(w.authors())
	if p.second {
		a.visits(at("Permit")(true)).isKilled()
		w.clock.Advance(lease + grace)
		a = w.actor("bravo")
	}
	v := a.visits(p.stop(c.lost))
	w.cut = w.seq()
	return v
}

// comesToRest has another agent land what waits, and the first one ask again.
func (w *wreck) comesToRest(p crashPoint, c crash) {
	w.t.Helper()
	e := w.actor("echo")
	if p.want(c) == "diverged" {
		w.isAccepted(e)
	}
	e.lands(w.second.Task)
	main := w.origin.refs[mainRef]
	late := w.authors()
	if p.alone { // the server was restored, and its sessions ended
		late.by = "foxtrot"
	}
	again, err := w.in(late).land(w.first.Task)
	must(w.t, err)
	equal(w.t, "main after asking again", w.origin.refs[mainRef], main)
	equal(w.t, "the answer", again.Landing.State, coord.LandingLanded)
	w.whole()
	equal(w.t, "outcome", w.outcome(), p.want(c))
}

// isAccepted wants the target to be diverged, and opens it as a person does.
func (w *wreck) isAccepted(a *actor) {
	w.t.Helper()
	main := w.origin.refs[mainRef]
	_, err := a.land(w.second.Task)
	refused(w.t, err, coord.CodeStateConflict, "diverged")
	equal(w.t, "the diverged main", w.origin.refs[mainRef], main)
	person := *a.Desk
	person.Service = &service{Service: w.reader()}
	_, err = person.SettleTarget(w.t.Context(), "main", true, "it was taken away on purpose")
	must(w.t, err)
}

// isRestored goes back to the record before any landing.
func (w *wreck) isRestored() {
	w.t.Helper()
	must(w.t, w.store.Close())
	dir := filepath.Join(w.top, "restored")
	_, err := store.Restore(context.Background(), store.RestoreOptions{Backup: w.backup, Into: dir, Now: w.clock.Now()})
	must(w.t, err)
	w.opened(filepath.Join(dir, store.DatabaseName))
	for _, a := range w.agents {
		a.svc.Service = w.store.As(a.caller) // whose session is closed
	}
	w.cut = 0
}

func closed(name string) string {
	if name == mainRef {
		return "main is closed"
	}
	return ""
}

// isReopened has the recoverer meet the refusal too, unless the process that
// was cut off met it first and gave the target back, before the remote takes
// pushes again.
func (w *wreck) isReopened(r *actor) {
	w.t.Helper()
	for range 2 {
		if _, err := r.land(w.first.Task); err == nil {
			w.t.Error("it landed on a main that is closed")
		}
	}
	w.origin.refuse = nil
	r.lands(w.first.Task)
}

// isNotCancelled tries to cancel what may have been pushed.
func (w *wreck) isNotCancelled() {
	w.t.Helper()
	_, err := w.reader().CancelTask(w.t.Context(), coord.CancelTask{Key: newKey(), Task: w.first.Task, Reason: "fault 79"})
	refused(w.t, err, coord.CodeTargetHeld)
}

// isRecoveredTwice has somebody else recover just before r does.
func (w *wreck) isRecoveredTwice(r *actor) {
	w.t.Helper()
	e := w.actor("foxtrot")
	e.hooks, r.hooks = r.hooks, nil
	r.when(hook{call: "Hold", skip: 1, do: func() { e.lands(w.first.Task) }})
	r.lands(w.first.Task)
}

// isWithoutCandidate takes the candidate's ref away, or moves it elsewhere.
func (w *wreck) isWithoutCandidate(moved bool) {
	to := coord.OID("")
	if moved {
		to = w.base
	}
	w.origin.set("admin", w.first.Ref, to)
}

// isPushedAgain has who lacks the candidate give the target back until its
// author pushed it again. Where it is at hand, its ref does not matter.
func (w *wreck) isPushedAgain(c crash, r *actor) {
	w.t.Helper()
	if !c.itself {
		_, err := r.land(w.first.Task)
		refused(w.t, err, coord.CodeRequirement, w.first.Ref)
		w.origin.set("alpha", w.first.Ref, w.first.Commit)
	}
	r.lands(w.first.Task)
}
