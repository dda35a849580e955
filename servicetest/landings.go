package servicetest

import (
	"coord"
)

var landingScenes = []scene{
	{"a hold reserves the target and gives what is needed", func(s *stage) {
		sub := s.approved("Refuse old tokens")
		alpha := s.as("alpha")
		h := alpha.hold("")
		is(s, "submission", h.Submission.ID, sub.ID)
		is(s, "code task", h.Task.ID, sub.Task)
		is(s, "integration attempt", h.Attempt.Task, sub.Integration)
		l := h.Landing
		if l.State != coord.LandingHeld || l.ID.Task() != sub.Task || l.Holder != "alpha" || l.Fence != h.Attempt.Fence || l.Target != "main" || l.Submission != sub.ID || l.Integration != sub.Integration || l.Tries != 0 {
			s.Errorf("landing %+v", l)
		}
		s.status(sub.Task, coord.StatusIntegrating)
		s.status(sub.Integration, coord.StatusIntegrating)
	}},
	{"merge, permit, observe: landed", func(s *stage) {
		sub := s.approved("Refuse old tokens")
		dependent := s.as("alpha").newTask("next", after(sub.Task)).ID
		h := s.as("bravo").hold(sub.Task)
		plan := h.plan()
		m := must(h.a.RecordMerge(s.ctx, plan))
		if m.Landing.State != coord.LandingMerged || m.Landing.Base != plan.Base || m.Landing.Result != plan.Result || m.Landing.Tree != plan.Tree || m.Landing.Verified || m.Landing.Tries != 1 || len(m.Receipts) != 0 {
			s.Errorf("merged %+v, receipts %v", m.Landing, m.Receipts)
		}
		s.status(sub.Task, coord.StatusValidating)
		p := must(h.permit(m.Landing, passing(plan.Tree)))
		if p.State != coord.LandingPublishing || !p.Verified {
			s.Errorf("permitted %+v", p)
		}
		s.status(sub.Task, coord.StatusValidating)
		out := must(h.see(p))
		if out.Landing.State != coord.LandingLanded || out.Landing.LandedAt == nil || out.Landing.ObservedTip != plan.Result || out.Task.Status != coord.StatusDone {
			s.Errorf("landed %+v, task %+v", out.Landing, out.Task)
		}
		t := s.task(sub.Task)
		if t.Status != coord.StatusDone || t.ClosedAt == nil || t.Landed == nil || t.Landed.Commit != plan.Result || t.Landed.Tree != plan.Tree || t.Landed.Target != "main" || t.Landed.Landing != h.Landing.ID {
			s.Errorf("the task says %+v, landed %+v", t.Task, t.Landed)
		}
		is(s, "submission", t.Submissions[0].State, coord.SubmissionLanded)
		s.status(sub.Integration, coord.StatusDone)
		s.status(dependent, coord.StatusReady)
	}},
	{"I1 one landing at a time per target", func(s *stage) {
		first, second := s.approved("first"), s.approved("second")
		h := s.as("alpha").hold(first.Task)
		bravo := s.as("bravo")
		s.unchanged(second.Task, func() {
			_, err := bravo.tryHold(second.Task, nil)
			s.refused(err, coord.CodeTargetHeld)
			_, err = bravo.tryHold("", nil)
			s.refused(err, coord.CodeTargetHeld, coord.CodeNothingEligible)
		})
		s.status(second.Integration, coord.StatusReady)
		m := h.merge()
		must(h.see(must(h.permit(m, passing(m.Tree)))))
		h2 := bravo.hold(second.Task)
		is(s, "last tip", h2.Target.Tip, m.Result)
	}},
	{"I1 20 integrators at once: one hold", func(s *stage) {
		for range 3 {
			s.approved("x")
		}
		crowd := s.crowd(20)
		errs := make([]error, len(crowd))
		together(len(crowd), func(i int) { _, errs[i] = crowd[i].tryHold("", nil) })
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else {
				s.refused(err, coord.CodeTargetHeld, coord.CodeNothingEligible)
			}
		}
		is(s, "holds", won, 1)
	}},
	{"two targets do not wait for each other", func(s *stage) {
		a, b := s.approved("a"), s.approved("b", target("release"))
		ha, hb := s.as("alpha").hold(a.Task), s.as("bravo").hold(b.Task)
		ma, mb := ha.merge(), hb.merge()
		pb := must(hb.permit(mb, passing(mb.Tree)))
		pa := must(ha.permit(ma, passing(ma.Tree)))
		must(hb.see(pb))
		must(ha.see(pa))
		s.status(a.Task, coord.StatusDone)
		s.status(b.Task, coord.StatusDone)
	}},
	{"the next landing passes over a held target", func(s *stage) {
		a := s.approved("a", priority(coord.PriorityUrgent))
		s.approved("a2", priority(coord.PriorityUrgent))
		b := s.approved("b", target("release"), priority(coord.PriorityLow))
		s.as("alpha").hold(a.Task)
		is(s, "the next", s.as("bravo").hold("").Task.ID, b.Task)
	}},
	{"a hold can ask for one target", func(s *stage) {
		s.approved("a", priority(coord.PriorityUrgent))
		b := s.approved("b", target("release"))
		h := must(s.as("bravo").Hold(s.ctx, coord.Hold{Key: newKey(), Project: s.project, Target: "release"}))
		is(s, "task", h.Task.ID, b.Task)
		_, err := s.as("echo").Hold(s.ctx, coord.Hold{Key: newKey(), Project: s.project, Target: "nowhere"})
		s.refused(err, coord.CodeNothingEligible)
	}},
	{"landings queue by priority", func(s *stage) {
		low := s.approved("low", priority(coord.PriorityLow))
		high := s.approved("high", priority(coord.PriorityHigh))
		var got []coord.TaskID
		for range 2 {
			h := s.as("alpha").hold("")
			got = append(got, h.Task.ID)
			m := h.merge()
			must(h.see(must(h.permit(m, passing(m.Tree)))))
		}
		is(s, "order", got, []coord.TaskID{high.Task, low.Task})
	}},
	{"V2 receipts that exist for the merged tree count", func(s *stage) {
		sub := s.approved("x")
		h := s.as("alpha").hold(sub.Task)
		plan := h.plan()
		plan.Tree = sub.Tree // what nothing else was merged with
		m := must(h.a.RecordMerge(s.ctx, plan))
		is(s, "receipts", len(m.Receipts), 1)
		must(h.see(must(h.permit(m.Landing))))
		s.status(sub.Task, coord.StatusDone)
	}},
	{"I3 no permit without receipts, and the runs are kept", func(s *stage) {
		sub := s.approved("x")
		h := s.as("alpha").hold(sub.Task)
		m := h.merge()
		_, err := h.permit(m)
		s.refused(err, coord.CodeRequirement)
		_, err = h.permit(m, failing(m.Tree))
		s.refused(err, coord.CodeRequirement)
		is(s, "check", detail(err, "check"), "test")
		kept := must(h.a.ReceiptsFor(s.ctx, s.project, m.Tree))
		if len(kept) != 1 || kept[0].Result != coord.ResultFailed || kept[0].Attempt != h.Attempt.ID {
			s.Errorf("receipts %+v", kept)
		}
		s.status(sub.Task, coord.StatusValidating)
		must(h.permit(m, passing(m.Tree)))
		is(s, "receipts", len(must(h.a.ReceiptsFor(s.ctx, s.project, m.Tree))), 2)
	}},
	{"K1 a refused permit sent again keeps its runs once", func(s *stage) {
		sub := s.approved("x")
		h := s.as("alpha").hold(sub.Task)
		m := h.merge()
		c := coord.Permit{Key: newKey(), Landing: h.Landing.ID, Fence: h.Attempt.Fence, Base: m.Base, Result: m.Result, Tree: m.Tree, Runs: []coord.Run{failing(m.Tree)}}
		for range 2 {
			_, err := h.a.Permit(s.ctx, c)
			s.refused(err, coord.CodeRequirement)
		}
		is(s, "receipts", len(must(h.a.ReceiptsFor(s.ctx, s.project, m.Tree))), 1)
	}},
	{"I3 a permit for anything but the recorded merge is refused", func(s *stage) {
		sub := s.approved("x")
		h := s.as("alpha").hold(sub.Task)
		m := h.merge()
		for _, edit := range []func(*coord.Landing){
			func(l *coord.Landing) { l.Tree = newOID() },
			func(l *coord.Landing) { l.Result = newOID() },
			func(l *coord.Landing) { l.Base = newOID() },
		} {
			other := m
			edit(&other)
			_, err := h.permit(other, passing(other.Tree))
			s.refused(err, coord.CodeStateConflict)
			s.status(sub.Task, coord.StatusValidating)
			is(s, "state", s.task(sub.Task).Landings[0].State, coord.LandingMerged)
		}
	}},
	{"I3 another tree on the target is not recorded as landed", func(s *stage) {
		sub := s.approved("x")
		h, p := s.as("alpha").publishing(sub.Task)
		for _, tree := range []coord.OID{newOID(), sub.Tree} {
			s.unchanged(sub.Task, func() {
				_, err := h.observe(coord.RecordObservation{Tip: p.Result, Contained: true, Tree: tree})
				s.refused(err, coord.CodeStateConflict)
			})
		}
		must(h.see(p))
	}},
	{"I7 someone built on it: landed by ancestry", func(s *stage) {
		sub := s.approved("x")
		h, p := s.as("alpha").publishing(sub.Task)
		out := must(h.observe(coord.RecordObservation{Tip: newOID(), Contained: true, Tree: p.Tree}))
		is(s, "state", out.Landing.State, coord.LandingLanded)
		is(s, "commit", s.task(sub.Task).Landed.Commit, p.Result)
	}},
	{"not contained: held again, and merged anew", func(s *stage) {
		sub := s.approved("x")
		h, _ := s.as("alpha").publishing(sub.Task)
		out := must(h.observe(coord.RecordObservation{Tip: newOID(), Refusal: "stale info"}))
		if out.Landing.State != coord.LandingHeld || out.Landing.Reason != "stale info" || out.Task.Status == coord.StatusDone {
			s.Errorf("got %+v, task %s", out.Landing, out.Task.Status)
		}
		s.status(sub.Task, coord.StatusIntegrating)
		m := h.merge()
		is(s, "tries", m.Tries, 2)
		_, err := h.permit(m)
		s.refused(err, coord.CodeRequirement)
		must(h.see(must(h.permit(m, passing(m.Tree)))))
		s.status(sub.Task, coord.StatusDone)
	}},
	{"I13 after three merges the target passes on, the work keeps its place", func(s *stage) {
		sub := s.approved("x")
		alpha := s.as("alpha")
		h := alpha.hold(sub.Task)
		for range coord.MaxTries {
			h.merge()
		}
		_, err := alpha.RecordMerge(s.ctx, h.plan())
		s.refused(err, coord.CodeStateConflict)
		if s.task(sub.Task).Landings[0].State.Reserves() {
			must(h.fail(coord.FailLanding{State: coord.LandingReleased, Reason: "the target keeps moving"}))
		}
		s.status(sub.Task, coord.StatusWaitingIntegration)
		again := s.as("bravo").hold(sub.Task)
		is(s, "tries", again.Landing.Tries, 0)
		again.merge()
	}},
	{"I8 already in: no commit of its own", func(s *stage) {
		sub := s.approved("x")
		h := s.as("alpha").hold(sub.Task)
		out := must(h.observe(coord.RecordObservation{Tip: newOID(), Contained: true, Tree: sub.Tree}))
		if out.Landing.State != coord.LandingLanded || !out.Landing.AlreadyIn || out.Landing.Result != sub.Commit {
			s.Errorf("got %+v", out.Landing)
		}
		is(s, "landed", s.task(sub.Task).Landed.Commit, sub.Commit)
	}},
	{"I8 landed once, whatever is said again", func(s *stage) {
		sub := s.approved("x")
		h, p := s.as("alpha").publishing(sub.Task)
		c := coord.RecordObservation{Key: newKey(), Landing: h.Landing.ID, Fence: h.Attempt.Fence, Tip: p.Result, Contained: true, Tree: p.Tree}
		first := must(h.a.RecordObservation(s.ctx, c))
		again := must(h.a.RecordObservation(s.ctx, c))
		if first.Replayed || !again.Replayed || again.Landing.State != coord.LandingLanded {
			s.Errorf("first %+v, again %+v", first, again)
		}
		s.unchanged(sub.Task, func() {
			_, err := h.see(p)
			s.refused(err, coord.CodeFenced, coord.CodeStateConflict)
			_, err = s.as("bravo").tryHold(sub.Task, nil)
			s.refused(err, coord.CodeStateConflict)
		})
	}},
}
