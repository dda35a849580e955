package main

import (
	"context"
	"os"
	"path/filepath"

	"coord"
	"coord/files"
)

// tryLock takes the lock of a file, or returns files.ErrLocked at once. The
// system frees it when the process ends, however it ends. The file stays.
func tryLock(path string) (unlock func(), err error) { return locked(path, files.TryLock) }

// waitLock takes the lock of a file as soon as it is free, or gives up when
// ctx ends.
func waitLock(ctx context.Context, path string) (unlock func(), err error) {
	return locked(path, func(f *os.File) error { return files.Lock(ctx, f) })
}

func locked(path string, lock func(*os.File) error) (unlock func(), err error) {
	f, err := openLock(path)
	if err == nil {
		err = lock(f)
	}
	if err != nil {
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
