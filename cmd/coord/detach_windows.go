package main

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach lets cmd outlive this process and its console; see "Process Creation
// Flags" in the Windows API.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow: true, CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
	}
}

// askToEnd ends a server. A process without a console can be sent no signal;
// what it acknowledged is on disk already.
func askToEnd(p *os.Process) error { return p.Kill() }
