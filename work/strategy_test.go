package work_test

import (
	"slices"
	"testing"

	"coord"
	"coord/work"
	"coord/worktree"
)

// by sets the project's strategy.
func (w *world) by(s coord.Strategy) {
	w.t.Helper()
	p, err := w.reader().Project(w.t.Context(), "pay")
	must(w.t, err)
	p.Policy.Strategy = s
	_, err = w.reader().SetPolicy(w.t.Context(), coord.SetPolicy{Key: newKey(), Project: "pay", Revision: p.PolicyRevision, Policy: p.Policy, Reason: "test"})
	must(w.t, err)
}

// TestI4_EveryEarlierChangeStays lands three tasks in a row by each strategy, with
// commits from outside between them: whatever landed stays landed.
func TestI4_EveryEarlierChangeStays(t *testing.T) {
	for _, s := range coord.Strategies {
		t.Run("fault 72: "+string(s), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, coord.ReviewNone)
			w.by(s)
			a := w.agent("alpha", w.clone("one"))
			b := w.agent("bravo", w.clone("two"))
			var tasks []coord.TaskID
			for i, file := range []string{"first", "second", "third"} {
				if s == coord.StrategyFF && i > 0 {
					break // what is behind does not go forward: below
				}
				tasks = append(tasks, a.submitted(file, file, file).Task)
			}
			for i, id := range tasks {
				if i > 0 {
					w.pushed("outside", string(id))
				}
				before := w.remote("refs/heads/main")
				landed, err := b.land(id)
				must(t, err)
				l := landed.Landing
				equal(t, "main", w.remote("refs/heads/main"), string(l.Result))
				equal(t, "tree", w.run(w.bare, "rev-parse", "main^{tree}"), string(l.Tree))
				equal(t, "base", string(l.Base), before)
				w.run(w.bare, "merge-base", "--is-ancestor", before, "main")
				for _, earlier := range tasks[:i+1] {
					title := w.detail(earlier).Title
					equal(t, title, w.run(w.bare, "show", "main:"+title), title)
				}
			}
		})
	}
}

// TestFastForwardOnly returns to its author what is behind the target.
func TestFastForwardOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	w.by(coord.StrategyFF)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	tip := w.pushed("outside", "1")
	_, err := a.land(s.Task)
	refused(t, err, coord.CodeMergeConflict, "cannot be fast-forwarded", "coord revise --conflict "+string(s.Task))
	equal(t, "main", w.remote("refs/heads/main"), tip)
	_, err = a.Service.Revise(t.Context(), coord.Revise{Task: s.Task, Reason: coord.ReviseConflict})
	must(t, err)
	st, err := a.Start(t.Context(), work.StartOptions{Task: s.Task})
	must(t, err)
	w.run(st.Worktree.Path, "rebase", "-q", tip)
	all, err := worktree.Find(a.Repo.Info())
	must(t, err)
	at := slices.IndexFunc(all, func(b worktree.Bound) bool { return b.Attempt == st.Attempt.ID })
	next := a.finish(all[at], "new", "2")
	landed, err := a.land(s.Task)
	must(t, err)
	equal(t, "main", w.remote("refs/heads/main"), string(next.Commit))
	equal(t, "result", landed.Landing.Result, next.Commit)
}

// TestLandingIsTheSameForEverybody: what one integrator merged and another
// takes over is the same commit.
func TestLandingIsTheSameForEverybody(t *testing.T) {
	for _, s := range []coord.Strategy{coord.StrategyMerge, coord.StrategySquash, coord.StrategyRebase} {
		t.Run(string(s), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, coord.ReviewNone)
			w.by(s)
			a := w.agent("alpha", w.clone("one"))
			b := w.agent("bravo", w.clone("two"))
			x := a.submitted("x", "new", "1")
			w.pushed("outside", "1")
			a.svc.around = func(call string, _ int) fault { return fault{before: call == "Permit"} }
			_, err := a.land(x.Task)
			if err == nil {
				t.Fatal("it landed without a permit")
			}
			mine := w.landing(x.Task)
			w.clock.Advance(2 * lease)
			landed, err := b.land(x.Task)
			must(t, err)
			equal(t, "result", landed.Landing.Result, mine.Result)
		})
	}
}
