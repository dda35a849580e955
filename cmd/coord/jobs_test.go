package main

import (
	"strings"
	"testing"
	"time"

	"coord"
)

// TestJobText shows a job to people: what others wrote moves no cursor.
func TestJobText(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	two, none := 2, 0
	j := coord.Job{
		ID: "j2", Task: "pay-1", Attempt: "pay-1.a1", Name: "train\x1b[2J", Machine: "m1", State: coord.JobSucceeded, External: "ci/7", Conflict: true,
		Process: &coord.Process{PID: 4711, Start: "b1/99"}, Exit: &none, EndedAt: &at, RegisteredAt: at, ObservedAt: at, ObserveEvery: coord.Duration(5 * time.Minute),
		Evidence: &coord.JobObservation{State: coord.JobFailed, Effect: coord.EffectConflict, Exit: &two, By: "alpha", Note: "saw\nit", At: at},
	}
	var b strings.Builder
	writeJob(&b, j)
	want := `j2  train\u001b[2J
state     succeeded, contradicted
task      pay-1, answered for by pay-1.a1
machine   m1
process   4711, started b1/99
external  ci/7
since     2030-01-02 03:04:05 UTC
seen      2030-01-02 03:04:05 UTC, and within every 5m0s
ended     2030-01-02 03:04:05 UTC, exit status 0
not so    failed, exit status 2, said alpha at 2030-01-02 03:04:05 UTC: conflict saw it
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

// TestAJobThatNobodyObservesHasAWayOut: its record says what to type, and then
// who said how it ended.
func TestAJobThatNobodyObservesHasAWayOut(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	j := coord.Job{ID: "j2", Task: "pay-1", State: coord.JobUnknown, RegisteredAt: at, ObservedAt: at}
	var b strings.Builder
	if writeJob(&b, j); !strings.Contains(b.String(), "next      coord job settle j2 --as interrupted -m EVIDENCE\n") {
		t.Errorf("got\n%s", b.String())
	}
	b.Reset()
	j.State, j.Settled = coord.JobInterrupted, &coord.JobObservation{State: coord.JobInterrupted, By: "warden", Note: "the disk\nwas wiped", At: at}
	if writeJob(&b, j); !strings.Contains(b.String(), "settled   by warden at 2030-01-02 03:04:05 UTC: the disk was wiped\n") || strings.Contains(b.String(), "next") {
		t.Errorf("got\n%s", b.String())
	}
}

func TestWhatWasLeftIsSaidInOneLine(t *testing.T) {
	for _, c := range []struct {
		left coord.Obligations
		want string
	}{
		{coord.Obligations{}, ""},
		{coord.Obligations{Jobs: make([]coord.Job, 2)}, "2 jobs that may run: coord job adopt"},
		{
			coord.Obligations{Jobs: make([]coord.Job, 1), Reservations: []coord.Reservation{{Resource: "gpu", Units: 1}, {Resource: "ports", Units: 2}}},
			"1 job that may run: coord job adopt; gpu, ports=2 still held: coord reserve --adopt",
		},
	} {
		if got := leftText(c.left); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
	many := coord.Obligations{Jobs: make([]coord.Job, 200)}
	for range 200 {
		many.Reservations = append(many.Reservations, coord.Reservation{Resource: strings.Repeat("x", 200), Units: 10_000})
	}
	if got := leftText(many); len(got) > 200 {
		t.Errorf("the line has %d bytes", len(got))
	}
}

func TestWantsAreTyped(t *testing.T) {
	for arg, want := range map[string]int{"gpu": 1, "gpu=1": 1, "GPU=7": 7, "gpu=0": 0, "gpu=": 0, "gpu=-1": 0, "gpu=x": 0, "=3": 0, "gpu=3=4": 0, "gpu=99999999999999999999": 0} {
		set, err := parseWants([]string{arg})
		if (err == nil) != (want > 0) || err == nil && (set[0].Units != want || set[0].Resource != "gpu") || err != nil && coord.CodeOf(err) != coord.CodeBadRequest {
			t.Errorf("%s: %v, %v", arg, set, err)
		}
	}
}
