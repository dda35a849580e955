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
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil || pid <= 0 {
		return seen{}, false
	}
	// The name is in parentheses and may hold any character: fields count
	// from the last one. Then come state (3), parent (4), and start (22).
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return seen{}, false
	}
	fields := strings.Fields(string(stat[end+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" { // a zombie has ended
		return seen{}, false
	}
	parent, err1 := strconv.Atoi(fields[1])
	start, err2 := strconv.ParseUint(fields[19], 10, 64)
	if err1 != nil || err2 != nil {
		return seen{}, false
	}
	s := seen{parent: parent, older: func(child seen) bool { return startedBy(start, child.Start) }}
	s.PID, s.Name = pid, programName(string(stat[open+1:end]))
	s.Start = strconv.FormatUint(start, 10) + bootMark()
	if cmdline, err := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil {
		s.transient = transientArgs(strings.Split(strings.TrimSuffix(string(cmdline), "\x00"), "\x00"))
	}
	return s, true
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
