package client

import (
	"context"
	"errors"
	"os"

	"coord"
)

// lockFile takes the exclusive lock of a file, which the system frees when
// its process ends. It excludes other handles of the same process too. The
// file stays: removing it would let two processes lock two files.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "opening the lock %s: %w; nothing was sent", path, err).WithNext("coord doctor")
	}
	got := make(chan error, 1)
	go func() { got <- lockExclusive(f) }() // the system's wait cannot be cancelled
	select {
	case err := <-got:
		if err != nil {
			return nil, coord.Errorf(coord.CodeSetup, "locking %s: %w; nothing was sent", path, errors.Join(err, f.Close())).WithNext("coord doctor")
		}
		return func() { _ = f.Close() }, nil // closing frees the lock
	case <-ctx.Done():
		go func() { <-got; _ = f.Close() }()
		return nil, coord.Errorf(coord.CodeUnavailable, "another command of this session is still at work; nothing was sent").
			WithDetail("outcome", OutcomeNotSent)
	}
}
