//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// lockNow locks f or returns errLocked at once (flock(2)). The lock ends with
// the process.
func lockNow(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}

// lockWait waits until f is free and locks it.
func lockWait(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
