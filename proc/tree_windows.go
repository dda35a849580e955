package proc

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// hold is the job object of a tree. Its processes end when its last handle is
// closed, also by the end of this process.
type hold struct {
	cmd *exec.Cmd
	job windows.Handle
}

func holdTree(cmd *exec.Cmd, _ Command) (*hold, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, os.NewSyscallError("CreateJobObject", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, os.NewSyscallError("SetInformationJobObject", err)
	}
	line, err := commandLine(cmd.Args)
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED, CmdLine: line,
	}
	return &hold{cmd: cmd, job: job}, nil
}

// start puts the program into the job before it runs its first instruction, so
// that nothing it starts is outside.
func (h *hold) start() error {
	err := h.cmd.Start()
	if err == nil {
		if err = h.confine(); err != nil {
			_ = h.cmd.Process.Kill()
			_ = h.cmd.Wait()
		}
	}
	if err != nil {
		h.close()
	}
	return err
}

func (h *hold) confine() error {
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(h.cmd.Process.Pid))
	if err != nil {
		return os.NewSyscallError("OpenProcess", err)
	}
	defer func() { _ = windows.CloseHandle(p) }()
	if err := windows.AssignProcessToJobObject(h.job, p); err != nil {
		return os.NewSyscallError("AssignProcessToJobObject", err)
	}
	return resume(uint32(h.cmd.Process.Pid))
}

// resume lets the threads of a process run that was started suspended.
func resume(pid uint32) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer func() { _ = windows.CloseHandle(all) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(all, &entry); err == nil; err = windows.Thread32Next(all, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return os.NewSyscallError("OpenThread", err)
		}
		_, err = windows.ResumeThread(thread)
		_ = windows.CloseHandle(thread)
		if err != nil {
			return os.NewSyscallError("ResumeThread", err)
		}
	}
	return nil
}

// ask has no form for a process without a console.
func (h *hold) ask() bool { return false }

func (h *hold) killAll() {
	if h.job != 0 {
		_ = windows.TerminateJobObject(h.job, 1)
	}
}

func (h *hold) reap() {}

func (h *hold) identity() Process { return found(h.cmd.Process.Pid) }

func (h *hold) close() {
	if h.job != 0 {
		_ = windows.CloseHandle(h.job)
		h.job = 0
	}
}

func exitStatus(s *os.ProcessState) int { return s.ExitCode() }

// End ends a process that another one of this machine started. What it started
// belonged to that one's job, and ended with it.
func End(p Process, _ string) bool {
	if !Alive(p.PID, p.Start) {
		return false
	}
	found, err := os.FindProcess(p.PID)
	return err == nil && found.Kill() == nil
}
