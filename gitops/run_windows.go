package gitops

import (
	"os/exec"
	"syscall"
)

var (
	kernel32           = syscall.NewLazyDLL("kernel32.dll")
	createJobObject    = kernel32.NewProc("CreateJobObjectW")
	assignProcessToJob = kernel32.NewProc("AssignProcessToJobObject")
	terminateJobObject = kernel32.NewProc("TerminateJobObject")
)

// Rights needed to put a process into a job; see "Process Security and Access
// Rights" in the Windows API.
const processSetQuotaAndTerminate = 0x0100 | 0x0001

// group is the job object of one git run. When Windows refuses to make one,
// only the process itself is ended.
type group struct {
	cmd *exec.Cmd
	job syscall.Handle
}

func newGroup(cmd *exec.Cmd) *group {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	return &group{cmd: cmd}
}

func (g *group) started() {
	job, _, _ := createJobObject.Call(0, 0)
	if job == 0 {
		return
	}
	process, err := syscall.OpenProcess(processSetQuotaAndTerminate, false, uint32(g.cmd.Process.Pid))
	if err != nil {
		_ = syscall.CloseHandle(syscall.Handle(job))
		return
	}
	defer syscall.CloseHandle(process)
	if ok, _, _ := assignProcessToJob.Call(job, uintptr(process)); ok == 0 {
		_ = syscall.CloseHandle(syscall.Handle(job))
		return
	}
	g.job = syscall.Handle(job)
}

// ask has no gentle form for a process without a console.
func (g *group) ask() error {
	g.kill()
	return g.cmd.Process.Kill()
}

func (g *group) kill() {
	if g.job != 0 {
		_, _, _ = terminateJobObject.Call(uintptr(g.job), 1)
	}
}

func (g *group) close() {
	if g.job != 0 {
		_ = syscall.CloseHandle(g.job)
	}
}
