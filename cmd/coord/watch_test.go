package main

import (
	"bufio"
	"encoding/json"
	"os"
	"runtime"
	"testing"

	"coord"
)

// watch prints each event as it comes, and its normal end is an interruption;
// wait sees what only the clock brings about.
func TestWatchAndWait(t *testing.T) {
	w := newProofWorld(t, proofConfig, "--lease", "1s", "--grace", "0s")
	w.must("a", w.dir, "task", "new", "before")
	cmd := w.command("b", w.dir, "watch", "--json", "--after", "0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }()
	lines := bufio.NewScanner(out)
	next := func(kind coord.EventKind, task coord.TaskID) {
		t.Helper()
		for lines.Scan() {
			var d struct {
				Schema, Kind string
				Data         coord.Event
			}
			if err := json.Unmarshal(lines.Bytes(), &d); err != nil || d.Schema != schema || d.Kind != "event" {
				t.Fatalf("%s is not a document (%v)", lines.Text(), err)
			}
			if d.Data.Kind == kind && d.Data.Task == task {
				return
			}
		}
		t.Fatalf("watch ended before %s of %s", kind, task)
	}
	next(coord.EventTaskCreated, "pay-1")
	w.must("a", w.dir, "task", "new", "while it watches")
	next(coord.EventTaskCreated, "pay-2")
	if runtime.GOOS != "windows" { // there a process cannot be interrupted by another
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			t.Errorf("after the interruption: %s", lines.Text())
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("interrupted, watch ends with %v", err)
		}
	}

	w.startIn("a", w.dir, "pay-1")
	w.must("b", w.dir, "wait", "pay-1", "--for", "recovery_required", "--timeout", "1m")
	if got := w.taskDetail("pay-1").Status; got != coord.StatusRecoveryRequired {
		t.Errorf("the wait ended, and pay-1 is %s", got)
	}
	w.must("a", w.dir, "task", "cancel", "pay-2", "-m", "not wanted")
	if r := w.as("b", w.dir, "wait", "pay-2", "--for", "ready", "--timeout", "1m"); r.status != 5 {
		t.Errorf("waiting for what cannot come: status %d\n%s", r.status, r.err)
	}
	w.must("b", w.dir, "wait", "pay-2", "--timeout", "1m")
}
