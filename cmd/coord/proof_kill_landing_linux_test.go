package main

import (
	"bytes"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	mrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"coord"
	"coord/client"
)

var landingKills = flag.Int("landings", 60, "how often the process of a landing is killed")

// queueLength is how many submissions wait at once.
const queueLength = 12

// landers are agents that land one queue from clones of their own, and are
// killed while they do.
type landers struct {
	*proofWorld
	author *client.Client // who submits

	mu       sync.Mutex
	r        *mrand.Rand
	left     int           // kills to come
	usual    time.Duration // of a landing; longer while none gets to its end
	kills    map[string]int
	mended   int // lock files removed as the refusal said
	outsider int
	tasks    []coord.TaskID
	trouble  []string
}

// TestC0_C18_KilledLandings has agents in two clones land a queue while their
// processes are killed at random moments, coord alone or with the git that it
// runs, and somebody pushes to the target besides. In the end every task has
// landed once, as the tree that its receipts are for, in a history that is the
// record's; git finds nothing wrong in remote and clones; nothing is held, and
// nothing is left over that stops git.
func TestC0_C18_KilledLandings(t *testing.T) {
	began := time.Now()
	seed := uint64(began.UnixNano())
	w := newProofWorld(t, proofConfig, "--review", "none", "--lease", shortLease, "--grace", "0s")
	l := &landers{proofWorld: w, r: mrand.New(mrand.NewPCG(seed, 1)), left: *landingKills, usual: 500 * time.Millisecond, kills: map[string]int{}}
	t.Logf("seed %d", seed)
	s, err := client.NewSession("author", "test", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	l.author = client.New(client.Options{Server: w.url, Token: w.token, Session: s, Version: "test"})
	t.Cleanup(l.author.Close)
	clones := []string{w.clone("one"), w.clone("two")}
	for l.left > 0 && !t.Failed() {
		l.submit()
		var wg sync.WaitGroup
		for i, dir := range clones {
			wg.Go(func() { l.landQueue(fmt.Sprintf("agent-%d", i), dir) })
		}
		wg.Wait()
		for _, what := range l.trouble {
			t.Error(what)
		}
	}
	l.whole(append(clones, w.dir))
	if t.Failed() {
		return
	}
	t.Logf("proof: %d landings killed in %s (%v): %d tasks landed once each, between %d commits from outside; %d lock files of a killed git removed as the refusal said",
		*landingKills, time.Since(began).Round(time.Second), l.kills, len(l.tasks), l.outsider, l.mended)
}

// submit hands over tasks of one new file each, made with nothing but Git's
// plumbing.
func (l *landers) submit() {
	l.t.Helper()
	ctx := l.t.Context()
	l.git(l.dir, "fetch", "-q", "origin")
	base := l.git(l.dir, "rev-parse", "origin/main")
	var stream bytes.Buffer
	var made []coord.TaskID
	for range queueLength {
		task, err := l.author.CreateTask(ctx, coord.CreateTask{Key: coord.Key(rand.Text()), Project: "pay", Title: fmt.Sprintf("Lands as number %d", len(l.tasks)+1), SameTitle: true})
		if err != nil {
			l.t.Fatal(err)
		}
		l.tasks, made = append(l.tasks, task.ID), append(made, task.ID)
		text := "by " + string(task.ID) + "\n"
		fmt.Fprintf(&stream, "commit refs/coord/candidates/%s\ncommitter Agent <agent@example.org> 1700000000 +0000\ndata 2\nx\nfrom %s\nM 100644 inline %s.txt\ndata %d\n%s\n", task.ID, base, task.ID, len(text), text)
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Env, cmd.Stdin = l.dir, l.env, &stream
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("fast-import: %v\n%s", err, out)
	}
	l.git(l.dir, "push", "-q", "origin", "refs/coord/candidates/*:refs/coord/candidates/*")
	for _, id := range made {
		ref := "refs/coord/candidates/" + string(id)
		c, err := l.author.Claim(ctx, coord.Claim{Key: coord.Key(rand.Text()), Project: "pay", Task: id})
		if err != nil {
			l.t.Fatal(err)
		}
		_, err = l.author.Submit(ctx, coord.Submit{
			Key: coord.Key(rand.Text()), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Ref: ref, Base: coord.OID(base), Summary: "adds a file",
			Commit: coord.OID(l.git(l.dir, "rev-parse", ref)), Tree: coord.OID(l.git(l.dir, "rev-parse", ref+"^{tree}")),
		})
		if err != nil {
			l.t.Fatal(err)
		}
	}
}

// landQueue types coord integrate until nothing waits any more.
func (l *landers) landQueue(session, dir string) {
	said := map[string]int{}
	for range 2000 {
		out, took, killed := l.landOne(session, dir)
		l.mu.Lock()
		switch {
		case killed:
			l.usual += l.usual / 20
		case out.status == 0:
			l.usual = (l.usual + took) / 2
		default:
			e := out.said()
			said[string(e.Code)+": "+e.Message]++
		}
		pause := time.Duration(l.r.IntN(100)) * time.Millisecond
		if killed && l.r.IntN(10) == 0 { // away until somebody else may take over
			pause = 6 * time.Second
		}
		outside := l.r.IntN(12) == 0
		l.mu.Unlock()
		if !killed && l.ended(out) {
			return
		}
		if outside {
			l.push()
		}
		time.Sleep(pause)
	}
	l.failed("%s did not come to an end, and was told: %v", session, said)
}

func (l *landers) failed(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trouble = append(l.trouble, fmt.Sprintf(format, args...))
}

// landOne runs the command, and kills it at a random moment unless it ends
// before.
func (l *landers) landOne(session, dir string) (r ran, took time.Duration, killed bool) {
	l.mu.Lock()
	after, alone, armed := time.Duration(l.r.Int64N(int64(l.usual*5/4)))+1, l.r.IntN(2) == 0, l.left > 0
	l.mu.Unlock()
	cmd := l.command(session, dir, "integrate", "--json")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out, chatter bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &chatter
	cmd.WaitDelay = 5 * time.Second // a git that outlives coord has its output
	began := time.Now()
	if err := cmd.Start(); err != nil {
		l.failed("coord integrate: %v", err)
		return ran{status: -1}, 0, false
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var err error
	if armed {
		select {
		case err = <-done:
		case <-time.After(after):
			killed = true
			l.kill(cmd.Process.Pid, alone)
			<-done
		}
	} else {
		err = <-done
	}
	r = ran{out: out.String(), err: chatter.String()}
	var exited *exec.ExitError
	if errors.As(err, &exited) {
		r.status = exited.ExitCode()
	}
	return r, time.Since(began), killed
}

// kill ends the process without warning: alone, so that what git it runs goes
// on, or with all of that which is on this side of the connection.
func (l *landers) kill(pid int, alone bool) {
	how := "coord alone"
	var below []int
	if !alone {
		how, below = "coord and git", descendants(pid)
	}
	for _, p := range append([]int{pid}, below...) {
		_ = syscall.Kill(p, syscall.SIGKILL) // it may have ended meanwhile
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left--
	l.kills[how]++
}

// descendants are the processes that a process started, but for the remote's:
// those belong to another machine.
func descendants(pid int) (all []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		i := bytes.LastIndexByte(text, ')')
		if err != nil || i < 0 {
			continue
		}
		f := strings.Fields(string(text[i+1:]))
		if len(f) < 2 || f[1] != strconv.Itoa(pid) {
			continue
		}
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if child > 0 && !bytes.Contains(line, []byte("receive-pack")) && !bytes.Contains(line, []byte("upload-pack")) {
			all = append(append(all, child), descendants(child)...)
		}
	}
	return all
}

// ended reports whether nothing waits, and does what a refusal says.
func (l *landers) ended(r ran) bool {
	if r.status == 0 {
		return false
	}
	e := r.said()
	switch e.Code {
	case coord.CodeNothingEligible:
		return true
	case coord.CodeTargetHeld, coord.CodeTaskTaken, coord.CodeUnavailable, coord.CodeFenced, coord.CodeLeaseExpired, coord.CodeRecoveryRequired:
		return false
	case coord.CodeStateConflict:
		if lock := e.Details["lock"]; lock != "" {
			l.removed(lock)
		}
		return false
	}
	l.failed("status %d: %s%s", r.status, r.out, r.err)
	return false
}

func (l *landers) removed(lock string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if os.Remove(lock) == nil {
		l.mended++
	}
}

// push commits to main from outside.
func (l *landers) push() {
	l.mu.Lock()
	defer l.mu.Unlock()
	bare := filepath.Join(l.root, "pay.git")
	l.outsider++
	for range 20 { // while landings move it too
		tip := l.git(bare, "rev-parse", "main")
		cmd := exec.Command("git", "commit-tree", "-p", tip, "-m", fmt.Sprintf("Outside %d", l.outsider), tip+"^{tree}")
		cmd.Dir, cmd.Env = bare, l.env
		made, err := cmd.Output()
		if err != nil {
			break
		}
		cmd = exec.Command("git", "update-ref", "refs/heads/main", strings.TrimSpace(string(made)), tip)
		cmd.Dir, cmd.Env = bare, l.env
		if cmd.Run() == nil {
			return
		}
	}
	l.trouble = append(l.trouble, "nobody could push from outside")
}

// whole proves what must hold in the end.
func (l *landers) whole(clones []string) {
	l.t.Helper()
	l.historyIsRecord("main")
	for _, id := range l.tasks {
		l.landedOnce(id)
	}
	board, err := l.record.LandingBoard(l.t.Context(), "pay")
	if err != nil {
		l.t.Fatal(err)
	}
	for _, row := range board.Targets {
		if row.Hold != nil || len(row.Queue) > 0 || row.Diverged != nil {
			l.t.Errorf("the target is stuck: %+v", row)
		}
	}
	for i, dir := range clones {
		if i < 2 {
			l.must(fmt.Sprintf("agent-%d", i), dir, "prune")
		}
		l.sound(dir)
		if trees := l.git(dir, "worktree", "list"); strings.Contains(trees, "\n") {
			l.t.Errorf("left behind in %s: %s", dir, trees)
		}
	}
	l.sound(filepath.Join(l.root, "pay.git"))
	l.noServerErrors()
}

// landedOnce wants one landing of the task, with passing receipts for its tree.
func (l *landers) landedOnce(id coord.TaskID) {
	l.t.Helper()
	d := l.taskDetail(id)
	var landed []coord.Landing
	for _, x := range d.Landings {
		if x.State == coord.LandingLanded {
			landed = append(landed, x)
		}
	}
	if d.Status != coord.StatusDone || len(landed) != 1 {
		l.t.Errorf("%s is %s with %d landings", id, d.Status, len(landed))
		return
	}
	receipts, err := l.record.ReceiptsFor(l.t.Context(), "pay", landed[0].Tree)
	if err != nil || len(landed[0].Required) != 1 || len(coord.MissingChecks(landed[0].Required, receipts, landed[0].Tree)) > 0 {
		l.t.Errorf("%s landed as %s without evidence: %+v, %v", id, landed[0].Tree, receipts, err)
	}
}

// sound wants nothing wrong in a repository, and no lock that stops git.
func (l *landers) sound(dir string) {
	l.t.Helper()
	out := l.git(dir, "fsck", "--no-dangling", "--no-progress")
	if out != "" {
		l.t.Errorf("fsck of %s: %s", dir, out)
	}
	git := l.git(dir, "rev-parse", "--absolute-git-dir")
	err := filepath.WalkDir(git, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".lock") && !slices.Contains(strings.Split(path, "/"), "coord") {
			l.t.Errorf("left over: %s", path)
		}
		return err
	})
	if err != nil {
		l.t.Error(err)
	}
}
