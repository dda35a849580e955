package servicetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"coord"
)

// actions are what a walk does, and how often compared with each other. They
// are drawn so that walks get somewhere, and now and then go wrong.
func (w *walk) actions() map[string]func(*rapid.T) {
	all := map[string]func(*rapid.T){"": func(*rapid.T) {}}
	for _, a := range []struct {
		name  string
		times int
		do    func(*rapid.T)
	}{
		{"go on", 40, w.goOn},
		{"create", 1, w.create},
		{"claim", 3, w.claim},
		{"renew", 3, w.renew},
		{"resume", 1, w.resume},
		{"release", 1, w.release},
		{"operator releases", 1, w.operatorReleases},
		{"save", 2, w.save},
		{"submit", 2, w.submit},
		{"review", 1, w.review},
		{"revise", 4, w.revise},
		{"edit", 2, w.edit},
		{"cancel", 1, w.cancel},
		{"ask", 2, w.ask},
		{"decide", 1, w.decide},
		{"unblock", 1, w.unblock},
		{"hold", 2, w.hold},
		{"land", 3, w.land},
		{"give the target back", 3, w.fail},
		{"settle", 2, w.settle},
		{"advance", 6, w.advance},
		{"again", 5, w.again},
		{"alter", 1, w.alter},
		{"stale", 4, w.stale},
		{"revoke", 1, w.revoke},
		{"crash", 1, w.crash},
		{"back up", 1, w.backUp},
		{"restore", 2, w.restore},
	} {
		for n := range a.times {
			all[fmt.Sprintf("%s %d", a.name, n)] = a.do
		}
	}
	return all
}

// rare is true once in n times, and never where rapid looks for the simplest
// walk.
func rare(rt *rapid.T, n int, what string) bool {
	return rapid.IntRange(0, n-1).Draw(rt, what) == n-1
}

// one draws by the number of it, which is all that a log has to show.
func one[T any](rt *rapid.T, of []T, what string) T {
	return of[rapid.IntRange(0, len(of)-1).Draw(rt, what)]
}

func (w *walk) seat(rt *rapid.T) *seat { return one(rt, w.seats, "seat") }

// pick draws a task, mostly one that suits.
func (w *walk) pick(rt *rapid.T, suits func(shown) bool) (shown, bool) {
	ids := slices.SortedFunc(maps.Keys(w.now.tasks), func(a, b coord.TaskID) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	good := slices.DeleteFunc(slices.Clone(ids), func(id coord.TaskID) bool { return !suits(w.now.tasks[id]) })
	if rare(rt, 10, "any task") {
		good = ids
	}
	if len(good) == 0 {
		return shown{}, false
	}
	return w.now.tasks[rapid.SampledFrom(good).Draw(rt, "task")], true
}

func (w *walk) live(t shown) bool { return t.owner.attempt != "" && w.at() < t.owner.until }

func submits(t shown) bool      { return t.kind.Submits() }
func judges(t shown) bool       { return t.kind == coord.KindReview }
func lands(t shown) bool        { return t.kind == coord.KindIntegration }
func ofAnyKind(t shown) bool    { return true }
func openCode(t shown) bool     { return submits(t) && !t.lifecycle.Closed() }
func inReviewOrOn(t shown) bool { return submits(t) && t.submission != "" && !t.lifecycle.Closed() }

// grasp draws a stake, mostly the latest of a task with a live owner, and who
// uses it, mostly whose it is.
func (w *walk) grasp(rt *rapid.T, of func(shown) bool) (g *stake, by *seat, ok bool) {
	t, ok := w.pick(rt, func(t shown) bool { return of(t) && w.live(t) })
	if !ok {
		return nil, nil, false
	}
	return w.stakeIn(rt, t)
}

func (w *walk) stakeIn(rt *rapid.T, t shown) (g *stake, by *seat, ok bool) {
	var all []*stake
	for _, g := range w.stakes {
		if g.task == t.id {
			all = append(all, g)
		}
	}
	if len(all) == 0 {
		return nil, nil, false
	}
	g = all[len(all)-1]
	if rare(rt, 10, "old stake") {
		g = one(rt, all, "stake")
	}
	if by = g.seat; rare(rt, 12, "stranger") {
		by = w.seat(rt)
	}
	return g, by, true
}

func (w *walk) create(rt *rapid.T) {
	c := coord.CreateTask{Key: newKey(), Project: rapid.SampledFrom([]coord.ProjectKey{"one", "two"}).Draw(rt, "project"), Title: fmt.Sprintf("task %d", counter.Add(1))}
	c.Target = rapid.SampledFrom([]string{"", "", "release"}).Draw(rt, "target")
	if t, ok := w.pick(rt, submits); ok && t.project == c.Project && rapid.Bool().Draw(rt, "depends") {
		c.DependsOn = []coord.TaskID{t.id}
	}
	w.do(rt, w.seat(rt), c)
}

// claim takes a code task or a review, as it should be taken, or not.
func (w *walk) claim(rt *rapid.T) {
	me := w.seat(rt)
	t, ok := w.pick(rt, func(t shown) bool { return !lands(t) && w.live(t) && t.owner.name == me.name })
	if ok && rare(rt, 4, "what it has") {
		w.do(rt, me, coord.Claim{Key: newKey(), Project: t.project, Task: t.id})
		return
	}
	t, ok = w.pick(rt, func(t shown) bool {
		mine := judges(t) && w.worked(t.submission.Task(), me)
		return !lands(t) && !mine && (t.status == coord.StatusReady || t.owner.attempt != "" && !w.live(t) && t.owner.name != me.name)
	})
	if ok {
		w.do(rt, me, coord.Claim{Key: newKey(), Project: t.project, Task: t.id, Recovery: w.recovery(rt, t)})
	}
}

// worked is whether the seat was ever granted the task.
func (w *walk) worked(id coord.TaskID, s *seat) bool {
	return slices.ContainsFunc(w.stakes, func(g *stake) bool { return g.task == id && g.seat == s })
}

// recovery draws what a claim says about earlier work.
func (w *walk) recovery(rt *rapid.T, t shown) *coord.Recovery {
	r := &coord.Recovery{Generation: t.generation, Disposition: coord.DispositionResume, Commit: t.saved.commit}
	switch rapid.IntRange(0, 11).Draw(rt, "recovery") {
	case 4:
		return nil
	case 5:
		r.Generation++
	case 6:
		r.Commit = newOID()
	case 7, 8:
		r.Disposition, r.Commit, r.Reason = coord.DispositionRestart, "", "it went the wrong way"
	case 9:
		r.Disposition, r.Commit = coord.DispositionDelivered, newOID()
	case 10:
		r.Disposition, r.Commit, r.Blocker = coord.DispositionBlocked, "", w.blocker(rt)
	}
	return r
}

func (w *walk) blocker(rt *rapid.T) *coord.NewBlocker {
	actor := rapid.SampledFrom([]coord.Actor{"", coord.ActorAgent, coord.ActorHuman}).Draw(rt, "actor")
	return &coord.NewBlocker{Kind: coord.BlockedByUpstream, Text: "it waits for the other side", Actor: actor}
}

func (w *walk) renew(rt *rapid.T) {
	if g, by, ok := w.grasp(rt, ofAnyKind); ok {
		w.do(rt, by, coord.Renew{Attempt: g.attempt, Fence: g.fence})
	}
}

// resume follows an expiry, by the session whose lease it was.
func (w *walk) resume(rt *rapid.T) {
	t, ok := w.pick(rt, func(t shown) bool { return t.owner.attempt != "" && !w.live(t) })
	if !ok {
		return
	}
	if g, by, ok := w.stakeIn(rt, t); ok {
		w.do(rt, by, coord.Resume{Key: newKey(), Attempt: g.attempt, Fence: g.fence})
	}
}

func (w *walk) release(rt *rapid.T) {
	g, by, ok := w.grasp(rt, ofAnyKind)
	if !ok {
		return
	}
	c := coord.Release{Key: newKey(), Attempt: g.attempt, Fence: g.fence, Reason: "somebody else knows this better"}
	if rare(rt, 3, "blocked") {
		c.Blocker = w.blocker(rt)
	}
	w.do(rt, by, c)
}

func (w *walk) operatorReleases(rt *rapid.T) {
	t, ok := w.pick(rt, func(t shown) bool { return t.owner.attempt != "" && !w.live(t) })
	if ok && t.owner.attempt != "" {
		w.do(rt, nil, coord.Release{Key: newKey(), Attempt: t.owner.attempt, Reason: "its owner is gone"})
	}
}

func (w *walk) save(rt *rapid.T) {
	if g, by, ok := w.grasp(rt, submits); ok {
		w.do(rt, by, coord.RecordCheckpoint{Key: newKey(), Attempt: g.attempt, Fence: g.fence, Note: "n", Commit: newOID(), Tree: newOID(), Ref: "refs/coord/x", Pushed: true})
	}
}

// advance moves the clock, at times to the very edge of a lease or a grace.
func (w *walk) advance(rt *rapid.T) {
	by := rapid.SampledFrom([]time.Duration{1, time.Second, time.Minute, time.Minute, grace, lease / 6, lease / 6, lease / 3, lease / 2, lease + grace, 3 * time.Hour}).Draw(rt, "by")
	if t, ok := w.pick(rt, func(t shown) bool { return t.owner.attempt != "" && t.owner.until+int64(grace) > w.at() }); ok && t.owner.attempt != "" && rare(rt, 4, "to an edge") {
		edge := rapid.SampledFrom([]time.Duration{0, -1, grace, grace - 1}).Draw(rt, "edge")
		if left := time.Duration(t.owner.until-w.at()) + edge; left > 0 {
			by = left
			switch edge {
			case 0:
				w.reached["at expiry"]++
			case -1:
				w.reached["1 ns before expiry"]++
			}
		}
	}
	w.steps++
	rt.Logf("the clock advances by %s", by)
	before := w.now
	w.clock.Advance(by)
	w.now = w.look(rt)
	w.onlyLater(rt, before)
}

// onlyLater: L7. Time alone changes what is derived from it, and nothing else.
func (w *walk) onlyLater(rt *rapid.T, before record) {
	rt.Helper()
	for id, t := range w.now.tasks {
		was := before.tasks[id]
		expired := t.owner.attempt != "" && w.at() >= t.owner.until
		if (t.owner.standing == coord.StandingExpired) != expired {
			rt.Fatalf("at %d %+v", w.at(), t)
		}
		t.status, t.owner.standing = was.status, was.owner.standing
		if t != was {
			rt.Fatalf("time alone changed\n%+v\n%+v", was, t)
		}
	}
}
