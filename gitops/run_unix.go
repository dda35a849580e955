//go:build unix

package gitops

import (
	"os/exec"
	"syscall"
)

// group is the process group of one git run.
type group struct{ cmd *exec.Cmd }

// newGroup gives the run a session of its own: a prompt then finds no
// terminal and fails, where a background process group would be stopped and
// hang.
func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return &group{cmd: cmd}
}

func (g *group) started() {}

// ask ends the group gently, so that git removes its lock files.
func (g *group) ask() error { return syscall.Kill(-g.cmd.Process.Pid, syscall.SIGTERM) }

// kill ends what is left of the group.
func (g *group) kill() { _ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL) }

func (g *group) close() {}
