//go:build unix

package files

import (
	"errors"
	"os"
)

// SyncDir makes durable what was made, renamed or removed in a directory.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
