//go:build unix

package store

import (
	"io"
	"os"
	"syscall"
)

// lockFile takes an exclusive lock that ends with the process, whatever ends
// it. It fails at once when another open file has the lock.
func lockFile(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
