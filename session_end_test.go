package coord_test

import (
	"strings"
	"testing"

	"coord"
)

// TestEndedAttempt says of each kind of work what is kept and how it goes on.
func TestEndedAttempt(t *testing.T) {
	saved := &coord.Saved{Commit: "0123456789012345678901234567890123456789"}
	local := &coord.Saved{Commit: saved.Commit, LocalOnly: true}
	place := &coord.Worktree{Machine: "m1", Path: "/w"}
	left := coord.Obligations{Jobs: []coord.Job{{ID: "j1"}}, Reservations: []coord.Reservation{{Resource: "gpu", Units: 2}}}
	for name, c := range map[string]struct {
		task    coord.Task
		at      *coord.Worktree
		left    coord.Obligations
		pushing bool
		kept    []string
		not     string
		next    string
	}{
		"code with a checkpoint": {coord.Task{ID: "pay-1", Kind: coord.KindCode, Saved: saved}, place, coord.Obligations{}, false, []string{"saved as commit 0123456", "/w on m1"}, "held", "coord start pay-1"},
		"saved on one machine":   {coord.Task{ID: "pay-1", Kind: coord.KindCode, Saved: local}, place, coord.Obligations{}, false, []string{"only on the machine that made it"}, "", "coord start pay-1"},
		"nothing saved":          {coord.Task{ID: "pay-1", Kind: coord.KindGeneral}, nil, coord.Obligations{}, false, []string{"nothing was saved"}, "m1", "coord start pay-1"},
		"with a job":             {coord.Task{ID: "pay-1", Kind: coord.KindCode, Saved: saved}, nil, left, false, []string{"1 job may still run", "gpu=2 is still held"}, "", "coord start pay-1, then coord job adopt"},
		"with a reservation":     {coord.Task{ID: "pay-1", Kind: coord.KindCode}, nil, coord.Obligations{Reservations: left.Reservations}, false, []string{"gpu=2 is still held"}, "job", "coord start pay-1, then coord reserve --adopt"},
		"a review":               {coord.Task{ID: "pay-2", Kind: coord.KindReview, Source: "pay-1"}, nil, coord.Obligations{}, false, []string{"the review is to be given"}, "saved", "coord review pay-1"},
		"a landing":              {coord.Task{ID: "pay-3", Kind: coord.KindIntegration, Source: "pay-1"}, nil, coord.Obligations{}, false, []string{"its target is free"}, "push", "coord integrate pay-1"},
		"a push":                 {coord.Task{ID: "pay-3", Kind: coord.KindIntegration, Source: "pay-1"}, nil, coord.Obligations{}, true, []string{"may have been pushed"}, "free", "coord integrate pay-1"},
	} {
		got := coord.EndAttempt(c.task, coord.Attempt{ID: coord.NewAttemptID(c.task.ID, 2), Worktree: c.at}, c.left, c.pushing)
		if got.Next != c.next || got.Task != c.task.ID || got.Attempt != coord.NewAttemptID(c.task.ID, 2) || got.Kind != c.task.Kind {
			t.Errorf("%s: %+v", name, got)
		}
		for _, words := range c.kept {
			if !strings.Contains(got.Kept, words) {
				t.Errorf("%s: %q does not say %q", name, got.Kept, words)
			}
		}
		if c.not != "" && strings.Contains(got.Kept, c.not) {
			t.Errorf("%s: %q says %q", name, got.Kept, c.not)
		}
	}
}
