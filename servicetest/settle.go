package servicetest

import (
	"strings"
	"time"

	"coord"
)

// settles says how a job ended that nobody observes.
func settles(svc coord.Service, s *stage, id coord.JobID, edits ...func(*coord.SettleJob)) (coord.Job, error) {
	c := coord.SettleJob{Key: newKey(), Job: id, State: coord.JobInterrupted, Evidence: "the machine was set up anew"}
	for _, edit := range edits {
		edit(&c)
	}
	return svc.SettleJob(s.ctx, c)
}

// adrift is a job that uses a gpu, of a task that was closed while it ran and
// whose session is gone; nobody has seen it within its time.
func (s *stage) adrift() (w work, r coord.RegisteredJob) {
	s.resource("gpu", "")
	w = s.newWork("alpha")
	r = must(w.job())
	must(w.ask(coord.Reserve{Wants: wantsOf("gpu"), Job: r.Job.ID}))
	must(s.reports(r, 1, coord.JobRunning))
	must(w.a.CloseSession(s.ctx, coord.CloseSession{Key: newKey()}))
	must(s.h.AsOperator().CancelTask(s.ctx, coord.CancelTask{Key: newKey(), Task: w.Task.ID, Reason: "not wanted"}))
	s.h.Advance(observe)
	s.jobIs(r.Job.ID, coord.JobUnknown)
	is(s, "held", s.taken(), map[string]int{"gpu": 1})
	return w, r
}

var settleScenes = []scene{
	{"J1 P4 a job of a closed task that nobody observes is settled by an agent, and what it used is free", func(s *stage) {
		w, r := s.adrift()
		bravo := s.as("bravo")
		key := newKey()
		same := func(c *coord.SettleJob) { c.Key = key }
		j := must(settles(bravo, s, r.Job.ID, same))
		if j.State != coord.JobInterrupted || j.EndedAt == nil || j.Settled == nil || j.Settled.By != "bravo" || j.Settled.Note != "the machine was set up anew" || !j.Settled.At.Equal(s.h.Now()) {
			s.Errorf("settled as %+v, %+v", j, j.Settled)
		}
		is(s, "held", s.taken(), map[string]int{})
		is(s, "the job", s.job(r.Job.ID), j)
		is(s, "the same again", must(settles(bravo, s, r.Job.ID, same)), j)
		told := 0
		for _, e := range s.task(w.Task.ID).Events {
			if e.Kind == coord.EventJobObserved && strings.Contains(e.Text, "bravo") && strings.Contains(e.Text, "the machine was set up anew") {
				told++
			}
		}
		is(s, "events", told, 1)
		_, err := settles(bravo, s, r.Job.ID)
		s.refused(err, coord.CodeStateConflict)
	}},
	{"J1 P4 a person settles it too", func(s *stage) {
		_, r := s.adrift()
		exit := 3
		j := must(settles(s.h.AsOperator(), s, r.Job.ID, func(c *coord.SettleJob) { c.State, c.Exit = coord.JobFailed, &exit }))
		if j.State != coord.JobFailed || *j.Exit != 3 || j.Settled == nil {
			s.Errorf("settled as %+v", j)
		}
		is(s, "held", s.taken(), map[string]int{})
	}},
	{"J1 J5 a settlement needs evidence and an end, and a job that is observed is its observer's", func(s *stage) {
		_, r := s.adrift()
		bravo := s.as("bravo")
		for _, edit := range []func(*coord.SettleJob){
			func(c *coord.SettleJob) { c.Evidence = "" },
			func(c *coord.SettleJob) { c.Evidence = strings.Repeat("x", 2001) },
			func(c *coord.SettleJob) { c.State = coord.JobRunning },
			func(c *coord.SettleJob) { c.State = coord.JobUnknown },
			func(c *coord.SettleJob) { c.State = coord.JobSucceeded },
		} {
			_, err := settles(bravo, s, r.Job.ID, edit)
			s.refused(err, coord.CodeBadRequest)
		}
		_, err := settles(bravo, s, r.Job.ID, func(c *coord.SettleJob) { c.State = coord.JobNotStarted })
		s.refused(err, coord.CodeStateConflict) // it was seen running
		_, err = settles(bravo, s, "j99999")
		s.refused(err, coord.CodeNotFound)
		for _, svc := range []coord.Service{s.h.AsReporter(s.T, r.Reporter), s.h.AsSetup()} {
			_, err = settles(svc, s, r.Job.ID)
			s.refused(err, coord.CodeNotPermitted)
		}
		is(s, "held", s.taken(), map[string]int{"gpu": 1})
		must(s.reports(r, 2, coord.JobRunning))
		_, err = settles(s.h.AsOperator(), s, r.Job.ID)
		s.refused(err, coord.CodeStateConflict)
		is(s, "look again", asError(err).RetryAfterMS, observe.Milliseconds())
		s.h.Advance(observe)
		must(settles(bravo, s, r.Job.ID))
	}},
	{"J5 an observer that comes back contradicts a settlement, and the first stays", func(s *stage) {
		_, r := s.adrift()
		must(settles(s.as("bravo"), s, r.Job.ID))
		s.effect(coord.EffectConflict)(s.reports(r, 2, coord.JobSucceeded))
		if j := s.job(r.Job.ID); j.State != coord.JobInterrupted || !j.Conflict || j.Settled == nil || j.Evidence == nil {
			s.Errorf("got %+v", j)
		}
	}},
	{"L9 J1 whoever may recover the task may settle its job, and nobody else", func(s *stage) {
		w := s.newWork("alpha")
		r, own := must(w.job()), must(w.job())
		bravo := s.as("bravo")
		try := func(want coord.Code) {
			s.Helper()
			_, err := settles(bravo, s, r.Job.ID)
			s.refused(err, want)
			if len(asError(err).Next) == 0 {
				s.Errorf("%v says not what to do next", err)
			}
			s.jobIs(r.Job.ID, coord.JobUnknown)
		}
		s.h.Advance(observe)
		try(coord.CodeTaskTaken) // alpha's lease runs
		must(settles(w.a, s, own.Job.ID))
		s.h.Advance(lease - observe)
		try(coord.CodeTaskTaken) // the grace
		s.h.Advance(grace)
		must(settles(bravo, s, r.Job.ID))
	}},
	{"L9 J1 under manual recovery a person settles the job of an owner that is gone, or releases the task first", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.Recovery = coord.RecoverManual })
		w := s.newWork("alpha")
		one, two := must(w.job()), must(w.job())
		s.h.Advance(1000 * time.Hour)
		bravo := s.as("bravo")
		_, err := settles(bravo, s, one.Job.ID)
		s.refused(err, coord.CodeNotPermitted)
		is(s, "needs", asError(err).RequiredActor, "operator")
		must(settles(s.h.AsOperator(), s, one.Job.ID))
		must(s.h.AsOperator().Release(s.ctx, coord.Release{Key: newKey(), Attempt: w.id(), Reason: "its owner is gone"}))
		must(settles(bravo, s, two.Job.ID))
	}},
	{"P4 what is reserved for a job of a task that goes on stays with the task", func(s *stage) {
		s.resource("gpu", "")
		w := s.newWork("alpha")
		r := must(w.job())
		must(w.ask(coord.Reserve{Wants: wantsOf("gpu"), Job: r.Job.ID}))
		s.h.Advance(lease + grace)
		must(settles(s.as("bravo"), s, r.Job.ID))
		is(s, "held", s.taken(), map[string]int{"gpu": 1})
	}},
}
