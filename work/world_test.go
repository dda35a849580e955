package work_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"coord"
	"coord/gitops"
	"coord/server/store"
	"coord/servicetest"
	"coord/work"
	"coord/worktree"
)

const (
	lease = 30 * time.Minute
	grace = 30 * time.Second
)

// world is a real bare remote, clones of it, and a real store in process.
type world struct {
	t       *testing.T
	env     []string
	top     string
	bare    string
	git     *gitops.Git
	store   *store.Store
	clock   *servicetest.Clock
	checked atomic.Int64 // check runs
}

// config is the project's, on the target branch. The check passes unless the
// tree holds a file called broken, and leaves a file if it holds one called
// littering.
const config = "check = test\n"

var theCheck = coord.Check{Name: "test", Shell: "make test", Timeout: coord.Duration(time.Minute)}

func newWorld(t *testing.T, review coord.ReviewMode) *world {
	t.Helper()
	w := &world{t: t, top: t.TempDir(), clock: servicetest.NewClock()}
	home := filepath.Join(w.top, "home")
	w.env = []string{"HOME=" + home, "USERPROFILE=" + home, "XDG_CONFIG_HOME=" + home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}
	if runtime.GOOS == "windows" {
		w.env = append(w.env, "SystemRoot="+os.Getenv("SystemRoot"))
	}
	w.git = gitops.New(w.env)
	w.bare = filepath.Join(w.top, "origin.git")
	must(t, os.MkdirAll(home, 0o777))
	must(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n\tname = Agent\n\temail = agent@example.org\n[init]\n\tdefaultBranch = main\n"), 0o666))
	w.run(w.top, "init", "-q", "--bare", w.bare)
	first := w.clone("first")
	w.write(first, ".coord.toml", config)
	w.write(first, ".gitignore", "*.log\n")
	w.write(first, "README", "begin\n")
	w.run(first, "add", "-A")
	w.run(first, "commit", "-q", "-m", "begin")
	w.run(first, "push", "-q", "origin", "HEAD:refs/heads/main")
	w.openStore(review)
	return w
}

func noPlan(coord.ImportBase, []coord.SourceFile) (coord.ImportPlan, error) {
	return coord.ImportPlan{}, nil
}

func (w *world) openStore(review coord.ReviewMode) {
	w.t.Helper()
	s, err := store.Open(context.Background(), store.Options{Path: filepath.Join(w.top, "coord.db"), Now: w.clock.Now, Plan: noPlan})
	must(w.t, err)
	w.t.Cleanup(func() { _ = s.Close() })
	w.store = s
	_, err = s.As(coord.Caller{Principal: "setup", Role: coord.RoleSetup, Name: "setup"}).CreateProject(w.t.Context(), coord.CreateProject{
		Key: newKey(), Project: "pay", Name: "Pay",
		Repositories: []coord.Repository{{ID: "file:///origin", Remote: w.bare, Target: "main"}},
		Policy:       coord.Policy{Review: review, Lease: coord.Duration(lease), RecoveryGrace: coord.Duration(grace)},
	})
	must(w.t, err)
}

func (w *world) run(dir string, args ...string) string {
	w.t.Helper()
	out, err := w.try(dir, args...)
	if err != nil {
		w.t.Fatalf("git %v in %s: %v\n%s", args, dir, err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func (w *world) try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, w.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *world) clone(name string) string {
	w.t.Helper()
	dir := filepath.Join(w.top, name)
	w.run(w.top, "clone", "-q", "--no-local", w.bare, dir)
	return dir
}

func (w *world) write(dir, name, text string) {
	w.t.Helper()
	p := filepath.Join(dir, filepath.FromSlash(name))
	must(w.t, os.MkdirAll(filepath.Dir(p), 0o777))
	must(w.t, os.WriteFile(p, []byte(text), 0o666))
}

// remote reads a ref of the remote, or "".
func (w *world) remote(ref string) string {
	out, err := w.try(w.bare, "rev-parse", "--verify", "-q", ref)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(out)
}

// pushed makes a commit on the remote's branch by somebody outside.
func (w *world) pushed(name, text string) string {
	w.t.Helper()
	dir := filepath.Join(w.top, "outside")
	if _, err := os.Stat(dir); err != nil {
		w.clone("outside")
	}
	w.run(dir, "pull", "-q", "--ff-only", "origin", "main")
	w.write(dir, name, text)
	w.run(dir, "add", "-A")
	w.run(dir, "commit", "-q", "-m", "outside "+name)
	w.run(dir, "push", "-q", "origin", "HEAD:refs/heads/main")
	return w.run(dir, "rev-parse", "HEAD")
}

// hook puts a hook script into the remote.
func (w *world) hook(name, script string) {
	w.t.Helper()
	if runtime.GOOS == "windows" {
		w.t.Skip("a hook written for sh")
	}
	p := filepath.Join(w.bare, "hooks", name)
	must(w.t, os.MkdirAll(filepath.Dir(p), 0o777))
	must(w.t, os.WriteFile(p, []byte("#!/bin/sh\n"+script), 0o777))
}

// agent is a session at work in one clone.
type agent struct {
	*work.Desk
	w    *world
	svc  *service
	said *bytes.Buffer

	caller coord.Caller
}

// agent opens a session of the display name, working in the clone.
func (w *world) agent(name, clone string) *agent {
	w.t.Helper()
	repo, err := w.git.Open(w.t.Context(), clone)
	must(w.t, err)
	return w.agentIn(name, repo, w.git, clone+".worktrees")
}

// agentIn is agent for a repository that is open.
func (w *world) agentIn(name string, repo gitops.Repo, git worktree.Git, parent string) *agent {
	w.t.Helper()
	principal := coord.Caller{Principal: "agents", Role: coord.RoleAgent, Name: "agents"}
	id := coord.SessionID("session-of-" + name + "-0123456789")
	const proof = "proof-of-0123456789abcdef0123456789"
	_, err := w.store.As(principal).OpenSession(w.t.Context(), coord.OpenSession{ID: id, Verifier: coord.SessionVerifier(proof), Name: name, Machine: "m1"})
	must(w.t, err)
	caller, err := w.store.VerifySession(w.t.Context(), principal, id, proof)
	must(w.t, err)
	a := &agent{w: w, svc: &service{Service: w.store.As(caller)}, said: &bytes.Buffer{}, caller: caller}
	a.Desk = &work.Desk{
		Service: a.svc, Git: git, Repo: repo, Session: id, Server: "http://127.0.0.1:1", Project: "pay", Repository: "file:///origin", Remote: "origin", Refs: "refs/coord",
		Parent: parent, Machine: "m1",
		ParseChecks: func(text []byte) ([]coord.Check, error) {
			if strings.Contains(string(text), "garbage") {
				return nil, coord.Errorf(coord.CodeSetup, ".coord.toml on the target branch is not TOML")
			}
			if !strings.Contains(string(text), "check = ") {
				return nil, nil
			}
			return []coord.Check{theCheck}, nil
		},
		RunCheck: w.check,
		Now:      w.clock.Now,
		Say:      func(format string, args ...any) { fmt.Fprintf(a.said, format+"\n", args...) },
	}
	return a
}

func (w *world) check(_ context.Context, dir string, _ coord.Check) coord.Run {
	w.checked.Add(1)
	r := coord.Run{Result: coord.ResultPassed, Toolchain: "test", DurationMS: w.checked.Load()}
	if _, err := os.Stat(filepath.Join(dir, "broken")); err == nil {
		r.Result, r.ExitStatus, r.Reason = coord.ResultFailed, 1, "it is broken"
	}
	if _, err := os.Stat(filepath.Join(dir, "littering")); err == nil {
		_ = os.WriteFile(filepath.Join(dir, "litter.txt"), []byte("x"), 0o666)
	}
	_ = os.WriteFile(filepath.Join(dir, "test.log"), []byte("ignored"), 0o666)
	return r
}

func (w *world) task(title string) coord.TaskID {
	w.t.Helper()
	t, err := w.reader().CreateTask(w.t.Context(), coord.CreateTask{Key: newKey(), Project: "pay", Title: title, SameTitle: true})
	must(w.t, err)
	return t.ID
}

func (w *world) reader() coord.Service {
	return w.store.As(coord.Caller{Principal: "warden", Role: coord.RoleOperator, Name: "warden"})
}

func (w *world) detail(id coord.TaskID) coord.TaskDetail {
	w.t.Helper()
	d, err := w.reader().Task(w.t.Context(), id)
	must(w.t, err)
	return d
}

// bound is the worktree that the session has for the task.
func (a *agent) bound(id coord.TaskID) worktree.Bound {
	a.w.t.Helper()
	all, err := worktree.Find(a.Repo.Info())
	must(a.w.t, err)
	for _, b := range all {
		if b.Task == id && b.Session == a.Session {
			return b
		}
	}
	a.w.t.Fatalf("no worktree serves %s", id)
	return worktree.Bound{}
}

// start claims the task and returns its worktree.
func (a *agent) start(id coord.TaskID) worktree.Bound {
	a.w.t.Helper()
	_, err := a.Start(a.w.t.Context(), work.StartOptions{Task: id})
	must(a.w.t, err)
	return a.bound(id)
}

// submitted is a task with one file changed and handed over.
func (a *agent) submitted(title, file, text string) coord.Submission {
	a.w.t.Helper()
	id := a.w.task(title)
	return a.finish(a.start(id), file, text)
}

func (a *agent) finish(b worktree.Bound, file, text string) coord.Submission {
	a.w.t.Helper()
	a.w.write(b.Path, file, text)
	_, err := a.Check(a.w.t.Context(), b, nil, nil)
	must(a.w.t, err)
	s, err := a.Submit(a.w.t.Context(), b, work.SubmitOptions{Summary: "change " + file, All: true})
	must(a.w.t, err)
	return s.Submission
}

func (a *agent) land(id coord.TaskID) (coord.Landed, error) {
	return a.Land(a.w.t.Context(), work.LandOptions{Task: id})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", coord.CodeOf(err), err)
	}
}

// refused wants an error of the code with a next step.
func refused(t testing.TB, err error, code coord.Code, mentions ...string) {
	t.Helper()
	if coord.CodeOf(err) != code {
		t.Fatalf("got %q (%v), want %s", coord.CodeOf(err), err, code)
	}
	text := err.Error() + " " + fmt.Sprint(next(err))
	for _, m := range mentions {
		if !strings.Contains(text, m) {
			t.Errorf("%q does not mention %q", text, m)
		}
	}
	if len(next(err)) == 0 {
		t.Errorf("no next step after %q", err)
	}
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// submit hands over what is committed.
func (a *agent) submit(b worktree.Bound) (work.Submitted, error) {
	return a.Submit(a.w.t.Context(), b, work.SubmitOptions{Summary: "again"})
}
