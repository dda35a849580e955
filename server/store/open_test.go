package store

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"modernc.org/sqlite"

	"coord"
	"coord/servicetest"
)

func TestD1_SettingsAreReadBackOnEveryConnection(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), servicetest.NewClock().Now)
	for _, p := range writerSettings {
		var got string
		if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA "+p.name).Scan(&got); err != nil || got != p.back {
			t.Errorf("writer: %s is %q, %v", p.name, got, err)
		}
	}
	for range readerCount {
		r := <-s.readers.free // not given back, so that the next one is another
		for _, p := range readerSettings {
			var got string
			if err := r.conn.QueryRowContext(t.Context(), "PRAGMA "+p.name).Scan(&got); err != nil || got != p.back {
				t.Errorf("reader: %s is %q, %v", p.name, got, err)
			}
		}
		if _, err := r.conn.ExecContext(t.Context(), "UPDATE server SET epoch = 9"); err == nil {
			t.Error("a reader wrote")
		}
		defer func() { s.readers.free <- r }()
	}
	if prev, err := sqlite.Fdatasync(true); err == nil && !prev {
		t.Error("commits do not use fdatasync")
	}
}

func TestD1_SettingThatDoesNotTakeIsRefused(t *testing.T) {
	settings := append([]setting{{"page_size", "4096", "8192"}}, durable...)
	db, err := openPool(filepath.Join(t.TempDir(), "coord.db"), "immediate", settings, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.PingContext(t.Context()); coord.CodeOf(err) != coord.CodeSetup || !strings.Contains(err.Error(), "page_size") {
		t.Errorf("got %v", err)
	}
}

func TestD5_OldSQLiteIsRefused(t *testing.T) {
	for linked, ok := range map[string]bool{
		"3.51.3": true, "3.51.10": true, "3.52.0": true, "4.0.0": true, "3.53.1.2": true,
		"3.51.2": false, "3.9.4": false, "3.50.9": false, "2.99.99": false, "3.51": false, "": false, "trunk": false,
	} {
		err := checkVersion(linked)
		if (err == nil) != ok || err != nil && (coord.CodeOf(err) != coord.CodeSetup || !strings.Contains(err.Error(), "3.51.3 or later")) {
			t.Errorf("%q: %v", linked, err)
		}
	}
}

// TestL19 shows that a second server on the same file is refused at once, and
// that the lock ends with the first.
func TestL19_SecondOpenIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coord.db")
	clock := servicetest.NewClock()
	first := openAt(t, path, clock.Now)
	_, err := Open(t.Context(), Options{Path: path, Now: clock.Now, Plan: linePlan})
	if coord.CodeOf(err) != coord.CodeSetup || !strings.Contains(err.Error(), "in use by another server") {
		t.Fatalf("got %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	openAt(t, path, clock.Now)
}

func TestSchema(t *testing.T) {
	files, err := migrations.ReadDir("migrations")
	if err != nil {
		t.Fatal(err)
	}
	last := files[len(files)-1].Name()
	if n, err := strconv.Atoi(strings.TrimLeft(last[:5], "0")); err != nil || n != schemaVersion {
		t.Errorf("the last migration is %s and schemaVersion is %d", last, schemaVersion)
	}
	path := filepath.Join(t.TempDir(), "coord.db")
	clock := servicetest.NewClock()
	s := openAt(t, path, clock.Now)
	var version int
	if err := s.writer.conn.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&version); err != nil || version != schemaVersion {
		t.Errorf("version %d, %v", version, err)
	}
	for version, says := range map[int]string{schemaVersion + 1: "newer", 1: "never released"} {
		if _, err := s.writer.conn.ExecContext(t.Context(), "PRAGMA user_version = "+strconv.Itoa(version)); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		_, err = Open(t.Context(), Options{Path: path, Now: clock.Now, Plan: linePlan})
		if coord.CodeOf(err) != coord.CodeSetup || !strings.Contains(err.Error(), says) {
			t.Errorf("schema %d: %v", version, err)
		}
		s = openAt(t, filepath.Join(t.TempDir(), "coord.db"), clock.Now)
		path = s.opt.Path
	}
}

// TestD2 copies the files as they lie on the disk while the store is open,
// which is what a kill leaves, and opens the copy.
func TestD2_NothingAcknowledgedIsLostByAKill(t *testing.T) {
	dir, clock := t.TempDir(), servicetest.NewClock()
	s := openAt(t, filepath.Join(dir, "coord.db"), clock.Now)
	agent := coord.Caller{Principal: "agents", Role: coord.RoleAgent}
	project(t, s, "pay")
	alpha := session(t, s, agent, "alpha")
	id := newTask(t, alpha, "pay")
	held, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: id})
	if err != nil {
		t.Fatal(err)
	}
	copied := t.TempDir()
	for _, name := range []string{"coord.db", "coord.db-wal"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(copied, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	after := openAt(t, filepath.Join(copied, "coord.db"), clock.Now)
	checkRecord(t, after)
	task, err := after.As(agent).Task(t.Context(), id)
	if err != nil || task.Owner == nil || task.Owner.Attempt != held.Attempt.ID || !task.Owner.ExpiresAt.Equal(held.Attempt.Lease.ExpiresAt) {
		t.Errorf("owner %+v, %v; the restart neither grants, renews nor revokes", task.Owner, err)
	}
	newTask(t, after.As(agent), "pay") // the chain goes on
	checkRecord(t, after)
}

func TestOpenOfSomethingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coord.db")
	writeGarbage(t, path)
	if _, err := Open(t.Context(), Options{Path: path, Now: servicetest.NewClock().Now, Plan: linePlan}); coord.CodeOf(err) != coord.CodeSetup {
		t.Errorf("got %v", err)
	}
}

func TestV1_V8_D6_AppendOnly(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), servicetest.NewClock().Now)
	project(t, s, "pay")
	for _, statement := range []string{
		"UPDATE events SET text = 'x' WHERE seq = 1", "DELETE FROM events WHERE seq = 1",
		"INSERT INTO events (seq, at, kind, project, task, actor, text, data, hash) VALUES (7, 0, '', '', '', '', '', '', '')",
		"INSERT INTO tasks (id, project, number, kind, title, outcome, criteria, priority, lifecycle, repository, target, source, digest, created_at, created_by, ready_since, created_seq, edited_seq) VALUES ('pay-1', 'pay', 1, 'review', '', '', '', 2, 'open', 'r', '', '', '', 0, '', 0, 1, 1)",
	} {
		if _, err := s.writer.conn.ExecContext(context.Background(), statement); err == nil {
			t.Errorf("the schema takes %s", statement)
		}
	}
	var count int
	if err := s.writer.conn.QueryRowContext(t.Context(), "SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%\\_no\\_%' ESCAPE '\\'").Scan(&count); err != nil || count != 24 {
		t.Errorf("%d append-only triggers, %v", count, err)
	}
}

func writeGarbage(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Repeat("this is not a database\n", 400)), 0o600); err != nil {
		t.Fatal(err)
	}
}
