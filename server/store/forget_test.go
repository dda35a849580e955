package store

import (
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

// keys counts the remembered keys with an answer, and the tombstones.
func keys(t *testing.T, s *Store) (answers, tombstones int) {
	t.Helper()
	err := s.writer.conn.QueryRowContext(t.Context(), "SELECT count(*) FILTER (WHERE outcome <> ''), count(*) FILTER (WHERE outcome = '') FROM idempotency").Scan(&answers, &tombstones)
	if err != nil {
		t.Fatal(err)
	}
	return answers, tombstones
}

// tick is a change without a key.
func tick(t *testing.T, s *Store) {
	t.Helper()
	if err := s.writer.do(t.Context(), coord.Caller{}, func(*tx) error { return nil }); err != nil {
		t.Fatal(err)
	}
}

// TestK5 follows one key of a success and one of a refusal through time: after
// 7 days the key is known and its answer is not (fault 40).
func TestK5_AnswersBecomeTombstonesAndGo(t *testing.T) {
	clock := servicetest.NewClock()
	s := testStore(t, clock)
	alpha := session(t, s, agents, "alpha")
	made := coord.CreateTask{Key: newKey(), Project: "pay", Title: "once"}
	task, err := alpha.CreateTask(t.Context(), made)
	if err != nil {
		t.Fatal(err)
	}
	refused := coord.Release{Key: newKey(), Attempt: "pay-1.a1", Reason: "x"}
	if _, err := alpha.Release(t.Context(), refused); coord.CodeOf(err) != coord.CodeNotFound {
		t.Fatalf("got %v", err)
	}
	total := func() int { a, b := keys(t, s); return a + b }
	all := total()

	clock.Advance(7 * 24 * time.Hour) // what the guide promises
	tick(t, s)
	if again, err := alpha.CreateTask(t.Context(), made); err != nil || again.ID != task.ID {
		t.Errorf("after exactly 7 days: %s, %v", again.ID, err)
	}
	clock.Advance(forgetEvery)
	tick(t, s)
	if a, b := keys(t, s); a != 0 || b != all {
		t.Errorf("after 7 days: %d answers, %d tombstones", a, b)
	}
	for range 2 {
		_, err := alpha.CreateTask(t.Context(), made)
		if e := (*coord.Error)(nil); !asCoord(err, &e) || e.Code != coord.CodeKeyExpired || e.Retry != coord.RetryAfterReread || len(e.Next) == 0 {
			t.Errorf("a late repetition of a success: %v", err)
		}
		if _, err := alpha.Release(t.Context(), refused); coord.CodeOf(err) != coord.CodeKeyExpired {
			t.Errorf("a late repetition of a refusal: %v", err)
		}
	}
	other := made
	other.Title = "another"
	if _, err := alpha.CreateTask(t.Context(), other); coord.CodeOf(err) != coord.CodeIdempotencyMismatch {
		t.Errorf("another body: %v", err)
	}
	if page, err := alpha.ListTasks(t.Context(), coord.TaskQuery{Project: "pay"}); err != nil || len(page.Items) != 1 || total() != all {
		t.Errorf("%d tasks and %d keys, %v", len(page.Items), total(), err)
	}

	clock.Advance(90*24*time.Hour - forgetEvery)
	tick(t, s)
	if a, b := keys(t, s); a != 0 || b != all {
		t.Errorf("after exactly 97 days: %d answers, %d tombstones", a, b)
	}
	clock.Advance(forgetEvery)
	tick(t, s)
	if total() != 0 {
		t.Errorf("after 97 days: %d keys", total())
	}
	checkRecord(t, s)
}

// TestK5 shows that no transaction forgets more than its share.
func TestK5_ForgettingIsBounded(t *testing.T) {
	clock := servicetest.NewClock()
	s := testStore(t, clock)
	for range 2 * forgetStep {
		newTask(t, s.As(agents), "pay")
	}
	clock.Advance(keepAnswers + time.Hour)
	all := 2*forgetStep + 1 // and the project's
	for done := forgetStep; ; done += forgetStep {
		tick(t, s)
		done = min(done, all)
		if a, b := keys(t, s); a != all-done || b != done {
			t.Fatalf("%d answers and %d tombstones, want %d and %d", a, b, all-done, done)
		}
		if done == all {
			return
		}
	}
}
