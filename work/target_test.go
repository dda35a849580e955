package work_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"coord"
	"coord/server/store"
	"coord/work"
)

// rewound moves the remote's branch back to a commit, as an admin can.
func (w *world) rewound(to string) {
	w.t.Helper()
	w.run(w.bare, "update-ref", "refs/heads/main", to)
}

// TestFault69_ARewoundTargetIsDiverged: what somebody removed from a target is
// not brought back by the next landing, and nothing lands before it is settled.
func TestFault69_ARewoundTargetIsDiverged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("one"))
	b := w.agent("bravo", w.clone("two"))
	before := w.remote("refs/heads/main")
	first, second := a.submitted("first", "one", "1"), a.submitted("second", "two", "2")
	landed, err := a.land(first.Task)
	must(t, err)
	w.rewound(before)

	_, err = b.land(second.Task)
	refused(t, err, coord.CodeStateConflict, "diverged", string(landed.Landing.ID), "coord target settle main")
	equal(t, "main", w.remote("refs/heads/main"), before)
	equal(t, "the landing", w.landing(second.Task).State, coord.LandingReleased)
	_, err = b.Land(t.Context(), work.LandOptions{})
	refused(t, err, coord.CodeStateConflict, "diverged")
	// Without the landing, only a person opens it.
	_, err = b.SettleTarget(t.Context(), "main", false, "")
	refused(t, err, coord.CodeStateConflict, "still diverged")
	_, err = b.SettleTarget(t.Context(), "main", true, "it is fine")
	refused(t, err, coord.CodeNotPermitted)
	// With it, anybody who looks.
	w.rewound(string(landed.Landing.Result))
	_, err = b.SettleTarget(t.Context(), "main", false, "")
	must(t, err)
	_, err = b.land(second.Task)
	must(t, err)
	equal(t, "one", w.run(w.bare, "show", "main:one"), "1")
}

// TestAcceptedDivergence goes on from where a person left the target.
func TestAcceptedDivergence(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("one"))
	before := w.remote("refs/heads/main")
	first, second := a.submitted("first", "one", "1"), a.submitted("second", "two", "2")
	_, err := a.land(first.Task)
	must(t, err)
	w.rewound(before)
	_, err = a.land(second.Task)
	refused(t, err, coord.CodeStateConflict, "diverged")
	person := *a.Desk
	person.Service = &service{Service: w.reader()}
	target, err := person.SettleTarget(t.Context(), "main", true, "it broke the build")
	must(t, err)
	equal(t, "diverged", target.Diverged == nil, true)
	_, err = a.land(second.Task)
	must(t, err)
	if _, err := w.try(w.bare, "show", "main:one"); err == nil {
		t.Error("what the person took away is back")
	}
}

// backedUp keeps the record as it is.
func (w *world) backedUp() string {
	w.t.Helper()
	path := filepath.Join(w.top, "backup.db")
	_, err := w.store.Backup(w.t.Context(), path)
	must(w.t, err)
	return path
}

// restored goes on from a backup in another directory.
func (w *world) restored(backup string) {
	w.t.Helper()
	must(w.t, w.store.Close())
	dir := filepath.Join(w.top, "restored")
	_, err := store.Restore(context.Background(), store.RestoreOptions{Backup: backup, Into: dir, Now: w.clock.Now()})
	must(w.t, err)
	s, err := store.Open(context.Background(), store.Options{Path: filepath.Join(dir, store.DatabaseName), Now: w.clock.Now, Plan: noPlan})
	must(w.t, err)
	w.t.Cleanup(func() { _ = s.Close() })
	w.store = s
}

// TestC7_RestoredServerLearnsWhatLanded loses the records of two landings with
// the server, one of a submission that the backup has and one that it has not.
func TestC7_RestoredServerLearnsWhatLanded(t *testing.T) {
	for _, s := range []coord.Strategy{coord.StrategyMerge, coord.StrategySquash, coord.StrategyRebase} {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, coord.ReviewNone)
			w.by(s)
			a := w.agent("alpha", w.clone("one"))
			known, other := a.submitted("known", "one", "1"), a.submitted("other", "two", "2")
			late := w.task("late")
			backup := w.backedUp()
			landed, err := a.land(known.Task)
			must(t, err)
			w.pushed("outside", "1")
			lost := a.finish(a.start(late), "three", "3")
			_, err = a.land(lost.Task)
			must(t, err)
			main := w.remote("refs/heads/main")

			w.restored(backup)
			z := w.agent("bravo", w.clone("two"))
			_, err = z.land(other.Task)
			must(t, err)
			got := w.landing(known.Task)
			equal(t, "reconstructed", got.Reconstructed, true)
			equal(t, "its result", got.Result, landed.Landing.Result)
			equal(t, "its task", w.detail(known.Task).Status, coord.StatusDone)
			equal(t, "the unknown one", w.detail(late).Status, coord.StatusBlocked)
			if text := w.detail(late).Blockers[0].Text; !strings.Contains(text, string(lost.ID)) {
				t.Errorf("the blocker says %q", text)
			}
			w.run(w.bare, "merge-base", "--is-ancestor", main, "main")
			for _, f := range []string{"one", "two", "three", "outside"} {
				w.run(w.bare, "show", "main:"+f)
			}
		})
	}
}

// TestC7_TheOwnLandingHadArrived holds the very submission that had landed.
func TestC7_TheOwnLandingHadArrived(t *testing.T) {
	for _, s := range []coord.Strategy{coord.StrategyMerge, coord.StrategySquash} {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, coord.ReviewNone)
			w.by(s)
			a := w.agent("alpha", w.clone("one"))
			x := a.submitted("known", "one", "1")
			w.pushed("outside", "1")
			backup := w.backedUp()
			landed, err := a.land(x.Task)
			must(t, err)
			main := w.remote("refs/heads/main")
			w.restored(backup)
			z := w.agent("bravo", w.clone("two"))
			again, err := z.land(x.Task)
			must(t, err)
			equal(t, "result", again.Landing.Result, landed.Landing.Result)
			equal(t, "state", again.Landing.State, coord.LandingLanded)
			equal(t, "main", w.remote("refs/heads/main"), main)
		})
	}
}
