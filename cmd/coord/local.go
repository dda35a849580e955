package main

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"coord"
	"coord/files"
	"coord/proc"
)

// localServer is the server of this user on this machine: a data directory
// with the database, a note of where it listens, and two locks.
type localServer struct{ dir string }

// serverNote is server.json. A lock, not this note, tells whether a server
// runs: the note of one that was killed stays.
type serverNote struct {
	URL     string    `json:"url"`
	Listen  string    `json:"listen"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// local is the server in --data, or else in the user's state directory.
func (a *app) local(data string) (localServer, error) {
	if data != "" {
		dir, err := filepath.Abs(data)
		return localServer{dir}, err
	}
	dir, err := a.env.stateDir()
	return localServer{dir}, err
}

func (l localServer) notePath() string { return filepath.Join(l.dir, "server.json") }
func (l localServer) logPath() string  { return filepath.Join(l.dir, "serve.log") }

// runLock is held by a server for as long as it runs.
func (l localServer) runLock() string { return filepath.Join(l.dir, "serve.lock") }

// upLock makes commands that start or stop the server take turns.
func (l localServer) upLock() string { return filepath.Join(l.dir, "up.lock") }

// note reads where the server listens, or listened when it last ran.
func (l localServer) note() (serverNote, error) {
	var n serverNote
	text, err := os.ReadFile(l.notePath())
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		return n, coord.Errorf(coord.CodeSetup, "%s cannot be read: %w; nothing was done", l.notePath(), err).WithNext("coord doctor")
	}
	return n, nil
}

// write replaces the note whole.
func (l localServer) write(n serverNote) error {
	text, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return coord.Errorf(coord.CodeInternal, "writing the server's note: %w", err)
	}
	if err := files.Replace(l.notePath(), append(text, '\n'), 0o600); err != nil {
		return coord.Errorf(coord.CodeSetup, "%s cannot be written: %w", l.notePath(), err).WithNext("coord doctor")
	}
	return nil
}

// running reports whether a server has the data directory.
func (l localServer) running() (bool, error) {
	if _, err := os.Stat(l.runLock()); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	unlock, err := tryLock(l.runLock())
	if errors.Is(err, files.ErrLocked) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	unlock()
	return false, nil
}

// stop asks the running server to end and waits until it has. The process is
// looked up before the lock is seen held, so a process id that was used again
// is never hit.
func (l localServer) stop(ctx context.Context) (serverNote, error) {
	n, err := l.note()
	if err != nil {
		return n, err
	}
	p, err := os.FindProcess(n.PID)
	if err != nil {
		return n, coord.Errorf(coord.CodeInternal, "the server's process %d cannot be found: %w; nothing was stopped", n.PID, err)
	}
	defer func() { _ = p.Release() }()
	if on, err := l.running(); err != nil || !on {
		return n, err
	}
	if err := proc.AskToEnd(p); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return n, coord.Errorf(coord.CodeSetup, "the server's process %d cannot be stopped: %w; it still runs", n.PID, err)
	}
	wait, cancel := context.WithTimeout(ctx, endWithin)
	defer cancel()
	unlock, err := waitLock(wait, l.runLock())
	if err != nil {
		return n, coord.Errorf(coord.CodeUnavailable, "the server's process %d was asked to end and has not yet", n.PID).WithNext("coord down")
	}
	unlock()
	return n, nil
}

// endWithin is how long a server may take to end: it lets requests finish for
// 20 s.
const endWithin = 30 * time.Second
