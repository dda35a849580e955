package work_test

import (
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
