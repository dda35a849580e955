package store

import (
	"strings"
	"testing"

	"coord"
	"coord/servicetest"
)

func oid(c string) coord.OID { return coord.OID(strings.Repeat(c, 40)) }

// TestSavedWork follows what a successor is offered: the checkpoint, nothing
// once it is declined, nothing while it is submitted, the candidate once that
// comes back.
func TestSavedWork(t *testing.T) {
	s := testStore(t, servicetest.NewClock())
	alpha := session(t, s, agents, "alpha")
	id := newTask(t, alpha, "pay")
	claim := func(r *coord.Recovery) coord.Attempt {
		t.Helper()
		c, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: id, Recovery: r})
		if err != nil {
			t.Fatal(err)
		}
		return c.Attempt
	}
	checkpoint := func(a coord.Attempt, commit coord.OID) {
		t.Helper()
		_, err := alpha.RecordCheckpoint(t.Context(), coord.RecordCheckpoint{
			Key: newKey(), Attempt: a.ID, Fence: a.Fence, Note: "n", Commit: commit, Tree: oid("b"), Ref: "refs/coord/x", Pushed: true,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	release := func(a coord.Attempt) {
		t.Helper()
		if _, err := alpha.Release(t.Context(), coord.Release{Key: newKey(), Attempt: a.ID, Fence: a.Fence, Reason: "r"}); err != nil {
			t.Fatal(err)
		}
	}
	offers := func(when string, kind coord.SavedKind, commit coord.OID) {
		t.Helper()
		d, err := alpha.Task(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if (d.Saved == nil) != (kind == "") || d.Saved != nil && (d.Saved.Kind != kind || d.Saved.Commit != commit) {
			t.Errorf("%s: saved %+v", when, d.Saved)
		}
	}
	first := claim(nil)
	checkpoint(first, oid("1"))
	release(first)
	offers("released", "checkpoint", oid("1"))
	second := claim(&coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: oid("1")})
	release(second)
	offers("resumed and released with nothing new", "checkpoint", oid("1"))
	third := claim(&coord.Recovery{Generation: 2, Disposition: coord.DispositionRestart, Reason: "a dead end"})
	offers("restarted", "", "")
	checkpoint(third, oid("3"))
	_, err := alpha.Submit(t.Context(), coord.Submit{
		Key: newKey(), Attempt: third.ID, Fence: third.Fence, Commit: oid("4"), Tree: oid("b"), Base: oid("c"), Ref: "refs/coord/y", Summary: "s",
	})
	if err != nil {
		t.Fatal(err)
	}
	offers("submitted", "", "")
	if _, err := alpha.Revise(t.Context(), coord.Revise{Key: newKey(), Task: id, Reason: coord.ReviseWithdrawn, Note: "not yet"}); err != nil {
		t.Fatal(err)
	}
	offers("withdrawn", "candidate", oid("4"))
	c, err := alpha.Claim(t.Context(), coord.Claim{Key: newKey(), Project: "pay", Task: id, Recovery: &coord.Recovery{Generation: 3, Disposition: coord.DispositionResume, Commit: oid("4")}})
	if err != nil || c.ReturnedReason != "withdrawn: not yet" || c.Returned != nil || c.Attempt.StartedFrom != oid("4") {
		t.Errorf("got %+v, %v", c, err)
	}
	checkRecord(t, s)
}
