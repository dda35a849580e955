package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Replace writes a file whole and for good: a temporary file beside it,
// flushed, renamed over it, and the directory flushed. A reader sees the old
// content or the new one, also after a crash. When only the last flush fails
// the file has its new content and an error is returned.
func Replace(path string, content []byte, mode fs.FileMode) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, beside(path)+"*"+unfinished) // private until it has its mode
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

// Sweep removes the temporary files of a Replace of path that was killed. The
// caller knows that nobody is replacing it now.
func Sweep(path string) {
	entries, _ := os.ReadDir(filepath.Dir(path)) // nothing to read is nothing to remove
	for _, e := range entries {
		if rest, ours := strings.CutPrefix(e.Name(), beside(path)); ours && strings.HasSuffix(rest, unfinished) {
			_ = os.Remove(filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
}

const unfinished = ".tmp"

// beside begins the names of the temporary files of path.
func beside(path string) string { return "." + filepath.Base(path) + "." }
