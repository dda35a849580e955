package gitops

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shape is a repository as it is met in the world. Whatever coord reads of it
// must be what git says, with either engine, and the snapshot what git would
// add; or git refuses it too.
type shape struct {
	name string
	init []string         // arguments of git init
	base []string         // name, text pairs of the first commit; none for the usual ones
	make func(f *fixture) // what is done to it then
	flags
}

type flags struct {
	unborn   bool   // there is no first commit
	alone    bool   // not also as a linked work tree
	unix     bool   // names or files that Windows has not
	noCommit bool   // CommitSnapshot refuses it
	refuses  string // git adds nothing, and the refusal names this
	byGit    bool   // too odd for go-git
	partly   bool   // go-git reads it, but asks git for a part
	objects  bool   // reading fetches objects
	stored   bool   // it is about what is stored
}

// The table is spread over files by what the shapes are about. What is stored
// is read in all ways where the shapes differ in that.
func allShapes() []shape {
	stored := slices.Concat(nameShapes, repositoryShapes, referenceShapes)
	for i := range stored {
		stored[i].stored = true
	}
	return slices.Concat(contentShapes, filterShapes, treeShapes, ignoreShapes, indexShapes, submoduleShapes, stored)
}

// build makes the shape; linked puts the work into a linked work tree.
func (s shape) build(t *testing.T, linked bool) *fixture {
	t.Helper()
	f := newFixture(t, s.init...)
	if !s.unborn {
		base := s.base
		if base == nil {
			base = []string{"a.txt", "hello\n", "dir/b", "b"}
		}
		f.commit("base", base...)
	}
	if linked {
		f.run("worktree", "add", "-q", "-b", "linked", "../linked")
		f.dir = f.beside("linked")
	}
	if s.make != nil {
		s.make(f)
	}
	return f
}

// skips says why a variant of the shape is not to be had here.
func (s shape) skips(linked bool) string {
	switch {
	case s.unix && !isUnix:
		return "Windows has no such files"
	case linked && (s.alone || s.unborn):
		return "the shape is about the main work tree"
	}
	return ""
}

func TestV3_ShapesAreReadAsGitDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("a long table of repositories")
	}
	for _, s := range allShapes() {
		for _, linked := range []bool{false, true} {
			name := s.name
			if linked {
				name += ", linked"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if why := s.skips(linked); why != "" {
					t.Skip(why)
				}
				s.check(t, s.build(t, linked), linked)
			})
		}
	}
}

// check compares everything that coord says about the shape with git's own
// answers, and holds the user's files and Git directory against what they were.
func (s shape) check(t *testing.T, f *fixture, linked bool) {
	t.Helper()
	before := listing(t, filepath.Dir(f.dir))
	if !linked || s.stored {
		checkEngines(t, s, f)
	}
	r := f.open()
	same(t, "status", statusText(r.Status(t.Context())), statusByHand(f))
	tree, err := r.Snapshot(t.Context())
	if s.refuses != "" {
		if err == nil || !strings.Contains(err.Error(), s.refuses) {
			t.Errorf("the snapshot gives %s, %v; it must name %q", tree, err, s.refuses)
		}
	} else if err != nil {
		t.Error(err)
	}
	staged, _ := f.byHand("ls-files", "--stage", "-z")
	if strings.Contains("\x00"+staged, "\x00160000 ") && !r.MayHoldSubmodules() {
		t.Error("the index holds a submodule, and none is found")
	}
	seen, _ := r.Survey(t.Context())
	same(t, "surveyed tree", seen.Tree, tree)
	if after := listing(t, filepath.Dir(f.dir)); after != before && !s.objects {
		t.Errorf("traces were left:\n%s", diffLines(before, after))
	}
	if s.refuses != "" {
		if out, err := f.add(f.env); err == nil {
			t.Errorf("git adds it: %s", out)
		}
		return
	}
	same(t, "kept snapshot", must[OID](t)(r.KeepSnapshot(t.Context())), tree)
	if (linked || s.alone) && !s.noCommit {
		s.checkCommit(t, f, r, tree)
		return
	}
	if out, err := f.add(f.env); err != nil {
		t.Fatalf("git does not add it: %s", out)
	}
	byHand, _ := f.byHand("write-tree")
	same(t, "tree", tree+"\n", byHand)
	if !s.unborn {
		changed, _ := f.byHand("diff-index", "--cached", "-z", "--name-only", "--no-renames", "HEAD")
		same(t, "changed paths", strings.Join(seen.Changed, "\x00"), strings.TrimSuffix(changed, "\x00"))
	}
	f.run("fsck", "--no-dangling", "--no-progress", string(tree))
}

// add does in place what the snapshot says it would give.
func (f *fixture) add(env []string) (string, error) {
	cmd := exec.Command("git", "-c", "core.safecrlf=false", "-c", "core.fsmonitor=false", "add", "-A", "--sparse")
	cmd.Dir, cmd.Env = f.dir, append(slices.Clone(env), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// checkCommit commits the snapshot; git's own answer is made with a copy of the
// index.
func (s shape) checkCommit(t *testing.T, f *fixture, r Repo, tree OID) {
	t.Helper()
	index := f.beside("index")
	if err := copyIndex(filepath.Join(r.Info().GitDir, "index"), index); err != nil {
		t.Fatal(err)
	}
	env := append(slices.Clone(f.env), "GIT_INDEX_FILE="+index)
	if out, err := f.add(env); err != nil {
		t.Fatalf("git does not add it: %s", out)
	}
	plain := f.env
	f.env = env
	byHand, _ := f.byHand("write-tree")
	f.env = plain
	same(t, "tree", tree+"\n", byHand)
	made := must[OID](t)(r.CommitSnapshot(t.Context(), "m"))
	committed, _ := f.byHand("rev-parse", "HEAD^{tree}", "HEAD")
	same(t, "committed", committed, fmt.Sprintln(tree)+fmt.Sprintln(made))
	same(t, "snapshot afterwards", must[OID](t)(r.Snapshot(t.Context())), tree)
	f.run("fsck", "--no-dangling", "--no-progress", string(made))
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

func conflict(f *fixture) {
	was := f.run("symbolic-ref", "--short", "HEAD")
	f.run("checkout", "-q", "-b", "side")
	f.commit("side", "a.txt", "side\n")
	f.run("checkout", "-q", was)
	f.commit("main", "a.txt", "main\n")
	if _, err := f.try(f.dir, "merge", "side"); err == nil {
		f.t.Fatal("the merge did not conflict")
	}
}
