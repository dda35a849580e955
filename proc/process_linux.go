package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// lookup reads a process from /proc, see proc_pid_stat(5).
func lookup(pid int) (seen, bool) {
	p, ok := stat(pid)
	if !ok || p.ended() {
		return seen{}, false
	}
	s := seen{parent: p.parent, older: func(child seen) bool { return startedBy(p.start, child.Start) }}
	s.PID, s.Name = pid, programName(p.name)
	s.Start = strconv.FormatUint(p.start, 10) + bootMark()
	if cmdline, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline")); err == nil {
		s.transient = transientArgs(strings.Split(strings.TrimSuffix(string(cmdline), "\x00"), "\x00"))
	}
	return s, true
}

// status is what proc_pid_stat(5) says of a process.
type status struct {
	pid, parent, session int
	name, state          string
	start                uint64 // clock ticks since boot
}

// ended reports a process that only waits to be collected.
func (s status) ended() bool { return s.state == "Z" || s.state == "X" }

// stat reads one process. Its name is in parentheses and may hold any
// character, so fields count from the last one: state (3), parent (4), session
// (6) and start (22).
func stat(pid int) (status, bool) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if err != nil || pid <= 0 || open < 0 || end < open {
		return status{}, false
	}
	f := strings.Fields(string(text[end+1:]))
	if len(f) < 20 {
		return status{}, false
	}
	parent, err1 := strconv.Atoi(f[1])
	session, err2 := strconv.Atoi(f[3])
	start, err3 := strconv.ParseUint(f[19], 10, 64)
	return status{pid, parent, session, string(text[open+1 : end]), f[0], start}, err1 == nil && err2 == nil && err3 == nil
}

// startedBy reports whether a start in clock ticks since boot is not after
// that of a child.
func startedBy(start uint64, child string) bool {
	ticks, _, _ := strings.Cut(child, ".")
	n, err := strconv.ParseUint(ticks, 10, 64)
	return err == nil && start <= n
}

// bootMark tells boots apart: starts count from the boot.
func bootMark() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(id) < 8 {
		return ""
	}
	return "." + string(id[:8])
}
