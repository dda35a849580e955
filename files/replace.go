package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace writes a file whole and for good: a temporary file beside it,
// flushed, renamed over it, and the directory flushed. A reader sees the old
// content or the new one, also after a crash. When only the last flush fails
// the file has its new content and an error is returned.
func Replace(path string, content []byte, mode fs.FileMode) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.tmp") // private until it has its mode
	if err != nil {
		return err
	}
	_, err = tmp.Write(content)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close())
	if err == nil {
		err = Patiently(func() error { return os.Rename(tmp.Name(), path) })
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return SyncDir(dir)
}
