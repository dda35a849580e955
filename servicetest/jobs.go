package servicetest

import (
	"time"

	"coord"
)

const (
	argv    = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	observe = 5 * time.Minute
)

// job is a registration that its attempt's session sends.
func (w work) job(edits ...func(*coord.RegisterJob)) (coord.RegisteredJob, error) {
	c := coord.RegisterJob{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Name: "train", Argv: argv, Machine: "m1"}
	for _, edit := range edits {
		edit(&c)
	}
	return w.a.RegisterJob(w.a.s.ctx, c)
}

func external(id string) func(*coord.RegisterJob) {
	return func(c *coord.RegisterJob) { c.External = id }
}

// sighting is a valid observation of the state.
func sighting(j coord.JobID, seq int64, state coord.JobState) coord.ObserveJob {
	c := coord.ObserveJob{Key: newKey(), Job: j, Sequence: seq, State: state}
	exit := 0
	switch state {
	case coord.JobRunning:
		c.Process = &coord.Process{PID: 4711, Start: "b1/99"}
	case coord.JobFailed:
		exit = 2
		fallthrough
	case coord.JobSucceeded:
		c.Exit = &exit
	}
	return c
}

// saw observes as the session that holds or held the attempt.
func (w work) saw(j coord.JobID, seq int64, state coord.JobState) (coord.Observed, error) {
	c := sighting(j, seq, state)
	c.Fence = w.Attempt.Fence
	return w.a.ObserveJob(w.a.s.ctx, c)
}

// reports observes as the job's reporter.
func (s *stage) reports(r coord.RegisteredJob, seq int64, state coord.JobState) (coord.Observed, error) {
	return s.h.AsReporter(s.T, r.Reporter).ObserveJob(s.ctx, sighting(r.Job.ID, seq, state))
}

func (s *stage) job(id coord.JobID) coord.Job { return must(s.h.AsOperator().Job(s.ctx, id)) }

// jobIs wants the state of a job as anybody reads it.
func (s *stage) jobIs(id coord.JobID, want coord.JobState) {
	s.Helper()
	if got := s.job(id).State; got != want {
		s.Errorf("%s is %s, want %s", id, got, want)
	}
}

// effect wants an observation to have the effect.
func (s *stage) effect(want coord.Effect) func(coord.Observed, error) {
	s.Helper()
	return func(o coord.Observed, err error) {
		s.Helper()
		if err != nil || o.Effect != want {
			s.Errorf("the observation is %q, %v; want %s", o.Effect, err, want)
		}
	}
}

// recovered is the task in the hands of another session after its owner's
// lease ended.
func (w work) recovered(by *actor) work {
	w.a.s.h.Advance(lease + grace)
	r := &coord.Recovery{Generation: w.Attempt.Generation, Disposition: coord.DispositionRestart, Reason: "gone"}
	return work{by, must(by.try(w.Task.ID, r))}
}

var jobScenes = []scene{
	{"J4 a job is registered before it is launched, with a reporter of its own", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job(external("ci/7")))
		j := r.Job
		if j.State != coord.JobRegistered || j.Task != w.Task.ID || j.Attempt != w.id() || j.Project != s.project || j.External != "ci/7" || j.Process != nil || time.Duration(j.ObserveEvery) != observe {
			s.Errorf("got %+v", j)
		}
		if coord.CheckToken(r.Reporter) != nil || coord.TokenRole(r.Reporter) != coord.RoleReporter || r.ReporterShown {
			s.Errorf("its credential is %q, shown before: %v", r.Reporter, r.ReporterShown)
		}
		is(s, "job", s.job(j.ID), j)
		is(s, "obligations", s.task(w.Task.ID).Obligations.Jobs, []coord.Job{j})
		is(s, "list", must(alpha.ListJobs(s.ctx, coord.JobQuery{Project: s.project})), []coord.Job{j})
	}},
	{"J4 K6 a registration that is repeated has one effect, and shows the credential once", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		key := newKey()
		same := func(c *coord.RegisterJob) { c.Key = key }
		first, again := must(w.job(same)), must(w.job(same))
		if again.Job.ID != first.Job.ID || again.Reporter != "" || !again.ReporterShown {
			s.Errorf("again: %+v", again)
		}
		is(s, "jobs", len(must(alpha.ListJobs(s.ctx, coord.JobQuery{Project: s.project}))), 1)
	}},
	{"fault 54: the same external id is the same record", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		first, again := must(w.job(external("ci/7"))), must(w.job(external("ci/7")))
		is(s, "job", again.Job, first.Job)
		if again.Reporter != "" || !again.ReporterShown {
			s.Error("a second credential was shown")
		}
		_, err := w.job(external("ci/7"), func(c *coord.RegisterJob) { c.Argv = "f" + argv[1:] })
		s.refused(err, coord.CodeStateConflict)
		w2 := bravo.start(bravo.newTask("y").ID)
		_, err = w2.job(external("ci/7"))
		s.refused(err, coord.CodeStateConflict)
		is(s, "jobs", len(must(alpha.ListJobs(s.ctx, coord.JobQuery{Project: s.project}))), 1)
	}},
	{"J4 L4 only a live attempt registers", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		_, err := work{bravo, w.Claimed}.job()
		s.refused(err, coord.CodeFenced)
		s.h.Advance(lease)
		_, err = w.job()
		s.refused(err, coord.CodeLeaseExpired)
		is(s, "jobs", len(must(alpha.ListJobs(s.ctx, coord.JobQuery{Project: s.project}))), 0)
	}},
	{"J1 a reporter says what it saw, until the end", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		s.effect(coord.EffectCounted)(s.reports(r, 1, coord.JobRunning))
		s.jobIs(r.Job.ID, coord.JobRunning)
		s.effect(coord.EffectCounted)(s.reports(r, 2, coord.JobSucceeded))
		j := s.job(r.Job.ID)
		if j.State != coord.JobSucceeded || j.Exit == nil || *j.Exit != 0 || j.EndedAt == nil || j.Sequence != 2 || j.Process == nil || j.Process.PID != 4711 {
			s.Errorf("got %+v", j)
		}
		is(s, "obligations", s.task(w.Task.ID).Obligations, coord.Obligations{})
		is(s, "open jobs", len(must(alpha.ListJobs(s.ctx, coord.JobQuery{Project: s.project, Open: true}))), 0)
	}},
	{"a reporter observes its job and does nothing else", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r, other := must(w.job()), must(w.job())
		rep := s.h.AsReporter(s.T, r.Reporter)
		_, err := rep.ObserveJob(s.ctx, sighting(other.Job.ID, 1, coord.JobRunning))
		s.refused(err, coord.CodeNotPermitted)
		for _, try := range []func() error{
			func() error { _, err := rep.Job(s.ctx, r.Job.ID); return err },
			func() error { _, err := rep.Task(s.ctx, w.Task.ID); return err },
			func() error { _, err := rep.ListJobs(s.ctx, coord.JobQuery{Project: s.project}); return err },
			func() error {
				_, err := rep.Renew(s.ctx, coord.Renew{Attempt: w.id(), Fence: w.Attempt.Fence})
				return err
			},
			func() error {
				_, err := rep.RegisterJob(s.ctx, coord.RegisterJob{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Name: "x", Argv: argv, Machine: "m1"})
				return err
			},
			func() error {
				_, err := rep.Unreserve(s.ctx, coord.Unreserve{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence})
				return err
			},
		} {
			s.refused(try(), coord.CodeNotPermitted, coord.CodeSessionUnknown, coord.CodeSetup)
		}
		s.jobIs(other.Job.ID, coord.JobRegistered)
	}},
	{"J1 the session observes under its fence, live or expired, until it is superseded", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		s.effect(coord.EffectCounted)(w.saw(r.Job.ID, 1, coord.JobRunning))
		s.h.Advance(lease)
		s.effect(coord.EffectCounted)(w.saw(r.Job.ID, 2, coord.JobRunning))
		_, err := w.renew()
		s.refused(err, coord.CodeLeaseExpired) // it grants nothing
		s.effect(coord.EffectCounted)(w.saw(r.Job.ID, 3, coord.JobFailed))
		s.jobIs(r.Job.ID, coord.JobFailed)
	}},
	{"J1 who never held the attempt does not observe", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		_, err := work{bravo, w.Claimed}.saw(r.Job.ID, 1, coord.JobFailed)
		s.refused(err, coord.CodeFenced)
		elsewhere := bravo.start(bravo.newTask("y").ID)
		_, err = elsewhere.saw(r.Job.ID, 1, coord.JobFailed)
		s.refused(err, coord.CodeFenced)
		c := sighting(r.Job.ID, 1, coord.JobFailed)
		_, err = alpha.ObserveJob(s.ctx, c) // without a fence
		s.refused(err, coord.CodeFenced)
		c.Key, c.Fence = newKey(), coord.Fence{Epoch: w.Attempt.Fence.Epoch + 1, Generation: 1}
		_, err = alpha.ObserveJob(s.ctx, c)
		s.refused(err, coord.CodeEpochChanged)
		s.jobIs(r.Job.ID, coord.JobRegistered)
	}},
	{"fault 50: J2 a job whose observer died is unknown, never failed, and goes on when it is seen again", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		must(s.reports(r, 1, coord.JobRunning))
		seq := s.task(w.Task.ID).AsOf
		s.h.Advance(observe - 1)
		s.jobIs(r.Job.ID, coord.JobRunning)
		s.h.Advance(1)
		s.jobIs(r.Job.ID, coord.JobUnknown)
		s.h.Advance(1000 * time.Hour)
		s.jobIs(r.Job.ID, coord.JobUnknown)
		is(s, "sequence", s.task(w.Task.ID).AsOf, seq) // nothing was written
		is(s, "open", must(alpha.ListJobs(s.ctx, coord.JobQuery{Project: s.project, Open: true}))[0].State, coord.JobUnknown)
		s.effect(coord.EffectCounted)(s.reports(r, 2, coord.JobSucceeded))
		s.jobIs(r.Job.ID, coord.JobSucceeded)
	}},
	{"J4 a launch that nobody saw is unknown and keeps its record", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job(external("ci/7")))
		s.h.Advance(observe)
		s.jobIs(r.Job.ID, coord.JobUnknown)
		is(s, "job", must(w.job(external("ci/7"))).Job.ID, r.Job.ID)
		s.effect(coord.EffectCounted)(s.reports(r, 1, coord.JobNotStarted))
		s.jobIs(r.Job.ID, coord.JobNotStarted)
	}},
	{"J1 job.observed is an event when the state changed, and only then", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		count := func() (n int) {
			for _, e := range s.task(w.Task.ID).Events {
				if e.Kind == coord.EventJobObserved {
					n++
				}
			}
			return n
		}
		must(s.reports(r, 1, coord.JobRunning))
		must(s.reports(r, 2, coord.JobRunning))
		must(s.reports(r, 3, coord.JobRunning))
		is(s, "events", count(), 1)
		must(s.reports(r, 4, coord.JobInterrupted))
		must(s.reports(r, 5, coord.JobInterrupted))
		is(s, "events", count(), 2)
	}},
	{"J1 observations count in their order", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		must(s.reports(r, 5, coord.JobRunning))
		_, err := s.reports(r, 5, coord.JobSucceeded)
		s.refused(err, coord.CodeStateConflict)
		is(s, "the latest", detail(err, "sequence"), "5")
		_, err = s.reports(r, 6, coord.JobNotStarted)
		s.refused(err, coord.CodeStateConflict)
		s.jobIs(r.Job.ID, coord.JobRunning)
	}},
	{"fault 53: J1 after the end it does not run", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		must(s.reports(r, 1, coord.JobFailed))
		before := s.job(r.Job.ID)
		_, err := s.reports(r, 2, coord.JobRunning)
		s.refused(err, coord.CodeStateConflict)
		is(s, "job", s.job(r.Job.ID), before)
	}},
	{"fault 51: J1 a job that ended unobserved is reported by whoever took it over", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		must(s.reports(r, 1, coord.JobRunning))
		w2 := w.recovered(bravo)
		s.jobIs(r.Job.ID, coord.JobUnknown)
		must(w2.adopt())
		s.effect(coord.EffectCounted)(w2.saw(r.Job.ID, 2, coord.JobSucceeded))
		j := s.job(r.Job.ID)
		if j.State != coord.JobSucceeded || j.EndedAt == nil || j.Exit == nil || j.Attempt != w2.id() {
			s.Errorf("got %+v", j)
		}
	}},
	{"fault 52: J3 what a superseded attempt says is evidence: no state, no task, no lease", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		must(s.reports(r, 1, coord.JobRunning))
		w2 := w.recovered(bravo)
		before, own := s.task(w.Task.ID), s.job(r.Job.ID)
		s.effect(coord.EffectEvidence)(w.saw(r.Job.ID, 2, coord.JobFailed))
		s.effect(coord.EffectEvidence)(s.reports(r, 3, coord.JobFailed))
		s.effect(coord.EffectEvidence)(w2.saw(r.Job.ID, 4, coord.JobRunning)) // not adopted yet
		after := s.task(w.Task.ID)
		before.Obligations, after.Obligations = coord.Obligations{}, coord.Obligations{}
		is(s, "task", after, before)
		j := s.job(r.Job.ID)
		if j.Evidence == nil || j.Evidence.State != coord.JobRunning || j.Evidence.Effect != coord.EffectEvidence || j.Evidence.By != "bravo" {
			s.Errorf("the evidence is %+v", j.Evidence)
		}
		j.Evidence = nil
		is(s, "job", j, own)

		must(w2.adopt())
		s.effect(coord.EffectEvidence)(w.saw(r.Job.ID, 2, coord.JobFailed))
		s.effect(coord.EffectCounted)(w2.saw(r.Job.ID, 2, coord.JobSucceeded))
		s.effect(coord.EffectEvidence)(w.saw(r.Job.ID, 9, coord.JobFailed))
		j = s.job(r.Job.ID)
		if j.State != coord.JobSucceeded || j.Conflict || j.Evidence == nil || j.Evidence.State != coord.JobFailed || *j.Evidence.Exit != 2 || j.Evidence.By != "alpha" {
			s.Errorf("got %+v, evidence %+v", j, j.Evidence)
		}
		is(s, "blockers", len(s.task(w.Task.ID).Blockers), 0)
	}},
	{"fault 52: J5 two final states of whoever may speak: the first stays, and the task is blocked", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		s.effect(coord.EffectCounted)(s.reports(r, 1, coord.JobSucceeded))
		s.effect(coord.EffectConflict)(w.saw(r.Job.ID, 2, coord.JobFailed))
		s.effect(coord.EffectConflict)(s.reports(r, 3, coord.JobInterrupted))
		j := s.job(r.Job.ID)
		if j.State != coord.JobSucceeded || *j.Exit != 0 || !j.Conflict || j.Sequence != 1 || j.Evidence == nil || j.Evidence.State != coord.JobInterrupted {
			s.Errorf("got %+v", j)
		}
		t := s.task(w.Task.ID)
		if len(t.Blockers) != 1 || t.Blockers[0].Kind != coord.BlockedByEvidence {
			s.Errorf("blockers %+v", t.Blockers)
		}
		is(s, "the owner", t.Owner.Standing, coord.StandingLive)
	}},
	{"J5 a contradiction about a closed task is marked and blocks nothing", func(s *stage) {
		author, alpha := s.as("author"), s.as("alpha")
		sub := author.start(author.newTask("x").ID).submit()
		w := alpha.start(sub.Reviews[0])
		r := must(w.job())
		must(s.reports(r, 1, coord.JobSucceeded))
		must(w.review(coord.VerdictApproved))
		s.effect(coord.EffectConflict)(s.reports(r, 2, coord.JobFailed))
		t := s.task(sub.Reviews[0])
		if t.Status != coord.StatusDone || len(t.Blockers) != 0 || !s.job(r.Job.ID).Conflict {
			s.Errorf("the review is %s, blockers %v", t.Status, t.Blockers)
		}
	}},
	{"K1 an observation that is repeated is one", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		rep := s.h.AsReporter(s.T, r.Reporter)
		c := sighting(r.Job.ID, 1, coord.JobSucceeded)
		must(rep.ObserveJob(s.ctx, c))
		s.effect(coord.EffectCounted)(rep.ObserveJob(s.ctx, c))
	}},
	{"the session that resumes its task goes on to answer for its jobs", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		r := must(w.job())
		s.h.Advance(lease)
		w2 := must(w.resume())
		is(s, "obligations", w2.Obligations, coord.Obligations{})
		is(s, "attempt", s.job(r.Job.ID).Attempt, w2.id())
		s.effect(coord.EffectCounted)(s.reports(r, 1, coord.JobRunning))
		s.effect(coord.EffectCounted)(w2.saw(r.Job.ID, 2, coord.JobRunning))
	}},
	{"lists are bounded, newest first, by task", func(s *stage) {
		alpha := s.as("alpha")
		w, v := alpha.start(alpha.newTask("x").ID), alpha.start(alpha.newTask("y").ID)
		var ids []coord.JobID
		for range 3 {
			ids = append(ids, must(w.job()).Job.ID)
		}
		must(v.job())
		of := func(q coord.JobQuery) (out []coord.JobID) {
			q.Project = s.project
			for _, j := range must(alpha.ListJobs(s.ctx, q)) {
				out = append(out, j.ID)
			}
			return out
		}
		is(s, "of the task", of(coord.JobQuery{Task: w.Task.ID}), []coord.JobID{ids[2], ids[1], ids[0]})
		is(s, "two", of(coord.JobQuery{Task: w.Task.ID, Limit: 2}), []coord.JobID{ids[2], ids[1]})
		is(s, "all", len(of(coord.JobQuery{})), 4)
		_, err := alpha.ListJobs(s.ctx, coord.JobQuery{Project: "nosuch"})
		s.refused(err, coord.CodeNotFound)
		_, err = alpha.Job(s.ctx, "j99999")
		s.refused(err, coord.CodeNotFound)
		_, err = alpha.Job(s.ctx, "12")
		s.refused(err, coord.CodeNotFound)
	}},
}
