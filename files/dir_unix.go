//go:build unix

package files

import (
	"errors"
	"os"
	"syscall"
)

// SyncDir makes durable what was made, renamed or removed in a directory, on a
// file system that can: some flush no directory (fsync(2), EINVAL).
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
