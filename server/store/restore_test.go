package store

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"coord"
)

// TestR1_NothingOldIsValid tries everything that was granted before the
// backup on the restored server.
func TestR1_NothingOldIsValid(t *testing.T) {
	w := newWorld(t)
	w.save()
	s, r := w.restored()
	ctx := t.Context()
	if _, err := s.VerifySession(ctx, agents, w.alpha.caller.Session, proof); coord.CodeOf(err) != coord.CodeSessionUnknown {
		t.Errorf("an old session: %v", err)
	}
	reopen := coord.OpenSession{ID: w.alpha.caller.Session, Verifier: coord.SessionVerifier(proof), Name: "alpha", Machine: "m1"}
	if _, err := s.As(agents).OpenSession(ctx, reopen); coord.CodeOf(err) != coord.CodeSessionUnknown {
		t.Errorf("an old session is opened again: %v", err)
	}
	if _, err := s.WebSession(ctx, w.browser); coord.CodeOf(err) != coord.CodeUnauthenticated {
		t.Errorf("fault 95: an old web session: %v", err)
	}
	if _, err := s.Authenticate(ctx, w.operator); coord.CodeOf(err) != coord.CodeUnauthenticated {
		t.Errorf("a person's old token: %v", err)
	}
	// What the store would say to a caller whose session the shells let pass.
	old := s.As(w.alpha.caller)
	uses := map[string]func() error{
		"renew": func() error {
			_, err := old.Renew(ctx, coord.Renew{Attempt: w.coding.Attempt.ID, Fence: w.coding.Attempt.Fence})
			return err
		},
		"resume": func() error {
			_, err := old.Resume(ctx, coord.Resume{Key: newKey(), Attempt: w.coding.Attempt.ID, Fence: w.coding.Attempt.Fence})
			return err
		},
		"permit": func() error {
			_, err := old.Permit(ctx, coord.Permit{Key: newKey(), Landing: w.landing.Landing.ID, Fence: w.landing.Attempt.Fence, Base: oid("4"), Result: oid("5"), Tree: oid("6")})
			return err
		},
		"observe": func() error {
			_, err := old.RecordObservation(ctx, coord.RecordObservation{Key: newKey(), Landing: w.pushing.Landing.ID, Fence: w.pushing.Attempt.Fence, Tip: oid("5")})
			return err
		},
		"claim": func() error {
			_, err := old.Claim(ctx, coord.Claim{Key: newKey(), Project: "pay"})
			return err
		},
	}
	before, err := reading(ctx, s, func(v *view) (coord.Seq, error) { return v.lastSeq() })
	if err != nil {
		t.Fatal(err)
	}
	for name, use := range uses {
		if err := use(); coord.CodeOf(err) != coord.CodeSessionUnknown {
			t.Errorf("%s: %v", name, err)
		}
	}
	after, err := reading(ctx, s, func(v *view) (coord.Seq, error) { return v.lastSeq() })
	if err != nil || after != before || after != r.Seq {
		t.Errorf("event %d became %d; the restore was event %d; %v", before, after, r.Seq, err)
	}
	for what, least := range map[string]int64{"attempts": 3, "sessions": 2, "web_sessions": 1, "operator_tokens": 1, "keys": 10} {
		if r.Ended[what] < least {
			t.Errorf("%d %s ended, want at least %d", r.Ended[what], what, least)
		}
	}
	for _, table := range []string{"idempotency", "web_sessions"} {
		if n, err := reading(ctx, s, func(v *view) (n int, err error) {
			_, err = v.get([]any{&n}, "SELECT count(*) FROM "+table)
			return n, err
		}); n != 0 || err != nil {
			t.Errorf("%d rows in %s, %v", n, table, err)
		}
	}
	events, err := s.As(agents).Events(ctx, "", r.Manifest.Seq, 1000)
	if err != nil || events[len(events)-1].Kind != coord.EventServerRestored {
		t.Errorf("the log ends with %+v, %v", events[len(events)-1], err)
	}
}

// TestR1_WorkGoesOn: a new session takes up what was saved, and lands what
// waited; what may have been pushed has to be observed first.
func TestR1_WorkGoesOn(t *testing.T) {
	w := newWorld(t)
	w.save()
	s, _ := w.restored()
	ctx := t.Context()
	fresh := session(t, s, agents, "echo")
	_, err := fresh.Claim(ctx, coord.Claim{Key: newKey(), Project: "pay", Task: w.coding.Task.ID})
	if coord.CodeOf(err) != coord.CodeRecoveryRequired {
		t.Errorf("saved work without a disposition: %v", err)
	}
	got, err := fresh.Claim(ctx, coord.Claim{Key: newKey(), Project: "pay", Task: w.coding.Task.ID, Recovery: &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: oid("a")}})
	if err != nil || got.Attempt.StartedFrom != oid("a") || got.Attempt.Generation != 2 {
		t.Errorf("the saved work: %+v, %v", got.Attempt, err)
	}
	old, err := reading(ctx, s, func(v *view) (attemptRow, error) { return v.attempt(w.coding.Attempt.ID) })
	if err != nil || old.Standing != coord.StandingRevoked || old.EndReason != restoredReason {
		t.Errorf("the old attempt is %s (%s), %v", old.Standing, old.EndReason, err)
	}
	again, err := fresh.Hold(ctx, coord.Hold{Key: newKey(), Project: "web"})
	if err != nil || again.Landing.State != coord.LandingHeld || again.Landing.ID == w.landing.Landing.ID {
		t.Errorf("a landing that was only merged is begun anew: %+v, %v", again.Landing, err)
	}
	_, err = fresh.Hold(ctx, coord.Hold{Key: newKey(), Project: "ops"})
	var e *coord.Error
	if !asCoord(err, &e) || e.Code != coord.CodeRecoveryRequired {
		t.Fatalf("a landing that may have been pushed: %v", err)
	}
	taken, err := fresh.Hold(ctx, coord.Hold{Key: newKey(), Project: "ops", Recovery: &coord.Recovery{Generation: w.pushing.Attempt.Generation, Disposition: coord.DispositionResume}})
	if err != nil || taken.Landing.ID != w.pushing.Landing.ID || taken.Landing.State != coord.LandingPublishing {
		t.Errorf("taken over: %+v, %v", taken.Landing, err)
	}
	checkRecord(t, s)
}

// TestR1_WhatAJobMayUseIsNotFree: reservations end, but those of a job that
// may still run wait for whoever recovers the task.
func TestR1_WhatAJobMayUseIsNotFree(t *testing.T) {
	w := newWorld(t)
	err := w.writer.do(t.Context(), w.alpha.caller, func(x *tx) error {
		for i, statement := range []string{
			"INSERT INTO resources (id, project, name, scope, capacity, note, created_by, at) VALUES (11, 'pay', 'gpu', 'shared', 9, '', 'alpha', 1)",
			"INSERT INTO jobs (id, project, task, attempt, name, external, argv, machine, tree, state, observe_every, registered_at, observed_at, verifier) VALUES (21, 'pay', ?1, ?2, 'train', 'e1', 'd', 'm1', '', 'running', 60, 1, 1, 'v1')",
			"INSERT INTO reservations (id, resource, place, task, attempt, holder, job, at) VALUES (31, 11, '', ?1, ?2, 'alpha', 21, 1), (32, 11, '', ?3, ?4, 'alpha', NULL, 1)",
			"INSERT INTO tickets (id, project, attempt, wants, at, seen_at) VALUES (41, 'pay', ?2, '[]', 1, 1)",
		} {
			c, l := w.coding.Attempt, w.landing.Attempt
			args := [][]any{nil, {string(c.Task), string(c.ID)}, {string(c.Task), string(c.ID), string(l.Task), string(l.ID)}, {"", string(c.ID)}}[i]
			if _, err := x.exec(statement, args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.save()
	s, r := w.restored()
	held, err := reading(t.Context(), s, func(v *view) ([]string, error) {
		return list(v, scanText[string], "SELECT CAST(id AS TEXT) FROM reservations WHERE released_at IS NULL")
	})
	if err != nil || !slices.Equal(held, []string{"31"}) || r.Ended["reservations"] != 1 || r.Ended["tickets"] != 1 {
		t.Errorf("reservations %q are held, %v; ended: %v", held, err, r.Ended)
	}
}

// TestL3_FencesNeverRepeatOverRestore goes on working after the backup, so
// that the server that is restored has handed out fences which the backup does
// not know, restores it, and does the same again and again.
func TestL3_FencesNeverRepeatOverRestore(t *testing.T) {
	w := newWorld(t)
	w.save()
	given := map[coord.Fence]string{}
	var highest coord.Fence
	note := func(where string, f coord.Fence) {
		t.Helper()
		if other := given[f]; other != "" {
			t.Errorf("fence %s was given %s and %s", f, other, where)
		}
		given[f] = where
		if f.Epoch < highest.Epoch || f.Epoch == highest.Epoch && f.Generation <= highest.Generation {
			t.Errorf("%s: fence %s after %s", where, f, highest)
		}
		highest = f
	}
	// Of one task, so that generations alone would repeat.
	work := func(where string, s *Store) {
		t.Helper()
		svc := session(t, s, agents, "delta")
		for range 3 {
			task, err := svc.Task(t.Context(), w.coding.Task.ID)
			if err != nil {
				t.Fatal(err)
			}
			r := &coord.Recovery{Generation: task.Generation, Disposition: coord.DispositionRestart, Reason: "a test"}
			if task.Owner != nil {
				w.clock.Advance(time.Hour) // its lease ends
			}
			c := w.claim(svc, task.ID, r)
			note(where, c.Attempt.Fence)
			if _, err := svc.Release(t.Context(), coord.Release{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Reason: "x"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	highest = w.coding.Attempt.Fence
	work("before the restore", w.Store)
	for _, where := range []string{"after the first restore", "fault 124: after the second of the same backup", "after the third"} {
		s, r := w.restored()
		if s.Epoch() != r.Epoch || s.Epoch() <= highest.Epoch {
			t.Errorf("%s: epoch %d, %d was told; before %d", where, s.Epoch(), r.Epoch, highest.Epoch)
		}
		work(where, s)
	}
	// A backup of a restored server, restored.
	s, _ := w.restored()
	w.backup = filepath.Join(t.TempDir(), "two.backup")
	if _, err := s.Backup(t.Context(), w.backup); err != nil {
		t.Fatal(err)
	}
	work("before the backup of a restored server is restored", s)
	last, _ := w.restored()
	work("after that", last)
	if len(given) != 3*6 {
		t.Errorf("%d fences", len(given))
	}
}

func TestNextEpoch(t *testing.T) {
	at := time.UnixMilli(1893553445000)
	for _, c := range []struct {
		stored int64
		now    time.Time
		want   int64
	}{
		{1, at, 1893553445000},
		{1893553445000, at, 1893553445001},                 // twice within a millisecond, one of the other's backup
		{1893553445000, at.Add(-time.Hour), 1893553445001}, // the clock went back
		{1, time.Unix(0, 0), 2},                            // or was never set
		{1893553445000, at.Add(time.Hour), 1893553445000 + 3600000},
	} {
		if got := nextEpoch(c.stored, c.now); got != c.want {
			t.Errorf("after %d at %s: %d, want %d", c.stored, c.now, got, c.want)
		}
	}
}

// TestL15_TimeGoesOnAfterARestore restores on a machine whose clock is behind.
func TestL15_TimeGoesOnAfterARestore(t *testing.T) {
	w := newWorld(t)
	w.save()
	reached := w.now()
	w.clock.Advance(-48 * time.Hour)
	s, _ := w.restored()
	if s.now().Before(reached) {
		t.Errorf("the backup's server was at %s, and the restored one is at %s", reached, s.now())
	}
}

// spoiling makes a backup, or the directory to restore to, of no use.
type spoiling func(t *testing.T, backup, into string)

// edited changes the manifest.
func edited(change func(m map[string]any)) spoiling {
	return func(t *testing.T, backup, _ string) {
		b, err := os.ReadFile(backup + ".json")
		m := map[string]any{}
		if err == nil {
			err = json.Unmarshal(b, &m)
		}
		change(m)
		if err == nil {
			b, err = json.Marshal(m)
		}
		if err == nil {
			err = os.WriteFile(backup+".json", b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// planted puts a file into the directory that is restored to.
func planted(name string) spoiling {
	return func(t *testing.T, _, into string) {
		if err := os.MkdirAll(into, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(into, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// beside puts a file beside the backup.
func beside(suffix string) spoiling {
	return func(t *testing.T, backup, _ string) {
		if err := os.WriteFile(backup+suffix, []byte("stale"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// flipped changes one bit of the backup; from its end, if at is negative.
func flipped(at int64) spoiling {
	return func(t *testing.T, backup, _ string) {
		b, err := os.ReadFile(backup)
		if err != nil {
			t.Fatal(err)
		}
		b[(at+int64(len(b)))%int64(len(b))] ^= 1
		if err := os.WriteFile(backup, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// spoilt are what a restore refuses, and what it says.
var spoilt = map[string]struct {
	spoil spoiling
	says  string
}{
	"a database in the directory":     {planted("coord.db"), "is not empty"},
	"a stale -wal in the directory":   {planted("coord.db-wal"), "is not empty"},
	"a stale -shm in the directory":   {planted("coord.db-shm"), "is not empty"},
	"a journal in the directory":      {planted("coord.db-journal"), "is not empty"},
	"anything in the directory":       {planted("notes.txt"), "is not empty"},
	"fault 122: a stale -wal beside":  {beside("-wal"), "lies beside it"},
	"a stale -shm beside":             {beside("-shm"), "lies beside it"},
	"a journal beside":                {beside("-journal"), "lies beside it"},
	"fault 120: a flipped bit":        {flipped(5000), "its bytes are not those"},
	"fault 120: one in the last byte": {flipped(-1), "its bytes are not those"},
	"fault 121: cut off": {func(t *testing.T, backup, _ string) {
		if err := os.Truncate(backup, 8192); err != nil {
			t.Fatal(err)
		}
	}, "its bytes are not those"},
	"no file": {func(t *testing.T, backup, _ string) {
		if err := os.Remove(backup); err != nil {
			t.Fatal(err)
		}
	}, "cannot be read"},
	"no manifest": {func(t *testing.T, backup, _ string) {
		if err := os.Remove(backup + ".json"); err != nil {
			t.Fatal(err)
		}
	}, "no manifest"},
	"a damaged manifest": {func(t *testing.T, backup, _ string) {
		if err := os.WriteFile(backup+".json", []byte(`{"format":1,`), 0o600); err != nil {
			t.Fatal(err)
		}
	}, "manifest is damaged"},
	"another format":                {edited(func(m map[string]any) { m["format"] = 2 }), "format 2"},
	"another digest":                {edited(func(m map[string]any) { m["sha256"] = strings.Repeat("0", 64) }), "its bytes are not those"},
	"R7: another schema":            {edited(func(m map[string]any) { m["schema"] = 99 }), "schema 99"},
	"another sequence":              {edited(func(m map[string]any) { m["seq"] = "3" }), "the manifest with event 3"},
	"another chain":                 {edited(func(m map[string]any) { m["hash"] = "x" }), "not what the manifest says"},
	"another epoch":                 {edited(func(m map[string]any) { m["epoch"] = 7 }), "not what the manifest says"},
	"another number of rows":        {edited(func(m map[string]any) { m["rows"].(map[string]any)["tasks"] = 99 }), "not what the manifest says"},
	"the directory is a plain file": {func(t *testing.T, _, into string) { writeGarbage(t, into) }, "cannot be used"},
}

// TestR2_RestoreRefuses: each of these would make another database than the
// one that was backed up, or overwrite one.
func TestR2_RestoreRefuses(t *testing.T) {
	w := newWorld(t)
	w.save()
	for name, c := range spoilt {
		t.Run(name, func(t *testing.T) {
			backup, into := filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "new")
			for _, suffix := range []string{"", ".json"} {
				b, err := os.ReadFile(w.backup + suffix)
				if err == nil {
					err = os.WriteFile(backup+suffix, b, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			c.spoil(t, backup, into)
			before := listing(t, filepath.Dir(into))
			_, err := Restore(t.Context(), RestoreOptions{Backup: backup, Into: into, Now: w.clock.Now()})
			if coord.CodeOf(err) != coord.CodeSetup || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v", err)
			}
			if after := listing(t, filepath.Dir(into)); !maps.Equal(before, after) {
				t.Errorf("the refused restore left %v; before %v", after, before)
			}
		})
	}
}

// listing is every file below a directory, with its size.
func listing(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			out[path] = info.Size()
		} else if err == nil {
			out[path] = 0
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestR2_ADirectoryIsWholeOrAbsent looks at the disk after each step of a
// restore, which is what a crash there leaves, and ends it there.
func TestR2_ADirectoryIsWholeOrAbsent(t *testing.T) {
	w := newWorld(t)
	w.save()
	var steps []string
	if _, err := restore(t.Context(), RestoreOptions{Backup: w.backup, Into: filepath.Join(t.TempDir(), "new"), Now: w.clock.Now()}, func(step string) error {
		steps = append(steps, step)
		return nil
	}); err != nil || !slices.Equal(steps, []string{"copied", "begun anew", "synced"}) {
		t.Fatalf("steps %q, %v", steps, err)
	}
	for _, end := range steps {
		parent := t.TempDir()
		into := filepath.Join(parent, "new")
		_, err := restore(t.Context(), RestoreOptions{Backup: w.backup, Into: into, Now: w.clock.Now()}, func(step string) error {
			if _, err := os.Lstat(into); !os.IsNotExist(err) {
				t.Errorf("after %s the directory has its name: %v", step, err)
			}
			if step == end {
				return coord.Errorf(coord.CodeStorageFull, "no space")
			}
			return nil
		})
		if coord.CodeOf(err) != coord.CodeStorageFull {
			t.Errorf("%s: %v", end, err)
		}
		if left := listing(t, parent); len(left) != 1 {
			t.Errorf("%s: left %v", end, left)
		}
	}
	empty := t.TempDir() // one that is there and empty is used
	if _, err := Restore(t.Context(), RestoreOptions{Backup: w.backup, Into: empty, Now: w.clock.Now()}); err != nil {
		t.Error(err)
	}
}

// TestR7_NotOverARunningServer restores into the directory of one.
func TestR7_NotOverARunningServer(t *testing.T) {
	w := newWorld(t)
	w.save()
	_, err := Restore(t.Context(), RestoreOptions{Backup: w.backup, Into: filepath.Dir(w.opt.Path), Now: w.clock.Now()})
	if coord.CodeOf(err) != coord.CodeSetup || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("got %v", err)
	}
	checkRecord(t, w.Store)
}
