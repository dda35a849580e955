package proc

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// Detach lets cmd outlive this process and its console; see "Process Creation
// Flags" in the Windows API.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow: true, CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
	}
}

// AskToEnd ends a process. One without a console can be sent no signal.
func AskToEnd(p *os.Process) error { return p.Kill() }

// Shell is how a command line is run.
func Shell(line string) []string { return []string{"cmd", "/C", line} }
