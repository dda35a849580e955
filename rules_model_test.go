package coord_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"coord"
)

// desk is one code task with its integration, moved by nothing but the rules:
// what a store would keep of them, without a store. The work attempts and the
// landing's holders share one generation count, which is stricter than the
// real thing.
type desk struct {
	now      time.Time
	task     coord.TaskFacts
	attempts []coord.AttemptFacts // all of them, by generation
	landing  *coord.Landing
	done     bool

	// The model: who ought to have authority, by the words of the rules.
	owner   coord.SessionID
	until   time.Time
	highest int64
	route   []coord.LandingState // states of the landing, in order
}

var sessions = []coord.SessionID{alpha, bravo, "delta-0123456789"}

func (d *desk) session(t *rapid.T) coord.SessionID {
	return rapid.SampledFrom(sessions).Draw(t, "session")
}

// current is the attempt that was not ended, as the store would find it.
func (d *desk) current() *coord.AttemptFacts {
	for i := range d.attempts {
		if d.attempts[i].Ended == "" {
			return &d.attempts[i]
		}
	}
	return nil
}

func (d *desk) facts() coord.TaskFacts {
	f := d.task
	f.Attempt = d.current()
	return f
}

func (d *desk) fence() coord.Fence { return coord.Fence{Epoch: 1, Generation: d.task.Generation} }

// authorized asks the rule for one attempt under some stated fence, and
// compares with the model.
func (d *desk) authorized(t *rapid.T) (*coord.AttemptFacts, bool) {
	if len(d.attempts) == 0 {
		t.Skip("nothing was claimed yet")
	}
	a := &d.attempts[len(d.attempts)-1]
	if rapid.IntRange(0, 3).Draw(t, "honest") > 0 {
		err := a.Authorize(a.Session, d.fence(), d.fence(), d.now)
		if want := d.owner != "" && d.now.Before(d.until); (err == nil) != want {
			t.Fatalf("the latest attempt: %v; the model says %v", err, want)
		}
		return a, err == nil
	}
	a = &d.attempts[rapid.IntRange(0, len(d.attempts)-1).Draw(t, "attempt")]
	who := d.session(t)
	stated := coord.Fence{Epoch: rapid.Int64Range(1, 2).Draw(t, "epoch"), Generation: rapid.SampledFrom([]int64{a.Generation, d.task.Generation, 1}).Draw(t, "generation")}
	err := a.Authorize(who, stated, d.fence(), d.now)
	want := a.Ended == "" && a.Generation == d.highest && who == a.Session && stated == d.fence() && d.now.Before(d.until)
	if (err == nil) != want {
		t.Fatalf("attempt %d of %s with fence %s at %s: %v; the model says %v", a.Generation, who, stated, d.now, err, want)
	}
	return a, err == nil
}

func (d *desk) grant(s coord.SessionID, generation int64) {
	if a := d.current(); a != nil {
		a.Ended = coord.StandingSuperseded
	}
	d.attempts = append(d.attempts, coord.AttemptFacts{Task: d.task.ID, Generation: generation, Session: s, Owner: string(s), StartedAt: d.now, ProgressAt: d.now, ExpiresAt: d.now.Add(time.Minute)})
	d.task.Generation = generation
	d.owner, d.until, d.highest = s, d.now.Add(time.Minute), generation
}

func (d *desk) end(a *coord.AttemptFacts, how coord.Standing) {
	a.Ended = how
	d.owner = ""
}

func (d *desk) Claim(t *rapid.T) {
	s := d.session(t)
	var r *coord.Recovery
	if rapid.Bool().Draw(t, "recover") {
		r = &coord.Recovery{
			Generation:  d.task.Generation - rapid.Int64Range(0, 1).Draw(t, "behind"),
			Disposition: rapid.SampledFrom([]coord.Disposition{coord.DispositionResume, coord.DispositionRestart}).Draw(t, "disposition"),
			Reason:      "the owner is gone",
			Commit:      rapid.SampledFrom([]coord.OID{"", oid(1), oid(2)}).Draw(t, "commit"),
		}
	}
	policy := coord.Policy{RecoveryGrace: coord.Duration(10 * time.Second)}.Complete()
	f := d.facts()
	if d.owner == s && d.now.Before(d.until) {
		t.Skip("its own live attempt is answered without a grant")
	}
	generation, err := f.Grant(coord.Claimant{Session: s, Role: coord.RoleAgent}, r, policy, d.now)
	if err != nil {
		return
	}
	switch {
	case d.done:
		t.Fatal("a finished task was granted")
	case d.owner != "" && d.now.Before(d.until.Add(10*time.Second)):
		t.Fatalf("granted to %s while %s holds it or is in its grace", s, d.owner)
	case d.owner == s:
		t.Fatal("a session recovered its own expired attempt")
	case generation != d.highest+1:
		t.Fatalf("generation %d after %d", generation, d.highest)
	case f.Saved != nil && (r == nil || r.Generation != d.highest || r.Disposition == coord.DispositionResume && r.Commit != f.Saved.Commit):
		t.Fatalf("saved work was passed over by %+v", r)
	}
	d.grant(s, generation)
}

// Resume is the own session's way back after expiry.
func (d *desk) Resume(t *rapid.T) {
	a, ok := d.authorized(t)
	if ok || a.Ended != "" || a.Standing(d.now, d.task.Generation) != coord.StandingExpired {
		return
	}
	err := a.Authorize(a.Session, coord.Fence{Epoch: 1, Generation: a.Generation}, d.fence(), d.now)
	if detail(err, "resumable") != "true" {
		t.Fatalf("an expired attempt that nobody recovered is not resumable: %v", err)
	}
	d.grant(a.Session, d.task.Generation+1)
}

func (d *desk) Renew(t *rapid.T) {
	a, ok := d.authorized(t)
	if !ok {
		return
	}
	lease := time.Duration(rapid.IntRange(1, 90).Draw(t, "lease")) * time.Second
	next, _ := coord.Policy{Lease: coord.Duration(lease)}.Complete().Extend(*a, d.now)
	if next.Before(a.ExpiresAt) || next.After(a.ExpiresAt) && !next.Equal(d.now.Add(lease)) {
		t.Fatalf("%s became %s", a.ExpiresAt, next)
	}
	a.ExpiresAt, d.until = next, next
}

func (d *desk) Save(t *rapid.T) {
	if a, ok := d.authorized(t); ok {
		d.task.Saved = &coord.Saved{Generation: a.Generation, Commit: rapid.SampledFrom([]coord.OID{oid(1), oid(2)}).Draw(t, "saved")}
	}
}

func (d *desk) Release(t *rapid.T) {
	if d.landing != nil && d.landing.State == coord.LandingPublishing {
		t.Skip("a permitted push is observed, not dropped")
	}
	if a, ok := d.authorized(t); ok {
		d.end(a, coord.StandingReleased)
	}
}

func (d *desk) Hold(t *rapid.T) {
	if _, ok := d.authorized(t); ok && (d.landing == nil || !d.landing.State.Reserves()) && !d.done {
		d.landing, d.route = &coord.Landing{ID: "pay-1.l1", Task: d.task.ID, State: coord.LandingHeld}, []coord.LandingState{coord.LandingHeld}
	}
}

// move applies one landing rule under authority and keeps its route.
func (d *desk) move(t *rapid.T, rule func(coord.Landing) (coord.Landing, error)) {
	if d.landing == nil {
		t.Skip("nothing is being landed")
	}
	a, ok := d.authorized(t)
	if !ok {
		return
	}
	next, err := rule(*d.landing)
	if err != nil {
		return
	}
	if d.landing.State == coord.LandingPublishing && next.State != coord.LandingLanded && next.State != coord.LandingHeld {
		t.Fatalf("publishing ended as %s without an observation", next.State)
	}
	if next.State == coord.LandingLanded {
		d.land(t, next)
		d.end(a, coord.StandingFinished)
	}
	d.landing, d.route = &next, append(d.route, next.State)
}

// land holds promise 3: only a verified tree lands, and it is that tree.
func (d *desk) land(t *rapid.T, l coord.Landing) {
	if d.done {
		t.Fatal("landed twice")
	}
	if last := d.route[len(d.route)-1]; last != coord.LandingPublishing && !l.AlreadyIn {
		t.Fatalf("landed from %s", last)
	}
	if !l.Verified {
		t.Fatal("landed unverified")
	}
	d.done, d.task.Lifecycle = true, coord.LifecycleDone
}

func (d *desk) Merge(t *rapid.T) {
	c := merge
	c.Tree = rapid.SampledFrom([]coord.OID{oid(12), oid(13)}).Draw(t, "tree")
	d.move(t, func(l coord.Landing) (coord.Landing, error) { return l.Merge(c, candidate.Commit) })
}

func (d *desk) Permit(t *rapid.T) {
	c := permit
	c.Tree = rapid.SampledFrom([]coord.OID{oid(12), oid(13)}).Draw(t, "tree")
	checked := rapid.SampledFrom([]coord.OID{oid(2), oid(12), oid(13)}).Draw(t, "checked")
	d.move(t, func(l coord.Landing) (coord.Landing, error) {
		next, err := l.Allow(c, []coord.Receipt{passed(checked)})
		if err == nil && (checked != l.Tree || c.Tree != l.Tree) {
			t.Fatalf("tree %s was permitted with a receipt for %s; merged was %s", c.Tree, checked, l.Tree)
		}
		return next, err
	})
}

func (d *desk) Observe(t *rapid.T) {
	c := coord.RecordObservation{
		Tip:       oid(40),
		Contained: rapid.Bool().Draw(t, "contained"),
		Tree:      rapid.SampledFrom([]coord.OID{"", candidate.Tree, oid(12), oid(13)}).Draw(t, "tree"),
	}
	d.move(t, func(l coord.Landing) (coord.Landing, error) {
		next, err := l.Observe(c, candidate)
		if err == nil && next.State == coord.LandingLanded && (!c.Contained || c.Tree != next.Tree || l.State == coord.LandingPublishing && c.Tree != l.Tree) {
			t.Fatalf("%+v landed as tree %s; verified was %s", c, next.Tree, l.Tree)
		}
		return next, err
	})
}

func (d *desk) Fail(t *rapid.T) {
	c := coord.FailLanding{State: rapid.SampledFrom(allLandings).Draw(t, "state"), Conflicts: []string{"a.go"}, Runs: []coord.Run{red}}
	d.move(t, func(l coord.Landing) (coord.Landing, error) { return l.Fail(c) })
}

func (d *desk) Advance(t *rapid.T) {
	step := rapid.SampledFrom([]time.Duration{time.Nanosecond, time.Second, 10 * time.Second, time.Minute}).Draw(t, "step")
	if rapid.Bool().Draw(t, "to the edge") && d.until.After(d.now) {
		step = d.until.Sub(d.now) - rapid.SampledFrom([]time.Duration{0, 1}).Draw(t, "short of it")
	}
	d.now = d.now.Add(step)
}

func (d *desk) Check(t *rapid.T) {
	live := 0
	for i, a := range d.attempts {
		if i > 0 && a.Generation <= d.attempts[i-1].Generation {
			t.Fatalf("generation %d follows %d", a.Generation, d.attempts[i-1].Generation)
		}
		if a.Standing(d.now, d.task.Generation) != coord.StandingLive {
			continue
		}
		live++
		if !d.now.Before(a.ExpiresAt) || a.Session != d.owner || a.Generation != d.highest {
			t.Fatalf("attempt %d of %s is live; the model has %s, generation %d, until %s", a.Generation, a.Session, d.owner, d.highest, d.until)
		}
	}
	if want := d.owner != "" && d.now.Before(d.until); live > 1 || (live == 1) != want {
		t.Fatalf("%d live attempts; the model's owner is %q until %s", live, d.owner, d.until)
	}
	if status := d.facts().Status(d.now); d.done != (status == coord.StatusDone) {
		t.Fatalf("done is %v and the status %s", d.done, status)
	}
}

// TestRulesModel walks the rules at random: at most one live attempt (L1),
// generations only grow (L3), no authority after expiry (L6), landed only
// through a permit or because it was in already (I3, I6, I7).
func TestRulesModel(t *testing.T) {
	reached := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		d := &desk{now: noon, task: coord.TaskFacts{ID: "pay-1", Kind: coord.KindIntegration, Lifecycle: coord.LifecycleOpen}}
		for range 5 { // longer walks than rapid's 30 steps
			t.Repeat(rapid.StateMachineActions(d))
		}
		if d.done {
			reached["landed"]++
		}
		if d.highest > 1 {
			reached["taken again"]++
		}
	})
	if reached["landed"] == 0 || reached["taken again"] == 0 {
		t.Errorf("the walks are too tame to show anything: %v", reached)
	}
}
