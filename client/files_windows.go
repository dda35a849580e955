package client

import (
	"errors"
	"io/fs"
	"syscall"
	"time"
)

// syncDir does nothing: NTFS journals renames, and a directory cannot be
// flushed without administrator rights.
func syncDir(string) error { return nil }

// checkPrivate does nothing: mode bits say nothing about access control lists,
// and the profile directory is private to its user.
func checkPrivate(string, fs.FileInfo) error { return nil }

// patiently does something with a file that another process may have open just
// now, and does it again for a second or two while Windows refuses for that:
// it replaces no file that is being read, and opens none that is being
// replaced.
func patiently(do func() error) error {
	const sharingViolation = syscall.Errno(32)
	for wait := time.Millisecond; ; wait *= 2 {
		err := do()
		inUse := errors.Is(err, syscall.ERROR_ACCESS_DENIED) || errors.Is(err, sharingViolation)
		if !inUse || wait > time.Second {
			return err
		}
		time.Sleep(wait)
	}
}
