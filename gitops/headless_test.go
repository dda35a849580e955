package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDropHeadless fetches although Git was killed over a work tree before it
// had given it a commit, which stops Git itself, and leaves what a git is
// making and what people locked.
func TestDropHeadless(t *testing.T) {
	null := strings.Repeat("0", 40) + "\n"
	head := func(text string) func(f *fixture, admin string) {
		return func(f *fixture, admin string) { f.writeAt(filepath.Join(admin, "HEAD"), text) }
	}
	for _, test := range []struct {
		name, locked string
		cut          func(f *fixture, admin string)
		stays        bool
	}{
		{"null object", initializing, head(null), false},
		{"null object of SHA-256", initializing, head(strings.Repeat("0", 64) + "\n"), false},
		{"empty", initializing, head(""), false},
		{"none", initializing, func(_ *fixture, admin string) { _ = os.Remove(filepath.Join(admin, "HEAD")) }, false},
		{"without a place", initializing, func(f *fixture, admin string) {
			head(null)(f, admin)
			_ = os.Remove(filepath.Join(admin, "gitdir"))
		}, false},
		{"with a commit", initializing, func(*fixture, string) {}, true},
		{"with a branch", initializing, head("ref: refs/heads/main\n"), true},
		{"locked by somebody", "away\n", func(f *fixture, admin string) { _ = os.Remove(filepath.Join(admin, "HEAD")) }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.git.patience = 30 * time.Millisecond
			c := f.commit("one", "a", "1\n")
			f.bareRemote()
			r := f.open()
			dir := f.beside("half")
			if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: dir, Start: c}); err != nil {
				t.Fatal(err)
			}
			admin := filepath.Join(f.dir, ".git", "worktrees", "half")
			if !test.stays {
				_ = os.Remove(filepath.Join(dir, "a"))
			}
			test.cut(f, admin)
			f.writeAt(filepath.Join(admin, "locked"), test.locked)
			if dropped, err := r.DropHeadless(t.Context()); err != nil || dropped == test.stays {
				t.Errorf("dropped: %v, %v", dropped, err)
			}
			_, err := os.Lstat(admin)
			_, at := os.Lstat(dir)
			if os.IsNotExist(err) == test.stays || test.stays && at != nil || test.name == "null object" && !os.IsNotExist(at) {
				t.Errorf("registered: %v; its directory: %v", err, at)
			}
			if !test.stays {
				f.run("fsck")
			}
		})
	}
}

func TestFetchAfterAKilledWorktree(t *testing.T) {
	f := newFixture(t)
	f.git.patience = 30 * time.Millisecond
	c := f.commit("one", "a", "1\n")
	f.bareRemote()
	f.run("push", "-q", "origin", "main")
	r := f.open()
	if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: f.beside("half"), Start: c}); err != nil {
		t.Fatal(err)
	}
	admin := filepath.Join(f.dir, ".git", "worktrees", "half")
	f.writeAt(filepath.Join(admin, "HEAD"), strings.Repeat("0", 40)+"\n")
	f.writeAt(filepath.Join(admin, "locked"), initializing)
	if err := r.Fetch(t.Context(), "origin", "+refs/heads/main:refs/remotes/origin/main"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(f.beside("half"), "a")); err != nil {
		t.Errorf("a file that nothing says is saved: %v", err)
	}
}

// A git that is slow to make a work tree keeps it.
func TestDropHeadlessWaitsForAGitAtWork(t *testing.T) {
	f := newFixture(t)
	f.git.patience = time.Minute
	c := f.commit("one", "a", "1\n")
	r := f.open()
	if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: f.beside("half"), Start: c}); err != nil {
		t.Fatal(err)
	}
	admin := filepath.Join(f.dir, ".git", "worktrees", "half")
	f.writeAt(filepath.Join(admin, "HEAD"), strings.Repeat("0", 40)+"\n")
	f.writeAt(filepath.Join(admin, "locked"), initializing)
	time.AfterFunc(60*time.Millisecond, func() { f.writeAt(filepath.Join(admin, "HEAD"), string(c)+"\n") })
	if dropped, err := r.DropHeadless(t.Context()); err != nil || dropped {
		t.Errorf("dropped: %v, %v", dropped, err)
	}
	if _, err := os.Lstat(filepath.Join(f.beside("half"), "a")); err != nil {
		t.Error(err)
	}
}
