//go:build unix

package store

import (
	"errors"
	"os"
)

// syncDir makes what was made or renamed in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
