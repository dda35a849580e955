package servicetest

import (
	"coord"
)

var landingGuardScenes = []scene{
	{"I6 from publishing only an observation leads out", func(s *stage) {
		sub := s.approved("x")
		h, p := s.as("alpha").publishing(sub.Task)
		w := work{h.a, coord.Claimed{Attempt: h.Attempt}}
		for name, try := range map[string]func() error{
			"give back": func() error { _, err := h.fail(coord.FailLanding{State: coord.LandingReleased}); return err },
			"conflict": func() error {
				_, err := h.fail(coord.FailLanding{State: coord.LandingConflict, Conflicts: []string{"a"}})
				return err
			},
			"failed": func() error {
				_, err := h.fail(coord.FailLanding{State: coord.LandingFailed, Runs: []coord.Run{failing(p.Tree)}})
				return err
			},
			"release":     func() error { _, err := w.release(); return err },
			"merge again": func() error { _, err := h.a.RecordMerge(s.ctx, h.plan()); return err },
			"permit again": func() error {
				_, err := h.permit(p, passing(p.Tree))
				return err
			},
			"withdraw": func() error {
				_, err := h.a.Revise(s.ctx, coord.Revise{Key: newKey(), Task: sub.Task, Reason: coord.ReviseWithdrawn})
				return err
			},
		} {
			if err := try(); err == nil {
				s.Errorf("%s was allowed", name)
			}
			is(s, "state after "+name, s.task(sub.Task).Landings[0].State, coord.LandingPublishing)
		}
		must(h.see(p))
	}},
	{"commands of a landing come in order", func(s *stage) {
		sub := s.approved("x")
		h := s.as("alpha").hold(sub.Task)
		s.unchanged(sub.Task, func() {
			_, err := h.permit(coord.Landing{Base: newOID(), Result: newOID(), Tree: newOID()})
			s.refused(err, coord.CodeStateConflict)
		})
	}},
	{"L12 nobody but the holder moves a landing", func(s *stage) {
		sub := s.approved("x")
		h, p := s.as("alpha").publishing(sub.Task)
		thief := hold{s.as("echo"), h.Held}
		s.unchanged(sub.Task, func() {
			_, err := thief.see(p)
			s.refused(err, coord.CodeFenced)
			_, err = thief.observe(coord.RecordObservation{Tip: newOID()})
			s.refused(err, coord.CodeFenced)
			_, err = thief.permit(p)
			s.refused(err, coord.CodeFenced)
			_, err = thief.fail(coord.FailLanding{State: coord.LandingReleased})
			s.refused(err, coord.CodeFenced)
			_, err = thief.a.RecordMerge(s.ctx, thief.plan())
			s.refused(err, coord.CodeFenced)
		})
	}},
	{"commits from outside and a weak remote are kept", func(s *stage) {
		sub := s.approved("x")
		h := s.as("alpha").hold(sub.Task)
		plan := h.plan()
		plan.Outside = []coord.OID{newOID(), newOID()}
		m := must(h.a.RecordMerge(s.ctx, plan)).Landing
		p := must(h.permit(m, passing(m.Tree)))
		must(h.observe(coord.RecordObservation{Tip: p.Result, Contained: true, Tree: p.Tree, Weak: true}))
		l := s.task(sub.Task).Landings[0]
		is(s, "outside", l.Outside, plan.Outside)
		is(s, "weak", l.Weak, true)
	}},
	{"lessons are verified when their submission lands", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		c.Required, c.Lessons = nil, []string{"skew hides in tests"}
		must(alpha.Submit(s.ctx, c))
		must(alpha.Learn(s.ctx, coord.Learn{Key: newKey(), Project: s.project, Text: "not part of it"}))
		s.land(w.Task.ID)
		for _, l := range must(alpha.Lessons(s.ctx, coord.LessonQuery{Project: s.project})) {
			if want := l.Text == "skew hides in tests"; (l.Status == coord.LessonVerified) != want {
				s.Errorf("lesson %+v", l)
			}
		}
	}},
	{"K3 a replayed hold grants nothing", func(s *stage) {
		sub := s.approved("x")
		alpha := s.as("alpha")
		c := coord.Hold{Key: newKey(), Project: s.project, Task: sub.Task}
		first := must(alpha.Hold(s.ctx, c))
		s.unchanged(sub.Task, func() {
			again := must(alpha.Hold(s.ctx, c))
			if !again.Replayed || again.Landing.ID != first.Landing.ID || again.Attempt.ID != first.Attempt.ID || again.Attempt.Standing != coord.StandingLive {
				s.Errorf("got %+v", again)
			}
		})
		must(hold{alpha, first}.fail(coord.FailLanding{State: coord.LandingReleased, Reason: "later"}))
		s.unchanged(sub.Task, func() {
			again := must(alpha.Hold(s.ctx, c))
			if !again.Replayed || again.Attempt.Standing == coord.StandingLive {
				s.Errorf("got %+v", again)
			}
		})
		s.status(sub.Task, coord.StatusWaitingIntegration)
	}},
}
