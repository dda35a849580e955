//go:build unix && !linux

package proc

import (
	"os/exec"
	"syscall"
)

// hold is the session that the program leads. What leaves it is not found on
// this system.
type hold struct{ cmd *exec.Cmd }

func holdTree(cmd *exec.Cmd, _ Command) (*hold, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return &hold{cmd}, nil
}

func (h *hold) start() error { return h.cmd.Start() }

func (h *hold) ask() bool { return syscall.Kill(-h.cmd.Process.Pid, syscall.SIGTERM) == nil }

func (h *hold) killAll() { _ = syscall.Kill(-h.cmd.Process.Pid, syscall.SIGKILL) }

func (h *hold) reap() {}

func (h *hold) identity() Process { return found(h.cmd.Process.Pid) }

func (h *hold) close() {}

// End ends the group of a process that another one of this machine started.
func End(p Process, _ string) bool {
	return Alive(p.PID, p.Start) && syscall.Kill(-p.PID, syscall.SIGKILL) == nil
}
