package servicetest

import (
	"time"

	"coord"
)

var leaseScenes = []scene{
	{"L11 a renewal extends to now plus the lease", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(10 * time.Minute)
		l := must(w.renew())
		if !l.ExpiresAt.Equal(s.h.Now().Add(lease)) || l.RemainingMS != lease.Milliseconds() {
			s.Errorf("got %+v at %s", l, s.h.Now())
		}
		if got := s.task(w.Task.ID).Owner.ExpiresAt; !got.Equal(l.ExpiresAt) {
			s.Errorf("the task says %s", got)
		}
	}},
	{"L10 a renewal is no event and no progress", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		before := s.task(w.Task.ID)
		s.h.Advance(time.Minute)
		must(w.renew())
		after := s.task(w.Task.ID)
		is(s, "events", len(after.Events), len(before.Events))
		is(s, "sequence", after.AsOf, before.AsOf)
		if !after.Owner.LastProgress.Equal(before.Owner.LastProgress) {
			s.Errorf("progress moved to %s", after.Owner.LastProgress)
		}
	}},
	{"L6 1 ns before expiry the holder holds", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease - 1)
		s.status(w.Task.ID, coord.StatusInProgress)
		must(w.renew())
		s.status(w.Task.ID, coord.StatusInProgress)
	}},
	{"L6 at expiry exactly the holder is refused", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease)
		s.status(w.Task.ID, coord.StatusRecoveryRequired)
		s.unchanged(w.Task.ID, func() {
			_, err := w.renew()
			s.refused(err, coord.CodeLeaseExpired)
			is(s, "resumable", detail(err, "resumable"), "true")
		})
	}},
	{"L7 expiry alone moves nothing", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(100 * lease)
		t := s.task(w.Task.ID)
		if t.Generation != 1 || t.Owner == nil || t.Owner.Standing != coord.StandingExpired || t.Attempts[0].EndedAt != nil {
			s.Errorf("got %+v, owner %+v", t.Task, t.Owner)
		}
		is(s, "standing", t.Attempts[0].Standing, coord.StandingExpired)
		_, err := s.as("bravo").next("")
		s.refused(err, coord.CodeNothingEligible, coord.CodeRecoveryRequired)
	}},
	{"L8 the same session resumes with a new generation", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease)
		again := must(w.resume())
		if again.Attempt.Generation != 2 || again.Attempt.Standing != coord.StandingLive || again.Attempt.Fence.Generation != 2 || again.id() == w.id() {
			s.Errorf("got %+v", again.Attempt)
		}
		if !again.Attempt.Lease.ExpiresAt.Equal(s.h.Now().Add(lease)) {
			s.Errorf("lease until %s", again.Attempt.Lease.ExpiresAt)
		}
		s.status(w.Task.ID, coord.StatusInProgress)
		s.unchanged(w.Task.ID, func() { _, err := w.renew(); s.refused(err, coord.CodeFenced) })
		must(again.renew())
	}},
	{"L8 a resumed attempt is superseded, not live", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease)
		must(w.resume())
		t := s.task(w.Task.ID)
		is(s, "attempts", len(t.Attempts), 2)
		for _, a := range t.Attempts {
			if want := map[int64]coord.Standing{1: coord.StandingSuperseded, 2: coord.StandingLive}[a.Generation]; a.Standing != want {
				s.Errorf("generation %d is %s", a.Generation, a.Standing)
			}
		}
	}},
	{"L8 another session cannot resume it", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(2 * lease)
		s.unchanged(w.Task.ID, func() { _, err := work{bravo, w.Claimed}.resume(); s.refused(err, coord.CodeFenced) })
	}},
	{"L8 after a recovery there is no resuming", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease + grace)
		must(bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume}))
		s.unchanged(w.Task.ID, func() { _, err := w.resume(); s.refused(err, coord.CodeFenced) })
	}},
	{"L1 resume and recovery at once: one wins", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease + grace)
		errs := make([]error, 2)
		together(2, func(i int) {
			if i == 0 {
				_, errs[0] = w.resume()
			} else {
				_, errs[1] = bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume})
			}
		})
		if (errs[0] == nil) == (errs[1] == nil) {
			s.Errorf("resume: %v; recovery: %v", errs[0], errs[1])
		}
		is(s, "generation", s.task(w.Task.ID).Generation, int64(2))
	}},
	{"a claim by the holder whose lease ended points at resuming", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease + grace)
		s.unchanged(w.Task.ID, func() {
			_, err := alpha.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionRestart, Reason: "again"})
			s.refused(err, coord.CodeStateConflict)
			is(s, "resumable", detail(err, "resumable"), "true")
		})
	}},
}

var recoveryScenes = []scene{
	{"L9 nobody recovers 1 ns before the grace ends, and anybody when it does", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		r := &coord.Recovery{Generation: 1, Disposition: coord.DispositionRestart, Reason: "alpha is gone"}
		s.h.Advance(lease + grace - 1)
		s.unchanged(w.Task.ID, func() {
			_, err := bravo.try(w.Task.ID, r)
			s.refused(err, coord.CodeTaskTaken)
			is(s, "retry after", asError(err).RetryAfterMS, int64(1))
		})
		s.h.Advance(1)
		c := must(bravo.try(w.Task.ID, r))
		is(s, "generation", c.Attempt.Generation, int64(2))
		is(s, "owner", s.task(w.Task.ID).Owner.Name, "bravo")
	}},
	{"a claim without a disposition is told what is there", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		cp := must(w.checkpoint())
		s.h.Advance(lease + grace)
		s.unchanged(w.Task.ID, func() {
			_, err := bravo.try(w.Task.ID, nil)
			s.refused(err, coord.CodeRecoveryRequired)
			is(s, "task", detail(err, "task"), string(w.Task.ID))
			is(s, "generation", detail(err, "generation"), "1")
			is(s, "commit", detail(err, "commit"), string(cp.Commit))
			is(s, "ref", detail(err, "ref"), cp.Ref)
		})
	}},
	{"L9 the wrong generation, the wrong commit and no reason are refused", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		cp := must(w.checkpoint())
		s.h.Advance(lease + grace)
		for _, c := range []struct {
			r    coord.Recovery
			want coord.Code
		}{
			{coord.Recovery{Generation: 0, Disposition: coord.DispositionResume, Commit: cp.Commit}, coord.CodeFenced},
			{coord.Recovery{Generation: 2, Disposition: coord.DispositionResume, Commit: cp.Commit}, coord.CodeFenced},
			{coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: newOID()}, coord.CodeRecoveryRequired},
			{coord.Recovery{Generation: 1, Disposition: coord.DispositionResume}, coord.CodeRecoveryRequired},
			{coord.Recovery{Generation: 1, Disposition: coord.DispositionRestart}, coord.CodeBadRequest},
			{coord.Recovery{Generation: 1, Disposition: "delivered"}, coord.CodeBadRequest},
		} {
			s.unchanged(w.Task.ID, func() { _, err := bravo.try(w.Task.ID, &c.r); s.refused(err, c.want) })
		}
	}},
	{"what was saved is offered, and resumed from", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		must(w.checkpoint())
		cp := must(w.checkpoint())
		s.h.Advance(lease + grace)
		saved := s.task(w.Task.ID).Saved
		if saved == nil || saved.Commit != cp.Commit || saved.Tree != cp.Tree || saved.Ref != cp.Ref || saved.Generation != 1 || saved.Note != cp.Note || saved.Next != cp.Next || saved.Kind != "checkpoint" || saved.LocalOnly {
			s.Fatalf("saved %+v", saved)
		}
		c := must(bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: saved.Commit}))
		is(s, "started from", c.Attempt.StartedFrom, cp.Commit)
	}},
	{"saved work outlives a successor that saved nothing", func(s *stage) {
		alpha, bravo, echo := s.as("alpha"), s.as("bravo"), s.as("echo")
		w := alpha.start(alpha.newTask("x").ID)
		cp := must(w.checkpoint())
		s.h.Advance(lease + grace)
		must(bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: cp.Commit}))
		s.h.Advance(lease + grace)
		_, err := echo.try(w.Task.ID, nil)
		s.refused(err, coord.CodeRecoveryRequired)
		is(s, "commit", detail(err, "commit"), string(cp.Commit))
		is(s, "generation", detail(err, "generation"), "2")
	}},
	{"two recoverers: one wins", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease + grace)
		crowd := s.crowd(10)
		errs := make([]error, len(crowd))
		together(len(crowd), func(i int) {
			_, errs[i] = crowd[i].try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionRestart, Reason: "gone"})
		})
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else {
				s.refused(err, coord.CodeTaskTaken, coord.CodeFenced)
			}
		}
		is(s, "winners", won, 1)
		is(s, "generation", s.task(w.Task.ID).Generation, int64(2))
	}},
	{"a local-only checkpoint is marked", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		must(alpha.RecordCheckpoint(s.ctx, coord.RecordCheckpoint{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Note: "offline", Commit: newOID(), Tree: newOID(), Ref: "refs/coord/x"}))
		s.h.Advance(lease + grace)
		if saved := s.task(w.Task.ID).Saved; saved == nil || !saved.LocalOnly {
			s.Errorf("saved %+v", saved)
		}
		_, err := bravo.try(w.Task.ID, nil)
		is(s, "local_only", detail(err, "local_only"), "true")
	}},
	{"recovering is an event of its own", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease + grace)
		must(bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionRestart, Reason: "gone"}))
		events := s.task(w.Task.ID).Events
		last := events[len(events)-1]
		if last.Kind != coord.EventAttemptRecovered || last.Actor != "bravo" {
			s.Errorf("the last event is %+v", last)
		}
	}},
}
