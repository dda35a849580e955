package client

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"coord"
	"coord/files"
)

// Everything below the configuration directory is private: directories 0700,
// files 0600. A file is replaced whole, so a reader sees the old or the new
// one, also after a crash. The journal is written in place instead, see there.

func privateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return coord.Errorf(coord.CodeSetup, "making the configuration directory: %w", err).WithNext("coord doctor")
	}
	return nil
}

// writePrivate writes v as JSON, whole and for good.
func writePrivate(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return coord.Errorf(coord.CodeInternal, "writing %s: %w", path, err)
	}
	if err := privateDir(filepath.Dir(path)); err != nil {
		return err
	}
	if err := files.Replace(path, append(b, '\n'), 0o600); err != nil {
		return coord.Errorf(coord.CodeSetup, "writing %s: %w; it is as it was before", path, err).WithNext("coord doctor")
	}
	return nil
}

// readPrivate reads JSON into v. It reports false without an error when there
// is no such file, and refuses one that others could read or write.
func readPrivate(path string, v any) (found bool, err error) {
	b, err := readPrivateFile(path)
	if b == nil || err != nil {
		return false, err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return false, damaged(path, err)
	}
	return true, nil
}

// damaged is what a file comes to that nobody can read any more: what it held
// is made anew once it is gone.
func damaged(path string, cause error) error {
	return coord.Errorf(coord.CodeSetup, "%s is damaged (%w) and was not used; nothing was sent", path, cause).
		WithNext("remove " + path + ", then the same command again")
}

// readPrivateFile is nil without an error when there is no such file.
func readPrivateFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = checkPrivate(path, info)
	}
	var b []byte
	if err == nil {
		err = files.Patiently(func() (err error) { b, err = os.ReadFile(path); return err })
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, asSetup(path, err)
	}
	return b, nil
}

func asSetup(path string, err error) error {
	var known *coord.Error
	if errors.As(err, &known) {
		return known
	}
	return coord.Errorf(coord.CodeSetup, "reading %s: %w", path, err).WithNext("coord doctor")
}
