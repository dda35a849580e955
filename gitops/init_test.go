package gitops

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
)

func TestMakeRemote(t *testing.T) {
	f := newFixture(t)
	ctx := context.Background()
	f.run("commit", "-q", "--allow-empty", "-m", "Begin")
	repo, err := f.git.Open(ctx, f.dir)
	if err != nil {
		t.Fatal(err)
	}
	path := f.dir + ".git"
	// An interrupted call left an empty bare repository behind.
	f.run("init", "-q", "--bare", path)
	if err := f.git.MakeRemote(ctx, repo, "origin", path, "main"); err != nil {
		t.Fatal(err)
	}
	here := strings.TrimSpace(f.run("rev-parse", "main"))
	if there := strings.TrimSpace(f.runIn(path, "rev-parse", "refs/heads/main")); there != here {
		t.Errorf("the remote has %s, not %s", there, here)
	}
	if up := strings.TrimSpace(f.run("rev-parse", "--abbrev-ref", "main@{upstream}")); up != "origin/main" {
		t.Errorf("main tracks %q", up)
	}
}

func TestMakeRemoteLeavesOthersAlone(t *testing.T) {
	ctx := context.Background()
	for name, occupy := range map[string]func(f *fixture, path string){
		"a file":              func(f *fixture, path string) { write(t, path, "mine\n") },
		"a directory":         func(f *fixture, path string) { mustMkdir(t, path) },
		"another repository":  func(f *fixture, path string) { f.run("init", "-q", path) },
		"a filled repository": func(f *fixture, path string) { fillBare(f, path) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.run("commit", "-q", "--allow-empty", "-m", "Begin")
			path := f.dir + ".git"
			occupy(f, path)
			repo, err := f.git.Open(ctx, f.dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.git.MakeRemote(ctx, repo, "origin", path, "main"); coord.CodeOf(err) != coord.CodeStateConflict {
				t.Errorf("got %v, want a state conflict", err)
			}
			if remotes := f.run("remote"); remotes != "" {
				t.Errorf("a remote was added: %s", remotes)
			}
		})
	}
}

func fillBare(f *fixture, path string) {
	other := filepath.Join(f.home, "other")
	f.run("init", "-q", other)
	f.runIn(other, "commit", "-q", "--allow-empty", "-m", "Another")
	f.run("clone", "-q", "--bare", other, path)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func mustMkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
}
