package work_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"coord"
	"coord/gitops"
	"coord/work"
	"coord/worktree"
)

func TestStartRefusesBeforeItClaims(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	id := w.task("x")
	must(t, os.Rename(w.bare, w.bare+".away"))
	_, err := a.Start(t.Context(), work.StartOptions{})
	refused(t, err, coord.CodeUnavailable)
	if a.svc.called("Claim") || w.detail(id).Status != coord.StatusReady {
		t.Errorf("something was claimed: %v, %s", a.svc.calls, w.detail(id).Status)
	}
	must(t, os.Rename(w.bare+".away", w.bare))
	s, err := a.Start(t.Context(), work.StartOptions{})
	must(t, err)
	equal(t, "the task", s.Task.ID, id)
}

// TestStartAgain runs start again after it was interrupted at each of its
// steps, and with each way of naming the task.
func TestStartAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	clone := w.clone("clone")
	unbind := func(b worktree.Bound) { must(t, os.Remove(filepath.Join(b.GitDir, "coord.json"))) }
	for name, interrupt := range map[string]func(a *agent, b worktree.Bound){
		"nothing is missing":        func(a *agent, b worktree.Bound) {},
		"the binding was not saved": func(a *agent, b worktree.Bound) { unbind(b) },
		"the binding is damaged": func(a *agent, b worktree.Bound) {
			must(t, os.WriteFile(filepath.Join(b.GitDir, "coord.json"), []byte("{"), 0o600))
		},
		"the worktree was not made": func(a *agent, b worktree.Bound) {
			w.run(clone, "worktree", "remove", "--force", b.Path)
			w.run(clone, "branch", "-D", b.Branch)
		},
		"the branch was left": func(a *agent, b worktree.Bound) { w.run(clone, "worktree", "remove", "--force", b.Path) },
		"the branch was left, tip moved": func(a *agent, b worktree.Bound) {
			w.run(clone, "worktree", "remove", "--force", b.Path)
			w.pushed("moved", string(b.Task))
		},
		"an empty directory was left": func(a *agent, b worktree.Bound) {
			w.run(clone, "worktree", "remove", "--force", b.Path)
			must(t, os.Mkdir(b.Path, 0o777))
		},
		"half of the files were laid": func(a *agent, b worktree.Bound) { unbind(b); must(t, os.Remove(filepath.Join(b.Path, "README"))) },
	} {
		id := w.task(name)
		a := w.agent("alpha-"+string(id), clone)
		a.svc.around = func(call string, _ int) fault { return fault{before: call == "BindWorktree"} }
		_, err := a.Start(t.Context(), work.StartOptions{Task: id})
		equal(t, name+": lost", errors.Is(err, errLost), true)
		a.svc.around = nil
		b := a.bound(id)
		interrupt(a, b)
		s, err := a.Start(t.Context(), work.StartOptions{Task: id})
		if err != nil {
			t.Errorf("%s: %s: %v", name, coord.CodeOf(err), err)
			continue
		}
		equal(t, name+": the attempt", s.Attempt.ID, coord.NewAttemptID(id, 1))
		equal(t, name+": the path", s.Worktree.Path, b.Path)
		equal(t, name+": on the record", *w.detail(id).Attempts[0].Worktree, s.Worktree)
		equal(t, name+": status", w.run(b.Path, "status", "--porcelain"), "")
		equal(t, name+": the binding", a.bound(id).Attempt, s.Attempt.ID)
		if _, err := os.Stat(filepath.Join(b.Path, "README")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A worktree that is none any more is not shown as one.
func TestStartFindsADamagedWorktree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	clone := w.clone("one")
	a := w.agent("alpha", clone)
	b := a.start(w.task("x"))
	must(t, os.Remove(filepath.Join(b.Path, ".git")))
	_, err := a.Start(t.Context(), work.StartOptions{})
	refused(t, err, coord.CodeSetup, ".git file", "git worktree repair "+b.Path)
	_, _ = w.try(clone, "worktree", "repair", b.Path) // it reports what it mends
	again, err := a.Start(t.Context(), work.StartOptions{})
	must(t, err)
	equal(t, "the worktree", again.Worktree.Path, b.Path)
}

func TestStartLeavesForeignFilesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	id := w.task("x")
	a.svc.around = func(call string, _ int) fault { return fault{before: call == "BindWorktree"} }
	_, err := a.Start(t.Context(), work.StartOptions{Task: id})
	equal(t, "lost", errors.Is(err, errLost), true)
	a.svc.around = nil
	b := a.bound(id)
	must(t, os.Remove(filepath.Join(b.GitDir, "coord.json")))
	must(t, os.Remove(filepath.Join(b.Path, "README")))
	w.write(b.Path, "mine", "my only copy")
	_, err = a.Start(t.Context(), work.StartOptions{Task: id})
	refused(t, err, coord.CodeStateConflict, "mine")
	text, err := os.ReadFile(filepath.Join(b.Path, "mine"))
	must(t, err)
	equal(t, "the file", string(text), "my only copy")
}

func TestStartWithoutATask(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	first, second := w.task("first"), w.task("second")
	s, err := a.Start(t.Context(), work.StartOptions{})
	must(t, err)
	equal(t, "the first", s.Task.ID, first)
	s, err = a.Start(t.Context(), work.StartOptions{})
	must(t, err)
	equal(t, "still the first", s.Task.ID, first)
	s, err = a.Start(t.Context(), work.StartOptions{Another: true})
	must(t, err)
	equal(t, "another", s.Task.ID, second)
	// Released, with the answer lost: the next start does not take it up again.
	a.svc.around = func(call string, _ int) fault { return fault{after: call == "Release"} }
	for _, id := range []coord.TaskID{first, second} {
		_, err = a.Release(t.Context(), a.bound(id), "not for me", nil)
		equal(t, "lost", errors.Is(err, errLost), true)
	}
	third, err := w.reader().CreateTask(t.Context(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "third", Priority: coord.PriorityUrgent})
	must(t, err)
	s, err = a.Start(t.Context(), work.StartOptions{})
	must(t, err)
	equal(t, "the next", s.Task.ID, third.ID)
	equal(t, "attempts at the first", len(w.detail(first).Attempts), 1)
}

// TestManyStartAtOnce lets sessions race in one clone, and two processes of
// one session with them.
func TestManyStartAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	clone := w.clone("clone")
	var ids []coord.TaskID
	for range 4 {
		ids = append(ids, w.task("x"))
	}
	w.pushed("moved", "on")
	var agents []*agent
	for _, name := range []string{"alpha", "bravo", "delta", "foxtrot", "foxtrot"} {
		agents = append(agents, w.agent(name, clone))
	}
	var wait sync.WaitGroup
	errs := make([]error, len(agents))
	for i, a := range agents {
		task := ids[min(i, 3)]
		wait.Go(func() { _, errs[i] = a.Start(t.Context(), work.StartOptions{Task: task}) })
	}
	wait.Wait()
	must(t, errors.Join(errs...))
	for i, a := range agents {
		b := a.bound(ids[min(i, 3)])
		equal(t, "status of "+b.Path, w.run(b.Path, "status", "--porcelain"), "")
		equal(t, "attempts", len(w.detail(b.Task).Attempts), 1)
	}
}

func TestBindingsOfOtherServersAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	b := a.start(w.task("x"))
	_, err := a.Release(t.Context(), b, "not for me", nil)
	must(t, err)
	b.Server = "http://elsewhere.example" // where it is still at work
	must(t, b.Save(b.GitDir))
	third, err := w.reader().CreateTask(t.Context(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "y", Priority: coord.PriorityUrgent})
	must(t, err)
	s, err := a.Start(t.Context(), work.StartOptions{})
	must(t, err)
	equal(t, "the task", s.Task.ID, third.ID)
	pruned, err := a.Prune(t.Context())
	must(t, err)
	equal(t, "kept", pruned[0].Removed, false)
	if got, _ := worktree.Load(b.GitDir); got.Ended || !strings.Contains(pruned[0].Kept, "elsewhere") {
		t.Errorf("it was touched: %+v, %+v", got, pruned[0])
	}
}

// TestAClaimIsFoundAgain loses the answer to a claim of no named task, and
// with it all knowledge of it but the journal's.
func TestAClaimIsFoundAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	a.svc.journal = true
	first := w.task("first")
	w.task("second")
	a.svc.around = func(call string, _ int) fault { return fault{after: call == "Claim"} }
	_, err := a.Start(t.Context(), work.StartOptions{})
	equal(t, "lost", errors.Is(err, errLost), true)
	a.svc.around = nil
	s, err := a.Start(t.Context(), work.StartOptions{})
	must(t, err)
	equal(t, "the task", s.Task.ID, first)
}

func TestReviewStartsAtTheCandidate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewAgent)
	a := w.agent("alpha", w.clone("one"))
	s := a.submitted("x", "new", "1")
	_, err := a.Start(t.Context(), work.StartOptions{Task: s.Task, Kind: coord.KindReview})
	refused(t, err, coord.CodeNotIndependent)
	z := w.agent("bravo", w.clone("two"))
	started, err := z.Start(t.Context(), work.StartOptions{Kind: coord.KindReview})
	must(t, err)
	equal(t, "HEAD", w.run(started.Worktree.Path, "rev-parse", "HEAD"), string(s.Commit))
	b := z.bound(s.Reviews[0])
	for _, lost := range []bool{true, false} { // the verdict counts once
		z.svc.around = func(call string, _ int) fault { return fault{after: lost && call == "Review"} }
		_, err = z.Review(t.Context(), b, coord.RecordReview{Judgement: coord.Judgement{Verdict: coord.VerdictApproved, Note: "read and run"}})
		equal(t, "lost", errors.Is(err, errLost), lost)
	}
	must(t, err)
	equal(t, "reviews", len(w.detail(s.Task).Reviews), 1)
	_, err = z.Review(t.Context(), b, coord.RecordReview{Judgement: coord.Judgement{Verdict: coord.VerdictChangesRequested, Note: "no"}})
	refused(t, err, coord.CodeFenced)
	_, err = a.land(s.Task)
	must(t, err)
}

var _ gitops.Repo = wired{}
