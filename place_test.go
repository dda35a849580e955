package coord_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"coord"
)

func TestPlacesOf(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	ended := at
	d := coord.TaskDetail{
		Attempts: []coord.Attempt{
			{ID: "pay-1.a1", Owner: "alpha", EndedAt: &ended, Worktree: &coord.Worktree{Machine: "m1", Path: "/one"}},
			{ID: "pay-1.a2", Owner: "bravo", Worktree: &coord.Worktree{Machine: "m2", Path: "/two", Branch: "coord/pay-1.2"}},
		},
		Checkpoints: []coord.Checkpoint{{Attempt: "pay-1.a1", Commit: oid(1)}, {Attempt: "pay-1.a2", Commit: oid(2)}},
		Submissions: []coord.Submission{{ID: "pay-1.s1", Commit: oid(3), Author: "alpha"}, {ID: "pay-1.s2", Commit: oid(4), Author: "bravo"}},
		Reviews: []coord.Review{
			{Submission: "pay-1.s1", Verdict: coord.VerdictApproved, Commit: oid(3), Voided: "withdrawn"},
			{Submission: "pay-1.s2", Verdict: coord.VerdictApproved, Commit: oid(4), Reviewer: "echo"},
			{Submission: "pay-1.s2", Verdict: coord.VerdictChangesRequested, Commit: oid(4)},
		},
		Landings: []coord.Landing{
			{Submission: "pay-1.s1", State: coord.LandingConflict, Verified: false},
			{Submission: "pay-1.s2", State: coord.LandingReleased, Verified: true, Tree: oid(8)},
			{Submission: "pay-1.s2", State: coord.LandingLanded, Verified: true, Tree: oid(9), Result: oid(7), Base: oid(6), Target: "main"},
		},
	}
	var got []string
	for _, p := range d.PlacesOf() {
		got = append(got, string(p.Stage)+" "+string(p.Submission)+" "+p.Commit.Short()+" "+p.By)
	}
	want := []string{
		"workstation   bravo",
		"checkpoint  " + oid(2).Short() + " bravo",
		"candidate pay-1.s1 " + oid(3).Short() + " alpha",
		"candidate pay-1.s2 " + oid(4).Short() + " bravo",
		"approved pay-1.s2 " + oid(4).Short() + " echo",
		"verified pay-1.s2 " + oid(7).Short() + " ",
		"landed pay-1.s2 " + oid(7).Short() + " ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if places := d.PlacesOf(); !places[1].LocalOnly || places[6].Ref != "refs/heads/main" {
		t.Errorf("%+v", places)
	}
}
