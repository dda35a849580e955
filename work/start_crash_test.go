//go:build unix

package work_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"coord"
	"coord/gitops"
	"coord/server/store"
	"coord/servicetest"
	"coord/work"
)

var everyGit = flag.Bool("every-git", false, "kill a start before every run of git, not only before and after those that write")

// TestStartingChild is the process that is killed while it starts a task.
func TestStartingChild(t *testing.T) {
	top := os.Getenv("KILL_TOP")
	if top == "" {
		t.Skip("it is run by the tests that kill it")
	}
	w := &world{t: t, top: top, bare: filepath.Join(top, "origin.git"), clock: servicetest.NewClock(), env: os.Environ(), git: gitops.New(os.Environ())}
	keys.Store(int64(os.Getpid()) * 1e6) // no key of another process
	w.reopened()
	a := w.agent(os.Getenv("KILL_AGENT"), filepath.Join(top, "clone"))
	_, err := a.Start(t.Context(), work.StartOptions{Task: coord.TaskID(os.Getenv("KILL_TASK"))})
	must(t, err)
}

// reopened opens the record again. A process that another test is about to start
// has its lock until it runs its own program.
func (w *world) reopened() {
	w.t.Helper()
	var err error
	for range 500 {
		w.store, err = store.Open(context.Background(), store.Options{Path: filepath.Join(w.top, "coord.db"), Now: w.clock.Now, Plan: noPlan})
		if err == nil {
			s := w.store
			w.t.Cleanup(func() { _ = s.Close() })
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	must(w.t, err)
}

// death is a run of git, from 1 on, before or after which everything is killed;
// the zero value kills nothing.
type death struct {
	at    int
	after bool
}

func (d death) String() string {
	if d.after {
		return fmt.Sprintf("killed after %d", d.at)
	}
	return fmt.Sprintf("killed before %d", d.at)
}

// startIn starts the task in a process that dies, and reports the runs of git
// that there were and whether it was killed.
func (w *world) startIn(agent string, id coord.TaskID, d death) (runs []string, killed bool) {
	w.t.Helper()
	kill := filepath.Join(w.top, "kill")
	gallows, err := os.ReadFile(filepath.Join("..", "testdata", "git", "gallows.sh"))
	must(w.t, err)
	must(w.t, os.MkdirAll(filepath.Join(kill, "bin"), 0o777))
	must(w.t, os.WriteFile(filepath.Join(kill, "bin", "git"), gallows, 0o777))
	must(w.t, os.WriteFile(filepath.Join(kill, "count"), []byte("0"), 0o666))
	must(w.t, os.RemoveAll(filepath.Join(kill, "log")))
	real, err := exec.LookPath("git")
	must(w.t, err)
	must(w.t, w.store.Close())
	cmd := exec.Command(os.Args[0], "-test.run=^TestStartingChild$")
	cmd.Env = append(slices.Clone(w.env), "PATH="+filepath.Join(kill, "bin")+":"+os.Getenv("PATH"), "KILL="+kill, "KILL_AT="+strconv.Itoa(d.at), "REAL_GIT="+real,
		"KILL_TOP="+w.top, "KILL_AGENT="+agent, "KILL_TASK="+string(id))
	if d.after {
		cmd.Env = append(cmd.Env, "KILL_AFTER=1")
	}
	out, err := cmd.CombinedOutput()
	killed = cmd.ProcessState.ExitCode() == -1
	if err != nil && !killed {
		w.t.Fatalf("to be %s, it failed: %v\n%s", d, err, out)
	}
	w.reopened()
	text, _ := os.ReadFile(filepath.Join(kill, "log"))
	return strings.Split(strings.TrimSpace(string(text)), "\n"), killed
}

// writes are the runs of git that change something, and lays those that lay files.
var writes, lays = regexp.MustCompile(` (fetch|update-ref|worktree add|read-tree|reset|update-index|commit-tree) `),
	regexp.MustCompile(` (worktree add|read-tree|reset|update-index) `)

// deaths are those around each run of git that fits; with -every-git, also before
// each of the others.
func deaths(runs []string, fits *regexp.Regexp) (all []death) {
	for i := range runs {
		writes := fits.MatchString(runs[i])
		if writes || *everyGit {
			all = append(all, death{i + 1, false})
		}
		if writes {
			all = append(all, death{i + 1, true})
		}
	}
	return all
}

// Wherever start is killed, it leaves nothing or what start again finds: one
// attempt, one worktree, with the saved work in it.
func TestStartKilledAtEveryStep(t *testing.T) {
	for name, saved := range map[string]bool{"from the target": false, "from saved work": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, coord.ReviewNone)
			clone := w.clone("clone")
			w.write(clone, "mine", "of the user\n")
			w.run(clone, "add", "mine")
			w.write(clone, "README", "changed by the user\n")
			users := func() string {
				return w.run(clone, "status", "--porcelain") + w.run(clone, "for-each-ref", "refs/heads/main", "refs/tags") + w.run(clone, "symbolic-ref", "HEAD")
			}
			before := users()
			runs, _ := w.startIn("rehearsal", w.prepared(clone, "rehearsal", saved), death{})
			fits := writes
			if saved {
				fits = lays // what comes before was tried from the target
			}
			all := deaths(runs, fits)
			if len(all) < 6 {
				t.Fatalf("there is too little to be killed at: %q", runs)
			}
			for _, d := range all {
				step := strings.ReplaceAll(d.String(), " ", "-")
				id := w.prepared(clone, step, saved)
				if _, killed := w.startIn(step, id, d); !killed {
					t.Errorf("%s: it was not", step)
				}
				equal(t, step+": the user's", users(), before)
				w.foundAgain(clone, step, id, saved)
			}
			t.Logf("proof: a start %s was killed at %d places, and found again each time", name, len(all))
			for _, dir := range []string{clone, w.bare} {
				equal(t, "fsck", w.run(dir, "fsck", "--strict", "--no-dangling", "--no-progress"), "")
			}
		})
	}
}

// prepared is a task, with work of an earlier attempt saved if wanted.
func (w *world) prepared(clone, title string, saved bool) coord.TaskID {
	w.t.Helper()
	id := w.task(title)
	if !saved {
		return id
	}
	a := w.agent("before-"+title, clone)
	b := a.start(id)
	w.write(b.Path, "work", title)
	_, err := a.Checkpoint(w.t.Context(), b, "begun", "go on")
	must(w.t, err)
	_, err = a.svc.Release(w.t.Context(), coord.Release{Attempt: b.Attempt, Fence: b.Fence, Reason: "for the next"})
	must(w.t, err)
	return id
}

// foundAgain starts the task again, in this process, as the same session.
func (w *world) foundAgain(clone, step string, id coord.TaskID, saved bool) {
	w.t.Helper()
	a := w.agent(step, clone)
	s, err := a.Start(w.t.Context(), work.StartOptions{Task: id})
	if err != nil {
		w.t.Errorf("%s: %s: %v", step, coord.CodeOf(err), err)
		return
	}
	generation, status := int64(1), ""
	if saved {
		text, err := os.ReadFile(filepath.Join(s.Worktree.Path, "work"))
		must(w.t, err)
		equal(w.t, step+": the saved work", string(text), w.detail(id).Title)
		// Staged, when it was killed between two steps of laying it there.
		generation, status = 2, "work"
	}
	got := strings.TrimLeft(w.run(s.Worktree.Path, "status", "--porcelain"), "?A ")
	equal(w.t, step+": the attempt", s.Attempt.Generation, generation)
	equal(w.t, step+": the worktree", a.bound(id).Path, s.Worktree.Path)
	equal(w.t, step+": the work", got, status)
	equal(w.t, step+": where it begins", w.run(s.Worktree.Path, "rev-parse", "HEAD"), w.remote("refs/heads/main"))
	var here int
	for l := range strings.Lines(w.run(clone, "worktree", "list", "--porcelain")) {
		if strings.HasPrefix(l, "branch refs/heads/"+s.Worktree.Branch+"\n") || strings.HasPrefix(l, "worktree "+s.Worktree.Path+"\n") {
			here++
		}
	}
	equal(w.t, step+": lines about it", here, 2)
}
