//go:build unix

package proc

import (
	"os"
	"os/exec"
	"syscall"
)

// Detach lets cmd outlive this process and its terminal: it leads a session
// of its own (setsid(2)).
func Detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// AskToEnd asks a process of ours to end in order.
func AskToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// Shell is how a command line is run.
func Shell(line string) []string { return []string{"/bin/sh", "-c", line} }
