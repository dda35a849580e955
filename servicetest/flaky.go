package servicetest

import "coord"

// rerunQuestion asks whether a check that failed too often may run again.
func (s *stage) rerunQuestion(tasks ...coord.TaskID) coord.Ask {
	c := s.question(tasks...)
	c.Options = []string{coord.RunAgain, "mend it"}
	return c
}

func allowed(r coord.Run, d coord.DecisionID) coord.Run {
	r.Decision = d
	return r
}

var flakyScenes = []scene{
	{"I14 one failure and a pass are evidence; both receipts stay and are marked", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		is(s, "flaky at first", must(w.record(failing(c.Tree))).Flaky, false)
		is(s, "flaky then", must(w.record(passing(c.Tree))).Flaky, true)
		kept := must(alpha.ReceiptsFor(s.ctx, s.project, c.Tree))
		if len(kept) != 2 || !kept[0].Flaky || !kept[1].Flaky || kept[0].Spent || kept[1].Spent {
			s.Errorf("receipts %+v", kept)
		}
		is(s, "of the task", s.task(w.Task.ID).Receipts, kept)
		must(alpha.Submit(s.ctx, c))
	}},
	{"I14 V2 what others ran on the same tree counts too", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w, other := alpha.start(alpha.newTask("x").ID), bravo.start(alpha.newTask("y").ID)
		c := w.candidate()
		must(other.record(failing(c.Tree)))
		must(w.record(failing(c.Tree)))
		must(w.record(passing(c.Tree)))
		_, err := alpha.Submit(s.ctx, c)
		s.refused(err, coord.CodeRequirement)
		is(s, "of the task", len(s.task(w.Task.ID).Receipts), 2)
		is(s, "spent", s.task(w.Task.ID).Receipts[1].Spent, true)
		elsewhere := w.candidate()
		must(w.record(passing(elsewhere.Tree)))
		must(alpha.Submit(s.ctx, elsewhere))
	}},
	{"I14 running it until it passes needs a decision, checked with the run", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		must(w.record(failing(c.Tree)))
		must(w.record(failing(c.Tree)))
		for range 3 {
			must(w.record(passing(c.Tree)))
		}
		_, err := alpha.Submit(s.ctx, c)
		s.refused(err, coord.CodeRequirement)
		is(s, "next", asError(err).Next[1], "coord check --decision DECISION")

		d := alpha.ask(s.rerunQuestion(w.Task.ID))
		s.unchanged(w.Task.ID, func() {
			_, err = w.record(allowed(passing(c.Tree), d.ID)) // not answered
			s.refused(err, coord.CodeRequirement)
			_, err = w.record(allowed(passing(c.Tree), "D99"))
			s.refused(err, coord.CodeNotFound)
		})
		must(s.answer(s.as("bravo"), d, coord.RunAgain))
		r := must(w.record(allowed(passing(c.Tree), d.ID)))
		if r.Decision != d.ID || !r.Flaky || r.Spent {
			s.Errorf("got %+v", r)
		}
		_, err = w.record(allowed(passing(newOID()), d.ID)) // another tree
		s.refused(err, coord.CodeRequirement)
		c.Key = newKey()
		must(alpha.Submit(s.ctx, c))
	}},
	{"I14 a decision that is about something else, or says no, allows nothing", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		must(w.record(failing(c.Tree)))
		must(w.record(failing(c.Tree)))
		other, no := alpha.ask(s.rerunQuestion(alpha.newTask("y").ID)), alpha.ask(s.rerunQuestion(w.Task.ID))
		must(s.answer(bravo, other, coord.RunAgain))
		must(s.answer(bravo, no, "mend it"))
		s.unchanged(w.Task.ID, func() {
			for _, d := range []coord.Decision{other, no} {
				_, err := w.record(allowed(passing(c.Tree), d.ID))
				s.refused(err, coord.CodeRequirement)
			}
		})
	}},
	{"I14 fault 75: no permit for what failed twice and passed then, but with a decision", func(s *stage) {
		sub := s.approved("x")
		h := s.as("alpha").hold(sub.Task)
		m := h.merge()
		_, err := h.permit(m, failing(m.Tree), failing(m.Tree), passing(m.Tree))
		s.refused(err, coord.CodeRequirement)
		is(s, "receipts", len(must(h.a.ReceiptsFor(s.ctx, s.project, m.Tree))), 3)
		_, err = h.permit(m, passing(m.Tree))
		s.refused(err, coord.CodeRequirement)
		d := h.a.ask(s.rerunQuestion(sub.Task))
		must(s.answer(s.as("bravo"), d, coord.RunAgain))
		must(h.permit(m, allowed(passing(m.Tree), d.ID)))
	}},
	{"a skipped run is kept and is no evidence", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		skip := passing(c.Tree)
		skip.Result, skip.ExitStatus = coord.ResultSkipped, 77
		for range 3 {
			must(w.record(skip))
		}
		_, err := alpha.Submit(s.ctx, c)
		s.refused(err, coord.CodeRequirement)
		must(w.record(passing(c.Tree)))
		c.Key = newKey()
		must(alpha.Submit(s.ctx, c))
	}},
}
