//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

func shellArgv(line string) []string { return []string{"/bin/sh", "-c", line} }

// ownGroup makes the command lead a process group, which is ended as a whole.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
