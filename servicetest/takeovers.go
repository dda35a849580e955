package servicetest

import (
	"coord"
)

// takeUp is the recovery that goes on with what generation g left.
func takeUp(g int64) *coord.Recovery {
	return &coord.Recovery{Generation: g, Disposition: coord.DispositionResume}
}

var takeoverScenes = []scene{
	{"an expired publishing landing is taken over and observed", func(s *stage) {
		sub := s.approved("x")
		old, p := s.as("alpha").publishing(sub.Task)
		bravo := s.as("bravo")
		s.h.Advance(lease + grace)
		_, err := bravo.tryHold(sub.Task, nil)
		s.refused(err, coord.CodeRecoveryRequired)
		h := must(bravo.tryHold(sub.Task, takeUp(1)))
		if h.Landing.State != coord.LandingPublishing || h.Landing.Result != p.Result || h.Landing.Tree != p.Tree || h.Landing.Fence.Generation != 2 || h.Landing.Holder != "bravo" {
			s.Errorf("taken over as %+v", h.Landing)
		}
		s.unchanged(sub.Task, func() { _, err := old.see(p); s.refused(err, coord.CodeFenced) })
		must(h.see(h.Landing))
		s.status(sub.Task, coord.StatusDone)
		s.status(sub.Integration, coord.StatusDone)
	}},
	{"a landing whose holder is gone needs recovery, and says so everywhere", func(s *stage) {
		for _, step := range []struct {
			was  coord.Status
			hold func(*actor, coord.TaskID)
		}{
			{coord.StatusIntegrating, func(a *actor, id coord.TaskID) { a.hold(id) }},
			{coord.StatusValidating, func(a *actor, id coord.TaskID) { a.hold(id).merge() }},
			{coord.StatusValidating, func(a *actor, id coord.TaskID) { a.publishing(id) }},
		} {
			s.project = s.h.Project(s.T, policy(coord.ReviewAgent))
			sub := s.approved("x")
			step.hold(s.as("alpha"), sub.Task)
			s.h.Advance(lease - 1)
			s.status(sub.Task, step.was)
			s.h.Advance(1)
			s.status(sub.Task, coord.StatusRecoveryRequired)
			s.status(sub.Integration, coord.StatusRecoveryRequired)
			b := must(s.h.AsOperator().Board(s.ctx, s.project))
			is(s, "on the board", s.count(b, coord.StatusRecoveryRequired), 2)
			page := must(s.h.AsOperator().ListTasks(s.ctx, coord.TaskQuery{Project: s.project, Kind: coord.KindCode, Status: coord.StatusRecoveryRequired}))
			is(s, "listed", len(page.Items), 1)
			s.h.Advance(grace)
			h := must(s.as("bravo").tryHold(sub.Task, takeUp(1)))
			if got := s.task(sub.Task).Status; got != coord.StatusIntegrating && got != coord.StatusValidating {
				s.Errorf("taken over as %s, and the task is %s", h.Landing.State, got)
			}
		}
	}},
	{"taken over, and the push had not arrived: merged anew", func(s *stage) {
		sub := s.approved("x")
		s.as("alpha").publishing(sub.Task)
		s.h.Advance(lease + grace)
		h := must(s.as("bravo").tryHold(sub.Task, takeUp(1)))
		is(s, "state", must(h.observe(coord.RecordObservation{Tip: newOID()})).Landing.State, coord.LandingHeld)
		m := h.merge()
		must(h.see(must(h.permit(m, passing(m.Tree)))))
		is(s, "landed", s.task(sub.Task).Landed.Commit, m.Result)
	}},
	{"taken over before a permit: a fresh start", func(s *stage) {
		sub := s.approved("x")
		old := s.as("alpha").hold(sub.Task)
		m := old.merge()
		s.h.Advance(lease + grace)
		h := must(s.as("bravo").tryHold(sub.Task, takeUp(1)))
		is(s, "state", h.Landing.State, coord.LandingHeld)
		s.unchanged(sub.Task, func() {
			_, err := old.permit(m, passing(m.Tree))
			s.refused(err, coord.CodeFenced)
			_, err = h.permit(m, passing(m.Tree))
			s.refused(err, coord.CodeStateConflict)
		})
		again := h.merge()
		must(h.see(must(h.permit(again, passing(again.Tree)))))
	}},
	{"L6 an expired holder lands nothing", func(s *stage) {
		sub := s.approved("x")
		alpha := s.as("alpha")
		h := alpha.hold(sub.Task)
		m := h.merge()
		s.h.Advance(lease)
		s.unchanged(sub.Task, func() {
			_, err := h.permit(m, passing(m.Tree))
			s.refused(err, coord.CodeLeaseExpired)
			_, err = alpha.RecordMerge(s.ctx, h.plan())
			s.refused(err, coord.CodeLeaseExpired)
			_, err = h.fail(coord.FailLanding{State: coord.LandingReleased})
			s.refused(err, coord.CodeLeaseExpired)
		})
		is(s, "receipts of a refused permit", len(must(alpha.ReceiptsFor(s.ctx, s.project, m.Tree))), 0)
	}},
	{"I9 an expired holder's observation changes nothing", func(s *stage) {
		sub := s.approved("x")
		h, p := s.as("alpha").publishing(sub.Task)
		s.h.Advance(lease)
		s.unchanged(sub.Task, func() {
			_, err := h.see(p)
			s.refused(err, coord.CodeLeaseExpired)
			_, err = h.observe(coord.RecordObservation{Tip: newOID()})
			s.refused(err, coord.CodeLeaseExpired)
		})
	}},
	{"the holder itself resumes and observes", func(s *stage) {
		sub := s.approved("x")
		alpha := s.as("alpha")
		h, p := alpha.publishing(sub.Task)
		s.h.Advance(lease)
		c := must(alpha.Resume(s.ctx, coord.Resume{Key: newKey(), Attempt: h.Attempt.ID, Fence: h.Attempt.Fence}))
		h.Attempt = c.Attempt
		must(h.see(p))
		s.status(sub.Task, coord.StatusDone)
	}},
	{"an expired hold still blocks its target until it is taken over", func(s *stage) {
		first, second := s.approved("first"), s.approved("second")
		s.as("alpha").publishing(first.Task)
		s.h.Advance(lease + grace)
		bravo := s.as("bravo")
		for _, r := range []*coord.Recovery{nil, takeUp(0), takeUp(1)} {
			s.unchanged(second.Task, func() {
				_, err := bravo.tryHold(second.Task, r)
				s.refused(err, coord.CodeRecoveryRequired)
				is(s, "what must be taken over first", detail(err, "task"), string(first.Integration))
			})
		}
		h := must(s.as("bravo").tryHold(first.Task, takeUp(1)))
		must(h.see(h.Landing))
		s.as("echo").hold(second.Task)
	}},
	{"L9 in the grace nobody takes over, nor with another generation", func(s *stage) {
		sub := s.approved("x")
		s.as("alpha").publishing(sub.Task)
		bravo := s.as("bravo")
		s.h.Advance(lease + grace - 1)
		s.unchanged(sub.Task, func() {
			_, err := bravo.tryHold(sub.Task, takeUp(1))
			s.refused(err, coord.CodeTaskTaken, coord.CodeTargetHeld)
		})
		s.h.Advance(1)
		s.unchanged(sub.Task, func() { _, err := bravo.tryHold(sub.Task, takeUp(2)); s.refused(err, coord.CodeFenced) })
	}},
}
