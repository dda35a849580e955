//go:build unix && !linux

package proc

import (
	"errors"
	"os"
	"syscall"
)

// lookup knows whether a process runs and, for this one, its parent. It does
// not know when a process started, so an id that is used again goes unnoticed
// here; the keeper's window bounds what that can cost.
func lookup(pid int) (seen, bool) {
	if err := syscall.Kill(pid, 0); pid <= 0 || err != nil && !errors.Is(err, syscall.EPERM) {
		return seen{}, false
	}
	s := seen{older: func(seen) bool { return true }}
	s.Process = Process{PID: pid, Start: "unknown", Name: "process"}
	if pid == os.Getpid() {
		s.parent = os.Getppid()
	}
	return s, true
}
