package coord_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"coord"
)

const argv = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

var (
	zero, one = new(int), func() *int { n := 1; return &n }()
	process   = &coord.Process{PID: 4711, Start: "b1/99"}
)

func aJob(at time.Time) coord.Job {
	return coord.Job{ID: "j2", Task: "pay-1", Attempt: "pay-1.a1", State: coord.JobRegistered, ObserveEvery: coord.Duration(5 * time.Minute), RegisteredAt: at, ObservedAt: at}
}

// seen is an observation that its state makes valid.
func seen(seq int64, state coord.JobState) coord.ObserveJob {
	c := coord.ObserveJob{Sequence: seq, State: state}
	switch state {
	case coord.JobRunning:
		c.Process = process
	case coord.JobSucceeded:
		c.Exit = zero
	case coord.JobFailed:
		c.Exit = one
	}
	return c
}

var reportable = []coord.JobState{coord.JobRunning, coord.JobSucceeded, coord.JobFailed, coord.JobInterrupted, coord.JobNotStarted}

// TestJ1_J2_J3_J5_Model walks one job through any observations of any
// observers, and holds it to the words of the rules.
func TestJ1_J2_J3_J5_Model(t *testing.T) {
	reached := map[coord.JobState]bool{}
	conflicts, evidence, unknown := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
		j := aJob(now)
		latest, first := int64(1), coord.JobState("")
		t.Repeat(map[string]func(*rapid.T){
			"": func(t *rapid.T) {
				if first != "" && j.State != first {
					t.Fatalf("J1: it was %s and is %s", first, j.State)
				}
				if j.State == coord.JobSucceeded && (j.Exit == nil || *j.Exit != 0 || j.EndedAt == nil) {
					t.Fatalf("J5: succeeded with exit %v at %v", j.Exit, j.EndedAt)
				}
				if standing := j.Standing(now); j.State.Final() && standing != j.State || standing.Final() && !j.State.Final() {
					t.Fatalf("J2: %s stands as %s", j.State, standing)
				} else if standing == coord.JobUnknown {
					unknown++
				}
				reached[j.State] = true
			},
			"time passes": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.Int64Range(0, int64(8*time.Minute)).Draw(t, "by")))
			},
			"superseded": func(*rapid.T) { latest++ },
			"adopted":    func(*rapid.T) { j.Attempt = coord.NewAttemptID(j.Task, latest) },
			"observed": func(t *rapid.T) {
				by := rapid.SampledFrom([]coord.AttemptID{"", "pay-1.a1", coord.NewAttemptID("pay-1", latest)}).Draw(t, "by")
				c := seen(j.Sequence+rapid.Int64Range(-1, 2).Draw(t, "ahead"), rapid.SampledFrom(reportable).Draw(t, "state"))
				c.Sequence = max(c.Sequence, 1)
				if err := c.Validate(); err != nil {
					t.Fatal(err)
				}
				speaks := j.Attempt == coord.NewAttemptID("pay-1", latest) && (by == "" || by == j.Attempt)
				before := j
				next, effect, err := j.Observe(c, j.Stale(by, latest), now)
				switch {
				case !speaks:
					evidence++
					if err != nil || effect != coord.EffectEvidence || next != before {
						t.Fatalf("J3: a superseded observer's %s: %s, %v, %+v", c.State, effect, err, next)
					}
				case err != nil:
					if next != before || coord.CodeOf(err) != coord.CodeStateConflict {
						t.Fatalf("a refusal changed the job: %v", err)
					}
					if c.State.Final() && before.State.Final() {
						t.Fatalf("J5: a second final observation is refused: %v", err)
					}
				case effect == coord.EffectConflict:
					conflicts++
					if !before.State.Final() || next.State != before.State || !next.Conflict || c.State == before.State {
						t.Fatalf("J5: %s after %s gives %+v", c.State, before.State, next)
					}
				case next.State != c.State || !before.State.Final() && next.Sequence <= before.Sequence:
					t.Fatalf("observation %d, %s, gives %+v", c.Sequence, c.State, next)
				}
				if j = next; first == "" && j.State.Final() {
					first = j.State
				}
			},
		})
	})
	if len(reached) != 6 || conflicts == 0 || evidence == 0 || unknown == 0 {
		t.Errorf("the walks reached %v, with %d conflicts, %d of evidence, %d unknown", reached, conflicts, evidence, unknown)
	}
}

func TestFault50_J2_AJobThatNobodyObservesIsUnknownAndNeverFailed(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	j := aJob(at)
	every := time.Duration(j.ObserveEvery)
	for _, state := range []coord.JobState{coord.JobRegistered, coord.JobRunning} {
		j.State = state
		if got := j.Standing(at.Add(every - 1)); got != state {
			t.Errorf("1 ns before the deadline it is %s", got)
		}
		for _, late := range []time.Duration{0, time.Hour, 10 * 365 * 24 * time.Hour} {
			if got := j.Standing(at.Add(every + late)); got != coord.JobUnknown {
				t.Errorf("%s after the deadline it is %s", late, got)
			}
		}
		if !j.MayRun() {
			t.Errorf("a %s job cannot run any more", state)
		}
	}
}

func TestFault53_J1_NothingComesAfterAFinalState(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, state := range reportable[1:] {
		j := aJob(at)
		j, _, err := j.Observe(seen(1, state), false, at)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = j.Observe(seen(2, coord.JobRunning), false, at); coord.CodeOf(err) != coord.CodeStateConflict {
			t.Errorf("%s, then running: %v", state, err)
		}
		if _, effect, err := j.Observe(seen(2, state), false, at); effect != coord.EffectCounted || err != nil {
			t.Errorf("%s twice: %s, %v", state, effect, err)
		}
	}
}

func TestJ5_ObservationsAreValidated(t *testing.T) {
	for _, c := range []coord.ObserveJob{
		{Sequence: 1, State: coord.JobSucceeded},
		{Sequence: 1, State: coord.JobSucceeded, Exit: one},
		{Sequence: 1, State: coord.JobFailed},
		{Sequence: 1, State: coord.JobFailed, Exit: zero},
		{Sequence: 0, State: coord.JobInterrupted},
		{Sequence: 1, State: coord.JobUnknown},
		{Sequence: 1, State: coord.JobRegistered},
		{Sequence: 1, State: "gone"},
		{Sequence: 1, State: coord.JobRunning},
		{Sequence: 1, State: coord.JobRunning, Process: &coord.Process{PID: 1}},
		{Sequence: 1, State: coord.JobInterrupted, EndedAgo: -1},
		{Sequence: 1, State: coord.JobInterrupted, LogDigest: "x"},
	} {
		if err := c.Validate(); coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for _, state := range reportable {
		if err := seen(1, state).Validate(); err != nil {
			t.Errorf("%s: %v", state, err)
		}
	}
}

func TestJ4_AJobIsOneProcess(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	j, _, err := aJob(at).Observe(seen(1, coord.JobRunning), false, at)
	if err != nil {
		t.Fatal(err)
	}
	other := seen(2, coord.JobRunning)
	other.Process = &coord.Process{PID: process.PID, Start: "b2/1"} // the number was used again
	if _, _, err := j.Observe(other, false, at); coord.CodeOf(err) != coord.CodeStateConflict {
		t.Errorf("another process: %v", err)
	}
	if _, _, err := j.Observe(seen(2, coord.JobNotStarted), false, at); coord.CodeOf(err) != coord.CodeStateConflict {
		t.Errorf("not started after it ran: %v", err)
	}
}

func TestFault54_AnExternalIDIsOneRun(t *testing.T) {
	j := aJob(time.Time{})
	j.Argv = argv
	if err := j.CheckSame("pay-1", coord.RegisterJob{External: "x", Argv: argv}); err != nil {
		t.Error(err)
	}
	for _, err := range []error{
		j.CheckSame("pay-2", coord.RegisterJob{External: "x", Argv: argv}),
		j.CheckSame("pay-1", coord.RegisterJob{External: "x", Argv: "f" + argv[1:]}),
	} {
		if coord.CodeOf(err) != coord.CodeStateConflict {
			t.Errorf("got %v", err)
		}
	}
}

func TestRegisterJobValidates(t *testing.T) {
	good := coord.RegisterJob{Name: "train", Argv: argv, Machine: "m1"}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for i, spoil := range []func(*coord.RegisterJob){
		func(c *coord.RegisterJob) { c.Name = "" },
		func(c *coord.RegisterJob) { c.Name = "a\nb" },
		func(c *coord.RegisterJob) { c.Machine = "" },
		func(c *coord.RegisterJob) { c.Argv = "make" },
		func(c *coord.RegisterJob) { c.Tree = "abc" },
		func(c *coord.RegisterJob) { c.ObserveEvery = -1 },
		func(c *coord.RegisterJob) { c.ObserveEvery = coord.Duration(25 * time.Hour) },
		func(c *coord.RegisterJob) { c.External = string(slices.Repeat([]byte("x"), 201)) },
	} {
		c := good
		spoil(&c)
		if coord.CodeOf(c.Validate()) != coord.CodeBadRequest {
			t.Errorf("row %d: %+v is accepted", i, c)
		}
	}
}
