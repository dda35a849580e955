package servicetest

import (
	"coord"
)

// submitted is a code task in review, by an author of its own.
func (s *stage) submitted() (*actor, coord.Submission) {
	author := s.as("author")
	return author, author.start(author.newTask("Refuse old tokens").ID).submit()
}

// judges tries to review the submission as the actor.
func (a *actor) judges(sub coord.Submission) error {
	c, err := a.try(sub.Reviews[0], nil)
	if err != nil {
		return err
	}
	_, err = work{a, c}.review(coord.VerdictApproved)
	return err
}

var reviewScenes = []scene{
	{"a reviewer claims the next review and sees the submission", func(s *stage) {
		_, sub := s.submitted()
		c := must(s.as("bravo").next(coord.KindReview))
		is(s, "task", c.Task.ID, sub.Reviews[0])
		if c.Submission == nil {
			s.Fatal("no submission")
		}
		is(s, "submission", *c.Submission, sub)
	}},
	{"V5 the author may not judge its own submission", func(s *stage) {
		author, sub := s.submitted()
		s.unchanged(sub.Task, func() { s.refused(author.judges(sub), coord.CodeNotIndependent) })
		_, err := author.next(coord.KindReview)
		s.refused(err, coord.CodeNothingEligible, coord.CodeNotIndependent)
		s.approve(sub)
	}},
	{"V5 whoever held an earlier attempt may not judge either", func(s *stage) {
		former, author := s.as("former"), s.as("author")
		id := former.newTask("x").ID
		must(former.start(id).release())
		sub := author.start(id).submit()
		s.unchanged(sub.Task, func() { s.refused(former.judges(sub), coord.CodeNotIndependent) })
	}},
	{"V4 approval names the commit and opens the landing", func(s *stage) {
		_, sub := s.submitted()
		r := must(s.as("bravo").start(sub.Reviews[0]).review(coord.VerdictApproved))
		if r.Submission != sub.ID || r.Commit != sub.Commit || r.Verdict != coord.VerdictApproved || r.Reviewer != "bravo" || r.ID == "" {
			s.Errorf("got %+v", r)
		}
		t := s.task(sub.Task)
		is(s, "code task", t.Status, coord.StatusWaitingIntegration)
		is(s, "submission", t.Submissions[0].State, coord.SubmissionApproved)
		is(s, "reviews", t.Reviews, []coord.Review{r})
		s.status(sub.Reviews[0], coord.StatusDone)
		s.status(sub.Integration, coord.StatusReady)
	}},
	{"nothing lands before it is approved", func(s *stage) {
		_, sub := s.submitted()
		for _, id := range []coord.TaskID{sub.Task, sub.Integration} {
			_, err := s.as("bravo").tryHold(id, nil)
			s.refused(err, coord.CodeStateConflict, coord.CodeRequirement)
		}
		_, err := s.as("bravo").tryHold("", nil)
		s.refused(err, coord.CodeNothingEligible)
	}},
	{"changes requested: the work comes back as saved", func(s *stage) {
		author, sub := s.submitted()
		bravo := s.as("bravo")
		w := bravo.start(sub.Reviews[0])
		r := must(bravo.Review(s.ctx, coord.RecordReview{
			Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Judgement: coord.Judgement{
				Verdict: coord.VerdictChangesRequested, Note: "not yet",
				Findings: []coord.Finding{{Severity: coord.SeverityRequired, Text: "the test is missing"}},
			},
		}))
		t := s.task(sub.Task)
		is(s, "code task", t.Status, coord.StatusReady)
		is(s, "its submission", t.Submissions[0].State, coord.SubmissionReturned)
		is(s, "current submission", t.Submission, "")
		if t.Saved == nil || t.Saved.Kind != "candidate" || t.Saved.Commit != sub.Commit || t.Saved.Tree != sub.Tree || t.Saved.Ref != sub.Ref || t.Saved.Generation != 1 {
			s.Errorf("saved %+v", t.Saved)
		}
		s.status(sub.Reviews[0], coord.StatusDone)
		s.status(sub.Integration, coord.StatusCanceled)

		_, err := author.try(sub.Task, nil)
		s.refused(err, coord.CodeRecoveryRequired)
		c := must(author.try(sub.Task, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: sub.Commit}))
		is(s, "started from", c.Attempt.StartedFrom, sub.Commit)
		is(s, "returned", c.Returned, &r)
	}},
	{"a new submission is judged anew", func(s *stage) {
		author, sub := s.submitted()
		must(s.as("bravo").start(sub.Reviews[0]).review(coord.VerdictChangesRequested))
		w := work{author, must(author.try(sub.Task, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: sub.Commit}))}
		second := w.submit()
		is(s, "id", second.ID, coord.NewSubmissionID(sub.Task, 2))
		is(s, "state", second.State, coord.SubmissionInReview)
		if second.Reviews[0] == sub.Reviews[0] || second.Integration == sub.Integration {
			s.Errorf("followers are used twice: %+v", second)
		}
		s.approve(second)
		t := s.task(sub.Task)
		is(s, "states", []coord.SubmissionState{t.Submissions[0].State, t.Submissions[1].State}, []coord.SubmissionState{coord.SubmissionReturned, coord.SubmissionApproved})
		s.land(sub.Task)
	}},
	{"V8 one review per submission", func(s *stage) {
		_, sub := s.submitted()
		bravo := s.as("bravo")
		w := bravo.start(sub.Reviews[0])
		must(w.review(coord.VerdictApproved))
		s.unchanged(sub.Task, func() {
			_, err := w.review(coord.VerdictChangesRequested)
			s.refused(err, coord.CodeFenced, coord.CodeStateConflict)
		})
		_, err := s.as("echo").try(sub.Reviews[0], nil)
		s.refused(err, coord.CodeStateConflict)
	}},
	{"K1 the same decision again is one decision", func(s *stage) {
		_, sub := s.submitted()
		bravo := s.as("bravo")
		w := bravo.start(sub.Reviews[0])
		c := coord.RecordReview{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Judgement: coord.Judgement{Verdict: coord.VerdictApproved, Note: "fine"}}
		is(s, "the replay", must(bravo.Review(s.ctx, c)), must(bravo.Review(s.ctx, c)))
		is(s, "reviews", len(s.task(sub.Task).Reviews), 1)
	}},
	{"L6 an expired reviewer decides nothing", func(s *stage) {
		_, sub := s.submitted()
		w := s.as("bravo").start(sub.Reviews[0])
		s.h.Advance(lease)
		s.unchanged(sub.Task, func() { _, err := w.review(coord.VerdictApproved); s.refused(err, coord.CodeLeaseExpired) })
		s.status(sub.Task, coord.StatusWaitingReview)
		s.h.Advance(grace)
		echo := s.as("echo")
		must(work{echo, must(echo.try(sub.Reviews[0], &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume}))}.review(coord.VerdictApproved))
		_, err := w.review(coord.VerdictChangesRequested)
		s.refused(err, coord.CodeFenced)
		s.status(sub.Task, coord.StatusWaitingIntegration)
	}},
	{"L12 a stranger decides nothing", func(s *stage) {
		_, sub := s.submitted()
		w := s.as("bravo").start(sub.Reviews[0])
		s.unchanged(sub.Task, func() {
			_, err := work{s.as("echo"), w.Claimed}.review(coord.VerdictApproved)
			s.refused(err, coord.CodeFenced)
		})
	}},
	{"an attempt at a code task is no review", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.unchanged(w.Task.ID, func() {
			_, err := w.review(coord.VerdictApproved)
			s.refused(err, coord.CodeStateConflict, coord.CodeBadRequest)
		})
	}},
	{"a review task is not submitted", func(s *stage) {
		_, sub := s.submitted()
		w := s.as("bravo").start(sub.Reviews[0])
		c := w.candidate()
		c.Required = nil
		s.unchanged(sub.Reviews[0], func() { _, err := w.a.Submit(s.ctx, c); s.refused(err, coord.CodeStateConflict, coord.CodeBadRequest) })
	}},
	{"bad input is refused", func(s *stage) {
		_, sub := s.submitted()
		bravo := s.as("bravo")
		w := bravo.start(sub.Reviews[0])
		for name, edit := range map[string]func(*coord.RecordReview){
			"no note":  func(c *coord.RecordReview) { c.Note = "" },
			"verdict":  func(c *coord.RecordReview) { c.Verdict = "fine" },
			"severity": func(c *coord.RecordReview) { c.Findings = []coord.Finding{{Severity: "bad", Text: "x"}} },
			"approved with a required finding": func(c *coord.RecordReview) {
				c.Findings = []coord.Finding{{Severity: coord.SeverityRequired, Text: "x"}}
			},
		} {
			c := coord.RecordReview{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Judgement: coord.Judgement{Verdict: coord.VerdictApproved, Note: "n"}}
			edit(&c)
			s.unchanged(sub.Task, func() {
				if _, err := bravo.Review(s.ctx, c); coord.CodeOf(err) != coord.CodeBadRequest {
					s.Errorf("%s: %v", name, err)
				}
			})
		}
	}},
}
