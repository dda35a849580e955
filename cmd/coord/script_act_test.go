package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"coord/proc"
)

// act is what checks and jobs of scripts run, on every system: the test binary
// under another name. Its arguments are steps, with the word "then" between
// them; a step says how it ends, or that the next one follows. Variables are
// expanded here, as not every system's shell does it.
const actName = "act"

// actDir is where scripts find it.
var actDir string

func isAct(arg0 string) bool {
	return strings.TrimSuffix(filepath.Base(arg0), ".exe") == actName
}

// giveAct puts act into dir.
func giveAct(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	to := filepath.Join(dir, actName)
	if runtime.GOOS == "windows" {
		to += ".exe"
	}
	if os.Link(self, to) == nil {
		return nil
	}
	in, err := os.Open(self) // on another volume, or without links
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// ended is a step that ends act.
type ended int

func (e ended) Error() string { return fmt.Sprint("ends with ", int(e)) }

func act(args []string) (status int) {
	for i, a := range args {
		args[i] = os.ExpandEnv(a)
	}
	for len(args) > 0 {
		n := 0
		for n < len(args) && args[n] != "then" {
			n++
		}
		err := actStep(args[0], append(args[1:n:n], "", "")) // so that one that is missing is empty
		var end ended
		if errors.As(err, &end) {
			return int(end)
		} else if err != nil {
			fmt.Fprintln(os.Stderr, "act:", err)
			return 120
		}
		args = args[min(n+1, len(args)):]
	}
	return 0
}

func actStep(verb string, a []string) error {
	_, err := os.Stat(a[0])
	exists := err == nil
	switch verb {
	case "say":
		_, err = fmt.Println(strings.TrimSpace(strings.Join(a, " ")))
	case "warn":
		_, err = fmt.Fprintln(os.Stderr, strings.TrimSpace(strings.Join(a, " ")))
	case "append":
		err = appendLine(a[0], a[1])
	case "await":
		for ; err != nil; _, err = os.Stat(a[0]) {
			time.Sleep(10 * time.Millisecond)
		}
	case "pass-if", "pass-unless":
		err = endIf(exists == (verb == "pass-if"), 0)
	case "fail-if", "fail-unless":
		failure := 1
		if a[1] != "" {
			failure, _ = strconv.Atoi(a[1])
		}
		err = endIf(exists == (verb == "fail-if"), failure)
	case "exit":
		status, _ := strconv.Atoi(a[0])
		err = ended(status)
	case "sleep":
		time.Sleep(time.Hour)
		err = nil
	case "start", "start-apart":
		err = startSleeper(a[0], verb == "start-apart")
	default:
		err = fmt.Errorf("there is no step %q", verb)
	}
	return err
}

func endIf(yes bool, status int) error {
	if yes {
		return ended(status)
	}
	return nil
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

// startSleeper starts a process that nobody waits for and writes its id to a
// file.
func startSleeper(path string, apart bool) error {
	c := exec.Command(os.Args[0], "sleep")
	if apart {
		proc.Detach(c)
	}
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Start(); err != nil {
		return err
	}
	return appendLine(path, fmt.Sprint(c.Process.Pid))
}

// scriptRunning looks whether any of the processes runs whose ids act wrote to
// a file.
func scriptRunning(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: running FILE")
	}
	any := false
	for _, id := range strings.Fields(ts.ReadFile(args[0])) {
		pid, err := strconv.Atoi(id)
		ts.Check(err)
		p, found := proc.Find(pid)
		any = any || found && p.Name == actName
	}
	if any == neg {
		ts.Fatalf("of the processes in %s, some run: %v", args[0], any)
	}
}

// scriptHook makes a file the hook of that name of a bare repository. It is
// written over one of git's samples and renamed, and so is executable also
// where this program cannot make it that.
func scriptHook(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: hook REPOSITORY NAME FILE")
	}
	to := filepath.Join(ts.MkAbs(args[0]), "hooks", args[1])
	from := to + ".new"
	if samples, _ := filepath.Glob(filepath.Join(filepath.Dir(to), "*.sample")); len(samples) > 0 {
		from = samples[0]
	}
	ts.Check(os.WriteFile(from, []byte(ts.ReadFile(args[2])), 0o755))
	ts.Check(os.Rename(from, to))
}

// scriptLose deletes from the remote all that coord keeps there of a task.
func scriptLose(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: lose TASK")
	}
	ts.Check(ts.Exec("git", "ls-remote", "origin", "refs/coord/*"))
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if _, ref, _ := strings.Cut(strings.TrimSpace(line), "\t"); strings.Contains(ref, "/"+args[0]+"/") {
			ts.Check(ts.Exec("git", "push", "-q", "origin", ":"+ref))
		}
	}
}
