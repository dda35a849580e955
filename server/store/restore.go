package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"coord"
	"coord/files"
)

// DatabaseName is the database's file in the data directory of a server.
const DatabaseName = "coord.db"

// RestoreOptions says what to restore, and where to.
type RestoreOptions struct {
	Backup string    // the backup's file; its manifest lies beside it
	Into   string    // the data directory of the new server: absent, or empty
	Now    time.Time // the machine's time
}

// Restored says what a restore did.
type Restored struct {
	Manifest Manifest
	Epoch    int64            // of the new server; no fence before it is good any more
	Seq      coord.Seq        // of the event of the restore
	Ended    map[string]int64 // how many sessions, attempts, keys and so on ended
}

// Restore makes a data directory from a backup. What the backup's server had
// granted, and what it remembered of requests, has ended before the directory
// gets its name, so no server ever runs on it with any of that. It refuses a
// backup that is not what its manifest says, another schema, and a directory
// with anything in it. After an error there is no directory.
func Restore(ctx context.Context, o RestoreOptions) (Restored, error) {
	return restore(ctx, o, func(string) error { return nil })
}

// restore tells reached after each step, so that tests can end it there.
func restore(ctx context.Context, o RestoreOptions, reached func(step string) error) (out Restored, err error) {
	if out.Manifest, err = ReadManifest(o.Backup); err != nil {
		return out, err
	}
	if err := nothingBeside(o.Backup); err != nil {
		return out, err
	}
	into, err := freshDirectory(o.Into)
	if err != nil {
		return out, err
	}
	work, err := os.MkdirTemp(filepath.Dir(into), "."+filepath.Base(into)+".*.partial")
	if err != nil {
		return out, notRestored(err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(work) // made above; once it has its name there is no error
		}
	}()
	file := filepath.Join(work, DatabaseName)
	steps := []struct {
		name string
		do   func() error
	}{
		{"copied", func() error { return copyBackup(o.Backup, file, out.Manifest) }},
		{"begun anew", func() error {
			return onCopy(ctx, file, restoreSettings, func(c *sql.Conn) error { return out.beginAnew(ctx, c, o.Now) })
		}},
		{"synced", func() error {
			_, _, err := syncFile(file)
			return errors.Join(err, nothingBeside(file), files.SyncDir(work))
		}},
	}
	for _, step := range steps {
		if err = step.do(); err == nil {
			err = reached(step.name)
		}
		if err != nil {
			return out, notRestored(err)
		}
	}
	if err = takeName(work, into); err != nil {
		return out, notRestored(err)
	}
	return out, nil
}

func notRestored(err error) error {
	if known := (*coord.Error)(nil); asCoord(err, &known) {
		return err
	}
	if ofSQLite(err) != nil {
		return fault(err)
	}
	return coord.Errorf(coord.CodeSetup, "the backup could not be restored: %w; there is no new data directory", err)
}

// nothingBeside refuses a database file that SQLite would not read alone: a
// journal of another run would be applied to it.
func nothingBeside(file string) error {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Lstat(file + suffix); !errors.Is(err, fs.ErrNotExist) {
			return notABackup("%s lies beside it and is not part of it; move it away", filepath.Base(file)+suffix)
		}
	}
	return nil
}

var errIsFile = errors.New("it is a file")

// freshDirectory is the absolute path of a directory that is absent or empty.
func freshDirectory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil || dir == "" {
		return "", coord.Errorf(coord.CodeSetup, "a restore needs the path of a new data directory; nothing was changed")
	}
	entries, err := os.ReadDir(abs)
	if st, is := os.Stat(abs); is == nil && !st.IsDir() {
		err = errIsFile // Windows says of a file's entries that they are not there
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = os.MkdirAll(filepath.Dir(abs), 0o700)
	case err == nil && len(entries) > 0:
		return "", coord.Errorf(coord.CodeSetup, "%s is not empty (%s), and a restore overwrites nothing; nothing was changed; name a new directory", abs, coord.OneLine(entries[0].Name()))
	}
	if err != nil {
		return "", coord.Errorf(coord.CodeSetup, "%s cannot be used as a new data directory: %w; nothing was changed", abs, err)
	}
	return abs, nil
}

// takeName gives the finished directory its name. An empty one of that name
// makes room; one that was filled meanwhile does not.
func takeName(work, into string) error {
	if st, err := os.Stat(into); err == nil && !st.IsDir() {
		return errIsFile // one of that name, made meanwhile, is not ours to remove
	}
	if err := os.Remove(into); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(work, into); err != nil {
		return err
	}
	_ = files.SyncDir(filepath.Dir(into)) // it is whole under either name
	return nil
}

// copyBackup copies the file and holds it to its manifest.
func copyBackup(from, to string, m Manifest) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return notABackup("it cannot be read: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, digest, err := digestOf(dst, io.LimitReader(src, m.Bytes+1))
	if err = errors.Join(err, dst.Close()); err != nil {
		return err
	}
	if n != m.Bytes || digest != m.SHA256 {
		return notABackup("its bytes are not those that the manifest names, so it was changed or cut off")
	}
	return nil
}

// restoreSettings are those of the one connection that changes a restored
// file. It leaves no WAL: the server makes its own.
var restoreSettings = []setting{{"journal_mode", "DELETE", "delete"}, {"synchronous", "FULL", "2"}, {"foreign_keys", "1", "1"}, {"trusted_schema", "0", "0"}}

// beginAnew proves that the copy is the database of the manifest, and starts
// another epoch in it: in one transaction, what was granted ends and the log
// says so.
func (out *Restored) beginAnew(ctx context.Context, conn *sql.Conn, now time.Time) error {
	have, err := examine(ctx, conn)
	if err != nil {
		return err
	}
	if !have.equal(out.Manifest.Contents) {
		return notABackup("what is in it is not what the manifest says: it ends with event %d, and the manifest with event %d", have.Seq, out.Manifest.Seq)
	}
	r := &reader{conn: conn, stmts: map[string]*sql.Stmt{}}
	defer func() {
		for _, st := range r.stmts {
			_ = st.Close()
		}
	}()
	if err := r.plain("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	t := &tx{caller: coord.Caller{Principal: "operator", Role: coord.RoleOperator, Name: "restore"}, head: chain{have.Seq, have.Hash}}
	t.view = view{ctx: ctx, now: now.Round(0).UTC(), stmt: r.prepared}
	err = out.void(t, now)
	if err == nil {
		err = keysHold(ctx, conn)
	}
	if err == nil {
		return r.plain("COMMIT")
	}
	return errors.Join(err, r.plain("ROLLBACK"))
}

// void is the transaction of a restore. Time goes on from where the backup's
// server was, if the machine's clock is behind that.
func (out *Restored) void(t *tx, now time.Time) (err error) {
	var high, epoch int64
	if _, err := t.get([]any{&high, &epoch}, "SELECT high_water, epoch FROM server WHERE id = 1"); err != nil {
		return err
	}
	if t.now.Before(instant(high)) {
		t.now = instant(high)
	}
	out.Epoch = nextEpoch(epoch, now)
	if out.Ended, err = t.voidAll(); err != nil {
		return err
	}
	if err := t.change("UPDATE server SET epoch = ?, high_water = ?, restored_at = ? WHERE id = 1 AND epoch = ?", out.Epoch, nanos(t.now), nanos(t.now), epoch); err != nil {
		return err
	}
	err = t.record(coord.Event{
		Kind: coord.EventServerRestored,
		Text: fmt.Sprintf("the server was restored from the backup of %s, which ends with event %d", out.Manifest.MadeAt.Format(time.RFC3339), out.Manifest.Seq),
		Data: map[string]string{
			"backup": out.Manifest.SHA256, "seq": strconv.FormatInt(int64(out.Manifest.Seq), 10),
			"epoch": strconv.FormatInt(out.Epoch, 10), "former_epoch": strconv.FormatInt(epoch, 10),
		},
	})
	out.Seq = t.head.seq
	return err
}

// nextEpoch is later than the backup's, and than that of an earlier restore of
// any backup, unless the machine's clock went back since: it is the time of
// the restore in milliseconds.
func nextEpoch(stored int64, now time.Time) int64 { return max(stored+1, now.UnixMilli()) }
