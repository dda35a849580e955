//go:build unix

package client

import (
	"errors"
	"io/fs"
	"os"

	"coord"
)

// syncDir makes a rename in dir durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// patiently does something with a file that another process may have open just
// now. Only Windows minds that.
func patiently(do func() error) error { return do() }

func checkPrivate(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 != 0 {
		return coord.Errorf(coord.CodeSetup, "%s holds secrets and others may access it (mode %04o); it was not used", path, info.Mode().Perm()).
			WithNext("chmod 600 " + path)
	}
	return nil
}
