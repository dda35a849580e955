package worktree_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"coord"
	"coord/gitops"
	"coord/worktree"
)

// TestCrowdChild is one of the processes that create many worktrees at once.
func TestCrowdChild(t *testing.T) {
	first, start := os.Getenv("CROWD_FIRST"), os.Getenv("CROWD_START")
	if first == "" {
		t.Skip("it is run by the test of several processes")
	}
	git := gitops.New(os.Environ())
	repo, err := git.Open(t.Context(), ".")
	must(t, err)
	var wait sync.WaitGroup
	errs := make([]error, 10)
	for i := range errs {
		s := worktree.Spec{Parent: os.Getenv("CROWD_PARENT"), Task: coord.TaskID(fmt.Sprintf("pay-%s%d", first, i)), Generation: 1, Start: coord.OID(start)}
		wait.Go(func() { _, errs[i] = worktree.Create(t.Context(), git, repo, s) })
	}
	wait.Wait()
	must(t, errors.Join(errs...))
}

// Git loses parallel creations over its own locks (git-worktree(1)); two
// processes that make ten each lose none.
func TestCreateInTwoProcesses(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var wait sync.WaitGroup
	for first := 1; first <= 2; first++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestCrowdChild$")
		cmd.Dir = p.dir
		cmd.Env = append(slices.Clone(p.env), fmt.Sprintf("CROWD_FIRST=%d", first), "CROWD_START="+string(p.spec.Start), "CROWD_PARENT="+p.spec.Parent)
		wait.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("PASS")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wait.Wait()
	for first := 1; first <= 2; first++ {
		for i := range 10 {
			at := filepath.Join(p.spec.Parent, fmt.Sprintf("pay-%d%d", first, i))
			equal(t, at, p.run(at, "rev-parse", "HEAD"), string(p.spec.Start))
			equal(t, at, p.run(at, "status", "--porcelain", "--branch"), "## coord/"+filepath.Base(at))
		}
	}
	equal(t, "worktrees", strings.Count(p.run(p.dir, "worktree", "list"), "\n"), 20)
}

// One branch and one directory serve one attempt, whoever asks at once.
func TestOneEditableUse(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	const many = 6
	for _, c := range []struct {
		name string
		spec func(i int) gitops.WorktreeSpec
	}{
		{"one directory", func(i int) gitops.WorktreeSpec {
			return gitops.WorktreeSpec{Path: filepath.Join(p.spec.Parent, "same"), Branch: fmt.Sprintf("own/%d", i), Start: p.spec.Start}
		}},
		{"one new branch", func(i int) gitops.WorktreeSpec {
			return gitops.WorktreeSpec{Path: filepath.Join(p.spec.Parent, fmt.Sprint(i)), Branch: "same", Start: p.spec.Start}
		}},
		{"one branch that is there", func(i int) gitops.WorktreeSpec {
			return gitops.WorktreeSpec{Path: filepath.Join(p.spec.Parent, fmt.Sprint("there", i)), Branch: "there"}
		}},
	} {
		if c.name == "one branch that is there" {
			p.run(p.dir, "branch", "there", string(p.spec.Start))
		}
		before := strings.Count(p.run(p.dir, "worktree", "list"), "\n")
		var wait sync.WaitGroup
		errs := make([]error, many)
		for i := range errs {
			wait.Go(func() { errs[i] = p.repo.AddWorktree(t.Context(), c.spec(i)) })
		}
		wait.Wait()
		made := 0
		for i, err := range errs {
			if err == nil {
				made++
			} else if equal(t, c.name, coord.CodeOf(err), coord.CodeStateConflict); strings.Contains(c.name, "branch") {
				if _, err := os.Lstat(c.spec(i).Path); err == nil {
					t.Errorf("%s: %s is left behind", c.name, c.spec(i).Path)
				}
			}
		}
		equal(t, c.name, made, 1)
		equal(t, c.name+": worktrees", strings.Count(p.run(p.dir, "worktree", "list"), "\n"), before+1)
	}
	equal(t, "branches of those that lost", strings.Count(p.run(p.dir, "branch", "--list", "own/*"), "own/"), 1)
}

// A worktree may lie where no shell word does.
func TestCreateAtOddPaths(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(strings.Repeat("long ", 12)+"end/", 5)
	for name, parent := range map[string]string{
		"blanks":          "with blanks/and  two",
		"Unicode":         "grüße/日本語/e\u0301",
		"an option":       "--force/-x",
		"quotes":          "it's \"quoted\"/$HOME/`x`",
		"longer than 260": long,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.spec.Parent = filepath.Join(p.spec.Parent, filepath.FromSlash(parent))
			gitDir, err := p.create()
			if err != nil && os.MkdirAll(p.spec.Parent, 0o777) != nil {
				t.Skip("this system has no such names")
			}
			must(t, err)
			p.laid(gitDir)
			again, err := p.create()
			must(t, err)
			equal(t, "again", again, gitDir)
			must(t, worktree.Binding{Task: "pay-1", Path: p.spec.Path()}.Save(gitDir))
			found, err := worktree.Find(p.repo.Info())
			must(t, err)
			if len(found) != 1 || found[0].Path != p.spec.Path() || found[0].Gone {
				t.Errorf("found %+v", found)
			}
			must(t, p.repo.RemoveWorktree(t.Context(), p.spec.Path(), p.spec.Overlay))
			if _, err := os.Lstat(p.spec.Path()); err == nil {
				t.Error("it is still there")
			}
		})
	}
}
