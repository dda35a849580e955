package work_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"coord"
	"coord/gitops"
	"coord/server/store"
	"coord/servicetest"
	"coord/work"
)

// wreck is a remote in memory and a real store, on which a landing is cut off.
type wreck struct {
	*world
	berth              // first is being landed when it is cut off, second waits behind it
	backup   string    // of the record before any landing
	base     coord.OID // main then
	agents   []*actor
	verified map[coord.OID]bool // trees that a check ran on
	cut      coord.Seq          // the log's end when the landing was cut off
}

// actor is an agent in a clone of its own.
type actor struct {
	*agent
	wreck *wreck
	clone *memClone
	hooks []*hook
}

// hook does something once, at a call: before it is sent or after its effect,
// when the request or its answer may be lost.
type hook struct {
	call  string // or its beginning
	skip  int    // so many calls before it
	after bool
	lost  bool
	do    func()
}

func (a *actor) when(h hook) { a.hooks = append(a.hooks, &h) }

// fault is what the hooks make of a call.
func (a *actor) fault(name string) (f fault) {
	if name == "Renew" { // which comes whenever it comes
		return f
	}
	var chosen *hook
	a.hooks = slices.DeleteFunc(a.hooks, func(h *hook) bool {
		if chosen != nil || !strings.HasPrefix(name, h.call) {
			return false
		}
		if h.skip > 0 {
			h.skip--
			return false
		}
		chosen = h
		return true
	})
	switch h := chosen; {
	case h == nil:
	case h.after:
		f.after, f.then = h.lost, h.do
	default:
		f.before, f.during = h.lost, h.do
	}
	return f
}

// memoryDir is where the stores of a wreck lie: in memory, if the system has
// such a place, since hundreds of them are made.
func memoryDir(t testing.TB) string {
	dir, err := os.MkdirTemp("/dev/shm", "coord-wreck-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// mould is what every wreck of a strategy begins as: a record of many projects,
// each with a remote of its own.
type mould struct {
	record []byte
	backup string
	berths []berth
}

// berth is one project of a mould, with two submissions handed over, and main
// moved on from where they began.
type berth struct {
	project       coord.ProjectKey
	origin        *memory
	author        depot
	first, second coord.Submission
}

func newMould(t *testing.T, by coord.Strategy, n int) *mould {
	t.Helper()
	w := &world{t: t, top: memoryDir(t), bare: "memory", clock: servicetest.NewClock()}
	w.opened(filepath.Join(w.top, "coord.db"))
	m := &mould{}
	for i := range n {
		key := coord.ProjectKey(fmt.Sprintf("pay%d", i))
		_, err := w.store.As(coord.Caller{Principal: "setup", Role: coord.RoleSetup, Name: "setup"}).CreateProject(t.Context(), coord.CreateProject{
			Key: newKey(), Project: key, Name: string(key),
			Repositories: []coord.Repository{{ID: repositoryOf(key), Remote: string(key), Target: "main"}},
			Policy:       coord.Policy{Review: coord.ReviewNone, Strategy: by, Lease: coord.Duration(lease), RecoveryGrace: coord.Duration(grace)},
		})
		must(t, err)
		b := berth{project: key, origin: newMemory()}
		b.origin.pushed("setup", ".coord.toml", config)
		x := &wreck{world: w, berth: b}
		a := x.actor("alpha")
		b.first, b.second = a.hands("first"), a.hands("second")
		b.origin.pushed("outside", "moved", "1")
		b.author = a.clone.depot
		m.berths = append(m.berths, b)
	}
	m.backup = w.backedUp()
	var err error
	m.record, err = os.ReadFile(m.backup)
	must(t, err)
	return m
}

func repositoryOf(p coord.ProjectKey) coord.RepositoryID {
	return coord.RepositoryID("file:///" + p)
}

// world serves a copy of the record.
func (m *mould) world(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, top: memoryDir(t), bare: "memory", clock: servicetest.NewClock()}
	path := filepath.Join(w.top, "coord.db")
	must(t, os.WriteFile(path, m.record, 0o600))
	w.opened(path)
	return w
}

// opened serves the record at path.
func (w *world) opened(path string) {
	w.t.Helper()
	s, err := store.Open(context.Background(), store.Options{Path: path, Now: w.clock.Now, Plan: noPlan})
	must(w.t, err)
	w.t.Cleanup(func() { _ = s.Close() })
	w.store = s
}

// wreck pours the i-th one into a world.
func (m *mould) wreck(t *testing.T, in *world, i int) *wreck {
	b := m.berths[i]
	b.author, b.origin = b.author.clone(), b.origin.clone()
	return &wreck{
		world: &world{t: t, top: in.top, bare: in.bare, clock: in.clock, store: in.store}, berth: b, backup: m.backup, base: b.origin.refs[mainRef],
		verified: map[coord.OID]bool{b.first.Tree: true, b.second.Tree: true},
	}
}

// actor is an agent in a fresh clone.
func (w *wreck) actor(name string) *actor { return w.in(w.origin.cloned(name)) }

// in is an agent of the clone's name, in the clone: a fresh process.
func (w *wreck) in(clone *memClone) *actor {
	w.t.Helper()
	view := *clone
	a := &actor{wreck: w, clone: &view}
	a.agent = w.agentIn(clone.by, &view, &view, filepath.Join(w.top, clone.by+".worktrees"))
	a.Project, a.Repository = w.project, repositoryOf(w.project)
	a.svc.around = func(name string, _ int) fault { return a.fault(name) }
	view.wire = a.fault
	a.RunCheck = func(_ context.Context, dir string, _ coord.Check) coord.Run {
		f := a.fault("check")
		if f.during != nil {
			f.during()
		}
		tree := view.commits[view.places[dir]].Tree
		if w.verified != nil {
			w.verified[tree] = true
		}
		return coord.Run{Result: coord.ResultPassed, Toolchain: "test"}
	}
	w.agents = append(w.agents, a)
	return a
}

// hands is a task with one new file, made at main and handed over.
func (a *actor) hands(file string) coord.Submission {
	w, ctx := a.w, a.w.t.Context()
	w.t.Helper()
	task, err := w.reader().CreateTask(ctx, coord.CreateTask{Key: newKey(), Project: a.Project, Title: file})
	must(w.t, err)
	claimed, err := a.svc.Claim(ctx, coord.Claim{Project: a.Project, Task: task.ID, Repository: a.Repository})
	must(w.t, err)
	must(w.t, a.clone.Fetch(ctx, "origin", "+"+mainRef+":refs/remotes/origin/main"))
	base := a.clone.refs["refs/remotes/origin/main"]
	tree := a.clone.changed(base, file, file)
	made := a.clone.commit(gitops.Commit{Tree: tree, Parents: []coord.OID{base}, Message: file, Author: outsider, Committer: outsider})
	ref := "refs/coord/candidates/" + string(claimed.Task.ID) + "/1/" + string(made)
	must(w.t, a.clone.Push(ctx, "origin", []gitops.RefUpdate{{Name: ref, New: made, Old: gitops.Absent}}, false))
	at := claimed.Attempt
	_, err = a.svc.RecordReceipt(ctx, coord.RecordReceipt{Attempt: at.ID, Fence: at.Fence, Run: coord.Run{
		Check: theCheck.Name, Definition: theCheck.Digest(), Tree: tree, Result: coord.ResultPassed, Machine: "m1", Toolchain: "test",
	}})
	must(w.t, err)
	s, err := a.svc.Submit(ctx, coord.Submit{
		Attempt: at.ID, Fence: at.Fence, Commit: made, Tree: tree, Base: base, Ref: ref, Summary: "adds " + file, Required: []coord.RequiredCheck{theCheck.Require()},
	})
	must(w.t, err)
	return s.Submission
}

// authors is the clone that the submissions were made in.
func (w *wreck) authors() *memClone {
	c := w.origin.cloned("alpha")
	c.depot = w.berth.author
	return c
}

// lose empties the clone.
func (c *memClone) lose() {
	clear(c.blobs)
	clear(c.trees)
	clear(c.commits)
}

// seq is the end of the log.
func (w *wreck) seq() coord.Seq {
	w.t.Helper()
	events, err := w.reader().Events(w.t.Context(), w.project, 0, 1000)
	must(w.t, err)
	return events[len(events)-1].Seq
}

// visit is one command of an actor in a process of its own, which can stand
// still and be ended where it stands.
type visit struct {
	by           *actor
	stands, wake chan struct{}
	done         chan struct{}
	killed       bool
	err          error
}

// visits lands the first task until the process stands at the hook, or ends.
func (a *actor) visits(h hook) *visit {
	a.w.t.Helper()
	v := &visit{by: a, stands: make(chan struct{}), wake: make(chan struct{}), done: make(chan struct{})}
	wake := v.wake
	h.do = func() {
		v.stands <- struct{}{}
		if <-wake; v.killed {
			runtime.Goexit()
		}
	}
	a.when(h)
	ctx := a.w.t.Context()
	go func() {
		defer close(v.done)
		_, v.err = a.Land(ctx, work.LandOptions{Task: a.wreck.first.Task})
	}()
	select {
	case <-v.stands:
	case <-v.done:
		if h.call != "" {
			a.w.t.Fatalf("%s came past %q: %v", a.clone.by, h.call, v.err)
		}
		v.wake, a.hooks = nil, nil // it has no such call
	}
	return v
}

// goesOn lets the process run to its end. Where it ends for want of an answer,
// its user types the command again.
func (v *visit) goesOn() {
	if v.wake == nil {
		return
	}
	close(v.wake)
	v.wake = nil
	<-v.done
	if coord.CodeOf(v.err) == coord.CodeUnavailable && !v.killed {
		_, v.err = v.by.land(v.by.wreck.first.Task)
	}
	if code := coord.CodeOf(v.err); code == coord.CodeInternal {
		v.by.w.t.Errorf("%s: %v", v.by.clone.by, v.err)
	}
}

// isKilled ends the process where it stands.
func (v *visit) isKilled() {
	v.killed = true
	v.goesOn()
}

// lands types the command until the task has landed, waiting for whoever holds
// the target to be given up.
func (a *actor) lands(task coord.TaskID) {
	a.w.t.Helper()
	var met []string
	for range 6 {
		_, err := a.land(task)
		if err == nil {
			return
		}
		met = append(met, fmt.Sprintf("%s: %v", coord.CodeOf(err), err))
		switch coord.CodeOf(err) {
		case coord.CodeUnavailable, coord.CodeFenced, coord.CodeStateConflict, coord.CodeLeaseExpired:
		case coord.CodeTargetHeld, coord.CodeTaskTaken:
			a.w.clock.Advance(lease + grace)
		default:
			a.w.t.Fatalf("%s cannot land %s: %v", a.clone.by, task, met)
		}
	}
	a.w.t.Fatalf("%s is stuck with %s: %v", a.clone.by, task, met)
}

// outcome says in the words of the table what became of the first task after
// it was cut off.
func (w *wreck) outcome() string {
	w.t.Helper()
	events, err := w.reader().Events(w.t.Context(), w.project, 0, 1000)
	must(w.t, err)
	pushing := false // a push was permitted that nobody saw the outcome of
	got := "queued"
	for _, e := range events {
		mine := e.Task == w.first.Task
		switch {
		case e.Kind == coord.EventTargetDiverged:
			return "diverged"
		case mine && e.Kind == coord.EventLandingPermitted:
			pushing = e.Seq <= w.cut
		case mine && e.Kind == coord.EventLandingObserved:
			pushing = false
		case mine && e.Kind == coord.EventLandingFailed && strings.Contains(e.Text, "did not take the push"):
			return "failed"
		case mine && e.Kind == coord.EventLandingLanded && (pushing || e.Seq <= w.cut):
			got = "landed"
		}
	}
	if w.landing(w.first.Task).Reconstructed {
		return "reconstructed"
	}
	return got
}

// whole proves what must hold after any wreck.
func (w *wreck) whole() {
	w.t.Helper()
	w.nothingLost()
	w.oncePerSubmission()
	w.recordAgrees()
	seen := map[coord.OID]bool{}
	for _, f := range w.origin.fences {
		if seen[f] {
			w.t.Errorf("the fence had the value %s twice", f.Short())
		}
		seen[f] = true
	}
}

// nothingLost follows main: only an admin ever takes a commit away.
func (w *wreck) nothingLost() {
	w.t.Helper()
	must := map[coord.OID]bool{}
	for _, m := range w.origin.main {
		now := w.origin.history(m.to)
		if m.by != "admin" {
			for o := range must {
				if !now[o] {
					w.t.Errorf("%s took %s off main", m.by, o.Short())
				}
			}
		}
		must = now
	}
}

// oncePerSubmission counts the commits that were ever on main and say that
// they landed something.
func (w *wreck) oncePerSubmission() {
	w.t.Helper()
	ever := map[coord.OID]bool{}
	for _, m := range w.origin.main {
		maps.Copy(ever, w.origin.history(m.to))
	}
	for _, s := range []coord.Submission{w.first, w.second} {
		n := 0
		for o := range ever {
			if strings.Contains(w.origin.commits[o].Message, "Coord-Submission: "+string(s.ID)) {
				n++
			}
		}
		equal(w.t, "landings of "+string(s.ID)+" on main", n, 1)
	}
}

// recordAgrees compares what is on record with the remote.
func (w *wreck) recordAgrees() {
	w.t.Helper()
	moves := map[coord.OID]bool{}
	for _, m := range w.origin.main {
		moves[m.to] = true
	}
	var last coord.Landing
	for _, s := range []coord.Submission{w.first, w.second} {
		d := w.detail(s.Task)
		equal(w.t, string(s.Task), d.Status, coord.StatusDone)
		var landed []coord.Landing
		for _, l := range d.Landings {
			if l.State == coord.LandingLanded {
				landed = append(landed, l)
			} else if l.State.Reserves() {
				w.t.Errorf("%s still holds the target", l.ID)
			}
		}
		if len(landed) != 1 {
			w.t.Errorf("%s landed %d times on record", s.Task, len(landed))
			continue
		}
		l := landed[0]
		w.oneLanding(l)
		if !moves[l.Result] {
			w.t.Errorf("the result %s of %s was never main", l.Result.Short(), l.ID)
		}
		if last.LandedAt == nil || !l.LandedAt.Before(*last.LandedAt) {
			last = l
		}
	}
	board, err := w.reader().LandingBoard(w.t.Context(), w.project)
	must(w.t, err)
	for _, row := range board.Targets {
		if row.Hold != nil || len(row.Queue) > 0 || row.Diverged != nil || row.Unreconciled {
			w.t.Errorf("the target is stuck: %+v", row)
		}
		history := w.origin.history(w.origin.refs[mainRef])
		if !history[row.Tip] || !history[row.Landed] {
			w.t.Errorf("the record knows main at %s with %s; it is %s", row.Tip.Short(), row.Landed.Short(), w.origin.refs[mainRef].Short())
		}
	}
	equal(w.t, "targets", len(board.Targets), 1)
}

// oneLanding wants the landed tree to be the verified one, with its receipt.
func (w *wreck) oneLanding(l coord.Landing) {
	w.t.Helper()
	equal(w.t, "tree of "+string(l.ID), w.origin.commits[l.Result].Tree, l.Tree)
	equal(w.t, "a check ran on it", w.verified[l.Tree], true)
	if l.Weak && w.origin.atomic {
		w.t.Errorf("%s landed weakly on a remote that takes the fence", l.ID)
	}
	if l.Reconstructed {
		return
	}
	receipts, err := w.reader().ReceiptsFor(w.t.Context(), w.project, l.Tree)
	must(w.t, err)
	missing := coord.MissingChecks([]coord.RequiredCheck{theCheck.Require()}, receipts, l.Tree)
	if len(missing) > 0 || !l.Verified {
		w.t.Errorf("%s landed with missing %v, verified %v", l.ID, missing, l.Verified)
	}
}
