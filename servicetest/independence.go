package servicetest

import (
	"coord"
)

// slot is the review task of the submission that waits for the actor.
func (s *stage) slot(sub coord.Submission, want coord.Actor) coord.TaskID {
	for _, id := range sub.Reviews {
		if s.task(id).Slot == want {
			return id
		}
	}
	s.Errorf("%s has no %s slot", sub.ID, want)
	return ""
}

var independenceScenes = []scene{
	{"V7 fault 61: an agent neither takes nor makes a person's review", func(s *stage) {
		s.reviewed(coord.ReviewHuman)
		_, sub := s.submitted()
		bravo := s.as("bravo")
		s.unchanged(sub.Task, func() {
			_, err := bravo.try(sub.Reviews[0], nil)
			s.refused(err, coord.CodeNotPermitted)
			is(s, "actor", asError(err).RequiredActor, "operator")
			_, err = bravo.next(coord.KindReview)
			s.refused(err, coord.CodeNothingEligible)
			_, err = s.judge(bravo, sub, coord.VerdictApproved)
			s.refused(err, coord.CodeNotPermitted)
		})
		is(s, "state", s.submission(sub.Task).State, coord.SubmissionInReview)
		r := must(s.judge(s.person(), sub, coord.VerdictApproved))
		is(s, "actor", r.Actor, coord.ActorHuman)
		is(s, "task", r.Task, sub.Reviews[0])
		is(s, "commit", r.Commit, sub.Commit)
		s.land(sub.Task)
	}},
	{"V7 with both, one approval is not enough", func(s *stage) {
		s.reviewed(coord.ReviewBoth)
		_, sub := s.submitted()
		is(s, "reviews", len(sub.Reviews), 2)
		must(s.as("bravo").start(s.slot(sub, coord.ActorAgent)).review(coord.VerdictApproved))
		is(s, "state", s.submission(sub.Task).State, coord.SubmissionInReview)
		s.status(sub.Integration, coord.StatusBlocked)
		_, err := s.as("echo").tryHold(sub.Task, nil)
		s.refused(err, coord.CodeStateConflict)
		_, err = s.as("echo").next(coord.KindReview)
		s.refused(err, coord.CodeNothingEligible)
		must(s.judge(s.h.AsOperator(), sub, coord.VerdictApproved))
		is(s, "state", s.submission(sub.Task).State, coord.SubmissionApproved)
		s.land(sub.Task)
	}},
	{"a person fills a person's slot before another, and one slot only", func(s *stage) {
		s.reviewed(coord.ReviewBoth)
		_, sub := s.submitted()
		is(s, "slot", must(s.judge(s.h.AsOperator(), sub, coord.VerdictApproved)).Task, s.slot(sub, coord.ActorHuman))
		s.unchanged(sub.Task, func() {
			_, err := s.judge(s.h.AsOperator(), sub, coord.VerdictApproved)
			s.refused(err, coord.CodeNotIndependent)
		})
		must(s.as("bravo").start(s.slot(sub, coord.ActorAgent)).review(coord.VerdictApproved))
		s.land(sub.Task)
	}},
	{"whoever comes first makes a review that is either's", func(s *stage) {
		s.reviewed(coord.ReviewEither)
		_, first := s.submitted()
		must(s.as("bravo").start(first.Reviews[0]).review(coord.VerdictApproved))
		_, second := s.submitted()
		w := s.as("bravo").start(second.Reviews[0])
		must(s.judge(s.h.AsOperator(), second, coord.VerdictApproved))
		s.unchanged(second.Task, func() {
			_, err := w.review(coord.VerdictChangesRequested)
			s.refused(err, coord.CodeFenced)
		})
		a := s.task(second.Reviews[0]).Attempts
		is(s, "the agent's attempt", a[0].Standing, coord.StandingSuperseded)
		s.land(first.Task)
		s.land(second.Task)
	}},
	{"changes that one reviewer wants send the work back from all", func(s *stage) {
		s.reviewed(coord.ReviewBoth)
		_, sub := s.submitted()
		w := s.as("bravo").start(s.slot(sub, coord.ActorAgent))
		must(s.judge(s.h.AsOperator(), sub, coord.VerdictChangesRequested))
		s.sentBack(sub)
		s.status(s.slot(sub, coord.ActorAgent), coord.StatusCanceled)
		_, err := w.review(coord.VerdictApproved)
		s.refused(err, coord.CodeFenced)
	}},
	{"a person judges nothing that waits for no review", func(s *stage) {
		sub := s.approved("x")
		s.unchanged(sub.Task, func() {
			_, err := s.judge(s.h.AsOperator(), sub, coord.VerdictChangesRequested)
			s.refused(err, coord.CodeStateConflict)
		})
		_, err := s.judge(s.h.AsOperator(), coord.Submission{ID: "p1-999.s1"}, coord.VerdictApproved)
		s.refused(err, coord.CodeNotFound)
	}},
	{"K1 the same judgement again is one", func(s *stage) {
		s.reviewed(coord.ReviewHuman)
		_, sub := s.submitted()
		p := s.person()
		c := coord.Judge{Key: newKey(), Submission: sub.ID, Judgement: coord.Judgement{Verdict: coord.VerdictApproved, Note: "fine"}}
		is(s, "the replay", must(p.Judge(s.ctx, c)), must(p.Judge(s.ctx, c)))
		is(s, "reviews", len(s.task(sub.Task).Reviews), 1)
	}},
	{"V5 fault 58: a second token of the author's agent is no other agent", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.Independence = coord.IndependentAgent })
		person := s.person()
		own := s.fresh()
		author := s.under(s.issue(person, own), "author")
		sub := author.start(author.newTask("x").ID).submit()
		second := s.under(s.issue(person, own), "bravo")
		s.unchanged(sub.Task, func() { s.refused(second.judges(sub), coord.CodeNotIndependent) })
		other := s.under(s.issue(person, own+"-two"), "bravo")
		if err := other.judges(sub); err != nil {
			s.Error(err)
		}
		s.land(sub.Task)
	}},
	{"V5 a stricter policy counts at the decision too", func(s *stage) {
		_, sub := s.submitted()
		w := s.as("bravo").start(sub.Reviews[0])
		s.setPolicy(func(p *coord.Policy) { p.Independence = coord.IndependentAgent })
		s.unchanged(sub.Task, func() {
			_, err := w.review(coord.VerdictApproved)
			s.refused(err, coord.CodeNotIndependent)
		})
	}},
	{"V5 whom the author names as a contributor may not judge", func(s *stage) {
		author, helper := s.as("author"), s.as("bravo")
		w := author.start(author.newTask("x").ID)
		c := w.candidate()
		c.Required, c.Contributors = nil, []coord.SessionID{"nobody-0123456789"}
		s.unchanged(w.Task.ID, func() { _, err := author.Submit(s.ctx, c); s.refused(err, coord.CodeNotFound) })
		c.Key, c.Contributors = newKey(), []coord.SessionID{must(helper.Whoami(s.ctx)).Session}
		sub := must(author.Submit(s.ctx, c)).Submission
		s.unchanged(sub.Task, func() { s.refused(helper.judges(sub), coord.CodeNotIndependent) })
		s.approve(sub)
	}},
}

func (s *stage) withdraw(who coord.Service, id coord.ReviewID) (coord.Submission, error) {
	return who.WithdrawApproval(s.ctx, coord.WithdrawApproval{Key: newKey(), Review: id, Reason: "it leaks"})
}

// approvedBy is a code task that the named session approved.
func (s *stage) approvedBy(name string) (*actor, coord.Submission, coord.Review) {
	_, sub := s.submitted()
	a := s.as(name)
	return a, sub, must(a.start(sub.Reviews[0]).review(coord.VerdictApproved))
}

var approvalScenes = []scene{
	{"V6 an approval that is taken back counts no more, and another is asked for", func(s *stage) {
		bravo, sub, r := s.approvedBy("bravo")
		out := must(s.withdraw(bravo, r.ID))
		is(s, "state", out.State, coord.SubmissionInReview)
		is(s, "reviews", len(out.Reviews), 2)
		is(s, "open slots", s.open(sub), []coord.Actor{coord.ActorAgent})
		is(s, "voided", s.task(sub.Task).Reviews[0].Voided, "it leaks")
		s.status(sub.Integration, coord.StatusBlocked)
		_, err := s.as("alpha").tryHold(sub.Task, nil)
		s.refused(err, coord.CodeStateConflict)
		must(s.as("echo").start(out.Reviews[1]).review(coord.VerdictApproved))
		s.land(sub.Task)
	}},
	{"the task stands for the review of it that is open", func(s *stage) {
		bravo, sub, r := s.approvedBy("bravo")
		out := must(s.withdraw(bravo, r.ID))
		c := must(s.as("echo").Claim(s.ctx, coord.Claim{Key: newKey(), Project: s.project, Task: sub.Task, Kind: coord.KindReview}))
		is(s, "claimed", c.Task.ID, out.Reviews[1])
	}},
	{"only its giver and an operator take it back, once", func(s *stage) {
		bravo, sub, r := s.approvedBy("bravo")
		s.unchanged(sub.Task, func() {
			_, err := s.withdraw(s.as("echo"), r.ID)
			s.refused(err, coord.CodeNotPermitted)
			_, err = s.withdraw(bravo, "v999999")
			s.refused(err, coord.CodeNotFound)
		})
		must(s.withdraw(s.person(), r.ID))
		s.unchanged(sub.Task, func() { _, err := s.withdraw(bravo, r.ID); s.refused(err, coord.CodeStateConflict) })
	}},
	{"V6 taken back while it is being landed, it permits no push and the target is free", func(s *stage) {
		other := s.approved("other")
		bravo, sub, r := s.approvedBy("bravo")
		h := s.as("alpha").hold(sub.Task)
		m := h.merge()
		must(s.withdraw(bravo, r.ID))
		_, err := h.permit(m, passing(m.Tree))
		s.refused(err, coord.CodeFenced, coord.CodeStateConflict)
		s.status(sub.Task, coord.StatusWaitingReview)
		s.land(other.Task)
		must(s.as("echo").start(s.submission(sub.Task).Reviews[1]).review(coord.VerdictApproved))
		s.land(sub.Task)
	}},
	{"after the permit it is too late", func(s *stage) {
		bravo, sub, r := s.approvedBy("bravo")
		h, l := s.as("alpha").publishing(sub.Task)
		s.unchanged(sub.Task, func() { _, err := s.withdraw(bravo, r.ID); s.refused(err, coord.CodeStateConflict) })
		must(h.see(l))
		s.unchanged(sub.Task, func() { _, err := s.withdraw(bravo, r.ID); s.refused(err, coord.CodeStateConflict) })
	}},
	{"changes requested are not taken back", func(s *stage) {
		_, sub := s.submitted()
		bravo := s.as("bravo")
		r := must(bravo.start(sub.Reviews[0]).review(coord.VerdictChangesRequested))
		s.unchanged(sub.Task, func() { _, err := s.withdraw(bravo, r.ID); s.refused(err, coord.CodeStateConflict) })
	}},
	{"with both, the other approval stays", func(s *stage) {
		s.reviewed(coord.ReviewBoth)
		_, sub := s.submitted()
		s.approve(sub)
		r := must(s.judge(s.h.AsOperator(), sub, coord.VerdictApproved))
		must(s.withdraw(s.h.AsOperator(), r.ID))
		is(s, "open slots", s.open(sub), []coord.Actor{coord.ActorHuman})
		must(s.judge(s.h.AsOperator(), sub, coord.VerdictApproved))
		s.land(sub.Task)
	}},
	{"V6 fault 62: what a reviewer approved counts no more when it loses its access", func(s *stage) {
		person := s.person()
		k := s.issue(person, s.fresh())
		bravo := s.under(k, "bravo")
		approve := func(edits ...func(*coord.CreateTask)) coord.Submission {
			author := s.as("author")
			sub := author.start(author.newTask("x", edits...).ID).submit()
			must(bravo.start(sub.Reviews[0]).review(coord.VerdictApproved))
			return sub
		}
		idle, held, pushed, landed := approve(), approve(), approve(target("release")), approve(target("old"))
		s.land(landed.Task)
		h := s.as("alpha").hold(held.Task)
		m := h.merge()
		p, l := s.as("echo").publishing(pushed.Task)
		must(person.RevokeToken(s.ctx, revoke(k.Token.ID)))
		_, err := h.permit(m, passing(m.Tree))
		s.refused(err, coord.CodeFenced, coord.CodeStateConflict)
		for _, sub := range []coord.Submission{idle, held} {
			is(s, "state", s.submission(sub.Task).State, coord.SubmissionInReview)
			is(s, "open slots", s.open(sub), []coord.Actor{coord.ActorAgent})
		}
		must(p.see(l)) // the remote has it already
		s.status(pushed.Task, coord.StatusDone)
		is(s, "what landed", s.task(landed.Task).Reviews[0].Voided, "")
	}},
}
