package gitops

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
)

func TestOpenFromAnywhereInside(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "deep/er/x", "x")
	root, err := filepath.EvalSymlinks(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	want := Info{Root: root, GitDir: filepath.Join(root, ".git"), CommonDir: filepath.Join(root, ".git"), ObjectFormat: "sha1"}
	for _, dir := range []string{".", "deep", "deep/er"} {
		same(t, dir, f.openAt(f.path(dir)).Info(), want)
	}
	linked := filepath.Join(filepath.Dir(f.dir), "linked")
	f.run("worktree", "add", "-q", linked)
	info := f.openAt(linked).Info()
	same(t, "common directory", info.CommonDir, want.CommonDir)
	same(t, "own Git directory", info.GitDir, filepath.Join(root, ".git", "worktrees", "linked"))
}

func TestOpenBare(t *testing.T) {
	f := newFixture(t)
	bare := f.bareRemote()
	r := f.openAt(bare)
	if i := r.Info(); !i.Bare || i.Root != "" {
		t.Errorf("info of a bare repository is %+v", i)
	}
	_, err := r.Snapshot(t.Context())
	wantCode(t, err, coord.CodeSetup)
}

func TestOpenRefuses(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "x", "x")
	f.run("init", "-q", "--bare", "embedded.git")
	linked := filepath.Join(filepath.Dir(f.dir), "linked")
	f.run("worktree", "add", "-q", linked)
	copied := filepath.Join(filepath.Dir(f.dir), "copied")
	if err := os.CopyFS(copied, os.DirFS(linked)); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(filepath.Dir(f.dir), "broken", ".git")
	if err := os.MkdirAll(broken, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, dir, says string }{
		{"outside", f.home, "not in a Git repository"},
		{"missing", filepath.Join(f.home, "nowhere"), "not a directory"},
		{"inside a Git directory", f.path(".git/refs"), "inside a Git directory"},
		{"bare repository in a work tree", f.path("embedded.git"), "not trusted"},
		{"copied worktree", copied, "registered as"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := f.git.Open(t.Context(), c.dir)
			wantCode(t, err, coord.CodeSetup)
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q does not say %q", err, c.says)
			}
		})
	}
}

func TestGitIsMissingOrOld(t *testing.T) {
	dir := t.TempDir()
	_, err := New([]string{"PATH=" + dir}).Open(t.Context(), dir)
	wantCode(t, err, coord.CodeSetup)
	for out, ok := range map[string]bool{
		"git version 2.38.0\n": true, "git version 2.39.5 (Apple Git-154)\n": true, "git version 2.47.1.windows.2": true,
		"git version 3.0.0": true, "git version 2.37.9\n": false, "git version 1.99.0": false, "hub version 2.40": false,
	} {
		if err := checkVersion(out); (err == nil) != ok {
			t.Errorf("%q: %v", out, err)
		}
	}
}

func TestEnvironmentIsScrubbed(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "x", "x")
	other := newFixture(t)
	env := append(f.env, "GIT_DIR="+other.path(".git"), "GIT_WORK_TREE="+other.dir, "GIT_INDEX_FILE=/nowhere",
		"GIT_OBJECT_DIRECTORY=/nowhere", "GIT_NAMESPACE=x", "GIT_CEILING_DIRECTORIES="+f.dir, "GIT_TRACE=1", "LC_ALL=de_DE.UTF-8")
	r, err := New(env).Open(t.Context(), f.dir)
	if err != nil {
		t.Fatal(err)
	}
	h := must[Head](t)(r.Head(t.Context()))
	same(t, "commit", h.Commit, f.run("rev-parse", "HEAD"))
}

func TestAnOuterRepositoryIsNeverPicked(t *testing.T) {
	f := newFixture(t)
	f.commit("outer", "x", "x")
	f.run("init", "-q", "inner")
	r := f.openAt(f.path("inner"))
	f.remove("inner/.git")
	_, err := r.Snapshot(t.Context())
	if err == nil {
		t.Fatal("the snapshot is of the outer repository")
	}
}

func TestSanitise(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n":                                         "plain",
		"fatal: https://user:secret@host/x: no":           "fatal: https://***@host/x: no",
		"https://tok@en@host/x":                           "https://***@host/x",
		"remote: \x1b]0;owned\x07\r\nremote: \x1b[31mred": "remote: \\x1b]0;owned\\x07\nremote: \\x1b[31mred",
		"bad \xff byte":                                   `bad \xff byte`,
		"right \u202eto left":                             `right \u202eto left`,
		"grüße 日本":                                        "grüße 日本",
		strings.Repeat("x", 5000):                         "… " + strings.Repeat("x", shown),
		"ssh://git@host:22/p fails":                       "ssh://***@host:22/p fails",
	} {
		if got := sanitise(in); got != want {
			t.Errorf("sanitise(%q)\n got %q\nwant %q", in, got, want)
		}
	}
}
