package work_test

import (
	"strings"
	"testing"

	"coord"
)

// TestRevert takes a landing back by a task of its own, by each strategy, with
// later work on top that stays.
func TestRevert(t *testing.T) {
	for _, s := range []coord.Strategy{coord.StrategyMerge, coord.StrategySquash, coord.StrategyRebase} {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, coord.ReviewNone)
			w.by(s)
			a := w.agent("alpha", w.clone("clone"))
			first := a.submitted("first", "one", "1")
			w.pushed("outside", "1")
			_, err := a.land(first.Task)
			must(t, err)
			second := a.submitted("second", "two", "2")
			_, err = a.land(second.Task)
			must(t, err)

			cmd, err := w.detail(first.Task).Revert("it broke the build")
			must(t, err)
			cmd.Key = newKey()
			made, err := a.Service.CreateTask(t.Context(), cmd)
			must(t, err)
			b := a.start(made.ID)
			if text := w.run(b.Path, "log", "-1", "--format=%B"); !strings.Contains(text, "Coord-Reverts: "+string(w.landing(first.Task).ID)) {
				t.Errorf("the branch begins with %q", text)
			}
			x := a.finish(b, "why", "it broke the build")
			_, err = a.land(x.Task)
			must(t, err)
			if _, err := w.try(w.bare, "show", "main:one"); err == nil {
				t.Error("what was reverted is still there")
			}
			for _, f := range []string{"two", "outside", "why"} {
				w.run(w.bare, "show", "main:"+f)
			}
			// A second task for it is the first one.
			cmd.Key = newKey()
			again, err := a.Service.CreateTask(t.Context(), cmd)
			must(t, err)
			equal(t, "again", again.Existing, true)

			// The same commit again would bring nothing, so it is no candidate.
			other := a.start(w.task("again"))
			w.run(other.Path, "reset", "-q", "--hard", string(first.Commit))
			_, err = a.Check(t.Context(), other, nil, nil)
			must(t, err)
			_, err = a.submit(other)
			if s == coord.StrategyMerge { // the target still has it in its history
				refused(t, err, coord.CodeRequirement, "nothing was submitted")
				return
			}
			refused(t, err, coord.CodeStateConflict, string(made.ID), "nothing was submitted")
		})
	}
}

// TestRevertThatConflicts begins at the tip, and says so.
func TestRevertThatConflicts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	first := a.submitted("first", "one", "1\n")
	_, err := a.land(first.Task)
	must(t, err)
	tip := w.pushed("one", "2\n")
	cmd, err := w.detail(first.Task).Revert("it broke the build")
	must(t, err)
	cmd.Key = newKey()
	made, err := a.Service.CreateTask(t.Context(), cmd)
	must(t, err)
	b := a.start(made.ID)
	equal(t, "HEAD", w.run(b.Path, "rev-parse", "HEAD"), tip)
	if !strings.Contains(a.said.String(), "conflicts with taking pay-1 back in one") {
		t.Errorf("said %q", a.said)
	}
}
