package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coord"
)

// approved makes a task with one new file, for a target or for main, through
// to its approved submission. The project has no review mode.
func (w *proofWorld) approved(id, file string, new ...string) {
	w.t.Helper()
	w.must("author", w.dir, append([]string{"task", "new", "Add " + file}, new...)...)
	s := w.startIn("author", w.dir, id)
	w.write(s.Worktree.Path, file, "by "+id+"\n")
	w.must("author", s.Worktree.Path, "check")
	w.must("author", s.Worktree.Path, "submit", "--all", "-m", "Add "+file)
}

// outside pushes a commit to main without coord.
func (w *proofWorld) outside(file string) coord.OID {
	w.t.Helper()
	w.git(w.dir, "pull", "-q", "--ff-only")
	w.write(w.dir, file, "from outside\n")
	w.commit(w.dir, "Outside: "+file)
	return coord.OID(w.git(w.dir, "rev-parse", "HEAD"))
}

// history is the first-parent history of a branch of the remote, oldest
// first, each as commit, tree and parents.
func (w *proofWorld) history(branch string) [][]string {
	w.t.Helper()
	out := w.git(filepath.Join(w.root, "pay.git"), "log", "--reverse", "--first-parent", "--format=%H %T %P", branch)
	var all [][]string
	for line := range strings.Lines(out) {
		all = append(all, strings.Fields(line))
	}
	return all
}

// historyIsRecord compares a branch of the remote with the landings on record:
// each landed commit is one merge of its first-parent history, made on the tip
// before it, with exactly the tree that was verified.
func (w *proofWorld) historyIsRecord(branch string) {
	w.t.Helper()
	recorded := map[string]coord.Landing{}
	for _, e := range w.events() {
		if e.Kind != coord.EventLandingLanded {
			continue
		}
		for _, l := range w.taskDetail(e.Task).Landings {
			if l.State == coord.LandingLanded && l.Target == branch {
				recorded[string(l.Result)] = l
			}
		}
	}
	if len(recorded) == 0 {
		w.t.Errorf("nothing landed on %s", branch)
	}
	before := ""
	for _, c := range w.history(branch) {
		commit, tree, parents := c[0], c[1], c[2:]
		if before != "" && (len(parents) == 0 || parents[0] != before) {
			w.t.Errorf("%s does not follow %s", commit, before)
		}
		l, landed := recorded[commit]
		if len(parents) > 1 != landed {
			w.t.Errorf("%s with %d parents: landed by the record: %v", commit, len(parents), landed)
		}
		if landed && (string(l.Base) != before || string(l.Tree) != tree || !l.Verified) {
			w.t.Errorf("%s on %s has tree %s; the record says %+v", commit, before, tree, l)
		}
		delete(recorded, commit)
		before = commit
	}
	if len(recorded) != 0 {
		w.t.Errorf("landed by the record, not on %s: %v", branch, recorded)
	}
}

// holdsAtOnce walks the log and returns the greatest number of holds that a
// target ever had.
func (w *proofWorld) holdsAtOnce(target string) int {
	w.t.Helper()
	held, most := map[coord.TaskID]bool{}, 0
	for _, e := range w.events() {
		switch e.Kind {
		case coord.EventLandingHeld:
			if w.taskDetail(e.Task).Target == target {
				held[e.Task] = true
			}
		case coord.EventLandingLanded, coord.EventLandingFailed:
			delete(held, e.Task)
		}
		most = max(most, len(held))
	}
	return most
}

// Landings on one target that are asked for at once happen one after the
// other: all land, and no two hold the target at a time.
func TestProofLandingsSerialize(t *testing.T) {
	w := newProofWorld(t, proofConfig, "--review", "none")
	const n = 4
	for i := range n {
		// Numbers go on: each submission also makes an integration task.
		w.approved(fmt.Sprintf("pay-%d", 2*i+1), fmt.Sprintf("file%d.txt", i))
	}
	clones := make([]string, n)
	for i := range clones {
		clones[i] = w.clone(fmt.Sprintf("clone%d", i))
	}
	results := atOnce(n, func(i int) ran {
		return w.as(fmt.Sprintf("agent-%d", i), clones[i], "integrate", "--wait", "--json")
	})
	var done []coord.TaskID
	for i, r := range results {
		var l coord.Landed
		if r.status != 0 || json.Unmarshal([]byte(r.out), &struct{ Data any }{&l}) != nil {
			t.Fatalf("agent-%d: status %d %s%s", i, r.status, r.out, r.err)
		}
		done = append(done, l.Task.ID)
	}
	slices.Sort(done)
	if len(slices.Compact(done)) != n {
		t.Errorf("landed: %v", done)
	}
	if most := w.holdsAtOnce("main"); most != 1 {
		t.Errorf("main had %d holds at a time", most)
	}
	w.historyIsRecord("main")
	if files := w.git(filepath.Join(w.root, "pay.git"), "ls-tree", "--name-only", "main"); strings.Count(files, "file") != n {
		t.Errorf("main has the files %s", files)
	}
	w.noServerErrors()
}

// While one target is held, another takes a landing; a tip that moves during
// the verification is landed on top of, and the outside commit is shown.
func TestProofTargets(t *testing.T) {
	g, config := newGate(t)
	w := newProofWorld(t, config, "--review", "none")
	w.git(w.dir, "push", "-q", "origin", "HEAD:refs/heads/release")
	w.approved("pay-1", "main.txt")
	w.approved("pay-3", "release.txt", "--target", "release")
	w.outside("first.txt")

	g.shutFor(landings)
	slow := make(chan ran, 1)
	dir := w.clone("slow")
	go func() { slow <- w.as("slow", dir, "integrate", "pay-1", "--json") }()
	check := g.arrived(t)
	if r := w.as("busy", w.clone("busy"), "integrate", "pay-1", "--json"); r.status != 5 {
		t.Errorf("a second landing of the same: status %d %s", r.status, r.out)
	}
	w.must("quick", w.clone("quick"), "integrate", "pay-3")
	if status := w.taskDetail("pay-1").Status; status != coord.StatusValidating {
		t.Errorf("pay-1 is %s while pay-3 has landed", status)
	}
	moved := w.outside("second.txt")
	g.open()
	pass(check)
	r := <-slow
	var l coord.Landed
	if r.status != 0 || json.Unmarshal([]byte(r.out), &struct{ Data any }{&l}) != nil {
		t.Fatalf("status %d %s%s", r.status, r.out, r.err)
	}
	if l.Landing.Base != moved || l.Landing.Tries != 2 || !l.Landing.Verified {
		t.Errorf("landed %+v, not on %s", l.Landing, moved)
	}
	if shown := w.taskDetail("pay-1").Landings; len(shown) != 1 || !slices.Contains(shown[0].Outside, moved) {
		t.Errorf("the outside commit %s is not shown in %+v", moved, shown)
	}
	w.historyIsRecord("main")
	w.historyIsRecord("release")
	w.noServerErrors()
}
