package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
)

// TestAbandonWorktree removes what a killed git left of a work tree that it
// made, at each of the states that it can be in, and nothing that was finished.
func TestAbandonWorktree(t *testing.T) {
	for name, cut := range map[string]func(f *fixture, dir, admin string){
		"before the files": func(f *fixture, dir, admin string) {
			f.writeAt(filepath.Join(admin, "HEAD"), strings.Repeat("0", 40)+"\n")
		},
		"among the files":   func(f *fixture, dir, _ string) { _ = os.Remove(filepath.Join(dir, "a")) },
		"without directory": func(f *fixture, dir, _ string) { _ = os.RemoveAll(dir) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			c := f.commit("one", "a", "1\n", "b", "1\n")
			r := f.open()
			dir := filepath.Join(filepath.Dir(f.dir), "half")
			if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: dir, Start: c}); err != nil {
				t.Fatal(err)
			}
			admin := filepath.Join(f.dir, ".git", "worktrees", "half")
			if err := r.AbandonWorktree(t.Context(), dir); coord.CodeOf(err) != coord.CodeStateConflict {
				t.Errorf("a finished one: %v", err)
			}
			f.writeAt(filepath.Join(admin, "locked"), "on a disk that is away\n")
			if err := r.AbandonWorktree(t.Context(), dir); coord.CodeOf(err) != coord.CodeStateConflict {
				t.Errorf("one that somebody locked: %v", err)
			}
			f.writeAt(filepath.Join(admin, "locked"), "initializing")
			cut(f, dir, admin)
			if err := r.AbandonWorktree(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Lstat(dir); !os.IsNotExist(err) {
				t.Errorf("the directory is left: %v", err)
			}
			if trees := f.run("worktree", "list"); strings.Contains(trees, "half") {
				t.Errorf("still registered: %s", trees)
			}
			f.run("fsck")
		})
	}
}
