package store

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

// TestK8 uses one key under two principals: neither sees the other's.
func TestK8_KeysBelongToTheirPrincipal(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	key := newKey()
	c := coord.CreateTask{Key: key, Project: "pay", Title: "x"}
	one, err := s.As(agents).CreateTask(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	c.Title = "y"
	two, err := s.As(coord.Caller{Principal: "others", Role: coord.RoleAgent}).CreateTask(t.Context(), c)
	if err != nil || one.ID == two.ID {
		t.Errorf("got %s and %s, %v", one.ID, two.ID, err)
	}
	if _, err := s.As(agents).CreateTask(t.Context(), c); coord.CodeOf(err) != coord.CodeIdempotencyMismatch {
		t.Errorf("another body: %v", err)
	}
}

// TestL12 shows a claim's key to another session of the principal: it is not
// told that it holds the task.
func TestL12_AKeyAnswersItsSession(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	alpha, bravo := session(t, s, agents, "alpha"), session(t, s, agents, "bravo")
	c := coord.Claim{Key: newKey(), Project: "pay", Task: newTask(t, alpha, "pay")}
	if _, err := alpha.Claim(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got, err := bravo.Claim(t.Context(), c); coord.CodeOf(err) != coord.CodeIdempotencyMismatch {
		t.Errorf("got %+v, %v", got.Attempt, err)
	}
}

// TestK1 repeats a claim whose refusal was decided, after the reason is gone:
// a delayed duplicate must not become a claim for a dead client.
func TestK1_ARefusalIsRemembered(t *testing.T) {
	clock := servicetest.NewClock()
	s := testStore(t, clock)
	alpha, bravo := session(t, s, agents, "alpha"), session(t, s, agents, "bravo")
	id := newTask(t, alpha, "pay")
	held, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: id})
	if err != nil {
		t.Fatal(err)
	}
	late := coord.Claim{Key: newKey(), Project: "pay", Task: id}
	_, first := bravo.Claim(t.Context(), late)
	if _, err := alpha.Release(t.Context(), coord.Release{Key: newKey(), Attempt: held.Attempt.ID, Fence: held.Attempt.Fence, Reason: "x"}); err != nil {
		t.Fatal(err)
	}
	_, again := bravo.Claim(t.Context(), late)
	if coord.CodeOf(first) != coord.CodeTaskTaken || coord.CodeOf(again) != coord.CodeTaskTaken || first.Error() != again.Error() {
		t.Errorf("first %v, again %v", first, again)
	}
	late.Key = newKey()
	if _, err := bravo.Claim(t.Context(), late); err != nil {
		t.Errorf("under a new key: %v", err)
	}
}

// TestK1 sends one request fifty times at once.
func TestK1_ConcurrentDuplicatesHaveOneEffect(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	alpha := session(t, s, agents, "alpha")
	newTask(t, alpha, "pay")
	newTask(t, alpha, "pay")
	c := coord.Claim{Key: newKey(), Project: "pay"}
	got := make([]coord.Claimed, 50)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = alpha.Claim(context.Background(), c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	granted := 0
	for _, g := range got {
		if !g.Replayed {
			granted++
		}
		if g.Attempt.ID != "pay-1.a1" {
			t.Errorf("got %s", g.Attempt.ID)
		}
	}
	if granted != 1 {
		t.Errorf("%d grants", granted)
	}
}

// TestK3 replays a claim in each later standing.
func TestK3_AReplayGrantsNothing(t *testing.T) {
	clock := servicetest.NewClock()
	path := filepath.Join(t.TempDir(), "coord.db")
	s := openAt(t, path, clock.Now)
	project(t, s, "pay")
	alpha, bravo := session(t, s, agents, "alpha"), session(t, s, agents, "bravo")
	newTask(t, alpha, "pay")
	c := coord.Claim{Key: newKey(), Project: "pay"}
	first, err := alpha.Claim(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		want coord.Standing
		do   func() error
	}{
		{coord.StandingLive, func() error { clock.Advance(20 * time.Minute); return nil }},
		{coord.StandingExpired, func() error { clock.Advance(10 * time.Minute); return nil }},
		{coord.StandingSuperseded, func() error {
			r := &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume}
			_, err := bravo.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: first.Task.ID, Recovery: r})
			return err
		}},
	} {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		got, err := alpha.Claim(t.Context(), c)
		if err != nil || !got.Replayed || got.Attempt.ID != first.Attempt.ID || got.Attempt.Standing != step.want || !got.Attempt.Lease.ExpiresAt.Equal(first.Attempt.Lease.ExpiresAt) {
			t.Errorf("replay when %s: %+v, %v", step.want, got.Attempt, err)
		}
	}
	checkRecord(t, s)
}
