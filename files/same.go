package files

import (
	"os"
	"path/filepath"
)

// Same reports whether two paths are one file or directory: by identity where
// both exist, else by name.
func Same(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	sa, errA := os.Stat(a)
	sb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(sa, sb)
}
