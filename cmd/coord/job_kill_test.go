package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
	"coord/proc"
)

// jobWorld is a project with one attempt under way, for jobs.
type jobWorld struct {
	*proofWorld
	tree  string // its worktree
	count string // every launch of launch's program adds a line
}

func newJobWorld(t *testing.T) *jobWorld {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs are written for sh")
	}
	w := &jobWorld{proofWorld: newProofWorld(t, proofConfig, "--review", "none")}
	w.must("a", w.dir, "task", "new", "Train")
	w.tree = w.startIn("a", w.dir, "pay-1").Worktree.Path
	w.count = filepath.Join(w.root, "count")
	t.Cleanup(w.noneLeft)
	return w
}

// args is a command that launches the program under an external id.
func (w *jobWorld) args(external string, more ...string) []string {
	return append([]string{"run", "--json", "--every", "1s", "--external", external, "--"}, more...)
}

func (w *jobWorld) counting() []string { return []string{"sh", "-c", "echo x >>" + w.count} }

func (w *jobWorld) launches() int {
	text, _ := os.ReadFile(w.count)
	return bytes.Count(text, []byte("\n"))
}

func (w *jobWorld) job(id coord.JobID) coord.Job {
	w.t.Helper()
	j, err := w.record.Job(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return j
}

// app is a command of the session in the worktree, in this process.
func (w *jobWorld) app() *app {
	env := append(environment{}, w.env...)
	return &app{std: streams{in: strings.NewReader(""), out: &bytes.Buffer{}, err: &bytes.Buffer{}}, env: env, dir: w.tree}
}

// registered is a job of which a run had got as far as its registration.
func (w *jobWorld) registered(external string, argv []string) (jobDir, coord.Job) {
	w.t.Helper()
	a := w.app()
	d, b, err := a.stage(w.t.Context(), "")
	if err != nil {
		w.t.Fatal(err)
	}
	i, err := a.newIntent(w.t.Context(), d, b)
	if err != nil {
		w.t.Fatal(err)
	}
	i.Argv, i.Digest, i.Dir, i.External, i.Every = argv, digestOf(argv), w.tree, external, coord.Duration(time.Second)
	i.Name = clip(strings.Join(argv, " "), 100)
	dir, err := a.newJobDir(i)
	if err != nil {
		w.t.Fatal(err)
	}
	j, ours, err := a.register(w.t.Context(), dir, i)
	if err != nil || !ours {
		w.t.Fatalf("%+v, ours %v, %v", j, ours, err)
	}
	return dir, j
}

// launch runs a program as a job and returns where it is kept.
func (w *jobWorld) launch(external string, argv ...string) (jobDir, launched) {
	w.t.Helper()
	var j launched
	cmd := w.command("a", w.tree, w.args(external, argv...)...)
	out, err := cmd.Output()
	if err == nil {
		err = jsonData(out, &j)
	}
	if err != nil {
		w.t.Fatalf("%v: %s", err, out)
	}
	dir, ok := w.app().localJob(w.app().origin(w.t), j.ID)
	if !ok {
		w.t.Fatalf("%s is not here", j.ID)
	}
	return dir, j
}

// kill ends the guardian of a job without warning.
func (w *jobWorld) kill(d jobDir) {
	w.t.Helper()
	var g proc.Process
	if there, err := d.get(fileGuardian, &g); !there || err != nil {
		w.t.Fatalf("no guardian: %v", err)
	}
	if p, err := os.FindProcess(g.PID); err != nil || p.Kill() != nil {
		w.t.Fatalf("the guardian %+v cannot be killed: %v", g, err)
	}
	if err := d.unguarded(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// until waits for something that another process is about to do.
func (w *jobWorld) until(what string, done func() bool) {
	w.t.Helper()
	for limit := time.Now().Add(20 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			w.t.Fatalf("%s: not within 20 s", what)
		}
	}
}

// noneLeft wants no process to be left of this world's jobs.
func (w *jobWorld) noneLeft() {
	if runtime.GOOS != "linux" {
		return
	}
	left := func() (all []string) {
		entries, _ := os.ReadDir("/proc")
		for _, e := range entries {
			cmd, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ"))
			if err == nil && bytes.Contains(env, []byte("HOME="+w.root+"\x00")) && !bytes.Contains(cmd, []byte("\x00serve\x00")) {
				all = append(all, e.Name()+" "+strings.ReplaceAll(string(cmd), "\x00", " "))
			}
		}
		return all
	}
	w.until(fmt.Sprint("processes are left: ", left()), func() bool { return len(left()) == 0 })
}

// TestJ4_KilledBeforeTheLaunch: what was not launched is recorded as that, and
// is launched by whoever asks for it before.
func TestJ4_KilledBeforeTheLaunch(t *testing.T) {
	w := newJobWorld(t)
	_, j := w.registered("x1", w.counting())
	w.must("a", w.tree, "jobs")
	if got := w.job(j.ID); got.State != coord.JobNotStarted || w.launches() != 0 {
		t.Errorf("%s, launched %d times", got.State, w.launches())
	}
	if r := w.as("a", w.tree, w.args("x1", w.counting()...)...); w.launches() != 0 || r.status != 0 {
		t.Errorf("what is recorded as not started was launched: %+v", r)
	}
	_, j = w.registered("x2", w.counting())
	w.must("a", w.tree, w.args("x2", w.counting()...)...)
	w.must("a", w.tree, "job", "wait", string(j.ID))
	if got := w.job(j.ID); got.State != coord.JobSucceeded || w.launches() != 1 {
		t.Errorf("%s, launched %d times", got.State, w.launches())
	}
}

// TestJ4_KilledDuringTheLaunch: a launch intent without a process says that it
// may run. It is unknown, and never launched again.
func TestJ4_KilledDuringTheLaunch(t *testing.T) {
	w := newJobWorld(t)
	d, j := w.registered("x1", w.counting())
	if err := d.put(fileLaunch, time.Now()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.must("a", w.tree, "jobs")
		r := w.as("a", w.tree, w.args("x1", w.counting()...)...)
		if r.status != 0 || !strings.Contains(r.out, "whether it runs is unknown, and it is not launched again") {
			t.Errorf("%+v", r)
		}
		if out, err := exec.Command(binary, "guard", d.path).CombinedOutput(); err == nil {
			t.Logf("a guardian without a home says %s", out)
		}
		guard := w.command("a", w.tree, "guard", d.path)
		if out, err := guard.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	w.until("unknown", func() bool { return w.job(j.ID).State == coord.JobUnknown })
	if w.launches() != 0 {
		t.Errorf("launched %d times", w.launches())
	}
	if !strings.Contains(w.must("a", w.tree, "job", "show", string(j.ID)), "unknown") {
		t.Error("job show does not say so")
	}
}

// TestJ2_KilledGuardian: the program goes on and is seen running by whoever
// looks; that it ended unseen makes it unknown, never failed.
func TestJ2_KilledGuardian(t *testing.T) {
	w := newJobWorld(t)
	end := filepath.Join(w.root, "end")
	d, j := w.launch("x1", "sh", "-c", "while ! test -e "+end+"; do sleep 0.02; done; exit 3")
	w.kill(d)
	w.until("unknown", func() bool { return w.job(j.ID).State == coord.JobUnknown })
	if out := w.must("a", w.tree, "job", "show", string(j.ID)); !strings.Contains(out, "running") {
		t.Errorf("it says\n%s", out)
	}
	if got := w.job(j.ID); got.State != coord.JobRunning || got.Process == nil || int(got.Process.PID) != j2pid(t, d) {
		t.Errorf("got %+v", got)
	}
	w.until("another guardian", d.guarded)
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.unguarded(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.until("unknown again", func() bool { return w.job(j.ID).State == coord.JobUnknown })
	if out := w.must("a", w.tree, "job", "show", string(j.ID)); !strings.Contains(out, lostResult) {
		t.Errorf("it says\n%s", out)
	}
}

func j2pid(t *testing.T, d jobDir) int {
	t.Helper()
	p, err := d.process()
	if err != nil {
		t.Fatal(err)
	}
	return p.PID
}

// TestJ2_StopAfterAKilledGuardian ends the whole tree all the same.
func TestJ2_StopAfterAKilledGuardian(t *testing.T) {
	w := newJobWorld(t)
	line := "sleep 1000 & sleep 1000"
	if runtime.GOOS == "linux" {
		line = "setsid sleep 1000 & " + line
	}
	d, j := w.launch("x1", "sh", "-c", line)
	w.kill(d)
	w.must("a", w.tree, "job", "stop", string(j.ID))
	w.until("interrupted", func() bool { return w.job(j.ID).State == coord.JobInterrupted })
}

// TestJ5_KilledBeforeItIsReported: what the result file proves is reported by
// whoever looks, once there is a server.
func TestJ5_KilledBeforeItIsReported(t *testing.T) {
	w := newJobWorld(t)
	end := filepath.Join(w.root, "end")
	d, j := w.launch("x1", "sh", "-c", "while ! test -e "+end+"; do sleep 0.02; done; exit 3")
	w.killServer()
	if err := os.WriteFile(end, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.until("a result", func() bool { return d.has(fileResult) })
	w.kill(d)
	if r := w.as("a", w.tree, "job", "show", string(j.ID)); r.status != 0 || !strings.Contains(r.out, "failed, which is not reported yet") {
		t.Errorf("without a server: %+v", r)
	}
	w.must("a", w.dir, "up")
	w.must("a", w.tree, "jobs")
	w.until("failed", func() bool { return w.job(j.ID).State == coord.JobFailed })
	if got := w.job(j.ID); got.Exit == nil || *got.Exit != 3 || got.EndedAt == nil || got.LogDigest == "" {
		t.Errorf("got %+v", got)
	}
}

// TestFault54_TheSameExternalIDAtOnce is launched once, by one of them.
func TestFault54_TheSameExternalIDAtOnce(t *testing.T) {
	w := newJobWorld(t)
	var all sync.WaitGroup
	ids := make([]coord.JobID, 5)
	for n := range ids {
		all.Go(func() {
			var j launched
			out, err := w.command("a", w.tree, w.args("ci/7", w.counting()...)...).Output()
			if err == nil {
				err = jsonData(out, &j)
			}
			if ids[n] = j.ID; err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	w.must("a", w.tree, "job", "wait", string(ids[0]))
	for _, id := range ids {
		if id != ids[0] {
			t.Errorf("jobs %v", ids)
		}
	}
	if w.launches() != 1 {
		t.Errorf("launched %d times", w.launches())
	}
}

// TestJ4_KilledAnywhere: wherever the command and the guardian are killed, and
// however often it is typed again, the program is launched at most once, and
// nothing says of a launched one that it was not started.
func TestJ4_KilledAnywhere(t *testing.T) {
	w := newJobWorld(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for n := range 12 {
		count := filepath.Join(w.root, "count-"+strconv.Itoa(n))
		external := "sweep/" + strconv.Itoa(n)
		argv := []string{"sh", "-c", "echo x >>" + count}
		for try := 0; try < 3; try++ {
			cmd := w.command("a", w.tree, w.args(external, argv...)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if try < 2 {
				time.Sleep(time.Duration(r.IntN(90)) * time.Millisecond)
				_ = cmd.Process.Kill()
				if d, ok := w.sweeping(external); ok && r.IntN(2) == 0 {
					var g proc.Process
					if there, _ := d.get(fileGuardian, &g); there && proc.Alive(g.PID, g.Start) {
						p, _ := os.FindProcess(g.PID)
						_ = p.Kill()
					}
				}
			}
			_ = cmd.Wait()
		}
		w.must("a", w.tree, "jobs")
		d, ok := w.sweeping(external)
		if !ok {
			continue // its credential was lost with the answer
		}
		if err := d.unguarded(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.must("a", w.tree, "jobs")
		text, _ := os.ReadFile(count)
		id, err := d.id()
		if err != nil || id == "" {
			continue
		}
		switch state := w.job(id).State; {
		case len(text) > 2:
			t.Errorf("%s was launched %d times", external, len(text)/2)
		case len(text) > 0 && state == coord.JobNotStarted, len(text) == 0 && state == coord.JobSucceeded:
			t.Errorf("%s is %s and was launched %d times", external, state, len(text)/2)
		}
	}
}

func (w *jobWorld) sweeping(external string) (jobDir, bool) {
	all, _ := w.app().jobDirs()
	for _, d := range all {
		if i, err := d.intent(); err == nil && i.External == external {
			return d, true
		}
	}
	return jobDir{}, false
}
