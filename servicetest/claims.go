package servicetest

import (
	"strings"
	"sync"

	"coord"
)

// together runs f once per index, all at the same moment.
func together(n int, f func(i int)) {
	var ready, done sync.WaitGroup
	gate := make(chan struct{})
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-gate
			f(i)
		})
	}
	ready.Wait()
	close(gate)
	done.Wait()
}

// crowd opens n sessions.
func (s *stage) crowd(n int) []*actor {
	all := make([]*actor, n)
	for i := range all {
		all[i] = s.as("agent" + string(rune('a'+i%26)))
	}
	return all
}

var claimScenes = []scene{
	{"a named claim grants the first generation", func(s *stage) {
		ada := s.as("ada")
		id := ada.newTask("x").ID
		c := must(ada.try(id, nil))
		a := c.Attempt
		if a.ID != coord.NewAttemptID(id, 1) || a.Generation != 1 || a.Fence.Generation != 1 || a.Fence.Epoch < 1 || a.Standing != coord.StandingLive || a.Owner != "ada" || a.Task != id || c.Replayed {
			s.Errorf("got %+v", a)
		}
		if !a.Lease.ExpiresAt.Equal(s.h.Now().Add(lease)) || a.Lease.RemainingMS != lease.Milliseconds() || !a.StartedAt.Equal(s.h.Now()) {
			s.Errorf("lease %+v, started %s", a.Lease, a.StartedAt)
		}
		is(s, "project", c.Project.Key, s.project)
		is(s, "task", c.Task.ID, id)
		t := s.task(id)
		if t.Status != coord.StatusInProgress || t.Generation != 1 || t.Owner == nil || t.Owner.Name != "ada" || t.Owner.Standing != coord.StandingLive || t.Owner.Attempt != a.ID {
			s.Errorf("the task says %+v, owner %+v", t.Task, t.Owner)
		}
		is(s, "attempts", len(t.Attempts), 1)
	}},
	{"the next task: priority, then ready since, then number", func(s *stage) {
		ada := s.as("ada")
		low := ada.newTask("low", priority(coord.PriorityLow)).ID
		n1, n2 := ada.newTask("n1").ID, ada.newTask("n2").ID
		s.h.Advance(1e9)
		n3 := ada.newTask("n3").ID
		high := ada.newTask("high", priority(coord.PriorityHigh)).ID
		urgent := ada.newTask("urgent", priority(coord.PriorityUrgent)).ID
		var got []coord.TaskID
		for range 6 {
			got = append(got, must(s.as("bob").next("")).Task.ID)
		}
		is(s, "order", got, []coord.TaskID{urgent, high, n1, n2, n3, low})
	}},
	{"ready since counts, not creation", func(s *stage) {
		s.withoutReview()
		ada := s.as("ada")
		first := ada.newTask("first").ID
		waited := ada.newTask("waited", after(first)).ID
		s.h.Advance(1e9)
		younger := ada.newTask("younger").ID
		s.h.Advance(1e9)
		ada.start(first).submit()
		s.land(first)
		is(s, "order", []coord.TaskID{must(s.as("bob").next("")).Task.ID, must(s.as("eve").next("")).Task.ID}, []coord.TaskID{younger, waited})
	}},
	{"nothing eligible is said, and why", func(s *stage) {
		ada := s.as("ada")
		held := ada.newTask("held").ID
		ada.start(held)
		ada.newTask("planned", planned)
		ada.newTask("waits", after(held))
		bob := s.as("bob")
		_, err := bob.next("")
		s.refused(err, coord.CodeNothingEligible)
		if why := "1 task held by others; 1 task blocked; 1 task planned, not admitted"; !strings.HasSuffix(err.Error(), ": "+why) {
			s.Errorf("got %q, want %q", err, why)
		}
		skipped := 0
		next := must(bob.Next(s.ctx, s.project))
		is(s, "activity", next.Activity, coord.ActivityNone)
		for _, sk := range next.Skipped {
			if sk.Reason == "" || sk.Count < 1 {
				s.Errorf("skipped without a reason: %+v", sk)
			}
			skipped += sk.Count
		}
		if skipped < 2 {
			s.Errorf("three tasks are passed over, and only %d explained: %+v", skipped, next.Skipped)
		}
	}},
	{"nothing eligible in an empty project and for other kinds", func(s *stage) {
		ada := s.as("ada")
		for _, k := range []coord.Kind{"", coord.KindCode, coord.KindReview, coord.KindIntegration} {
			_, err := ada.next(k)
			s.refused(err, coord.CodeNothingEligible)
		}
	}},
	{"a taken task names its holder and stays theirs", func(s *stage) {
		ada, bob := s.as("ada"), s.as("bob")
		id := ada.newTask("x").ID
		ada.start(id)
		s.unchanged(id, func() {
			_, err := bob.try(id, nil)
			s.refused(err, coord.CodeTaskTaken)
			if e := asError(err); e.Details["holder"] != "ada" || !strings.Contains(e.Message, "ada") || e.RetryAfterMS != lease.Milliseconds() || len(e.Next) == 0 {
				s.Errorf("the refusal helps little: %+v", e)
			}
		})
	}},
	{"L1 one owner among 50 concurrent claims", func(s *stage) {
		crowd := s.crowd(50)
		id := crowd[0].newTask("x").ID
		errs, got := make([]error, len(crowd)), make([]coord.Claimed, len(crowd))
		together(len(crowd), func(i int) { got[i], errs[i] = crowd[i].try(id, nil) })
		owners := 0
		for i, err := range errs {
			if err == nil {
				owners++
				is(s, "generation", got[i].Attempt.Generation, int64(1))
				continue
			}
			s.refused(err, coord.CodeTaskTaken)
		}
		t := s.task(id)
		if owners != 1 || len(t.Attempts) != 1 {
			s.Errorf("%d owners, %d attempts", owners, len(t.Attempts))
		}
	}},
	{"L1 no task twice among 50 concurrent claims for 50 tasks", func(s *stage) {
		crowd := s.crowd(50)
		for range crowd {
			crowd[0].newTask("x")
		}
		errs, got := make([]error, len(crowd)), make([]coord.Claimed, len(crowd))
		together(len(crowd), func(i int) { got[i], errs[i] = crowd[i].next("") })
		seen := map[coord.TaskID]int{}
		for i, err := range errs {
			if err != nil {
				s.Errorf("session %d: %v", i, err)
			}
			seen[got[i].Task.ID]++
		}
		is(s, "distinct tasks", len(seen), 50)
	}},
	{"a session that holds the task reconnects", func(s *stage) {
		ada := s.as("ada")
		w := ada.start(ada.newTask("x").ID)
		s.h.Advance(lease / 3)
		again := must(ada.try(w.Task.ID, nil))
		if again.Attempt.ID != w.id() || again.Attempt.Fence != w.Attempt.Fence || again.Attempt.Standing != coord.StandingLive {
			s.Errorf("got %+v", again.Attempt)
		}
		is(s, "generation", s.task(w.Task.ID).Generation, int64(1))
	}},
	{"L17 what is not open cannot be claimed", func(s *stage) {
		ada := s.as("ada")
		later := ada.newTask("planned", planned).ID
		waits := ada.newTask("waits", after(later)).ID
		for _, id := range []coord.TaskID{later, waits} {
			for _, r := range []*coord.Recovery{nil, {Generation: 0, Disposition: coord.DispositionRestart, Reason: "I want it"}} {
				s.unchanged(id, func() { _, err := ada.try(id, r); s.refused(err, coord.CodeStateConflict) })
			}
		}
	}},
	{"L17 a submitted and a finished task cannot be claimed", func(s *stage) {
		s.withoutReview()
		ada := s.as("ada")
		sub := ada.start(ada.newTask("x").ID).submit()
		_, err := ada.try(sub.Task, nil)
		s.refused(err, coord.CodeStateConflict)
		s.land(sub.Task)
		for _, id := range []coord.TaskID{sub.Task, sub.Integration} {
			s.unchanged(id, func() { _, err := ada.try(id, nil); s.refused(err, coord.CodeStateConflict) })
		}
	}},
	{"an unknown task, kind or key is refused", func(s *stage) {
		ada := s.as("ada")
		id := ada.newTask("x").ID
		_, err := ada.try(coord.NewTaskID(s.project, 99), nil)
		s.refused(err, coord.CodeNotFound)
		_, err = ada.next("objective")
		s.refused(err, coord.CodeBadRequest)
		for _, k := range []coord.Key{"short", coord.Key(strings.Repeat("k", 129)), "with spaces in it!"} {
			_, err = ada.Claim(s.ctx, coord.Claim{Key: k, Project: s.project, Task: id})
			s.refused(err, coord.CodeBadRequest)
		}
		s.status(id, coord.StatusReady)
	}},
	{"a task of another project is not claimed through this one", func(s *stage) {
		ada := s.as("ada")
		id := ada.newTask("x").ID
		other := s.h.Project(s.T, policy(coord.ReviewNone))
		_, err := ada.Claim(s.ctx, coord.Claim{Key: newKey(), Project: other, Task: id})
		s.refused(err, coord.CodeNotFound, coord.CodeBadRequest)
		s.status(id, coord.StatusReady)
	}},
	{"one editable checkout serves one attempt", func(s *stage) {
		ada, bob := s.as("ada"), s.as("bob")
		a, b := ada.start(ada.newTask("x").ID), bob.start(ada.newTask("y").ID)
		tree := coord.Worktree{Machine: "m-" + string(s.project), Path: "/w/x", GitDir: "/r/.git/worktrees/x", Branch: "coord/x", Base: newOID()}
		bound := must(ada.BindWorktree(s.ctx, coord.BindWorktree{Key: newKey(), Attempt: a.id(), Fence: a.Attempt.Fence, Worktree: tree}))
		is(s, "worktree", bound.Worktree, &tree)
		_, err := bob.BindWorktree(s.ctx, coord.BindWorktree{Key: newKey(), Attempt: b.id(), Fence: b.Attempt.Fence, Worktree: tree})
		s.refused(err, coord.CodeStateConflict)
		must(a.release())
		must(bob.BindWorktree(s.ctx, coord.BindWorktree{Key: newKey(), Attempt: b.id(), Fence: b.Attempt.Fence, Worktree: tree}))
	}},
}
