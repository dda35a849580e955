package servicetest

import (
	"slices"
	"time"

	"coord"
)

// question is what scenes ask, of the tasks that they name.
func (s *stage) question(tasks ...coord.TaskID) coord.Ask {
	return coord.Ask{Key: newKey(), Project: s.project, Question: "Which parser?", Options: []string{"the old one", "the new one"}, Tasks: tasks}
}

func (a *actor) ask(c coord.Ask) coord.Decision { return must(a.Ask(a.s.ctx, c)) }

func (s *stage) answer(by coord.Service, d coord.Decision, option string) (coord.Decision, error) {
	return by.Decide(s.ctx, coord.Decide{Key: newKey(), Project: s.project, Decision: d.ID, Option: option, Note: "it is faster"})
}

func (s *stage) decision(id coord.DecisionID) coord.Decision {
	return must(s.h.AsOperator().Decision(s.ctx, s.project, id))
}

// parked wants the task to be blocked by exactly these decisions.
func (s *stage) parked(id coord.TaskID, by ...coord.DecisionID) {
	s.Helper()
	t := s.task(id)
	var got []coord.DecisionID
	for _, b := range t.Blockers {
		got = append(got, b.Decision)
	}
	is(s, "what parks "+string(id), got, by)
	if want := len(by) > 0; (t.Status == coord.StatusBlocked) != want {
		s.Errorf("%s is %s", id, t.Status)
	}
}

// timed goes on in a project where recommendations may stand.
func (s *stage) timed() {
	p := policy(coord.ReviewAgent)
	p.TimedAnswers = true
	s.project = s.h.Project(s.T, p)
}

// recommending is a question whose recommendation stands in two hours.
func (s *stage) recommending(tasks ...coord.TaskID) coord.Ask {
	c := s.question(tasks...)
	c.Recommendation, c.Reversible, c.StandsIn = c.Options[1], true, coord.Duration(2*time.Hour)
	return c
}

var decisionScenes = []scene{
	{"a question parks what it names, and everything else goes on", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		x, y := alpha.newTask("x").ID, alpha.newTask("y").ID
		d := alpha.ask(s.question(x, x))
		is(s, "state", d.State, coord.DecisionOpen)
		is(s, "tasks", d.Tasks, []coord.TaskID{x})
		is(s, "asked by", d.AskedBy, "alpha")
		is(s, "required actor", d.RequiredActor, coord.ActorEither)
		s.parked(x, d.ID)
		_, err := bravo.try(x, nil)
		s.refused(err, coord.CodeStateConflict)
		is(s, "next", asError(err).Next[0], "coord decide "+string(d.ID)+" OPTION")
		is(s, "what goes on", must(bravo.next(coord.KindCode)).Task.ID, y)
		is(s, "second", alpha.ask(s.question()).ID, coord.DecisionID("D2"))
	}},
	{"V8 the answer lifts what names the decision and nothing else", func(s *stage) {
		alpha := s.as("alpha")
		x, y := alpha.newTask("x").ID, alpha.newTask("y").ID
		first, second := alpha.ask(s.question(x, y)), alpha.ask(s.question(x))
		s.h.Advance(time.Hour)
		d := must(s.answer(s.as("bravo"), first, "the new one"))
		if d.State != coord.DecisionAnswered || d.Answer == nil || d.Answer.Option != "the new one" || d.Answer.By != "bravo" || d.Answer.Actor != coord.ActorAgent || d.Answer.Note != "it is faster" {
			s.Errorf("%+v", d)
		}
		s.parked(x, second.ID)
		s.parked(y)
		if since := s.task(y).ReadySince; since == nil || !since.Equal(s.h.Now()) {
			s.Errorf("%s is ready since %v", y, since)
		}
		b := s.task(y).Blocked
		if len(b) != 1 || b[0].LiftedAt == nil || b[0].LiftedBy != "bravo" || b[0].Reason != "D1: the new one" {
			s.Errorf("lifted %+v", b)
		}
		must(s.answer(s.as("bravo"), second, "the old one"))
		s.parked(x)
	}},
	{"V8 an answer is not changed, only superseded", func(s *stage) {
		alpha := s.as("alpha")
		x := alpha.newTask("x").ID
		d := alpha.ask(s.question(x))
		before := must(s.answer(alpha, d, "the old one"))
		_, err := s.answer(s.h.AsOperator(), d, "the new one")
		s.refused(err, coord.CodeStateConflict)
		is(s, "after", s.decision(d.ID), before)
		again := s.question()
		again.Supersedes = d.ID
		e := alpha.ask(again)
		s.parked(x, e.ID) // what the old one parked comes up again
		old := s.decision(d.ID)
		is(s, "state", old.State, coord.DecisionSuperseded)
		is(s, "superseded by", old.SupersededBy, e.ID)
		is(s, "the answer stays", old.Answer, before.Answer)
		_, err = alpha.Ask(s.ctx, func() coord.Ask { again.Key = newKey(); return again }())
		s.refused(err, coord.CodeStateConflict)
	}},
	{"a superseded question parks nothing any more, its tasks wait for the new one", func(s *stage) {
		alpha := s.as("alpha")
		x, y, done := alpha.newTask("x").ID, alpha.newTask("y").ID, alpha.newTask("z").ID
		d := alpha.ask(s.question(x))
		c := s.question(y, done)
		c.Supersedes = d.ID
		e := alpha.ask(c)
		is(s, "tasks", e.Tasks, []coord.TaskID{x, y, done})
		s.parked(x, e.ID)
		is(s, "why", s.task(x).Blocked[0].Reason, "superseded by D2")
		_, err := s.answer(alpha, d, "the old one")
		s.refused(err, coord.CodeStateConflict)
		must(s.answer(alpha, e, "the old one"))
		s.parked(x)
		s.parked(y)
	}},
	{"an agent never answers for a person", func(s *stage) {
		alpha := s.as("alpha")
		x := alpha.newTask("x").ID
		c := s.question(x)
		c.RequiredActor = coord.ActorHuman
		d := alpha.ask(c)
		s.unchanged(x, func() {
			_, err := s.answer(alpha, d, "the old one")
			s.refused(err, coord.CodeNotPermitted)
			is(s, "required actor", asError(err).RequiredActor, "operator")
			again := s.question(x)
			again.Supersedes = d.ID
			_, err = alpha.Ask(s.ctx, again)
			s.refused(err, coord.CodeNotPermitted)
			_, err = s.answer(s.h.AsSetup(), d, "the old one")
			s.refused(err, coord.CodeNotPermitted)
		})
		is(s, "a person's", must(s.answer(s.h.AsOperator(), d, "the old one")).Answer.Actor, coord.ActorHuman)
		s.parked(x)
	}},
	{"an answer is one of the options, word for word", func(s *stage) {
		alpha := s.as("alpha")
		d := alpha.ask(s.question())
		for _, option := range []string{"The old one", "the old", "both"} {
			_, err := s.answer(alpha, d, option)
			s.refused(err, coord.CodeBadRequest)
		}
		_, err := alpha.Decide(s.ctx, coord.Decide{Key: newKey(), Project: s.project, Decision: "D9", Option: "x"})
		s.refused(err, coord.CodeNotFound)
		is(s, "state", s.decision(d.ID).State, coord.DecisionOpen)
	}},
	{"a question names open tasks of its project", func(s *stage) {
		alpha := s.as("alpha")
		x := alpha.newTask("x").ID
		landed := s.approved("landed")
		s.land(landed.Task)
		for _, id := range []coord.TaskID{landed.Task, coord.NewTaskID(s.project, 999), "other-1"} {
			_, err := alpha.Ask(s.ctx, s.question(x, id))
			s.refused(err, coord.CodeStateConflict, coord.CodeNotFound)
		}
		s.parked(x)
		is(s, "decisions", len(must(alpha.ListDecisions(s.ctx, coord.DecisionQuery{Project: s.project}))), 0)
	}},
	{"an expired question keeps its tasks parked until it is asked anew", func(s *stage) {
		alpha := s.as("alpha")
		x := alpha.newTask("x").ID
		c := s.question(x)
		c.ExpiresIn = coord.Duration(time.Hour)
		d := alpha.ask(c)
		s.h.Advance(time.Hour - 1)
		is(s, "before", s.decision(d.ID).State, coord.DecisionOpen)
		s.h.Advance(1)
		is(s, "after", s.decision(d.ID).State, coord.DecisionExpired)
		_, err := s.answer(alpha, d, "the old one")
		s.refused(err, coord.CodeStateConflict)
		is(s, "next", asError(err).Next[0], "coord ask --supersedes D1")
		s.parked(x, d.ID)
		is(s, "lifted by", s.task(x).Blockers[0].Reopen, "coord ask --supersedes D1")
		again := s.question()
		again.Supersedes = d.ID
		e := alpha.ask(again)
		s.parked(x, e.ID)
		must(s.answer(alpha, e, "the old one"))
		s.parked(x)
	}},
	{"a recommendation stands when nobody answers and the policy lets it", func(s *stage) {
		s.timed()
		alpha := s.as("alpha")
		x := alpha.newTask("x").ID
		d := alpha.ask(s.recommending(x))
		s.h.Advance(2*time.Hour - 1)
		alpha.newTask("somebody comes by")
		is(s, "before", s.decision(d.ID).State, coord.DecisionOpen)
		s.h.Advance(1)
		is(s, "claimed", must(s.as("bravo").try(x, nil)).Task.ID, x) // it is settled ahead of the claim
		got := s.decision(d.ID)
		is(s, "after", got.State, coord.DecisionAnswered)
		if got.Answer == nil {
			return
		}
		want := &coord.Answer{Option: "the new one", By: "nobody", Actor: coord.ActorTimeout, Note: got.Answer.Note, At: s.h.Now()}
		is(s, "answer", got.Answer, want)
		is(s, "blocker", s.task(x).Blocked[0].LiftedBy, "timeout")
	}},
	{"a recommendation does not stand where the policy is silent, or after an answer", func(s *stage) {
		alpha := s.as("alpha")
		x := alpha.newTask("x").ID
		d := alpha.ask(s.recommending(x))
		s.h.Advance(3 * time.Hour)
		alpha.newTask("somebody comes by")
		is(s, "state", s.decision(d.ID).State, coord.DecisionOpen)
		s.parked(x, d.ID)

		s.timed()
		alpha = s.as("alpha")
		answered := alpha.ask(s.recommending())
		must(s.answer(alpha, answered, "the old one"))
		s.h.Advance(3 * time.Hour)
		alpha.newTask("somebody comes by")
		is(s, "the answer", s.decision(answered.ID).Answer.Option, "the old one")
	}},
	{"decisions: open ones first, newest first, by state and by task", func(s *stage) {
		alpha := s.as("alpha")
		x := alpha.newTask("x").ID
		first, second := alpha.ask(s.question(x)), alpha.ask(s.question())
		expires := s.question(x)
		expires.ExpiresIn = coord.Duration(time.Minute)
		third := alpha.ask(expires)
		s.h.Advance(time.Minute)
		must(s.answer(alpha, second, "the old one"))
		fourth := alpha.ask(s.question())
		ids := func(q coord.DecisionQuery) (out []coord.DecisionID) {
			q.Project = s.project
			for _, d := range must(alpha.ListDecisions(s.ctx, q)) {
				out = append(out, d.ID)
			}
			return out
		}
		is(s, "all", ids(coord.DecisionQuery{}), []coord.DecisionID{fourth.ID, first.ID, third.ID, second.ID})
		is(s, "two", ids(coord.DecisionQuery{Limit: 2}), []coord.DecisionID{fourth.ID, first.ID})
		is(s, "of the task", ids(coord.DecisionQuery{Task: x}), []coord.DecisionID{first.ID, third.ID})
		for state, want := range map[coord.DecisionState][]coord.DecisionID{
			coord.DecisionOpen: {fourth.ID, first.ID}, coord.DecisionExpired: {third.ID}, coord.DecisionAnswered: {second.ID}, coord.DecisionSuperseded: nil,
		} {
			is(s, string(state), ids(coord.DecisionQuery{State: state}), want)
		}
		is(s, "in the record", len(s.task(x).Decisions), 2)
	}},
	{"K1 a question asked twice is one question", func(s *stage) {
		alpha := s.as("alpha")
		x := alpha.newTask("x").ID
		c := s.question(x)
		d := alpha.ask(c)
		is(s, "again", alpha.ask(c), d)
		a := coord.Decide{Key: newKey(), Project: s.project, Decision: d.ID, Option: "the old one"}
		answered := must(alpha.Decide(s.ctx, a))
		is(s, "answered again", must(alpha.Decide(s.ctx, a)), answered)
		is(s, "replayed after the answer", alpha.ask(c), answered)
		s.parked(x)
	}},
	{"events tell who asked, what was answered, and what was freed", func(s *stage) {
		alpha := s.as("alpha")
		x := alpha.newTask("x").ID
		must(s.answer(s.as("bravo"), alpha.ask(s.question(x)), "the old one"))
		var said []string
		for _, e := range s.task(x).Events {
			said = append(said, string(e.Kind)+": "+e.Text)
		}
		is(s, "events", said[1:], []string{
			"decision.asked: alpha asked D1: Which parser?", "task.blocked: " + string(x) + " is blocked: parked by D1: Which parser?",
			"decision.answered: bravo answered D1: the old one", "task.unblocked: bravo lifted a blocker of " + string(x) + ": D1: the old one",
		})
	}},
	{"next: a question that others may answer, and not one's own", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		x := alpha.newTask("x").ID
		human := s.question(x)
		human.RequiredActor = coord.ActorHuman
		alpha.ask(human)
		s.nextIs(bravo, coord.ActivityNone, "")
		is(s, "passed over", bravo.passesOver(), []string{"1 task waiting for a person"})
		y := alpha.newTask("y").ID
		alpha.ask(s.question()) // parks nothing
		d := alpha.ask(s.question(y))
		n := must(bravo.Next(s.ctx, s.project))
		if n.Activity != coord.ActivityDecide || n.Decision == nil || n.Decision.ID != d.ID || n.Command != "coord decide D3 OPTION" {
			s.Errorf("next is %+v", n)
		}
		s.nextIs(alpha, coord.ActivityNone, "")
		is(s, "passed over by alpha", alpha.passesOver(), []string{"1 task waiting for a person", "1 task parked by a decision"})
		o := must(s.h.AsOperator().Next(s.ctx, s.project))
		if o.Activity != coord.ActivityDecide || o.Decision.ID != "D1" {
			s.Errorf("a person's next is %+v", o)
		}
		must(s.answer(bravo, d, "the old one"))
		s.nextIs(alpha, coord.ActivityImplement, y)
	}},
	{"a person at a command line asks and answers", func(s *stage) {
		if s.h.AsPerson == nil {
			s.Skip("nobody asks it that way")
		}
		p := s.h.AsPerson(s.T)
		x := s.as("alpha").newTask("x").ID
		d := must(p.Ask(s.ctx, s.question(x)))
		is(s, "answer", must(s.answer(p, d, "the old one")).Answer.Actor, coord.ActorHuman)
		is(s, "tasks", slices.Contains(d.Tasks, x), true)
		s.parked(x)
	}},
}
