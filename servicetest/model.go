package servicetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"coord"
)

// RunModel walks the service at random and compares it after every step with
// a model of a few lines: who holds which task in which generation, what is
// saved, and what is done.
func RunModel(t *testing.T, open func(t *testing.T) *Harness) {
	h := open(t)
	names := []string{"alpha", "bravo", "echo"}
	sessions := make([]coord.Service, len(names))
	for i, name := range names {
		sessions[i] = h.As(t, name)
	}
	reached := map[string]int{}
	walk := func(rt *rapid.T) {
		review := rapid.SampledFrom([]coord.ReviewMode{coord.ReviewNone, coord.ReviewAgent}).Draw(rt, "review")
		w := &world{h: h, ctx: t.Context(), names: names, sessions: sessions, project: h.Project(t, policy(review)), reached: reached}
		for _, branch := range []string{"main", "main", "release", "release"} {
			w.add(rt, branch)
		}
		for range 8 { // longer walks than rapid's 30 steps
			rt.Repeat(rapid.StateMachineActions(w))
		}
	}
	missing := func(what string) bool { return reached[what] == 0 }
	outcomes := []string{"recovered", "resumed", "fenced", "expired", "approved", "rejected", "taken over", "landed", "conflict", "revised"}
	// Walks are random: rounds go on until each outcome was seen, and a model
	// that cannot reach one fails.
	for round := 0; round < 8 && !t.Failed() && slices.ContainsFunc(outcomes, missing); round++ {
		rapid.Check(t, walk)
	}
	for _, what := range outcomes {
		if missing(what) {
			t.Errorf("no walk reached %q: %v", what, reached)
		}
	}
}

// nobody owns a slot.
const nobody = -1

// slot is the ownership of one task of any kind.
type slot struct {
	id     coord.TaskID
	gen    int64
	owner  int
	until  time.Time
	closed bool
}

// grip is what a session was granted: an attempt, now or once.
type grip struct {
	slot    *slot
	session int
	attempt coord.AttemptID
	fence   coord.Fence
}

// phase is how far a code task's work is.
type phase string

const (
	working  phase = "working"
	judged   phase = "in review"
	approved phase = "approved"
	stopped  phase = "stopped by a conflict"
	finished phase = "landed"
)

// strand is one code task with its followers.
type strand struct {
	code, review, integration *slot
	branch                    string
	phase                     phase
	saved                     coord.OID
	sub                       coord.Submission
	authors                   map[int]bool
	landing                   coord.Landing
}

type world struct {
	h        *Harness
	ctx      context.Context
	names    []string
	sessions []coord.Service
	project  coord.ProjectKey
	strands  []*strand
	grips    []grip
	reached  map[string]int
}

func (w *world) add(t *rapid.T, branch string) {
	task, err := w.sessions[0].CreateTask(w.ctx, coord.CreateTask{Key: newKey(), Project: w.project, Title: "task on " + branch, Target: branch, SameTitle: true})
	w.want(t, "create", err, "")
	w.strands = append(w.strands, &strand{code: &slot{id: task.ID, owner: nobody}, branch: branch, phase: working, authors: map[int]bool{}})
}

// want compares an outcome with the model's; "" is success.
func (w *world) want(t *rapid.T, what string, err error, codes ...coord.Code) {
	t.Helper()
	if !slices.Contains(codes, coord.CodeOf(err)) {
		t.Fatalf("%s: %q (%v); the model says %q", what, coord.CodeOf(err), err, codes)
	}
	switch coord.CodeOf(err) {
	case coord.CodeFenced:
		w.reached["fenced"]++
	case coord.CodeLeaseExpired:
		w.reached["expired"]++
	}
}

func (w *world) live(s *slot) bool { return s.owner != nobody && w.h.Now().Before(s.until) }

// authority is what using the grip from a session must answer.
func (w *world) authority(g grip, caller int) coord.Code {
	switch {
	case caller != g.session || g.slot.closed || g.slot.owner == nobody || g.slot.gen != g.fence.Generation:
		return coord.CodeFenced
	case !w.live(g.slot):
		return coord.CodeLeaseExpired
	}
	return ""
}

// pick draws a strand: mostly one that suits, so that the walks get somewhere.
func (w *world) pick(t *rapid.T, suits func(*strand) bool) *strand {
	var good []*strand
	for _, st := range w.strands {
		if suits(st) {
			good = append(good, st)
		}
	}
	if len(good) == 0 || rapid.IntRange(0, 4).Draw(t, "any") == 0 {
		good = w.strands
	}
	return good[rapid.IntRange(0, len(good)-1).Draw(t, "task")]
}

// grasp draws a grip, mostly the latest of its task, and a caller, mostly its
// own session.
func (w *world) grasp(t *rapid.T, kinds func(*strand) *slot) (*strand, grip, int) {
	st := w.pick(t, func(st *strand) bool { return kinds(st) != nil && w.live(kinds(st)) })
	s := kinds(st)
	var of []grip
	for _, g := range w.grips {
		if g.slot == s && s != nil {
			of = append(of, g)
		}
	}
	if len(of) == 0 {
		t.Skip("never granted")
	}
	g, caller := of[len(of)-1], 0
	if rapid.IntRange(0, 5).Draw(t, "old") == 0 {
		g = of[rapid.IntRange(0, len(of)-1).Draw(t, "grip")]
	}
	if caller = g.session; rapid.IntRange(0, 7).Draw(t, "stranger") == 0 {
		caller = rapid.IntRange(0, len(w.sessions)-1).Draw(t, "caller")
	}
	return st, g, caller
}

func code(s *strand) *slot        { return s.code }
func review(s *strand) *slot      { return s.review }
func integration(s *strand) *slot { return s.integration }

// anyOf draws which of the three tasks of a strand is meant.
func anyOf(t *rapid.T) func(*strand) *slot {
	return []func(*strand) *slot{code, review, integration}[rapid.IntRange(0, 2).Draw(t, "kind")]
}

// given records a grant.
func (w *world) given(t *rapid.T, s *slot, session int, a coord.Attempt) {
	if a.Generation != s.gen+1 || a.Fence.Generation != s.gen+1 || a.Standing != coord.StandingLive || a.Task != s.id {
		t.Fatalf("granted %+v after generation %d of %s", a, s.gen, s.id)
	}
	s.gen, s.owner, s.until = a.Generation, session, w.h.Now().Add(lease)
	w.grips = append(w.grips, grip{s, session, a.ID, a.Fence})
}

// recovery draws what a claim says about earlier work, and what is wrong with
// it: "" is right.
func (w *world) recovery(t *rapid.T, s *slot, saved coord.OID) (*coord.Recovery, coord.Code) {
	switch rapid.IntRange(0, 8).Draw(t, "recovery") {
	case 0:
		return nil, coord.CodeRecoveryRequired
	case 1:
		return &coord.Recovery{Generation: s.gen + 1, Disposition: coord.DispositionResume, Commit: saved}, coord.CodeFenced
	case 2:
		return &coord.Recovery{Generation: s.gen, Disposition: coord.DispositionResume, Commit: newOID()}, coord.CodeRecoveryRequired
	}
	return &coord.Recovery{Generation: s.gen, Disposition: coord.DispositionResume, Commit: saved}, ""
}

// claimable is the model's answer to a claim of an open task.
func (w *world) claimable(s *slot, session int, saved coord.OID, wrong coord.Code) coord.Code {
	switch {
	case w.live(s) && s.owner == session:
		return "" // it reconnects
	case w.live(s):
		return coord.CodeTaskTaken
	case s.owner == session:
		return coord.CodeStateConflict
	case s.owner != nobody && w.h.Now().Before(s.until.Add(grace)):
		return coord.CodeTaskTaken
	case s.owner == nobody && saved == "":
		return ""
	}
	return wrong
}

// Advance moves the clock, at times to the very edge of a lease.
func (w *world) Advance(t *rapid.T) {
	step := rapid.SampledFrom([]time.Duration{1, time.Second, time.Minute, time.Minute, 5 * time.Minute, grace, lease + grace}).Draw(t, "step")
	if rapid.IntRange(0, 3).Draw(t, "to an edge") == 0 {
		for _, g := range w.grips {
			if left := g.slot.until.Sub(w.h.Now()); w.live(g.slot) && left > 1 {
				step = left - rapid.SampledFrom([]time.Duration{0, 1, -grace, -grace + 1}).Draw(t, "short of it")
				break
			}
		}
	}
	w.h.Advance(step)
}

// Check compares everything.
func (w *world) Check(t *rapid.T) {
	page, err := w.sessions[0].ListTasks(w.ctx, coord.TaskQuery{Project: w.project, Limit: 200})
	w.want(t, "list", err, "")
	tasks := make(map[coord.TaskID]coord.Task, len(page.Items))
	for _, task := range page.Items {
		tasks[task.ID] = task
	}
	for _, st := range w.strands {
		for _, s := range []*slot{st.code, st.review, st.integration} {
			if s != nil {
				w.same(t, tasks[s.id], s)
			}
		}
		task := tasks[st.code.id]
		saved := coord.OID("")
		if task.Saved != nil {
			saved = task.Saved.Commit
		}
		if saved != st.saved {
			t.Fatalf("%s has saved %q; the model %q", st.code.id, saved, st.saved)
		}
		if lost := st.landing.State.Reserves() && !w.live(st.integration); st.phase == approved && (task.Status == coord.StatusRecoveryRequired) != lost {
			t.Fatalf("%s is %s; its landing is %s under %+v", st.code.id, task.Status, st.landing.State, st.integration)
		}
		if (task.Status == coord.StatusDone) != (st.phase == finished) || (task.Landed != nil) != (st.phase == finished) {
			t.Fatalf("%s is %s, landed %+v; the model says %s", st.code.id, task.Status, task.Landed, st.phase)
		}
	}
}

// same compares one task's owner, generation and end.
func (w *world) same(t *rapid.T, task coord.Task, s *slot) {
	closed := task.Lifecycle == coord.LifecycleDone || task.Lifecycle == coord.LifecycleCanceled
	if task.ID != s.id || task.Generation != s.gen || closed != s.closed {
		t.Fatalf("%s: generation %d, %s; the model says %+v", s.id, task.Generation, task.Lifecycle, *s)
	}
	if s.owner == nobody || s.closed {
		if task.Owner != nil {
			t.Fatalf("%s is owned by %+v; the model says by nobody", s.id, *task.Owner)
		}
		return
	}
	want := coord.StandingExpired
	if w.live(s) {
		want = coord.StandingLive
	}
	if o := task.Owner; o == nil || o.Name != w.names[s.owner] || o.Generation != s.gen || o.Standing != want || !o.ExpiresAt.Equal(s.until) {
		t.Fatalf("%s is owned by %+v; the model says %s by %s, %+v", s.id, o, want, w.names[s.owner], *s)
	}
	if (task.Status == coord.StatusRecoveryRequired) != (want == coord.StandingExpired) {
		t.Fatalf("%s is %s with an %s owner", s.id, task.Status, want)
	}
}
