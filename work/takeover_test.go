package work_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"coord"
	"coord/gitops"
	"coord/work"
)

// TestTakeOver lets a second machine finish what a first left at each step of
// a publication; the first wakes up later, and can no longer push.
func TestTakeOver(t *testing.T) {
	for _, c := range []struct {
		name    string
		stop    func(a *agent, net *network) // makes alpha's run end where it stands
		arrived bool
	}{
		{"before the permit", func(a *agent, _ *network) {
			a.svc.around = func(call string, _ int) fault { return fault{before: call == "Permit"} }
		}, false},
		{"before the push", func(a *agent, _ *network) {
			a.svc.around = func(call string, _ int) fault { return fault{after: call == "Permit"} }
		}, false},
		{"after the push", func(a *agent, _ *network) {
			a.svc.around = func(call string, _ int) fault { return fault{before: call == "RecordObservation"} }
		}, true},
		{"after the record", func(a *agent, _ *network) {
			a.svc.around = func(call string, _ int) fault { return fault{after: call == "RecordObservation"} }
		}, true},
	} {
		for _, third := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, third party %v", c.name, third), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, coord.ReviewNone)
				a := w.agent("alpha", w.clone("one"))
				s := a.submitted("x", "new", "1")
				net := a.unplug()
				var paused *push
				a.watchPush(&paused)
				c.stop(a, net)
				_, err := a.land(s.Task)
				equal(t, "lost", errors.Is(err, errLost), true)
				if third {
					w.pushed("third", "1")
				}
				w.clock.Advance(lease + grace)
				z := w.agent("bravo", w.clone("two"))
				landed, err := z.Land(t.Context(), work.LandOptions{Task: s.Task})
				must(t, err)
				equal(t, "the state", landed.Landing.State, coord.LandingLanded)
				equal(t, "merges", w.merges(), 1)
				main := w.remote("refs/heads/main")
				if paused != nil { // the old client wakes up with its push
					_ = paused.again(t.Context())
					equal(t, "main", w.remote("refs/heads/main"), main)
				}
				a.svc.around = nil
				late, err := a.land(s.Task)
				must(t, err)
				equal(t, "the same landing", late.Landing.ID, landed.Landing.ID)
				equal(t, "main", w.remote("refs/heads/main"), main)
			})
		}
	}
}

// push is a push that can be made again.
type push struct {
	repo    gitops.Repo
	updates []gitops.RefUpdate
}

func (p *push) again(ctx context.Context) error { return p.repo.Push(ctx, "origin", p.updates, true) }

type watched struct {
	gitops.Repo
	last **push
}

func (w watched) Push(ctx context.Context, remote string, updates []gitops.RefUpdate, atomic bool) error {
	if atomic {
		*w.last = &push{w.Repo, updates}
	}
	return w.Repo.Push(ctx, remote, updates, atomic)
}

func (a *agent) watchPush(last **push) { a.Repo = watched{a.Repo, last} }

// TestAPausedPusherIsFenced stops a push, settles it as not landed by the same
// session, and lets the push go on then: it is refused although the target
// stands where it expects it.
func TestAPausedPusherIsFenced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	main := w.remote("refs/heads/main")
	var paused *push
	held := &holding{Repo: a.Repo, last: &paused}
	a.Repo = held
	_, err := a.land(s.Task)
	equal(t, "cut", errors.Is(err, errCut), true)
	equal(t, "uncertain", w.landing(s.Task).State, coord.LandingPublishing)
	a.Repo = held.Repo
	a.svc.around = func(call string, _ int) fault { return fault{before: call == "RecordMerge"} }
	_, err = a.land(s.Task)
	equal(t, "stopped after settling", errors.Is(err, errLost), true)
	equal(t, "not landed", w.landing(s.Task).State, coord.LandingHeld)
	if err := paused.again(t.Context()); coord.CodeOf(err) != coord.CodeStateConflict {
		t.Errorf("the paused push: %v", err)
	}
	equal(t, "main", w.remote("refs/heads/main"), main)
}

// holding keeps atomic pushes back and then loses the remote.
type holding struct {
	gitops.Repo
	last **push
}

func (h *holding) Push(_ context.Context, _ string, updates []gitops.RefUpdate, _ bool) error {
	*h.last = &push{h.Repo, updates}
	return errCut
}

func (h *holding) Fetch(ctx context.Context, remote string, specs ...string) error {
	if *h.last != nil {
		return errCut
	}
	return h.Repo.Fetch(ctx, remote, specs...)
}

func TestOwnExpiredHoldIsResumed(t *testing.T) {
	t.Parallel()
	for _, name := range []bool{true, false} {
		w := newWorld(t, coord.ReviewNone)
		a := w.agent("alpha", w.clone("clone"))
		s := a.submitted("x", "new", "1")
		a.svc.around = func(call string, _ int) fault { return fault{before: call == "RecordObservation"} }
		_, err := a.land(s.Task)
		equal(t, "lost", errors.Is(err, errLost), true)
		w.clock.Advance(2 * lease)
		a.svc.around = nil
		o := work.LandOptions{}
		if name {
			o.Task = s.Task
		}
		landed, err := a.Land(t.Context(), o)
		must(t, err)
		equal(t, "the state", landed.Landing.State, coord.LandingLanded)
		equal(t, "merges", w.merges(), 1)
	}
}

// TestAnotherHoldersFenceIsLeftAlone refuses a push as a remote does while
// another holder moves the fence: the target is not pushed without it.
func TestAnotherHoldersFenceIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, refusal := range []error{coord.Errorf(coord.CodeRemoteRefused, "cannot lock ref"), errCut} {
		w := newWorld(t, coord.ReviewNone)
		a := w.agent("alpha", w.clone("clone"))
		s := a.submitted("x", "new", "1")
		main := w.remote("refs/heads/main")
		a.Repo = overtaken{a.Repo, w, refusal}
		_, err := a.land(s.Task)
		refused(t, err, coord.CodeRemoteRefused)
		equal(t, "main", w.remote("refs/heads/main"), main)
		equal(t, "the fence", w.remote("refs/coord/fence/main"), main)
	}
}

// overtaken refuses atomic pushes just after somebody else moved the fence.
type overtaken struct {
	gitops.Repo
	w       *world
	refusal error
}

func (o overtaken) Push(ctx context.Context, remote string, updates []gitops.RefUpdate, atomic bool) error {
	if !atomic {
		return o.Repo.Push(ctx, remote, updates, atomic)
	}
	o.w.run(o.w.bare, "update-ref", "refs/coord/fence/main", "refs/heads/main")
	return o.refusal
}

// TestADeadHoldersLandingComesFirst asks for one task while a dead session's
// landing of another holds the target: both land.
func TestADeadHoldersLandingComesFirst(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{true, false} {
		w := newWorld(t, coord.ReviewNone)
		a, z := w.agent("alpha", w.clone("one")), w.agent("bravo", w.clone("two"))
		first, second := a.submitted("first", "one", "1"), a.submitted("second", "two", "2")
		a.svc.around = func(call string, _ int) fault { return fault{before: call == "RecordObservation"} }
		_, err := a.land(first.Task)
		equal(t, "lost", errors.Is(err, errLost), true)
		a.svc.around = nil
		w.clock.Advance(lease + grace)
		lander := z
		if own {
			lander = a
		}
		landed, err := lander.land(second.Task)
		must(t, err)
		equal(t, "landed", landed.Task.ID, second.Task)
		equal(t, "the first", w.detail(first.Task).Status, coord.StatusDone)
		equal(t, "merges", w.merges(), 2)
	}
}

// TestALateHolderIsRefused wakes a holder up after its landing was taken over
// and done: it asks for its permit, and is refused.
func TestALateHolderIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a, z := w.agent("alpha", w.clone("one")), w.agent("bravo", w.clone("two"))
	s := a.submitted("x", "new", "1")
	a.svc.during("Permit", func() {
		w.clock.Advance(lease + grace)
		_, err := z.land(s.Task)
		must(t, err)
	})
	_, err := a.land(s.Task)
	refused(t, err, coord.CodeFenced)
	equal(t, "merges", w.merges(), 1)
}
