//go:build unix

package client

import (
	"io/fs"

	"coord"
)

func checkPrivate(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 != 0 {
		return coord.Errorf(coord.CodeSetup, "%s holds secrets and others may access it (mode %04o); it was not used", path, info.Mode().Perm()).
			WithNext("chmod 600 " + path)
	}
	return nil
}
