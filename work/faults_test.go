package work_test

import (
	"fmt"
	"strings"
	"testing"

	"coord"
	"coord/work"
)

// journey takes one task from nothing to landed, running each stage again
// after a failure as an agent does. It returns how many stages failed.
func (a *agent) journey(id coord.TaskID) (failed int) {
	t, ctx := a.w.t, a.w.t.Context()
	t.Helper()
	file := string(id) + ".txt"
	stage := func(name string, do func() error) {
		t.Helper()
		for range 20 {
			err := do()
			if err == nil {
				return
			}
			failed++
			if c := coord.CodeOf(err); c != coord.CodeUnavailable && c != coord.CodeRemoteRefused {
				t.Fatalf("%s of %s: %s: %v", name, id, c, err)
			}
		}
		t.Fatalf("%s of %s fails for ever", name, id)
	}
	stage("start", func() error { _, err := a.Start(ctx, work.StartOptions{Task: id}); return err })
	b := a.bound(id)
	a.w.write(b.Path, file, "work\n")
	stage("checkpoint", func() error { _, err := a.Checkpoint(ctx, b, "half", ""); return err })
	stage("check", func() error { _, err := a.Check(ctx, b, nil, nil); return err })
	stage("submit", func() error {
		_, err := a.Submit(ctx, b, work.SubmitOptions{Summary: "all of it", All: true})
		return err
	})
	stage("land", func() error { _, err := a.land(id); return err })
	return failed
}

// arrived proves that the task was done once, however often it was tried.
func (w *world) arrived(id coord.TaskID, mergesBefore int) {
	t := w.t
	t.Helper()
	d := w.detail(id)
	equal(t, "the number of attempts", len(d.Attempts), 1)
	equal(t, "the number of submissions", len(d.Submissions), 1)
	landed := 0
	for _, l := range d.Landings {
		if l.State != coord.LandingLanded {
			continue
		}
		landed++
		equal(t, "the tree of "+string(l.Result), w.run(w.bare, "rev-parse", string(l.Result)+"^{tree}"), string(l.Tree))
		equal(t, "verified", l.Verified, true)
		equal(t, "weak", l.Weak, false)
		if _, err := w.try(w.bare, "merge-base", "--is-ancestor", string(l.Result), "main"); err != nil {
			t.Errorf("%s is not in main", l.Result)
		}
	}
	equal(t, "the number of landings", landed, 1)
	equal(t, "the number of merges on the remote", w.merges(), mergesBefore+1)
	equal(t, "the status", d.Status, coord.StatusDone)
	if d.Attempts[0].Worktree == nil {
		t.Errorf("the record does not know the worktree")
	}
	if n := len(d.Checkpoints); n == 0 || !d.Checkpoints[n-1].Pushed {
		t.Errorf("the last checkpoint is not pushed: %+v", d.Checkpoints)
	}
}

func (w *world) merges() (n int) {
	w.t.Helper()
	_, err := fmt.Sscan(w.run(w.bare, "rev-list", "--merges", "--count", "main"), &n)
	must(w.t, err)
	return n
}

// TestEachRequestLostOnce loses each request of the whole path once, and each
// answer once, with and without the memory of unanswered requests.
func TestEachRequestLostOnce(t *testing.T) {
	for _, c := range []struct {
		name          string
		journal       bool
		before, after bool
	}{{"request", false, true, false}, {"answer", false, false, true}, {"answer with a journal", true, false, true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, coord.ReviewNone)
			a := w.agent("alpha", w.clone("clone"))
			a.svc.journal = c.journal
			for n := 1; ; n++ {
				id, before := w.task(fmt.Sprintf("task %d", n)), w.merges()
				a.svc.calls, a.svc.pending = nil, nil
				what := ""
				a.svc.around = func(call string, i int) fault {
					if i != n {
						return fault{}
					}
					what = call
					return fault{before: c.before, after: c.after}
				}
				failed := a.journey(id)
				if what == "" {
					if n < 12 {
						t.Fatalf("only %d requests: %v", n-1, a.svc.calls)
					}
					return
				}
				if failed > 1 {
					t.Errorf("%s %d lost: %d stages failed", what, n, failed)
				}
				w.arrived(id, before)
				if t.Failed() {
					t.Fatalf("lost was %s, number %d of %v", what, n, a.svc.calls)
				}
			}
		})
	}
}

// TestEachRequestLostAgainAndAgain loses every request of the path and then
// its answer, one after the other, for one task.
func TestEachRequestLostAgainAndAgain(t *testing.T) {
	t.Parallel()
	for _, journal := range []bool{false, true} {
		w := newWorld(t, coord.ReviewNone)
		a := w.agent("alpha", w.clone("clone"))
		a.svc.journal = journal
		seen := map[string]int{}
		a.svc.around = func(call string, _ int) fault {
			if call == "Task" || strings.HasPrefix(call, "Rec") && seen[call] > 3 {
				return fault{}
			}
			seen[call]++
			return fault{before: seen[call] == 1, after: seen[call] == 2}
		}
		id := w.task("unlucky")
		a.journey(id)
		w.arrived(id, 0)
	}
}

// TestEachTripToTheRemoteFailsOnce cuts each push, fetch and observation of
// the path once, before or after what it does.
func TestEachTripToTheRemoteFailsOnce(t *testing.T) {
	for _, f := range []fault{{before: true}, {after: true}} {
		t.Run(fmt.Sprintf("%+v", f), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, coord.ReviewNone)
			a := w.agent("alpha", w.clone("clone"))
			net := a.unplug()
			for n := 1; ; n++ {
				id, before := w.task(fmt.Sprintf("task %d", n)), w.merges()
				what := ""
				net.calls = 0
				net.around = func(call string, i int) fault {
					if i != n {
						return fault{}
					}
					what = call
					return f
				}
				a.journey(id)
				if what == "" {
					if n < 10 {
						t.Fatalf("only %d trips", n-1)
					}
					return
				}
				w.arrived(id, before)
				if t.Failed() {
					t.Fatalf("cut was %s, number %d", what, n)
				}
			}
		})
	}
}
