package server

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	"coord"
)

// TestL15_WallClockJumps sets the machine's clock while the server runs and a
// lease is held. Only time that went by, by the monotonic clock, ends it.
func TestL15_WallClockJumps(t *testing.T) {
	start := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, jump := range map[string]time.Duration{
		"fault 13: an hour ahead":  time.Hour,
		"fault 13: an hour back":   -time.Hour,
		"fault 13: 10 years ahead": 10 * 365 * 24 * time.Hour,
		"fault 13: 10 years back":  -10 * 365 * 24 * time.Hour,
		"fault 13: 1970":           time.Unix(0, 0).Sub(start),
		"NTP step":                 -300 * time.Millisecond,
	} {
		t.Run(name, func(t *testing.T) {
			var elapsed, set time.Duration
			log := &bytes.Buffer{}
			c := Config{
				DataDir: t.TempDir(), Log: slog.New(slog.NewTextHandler(log, nil)),
				Now:  anchored(start, func() time.Duration { return elapsed }),
				Wall: func() time.Time { return start.Add(elapsed + set) },
			}.complete()
			st, err := openStore(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = st.Close() }()
			alpha, bravo := stage(t, st)
			task, err := alpha.CreateTask(t.Context(), coord.CreateTask{Key: "key-of-the-one-task-1", Project: "pay", Title: "x"})
			if err != nil {
				t.Fatal(err)
			}
			held, err := alpha.Claim(t.Context(), coord.Claim{Key: "key-of-the-claim-0001", Project: "pay", Task: task.ID})
			if err != nil {
				t.Fatal(err)
			}
			lease := time.Duration(held.Attempt.Lease.RemainingMS) * time.Millisecond
			seize := func(key coord.Key) coord.Code {
				r := &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume}
				_, err := bravo.Claim(t.Context(), coord.Claim{Key: key, Project: "pay", Task: task.ID, Recovery: r})
				return coord.CodeOf(err)
			}
			set = jump
			elapsed += lease - 1
			if code := seize("key-of-the-first-try1"); code != coord.CodeTaskTaken {
				t.Errorf("before the lease ended: %q", code)
			}
			got, err := alpha.Task(t.Context(), task.ID)
			if err != nil || got.Owner == nil || got.Owner.Standing != coord.StandingLive {
				t.Errorf("owner %+v, %v", got.Owner, err)
			}
			if said := bytes.Contains(log.Bytes(), []byte("the machine's clock and the server's time differ")); said != (jump.Abs() > time.Minute) {
				t.Errorf("the log: %s", log)
			}
			elapsed += time.Hour
			if code := seize("key-of-the-second-try"); code != "" {
				t.Errorf("after the lease and the grace: %q", code)
			}
		})
	}
}

// stage is a project and two sessions.
func stage(t *testing.T, st interface {
	As(coord.Caller) coord.Service
},
) (alpha, bravo coord.Service) {
	t.Helper()
	up := st.As(coord.Caller{Principal: "up", Role: coord.RoleSetup, Name: "up"})
	_, err := up.CreateProject(t.Context(), coord.CreateProject{
		Key: "key-of-the-project-01", Project: "pay", Name: "Payments", Policy: coord.DefaultPolicy(),
		Repositories: []coord.Repository{{ID: "git.example.com/pay", Remote: "https://git.example.com/pay.git", Target: "main"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	sessions := map[string]coord.Service{}
	for _, name := range []string{"alpha", "bravo"} {
		caller := coord.Caller{Principal: "agents", Role: coord.RoleAgent, Name: "agents"}
		id := coord.SessionID("session-of-" + name + "-0001")
		if _, err := st.As(caller).OpenSession(t.Context(), coord.OpenSession{ID: id, Verifier: coord.SessionVerifier("proof"), Name: name, Machine: "m1"}); err != nil {
			t.Fatal(err)
		}
		caller.Session, caller.Name = id, name
		sessions[name] = st.As(caller)
	}
	return sessions["alpha"], sessions["bravo"]
}

// TestClockRunsWithTheMonotonicClock: the times it gives compare by wall time
// only, so that they can be stored and compared with stored ones.
func TestClockRunsWithTheMonotonicClock(t *testing.T) {
	now := Clock()
	one := now()
	if two := now(); two.Before(one) || two.Sub(one) > time.Minute || one != one.Round(0) {
		t.Errorf("%v, then %v", one, two)
	}
	if d := Wall().Sub(now()).Abs(); d > time.Minute {
		t.Errorf("the wall clock is %s away", d)
	}
}
