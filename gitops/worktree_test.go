package gitops

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
)

func (f *fixture) beside(name string) string { return filepath.Join(filepath.Dir(f.dir), name) }

func TestAddWorktree(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "a", "1")
	f.commit("later", "a", "2")
	f.write("a", "dirty")
	r := f.open()
	before := f.run("status", "--porcelain")
	path := f.beside("parent/with späce/pay-1")
	if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: path, Branch: "coord/pay-1", Start: base}); err != nil {
		t.Fatal(err)
	}
	same(t, "source checkout", f.run("status", "--porcelain"), before)
	w := f.openAt(path)
	same(t, "head", must[Head](t)(w.Head(t.Context())), Head{Commit: base, Branch: "coord/pay-1"})
	same(t, "status", must[[]Change](t)(w.Status(t.Context())), []Change{})
	if _, err := f.try(f.dir, "config", "--get-regexp", `^branch\.coord`); err == nil {
		t.Error("the branch tracks something")
	}
	trees := must[[]Worktree](t)(r.Worktrees(t.Context()))
	same(t, "list", []any{len(trees), trees[0].Main, trees[1].Branch, trees[1].Head, trees[1].Main}, []any{2, true, "coord/pay-1", base, false})

	detached := f.beside("detached")
	if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: detached, Start: base}); err != nil {
		t.Fatal(err)
	}
	same(t, "detached", must[Head](t)(f.openAt(detached).Head(t.Context())), Head{Commit: base, Detached: true})
	f.run("branch", "existing", string(base))
	if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: f.beside("existing"), Branch: "existing"}); err != nil {
		t.Fatal(err)
	}
}

func TestAddWorktreeRefusesAndLeavesNothing(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "a", "1", ".gitattributes", "a filter=bad\n")
	f.run("branch", "taken")
	f.write("../full/file", "mine")
	r := f.open()
	state := func() string { return f.run("for-each-ref") + f.run("worktree", "list") }
	before := state()
	missing := OID(strings.Repeat("1", 40))
	for _, c := range []struct {
		name string
		spec WorktreeSpec
		code coord.Code
	}{
		{"branch exists", WorktreeSpec{Path: f.beside("n"), Branch: "taken", Start: base}, coord.CodeStateConflict},
		{"path exists", WorktreeSpec{Path: f.beside("full"), Branch: "b", Start: base}, coord.CodeStateConflict},
		{"missing commit", WorktreeSpec{Path: f.beside("n"), Branch: "b", Start: missing}, coord.CodeNotFound},
		{"missing overlay", WorktreeSpec{Path: f.beside("n"), Branch: "b", Start: base, Overlay: missing}, coord.CodeNotFound},
		{"branch is checked out", WorktreeSpec{Path: f.beside("n/m"), Branch: "main"}, coord.CodeStateConflict},
		{"no such branch", WorktreeSpec{Path: f.beside("n/m"), Branch: "nope"}, coord.CodeStateConflict},
		{"branch is below another", WorktreeSpec{Path: f.beside("n"), Branch: "main/x", Start: base}, coord.CodeStateConflict},
		{"relative path", WorktreeSpec{Path: "n", Branch: "b", Start: base}, coord.CodeBadRequest},
		{"option as branch", WorktreeSpec{Path: f.beside("n"), Branch: "--force", Start: base}, coord.CodeBadRequest},
		{"nothing to check out", WorktreeSpec{Path: f.beside("n")}, coord.CodeBadRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantCode(t, r.AddWorktree(t.Context(), c.spec), c.code)
			same(t, "state", state(), before)
			if _, err := os.Stat(f.beside("n")); err == nil {
				t.Error("a directory is left behind")
			}
		})
	}
	f.run("config", "filter.bad.smudge", "false")
	f.run("config", "filter.bad.required", "true")
	wantCode(t, r.AddWorktree(t.Context(), WorktreeSpec{Path: f.beside("n"), Branch: "b", Start: base}), coord.CodeStateConflict)
	same(t, "state after a failed checkout", state(), before)
	if _, err := os.Stat(f.beside("n")); err == nil {
		t.Error("a directory is left behind")
	}
	same(t, "file of others", string(must[[]byte](t)(os.ReadFile(f.beside("full/file")))), "mine")
}

// A git that is killed outright cleans nothing up itself.
func TestAddWorktreeKilled(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "a", "1", ".gitattributes", "b filter=kill\n", "b", "1")
	f.run("config", "filter.kill.smudge", "kill -9 0")
	checkNothingMade(t, f, func() {
		wantCode(t, f.open().AddWorktree(t.Context(), WorktreeSpec{Path: f.beside("n"), Branch: "b", Start: base}), coord.CodeUnavailable)
	})
}

// checkNothingMade holds a failing addition at the path "n" to leaving nothing.
func checkNothingMade(t *testing.T, f *fixture, add func()) {
	t.Helper()
	before := f.run("for-each-ref") + f.run("worktree", "list")
	add()
	same(t, "state", f.run("for-each-ref")+f.run("worktree", "list"), before)
	if _, err := os.Stat(f.beside("n")); err == nil {
		t.Error("a directory is left behind")
	}
	if _, err := os.Stat(f.path(".git/worktrees")); err == nil {
		t.Error("Git still knows the worktree")
	}
}

func TestAddWorktreeInterrupted(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "a", "1", ".gitattributes", "a filter=slow\n")
	started := f.beside("started")
	f.run("config", "filter.slow.smudge", "touch '"+started+"'; exec sleep 600")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for tick := time.NewTicker(time.Millisecond); ; <-tick.C {
			if _, err := os.Stat(started); err == nil {
				cancel()
				return
			}
		}
	}()
	checkNothingMade(t, f, func() {
		wantCode(t, f.open().AddWorktree(ctx, WorktreeSpec{Path: f.beside("n"), Branch: "b", Start: base}), coord.CodeUnavailable)
	})
}

func TestAddWorktreeTriesAgain(t *testing.T) {
	for _, end := range []string{"exit 1", "kill -9 0"} {
		t.Run(end, func(t *testing.T) {
			f := newFixture(t)
			base := f.commit("base", "a", "1", "b", "1", ".gitattributes", "b filter=once\n")
			mark := f.beside("mark")
			f.run("config", "filter.once.smudge", "test -e '"+mark+"' && cat || { touch '"+mark+"'; "+end+"; }")
			f.run("config", "filter.once.clean", "cat")
			f.run("config", "filter.once.required", "true")
			if err := f.open().AddWorktree(t.Context(), WorktreeSpec{Path: f.beside("n"), Branch: "b", Start: base}); err != nil {
				t.Fatal(err)
			}
			same(t, "status", f.runIn(f.beside("n"), "status", "--porcelain"), "")
			same(t, "worktrees", len(must[[]Worktree](t)(f.open().Worktrees(t.Context()))), 2)
		})
	}
}

func TestAddWorktreeTakesBackAFailedOverlay(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "a", "1")
	f.write(".gitattributes", "x filter=bad\n")
	f.write("x", "1")
	r := f.open()
	tree := must[OID](t)(r.KeepSnapshot(t.Context()))
	f.run("config", "filter.bad.smudge", "false")
	f.run("config", "filter.bad.required", "true")
	checkNothingMade(t, f, func() {
		err := r.AddWorktree(t.Context(), WorktreeSpec{Path: f.beside("n"), Branch: "b", Start: base, Overlay: tree})
		wantCode(t, err, coord.CodeInternal)
	})
}

func TestAddWorktreeOverMissingOne(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "a", "1")
	r := f.open()
	spec := WorktreeSpec{Path: f.beside("n"), Branch: "b", Start: base}
	if err := r.AddWorktree(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(spec.Path); err != nil {
		t.Fatal(err)
	}
	same(t, "missing", must[[]Worktree](t)(r.Worktrees(t.Context()))[1].Missing, true)
	spec.Branch = "c"
	err := r.AddWorktree(t.Context(), spec)
	wantCode(t, err, coord.CodeStateConflict)
	if !strings.Contains(err.(*coord.Error).Next[0], "worktree prune") {
		t.Errorf("next: %v", err.(*coord.Error).Next)
	}
}

func TestAddWorktreeInParallel(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "a", "1")
	var wg sync.WaitGroup
	errs := make([]error, 20)
	for i := range errs {
		r := f.open()
		wg.Go(func() {
			errs[i] = r.AddWorktree(t.Context(), WorktreeSpec{Path: f.beside(fmt.Sprintf("wt/%d", i)), Branch: fmt.Sprintf("coord/pay-%d", i), Start: base})
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	same(t, "worktrees", len(must[[]Worktree](t)(f.open().Worktrees(t.Context()))), 21)
}

func TestOverlayBringsASnapshotBack(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "mod", "1", "gone", "1", "exe", "1", ".gitignore", "*.log\n")
	f.write("mod", "2")
	f.remove("gone")
	chmod(f, "exe", 0o755)
	f.write("new/file", "1")
	f.write("forced.log", "1")
	f.run("add", "-f", "forced.log")
	r := f.open()
	tree := must[OID](t)(r.KeepSnapshot(t.Context()))
	path := f.beside("resumed")
	if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: path, Branch: "b", Start: base, Overlay: tree}); err != nil {
		t.Fatal(err)
	}
	w := f.openAt(path)
	same(t, "snapshot", must[OID](t)(w.Snapshot(t.Context())), tree)
	same(t, "status", f.runIn(path, "status", "--porcelain"), " M exe\nA  forced.log\n D gone\n M mod\n?? new/")
}
