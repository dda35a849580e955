package store

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"coord"
	"coord/servicetest"
)

// TestL15_ClockStepOverARestart restarts the server with the machine's clock
// set to something else while a lease is held. A clock that is behind ends
// nothing and grants nothing; one that is ahead is the same as time that went
// by.
func TestL15_ClockStepOverARestart(t *testing.T) {
	const lease = 30 * time.Minute // the default policy's
	for name, c := range map[string]struct {
		step, left time.Duration
	}{
		"an hour back":           {-time.Hour, lease - time.Minute},
		"10 years back":          {-10 * 365 * 24 * time.Hour, lease - time.Minute},
		"1970, fault 15":         {time.Unix(0, 0).Sub(servicetest.NewClock().Now()), lease - time.Minute},
		"a nanosecond back":      {-1, lease - time.Minute},
		"none":                   {0, lease - time.Minute},
		"10 minutes ahead":       {10 * time.Minute, lease - 11*time.Minute},
		"an hour ahead":          {time.Hour, 0},
		"10 years ahead":         {10 * 365 * 24 * time.Hour, 0},
		"to the expiry":          {lease - time.Minute, 0},
		"1 ns before the expiry": {lease - time.Minute - 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			clock, path := servicetest.NewClock(), filepath.Join(t.TempDir(), "coord.db")
			first := openAt(t, path, clock.Now)
			project(t, first, "pay")
			alpha := session(t, first, agents, "alpha")
			held, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: newTask(t, alpha, "pay")})
			if err != nil {
				t.Fatal(err)
			}
			clock.Advance(time.Minute)
			tick(t, first)
			reached := first.now()
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			clock.Advance(c.step)
			s := openAt(t, path, clock.Now)
			if s.now().Before(reached) {
				t.Errorf("time went back from %s to %s", reached, s.now())
			}
			task, err := s.As(agents).Task(t.Context(), held.Task.ID)
			if err != nil || task.Owner == nil || !task.Owner.ExpiresAt.Equal(held.Attempt.Lease.ExpiresAt) {
				t.Fatalf("owner %+v, %v", task.Owner, err)
			}
			bravo := session(t, s, agents, "bravo")
			seize := func() coord.Code {
				_, err := bravo.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: held.Task.ID, Recovery: &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume}})
				return coord.CodeOf(err)
			}
			if c.left > 0 { // not early: up to its last nanosecond nobody else gets it
				clock.Advance(c.left - 1)
				if code := seize(); code != coord.CodeTaskTaken {
					t.Errorf("1 ns before the expiry: %q", code)
				}
				clock.Advance(1)
			}
			task, err = s.As(agents).Task(t.Context(), held.Task.ID)
			if err != nil || task.Owner == nil || task.Owner.Standing != coord.StandingExpired {
				t.Errorf("at the expiry: %+v, %v", task.Owner, err)
			}
			clock.Advance(time.Hour)
			if code := seize(); code != "" {
				t.Errorf("after the grace: %q", code)
			}
			if code := seize(); code != coord.CodeFenced && code != coord.CodeTaskTaken && code != "" {
				t.Errorf("again: %q", code)
			}
			checkRecord(t, s)
		})
	}
}

// TestL15_HighWaterNeverFalls keeps what earlier runs reached through runs
// with a clock that is behind.
func TestL15_HighWaterNeverFalls(t *testing.T) {
	clock, path := servicetest.NewClock(), filepath.Join(t.TempDir(), "coord.db")
	var last time.Time
	for _, step := range []time.Duration{0, -time.Hour, -time.Hour, 3 * time.Hour, -10 * 365 * 24 * time.Hour, time.Second} {
		clock.Advance(step)
		s := openAt(t, path, clock.Now)
		if s.now().Before(last) {
			t.Errorf("after a step of %s it is %s; it was %s", step, s.now(), last)
		}
		clock.Advance(time.Minute)
		tick(t, s)
		last = s.now()
		var high int64
		if err := s.writer.conn.QueryRowContext(t.Context(), "SELECT high_water FROM server").Scan(&high); err != nil || high != nanos(last) {
			t.Errorf("high-water mark %s at %s, %v", instant(high), last, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestL15_TheDifferenceIsReported sets the machine's clock while the server
// runs: its own time goes on, and the log says so once.
func TestL15_TheDifferenceIsReported(t *testing.T) {
	clock, log := servicetest.NewClock(), &bytes.Buffer{}
	wall := clock.Now()
	s, err := Open(t.Context(), Options{
		Path: filepath.Join(t.TempDir(), "coord.db"), Now: clock.Now, Plan: linePlan,
		Wall: func() time.Time { return wall }, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for _, c := range []struct {
		set  time.Duration // the machine's clock against the server's
		want int           // warnings so far
	}{{0, 0}, {driftAllowed, 0}, {-driftAllowed, 0}, {driftAllowed + 1, 1}, {driftAllowed + 1, 1}, {time.Hour, 2}, {-time.Hour, 3}, {-100 * 365 * 24 * time.Hour, 4}, {0, 5}} {
		clock.Advance(forgetEvery)
		wall = clock.Now().Add(c.set)
		before := s.now()
		tick(t, s)
		if got := strings.Count(log.String(), "the machine's clock and the server's time differ"); got != c.want {
			t.Errorf("set by %s: %d warnings, want %d\n%s", c.set, got, c.want, log)
		}
		if !s.now().Equal(before) {
			t.Errorf("set by %s: the server's time moved by %s", c.set, s.now().Sub(before))
		}
	}
}

// TestL16_DowntimeMovesNoDeadline restarts after 20 minutes, within the lease
// and past it.
func TestL16_DowntimeMovesNoDeadline(t *testing.T) {
	for name, c := range map[string]struct {
		worked    time.Duration // before the server went down
		resumable bool
	}{
		"fault 14: within the lease": {time.Minute, false},
		"fault 14: past the lease":   {15 * time.Minute, true},
	} {
		t.Run(name, func(t *testing.T) {
			clock, path := servicetest.NewClock(), filepath.Join(t.TempDir(), "coord.db")
			first := openAt(t, path, clock.Now)
			project(t, first, "pay")
			alpha := session(t, first, agents, "alpha").(*service)
			held, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: newTask(t, alpha, "pay")})
			if err != nil {
				t.Fatal(err)
			}
			clock.Advance(c.worked)
			tick(t, first)
			before := seqOf(t, first)
			if err := first.Close(); err != nil {
				t.Fatal(err)
			}
			clock.Advance(20 * time.Minute)
			s := openAt(t, path, clock.Now)
			attempts := func() (n int, expires int64) {
				if err := s.writer.conn.QueryRowContext(t.Context(), "SELECT count(*), max(expires_at) FROM attempts").Scan(&n, &expires); err != nil {
					t.Fatal(err)
				}
				return n, expires
			}
			if n, expires := attempts(); n != 1 || expires != nanos(held.Attempt.Lease.ExpiresAt) {
				t.Fatalf("%d attempts, the lease ends at %s", n, instant(expires))
			}
			if now := seqOf(t, s); now != before {
				t.Fatalf("the restart is %d events", now-before)
			}
			again := s.As(alpha.caller)
			_, err = again.Renew(t.Context(), coord.Renew{Attempt: held.Attempt.ID, Fence: held.Attempt.Fence})
			if !c.resumable {
				if err != nil {
					t.Errorf("a lease that still runs: %v", err)
				}
				return
			}
			if e := (*coord.Error)(nil); !asCoord(err, &e) || e.Code != coord.CodeLeaseExpired || e.Details["resumable"] != "true" {
				t.Errorf("a lease that ran out meanwhile: %v", err)
			}
			if n, expires := attempts(); n != 1 || expires != nanos(held.Attempt.Lease.ExpiresAt) {
				t.Errorf("the refused renewal changed something: %d attempts, until %s", n, instant(expires))
			}
			resumed, err := again.Resume(t.Context(), coord.Resume{Key: newKey(), Attempt: held.Attempt.ID, Fence: held.Attempt.Fence})
			if err != nil || resumed.Attempt.Generation != 2 || resumed.Attempt.Standing != coord.StandingLive {
				t.Errorf("resumed %+v, %v", resumed.Attempt, err)
			}
			checkRecord(t, s)
		})
	}
}
