package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"coord"
)

// crowd is how many processes race.
const crowd = 100

// atOnce runs n commands that are let go together, and returns how they
// ended.
func atOnce(n int, run func(i int) ran) []ran {
	results := make([]ran, n)
	gate := make(chan struct{})
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			<-gate
			results[i] = run(i)
		})
	}
	close(gate)
	wg.Wait()
	return results
}

// A hundred processes start the same task: one owner, 99 refusals that name
// it, and the record knows of one attempt only.
func TestL1_ProofOneOwner(t *testing.T) {
	w := newProofWorld(t, proofConfig)
	w.must("a", w.dir, "task", "new", "Only one may")
	results := atOnce(crowd, func(i int) ran {
		return w.as(fmt.Sprintf("agent-%02d", i), w.dir, "start", "pay-1", "--no-keeper", "--json")
	})
	owner := ""
	for i, r := range results {
		if r.status != 0 {
			continue
		}
		if owner != "" {
			t.Errorf("%s and agent-%02d both own it", owner, i)
		}
		owner = fmt.Sprintf("agent-%02d", i)
	}
	if owner == "" {
		t.Fatalf("nobody owns it: %+v", results[0])
	}
	for i, r := range results {
		e := r.said()
		if r.status != 0 && (r.status != 5 || e.Code != coord.CodeTaskTaken || e.Details["holder"] != owner ||
			!strings.Contains(e.Message, owner) || len(e.Next) == 0) {
			t.Errorf("agent-%02d: status %d, %+v %s", i, r.status, e, r.err)
		}
	}
	d := w.taskDetail("pay-1")
	if len(d.Attempts) != 1 || d.Attempts[0].Owner != owner || d.Generation != 1 || d.Attempts[0].Standing != coord.StandingLive {
		t.Errorf("the record has %+v", d.Attempts)
	}
	if n := ofKind(w.events(), coord.EventAttemptClaimed); n != 1 {
		t.Errorf("%d claims in the log", n)
	}
	w.noServerErrors()
}

// A hundred processes take a hundred tasks in one repository: each gets one,
// no task goes to two, and each worktree is there.
func TestL1_ProofNoTaskTwice(t *testing.T) {
	w := newProofWorld(t, proofConfig)
	for i := range crowd {
		r := w.as("a", w.dir, "task", "new", fmt.Sprintf("Task %d", i+1))
		if r.status != 0 {
			t.Fatalf("%+v", r)
		}
	}
	results := atOnce(crowd, func(i int) ran {
		return w.as(fmt.Sprintf("agent-%02d", i), w.dir, "start", "--no-keeper", "--json")
	})
	owners := map[coord.TaskID]string{}
	for i, r := range results {
		var s started
		name := fmt.Sprintf("agent-%02d", i)
		if r.status != 0 || json.Unmarshal([]byte(r.out), &struct{ Data any }{&s}) != nil {
			t.Errorf("%s: status %d %s%s", name, r.status, r.out, r.err)
			continue
		}
		if other := owners[s.Task.ID]; other != "" {
			t.Errorf("%s was given to %s and %s", s.Task.ID, other, name)
		}
		owners[s.Task.ID] = name
		if s.Attempt.Owner != name || s.Attempt.Generation != 1 {
			t.Errorf("%s got %+v", name, s.Attempt)
		}
		if branch := w.git(s.Worktree.Path, "branch", "--show-current"); branch != "coord/"+string(s.Task.ID) {
			t.Errorf("the worktree of %s is on %q", s.Task.ID, branch)
		}
	}
	if len(owners) != crowd {
		t.Errorf("%d tasks were given out", len(owners))
	}
	events := w.events()
	claimed := map[coord.TaskID]int{}
	for _, e := range events {
		if e.Kind == coord.EventAttemptClaimed {
			claimed[e.Task]++
		}
	}
	for id, n := range claimed {
		if n != 1 || owners[id] == "" {
			t.Errorf("%s was claimed %d times, owner %q", id, n, owners[id])
		}
	}
	if bound := ofKind(events, coord.EventWorktreeBound); bound != crowd {
		t.Errorf("%d worktrees were bound", bound)
	}
	w.noServerErrors()
}
