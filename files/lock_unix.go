//go:build unix

package files

import (
	"os"
	"syscall"
)

// Locks are those of flock(2). Those of fcntl(2) would not do: they belong to
// the process and go with the first of its files that is closed.

func lockNow(f *os.File) error {
	err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == syscall.EWOULDBLOCK {
		return ErrLocked
	}
	return err
}

func lockWait(f *os.File) error { return flock(f, syscall.LOCK_EX) }

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}
