package gitops

import (
	"os"
	"path/filepath"
	"testing"

	"coord"
)

// removals are states of a worktree, and whether it may be removed.
var removals = []struct {
	name string
	code coord.Code // "" when it may go
	make func(f *fixture, path string, w Repo) (saved OID)
}{
	{"clean", "", func(f *fixture, path string, w Repo) OID { put(f, path+"/x.log", "ignored"); return "" }},
	{"changed", coord.CodeRequirement, func(f *fixture, path string, w Repo) OID { put(f, path+"/a", "2"); return "" }},
	{"untracked", coord.CodeRequirement, func(f *fixture, path string, w Repo) OID { put(f, path+"/n", "2"); return "" }},
	{"saved", "", func(f *fixture, path string, w Repo) OID {
		put(f, path+"/n", "2")
		return must[OID](f.t)(w.Snapshot(f.t.Context()))
	}},
	{"changed since saved", coord.CodeRequirement, func(f *fixture, path string, w Repo) OID {
		saved := must[OID](f.t)(w.Snapshot(f.t.Context()))
		put(f, path+"/n", "2")
		return saved
	}},
	{"commit on no branch", coord.CodeRequirement, func(f *fixture, path string, w Repo) OID {
		f.runIn(path, "commit", "-q", "--allow-empty", "-m", "x")
		return ""
	}},
	{"repository inside", coord.CodeRequirement, func(f *fixture, path string, w Repo) OID {
		f.runIn(path, "init", "-q", "deep/inner")
		f.runIn(path+"/deep/inner", "commit", "-q", "--allow-empty", "-m", "x")
		return must[OID](f.t)(w.Snapshot(f.t.Context()))
	}},
	{"unfinished cherry-pick", coord.CodeRequirement, func(f *fixture, path string, w Repo) OID {
		put(f, w.Info().GitDir+"/CHERRY_PICK_HEAD", f.run("rev-parse", "HEAD"))
		return ""
	}},
	{"locked", coord.CodeStateConflict, func(f *fixture, path string, w Repo) OID { f.run("worktree", "lock", path); return "" }},
}

func put(f *fixture, path, text string) {
	f.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		f.t.Fatal(err)
	}
}

func TestRemoveWorktree(t *testing.T) {
	f := newFixture(t)
	base := f.commit("base", "a", "1", ".gitignore", "*.log\n")
	r := f.open()
	add := func(t *testing.T) (string, Repo) {
		path := filepath.Join(t.TempDir(), "wt")
		if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: path, Start: base}); err != nil {
			t.Fatal(err)
		}
		return path, f.openAt(path)
	}
	for _, c := range removals {
		t.Run(c.name, func(t *testing.T) {
			path, w := add(t)
			saved := c.make(f, path, w)
			err := r.RemoveWorktree(t.Context(), path, saved)
			wantCode(t, err, c.code)
			_, statErr := os.Stat(path + "/a")
			if gone := os.IsNotExist(statErr); gone != (c.code == "") {
				t.Errorf("gone: %v", gone)
			}
		})
	}
	path, w := add(t)
	if err := w.RemoveWorktree(t.Context(), path, ""); err != nil {
		t.Errorf("from inside: %v", err)
	}
	wantCode(t, r.RemoveWorktree(t.Context(), f.dir, ""), coord.CodeStateConflict)
	wantCode(t, r.RemoveWorktree(t.Context(), f.home, ""), coord.CodeNotFound)
	wantCode(t, r.RemoveWorktree(t.Context(), "wt", ""), coord.CodeBadRequest)
}
