package servicetest

import (
	"time"

	"coord"
)

var obligationScenes = []scene{
	{"L9 P4 J3 recovery shows what was left, unadopted, and adoption moves it", func(s *stage) {
		s.resource("gpu", "")
		s.resource("db", "")
		w := s.newWork("alpha")
		r := must(w.job())
		must(w.ask(coord.Reserve{Wants: wantsOf("gpu"), Job: r.Job.ID}))
		must(w.reserve("db"))
		bravo := s.as("bravo")
		w2 := w.recovered(bravo)
		o := w2.Obligations
		if len(o.Jobs) != 1 || o.Jobs[0].ID != r.Job.ID || o.Jobs[0].State != coord.JobUnknown || o.Jobs[0].Attempt != w.id() || len(o.Reservations) != 2 {
			s.Fatalf("obligations %+v", o)
		}
		got := must(w2.adopt(func(c *coord.Adopt) { c.Jobs = []coord.JobID{r.Job.ID, r.Job.ID} }))
		if len(got.Jobs) != 1 || got.Jobs[0].Attempt != w2.id() || len(got.Reservations) != 1 || got.Reservations[0].Resource != "gpu" || got.Reservations[0].Attempt != w2.id() {
			s.Errorf("adopted %+v", got)
		}
		again := must(bravo.try(w.Task.ID, nil))
		if len(again.Obligations.Jobs) != 0 || len(again.Obligations.Reservations) != 1 || again.Obligations.Reservations[0].Resource != "db" {
			s.Errorf("left %+v", again.Obligations)
		}
		s.effect(coord.EffectCounted)(s.reports(r, 1, coord.JobRunning))
	}},
	{"P4 a job that may still run keeps its reservation past its attempt, and gives it back when it ends", func(s *stage) {
		s.resource("gpu", "")
		s.resource("db", "")
		w := s.newWork("alpha")
		r := must(w.job())
		n := must(w.ask(coord.Reserve{Wants: wantsOf("gpu"), Job: r.Job.ID})).Reservations[0]
		is(s, "job", n.Job, r.Job.ID)
		must(w.reserve("db"))
		_, err := w.unreserve(n.ID)
		s.refused(err, coord.CodeStateConflict)
		w.submit()
		is(s, "after the submission", s.taken(), map[string]int{"gpu": 1})
		s.h.Advance(1000 * time.Hour)
		is(s, "unknown", s.taken(), map[string]int{"gpu": 1})
		s.effect(coord.EffectCounted)(s.reports(r, 1, coord.JobFailed))
		is(s, "after the job", s.taken(), map[string]int{})
	}},
	{"P4 what a job of a live attempt used stays with the attempt", func(s *stage) {
		s.resource("gpu", "")
		w := s.newWork("alpha")
		r := must(w.job())
		must(w.ask(coord.Reserve{Wants: wantsOf("gpu"), Job: r.Job.ID}))
		is(s, "given back", len(must(w.unreserve())), 0)
		must(s.reports(r, 1, coord.JobSucceeded))
		is(s, "held", s.taken(), map[string]int{"gpu": 1})
		is(s, "given back", len(must(w.unreserve())), 1)
		_, err := w.ask(coord.Reserve{Wants: wantsOf("gpu"), Job: r.Job.ID})
		s.refused(err, coord.CodeStateConflict)
	}},
	{"P4 a reservation is for a job of its own attempt", func(s *stage) {
		s.resource("gpu", "")
		v, w := s.newWork("alpha"), s.newWork("bravo")
		r := must(v.job())
		_, err := w.ask(coord.Reserve{Wants: wantsOf("gpu"), Job: r.Job.ID})
		s.refused(err, coord.CodeStateConflict)
		_, err = v.ask(coord.Reserve{Wants: wantsOf("gpu"), Job: "j99999"})
		s.refused(err, coord.CodeNotFound)
		is(s, "held", s.taken(), map[string]int{})
	}},
	{"P4 a job that nobody sees may be given up by name", func(s *stage) {
		s.resource("gpu", "")
		w := s.newWork("alpha")
		r := must(w.job())
		n := must(w.ask(coord.Reserve{Wants: wantsOf("gpu"), Job: r.Job.ID})).Reservations[0]
		s.h.Advance(observe)
		is(s, "not by itself", len(must(w.unreserve())), 0)
		must(w.unreserve(n.ID))
		is(s, "held", s.taken(), map[string]int{})
		s.jobIs(r.Job.ID, coord.JobUnknown)
	}},
	{"P4 a revoked attempt frees nothing and stops no job", func(s *stage) {
		s.resource("gpu", "")
		token := must(s.h.AsPerson(s.T).IssueToken(s.ctx, coord.IssueToken{Key: newKey(), Principal: coord.PrincipalID("agent of " + s.project), Role: coord.RoleAgent, Label: "l"}))
		a := &actor{s.h.Under(s.T, token.Secret, "alpha"), s, "alpha"}
		w := a.start(a.newTask("x").ID)
		r := must(w.job())
		must(w.reserve("gpu"))
		must(s.h.AsPerson(s.T).RevokeToken(s.ctx, coord.RevokeToken{Key: newKey(), ID: token.Token.ID, Reason: "leaked"}))
		is(s, "held", s.taken(), map[string]int{"gpu": 1})
		s.effect(coord.EffectCounted)(s.reports(r, 1, coord.JobRunning))
		bravo := s.as("bravo")
		w2 := work{bravo, must(bravo.try(w.Task.ID, nil))}
		if o := w2.Obligations; len(o.Jobs) != 1 || len(o.Reservations) != 1 {
			s.Fatalf("obligations %+v", o)
		}
		s.effect(coord.EffectEvidence)(s.reports(r, 2, coord.JobRunning))
		must(w2.adopt())
		must(w2.release())
		is(s, "held", s.taken(), map[string]int{})
	}},
	{"a job that is over stays its attempt's", func(s *stage) {
		w := s.newWork("alpha")
		r := must(w.job())
		s.effect(coord.EffectCounted)(s.reports(r, 1, coord.JobFailed))
		s.h.Advance(lease + grace)
		w2 := w.recovered(s.as("bravo"))
		_, err := w2.adopt(func(c *coord.Adopt) { c.Jobs = []coord.JobID{r.Job.ID} })
		s.refused(err, coord.CodeStateConflict)
		is(s, "answers", s.job(r.Job.ID).Attempt, w.id())
	}},
	{"P4 a landing that is stopped frees what it held", func(s *stage) {
		s.resource("gpu", "")
		sub := s.approved("x")
		alpha := s.as("alpha")
		held := must(alpha.Hold(s.ctx, coord.Hold{Key: newKey(), Project: s.project, Task: sub.Task}))
		must(work{alpha, coord.Claimed{Attempt: held.Attempt}}.reserve("gpu"))
		must(s.h.AsOperator().WithdrawApproval(s.ctx, coord.WithdrawApproval{Key: newKey(), Review: s.task(sub.Task).Reviews[0].ID, Reason: "it was hasty"}))
		is(s, "held", s.taken(), map[string]int{})
	}},
	{"the session that resumes its task keeps what it holds", func(s *stage) {
		s.resource("gpu", "")
		w := s.newWork("alpha")
		must(w.reserve("gpu"))
		s.h.Advance(lease)
		w2 := must(w.resume())
		is(s, "obligations", w2.Obligations, coord.Obligations{})
		is(s, "held", s.taken(), map[string]int{"gpu": 1})
		must(w2.release())
		is(s, "held", s.taken(), map[string]int{})
	}},
	{"only what the task left is adopted, and what is over is not", func(s *stage) {
		s.resource("x", "")
		s.resource("y", "")
		v, w := s.newWork("alpha"), s.newWork("bravo")
		r := must(v.job())
		n := must(v.reserve("x")).Reservations[0]
		_, err := w.adopt(func(c *coord.Adopt) { c.Jobs = []coord.JobID{r.Job.ID} })
		s.refused(err, coord.CodeStateConflict)
		_, err = w.adopt(func(c *coord.Adopt) { c.Reservations = []coord.ReservationID{n.ID} })
		s.refused(err, coord.CodeStateConflict)
		own := must(v.adopt(func(c *coord.Adopt) { c.Jobs, c.Reservations = []coord.JobID{r.Job.ID}, []coord.ReservationID{n.ID} }))
		is(s, "its own", own.Reservations[0].Attempt, v.id())
		must(v.unreserve())
		_, err = v.adopt(func(c *coord.Adopt) { c.Reservations = []coord.ReservationID{n.ID} })
		s.refused(err, coord.CodeStateConflict)
		is(s, "nothing left", must(v.adopt()), coord.Obligations{})
	}},
}
