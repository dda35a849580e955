//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"coord"
)

// Stopping a process stands for a machine that was suspended in the middle of
// a landing: it renews nothing, and goes on later as if nothing had happened.

// suspended is a landing that was stopped where a gate held it up.
type suspended struct {
	w   *proofWorld
	cmd *exec.Cmd
	out bytes.Buffer
}

func (w *proofWorld) suspendedLanding(g *gate, session, dir string) (*suspended, func()) {
	w.t.Helper()
	s := &suspended{w: w, cmd: w.command(session, dir, "integrate", "--json")}
	s.cmd.Stdout = &s.out
	if err := s.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	watch := time.AfterFunc(time.Minute, func() { _ = s.cmd.Process.Kill() })
	w.t.Cleanup(func() { watch.Stop(); _ = s.cmd.Process.Kill() })
	held := g.arrived(w.t)
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		w.t.Fatal(err)
	}
	return s, func() { pass(held) }
}

// wake lets it go on and returns how it ended.
func (s *suspended) wake() (int, coord.Error) {
	s.w.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		s.w.t.Fatal(err)
	}
	err := s.cmd.Wait()
	var exited *exec.ExitError
	if err != nil && !errors.As(err, &exited) {
		s.w.t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode(), ran{out: s.out.String()}.said()
}

// refused wakes it: the server refuses it, and neither record nor remote
// changes.
func (s *suspended) refused(code coord.Code, goOn func()) {
	s.w.t.Helper()
	s.w.unchanged("a late landing", func() {
		goOn()
		if status, e := s.wake(); status != 5 || e.Code != code {
			s.w.t.Errorf("the late landing ended with status %d, %+v", status, e)
		}
	})
}

// A landing whose lease ended while it verified is refused its push, before
// and after somebody else took it over.
func TestProofLateLanding(t *testing.T) {
	g, config := newGate(t)
	w := newProofWorld(t, config, "--review", "none", "--lease", shortLease, "--grace", "0s")
	w.approved("pay-1", "one.txt")
	w.outside("outside.txt")

	g.shutFor(landings)
	late, goOn := w.suspendedLanding(g, "late", w.clone("late"))
	w.awaitStatus("pay-2", coord.StatusRecoveryRequired)
	late.refused(coord.CodeLeaseExpired, goOn)

	late, goOn = w.suspendedLanding(g, "later", w.clone("later"))
	w.awaitStatus("pay-2", coord.StatusRecoveryRequired)
	g.open()
	var landed coord.Landed
	out := w.must("next", w.clone("next"), "integrate", "--json")
	if err := json.Unmarshal([]byte(out), &struct{ Data any }{&landed}); err != nil {
		t.Fatal(err)
	}
	late.refused(coord.CodeFenced, goOn)

	d := w.taskDetail("pay-1")
	if d.Status != coord.StatusDone || d.Landed == nil || d.Landed.Commit != landed.Landing.Result {
		t.Errorf("%s is %s, landed %+v", d.ID, d.Status, d.Landed)
	}
	w.historyIsRecord("main")
	if n := ofKind(w.events(), coord.EventLandingLanded); n != 1 {
		t.Errorf("landed %d times", n)
	}
	w.noServerErrors()
}

// hookedRemote has the remote ask the gate before it takes a push.
func (w *proofWorld) hookedRemote(g *gate) {
	w.t.Helper()
	self, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	hook := fmt.Sprintf("#!/bin/sh\nexec '%s' %s %s\n", self, gateWord, g.ln.Addr())
	path := filepath.Join(w.root, "pay.git", "hooks", "pre-receive")
	if err := os.WriteFile(path, []byte(hook), 0o755); err != nil {
		w.t.Fatal(err)
	}
}

// A push that was permitted and then held up on its way does not arrive after
// somebody else took the landing over, although the target still is where the
// push expects it: the fence has moved.
func TestProofLatePush(t *testing.T) {
	g, _ := newGate(t)
	w := newProofWorld(t, proofConfig, "--review", "none", "--lease", shortLease, "--grace", "0s")
	w.approved("pay-1", "one.txt")
	base := w.history("main")
	w.hookedRemote(g)

	g.shutFor(pushes)
	late, goOn := w.suspendedLanding(g, "late", w.clone("late"))
	if d := w.awaitStatus("pay-2", coord.StatusRecoveryRequired); w.taskDetail("pay-1").Landings[0].State != coord.LandingPublishing {
		t.Errorf("the suspended landing is %+v", d.Landings)
	}
	next := make(chan ran, 1)
	dir := w.clone("next")
	go func() { next <- w.as("next", dir, "integrate", "--json") }()
	pass(g.arrived(t))   // the successor moves the fence
	push := g.arrived(t) // and is about to publish
	if now := w.history("main"); len(now) != len(base) {
		t.Errorf("main moved to %v", now)
	}
	late.refused(coord.CodeFenced, goOn)
	pass(push)
	if r := <-next; r.status != 0 {
		t.Errorf("the successor: status %d %s%s", r.status, r.out, r.err)
	}
	w.historyIsRecord("main")
	if now := w.history("main"); len(now) != len(base)+1 {
		t.Errorf("main is %v", now)
	}
	w.noServerErrors()
}
