package work_test

import (
	"context"
	"testing"

	"coord"
	"coord/gitops"
)

// lying merges onto the tip's parent and says that it was the tip.
type lying struct{ gitops.Repo }

func (l lying) Merge(ctx context.Context, s gitops.MergeSpec) (gitops.MergeResult, error) {
	tip := s.Onto
	onto, err := l.ReadCommit(ctx, tip)
	if err != nil {
		return gitops.MergeResult{}, err
	}
	s.Onto = onto.Parents[0]
	made, err := l.Repo.Merge(ctx, s)
	if err == nil {
		made.Parents = append([]coord.OID{tip}, made.Parents[1:]...)
	}
	return made, err
}

// TestFault70_71_AResultWithoutItsBase is not published, whatever it says of
// itself: what landed before it would be undone.
func TestFault70_71_AResultWithoutItsBase(t *testing.T) {
	for _, by := range []coord.Strategy{coord.StrategyMerge, coord.StrategySquash} {
		m := newMould(t, by, 1)
		w := m.wreck(t, m.world(t), 0)
		w.origin.pushed("outside", "more", "1")
		main := w.origin.refs[mainRef]
		a := w.in(w.authors())
		honest := a.Repo
		a.Repo = lying{honest}
		_, err := a.land(w.first.Task)
		equal(t, "code", coord.CodeOf(err), coord.CodeInternal)
		equal(t, "main", w.origin.refs[mainRef], main)
		equal(t, "given back", w.landing(w.first.Task).State, coord.LandingReleased)
		a.Repo = honest
		a.lands(w.first.Task)
		a.lands(w.second.Task)
		w.whole()
	}
}

// TestI11_CommitsFromOutsideAreShown: what landed beside coord is on the
// record of the next landing, and nothing that coord landed is.
func TestI11_CommitsFromOutsideAreShown(t *testing.T) {
	m := newMould(t, coord.StrategySquash, 1)
	w := m.wreck(t, m.world(t), 0)
	a := w.in(w.authors())
	a.lands(w.first.Task)
	equal(t, "before any landing is recorded", len(w.landing(w.first.Task).Outside), 0)
	one, two := w.origin.pushed("outside", "one", "1"), w.origin.pushed("outside", "two", "1")
	w.actor("bravo").lands(w.second.Task)
	got := w.landing(w.second.Task).Outside
	if len(got) != 2 || got[0] != two || got[1] != one {
		t.Errorf("shown are %v, not %s and %s", got, two, one)
	}
}

// twice says of a push that arrived what a remote says when it comes again.
type twice struct {
	gitops.Repo
	says coord.Code
}

func (r twice) Push(ctx context.Context, remote string, updates []gitops.RefUpdate, atomic bool) error {
	if err := r.Repo.Push(ctx, remote, updates, atomic); err != nil || !atomic {
		return err
	}
	return coord.Errorf(r.says, "[rejected] (stale info)")
}

// TestC4_ARejectedPushThatArrived: a refusal is no proof that nothing was
// pushed, and nothing is merged again before the target was read.
func TestC4_ARejectedPushThatArrived(t *testing.T) {
	m := newMould(t, coord.StrategySquash, 2)
	for i, says := range []coord.Code{coord.CodeStateConflict, coord.CodeRemoteRefused} {
		w := m.wreck(t, m.world(t), i)
		a := w.in(w.authors())
		a.Repo = twice{a.Repo, says}
		landed, err := a.land(w.first.Task)
		must(t, err)
		equal(t, "tries", landed.Landing.Tries, 1)
		equal(t, "main", w.origin.refs[mainRef], landed.Landing.Result)
		w.actor("bravo").lands(w.second.Task)
		w.whole()
	}
}
