// Package files is what several packages need of files beyond os: locks that
// end with their process, replacing a file whole and for good, and patience
// with files that Windows holds.
package files

import (
	"context"
	"errors"
	"os"
)

// ErrLocked says that another open file has the lock, of this process or of
// another.
var ErrLocked = errors.New("locked by another process")

// TryLock takes the operating system's exclusive lock on a file or returns
// ErrLocked at once. Closing f frees the lock, and so does the end of the
// process, however it ends. On an error f is closed.
//
// The file stays where it is: were it removed, two holders could lock two
// files of one name.
func TryLock(f *os.File) error {
	err := lockNow(f)
	if err != nil {
		_ = f.Close()
	}
	return err
}

// Lock is TryLock that waits until the lock is free or ctx ends, whose error
// it then returns.
func Lock(ctx context.Context, f *os.File) error {
	got := make(chan error, 1)
	go func() { got <- lockWait(f) }() // the system's wait cannot be cancelled
	select {
	case err := <-got:
		if err != nil {
			_ = f.Close()
		}
		return err
	case <-ctx.Done():
		go func() { <-got; _ = f.Close() }()
		return ctx.Err()
	}
}
