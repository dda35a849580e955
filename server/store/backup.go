package store

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"coord"
	"coord/files"
)

// Backup writes a copy of the database to path while the store goes on, and
// its manifest beside it. The copy is opened and proved whole before it gets
// its name; only when the manifest is on disk is it a backup. A path that is
// in use is refused. After an error nothing of it is left, and whatever
// backups there were are as they were.
func (s *Store) Backup(ctx context.Context, path string) (Manifest, error) {
	return s.backup(ctx, path, func(string) error { return nil })
}

// backup tells reached after each step, so that tests can end it there.
func (s *Store) backup(ctx context.Context, path string, reached func(step string) error) (Manifest, error) {
	if !s.copying.TryLock() {
		return Manifest{}, coord.Errorf(coord.CodeStateConflict, "another backup of this server is being made; nothing was written")
	}
	defer s.copying.Unlock()
	m := Manifest{Format: manifestFormat, MadeAt: s.now()}
	path, err := filepath.Abs(path)
	if err == nil {
		err = unused(path, manifestPath(path))
	}
	if err == nil {
		err = s.backupTo(ctx, path, &m, reached)
	}
	if known := (*coord.Error)(nil); err != nil && !asCoord(err, &known) && ofSQLite(err) == nil {
		err = coord.Errorf(coord.CodeUnavailable, "the backup could not be written: %w; it does not count", err)
	}
	return m, fault(err)
}

// unused refuses paths that there is something at.
func unused(paths ...string) error {
	for _, p := range paths {
		_, err := os.Lstat(p)
		if err == nil {
			return coord.Errorf(coord.CodeSetup, "%s is there already, and a backup overwrites nothing; nothing was written", p)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (s *Store) backupTo(ctx context.Context, path string, m *Manifest, reached func(string) error) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, "."+filepath.Base(path)+".*.partial") // private, and empty as VACUUM wants it
	if err != nil {
		return err
	}
	made := f.Name()
	defer func() {
		if err != nil {
			_ = os.Remove(manifestPath(path)) // first: without one it is no backup
			_ = os.Remove(made)
			_ = os.Remove(made + "-journal")
		}
	}()
	if err := f.Close(); err != nil {
		return err
	}
	steps := []struct {
		name string
		do   func() error
	}{
		{"copied", func() error { return s.vacuumInto(ctx, made) }},
		{"examined", func() error {
			return onCopy(ctx, made, copySettings, func(c *sql.Conn) (err error) { m.Contents, err = examine(ctx, c); return err })
		}},
		{"synced", func() error { m.Bytes, m.SHA256, err = syncFile(made); return err }},
		{"renamed", func() error {
			if err := os.Rename(made, path); err != nil {
				return err
			}
			made = path
			return files.SyncDir(dir)
		}},
		{"counted", func() error { return m.publish(path) }},
	}
	for _, step := range steps {
		if err = step.do(); err == nil {
			err = reached(step.name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// vacuumInto copies the last committed state, in a snapshot of its own. VACUUM
// copies indexes entry by entry, so that one which does not fit its table does
// not fit in the copy either, and is found there.
func (s *Store) vacuumInto(ctx context.Context, to string) error {
	return onCopy(ctx, s.opt.Path, durable, func(conn *sql.Conn) error {
		_, err := conn.ExecContext(ctx, "VACUUM INTO ?", to)
		return err
	})
}

// copySettings are those of a connection that only looks at a copy: it leaves
// no file beside it.
var copySettings = []setting{{"query_only", "1", "1"}, {"trusted_schema", "0", "0"}}

// onCopy runs fn on a connection of its own.
func onCopy(ctx context.Context, path string, settings []setting, fn func(*sql.Conn) error) error {
	db, err := openPool(path, "deferred", settings, 1)
	if err != nil {
		return err
	}
	conn, err := db.Conn(ctx)
	if err == nil {
		err = errors.Join(fn(conn), conn.Close())
	}
	return errors.Join(err, db.Close())
}

// syncFile returns the length and SHA-256 of a file once it is on disk.
func syncFile(path string) (n int64, digest string, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, "", err
	}
	if err = f.Sync(); err == nil {
		n, digest, err = digestOf(io.Discard, f)
	}
	return n, digest, errors.Join(err, f.Close())
}
