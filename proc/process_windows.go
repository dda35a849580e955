package proc

import (
	"slices"
	"strconv"
	"syscall"
	"unsafe"
)

// lookup finds a process in a toolhelp snapshot and asks for its start. A
// snapshot has no command lines, so a shell counts as transient unless it is
// a window of its own: then its parent is the desktop or a terminal.
func lookup(pid int) (seen, bool) {
	snapshot, err := syscall.CreateToolhelp32Snapshot(syscall.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return seen{}, false
	}
	defer syscall.CloseHandle(snapshot)
	entries := make(map[int]syscall.ProcessEntry32)
	entry := syscall.ProcessEntry32{Size: uint32(unsafe.Sizeof(syscall.ProcessEntry32{}))}
	for err = syscall.Process32First(snapshot, &entry); err == nil; err = syscall.Process32Next(snapshot, &entry) {
		entries[int(entry.ProcessID)] = entry
	}
	e, ok := entries[pid]
	if !ok {
		return seen{}, false
	}
	start, ok := startOf(pid)
	if !ok {
		return seen{}, false
	}
	name := programName(syscall.UTF16ToString(e.ExeFile[:]))
	above := programName(exeName(entries[int(e.ParentProcessID)]))
	s := seen{parent: int(e.ParentProcessID), transient: transientName(name, above)}
	s.older = func(child seen) bool {
		n, err := strconv.ParseInt(child.Start, 10, 64)
		return err == nil && start <= n
	}
	s.Process = Process{PID: pid, Start: strconv.FormatInt(start, 10), Name: name}
	return s, true
}

func exeName(e syscall.ProcessEntry32) string { return syscall.UTF16ToString(e.ExeFile[:]) }

var (
	windowsShells = append([]string{"cmd", "powershell", "pwsh"}, shells...)
	terminals     = []string{"explorer", "windowsterminal", "openconsole", "conhost", "mintty", "sshd", "alacritty", "wezterm-gui", "conemuc64"}
)

func transientName(name, parent string) bool {
	if slices.Contains(wrappers, name) || name == "conhost" {
		return true
	}
	return slices.Contains(windowsShells, name) && !slices.Contains(terminals, parent)
}

// startOf is the creation time of a running process in nanoseconds.
func startOf(pid int) (int64, bool) {
	const queryLimited = 0x1000 // PROCESS_QUERY_LIMITED_INFORMATION
	h, err := syscall.OpenProcess(queryLimited, false, uint32(pid))
	if err != nil {
		return 0, false
	}
	defer syscall.CloseHandle(h)
	var creation, exit, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(h, &creation, &exit, &kernel, &user); err != nil {
		return 0, false
	}
	if exit.HighDateTime != 0 || exit.LowDateTime != 0 { // ended, and only a handle keeps it
		return 0, false
	}
	return creation.Nanoseconds(), true
}
