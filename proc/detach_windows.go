package proc

import (
	"errors"
	"os"
	"os/exec"
	"strings"
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

// commandLine is the text that a program is started with where it is not the
// usual one, or empty. Other programs take a quote with a backslash before it
// for a quote; cmd does not, and with /S it takes all between the outermost
// quotes as it is. Of several lines it would run the first and leave it at
// that.
func commandLine(argv []string) (string, error) {
	if len(argv) != 3 || argv[0] != "cmd" || argv[1] != "/C" {
		return "", nil
	}
	line := strings.TrimSpace(argv[2])
	if strings.ContainsAny(line, "\r\n") {
		return "", errors.New("cmd runs one line, and this command has several; put them into a script and run that")
	}
	return `cmd /S /C "` + line + `"`, nil
}
