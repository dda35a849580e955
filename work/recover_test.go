package work_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"coord"
	"coord/work"
)

func TestOwnExpiredLeaseIsResumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	id := w.task("x")
	b := a.start(id)
	w.write(b.Path, "new", "uncommitted")
	w.clock.Advance(lease + grace)
	// Resumed, but the answer is lost, and with it the new generation.
	a.svc.around = func(call string, _ int) fault { return fault{after: call == "Resume"} }
	_, err := a.Start(t.Context(), work.StartOptions{})
	equal(t, "lost", errors.Is(err, errLost), true)
	a.svc.around = nil
	s, err := a.Start(t.Context(), work.StartOptions{})
	must(t, err)
	equal(t, "generation", s.Attempt.Generation, int64(2))
	equal(t, "path", s.Worktree.Path, b.Path)
	equal(t, "work", w.run(b.Path, "status", "--porcelain"), "?? new")
	_, err = a.Checkpoint(t.Context(), a.bound(id), "go on", "")
	must(t, err)
	// With the binding gone too, the record still knows the worktree.
	w.clock.Advance(lease + grace)
	must(t, os.Remove(filepath.Join(b.GitDir, "coord.json")))
	s, err = a.Start(t.Context(), work.StartOptions{Task: id})
	must(t, err)
	equal(t, "resumed", s.Resumed, true)
	equal(t, "generation", s.Attempt.Generation, int64(3))
	equal(t, "path", s.Worktree.Path, b.Path)
}

// TestAnotherSessionTakesUpACheckpoint resumes in a second clone: the content
// is the checkpoint's, exactly, and HEAD is the author's own commit.
func TestAnotherSessionTakesUpACheckpoint(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("one"))
	id := w.task("x")
	b := a.start(id)
	w.write(b.Path, "committed", "1")
	w.run(b.Path, "add", "-A")
	w.run(b.Path, "commit", "-q", "-m", "own commit")
	own := w.run(b.Path, "rev-parse", "HEAD")
	w.write(b.Path, "committed", "2")
	w.write(b.Path, "untracked", "3")
	must(t, os.Remove(filepath.Join(b.Path, "README")))
	w.write(b.Path, "forced.log", "an ignored file that is tracked all the same")
	w.run(b.Path, "add", "-f", "forced.log")
	saved, err := a.Checkpoint(t.Context(), b, "half of it", "the other half")
	must(t, err)
	equal(t, "pushed", saved.Pushed, true)
	equal(t, "the remote's ref", w.remote(saved.Ref), string(saved.Commit))
	w.pushed("moved", "on")

	z := w.agent("bravo", w.clone("two"))
	_, err = z.Start(t.Context(), work.StartOptions{Task: id})
	refused(t, err, coord.CodeTaskTaken)
	w.clock.Advance(lease + grace)
	s, err := z.Start(t.Context(), work.StartOptions{})
	must(t, err)
	equal(t, "the task", s.Task.ID, id)
	equal(t, "started from", s.Attempt.StartedFrom, saved.Commit)
	taken := z.bound(id)
	equal(t, "HEAD", w.run(taken.Path, "rev-parse", "HEAD"), own)
	repo, err := w.git.Open(t.Context(), taken.Path)
	must(t, err)
	tree, err := repo.Snapshot(t.Context())
	must(t, err)
	equal(t, "the tree", tree, saved.Tree)

	// The late owner is refused everywhere, and changes nothing.
	before := w.run(w.bare, "for-each-ref")
	w.write(b.Path, "late", "late")
	_, err = a.Checkpoint(t.Context(), b, "late", "")
	refused(t, err, coord.CodeFenced)
	_, err = a.Check(t.Context(), b, nil, nil)
	refused(t, err, coord.CodeFenced)
	_, err = a.Submit(t.Context(), b, work.SubmitOptions{Summary: "late", All: true})
	refused(t, err, coord.CodeFenced)
	_, err = a.Release(t.Context(), b, "late", nil)
	refused(t, err, coord.CodeFenced)
	equal(t, "the remote's refs", w.run(w.bare, "for-each-ref"), before)
	equal(t, "the late branch", w.run(b.Path, "rev-parse", "HEAD"), own)
	if _, err := os.Stat(filepath.Join(b.Path, "late")); err != nil {
		t.Error(err)
	}
	// And goes on with other work.
	other := w.task("other")
	next, err := a.Start(t.Context(), work.StartOptions{})
	must(t, err)
	equal(t, "the next task", next.Task.ID, other)
}

func TestALocalCheckpointElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("one"))
	id := w.task("x")
	b := a.start(id)
	w.write(b.Path, "new", "1")
	w.hook("pre-receive", "echo not today >&2; exit 1\n")
	saved, err := a.Checkpoint(t.Context(), b, "half", "")
	refused(t, err, coord.CodeRemoteRefused, "not today", "this machine only")
	equal(t, "pushed", saved.Pushed, false)
	_, err = a.Release(t.Context(), b, "no time", nil)
	refused(t, err, coord.CodeRemoteRefused)
	saved = w.detail(id).Checkpoints[1] // which the release made first
	equal(t, "not released", w.detail(id).Attempts[0].Standing, coord.StandingLive)
	w.clock.Advance(lease + grace)

	z := w.agent("bravo", w.clone("two"))
	_, err = z.Start(t.Context(), work.StartOptions{Task: id})
	refused(t, err, coord.CodeRecoveryRequired, "never pushed", "--restart")
	equal(t, "attempts", len(w.detail(id).Attempts), 1)
	// In the clone that has it, another session takes it up.
	y := w.agent("yan", a.Repo.Info().Root)
	s, err := y.Start(t.Context(), work.StartOptions{Task: id})
	must(t, err)
	equal(t, "started from", s.Attempt.StartedFrom, saved.Commit)
	equal(t, "work", w.run(s.Worktree.Path, "status", "--porcelain"), "?? new")
}

func TestRestartDeclinesSavedWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("one"))
	id := w.task("x")
	b := a.start(id)
	w.write(b.Path, "new", "1")
	out, err := a.Release(t.Context(), b, "wrong way", nil)
	must(t, err)
	if out.Checkpoint == nil || w.remote(out.Checkpoint.Ref) != string(out.Checkpoint.Commit) {
		t.Fatalf("the dirty worktree was not saved first: %+v", out)
	}
	again, err := a.Release(t.Context(), b, "wrong way", nil)
	must(t, err)
	equal(t, "released once", again.Attempt.ID, out.Attempt.ID)
	for _, lost := range []string{"Claim", "BindWorktree", "nothing"} {
		// Each answer is lost once; the same command goes on with the same attempt.
		a.svc.around = func(call string, _ int) fault { return fault{after: call == lost} }
		_, err = a.Start(t.Context(), work.StartOptions{Task: id, Restart: "another way"})
		a.svc.around = nil
		equal(t, "lost "+lost, errors.Is(err, errLost), lost != "nothing")
	}
	s, err := a.Start(t.Context(), work.StartOptions{Task: id, Restart: "another way"})
	must(t, err)
	equal(t, "generation", s.Attempt.Generation, int64(2))
	equal(t, "clean", w.run(s.Worktree.Path, "status", "--porcelain"), "")
	equal(t, "the saved work is still there", w.remote(out.Checkpoint.Ref), string(out.Checkpoint.Commit))
}
