// Package proc knows the processes of this machine: what identifies one, which
// harness a command runs under, and how a program is run so that all it starts
// ends with it.
package proc

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// Process identifies a process for as long as the machine runs: ids are used
// again, an id with its start is not. Start is opaque and comparable.
type Process struct {
	PID   int
	Start string
	Name  string // base name of its program, without .exe
}

// SessionName is the name of the session of a harness that gave none.
func (p Process) SessionName() string {
	return p.Name + "-" + strconv.Itoa(p.PID) + "-" + p.Start
}

// Alive reports whether the process of the id and start still runs.
func Alive(pid int, start string) bool {
	p, ok := lookup(pid)
	return ok && p.Start == start
}

// Harness identifies the harness that a command runs under: the
// nearest ancestor of the process pid that is neither a transient shell (one
// that runs a command or a script and ends with it) nor a wrapper such as env
// or timeout. Every command that the harness starts finds the same one. An
// interactive shell counts as a harness: it is a person's terminal.
func Harness(pid int) (Process, bool) {
	self, ok := lookup(pid)
	if !ok {
		return Process{}, false
	}
	return harnessAbove(self, lookup)
}

// seen is a running process as far as the walk needs to know it.
type seen struct {
	Process
	parent    int
	transient bool
	older     func(child seen) bool // whether it started no later than a child; guards against reused ids
}

// harnessAbove walks up from self. At the top of the tree, or where it cannot be
// read, the last process that was seen stands for the harness: a script that
// was left to init is its own.
func harnessAbove(self seen, look func(int) (seen, bool)) (Process, bool) {
	at := self
	for range 64 {
		up, ok := look(at.parent)
		if at.parent <= 0 || !ok || !up.older(at) || slices.Contains(inits, up.Name) {
			break
		}
		at = up
		if !at.transient {
			return at.Process, true
		}
	}
	return at.Process, at.PID != self.PID
}

// inits adopt what others left. In a container the first process may as well
// be the harness itself, so its id says nothing.
var inits = []string{"systemd", "init", "tini", "dumb-init", "docker-init", "catatonit", "runit", "s6-svscan", "launchd"}

// wrappers run another program and wait for it. A coord that runs commands is
// none: what it starts is not the harness's own work.
var wrappers = []string{
	"env", "timeout", "nice", "ionice", "nohup", "time", "stdbuf", "setsid", "xargs",
	"make", "gmake", "sudo", "doas", "flock", "watch",
}

var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "busybox"}

// transientArgs judges a POSIX process by its arguments: a wrapper, or a shell
// with -c or a script.
func transientArgs(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	name := programName(argv[0])
	if slices.Contains(wrappers, name) {
		return true
	}
	if !slices.Contains(shells, name) {
		return false
	}
	args := argv[1:]
	if name == "busybox" && len(args) > 0 {
		args = args[1:]
	}
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--rcfile" || a == "--init-file" || a == "-o" || a == "+o" || a == "-O" || a == "+O":
			i++ // takes a value
		case strings.HasPrefix(a, "--"):
		case strings.HasPrefix(a, "-") && len(a) > 1 || strings.HasPrefix(a, "+"):
			if strings.HasPrefix(a, "-") && strings.Contains(a, "c") {
				return true
			}
			if strings.Contains(a, "s") {
				return false // reads commands from its input; what follows are parameters
			}
		default:
			return true // a script, or - and what follows it
		}
	}
	return false
}

// programName is the base name of a program as people say it: without
// directory, the dash of a login shell, and .exe.
func programName(arg0 string) string {
	name := path.Base(strings.ReplaceAll(arg0, `\`, "/"))
	name = strings.TrimPrefix(strings.ToLower(name), "-")
	return strings.TrimSuffix(name, ".exe")
}

// Find looks a running process up.
func Find(pid int) (Process, bool) {
	s, ok := lookup(pid)
	return s.Process, ok
}
