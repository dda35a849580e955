package work_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
	"coord/work"
	"coord/worktree"
)

// TestPruneKeepsWhatIsOnlyHere changes a landed task's worktree and looks
// whether it is still removed.
func TestPruneKeepsWhatIsOnlyHere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change  func(w *world, a *agent, b worktree.Bound)
		removed bool
		branch  bool // stays
		kept    string
	}{
		"nothing":           {func(*world, *agent, worktree.Bound) {}, true, false, ""},
		"an ignored file":   {func(w *world, _ *agent, b worktree.Bound) { w.write(b.Path, "made.log", "x") }, true, false, ""},
		"a changed file":    {func(w *world, _ *agent, b worktree.Bound) { w.write(b.Path, "README", "x") }, false, true, "not saved"},
		"an untracked file": {func(w *world, _ *agent, b worktree.Bound) { w.write(b.Path, "sub/untracked", "x") }, false, true, "not saved"},
		"a further commit": {func(w *world, _ *agent, b worktree.Bound) {
			w.write(b.Path, "README", "x")
			w.run(b.Path, "commit", "-aqm", "further")
		}, false, true, "not saved"},
		"a further commit without a change": {func(w *world, _ *agent, b worktree.Bound) {
			w.run(b.Path, "commit", "-q", "--allow-empty", "-m", "further")
		}, false, true, "not saved"},
		"a commit on the branch, left for another": {func(w *world, _ *agent, b worktree.Bound) {
			w.run(b.Path, "switch", "-q", "-c", "aside"+string(b.Task))
			w.run(b.Path, "switch", "-q", b.Branch)
			w.write(b.Path, "README", "x")
			w.run(b.Path, "commit", "-aqm", "further")
			w.run(b.Path, "switch", "-q", "aside"+string(b.Task))
		}, true, true, ""},
		"another repository inside": {func(w *world, _ *agent, b worktree.Bound) { w.run(b.Path, "init", "-q", "inside") }, false, true, "cannot be told"},
		"a lock":                    {func(w *world, a *agent, b worktree.Bound) { w.run(a.Repo.Info().Root, "worktree", "lock", b.Path) }, false, true, "locked"},
		"its own directory": {func(w *world, a *agent, b worktree.Bound) {
			repo, err := w.git.Open(w.t.Context(), b.Path)
			must(w.t, err)
			a.Repo = repo
		}, false, true, "runs in it"},
		"a remote that lost the work": {func(w *world, _ *agent, b worktree.Bound) {
			w.run(w.bare, "update-ref", "refs/heads/main", "main~1")
			w.run(w.bare, "update-ref", "-d", w.detail(b.Task).Submissions[0].Ref)
		}, false, true, "not saved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, coord.ReviewNone)
			a := w.agent("alpha", w.clone("clone"))
			s := a.submitted("x", "new", "1")
			_, err := a.land(s.Task)
			must(t, err)
			b := a.bound(s.Task)
			c.change(w, a, b)
			done, err := a.Prune(t.Context())
			must(t, err)
			if len(done) != 1 || done[0].Removed != c.removed || !strings.Contains(done[0].Kept, c.kept) {
				t.Errorf("got %+v", done)
			}
			_, err = os.Stat(b.Path)
			equal(t, "it is gone", err != nil, c.removed)
			_, err = w.try(filepath.Join(w.top, "clone"), "rev-parse", "--verify", "-q", "refs/heads/"+b.Branch)
			equal(t, "the branch stays", err == nil, c.branch)
		})
	}
}

func TestPruneAnAttemptThatGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	b := a.start(w.task("x"))
	kept := func(why string) {
		t.Helper()
		done, err := a.Prune(t.Context())
		must(t, err)
		if len(done) != 1 || done[0].Removed || !strings.Contains(done[0].Kept, why) {
			t.Errorf("got %+v", done)
		}
	}
	kept("live")
	w.clock.Advance(lease + grace)
	kept("expired")
	// Resumed without this binding hearing of it: the new generation works here.
	old := b.Binding
	_, err := a.Start(t.Context(), work.StartOptions{})
	must(t, err)
	must(t, old.Save(b.GitDir))
	kept("live")
}

// TestPruneRemoteRefs removes the refs of a landed task only where they hold
// what was recorded.
func TestPruneRemoteRefs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	var refs [2][2]string
	for i := range refs {
		id := w.task("x")
		b := a.start(id)
		w.write(b.Path, "half"+string(id), "1")
		c, err := a.Checkpoint(t.Context(), b, "half", "")
		must(t, err)
		s := a.finish(b, "whole"+string(id), "1")
		_, err = a.land(id)
		must(t, err)
		refs[i] = [2]string{c.Ref, s.Ref}
	}
	moved := w.pushed("else", "x")
	w.run(w.bare, "update-ref", refs[1][0], moved)
	done, err := a.Prune(t.Context())
	must(t, err)
	equal(t, "removed", len(done), 2)
	equal(t, "refs of the first", len(done[0].Refs), 2)
	equal(t, "refs of the second", strings.Join(done[1].Refs, " "), refs[1][1])
	for _, r := range refs[0] {
		equal(t, r, w.remote(r), "")
	}
	equal(t, "the moved ref", w.remote(refs[1][0]), moved)
}

// TestPruneAReleasedWorktree lets go what a checkpoint holds on the remote,
// and keeps its ref: the task is not landed.
func TestPruneAReleasedWorktree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewAgent)
	a := w.agent("alpha", w.clone("clone"))
	b := a.start(w.task("x"))
	w.write(b.Path, "half", "1")
	out, err := a.Release(t.Context(), b, "no time", nil)
	must(t, err)
	done, err := a.Prune(t.Context())
	must(t, err)
	equal(t, "removed", done[0].Removed, true)
	equal(t, "the checkpoint", w.remote(out.Checkpoint.Ref), string(out.Checkpoint.Commit))
	// A review's worktree holds the candidate and nothing else.
	s := a.submitted("y", "new", "1")
	z := w.agent("bravo", w.clone("two"))
	_, err = z.Start(t.Context(), work.StartOptions{Kind: coord.KindReview})
	must(t, err)
	_, err = z.Review(t.Context(), z.bound(s.Reviews[0]), coord.RecordReview{Judgement: coord.Judgement{Verdict: coord.VerdictApproved, Note: "fine"}})
	must(t, err)
	done, err = z.Prune(t.Context())
	must(t, err)
	equal(t, "removed", done[0].Removed, true)
}

// TestPruneScratch removes what a killed landing left to verify in, and not
// what a landing under way uses.
func TestPruneScratch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, coord.ReviewNone)
	a := w.agent("alpha", w.clone("clone"))
	s := a.submitted("x", "new", "1")
	w.pushed("outside", "1")
	root := a.Repo.Info().Root
	leftover := filepath.Join(a.Parent, ".landing-"+string(s.Task)+".l9-123", "tree")
	w.run(root, "worktree", "add", "-q", "--detach", leftover, "HEAD")
	w.write(leftover, "made", "by a check")
	halfGone := filepath.Join(a.Parent, ".landing-"+string(s.Task)+".l8-123", "tree")
	elsewhere := filepath.Join(t.TempDir(), ".landing-"+string(s.Task)+".l7-123", "tree")
	for _, dir := range []string{halfGone, elsewhere} {
		w.run(root, "worktree", "add", "-q", "--detach", dir, "HEAD")
		w.write(dir, "made", "by a check")
		must(t, os.Remove(filepath.Join(dir, ".git"))) // as a killed git worktree remove
	}
	a.RunCheck = func(_ context.Context, dir string, c coord.Check) coord.Run {
		_, err := a.Prune(t.Context())
		must(t, err)
		return w.check(t.Context(), dir, c)
	}
	_, err := a.land(s.Task)
	must(t, err)
	if left, _ := filepath.Glob(filepath.Join(a.Parent, ".landing-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if trees := w.run(root, "worktree", "list"); strings.Count(trees, ".landing-") != 1 {
		t.Errorf("registered: %s", trees)
	}
	if _, err := os.Stat(filepath.Join(elsewhere, "made")); err != nil {
		t.Errorf("outside the directory of worktrees: %v", err)
	}
}
