package files

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

// Patiently does something with a file that another process may have open just
// now, and does it again for a second or two while Windows refuses for that:
// it replaces no file that is being read, and opens none that is being
// replaced.
func Patiently(do func() error) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := do()
		inUse := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
		if !inUse || wait > time.Second {
			return err
		}
		time.Sleep(wait)
	}
}
