package worktree_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"coord"
	"coord/gitops"
	"coord/worktree"
)

// place is a real repository with two commits, a tree to lay over the first,
// and a spec for a worktree of it.
type place struct {
	t    *testing.T
	dir  string
	env  []string
	git  *gitops.Git
	repo gitops.Repo
	spec worktree.Spec
}

func newPlace(t *testing.T) *place {
	t.Helper()
	top := t.TempDir()
	p := &place{t: t, dir: filepath.Join(top, "repo with a blank")}
	p.env = []string{"HOME=" + top, "USERPROFILE=" + top, "XDG_CONFIG_HOME=" + top, "PATH=" + os.Getenv("PATH"), "SystemRoot=" + os.Getenv("SystemRoot"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}
	p.git = gitops.New(p.env)
	must(t, os.Mkdir(p.dir, 0o777))
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"config", "user.name", "Agent"}, {"config", "user.email", "agent@example.org"}} {
		p.run(p.dir, args...)
	}
	p.write("one", "1")
	p.write("two", "2")
	p.run(p.dir, "add", "-A")
	p.run(p.dir, "commit", "-q", "-m", "first")
	start := p.run(p.dir, "rev-parse", "HEAD")
	p.write("two", "changed")
	p.write("three", "3")
	p.run(p.dir, "add", "-A")
	overlay := p.run(p.dir, "write-tree")
	p.run(p.dir, "commit", "-q", "-m", "second")
	var err error
	p.repo, err = p.git.Open(t.Context(), p.dir)
	must(t, err)
	p.spec = worktree.Spec{Parent: filepath.Join(top, "trees"), Task: "pay-1", Generation: 2, Start: coord.OID(start), Overlay: coord.OID(overlay)}
	return p
}

func (p *place) run(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (p *place) write(name, text string) {
	p.t.Helper()
	must(p.t, os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o666))
}

func (p *place) create() (string, error) {
	return worktree.Create(p.t.Context(), p.git, p.repo, p.spec)
}

// add makes what git alone makes, without the overlay.
func (p *place) add() {
	p.t.Helper()
	p.run(p.dir, "worktree", "add", "-q", "-b", p.spec.Branch(), p.spec.Path(), string(p.spec.Start))
}

// laid proves that the worktree holds the overlay as uncommitted work.
func (p *place) laid(gitDir string) {
	p.t.Helper()
	there, err := p.git.Open(p.t.Context(), p.spec.Path())
	must(p.t, err)
	tree, err := there.Snapshot(p.t.Context())
	must(p.t, err)
	equal(p.t, "the tree", tree, p.spec.Overlay)
	equal(p.t, "HEAD", p.run(p.spec.Path(), "rev-parse", "HEAD"), string(p.spec.Start))
	equal(p.t, "the Git directory", there.Info().GitDir, gitDir)
}

func TestCreateAgain(t *testing.T) {
	for name, left := range map[string]func(p *place){
		"nothing":                    func(*place) {},
		"all of it":                  func(p *place) { _, err := p.create(); must(p.t, err) },
		"a branch":                   func(p *place) { p.run(p.dir, "branch", p.spec.Branch(), string(p.spec.Start)) },
		"an empty directory":         func(p *place) { must(p.t, os.MkdirAll(p.spec.Path(), 0o777)) },
		"a worktree without overlay": (*place).add,
		"half of the overlay": func(p *place) {
			p.add()
			must(p.t, os.WriteFile(filepath.Join(p.spec.Path(), "three"), []byte("3"), 0o666))
		},
		"half of the files": func(p *place) {
			p.add()
			must(p.t, os.Remove(filepath.Join(p.spec.Path(), "one")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			left(p)
			gitDir, err := p.create()
			must(t, err)
			p.laid(gitDir)
		})
	}
}

func TestCreateLeavesOthersAlone(t *testing.T) {
	for name, c := range map[string]struct {
		left     func(p *place)
		mentions string
	}{
		"a file": {func(p *place) {
			must(p.t, os.MkdirAll(p.spec.Parent, 0o777))
			must(p.t, os.WriteFile(p.spec.Path(), []byte("x"), 0o666))
		}, "left alone"},
		"a directory with files": {func(p *place) {
			must(p.t, os.MkdirAll(filepath.Join(p.spec.Path(), "sub"), 0o777))
		}, "left alone"},
		"another branch's worktree": {func(p *place) {
			p.run(p.dir, "worktree", "add", "-q", "-b", "mine", p.spec.Path(), "main")
		}, "left alone"},
		"another repository": {func(p *place) { p.run(p.dir, "init", "-q", p.spec.Path()) }, "left alone"},
		"an edited file in a half made one": {func(p *place) {
			p.add()
			must(p.t, os.WriteFile(filepath.Join(p.spec.Path(), "one"), []byte("mine"), 0o666))
		}, "one in it is not saved"},
		"one that git may still be making": {func(p *place) {
			p.add()
			p.run(p.dir, "worktree", "lock", "--reason", "initializing", p.spec.Path())
		}, "worktree unlock"},
		"one that a killed git registered": {func(p *place) {
			p.add()
			p.run(p.dir, "worktree", "lock", "--reason", "initializing", p.spec.Path())
			must(p.t, os.RemoveAll(p.spec.Path()))
		}, "worktree unlock"},
		"a branch that went elsewhere": {func(p *place) {
			p.run(p.dir, "branch", p.spec.Branch(), p.run(p.dir, "commit-tree", "-m", "x", string(p.spec.Overlay)))
		}, "left alone"},
		"a worktree whose files are gone": {func(p *place) {
			p.add()
			must(p.t, os.RemoveAll(p.spec.Path()))
		}, "worktree prune"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			c.left(p)
			before := p.run(p.dir, "for-each-ref") + p.run(p.dir, "worktree", "list")
			_, err := p.create()
			var e *coord.Error
			if !errors.As(err, &e) || e.Code != coord.CodeStateConflict || len(e.Next) == 0 {
				t.Fatalf("got %v", err)
			}
			if text := e.Message + strings.Join(e.Next, ";"); !strings.Contains(text, c.mentions) {
				t.Errorf("%q does not mention %q", text, c.mentions)
			}
			equal(t, "refs and worktrees", p.run(p.dir, "for-each-ref")+p.run(p.dir, "worktree", "list"), before)
		})
	}
}

// TestCreateGoesOnFromItsBranch keeps commits that were made in a worktree
// which somebody then removed by hand.
func TestCreateGoesOnFromItsBranch(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	ahead := p.run(p.dir, "rev-parse", "main")
	p.run(p.dir, "branch", p.spec.Branch(), ahead)
	_, err := p.create()
	must(t, err)
	equal(t, "HEAD", p.run(p.spec.Path(), "rev-parse", "HEAD"), ahead)
	equal(t, "status", p.run(p.spec.Path(), "status", "--porcelain"), "")
}

// TestABoundWorktreeIsTakenAsItIs even where it differs from what was laid:
// its owner works in it.
func TestABoundWorktreeIsTakenAsItIs(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	gitDir, err := p.create()
	must(t, err)
	must(t, worktree.Binding{Task: "pay-1", Path: p.spec.Path()}.Save(gitDir))
	must(t, os.Remove(filepath.Join(p.spec.Path(), "one")))
	again, err := p.create()
	must(t, err)
	equal(t, "the Git directory", again, gitDir)
	equal(t, "status", p.run(p.spec.Path(), "status", "--porcelain", "one"), " D one")
}

func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var wait sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wait.Go(func() { _, errs[i] = p.create() })
	}
	wait.Wait()
	must(t, errors.Join(errs...))
	gitDir, err := p.create()
	must(t, err)
	p.laid(gitDir)
}

func TestBindings(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	none, err := worktree.Find(p.repo.Info())
	must(t, err)
	equal(t, "before the first worktree", len(none), 0)
	gitDir, err := p.create()
	must(t, err)
	if _, err := worktree.Load(gitDir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unbound worktree: %v", err)
	}
	b := worktree.Binding{
		Server: "http://s", Project: "pay", Session: "s1", Task: "pay-1", Kind: coord.KindCode, Attempt: "pay-1.a2",
		Fence: coord.Fence{Epoch: 1, Generation: 2}, Target: "main", Path: p.spec.Path(), Branch: p.spec.Branch(), Base: p.spec.Start,
	}
	must(t, b.Save(gitDir))
	got, err := worktree.Load(gitDir)
	must(t, err)
	equal(t, "the binding", got, b)
	p.spec.Generation = 3
	damaged, err := p.create()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(damaged, "coord.json"), []byte(`{"task":`), 0o600))
	_, err = worktree.Load(damaged)
	equal(t, "damaged", coord.CodeOf(err), coord.CodeSetup)
	all, err := worktree.Find(p.repo.Info())
	must(t, err)
	if len(all) != 1 || all[0].Binding != b || all[0].GitDir != gitDir || all[0].Gone {
		t.Fatalf("got %+v", all)
	}
	equal(t, "of the session", len(worktree.OfSession(all, "s1", "")), 1)
	equal(t, "of its kind", len(worktree.OfSession(all, "s1", coord.KindCode)), 1)
	equal(t, "of another kind", len(worktree.OfSession(all, "s1", coord.KindReview)), 0)
	equal(t, "of another session", len(worktree.OfSession(all, "s2", "")), 0)
	must(t, os.RemoveAll(b.Path))
	all, err = worktree.Find(p.repo.Info())
	must(t, err)
	equal(t, "gone", all[0].Gone, true)
	equal(t, "of the session", len(worktree.OfSession(all, "s1", "")), 0)
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		generation   int64
		name, branch string
	}{{1, "pay-42", "coord/pay-42"}, {2, "pay-42.2", "coord/pay-42.2"}} {
		s := worktree.Spec{Parent: "trees", Task: "pay-42", Generation: c.generation}
		equal(t, "name", s.Name(), c.name)
		equal(t, "branch", s.Branch(), c.branch)
		equal(t, "path", s.Path(), filepath.Join("trees", c.name))
	}
	root := filepath.Join(t.TempDir(), "repo")
	equal(t, "relative", worktree.Parent("../{repo}.worktrees", root), root+".worktrees")
	equal(t, "absolute", worktree.Parent(filepath.Join(root, "{repo}", ".."), "x"), root)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", coord.CodeOf(err), err)
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}
