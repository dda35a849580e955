package store

import (
	"fmt"
	"time"

	"coord"
)

// turn is one caller's, about a task.
type turn struct {
	i    int
	by   coord.Service
	name string
	x    coord.Task
}

// steps are what may happen besides what next says, each as often as it is
// there.
var steps = []func(*nextWalk, turn){
	(*nextWalk).claims, (*nextWalk).claims, (*nextWalk).claims,
	func(w *nextWalk, n turn) { w.submit(n.by, n.name) }, func(w *nextWalk, n turn) { w.submit(n.by, n.name) },
	func(w *nextWalk, n turn) { w.judge(n.by, n.name, w.one(2)) }, func(w *nextWalk, n turn) { w.judge(n.by, n.name, w.one(2)) },
	func(w *nextWalk, n turn) { w.hold(n.by, n.name, n.x.ID) }, func(w *nextWalk, n turn) { w.hold(n.by, n.name, n.x.ID) },
	(*nextWalk).gives, (*nextWalk).revises, (*nextWalk).asksOf, (*nextWalk).decides, (*nextWalk).lifts, (*nextWalk).edits, (*nextWalk).waits, (*nextWalk).waits,
	(*nextWalk).comesAnew, (*nextWalk).links, (*nextWalk).closes, (*nextWalk).overrules, (*nextWalk).overrules,
	func(w *nextWalk, _ turn) { w.policy() },
}

// step does one thing at random; every other time what next says.
func (w *nextWalk) step() {
	i := w.r.IntN(len(w.seats))
	n := turn{i: i, by: w.seats[i], name: fmt.Sprintf("seat%d ", i)}
	switch {
	case w.one(2):
		w.follow(i, false)
	case len(w.tasks()) == 0 || w.one(6):
		w.creates(n)
	default:
		n.x = w.any()
		steps[w.r.IntN(len(steps))](w, n)
	}
}

func (w *nextWalk) creates(n turn) {
	kind := []coord.Kind{coord.KindCode, coord.KindCode, coord.KindGeneral, coord.KindObjective}[w.r.IntN(4)]
	c := coord.CreateTask{Key: newKey(), Project: "pay", Kind: kind, Title: "a task", SameTitle: true}
	if w.one(2) {
		c.Criteria = []string{"it works"}
	}
	if len(w.tasks()) > 0 && w.one(2) {
		if to := w.any(); to.Kind == coord.KindObjective {
			c.Parent = to.ID
		} else {
			c.DependsOn = []coord.TaskID{to.ID}
		}
	}
	made, err := n.by.CreateTask(w.t.Context(), c)
	w.note(n.name+"create "+string(kind)+" "+string(made.ID)+" "+string(c.Parent)+fmt.Sprint(c.DependsOn), err)
}

func (w *nextWalk) claims(n turn) {
	kind := []coord.Kind{"", "", coord.KindReview}[w.r.IntN(3)]
	var got coord.Claimed
	err := recovering(func(r *coord.Recovery) (err error) {
		c := coord.Claim{Key: newKey(), Project: "pay", Kind: kind, Recovery: r}
		if r != nil || w.one(3) {
			c.Task = n.x.ID
		}
		got, err = n.by.Claim(w.t.Context(), c)
		return err
	})
	w.note(n.name+"claim "+string(got.Task.ID)+" "+string(n.x.ID), err)
}

func (w *nextWalk) gives(n turn) {
	if t, a, ok := w.live(n.by, ""); ok {
		c := coord.Release{Key: newKey(), Attempt: a.ID, Fence: a.Fence, Reason: "r"}
		if w.one(3) {
			c.Blocker = &coord.NewBlocker{Kind: coord.BlockedByUpstream, Text: "b", Actor: []coord.Actor{"", coord.ActorHuman}[w.r.IntN(2)]}
		}
		_, err := n.by.Release(w.t.Context(), c)
		w.note(n.name+"release "+string(t.ID)+fmt.Sprint(c.Blocker), err)
	}
}

func (w *nextWalk) revises(n turn) {
	reasons := []coord.ReviseReason{coord.ReviseMissing, coord.ReviseRequirements, coord.ReviseWithdrawn, coord.ReviseConflict, coord.ReviseCheckFailed}
	c := coord.Revise{Key: newKey(), Task: n.x.ID, Reason: reasons[w.r.IntN(5)]}
	_, err := n.by.Revise(w.t.Context(), c)
	w.note(n.name+"revise "+string(c.Reason)+" "+string(n.x.ID), err)
}

func (w *nextWalk) asksOf(n turn) {
	c := coord.Ask{Key: newKey(), Project: "pay", Question: "q", Options: []string{"a", "b"}, Tasks: []coord.TaskID{n.x.ID}}
	c.RequiredActor = []coord.Actor{"", coord.ActorHuman, coord.ActorAgent}[w.r.IntN(3)]
	if w.one(2) {
		c.ExpiresIn = coord.Duration(time.Hour)
	}
	d, err := n.by.Ask(w.t.Context(), c)
	w.note(n.name+"ask "+string(d.ID)+" "+string(n.x.ID)+" "+string(c.RequiredActor), err)
}

func (w *nextWalk) decides(n turn) {
	if w.one(2) {
		n.by = w.person
	}
	c := coord.Decide{Key: newKey(), Project: "pay", Decision: coord.DecisionID(fmt.Sprintf("D%d", 1+w.r.IntN(6))), Option: "a"}
	_, err := n.by.Decide(w.t.Context(), c)
	w.note(n.name+"decide "+string(c.Decision), err)
}

func (w *nextWalk) lifts(n turn) {
	_, err := n.by.Unblock(w.t.Context(), coord.Unblock{Key: newKey(), Task: n.x.ID, Reason: "r"})
	w.note(n.name+"unblock "+string(n.x.ID), err)
}

func (w *nextWalk) edits(n turn) {
	title := fmt.Sprint("title ", w.r.IntN(3))
	if w.one(3) {
		n.by = w.person
	}
	_, err := n.by.EditTask(w.t.Context(), coord.EditTask{Key: newKey(), Task: n.x.ID, Revision: n.x.Revision, Title: &title})
	w.note(n.name+"edit "+string(n.x.ID), err)
}

func (w *nextWalk) waits(turn) {
	d := []time.Duration{time.Minute, 31 * time.Minute, 2 * time.Hour}[w.r.IntN(3)]
	w.clock.Advance(d)
	w.trace = append(w.trace, "time goes n.by: "+d.String())
}

func (w *nextWalk) comesAnew(n turn) {
	_, err := n.by.CloseSession(w.t.Context(), coord.CloseSession{Key: newKey(), Reason: "r"})
	parent := n.by
	if w.one(2) {
		parent = nil
	}
	w.seats[n.i] = w.opens(n.i, parent)
	w.note(n.name+"close and open", err)
}

func (w *nextWalk) links(n turn) {
	to := w.any()
	c := coord.LinkTask{Key: newKey(), Task: n.x.ID, After: to.ID, Reason: "r", Remove: w.one(3)}
	if to.Kind == coord.KindObjective {
		c.Parent, c.After = to.ID, ""
	}
	_, err := n.by.LinkTask(w.t.Context(), c)
	w.note(n.name+"link "+string(n.x.ID)+" "+string(to.ID)+fmt.Sprint(c.Remove), err)
}

func (w *nextWalk) closes(n turn) {
	if w.one(2) {
		_, err := n.by.CancelTask(w.t.Context(), coord.CancelTask{Key: newKey(), Task: n.x.ID, Reason: "r"})
		w.note(n.name+"cancel "+string(n.x.ID), err)
		return
	}
	to := w.any()
	_, err := n.by.SupersedeTask(w.t.Context(), coord.SupersedeTask{Key: newKey(), Task: n.x.ID, By: to.ID, Reason: "r"})
	w.note(n.name+"supersede "+string(n.x.ID)+" "+string(to.ID), err)
}

// overrules is something that only a person does.
func (w *nextWalk) overrules(n turn) {
	if w.one(2) {
		_, err := w.person.WithdrawApproval(w.t.Context(), coord.WithdrawApproval{Key: newKey(), Review: coord.ReviewID(fmt.Sprintf("v%d", 1+w.r.IntN(9))), Reason: "r"})
		w.note("withdraw", err)
		return
	}
	if w.one(2) {
		_, err := w.person.Authorize(w.t.Context(), coord.Authorize{Key: newKey(), Project: "pay", Task: n.x.ID})
		w.note("authorize "+string(n.x.ID), err)
		return
	}
	if n.x.Submission != "" {
		v := []coord.Verdict{coord.VerdictApproved, coord.VerdictChangesRequested}[w.r.IntN(2)]
		_, err := w.person.Judge(w.t.Context(), coord.Judge{Key: newKey(), Submission: n.x.Submission, Judgement: coord.Judgement{Verdict: v, Note: "n"}})
		w.note("judge "+string(n.x.Submission)+" "+string(v), err)
	}
}

func (w *nextWalk) policy() {
	p, err := w.person.Project(w.t.Context(), "pay")
	if err != nil {
		w.fail("%v", err)
	}
	c := coord.SetPolicy{Key: newKey(), Project: "pay", Revision: p.PolicyRevision, Policy: p.Policy, Reason: "r"}
	c.Policy.Review = []coord.ReviewMode{coord.ReviewNone, coord.ReviewAgent, coord.ReviewAgent, coord.ReviewHuman, coord.ReviewBoth, coord.ReviewEither}[w.r.IntN(6)]
	c.Policy.Independence = []coord.Independence{coord.IndependentSession, coord.IndependentAgent, coord.IndependentMachine}[w.r.IntN(3)]
	c.Policy.Recovery = []coord.RecoveryMode{coord.RecoverAgent, coord.RecoverAgent, coord.RecoverManual}[w.r.IntN(3)]
	c.Policy.Integration = []coord.IntegrationMode{coord.IntegrateAuto, coord.IntegrateAuto, coord.IntegrateHuman}[w.r.IntN(3)]
	_, err = w.person.SetPolicy(w.t.Context(), c)
	w.note(fmt.Sprint("policy ", c.Policy.Review, " ", c.Policy.Independence, " ", c.Policy.Recovery, " ", c.Policy.Integration), err)
}

func (w *nextWalk) submit(by coord.Service, name string) {
	t, a, ok := w.live(by, "")
	if !ok || !t.Kind.Submits() {
		return
	}
	c := coord.Submit{Key: newKey(), Attempt: a.ID, Fence: a.Fence, Commit: oid("1"), Tree: oid("2"), Base: oid("3"), Ref: "refs/coord/x", Summary: "x"}
	if w.one(4) {
		c.Amendment = &coord.Amendment{Criteria: []string{fmt.Sprint("criterion ", w.r.IntN(9))}, Reason: "r"}
	}
	out, err := by.Submit(w.t.Context(), c)
	w.note(name+"submit "+string(t.ID)+" "+string(out.Submission.ID)+fmt.Sprint(c.Amendment != nil), err)
}

func (w *nextWalk) judge(by coord.Service, name string, approve bool) {
	t, a, ok := w.live(by, coord.KindReview)
	if !ok {
		return
	}
	j := coord.Judgement{Verdict: coord.VerdictChangesRequested, Note: "n"}
	if approve {
		j.Verdict = coord.VerdictApproved
	}
	d, err := by.Task(w.t.Context(), t.ID)
	if err != nil {
		w.fail("%v", err)
	}
	if m := d.Submissions[0].Amendment; m != nil {
		if j.Amendment = m.Verdict; j.Amendment == "" {
			j.Amendment = []coord.AmendmentVerdict{coord.AmendmentAccepted, coord.AmendmentRejected}[w.r.IntN(2)]
		}
	}
	_, err = by.Review(w.t.Context(), coord.RecordReview{Key: newKey(), Attempt: a.ID, Fence: a.Fence, Judgement: j})
	w.note(name+"review "+string(t.ID)+" "+string(j.Verdict), err)
}

func (w *nextWalk) hold(by coord.Service, name string, id coord.TaskID) {
	ctx := w.t.Context()
	var h coord.Held
	err := recovering(func(r *coord.Recovery) (err error) {
		c := coord.Hold{Key: newKey(), Project: "pay", Recovery: r}
		if w.one(3) {
			c.Task = id
		}
		if e := r; e != nil && h.Task.ID != "" {
			c.Task = h.Task.ID
		}
		h, err = by.Hold(ctx, c)
		return err
	})
	w.note(name+"hold "+string(h.Task.ID), err)
	if err != nil {
		return
	}
	w.land(by, name, h, w.r.IntN(7))
}

// land goes so far with a hold.
func (w *nextWalk) land(by coord.Service, name string, h coord.Held, far int) {
	ctx, f := w.t.Context(), h.Attempt.Fence
	l := h.Landing
	observe := func(in bool) {
		c := coord.RecordObservation{Key: newKey(), Landing: l.ID, Fence: f, Tip: oid("7"), Contained: in}
		if in {
			c.Tree = oid("6")
		}
		_, err := by.RecordObservation(ctx, c)
		w.note(name+fmt.Sprint("observe ", in), err)
	}
	if l.State == coord.LandingPublishing {
		observe(far > 3)
		return
	}
	if far == 0 {
		return
	}
	if far == 1 {
		_, err := by.FailLanding(ctx, coord.FailLanding{Key: newKey(), Landing: l.ID, Fence: f, State: coord.LandingConflict, Conflicts: []string{"a"}})
		w.note(name+"conflict", err)
		return
	}
	_, err := by.RecordMerge(ctx, coord.RecordMerge{Key: newKey(), Landing: l.ID, Fence: f, Base: oid("4"), Result: oid("5"), Tree: oid("6"), Parents: []coord.OID{oid("4"), oid("1")}})
	if err == nil && far > 2 {
		_, err = by.Permit(ctx, coord.Permit{Key: newKey(), Landing: l.ID, Fence: f, Base: oid("4"), Result: oid("5"), Tree: oid("6")})
	}
	w.note(name+fmt.Sprint("merge and permit ", far), err)
	if err == nil && far > 3 {
		observe(far > 4)
	}
	if err != nil {
		_, err := by.FailLanding(ctx, coord.FailLanding{Key: newKey(), Landing: l.ID, Fence: f, State: coord.LandingReleased, Reason: "r"})
		w.note(name+"gives back", err)
	}
}
