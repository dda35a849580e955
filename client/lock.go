package client

import (
	"context"
	"os"

	"coord"
	"coord/files"
)

// lockFile takes the lock of a file as soon as it is free. It excludes other
// commands of the same process too.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "opening the lock %s: %w; nothing was sent", path, err).WithNext("coord doctor")
	}
	err = files.Lock(ctx, f)
	switch {
	case err == nil:
		return func() { _ = f.Close() }, nil
	case ctx.Err() != nil:
		return nil, coord.Errorf(coord.CodeUnavailable, "another command of this session is still at work; nothing was sent").
			WithDetail("outcome", OutcomeNotSent)
	}
	return nil, coord.Errorf(coord.CodeSetup, "locking %s: %w; nothing was sent", path, err).WithNext("coord doctor")
}
