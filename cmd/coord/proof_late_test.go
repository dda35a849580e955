package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
)

// awaitStatus asks the server until the task has the status: the end of a
// lease is no event.
func (w *proofWorld) awaitStatus(id coord.TaskID, want coord.Status) coord.TaskDetail {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for {
		d, err := w.record.Task(ctx, id)
		if err != nil {
			w.t.Fatalf("%s never became %s: %v", id, want, err)
		}
		if d.Status == want {
			return d
		}
		<-look.C
	}
}

// unchanged runs something that must leave no trace: neither an event nor a
// ref of the remote.
func (w *proofWorld) unchanged(what string, run func()) {
	w.t.Helper()
	events, refs := len(w.events()), w.refs()
	run()
	if n := len(w.events()); n != events {
		w.t.Errorf("%s: %d events more", what, n-events)
	}
	if now := w.refs(); now != refs {
		w.t.Errorf("%s: the remote changed from\n%s\nto\n%s", what, refs, now)
	}
}

// tooLate runs a command whose attempt is over: it is refused with status 5.
func (w *proofWorld) tooLate(code coord.Code, session, dir string, args ...string) {
	w.t.Helper()
	w.unchanged(strings.Join(args, " "), func() {
		w.t.Helper()
		r := w.as(session, dir, append(args, "--json")...)
		if e := r.said(); r.status != 5 || e.Code != code || len(e.Next) == 0 {
			w.t.Errorf("late %v: status %d, %+v", args, r.status, e)
		}
	})
}

func (w *proofWorld) snapshotOf(dir string) coord.OID {
	w.t.Helper()
	var s struct{ Tree coord.OID }
	out := w.must("a", dir, "snapshot", "--json")
	if err := json.Unmarshal([]byte(out), &struct{ Data any }{&s}); err != nil || s.Tree == "" {
		w.t.Fatalf("%v: %s", err, out)
	}
	return s.Tree
}

// shortLease is long enough for a few commands in a row on a busy machine.
const shortLease = "5s"

// An agent whose lease ended is refused, before and after somebody else took
// over, and changes nothing. What it saved is exactly what its successor, in
// another clone, goes on with.
func TestFault10_ProofLateAgent(t *testing.T) {
	w := newProofWorld(t, proofConfig, "--lease", shortLease, "--grace", "0s")
	w.must("a", w.dir, "task", "new", "Survive")
	late := w.startIn("late", w.dir).Worktree.Path
	w.write(late, "half.txt", "half of the work\n")
	w.write(late, ".coord.toml", w.read(late, ".coord.toml")+"# edited\n")
	w.must("late", late, "checkpoint", "-m", "half", "--next", "the other half")
	saved := w.snapshotOf(late)
	w.must("late", late, "check")

	d := w.awaitStatus("pay-1", coord.StatusRecoveryRequired)
	if d.Saved == nil || d.Saved.Tree != saved {
		t.Fatalf("saved is %+v, not tree %s", d.Saved, saved)
	}
	w.tooLate(coord.CodeLeaseExpired, "late", late, "submit", "--all", "-m", "too late")
	w.write(late, "late.txt", "written too late\n")
	w.tooLate(coord.CodeLeaseExpired, "late", late, "checkpoint", "-m", "too late")
	w.tooLate(coord.CodeLeaseExpired, "late", late, "check")
	w.tooLate(coord.CodeLeaseExpired, "late", late, "release", "-m", "too late")

	next := w.startIn("next", w.clone("other"))
	if got := w.snapshotOf(next.Worktree.Path); got != saved || next.Attempt.Generation != 2 {
		t.Errorf("attempt %d goes on with tree %s, not %s", next.Attempt.Generation, got, saved)
	}
	w.tooLate(coord.CodeFenced, "late", late, "checkpoint", "-m", "later still")
	w.tooLate(coord.CodeFenced, "late", late, "submit", "--all", "-m", "later still")
	w.tooLate(coord.CodeFenced, "late", late, "check")
	w.tooLate(coord.CodeFenced, "late", late, "release", "-m", "later still")
	if text := w.read(late, "late.txt"); text != "written too late\n" {
		t.Errorf("the late agent's own file is %q", text)
	}
	w.noServerErrors()
}

// A session that comes back first resumes its own attempt, in its worktree.
func TestL8_ProofResumesItself(t *testing.T) {
	w := newProofWorld(t, proofConfig, "--lease", "1s", "--grace", "0s")
	w.must("a", w.dir, "task", "new", "Come back")
	first := w.startIn("a", w.dir)
	w.write(first.Worktree.Path, "kept.txt", "not saved anywhere\n")
	w.awaitStatus("pay-1", coord.StatusRecoveryRequired)
	again := w.startIn("a", first.Worktree.Path)
	if !again.Resumed || again.Attempt.Generation != 2 || again.Worktree.Path != first.Worktree.Path {
		t.Errorf("got %+v in %s", again.Attempt, again.Worktree.Path)
	}
	if text := w.read(first.Worktree.Path, "kept.txt"); text != "not saved anywhere\n" {
		t.Errorf("the file is %q", text)
	}
	if n := ofKind(w.events(), coord.EventAttemptResumed); n != 1 {
		t.Errorf("resumed %d times", n)
	}
}

func (w *proofWorld) read(dir, name string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}
