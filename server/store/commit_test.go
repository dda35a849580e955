package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
	"coord/server/api"
	"coord/servicetest"
)

// waitQueued waits until n requests wait for the writer.
func waitQueued(t *testing.T, s *Store, n int) {
	t.Helper()
	for {
		s.writer.mu.Lock()
		have := len(s.writer.queue)
		s.writer.mu.Unlock()
		if have == n {
			return
		}
		if t.Context().Err() != nil {
			t.Fatalf("%d requests wait, not %d", have, n)
		}
		runtime.Gosched()
	}
}

// occupy holds the writer in the middle of a change until release is called,
// which returns that change's answer. It leads the batch of what queued.
func occupy(t *testing.T, s *Store) (release func() error) {
	t.Helper()
	began, end, answer := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		answer <- s.writer.do(context.Background(), coord.Caller{}, func(*tx) error {
			close(began)
			<-end
			return nil
		})
	}()
	<-began
	return func() error { close(end); return <-answer }
}

func testStore(t testing.TB, clock *servicetest.Clock) *Store {
	s := openAt(t, filepath.Join(t.TempDir(), "coord.db"), clock.Now)
	project(t, s, "pay")
	return s
}

var agents = coord.Caller{Principal: "agents", Role: coord.RoleAgent, Name: "agents"}

// TestL5 lets a lease end while its renewal waits for the writer.
func TestL5_TheLeaseIsJudgedAfterTheWriterIsHeld(t *testing.T) {
	clock := servicetest.NewClock()
	s := testStore(t, clock)
	alpha := session(t, s, agents, "alpha")
	c, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: newTask(t, alpha, "pay")})
	if err != nil {
		t.Fatal(err)
	}
	release := occupy(t, s)
	answer := make(chan error, 1)
	go func() {
		_, err := alpha.Renew(context.Background(), coord.Renew{Attempt: c.Attempt.ID, Fence: c.Attempt.Fence})
		answer <- err
	}()
	waitQueued(t, s, 1)
	clock.Advance(30 * time.Minute)
	if err := release(); err != nil {
		t.Error(err)
	}
	if err := <-answer; coord.CodeOf(err) != coord.CodeLeaseExpired {
		t.Errorf("got %v", err)
	}
}

// TestSavepoints puts a refusal, a constraint error and a panic between two
// good changes of one batch.
func TestSavepointsKeepNeighboursApart(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	release := occupy(t, s)
	insert := func(name string, then error) func(*tx) error {
		return func(t *tx) error {
			if err := t.change("INSERT INTO operators (name, password, created_at) VALUES (?, 'x', 0)", name); err != nil {
				return err
			}
			if err := t.record(coord.Event{Kind: coord.EventTaskUpdated, Actor: "x", Text: name}); err != nil {
				return err
			}
			if name == "panics" {
				panic("seeded")
			}
			return then
		}
	}
	refusal := coord.Errorf(coord.CodeStateConflict, "seeded")
	answers := make([]error, 5)
	var wg sync.WaitGroup
	for i, fn := range []func(*tx) error{insert("first", nil), insert("refused", refusal), insert("first", nil), insert("panics", nil), insert("last", nil)} {
		wg.Go(func() { answers[i] = s.writer.do(context.Background(), coord.Caller{}, fn) })
		waitQueued(t, s, i+1)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if answers[0] != nil || answers[4] != nil || !errors.Is(answers[1], refusal) {
		t.Errorf("answers %v", answers)
	}
	for _, i := range []int{2, 3} { // a broken constraint, a panic
		if coord.CodeOf(answers[i]) != coord.CodeInternal {
			t.Errorf("answer %d: %v", i, answers[i])
		}
	}
	names, err := reading(t.Context(), s, func(v *view) ([]string, error) {
		return list(v, scanText[string], "SELECT name FROM operators ORDER BY rowid")
	})
	if err != nil || strings.Join(names, " ") != "first last" {
		t.Errorf("stored %q, %v", names, err)
	}
	checkRecord(t, s)
}

func TestQueuedRequestLeavesWithItsContext(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	release := occupy(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	ran := false
	answer := make(chan error, 1)
	go func() {
		answer <- s.writer.do(ctx, coord.Caller{}, func(*tx) error { ran = true; return nil })
	}()
	waitQueued(t, s, 1)
	cancel()
	err := <-answer
	if err := release(); err != nil {
		t.Error(err)
	}
	if coord.CodeOf(err) != coord.CodeUnavailable || ran {
		t.Errorf("got %v, ran %t", err, ran)
	}
}

// TestNobodyLeadsForLong shows that a batch is bounded and the lead is passed
// on in the order of arrival.
func TestNobodyLeadsForLong(t *testing.T) {
	clock := servicetest.NewClock()
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "coord.db"), Now: clock.Now, Plan: linePlan, MaxBatch: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	release := occupy(t, s)
	var mu sync.Mutex
	var order []int
	batches := map[*batchRun]int{}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			err := s.writer.do(context.Background(), coord.Caller{}, func(x *tx) error {
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
				batches[x.batch]++
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
		waitQueued(t, s, i+1)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	for i, n := range order {
		if n != i {
			t.Fatalf("ran in order %v", order)
		}
	}
	for _, n := range batches {
		if n > 2 {
			t.Errorf("a batch of %d", n)
		}
	}
}

// limitPages is a disk with room for so many pages, as far as SQLite can tell.
func limitPages(t *testing.T, s *Store, n int) {
	t.Helper()
	var have int
	if err := s.writer.conn.QueryRowContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count = %d", n)).Scan(&have); err != nil {
		t.Fatal(err)
	}
}

// TestD4_FullDiskEmptiesTheWAL shows that after a refusal for want of space the
// next commits write over the WAL instead of growing it.
func TestD4_FullDiskEmptiesTheWAL(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	put := func() error {
		return s.writer.do(t.Context(), coord.Caller{}, func(x *tx) error {
			_, err := x.exec("INSERT INTO source_bytes (digest, content) VALUES (?, zeroblob(65536))", string(newKey()))
			return err
		})
	}
	for range 5 {
		if err := put(); err != nil {
			t.Fatal(err)
		}
	}
	limitPages(t, s, 1)
	if err := put(); coord.CodeOf(err) != coord.CodeStorageFull {
		t.Fatalf("got %v", err)
	}
	limitPages(t, s, 1_000_000)
	size := func() int64 {
		st, err := os.Stat(s.opt.Path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		return st.Size()
	}
	before := size()
	if err := put(); err != nil {
		t.Fatal(err)
	}
	if after := size(); after > before {
		t.Errorf("the WAL grew from %d to %d bytes", before, after)
	}
}

// TestD4 shows the refusal as the API answers it.
func TestD4_FullDiskAnswers507(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	token, err := s.IssueToken(t.Context(), "agents", coord.RoleAgent, "test")
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.StripPrefix("/api/v1", api.New(api.Options{Backend: s, Version: "test", Now: s.opt.Now})))
	defer srv.Close()
	limitPages(t, s, 1)
	for range 1000 {
		body := `{"title":"x","outcome":"` + strings.Repeat("y", 4000) + `"}`
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/api/v1/projects/pay/tasks", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Idempotency-Key": {string(newKey())}}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var p api.Problem
		err = json.NewDecoder(resp.Body).Decode(&p)
		_ = resp.Body.Close() // it was read
		if resp.StatusCode < 300 && err == nil {
			continue
		}
		if resp.StatusCode != http.StatusInsufficientStorage || p.Code != coord.CodeStorageFull || p.Retry != coord.RetrySameKey || len(p.Next) != 1 {
			t.Errorf("%d, %v, %+v", resp.StatusCode, err, p)
		}
		return
	}
	t.Error("the disk was never full")
}

// TestD4 fills the disk, as far as SQLite can tell, and gives space back.
func TestD4_FullDiskRefusesAndRecovers(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	limitPages(t, s, 1) // SQLite keeps it at the present size
	svc := s.As(agents)
	var full error
	n := 0
	for ; full == nil && n < 1000; n++ {
		_, full = svc.CreateTask(t.Context(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "x", SameTitle: true, Outcome: strings.Repeat("y", 4000)})
	}
	if e := (*coord.Error)(nil); !asCoord(full, &e) || len(e.Next) == 0 || !strings.Contains(e.Next[0], "free space") || e.RequiredActor != "operator" {
		t.Errorf("the refusal does not help: %+v", e)
	}
	if coord.CodeOf(full) != coord.CodeStorageFull || !strings.Contains(full.Error(), "nothing was changed") {
		t.Fatalf("after %d tasks: %v", n, full)
	}
	if _, err := svc.Board(t.Context(), "pay"); err != nil {
		t.Errorf("reading while the disk is full: %v", err)
	}
	limitPages(t, s, 1000000)
	newTask(t, svc, "pay")
	if err := s.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	checkRecord(t, s)
}

// TestD3 has the writer meet a file that is not a database any more.
func TestD3_BrokenStorageStopsWriting(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	err := s.writer.do(t.Context(), coord.Caller{}, func(x *tx) error {
		_, err := x.exec("UPDATE server SET checked_at = 5")
		return errors.Join(err, seedCorruption(t))
	})
	if coord.CodeOf(err) != coord.CodeUnavailable {
		t.Fatalf("got %v", err)
	}
	signalled(t, s)
	if err := s.Ready(t.Context()); coord.CodeOf(err) != coord.CodeUnavailable {
		t.Errorf("ready: %v", err)
	}
	if _, err := s.As(agents).CreateTask(t.Context(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "x"}); coord.CodeOf(err) != coord.CodeUnavailable {
		t.Errorf("a change: %v", err)
	}
	if _, err := s.As(agents).Board(t.Context(), "pay"); err != nil {
		t.Errorf("a read: %v", err)
	}
}

// TestD3 has a reader meet such a file: the writer does not go on either.
func TestD3_BrokenStorageFoundByAReaderStopsWriting(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	for range 2 { // the signal comes once
		err := s.read(t.Context(), func(*view) error { return seedCorruption(t) })
		if coord.CodeOf(err) != coord.CodeUnavailable {
			t.Fatalf("got %v", err)
		}
	}
	signalled(t, s)
	if err := s.Ready(t.Context()); coord.CodeOf(err) != coord.CodeUnavailable {
		t.Errorf("ready: %v", err)
	}
}

// signalled wants Broken to give SQLite's own words, once.
func signalled(t *testing.T, s *Store) {
	t.Helper()
	select {
	case err := <-s.Broken():
		if !isBroken(err) || strings.Contains(err.Error(), "nothing was changed") {
			t.Errorf("the signal is %v", err)
		}
	default:
		t.Error("no signal")
	}
	select {
	case err := <-s.Broken():
		t.Errorf("another signal: %v", err)
	default:
	}
}

// seedCorruption is an error that SQLite really gives for a broken file.
func seedCorruption(t *testing.T) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "broken.db")
	writeGarbage(t, path)
	db, err := openPool(path, "deferred", nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(t.Context(), "CREATE TABLE x (y)")
	if !isBroken(err) {
		t.Fatalf("garbage gives %v", err)
	}
	return err
}

func TestChangesAfterCloseAreRefused(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.As(agents).CreateTask(t.Context(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "x"}); coord.CodeOf(err) != coord.CodeUnavailable {
		t.Errorf("got %v", err)
	}
}

// TestL1 is the same race as the conformance suite's, at the size of the
// promise: 100 sessions, one task; 100 sessions, 100 tasks.
func TestL1_AHundredSessions(t *testing.T) {
	for _, tasks := range []int{1, 100} {
		s := testStore(t, servicetest.NewClock())
		svc := make([]coord.Service, 100)
		for i := range svc {
			svc[i] = session(t, s, agents, "agent")
		}
		for range tasks {
			newTask(t, svc[0], "pay")
		}
		got := make([]coord.TaskID, len(svc))
		var wg sync.WaitGroup
		for i, a := range svc {
			wg.Go(func() {
				c, err := a.Claim(context.Background(), coord.Claim{Key: newKey(), Project: "pay"})
				if err != nil && coord.CodeOf(err) != coord.CodeNothingEligible {
					t.Error(err)
				}
				got[i] = c.Task.ID
			})
		}
		wg.Wait()
		owners := map[coord.TaskID]int{}
		for _, id := range got {
			if id != "" {
				owners[id]++
			}
		}
		if len(owners) != tasks {
			t.Errorf("%d tasks have owners, of %d", len(owners), tasks)
		}
		for id, n := range owners {
			if n != 1 {
				t.Errorf("%s has %d owners", id, n)
			}
		}
		checkRecord(t, s)
	}
}

// TestD2 breaks the COMMIT itself: nobody in the batch may be told that it
// succeeded, and the chain goes on from before it.
func TestD2_AFailedCommitFailsItsBatch(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	release := occupy(t, s)
	answers := make([]error, 2)
	var wg sync.WaitGroup
	wg.Go(func() {
		_, answers[0] = s.As(agents).CreateTask(context.Background(), coord.CreateTask{Key: newKey(), Project: "pay", Title: "x", SameTitle: true})
	})
	waitQueued(t, s, 1)
	wg.Go(func() {
		answers[1] = s.writer.do(context.Background(), coord.Caller{}, func(x *tx) error {
			if _, err := x.exec("PRAGMA defer_foreign_keys = 1"); err != nil {
				return err
			}
			_, err := x.exec("INSERT INTO web_sessions (verifier, operator, opened_at, used_at) VALUES ('v', 'nobody', 0, 0)")
			return err
		})
	})
	waitQueued(t, s, 2)
	leader := release()
	wg.Wait()
	answers = append(answers, leader)
	for i, err := range answers {
		if coord.CodeOf(err) != coord.CodeUnavailable {
			t.Errorf("answer %d: %v", i, err)
		}
	}
	if id := newTask(t, s.As(agents), "pay"); id != "pay-1" {
		t.Errorf("the next task is %s", id)
	}
	checkRecord(t, s)
}

// TestReadyProvesOnceASecond: whoever asks without a login costs at most one
// commit a second.
func TestReadyProvesOnceASecond(t *testing.T) {
	clock := servicetest.NewClock()
	s := testStore(t, clock)
	proved := func() (at int64) {
		t.Helper()
		if err := s.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.writer.conn.QueryRowContext(t.Context(), "SELECT checked_at FROM server").Scan(&at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	first := proved()
	clock.Advance(time.Second - 1)
	if again := proved(); again != first {
		t.Errorf("within a second it committed again, at %d after %d", again, first)
	}
	clock.Advance(1)
	if later := proved(); later != first+int64(time.Second) {
		t.Errorf("after a second: %d, first %d", later, first)
	}
}
