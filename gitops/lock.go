package gitops

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"coord"
	"coord/files"
)

// How long to wait for a lock, and how often to look.
const (
	lockWait = 2 * time.Minute
	lockTick = 20 * time.Millisecond
)

// lockFile takes the lock of a file, which it makes if needed.
func lockFile(ctx context.Context, path string) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "cannot make the lock %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "cannot open the lock %s: %w", path, err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	err = files.Lock(ctx, f)
	switch {
	case err == nil:
		return func() { _ = f.Close() }, nil
	case ctx.Err() != nil:
		return nil, coord.Errorf(coord.CodeUnavailable, "another coord command in this repository has held %s for too long; nothing was changed", path)
	}
	return nil, coord.Errorf(coord.CodeSetup, "cannot take the lock %s: %w", path, err)
}

// poll calls try until it succeeds, fails in a way that is not worth another
// try, or the time is over; it returns try's last error.
func poll(ctx context.Context, wait time.Duration, try func() error, again func(error) bool) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	tick := time.NewTicker(lockTick)
	defer tick.Stop()
	for {
		err := try()
		if err == nil || !again(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

// lockMark is what an index lock of ours holds, so that it is known for ours
// when its process was killed. Git's own hold nothing or an index.
const lockMark = "coord: an index is being replaced\n"

// lockIndex takes Git's own lock on this work tree's index
// (gitrepository-layout(5)). One that a killed command of ours left is
// removed: the caller holds the lock of the scratch, so no other one runs.
func (r *repo) lockIndex(ctx context.Context) (*os.File, error) {
	path := filepath.Join(r.info.GitDir, "index.lock")
	var f *os.File
	err := poll(ctx, r.git.patience, func() (err error) {
		if text, err := os.ReadFile(path); err == nil && string(text) == lockMark {
			_ = os.Remove(path)
		}
		f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		return err
	}, os.IsExist)
	if os.IsExist(err) {
		return nil, heldLock(path, "nothing was committed")
	}
	if err == nil {
		if _, err = f.WriteString(lockMark); err != nil {
			dropLock(f)
		}
	}
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "cannot lock the index: %w; nothing was committed", err)
	}
	return f, nil
}

// dropLock gives the index lock up.
func dropLock(lock *os.File) {
	_ = lock.Close()
	_ = os.Remove(lock.Name())
}
