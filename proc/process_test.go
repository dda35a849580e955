package proc

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestTransientArgs(t *testing.T) {
	for line, want := range map[string]bool{
		"bash -c x": true, "/bin/sh -c x": true, "bash -lc x": true, "sh script.sh": true, "bash -e script.sh arg": true,
		"/usr/bin/env coord": true, "timeout 5 coord": true, "make test": true, "busybox sh -c x": true,
		"bash --norc -c x": true, "bash --rcfile f": false, "zsh -ic x": true, "bash -o pipefail script": true, `C:\bin\bash.exe -c x`: true,
		"bash": false, "-bash": false, "bash -i": false, "bash -l": false, "bash --login": false, "bash -s arg": false, "zsh": false,
		"node harness.js": false, "claude": false, "coord demo": false, "python agent.py -c x": false, "": false, "bash -o pipefail": false,
	} {
		if got := transientArgs(strings.Fields(line)); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

func TestHarness(t *testing.T) {
	type proc struct {
		pid, parent, start int
		name               string
		transient          bool
	}
	find := func(procs ...proc) (Process, bool) {
		at := map[int]seen{}
		for _, p := range procs {
			at[p.pid] = seen{Process: Process{PID: p.pid, Name: p.name}, parent: p.parent, transient: p.transient, older: func(child seen) bool {
				for _, q := range procs {
					if q.pid == child.PID {
						return p.start <= q.start
					}
				}
				return false
			}}
		}
		return harnessAbove(at[procs[0].pid], func(pid int) (seen, bool) { s, ok := at[pid]; return s, ok })
	}
	self := proc{90, 80, 9, "coord", true}
	shell := proc{80, 70, 8, "bash", true}
	cases := map[string]struct {
		procs []proc
		want  int
	}{
		"through a shell":      {[]proc{self, shell, {70, 1, 7, "node", false}, {1, 0, 0, "systemd", false}}, 70},
		"directly":             {[]proc{self, {80, 1, 8, "node", false}}, 80},
		"two wrappers":         {[]proc{self, shell, {70, 60, 7, "timeout", true}, {60, 1, 6, "agent", false}}, 60},
		"container's first":    {[]proc{self, {80, 1, 8, "sh", true}, {1, 0, 0, "claude", false}}, 1},
		"script left to init":  {[]proc{self, {80, 1, 8, "sh", true}, {1, 0, 0, "systemd", false}}, 80},
		"an id used again":     {[]proc{self, shell, {70, 1, 99, "other", false}}, 80},
		"a loop of transients": {[]proc{self, {80, 90, 9, "sh", true}}, 90},
	}
	for name, c := range cases {
		if got, _ := find(c.procs...); got.PID != c.want {
			t.Errorf("%s: %+v, want %d", name, got, c.want)
		}
	}
	if _, ok := find(proc{90, 1, 9, "coord", true}, proc{1, 0, 0, "init", false}); ok {
		t.Error("a command left to init found a harness")
	}
}

func TestAliveFollowsAProcess(t *testing.T) {
	self, ok := lookup(os.Getpid())
	if !ok || self.parent != os.Getppid() || !Alive(self.PID, self.Start) {
		t.Fatalf("this process: %+v, %v", self, ok)
	}
	if Alive(self.PID, self.Start+"0") || Alive(0, "") || Alive(-1, "") {
		t.Error("another start counts as this process")
	}
	child := exec.Command(os.Args[0], "-test.run=^TestWaitForInput$")
	child.Env = append(os.Environ(), "COORD_TEST_WAIT=1")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	seen, ok := lookup(child.Process.Pid)
	if !ok || !Alive(seen.PID, seen.Start) {
		t.Error("the running child is not alive")
	}
	if p, ok := Harness(child.Process.Pid); !ok || p.PID != self.PID && !self.transient {
		t.Errorf("the child's harness is %+v, want this process", p)
	}
	in.Close()
	_ = child.Wait()
	if Alive(seen.PID, seen.Start) {
		t.Error("the ended child is alive")
	}
}

// TestWaitForInput is a child process: it lives until its input ends.
func TestWaitForInput(t *testing.T) {
	if os.Getenv("COORD_TEST_WAIT") == "" {
		t.Skip("only as a child process")
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
}
