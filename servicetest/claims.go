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
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		c := must(alpha.try(id, nil))
		a := c.Attempt
		if a.ID != coord.NewAttemptID(id, 1) || a.Generation != 1 || a.Fence.Generation != 1 || a.Fence.Epoch < 1 || a.Standing != coord.StandingLive || a.Owner != "alpha" || a.Task != id || c.Replayed {
			s.Errorf("got %+v", a)
		}
		if !a.Lease.ExpiresAt.Equal(s.h.Now().Add(lease)) || a.Lease.RemainingMS != lease.Milliseconds() || !a.StartedAt.Equal(s.h.Now()) {
			s.Errorf("lease %+v, started %s", a.Lease, a.StartedAt)
		}
		is(s, "project", c.Project.Key, s.project)
		is(s, "task", c.Task.ID, id)
		t := s.task(id)
		if t.Status != coord.StatusInProgress || t.Generation != 1 || t.Owner == nil || t.Owner.Name != "alpha" || t.Owner.Standing != coord.StandingLive || t.Owner.Attempt != a.ID {
			s.Errorf("the task says %+v, owner %+v", t.Task, t.Owner)
		}
		is(s, "attempts", len(t.Attempts), 1)
	}},
	{"the next task: priority, then ready since, then number", func(s *stage) {
		alpha := s.as("alpha")
		low := alpha.newTask("low", priority(coord.PriorityLow)).ID
		n1, n2 := alpha.newTask("n1").ID, alpha.newTask("n2").ID
		s.h.Advance(1e9)
		n3 := alpha.newTask("n3").ID
		high := alpha.newTask("high", priority(coord.PriorityHigh)).ID
		urgent := alpha.newTask("urgent", priority(coord.PriorityUrgent)).ID
		var got []coord.TaskID
		for range 6 {
			got = append(got, must(s.as("bravo").next("")).Task.ID)
		}
		is(s, "order", got, []coord.TaskID{urgent, high, n1, n2, n3, low})
	}},
	{"no task named: what the session holds comes back, unless it asks for another", func(s *stage) {
		alpha := s.as("alpha")
		id, second := alpha.newTask("x").ID, alpha.newTask("y").ID
		first := must(alpha.try(id, nil))
		s.unchanged(id, func() {
			again := must(alpha.Claim(s.ctx, coord.Claim{Key: newKey(), Project: s.project}))
			if again.Task.ID != id || again.Attempt.Fence != first.Attempt.Fence || !again.Replayed {
				s.Errorf("got %s, attempt %+v, replayed %v", again.Task.ID, again.Attempt, again.Replayed)
			}
		})
		another := must(alpha.Claim(s.ctx, coord.Claim{Key: newKey(), Project: s.project, Another: true}))
		is(s, "another", another.Task.ID, second)
		s.h.Advance(lease)
		if _, err := alpha.Claim(s.ctx, coord.Claim{Key: newKey(), Project: s.project}); coord.CodeOf(err) != coord.CodeNothingEligible {
			s.Errorf("after expiry: %v", err)
		}
	}},
	{"work for another repository is refused, claimed or landed, by name or not", func(s *stage) {
		alpha, sub := s.as("alpha"), s.approved("x")
		id := alpha.newTask("y").ID
		for _, named := range []coord.TaskID{"", id} {
			s.unchanged(id, func() {
				_, err := alpha.Claim(s.ctx, coord.Claim{Key: newKey(), Project: s.project, Task: named, Repository: "git.example.com/other"})
				if coord.CodeOf(err) != coord.CodeStateConflict {
					s.Errorf("a claim of %q: %v", named, err)
				}
			})
		}
		for _, named := range []coord.TaskID{"", sub.Task} {
			s.unchanged(sub.Integration, func() {
				_, err := alpha.Hold(s.ctx, coord.Hold{Key: newKey(), Project: s.project, Task: named, Repository: "git.example.com/other"})
				if coord.CodeOf(err) != coord.CodeStateConflict {
					s.Errorf("a hold of %q: %v", named, err)
				}
			})
		}
		own := s.task(id).Repository
		must(alpha.Claim(s.ctx, coord.Claim{Key: newKey(), Project: s.project, Task: id, Repository: own}))
		must(alpha.Hold(s.ctx, coord.Hold{Key: newKey(), Project: s.project, Task: sub.Task, Repository: own}))
	}},
	{"ready since counts, not creation", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		first := alpha.newTask("first").ID
		waited := alpha.newTask("waited", after(first)).ID
		s.h.Advance(1e9)
		younger := alpha.newTask("younger").ID
		s.h.Advance(1e9)
		alpha.start(first).submit()
		s.land(first)
		is(s, "order", []coord.TaskID{must(s.as("bravo").next("")).Task.ID, must(s.as("echo").next("")).Task.ID}, []coord.TaskID{younger, waited})
	}},
	{"nothing eligible is said, and why", func(s *stage) {
		alpha := s.as("alpha")
		held := alpha.newTask("held").ID
		alpha.start(held)
		alpha.newTask("planned", planned)
		alpha.newTask("waits", after(held))
		bravo := s.as("bravo")
		_, err := bravo.next("")
		s.refused(err, coord.CodeNothingEligible)
		if why := "1 task held by others; 1 task blocked; 1 task planned, not admitted"; !strings.HasSuffix(err.Error(), ": "+why) {
			s.Errorf("got %q, want %q", err, why)
		}
		skipped := 0
		next := must(bravo.Next(s.ctx, s.project))
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
		alpha := s.as("alpha")
		for _, k := range []coord.Kind{"", coord.KindCode, coord.KindReview, coord.KindIntegration} {
			_, err := alpha.next(k)
			s.refused(err, coord.CodeNothingEligible)
		}
	}},
	{"a taken task names its holder and stays theirs", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		id := alpha.newTask("x").ID
		alpha.start(id)
		s.unchanged(id, func() {
			_, err := bravo.try(id, nil)
			s.refused(err, coord.CodeTaskTaken)
			if e := asError(err); e.Details["holder"] != "alpha" || !strings.Contains(e.Message, "alpha") || e.RetryAfterMS != lease.Milliseconds() || len(e.Next) == 0 {
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
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease / 3)
		again := must(alpha.try(w.Task.ID, nil))
		if again.Attempt.ID != w.id() || again.Attempt.Fence != w.Attempt.Fence || again.Attempt.Standing != coord.StandingLive {
			s.Errorf("got %+v", again.Attempt)
		}
		is(s, "generation", s.task(w.Task.ID).Generation, int64(1))
	}},
	{"L17 what is not open cannot be claimed", func(s *stage) {
		alpha := s.as("alpha")
		later := alpha.newTask("planned", planned).ID
		waits := alpha.newTask("waits", after(later)).ID
		for _, id := range []coord.TaskID{later, waits} {
			for _, r := range []*coord.Recovery{nil, {Generation: 0, Disposition: coord.DispositionRestart, Reason: "I want it"}} {
				s.unchanged(id, func() { _, err := alpha.try(id, r); s.refused(err, coord.CodeStateConflict) })
			}
		}
	}},
	{"L17 a submitted and a finished task cannot be claimed", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		sub := alpha.start(alpha.newTask("x").ID).submit()
		_, err := alpha.try(sub.Task, nil)
		s.refused(err, coord.CodeStateConflict)
		s.land(sub.Task)
		for _, id := range []coord.TaskID{sub.Task, sub.Integration} {
			s.unchanged(id, func() { _, err := alpha.try(id, nil); s.refused(err, coord.CodeStateConflict) })
		}
	}},
	{"an unknown task, kind or key is refused", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		_, err := alpha.try(coord.NewTaskID(s.project, 99), nil)
		s.refused(err, coord.CodeNotFound)
		_, err = alpha.next("objective")
		s.refused(err, coord.CodeBadRequest)
		for _, k := range []coord.Key{"short", coord.Key(strings.Repeat("k", 129)), "with spaces in it!"} {
			_, err = alpha.Claim(s.ctx, coord.Claim{Key: k, Project: s.project, Task: id})
			s.refused(err, coord.CodeBadRequest)
		}
		s.status(id, coord.StatusReady)
	}},
	{"a task of another project is not claimed through this one", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		other := s.h.Project(s.T, policy(coord.ReviewNone))
		_, err := alpha.Claim(s.ctx, coord.Claim{Key: newKey(), Project: other, Task: id})
		s.refused(err, coord.CodeNotFound, coord.CodeBadRequest)
		s.status(id, coord.StatusReady)
	}},
	{"one editable checkout serves one attempt", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		a, b := alpha.start(alpha.newTask("x").ID), bravo.start(alpha.newTask("y").ID)
		tree := coord.Worktree{Machine: "m-" + string(s.project), Path: "/w/x", GitDir: "/r/.git/worktrees/x", Branch: "coord/x", Base: newOID()}
		bound := must(alpha.BindWorktree(s.ctx, coord.BindWorktree{Key: newKey(), Attempt: a.id(), Fence: a.Attempt.Fence, Worktree: tree}))
		is(s, "worktree", bound.Worktree, &tree)
		_, err := bravo.BindWorktree(s.ctx, coord.BindWorktree{Key: newKey(), Attempt: b.id(), Fence: b.Attempt.Fence, Worktree: tree})
		s.refused(err, coord.CodeStateConflict)
		must(a.release())
		must(bravo.BindWorktree(s.ctx, coord.BindWorktree{Key: newKey(), Attempt: b.id(), Fence: b.Attempt.Fence, Worktree: tree}))
	}},
}
