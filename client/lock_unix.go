//go:build unix

package client

import (
	"errors"
	"os"
	"syscall"
)

// lockExclusive waits for flock(2). Fcntl locks would not do: they belong to
// the process and die with the first handle that is closed.
func lockExclusive(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
