package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"coord"
)

// errLocked says that another process has the lock.
var errLocked = errors.New("locked by another process")

// tryLock takes the lock of a file, or returns errLocked at once. The system
// frees it when the process ends, however it ends. The file stays.
func tryLock(path string) (unlock func(), err error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	if err := lockNow(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// waitLock takes the lock of a file as soon as it is free, or gives up when
// ctx ends.
func waitLock(ctx context.Context, path string) (unlock func(), err error) {
	f, err := openLock(path)
	if err != nil {
		return nil, err
	}
	got := make(chan error, 1)
	go func() { got <- lockWait(f) }() // the system's wait cannot be cancelled
	select {
	case err = <-got:
	case <-ctx.Done():
		err = ctx.Err()
		go func() { <-got; _ = f.Close() }()
		return nil, err
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

func openLock(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "cannot make %s: %w; nothing was done", filepath.Dir(path), err).WithNext("coord doctor")
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "cannot open the lock %s: %w; nothing was done", path, err).WithNext("coord doctor")
	}
	return f, nil
}
