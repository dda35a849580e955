package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coord"
	"coord/servicetest"
)

// longest is the longest stored outcome, and pointers how many there are.
func longest(t *testing.T, s *Store) (length, pointers int) {
	t.Helper()
	err := s.writer.conn.QueryRowContext(t.Context(), "SELECT max(length(outcome)), count(*) FILTER (WHERE outcome LIKE '@%') FROM idempotency").Scan(&length, &pointers)
	if err != nil {
		t.Fatal(err)
	}
	return length, pointers
}

// TestFault44_LargeOutcomesAreReadAgain repeats requests whose answers are too
// long to be kept: each gets all of it, as it is now, and has no effect.
func TestFault44_LargeOutcomesAreReadAgain(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	ctx, alpha := t.Context(), session(t, s, agents, "alpha")
	bulky := strings.Repeat("<", 16<<10) // six bytes each, in JSON
	create := coord.CreateTask{Key: newKey(), Project: "pay", Title: "a title", Outcome: bulky, Criteria: []string{"it works"}}
	made, err := alpha.CreateTask(ctx, create)
	if err != nil || len(toJSON(made)) <= keepWhole {
		t.Fatalf("%d bytes, %v", len(toJSON(made)), err)
	}
	again, err := alpha.CreateTask(ctx, create)
	if diff := cmp.Diff(made, again); err != nil || diff != "" {
		t.Errorf("the task again: %v %s", err, diff)
	}

	claim := coord.Claim{Key: newKey(), Project: "pay", Task: made.ID}
	held, err := alpha.Claim(ctx, claim)
	if err != nil {
		t.Fatal(err)
	}
	replay, err := alpha.Claim(ctx, claim)
	if err != nil || !replay.Replayed || replay.Attempt.ID != held.Attempt.ID || replay.Task.Outcome != bulky || replay.Attempt.Fence != held.Attempt.Fence {
		t.Errorf("the claim again: %+v, %v", replay.Attempt, err)
	}

	for n := range 6 {
		run := coord.Run{
			Check: "test", Definition: strings.Repeat("d", 64), Tree: oid("2"), Commit: oid("1"), Result: coord.ResultFailed, ExitStatus: n + 1,
			Reason: strings.Repeat("<", 2000), Machine: "m1", Toolchain: "go", DurationMS: 1<<53 + 1,
		}
		if _, err := alpha.RecordReceipt(ctx, coord.RecordReceipt{Key: newKey(), Attempt: held.Attempt.ID, Fence: held.Attempt.Fence, Run: run}); err != nil {
			t.Fatal(err)
		}
	}
	submit := coord.Submit{
		Key: newKey(), Attempt: held.Attempt.ID, Fence: held.Attempt.Fence, Summary: strings.Repeat("<", 8000), Ref: "refs/coord/x",
		Commit: oid("1"), Tree: oid("2"), Base: oid("3"), Lessons: []string{strings.Repeat("<", 2000), strings.Repeat(">", 2000)},
	}
	sub, err := alpha.Submit(ctx, submit)
	if err != nil || len(toJSON(sub)) <= keepWhole {
		t.Fatalf("%d bytes, %v", len(toJSON(sub)), err)
	}
	subAgain, err := alpha.Submit(ctx, submit)
	if sub.Replayed = true; err != nil || cmp.Diff(sub, subAgain) != "" {
		t.Errorf("the submission again: %v %s", err, cmp.Diff(sub, subAgain))
	}

	hold, err := alpha.Hold(ctx, coord.Hold{Key: newKey(), Project: "pay", Task: made.ID})
	if err != nil {
		t.Fatal(err)
	}
	merge := coord.RecordMerge{Key: newKey(), Landing: hold.Landing.ID, Fence: hold.Attempt.Fence, Base: oid("4"), Parents: []coord.OID{oid("4"), hold.Submission.Commit}, Result: oid("5"), Tree: oid("2")}
	merged, err := alpha.RecordMerge(ctx, merge)
	if err != nil || len(merged.Receipts) != 6 || len(toJSON(merged)) <= keepWhole {
		t.Fatalf("%d receipts, %v", len(merged.Receipts), err)
	}
	mergedAgain, err := alpha.RecordMerge(ctx, merge)
	if diff := cmp.Diff(merged, mergedAgain); err != nil || diff != "" {
		t.Errorf("the merge again: %v %s", err, diff)
	}
	other := merge
	other.Tree = oid("6")
	if _, err := alpha.RecordMerge(ctx, other); coord.CodeOf(err) != coord.CodeIdempotencyMismatch {
		t.Errorf("K2: another body under the key of a pointer: %v", err)
	}
	if length, pointers := longest(t, s); length > keepWhole || pointers < 3 {
		t.Errorf("the longest stored outcome has %d bytes; %d pointers", length, pointers)
	}
	checkRecord(t, s)
}

// TestPointer keeps ids, numbers and flags as they were.
func TestPointer(t *testing.T) {
	long := strings.Repeat("x", pointerText+1)
	got := pointerTo(`{"id":"pay-1","text":"`+long+`","n":9007199254740993,"list":["a"],"none":null,"yes":true,"in":{"id":"pay-1.a1","fence":"1.9007199254740993","text":"`+long+`","deep":{"l":[1]}},"edge":"`+long[1:]+`"}`, false)
	want := `@{"edge":"` + long[1:] + `","id":"pay-1","in":{"deep":{},"fence":"1.9007199254740993","id":"pay-1.a1"},"n":9007199254740993,"none":null,"yes":true}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got = pointerTo(`{"jobs":[{"id":"j1","name":"a"},{"id":"j2"}],"busy":["gpu"],"in":{"list":[{"id":"n1","text":"`+long+`"}]},"odd":[{"id":"j3"},{"name":"b"}],"none":[]}`, true)
	if want = `@{"in":{"list":[{"id":"n1"}]},"jobs":[{"id":"j1"},{"id":"j2"}],"none":[]}`; got != want {
		t.Errorf("with ids got  %s\nwant %s", got, want)
	}
	if got, want := pointerTo(`[{"id":"n1","units":2}]`, true), `@[{"id":"n1"}]`; got != want {
		t.Errorf("of a list got  %s\nwant %s", got, want)
	}
}
