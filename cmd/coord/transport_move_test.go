package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coord"
)

// byFile is the way to a remote that is a directory.
func byFile(_ *testing.T, root string) way {
	return way{
		url:      func(string) string { return filepath.Join(root, "pay.git") },
		settings: func(machine, _ string) string { return "[user]\n\tname = " + machine + "\n" },
	}
}

// Work that was saved on a machine which is lost is taken up on another one,
// reviewed on a third and landed, with nothing between them but the remote and
// the server; and a stranger's clone has exactly what is on record.
func TestWorkMovesBetweenMachines(t *testing.T) {
	for name, open := range map[string]func(*testing.T, string) way{"file": byFile, "ssh": sshWay, "smart HTTP": smartHTTP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newCrossing(t, open, "--grace", "10m")
			x.done(x.dir, "task", "new", "Survive the laptop", "--accept", "nothing is lost")
			x.move(x.enrol("alpha"), x.enrol("bravo"), x.enrol("delta"))
			x.noServerErrors()
		})
	}
}

// move is the story of pay-1: begun on one machine, finished on the next,
// judged and landed on the last.
func (x *crossing) move(first, next, last *machine) {
	x.t.Helper()
	begun := first.start().Worktree.Path
	first.write(begun, "half.txt", "half of the work\n")
	first.write(begun, "naïve name.txt", "ünïcödé\n")
	if err := os.WriteFile(filepath.Join(begun, "run.sh"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		x.t.Fatal(err)
	}
	if out := first.done(begun, "checkpoint", "-m", "half", "--next", "the other half"); !strings.HasSuffix(out, "pushed\n") {
		x.t.Errorf("the checkpoint: %s", out)
	}
	saved := first.snapshotOf(begun)
	first.dies()

	on := next.start()
	if got := next.snapshotOf(on.Worktree.Path); got != saved || on.Attempt.Generation != 2 {
		x.t.Errorf("attempt %d goes on with tree %s, not %s", on.Attempt.Generation, got, saved)
	}
	next.write(on.Worktree.Path, "rest.txt", "the other half\n")
	next.done(on.Worktree.Path, "checkpoint", "-m", "whole")
	next.done(on.Worktree.Path, "check")
	next.done(on.Worktree.Path, "submit", "--all", "-m", "Survive")
	whole := next.snapshotOf(on.Worktree.Path)

	last.done(last.start("--kind", "review").Worktree.Path, "approve", "-m", "it is whole")
	last.done(last.dir, "integrate")
	d := x.taskDetail("pay-1")
	if d.Status != coord.StatusDone || d.Landed == nil || d.Landed.Tree != whole || len(d.Landings) != 1 || d.Landings[0].Weak {
		x.t.Fatalf("%s is %s, landed %+v, %+v; the work was %s", d.ID, d.Status, d.Landed, d.Landings, whole)
	}
	x.historyIsRecord("main")
	x.anyClone(*d.Landed)
}

// anyClone proves that a fresh clone over the wire is at what the record says
// landed.
func (x *crossing) anyClone(landed coord.LandedFact) {
	x.t.Helper()
	at := filepath.Join(x.root, "fresh")
	x.git(x.root, "clone", "-q", x.way.url(x.name), at)
	if got, want := x.git(at, "rev-parse", "HEAD", "HEAD^{tree}"), fmt.Sprintf("%s\n%s", landed.Commit, landed.Tree); got != want {
		x.t.Errorf("a fresh clone is at %s, the record at %s", got, want)
	}
	if mode := x.git(at, "ls-files", "-s", "run.sh"); !strings.HasPrefix(mode, "100755 ") {
		x.t.Errorf("run.sh is %s", mode)
	}
	if text := x.read(at, "naïve name.txt") + x.read(at, "half.txt") + x.read(at, "rest.txt"); text != "ünïcödé\nhalf of the work\nthe other half\n" {
		x.t.Errorf("the files are %q", text)
	}
}

// A machine whose connection breaks while it pushes a landing, and which is
// lost then, leaves a landing that another machine finishes: as landed if the
// push had arrived, and by the very same commit if it had not.
func TestAnotherMachineFinishesALanding(t *testing.T) {
	for name, open := range map[string]func(*testing.T, string) way{"ssh": sshWay, "smart HTTP": smartHTTP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newCrossing(t, open, "--grace", "10m", "--review", "none")
			next := x.enrol("bravo")
			x.takenOver(x.enrol("alpha"), next, cutAfter)
			x.takenOver(x.enrol("delta"), next, cutBefore)
			x.historyIsRecord("main")
			x.noServerErrors()
		})
	}
}

func (x *crossing) takenOver(first, next *machine, what trouble) {
	x.t.Helper()
	id := first.approved("Land from "+first.name, first.name+".txt")
	x.outside(first.name + ".outside")
	before := x.tip()
	x.way.road.meets(what, true)
	r := first.runs(first.dir, "integrate", "--json")
	if e := r.said(); r.status != 7 || e.Code != coord.CodeUnavailable || len(e.Next) == 0 || e.Next[0] != "coord integrate "+string(id) {
		x.t.Errorf("the landing that was cut off: status %d %s%s", r.status, r.out, r.err)
	}
	x.way.road.opens(x.t)
	arrived := x.tip()
	if (arrived != before) != (what == cutAfter) {
		x.t.Errorf("main went from %s to %s", before, arrived)
	}
	first.dies()
	permitted := x.taskDetail(id).Landings[0]

	var landed coord.Landed
	next.data(next.dir, &landed, "integrate")
	if landed.Task.ID != id || landed.Landing.Result != permitted.Result || permitted.State != coord.LandingPublishing {
		x.t.Errorf("landed %+v after %+v", landed, permitted)
	}
	if what == cutAfter && x.tip() != arrived {
		x.t.Errorf("main moved from %s to %s although the push had arrived", arrived, x.tip())
	}
}

// tip is where the remote's main is.
func (x *crossing) tip() string {
	return x.git(filepath.Join(x.root, "pay.git"), "rev-parse", "main")
}
