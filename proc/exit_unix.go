//go:build unix

package proc

import (
	"os"
	"syscall"
)

// exitStatus follows the shells: of a process that a signal ended it is 128
// and the signal.
func exitStatus(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
