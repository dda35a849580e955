package work_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"coord"
	"coord/worktree"
)

// pruned is a landed task whose worktree, with an ignored file in it, was
// pruned.
func pruned(t *testing.T) (w *world, a *agent, trash string) {
	t.Helper()
	w = newWorld(t, coord.ReviewNone)
	a = w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	_, err := a.land(s.Task)
	must(t, err)
	w.write(a.bound(s.Task).Path, "secrets.log", "ignored")
	done, err := a.Prune(t.Context())
	must(t, err)
	if len(done) != 1 || !done[0].Removed || done[0].Trash == "" {
		t.Fatalf("pruned %+v", done)
	}
	return w, a, done[0].Trash
}

// TestPruneKeepsWhatGitIgnores for 7 days, and then no longer.
func TestPruneKeepsWhatGitIgnores(t *testing.T) {
	t.Parallel()
	w, a, trash := pruned(t)
	other := filepath.Join(filepath.Dir(trash), "somebody's")
	must(t, os.Mkdir(other, 0o777))
	text, err := os.ReadFile(filepath.Join(trash, "secrets.log"))
	if err != nil || string(text) != "ignored" {
		t.Errorf("in the trash: %q, %v", text, err)
	}
	w.clock.Advance(7*24*time.Hour - time.Second)
	_, err = a.Prune(t.Context())
	must(t, err)
	if _, err := os.Stat(trash); err != nil {
		t.Error(err)
	}
	w.clock.Advance(time.Second)
	_, err = a.Prune(t.Context())
	must(t, err)
	if _, err := os.Stat(trash); err == nil {
		t.Error("it is kept for longer than 7 days")
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("what prune did not make is gone: %v", err)
	}
}

// TestPruneIsCutOffAfterTheMove finishes it the next time, and forgets nothing
// that is only unplugged.
func TestPruneIsCutOffAfterTheMove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	_, err := a.land(s.Task)
	must(t, err)
	b := a.bound(s.Task)
	away := b.Path + ".elsewhere"
	must(t, os.Rename(b.Path, away))
	done, err := a.Prune(t.Context())
	must(t, err)
	equal(t, "one that is away is forgotten", done[0].Removed, false)
	trash := filepath.Join(a.Parent, ".trash", filepath.Base(b.Path)+".1")
	must(t, os.MkdirAll(filepath.Dir(trash), 0o777))
	trash = filepath.Join(filepath.Dir(trash), filepath.Base(b.Path)+".99999999999") // not old enough to go
	must(t, os.Rename(away, trash))
	done, err = a.Prune(t.Context())
	must(t, err)
	equal(t, "the cut off removal is finished", done[0].Removed, true)
	left, err := worktree.Find(a.Repo.Info())
	must(t, err)
	equal(t, "registered", len(left), 0)
	if _, err := os.Stat(trash); err != nil {
		t.Error(err)
	}
}
