package servicetest

import (
	"fmt"

	"coord"
)

// untilEvent waits for an event of the kind after a sequence.
func untilEvent(s *stage, by coord.Service, after coord.Seq, kind coord.EventKind) error {
	for {
		events, err := by.WaitEvents(s.ctx, s.project, after)
		if err != nil || len(events) == 0 {
			return fmt.Errorf("the wait ended with %d events: %v", len(events), err)
		}
		for _, e := range events {
			if after = e.Seq; e.Kind == kind {
				return nil
			}
		}
	}
}

var briefScenes = []scene{
	{"a brief says who, what is held, what binds, what waits, and what to do", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		y := bravo.newTask("y").ID
		mine, other := bravo.ask(s.question(w.Task.ID)), bravo.ask(s.question(y))
		b := must(alpha.Brief(s.ctx, s.project))
		is(s, "project", b.Project.Key, s.project)
		is(s, "caller", b.Caller.Name, "alpha")
		if len(b.Holds) != 1 || b.Holds[0].ID != w.Task.ID || b.Holds[0].Owner == nil {
			s.Errorf("holds %+v", b.Holds)
		}
		var ids []coord.DecisionID
		for _, d := range b.Decisions {
			ids = append(ids, d.ID)
		}
		is(s, "decisions", ids, []coord.DecisionID{mine.ID, other.ID})
		is(s, "next", b.Next.Activity, coord.ActivityContinue)
		is(s, "as of", b.AsOf, b.Next.AsOf)
		s.h.Advance(lease)
		is(s, "an expired one is held", len(must(alpha.Brief(s.ctx, s.project)).Holds), 1)
		is(s, "others hold nothing", len(must(bravo.Brief(s.ctx, s.project)).Holds), 0)
	}},
	{"a brief is bounded", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		for i := range 8 {
			bravo.ask(s.question(alpha.newTask(fmt.Sprint("parked ", i)).ID))
		}
		for i := range 5 {
			alpha.learn(fmt.Sprint("lesson ", i))
		}
		for i := range 25 {
			must(s.h.AsOperator().SetRule(s.ctx, coord.SetRule{Key: newKey(), Project: s.project, Name: fmt.Sprintf("rule-%02d", i), Text: "be brief", Reason: "so that it is read"}))
		}
		b := must(alpha.Brief(s.ctx, s.project))
		is(s, "decisions, rules, lessons", []int{len(b.Decisions), len(b.Rules), len(b.Lessons)}, []int{5, 20, 0}) // nobody verified a lesson
		is(s, "oldest first", b.Decisions[0].ID, coord.DecisionID("D1"))
	}},
	{"a brief shows the latest verified lessons, and rules in force", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		for i := range 4 {
			w := alpha.start(alpha.newTask(fmt.Sprint("x", i)).ID)
			c := w.candidate()
			c.Lessons = []string{fmt.Sprint("verified ", i)}
			must(w.record(passing(c.Tree)))
			must(alpha.Submit(s.ctx, c))
			s.land(w.Task.ID)
		}
		set := func(text string, revision int64) {
			must(s.h.AsOperator().SetRule(s.ctx, coord.SetRule{Key: newKey(), Project: s.project, Name: "style", Text: text, Revision: revision, Reason: "because"}))
		}
		set("tabs", 0)
		set("spaces", 1)
		b := must(alpha.Brief(s.ctx, s.project))
		var said []string
		for _, l := range b.Lessons {
			said = append(said, l.Text)
		}
		is(s, "lessons", said, []string{"verified 3", "verified 2", "verified 1"})
		if len(b.Rules) != 1 || b.Rules[0].Text != "spaces" {
			s.Errorf("rules %+v", b.Rules)
		}
		set("", 2)
		is(s, "withdrawn", len(must(alpha.Brief(s.ctx, s.project)).Rules), 0)
	}},
	{"waiting ends with the event that it waits for", func(s *stage) {
		alpha := s.as("alpha")
		d := alpha.ask(s.question(alpha.newTask("x").ID))
		at := must(alpha.Next(s.ctx, s.project)).AsOf
		seen := make(chan error, 1)
		go func() { seen <- untilEvent(s, alpha, at, coord.EventDecisionAnswered) }()
		must(s.answer(s.as("bravo"), d, "the old one"))
		if err := <-seen; err != nil {
			s.Error(err)
		}
	}},
	{"next: a submission whose task was edited goes back", func(s *stage) {
		author, sub := s.submitted()
		bravo := s.as("bravo")
		t := s.task(sub.Task)
		criteria := []string{"another one"}
		must(s.h.AsOperator().EditTask(s.ctx, coord.EditTask{Key: newKey(), Task: sub.Task, Revision: t.Revision, Criteria: &criteria, Reason: "it was wrong"}))
		s.nextIs(bravo, coord.ActivityRevise, sub.Task)
		is(s, "others", must(bravo.Next(s.ctx, s.project)).Command, "coord revise --requirements-changed "+string(sub.Task))
		is(s, "the author", must(author.Next(s.ctx, s.project)).Command, "coord revise --withdrawn "+string(sub.Task))
	}},
	{"next: an objective whose children are done is accepted", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		o := alpha.newTask("all of it", func(c *coord.CreateTask) { c.Kind, c.Criteria = coord.KindObjective, []string{"it works as a whole"} }).ID
		s.nextIs(alpha, coord.ActivityNone, "")
		child := alpha.start(alpha.newTask("a part", func(c *coord.CreateTask) { c.Parent = o }).ID)
		child.submit()
		s.land(child.Task.ID)
		s.nextIs(alpha, coord.ActivityAccept, o)
		is(s, "command", must(alpha.Next(s.ctx, s.project)).Command, "coord task accept "+string(o)+" -m NOTE")
	}},
}
