//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// detach lets cmd outlive this process and its terminal: it leads a session
// of its own (setsid(2)).
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// askToEnd asks a server to end in order.
func askToEnd(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
