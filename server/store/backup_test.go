package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"coord"
	"coord/servicetest"
)

// TestB1_ABackupIsProved makes one while others write, and holds its manifest
// against the file.
func TestB1_ABackupIsProved(t *testing.T) {
	w := newWorld(t)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	writers.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if _, err := w.bravo.CreateTask(context.Background(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "x", SameTitle: true}); err != nil {
				t.Error(err)
				return
			}
		}
	})
	m, err := w.Backup(t.Context(), w.backup)
	close(stop)
	writers.Wait()
	if err != nil {
		t.Fatal(err)
	}
	n, digest, err := syncFile(w.backup)
	if err != nil || n != m.Bytes || digest != m.SHA256 || m.Epoch != 1 || m.Schema != schemaVersion || m.Seq == 0 || m.Rows["attempts"] != 5 || m.Rows["events"] != int64(m.Seq) {
		t.Errorf("manifest %+v of %d bytes, %v", m, n, err)
	}
	read, err := ReadManifest(w.backup)
	if err != nil || !read.equal(m.Contents) || read.SHA256 != m.SHA256 || read.Bytes != m.Bytes || !read.MadeAt.Equal(m.MadeAt) {
		t.Errorf("read back: %+v, %v", read, err)
	}
	for _, path := range []string{w.backup, w.backup + ".json"} {
		info, err := os.Stat(path)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v: others may read it", path, info, err)
		}
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for path := range listing(t, filepath.Dir(w.backup)) {
			if base := filepath.Base(path); strings.HasPrefix(base, ".") || strings.HasPrefix(base, "one.backup") {
				yield(base)
			}
		}
	})
	if !slices.Equal(names, []string{"one.backup", "one.backup.json"}) {
		t.Errorf("the backup left %q", names)
	}
	b, err := os.ReadFile(w.backup)
	if err != nil || b[18] != 1 || b[19] != 1 {
		t.Errorf("the copy is not in rollback mode: opening it would write beside it; %v", err)
	}
	if s, _ := w.restored(); s.Epoch() == 1 {
		t.Error("epoch 1 again")
	}
	checkRecord(t, w.Store)
}

// TestB1_EndedAtEachStep looks at the disk after each step, which is what a
// crash there leaves, and ends the backup there: it counts only when all is
// done, and the one before it stays good.
func TestB1_EndedAtEachStep(t *testing.T) {
	w := newWorld(t)
	w.save()
	good := listing(t, filepath.Dir(w.backup))
	steps := []string{"copied", "examined", "synced", "renamed", "counted"}
	for i, end := range steps {
		next := filepath.Join(filepath.Dir(w.backup), "two.backup")
		var seen []string
		_, err := w.Store.backup(t.Context(), next, func(step string) error {
			seen = append(seen, step)
			_, err := Restore(t.Context(), RestoreOptions{Backup: next, Into: filepath.Join(t.TempDir(), "new"), Now: w.clock.Now()})
			if complete := step == "counted"; (err == nil) != complete {
				t.Errorf("fault 125: restored from what is there after %s: %v", step, err)
			}
			if step == end {
				return coord.Errorf(coord.CodeStorageFull, "no space")
			}
			return nil
		})
		if coord.CodeOf(err) != coord.CodeStorageFull || !slices.Equal(seen, steps[:i+1]) {
			t.Errorf("%s: %v after %q", end, err, seen)
		}
		if _, err := os.Lstat(next); !os.IsNotExist(err) {
			t.Errorf("fault 118: ended after %s, and it is there: %v", end, err)
		}
		for path := range listing(t, filepath.Dir(w.backup)) {
			if _, there := good[path]; !there {
				t.Errorf("ended after %s: left %s", end, path)
			}
		}
		w.restored() // from the first
	}
}

// TestB1_DamageIsRefused makes a backup of a database that is damaged in ways
// that ordinary use does not notice.
func TestB1_DamageIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		damage []string
		says   string
	}{
		// The index looks as if it held only tasks without a title, while one
		// gets another title.
		"fault 120: an index that does not fit": {[]string{
			"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = sql || ' WHERE title = ''''' WHERE name = 'tasks_title'",
			"UPDATE tasks SET title = 'another' WHERE number = 1",
			"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, ' WHERE title = ''''', '') WHERE name = 'tasks_title'",
		}, "tasks_title"},
		"an event that was changed": {[]string{
			"DROP TRIGGER events_no_update; UPDATE events SET text = 'nothing happened' WHERE seq = 3",
		}, "event 3 is not the one that follows event 2"},
		"an event that was taken out": {[]string{
			"DROP TRIGGER events_no_delete; DELETE FROM events WHERE seq = 2",
		}, "event 3 is not the one that follows event 1"},
		"a reference to nothing": {[]string{
			"PRAGMA foreign_keys = OFF; UPDATE tasks SET attempt = 'nothing' WHERE id = (SELECT id FROM tasks WHERE attempt IS NOT NULL LIMIT 1)",
		}, "1 reference to what is not there"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for _, statements := range c.damage { // each as a program of its own
				err := onCopy(t.Context(), w.opt.Path, []setting{{"busy_timeout", "10000", "10000"}}, func(conn *sql.Conn) error {
					_, err := conn.ExecContext(t.Context(), statements)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			before := listing(t, filepath.Dir(w.backup))
			_, err := w.Backup(t.Context(), w.backup)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
			for path := range listing(t, filepath.Dir(w.backup)) {
				if _, there := before[path]; !there {
					t.Errorf("left %s", path)
				}
			}
		})
	}
}

func TestB1_NothingIsOverwritten(t *testing.T) {
	w := newWorld(t)
	w.save()
	for _, path := range []string{w.backup, w.opt.Path, filepath.Dir(w.backup)} {
		before := listing(t, filepath.Dir(w.backup))
		if _, err := w.Backup(t.Context(), path); coord.CodeOf(err) != coord.CodeSetup || !strings.Contains(err.Error(), "overwrites nothing") {
			t.Errorf("%s: %v", path, err)
		}
		if after := listing(t, filepath.Dir(w.backup)); len(after) != len(before) {
			t.Errorf("%s: %v", path, after)
		}
	}
	if _, err := w.Backup(t.Context(), filepath.Join(t.TempDir(), "no", "such", "directory")); coord.CodeOf(err) != coord.CodeUnavailable {
		t.Errorf("no directory: %v", err)
	}
	// Two at once: fault 125.
	_, err := w.Store.backup(t.Context(), filepath.Join(t.TempDir(), "a"), func(string) error {
		if _, err := w.Backup(t.Context(), filepath.Join(t.TempDir(), "b")); coord.CodeOf(err) != coord.CodeStateConflict {
			t.Errorf("another at the same time: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestB3_ACopyOfTheFileIsNoBackup copies the database's file alone from a
// running server. It opens, SQLite finds nothing wrong with it, and it lacks
// what was acknowledged.
func TestB3_ACopyOfTheFileIsNoBackup(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, filepath.Join(dir, "coord.db"), servicetest.NewClock().Now)
	project(t, s, "pay")
	alpha := session(t, s, agents, "alpha")
	newTask(t, alpha, "pay")
	b, err := os.ReadFile(filepath.Join(dir, "coord.db"))
	copied := filepath.Join(t.TempDir(), "copy")
	if err == nil {
		err = os.WriteFile(copied, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	err = onCopy(t.Context(), copied, copySettings, func(conn *sql.Conn) error {
		var said string
		if err := conn.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&said); err != nil || said != "ok" {
			t.Errorf("integrity_check says %q, %v; this test shows that it says ok", said, err)
		}
		var tasks int
		if err := conn.QueryRowContext(t.Context(), "SELECT count(*) FROM tasks").Scan(&tasks); err == nil && tasks > 0 {
			t.Errorf("%d tasks; this test shows that they are not in the file", tasks)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(t.TempDir(), "new")
	restoreIt := func() error {
		_, err := Restore(t.Context(), RestoreOptions{Backup: copied, Into: into, Now: s.now()})
		return err
	}
	if err := restoreIt(); coord.CodeOf(err) != coord.CodeSetup || !strings.Contains(err.Error(), "no manifest") {
		t.Errorf("without a manifest: %v", err)
	}
	// A manifest of the file's own bytes does not make it one.
	n, digest, err := syncFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	forged, err := json.Marshal(Manifest{Format: manifestFormat, Bytes: n, SHA256: digest, Contents: Contents{Schema: schemaVersion, Epoch: 1}})
	if err == nil {
		err = os.WriteFile(copied+".json", forged, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := restoreIt(); err == nil {
		t.Error("it was restored under a manifest of its own bytes")
	}
	if _, err := os.Lstat(into); !os.IsNotExist(err) {
		t.Errorf("there is a directory: %v", err)
	}
}
