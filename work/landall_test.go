package work_test

import (
	"context"
	"testing"

	"coord"
	"coord/work"
)

// TestI12_LandAll lands a queue: a conflict and a failed check go back to their
// authors, and stop nobody else.
func TestI12_LandAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("one"))
	first := a.submitted("first", "one", "1")
	clash := a.submitted("clash", "README", "mine\n")
	second := a.submitted("second", "two", "2")
	w.pushed("README", "theirs\n")
	z := w.agent("bravo", w.clone("two"))
	told := 0
	done, err := z.LandAll(t.Context(), "", func(work.Outcome) { told++ })
	must(t, err)
	var got []string
	for _, o := range done {
		what := "back"
		if o.Landed != nil {
			what = "landed"
		}
		got = append(got, string(o.Task)+" "+what)
	}
	equal(t, "outcomes", len(got) == 3 && got[0] == string(first.Task)+" landed" && got[1] == string(clash.Task)+" back" && got[2] == string(second.Task)+" landed", true)
	equal(t, "told", told, 3)
	equal(t, "merges", w.merges(), 2)
	equal(t, "of the conflict", w.detail(clash.Task).Status, coord.StatusBlocked)
	_, err = z.LandAll(t.Context(), "", func(work.Outcome) {})
	refused(t, err, coord.CodeNothingEligible)
}

// forgetful is a service that parks nothing after a conflict.
type forgetful struct{ coord.Service }

func (f forgetful) FailLanding(ctx context.Context, c coord.FailLanding) (coord.Landing, error) {
	c.State, c.Conflicts = coord.LandingReleased, nil
	return f.Service.FailLanding(ctx, c)
}

// TestLandAllEnds also where what was sent back is offered again.
func TestLandAllEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("one"))
	clash := a.submitted("clash", "README", "mine\n")
	w.pushed("README", "theirs\n")
	a.Desk.Service = forgetful{a.svc}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := 0
	_, err := a.LandAll(ctx, "", func(work.Outcome) {
		if told++; told > 3 {
			cancel()
		}
	})
	refused(t, err, coord.CodeMergeConflict, string(clash.Task))
	equal(t, "told", told, 1)
}
