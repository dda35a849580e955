package gitops

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
)

// shapes are work trees whose snapshot must be what Git itself would add.
var shapes = []struct {
	name string
	make func(f *fixture)
}{
	{"clean", func(f *fixture) {}},
	{"modified", func(f *fixture) { f.write("a.txt", "changed\n") }},
	{"deleted", func(f *fixture) { f.remove("a.txt") }},
	{"untracked", func(f *fixture) { f.write("new/deep/x", "x") }},
	{"ignored", func(f *fixture) { f.write(".gitignore", "*.log\n"); f.write("x.log", "x") }},
	{"excluded by info/exclude", func(f *fixture) { f.write(".git/info/exclude", "secret\n"); f.write("secret", "x") }},
	{"tracked but ignored", func(f *fixture) {
		f.write("x.log", "1")
		f.run("add", "-f", "x.log")
		f.commit("log", ".gitignore", "*.log\n")
		f.write("x.log", "2")
	}},
	{"executable bit", func(f *fixture) { chmod(f, "a.txt", 0o755) }},
	{"executable bit off by configuration", func(f *fixture) { f.run("config", "core.fileMode", "false"); chmod(f, "a.txt", 0o755) }},
	{"symlinks", func(f *fixture) { symlink(f, "/etc/passwd", "link"); f.remove("a.txt"); symlink(f, "dir", "a.txt") }},
	{"file becomes directory", func(f *fixture) { f.remove("a.txt"); f.write("a.txt/x", "x") }},
	{"directory becomes file", func(f *fixture) { f.remove("dir"); f.write("dir", "x") }},
	{"submodule moved on", func(f *fixture) {
		submodule(f)
		f.runIn(f.path("sub"), "commit", "-q", "--allow-empty", "-m", "on")
	}},
	{"submodule dirty", func(f *fixture) { submodule(f); f.write("sub/s.txt", "dirty") }},
	{"embedded repository", func(f *fixture) {
		f.run("init", "-q", "inner")
		f.runIn(f.path("inner"), "commit", "-q", "--allow-empty", "-m", "x")
	}},
	{"autocrlf", func(f *fixture) { f.run("config", "core.autocrlf", "true"); f.write("crlf", "a\r\nb\r\n") }},
	{"autocrlf and safecrlf", func(f *fixture) {
		f.run("config", "core.autocrlf", "input")
		f.run("config", "core.safecrlf", "true")
		f.write("crlf", "a\r\nb\n")
	}},
	{"text attribute", func(f *fixture) { f.write(".gitattributes", "*.txt text eol=crlf\n"); f.write("n.txt", "a\r\nb\r\n") }},
	{"changed in the same second", func(f *fixture) { racy(f) }},
	{"intent to add", func(f *fixture) { f.write("later", "x"); f.run("add", "-N", "later") }},
	{"staged, then changed", func(f *fixture) { f.write("a.txt", "one"); f.run("add", "a.txt"); f.write("a.txt", "two!") }},
	{"staged, then deleted", func(f *fixture) { f.write("n", "one"); f.run("add", "n"); f.remove("n") }},
	{"staged only", func(f *fixture) { f.write("n", "one"); f.run("add", "n") }},
	{"removed from the index", func(f *fixture) { f.run("rm", "-q", "--cached", "a.txt") }},
	{"assume unchanged", func(f *fixture) { f.run("update-index", "--assume-unchanged", "a.txt"); f.write("a.txt", "x") }},
	{"odd names", func(f *fixture) {
		f.write("with space/and\ttab", "1")
		f.write("line\nbreak", "2")
		f.write("grüße/日本", "3")
		f.write("\x1b]0;title", "4")
		f.write(":(top)magic*", "5")
		f.write("-n", "6")
	}},
	{"no commit yet", nil},
	{"sparse checkout", func(f *fixture) {
		f.run("sparse-checkout", "set", "--no-cone", "/a.txt")
		f.write("dir/outside", "x")
	}},
	{"split index", func(f *fixture) {
		f.run("config", "core.splitIndex", "true")
		f.run("update-index", "--split-index")
		for i := range 30 {
			f.write(fmt.Sprint("new", i), "x")
		}
	}},
	{"index version 4", func(f *fixture) { f.run("update-index", "--index-version=4"); f.write("a.txt", "changed") }},
	{"conflicted merge", func(f *fixture) {
		conflict(f)
	}},
	{"clean filter", func(f *fixture) {
		f.run("config", "filter.up.clean", "tr a-z A-Z")
		f.write(".gitattributes", "*.up filter=up\n")
		f.write("x.up", "shout")
	}},
}

func chmod(f *fixture, name string, mode os.FileMode) {
	if err := os.Chmod(f.path(name), mode); err != nil {
		f.t.Fatal(err)
	}
}

func symlink(f *fixture, target, name string) {
	if err := os.Symlink(target, f.path(name)); err != nil {
		f.t.Skip("no symbolic links here")
	}
}

func submodule(f *fixture) {
	lib := filepath.Join(filepath.Dir(f.dir), "lib")
	f.run("init", "-q", lib)
	if err := os.WriteFile(filepath.Join(lib, "s.txt"), []byte("s"), 0o666); err != nil {
		f.t.Fatal(err)
	}
	f.runIn(lib, "add", "-A")
	f.runIn(lib, "commit", "-q", "-m", "lib")
	f.run("submodule", "--quiet", "add", lib, "sub")
	f.run("commit", "-q", "-m", "sub")
}

// racy makes a change that only the index's own time betrays: same size, and
// file and index of one and the same time.
func racy(f *fixture) {
	at := time.Unix(1700000000, 0)
	set := func(p string) {
		if err := os.Chtimes(p, at, at); err != nil {
			f.t.Fatal(err)
		}
	}
	set(f.path("a.txt"))
	f.run("update-index", "--refresh", "-q", "--really-refresh")
	set(f.path(".git/index"))
	f.write("a.txt", strings.Repeat("z", len("hello\n")))
	set(f.path("a.txt"))
}

func conflict(f *fixture) {
	f.run("checkout", "-q", "-b", "side")
	f.commit("side", "a.txt", "side\n")
	f.run("checkout", "-q", "main")
	f.commit("main", "a.txt", "main\n")
	if _, err := f.try(f.dir, "merge", "side"); err == nil {
		f.t.Fatal("the merge did not conflict")
	}
}

func TestV3_SnapshotIsWhatGitWouldAdd(t *testing.T) {
	for _, shape := range shapes {
		for _, linked := range []bool{false, true} {
			name := shape.name
			if linked {
				name += ", linked worktree"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t)
				if shape.make == nil {
					if linked {
						t.Skip("a linked worktree needs a commit")
					}
					f.write("x", "x")
				} else {
					f.commit("base", "a.txt", "hello\n", "dir/b", "b")
					if linked {
						link(f, shape.name)
					}
					shape.make(f)
				}
				checkSnapshot(t, f)
			})
		}
	}
}

// link moves the fixture into a linked worktree.
func link(f *fixture, shape string) {
	switch shape {
	case "excluded by info/exclude", "changed in the same second", "conflicted merge":
		f.t.Skip("the shape writes into the main Git directory")
	}
	f.run("worktree", "add", "-q", "-b", "linked", "../linked")
	f.dir = filepath.Join(filepath.Dir(f.dir), "linked")
}

func checkSnapshot(t *testing.T, f *fixture) {
	t.Helper()
	top := filepath.Dir(f.dir)
	before := listing(t, top)
	r := f.open()
	got := must[OID](t)(r.Snapshot(t.Context()))
	again := must[OID](t)(r.Snapshot(t.Context()))
	if after := listing(t, top); after != before {
		t.Errorf("the snapshot left traces:\n%s", diffLines(before, after))
	}
	same(t, "second snapshot", again, got)
	kept := must[OID](t)(r.KeepSnapshot(t.Context()))
	same(t, "kept snapshot", kept, got)
	f.run("cat-file", "-e", string(kept)+"^{tree}")
	f.run("-c", "core.safecrlf=false", "add", "-A", "--sparse")
	same(t, "tree", got, f.run("write-tree"))
}

func diffLines(a, b string) string {
	seen := map[string]bool{}
	for _, l := range strings.Split(a, "\n") {
		seen[l] = true
	}
	var out []string
	for _, l := range strings.Split(b, "\n") {
		if !seen[l] {
			out = append(out, "+ "+l)
		}
		delete(seen, l)
	}
	for l := range seen {
		out = append(out, "- "+l)
	}
	return strings.Join(out, "\n")
}

func TestV3_SnapshotRunsNothingOfTheRepository(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a")
	trace := filepath.Join(f.home, "ran")
	script := "#!/bin/sh\necho ran >> '" + trace + "'\n"
	for _, hook := range []string{"post-index-change", "pre-commit", "post-checkout", "reference-transaction", "fsmonitor"} {
		f.write(".git/hooks/"+hook, script)
		chmod(f, ".git/hooks/"+hook, 0o755)
	}
	f.write("a", "b")
	f.run("config", "core.fsmonitor", f.path(".git/hooks/fsmonitor"))
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell to run hooks with")
	}
	f.run("status")
	if _, err := os.Stat(trace); err != nil {
		t.Fatal("the hooks of this test do not run at all")
	}
	if err := os.Remove(trace); err != nil {
		t.Fatal(err)
	}
	r := f.open()
	must[OID](t)(r.Snapshot(t.Context()))
	must[[]Change](t)(r.Status(t.Context()))
	must[OID](t)(r.CommitSnapshot(t.Context(), "message"))
	if err := r.AddWorktree(t.Context(), WorktreeSpec{Path: filepath.Join(f.home, "wt"), Branch: "b", Start: OID(f.run("-c", "core.fsmonitor=false", "rev-parse", "HEAD"))}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(trace); err == nil {
		t.Error("a hook or the fsmonitor ran")
	}
}

func TestV3_SnapshotFailsWithGit(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a")
	f.run("init", "-q", "inner") // Git cannot add a repository without a commit
	_, err := f.open().Snapshot(t.Context())
	wantCode(t, err, coord.CodeSetup)
	if !strings.Contains(err.Error(), "inner") {
		t.Errorf("%q does not name the cause", err)
	}
}

func TestV3_SnapshotOfSeveralObjectStores(t *testing.T) {
	f := newFixture(t)
	f.commit("base", "a", "a")
	clone := filepath.Join(filepath.Dir(f.dir), "with:colon \"quote")
	f.run("clone", "-q", "--shared", f.dir, clone)
	f.dir = clone
	f.write("a", "changed")
	checkSnapshot(t, f)
}

func TestV3_SnapshotOfSHA256(t *testing.T) {
	f := newFixture(t, "--object-format=sha256")
	f.commit("base", "a", "a")
	f.write("b", "b")
	checkSnapshot(t, f)
	same(t, "format", f.open().Info().ObjectFormat, "sha256")
}
