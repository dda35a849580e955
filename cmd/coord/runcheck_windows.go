package main

import (
	"os/exec"
	"strconv"
	"syscall"
)

func shellArgv(line string) []string { return []string{"cmd", "/C", line} }

// ownGroup ends the command with all its children by taskkill, which ships
// with Windows.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	cmd.Cancel = func() error {
		return exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	}
}
