//go:build unix

package worktree_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coord"
	"coord/gitops"
	"coord/worktree"
)

// TestCreatingChild is the process that is killed while it creates.
func TestCreatingChild(t *testing.T) {
	text := os.Getenv("KILL_SPEC")
	if text == "" {
		t.Skip("it is run by the tests that kill it")
	}
	var s worktree.Spec
	must(t, json.Unmarshal([]byte(text), &s))
	git := gitops.New(os.Environ())
	repo, err := git.Open(t.Context(), ".")
	must(t, err)
	_, err = worktree.Create(t.Context(), git, repo, s)
	must(t, err)
}

// createIn creates the worktree in a process whose at-th git kills it, and
// reports whether it was killed.
func (p *place) createIn(at int) bool {
	p.t.Helper()
	kill := filepath.Join(filepath.Dir(p.dir), "kill")
	gallows, err := os.ReadFile(filepath.Join("..", "testdata", "git", "gallows.sh"))
	must(p.t, err)
	must(p.t, os.MkdirAll(filepath.Join(kill, "bin"), 0o777))
	must(p.t, os.WriteFile(filepath.Join(kill, "bin", "git"), gallows, 0o777))
	must(p.t, os.WriteFile(filepath.Join(kill, "count"), []byte("0"), 0o666))
	real, err := exec.LookPath("git")
	must(p.t, err)
	spec, err := json.Marshal(p.spec)
	must(p.t, err)
	cmd := exec.Command(os.Args[0], "-test.run=^TestCreatingChild$")
	cmd.Dir = p.dir
	cmd.Env = append(slices.Clone(p.env), "PATH="+filepath.Join(kill, "bin")+":"+os.Getenv("PATH"), "KILL="+kill, "KILL_AT="+strconv.Itoa(at), "REAL_GIT="+real, "KILL_SPEC="+string(spec))
	out, err := cmd.CombinedOutput()
	if killed := cmd.ProcessState.ExitCode() == -1; err == nil || killed {
		return killed
	}
	p.t.Fatalf("to be killed at %d, it failed: %v\n%s", at, err, out)
	return false
}

// users is everything of the repository that is the user's.
func (p *place) users() string {
	p.t.Helper()
	index, err := os.ReadFile(filepath.Join(p.dir, ".git", "index"))
	must(p.t, err)
	return strings.Join([]string{
		p.run(p.dir, "rev-parse", "HEAD"), p.run(p.dir, "symbolic-ref", "HEAD"), p.run(p.dir, "status", "--porcelain"),
		p.run(p.dir, "for-each-ref", "refs/heads/main", "refs/tags"), fmt.Sprintf("%x", index),
	}, "\n")
}

// found creates again, and types what it is told to, until the worktree is
// there: it must be whole, and the only one.
func (p *place) found(name string) {
	p.t.Helper()
	for range 3 {
		gitDir, err := p.create()
		if err == nil {
			p.laid(gitDir)
			if list := p.run(p.dir, "worktree", "list"); strings.Count(list, "\n") != 1 {
				p.t.Errorf("%s: worktrees\n%s", name, list)
			}
			equal(p.t, name+": branches", p.run(p.dir, "for-each-ref", "--format=%(refname)", "refs/heads/coord"), "refs/heads/"+p.spec.Branch())
			return
		}
		var e *coord.Error
		if !errors.As(err, &e) || len(e.Next) < 2 {
			p.t.Fatalf("%s: %v", name, err)
		}
		for _, line := range e.Next[:len(e.Next)-1] {
			p.typed(name, line)
		}
	}
	p.t.Errorf("%s: what it says to type does not help", name)
}

// word is one of a command line for sh.
var word = regexp.MustCompile(`'([^']*)'|[^ ]+`)

// typed types a git command.
func (p *place) typed(name, line string) {
	p.t.Helper()
	rest, ok := strings.CutPrefix(line, "git ")
	if !ok {
		p.t.Fatalf("%s: it says to type %q", name, line)
	}
	var args []string
	for _, w := range word.FindAllString(rest, -1) {
		args = append(args, strings.Trim(w, "'"))
	}
	p.run(p.dir, args...)
}

// clear takes away what was created.
func (p *place) clear() {
	p.t.Helper()
	p.run(p.dir, "worktree", "remove", "--force", p.spec.Path())
	p.run(p.dir, "branch", "-q", "-D", p.spec.Branch())
}

// Wherever creation is killed, it leaves nothing or what creating it again
// finds, and nothing of the user's is different.
func TestCreateKilledAtEveryGit(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("one", "dirty")
	before := p.users()
	at := 1
	for ; p.createIn(at); at++ {
		name := fmt.Sprintf("killed at git %d", at)
		equal(t, name, p.users(), before)
		p.found(name)
		p.clear()
	}
	if at < 8 {
		t.Errorf("there were only %d steps", at)
	}
	p.fsck()
}

func (p *place) fsck() {
	p.t.Helper()
	if out := p.run(p.dir, "fsck", "--strict", "--no-dangling", "--no-progress"); out != "" {
		p.t.Error(out)
	}
}

// Git may be killed in the middle of laying down files, too: of the commit, or
// of what is laid over it.
func TestCreateKilledWhileFilesAreLaid(t *testing.T) {
	for _, file := range []string{"two", "three"} { // three is only in what is laid over
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			top := filepath.Dir(p.dir)
			p.run(p.dir, "config", "filter.kill.smudge", "test -e '"+top+"/done' && cat || { touch '"+top+"/done'; kill -9 $(cat '"+top+"/kill/parent'); kill -9 0; }")
			must(t, os.MkdirAll(filepath.Join(p.dir, ".git", "info"), 0o777))
			must(t, os.WriteFile(filepath.Join(p.dir, ".git", "info", "attributes"), []byte(file+" filter=kill\n"), 0o666))
			before := p.users()
			if !p.createIn(0) {
				t.Fatal("it was not killed")
			}
			equal(t, "the user's", p.users(), before)
			if _, err := os.Stat(filepath.Join(p.spec.Path(), "one")); err != nil {
				t.Error("it was killed before any file was laid")
			}
			p.found("killed while " + file + " was laid")
			p.fsck()
		})
	}
}
