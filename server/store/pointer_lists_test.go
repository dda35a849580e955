package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"coord"
	"coord/servicetest"
)

// TestFault44_LongListsAreReadAgain repeats requests that answer with long
// lists: each answer has all of its items again, in their order.
func TestFault44_LongListsAreReadAgain(t *testing.T) {
	clock := servicetest.NewClock()
	s := testStore(t, clock)
	ctx, alpha, bravo := t.Context(), session(t, s, agents, "alpha"), session(t, s, agents, "bravo")
	c := claimNew(t, alpha)
	long := strings.Repeat("g", 180)
	var wants []coord.Want
	for n := range 100 {
		r, err := alpha.CreateResource(ctx, coord.CreateResource{Key: newKey(), Project: "pay", Name: fmt.Sprintf("%s-%d", long, n), Scope: coord.ScopeMachine})
		if err != nil {
			t.Fatal(err)
		}
		wants = append(wants, coord.Want{Resource: r.Name})
	}
	w := coord.Worktree{Machine: strings.Repeat("m", 400), Path: "/w", GitDir: "/g", Branch: "b", Base: oid("1")}
	if _, err := alpha.BindWorktree(ctx, coord.BindWorktree{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Worktree: w}); err != nil {
		t.Fatal(err)
	}
	reserve := coord.Reserve{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Wants: wants}
	got, err := alpha.Reserve(ctx, reserve)
	if err != nil || len(toJSON(got)) <= keepWhole {
		t.Fatalf("%d bytes, %v", len(toJSON(got)), err)
	}
	again, err := alpha.Reserve(ctx, reserve)
	if diff := cmp.Diff(got, again); err != nil || diff != "" {
		t.Errorf("the set again: %v %s", err, diff)
	}
	for n := range 150 {
		job := coord.RegisterJob{Key: newKey(), Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Name: fmt.Sprintf("%d %s", n, long[:110]), Argv: strings.Repeat("a", 64), Machine: "m1"}
		if _, err := alpha.RegisterJob(ctx, job); err != nil {
			t.Fatal(err)
		}
	}

	clock.Advance(24 * time.Hour)
	mine, err := bravo.Claim(ctx, coord.Claim{
		Key: newKey(), Project: "pay", Task: c.Task.ID, Recovery: &coord.Recovery{Generation: 1, Disposition: coord.DispositionRestart, Reason: "its owner is gone"},
	})
	if err != nil {
		t.Fatal(err)
	}
	adopt := coord.Adopt{Key: newKey(), Attempt: mine.Attempt.ID, Fence: mine.Attempt.Fence}
	taken, err := bravo.Adopt(ctx, adopt)
	if err != nil || len(taken.Jobs) != 150 || len(taken.Reservations) != 100 {
		t.Fatalf("%d jobs and %d reservations, %v", len(taken.Jobs), len(taken.Reservations), err)
	}
	takenAgain, err := bravo.Adopt(ctx, adopt)
	if diff := cmp.Diff(taken, takenAgain); err != nil || diff != "" {
		t.Errorf("the adoption again: %v %s", err, diff)
	}

	giveBack := coord.Unreserve{Key: newKey(), Attempt: mine.Attempt.ID, Fence: mine.Attempt.Fence}
	back, err := bravo.Unreserve(ctx, giveBack)
	if err != nil || len(back) != 100 {
		t.Fatalf("%d given back, %v", len(back), err)
	}
	backAgain, err := bravo.Unreserve(ctx, giveBack)
	if diff := cmp.Diff(back, backAgain); err != nil || diff != "" {
		t.Errorf("what was given back again: %v %s", err, diff)
	}
	if length, pointers := longest(t, s); length > keepWhole || pointers < 3 {
		t.Errorf("the longest stored outcome has %d bytes; %d pointers", length, pointers)
	}
	checkRecord(t, s)
}
