package servicetest

import (
	"strings"
	"time"

	"coord"
)

func required(class, text string) coord.Finding {
	return coord.Finding{Class: class, Severity: coord.SeverityRequired, Text: text}
}

// says reviews the submission as a fresh session.
func (s *stage) says(sub coord.Submission, j coord.Judgement) (coord.Review, error) {
	if j.Note == "" {
		j.Note = "read and run"
	}
	w := s.as("reviewer").start(sub.Reviews[0])
	return w.a.Review(s.ctx, coord.RecordReview{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Judgement: j})
}

func (s *stage) rejects(sub coord.Submission, findings ...coord.Finding) coord.Review {
	return must(s.says(sub, coord.Judgement{Verdict: coord.VerdictChangesRequested, Findings: findings}))
}

// again goes on from what was sent back, as a fresh session.
func (s *stage) again(sub coord.Submission) coord.Submission {
	a := s.as("author")
	t := s.task(sub.Task)
	c := must(a.try(sub.Task, &coord.Recovery{Generation: t.Generation, Disposition: coord.DispositionResume, Commit: sub.Commit}))
	return work{a, c}.submit()
}

// parking is the open decision that parks the task, if there is one.
func (s *stage) parking(id coord.TaskID) (out []coord.Decision) {
	return must(s.h.AsOperator().ListDecisions(s.ctx, coord.DecisionQuery{Project: s.project, Task: id, State: coord.DecisionOpen}))
}

var findingScenes = []scene{
	{"findings have stable ids within the task, and a class", func(s *stage) {
		_, sub := s.submitted()
		r := s.rejects(sub, required("tests", "there is none"), coord.Finding{Severity: coord.SeverityAdvisory, Text: "a typo", Remedy: "mend it"})
		second := s.again(sub)
		next := s.rejects(second, required("naming", "what is x?"))
		id := func(n int64) coord.FindingID { return coord.NewFindingID(sub.Task, n) }
		is(s, "first", r.Findings, []coord.Finding{
			{ID: id(1), Class: "tests", Severity: coord.SeverityRequired, Text: "there is none"},
			{ID: id(2), Class: coord.DefaultClass, Severity: coord.SeverityAdvisory, Text: "a typo", Remedy: "mend it"},
		})
		is(s, "second", next.Findings[0].ID, id(3))
		is(s, "the record", s.task(sub.Task).Reviews, []coord.Review{r, next})
	}},
	{"a later review says what is dealt with", func(s *stage) {
		_, sub := s.submitted()
		r := s.rejects(sub, required("tests", "there is none"), required("naming", "what is x?"))
		author := s.as("author")
		w := work{author, must(author.try(sub.Task, takeUpAt(1, sub.Commit)))}
		c := w.candidate()
		c.Required, c.Resolved = nil, []coord.FindingID{r.Findings[0].ID, coord.NewFindingID(sub.Task, 9)}
		s.unchanged(sub.Task, func() { _, err := author.Submit(s.ctx, c); s.refused(err, coord.CodeNotFound) })
		c.Key, c.Resolved = newKey(), c.Resolved[:1]
		second := must(author.Submit(s.ctx, c)).Submission
		is(s, "the author says", second.Resolved, c.Resolved)
		is(s, "nobody said so yet", s.task(sub.Task).Reviews[0].Findings[0].Resolution, "")
		reviewer := s.as("bravo")
		rw := reviewer.start(second.Reviews[0])
		j := coord.RecordReview{Key: newKey(), Attempt: rw.id(), Fence: rw.Attempt.Fence, Judgement: coord.Judgement{Verdict: coord.VerdictApproved, Note: "n", Resolved: []coord.FindingID{"p1-1.f99"}}}
		s.unchanged(sub.Task, func() { _, err := reviewer.Review(s.ctx, j); s.refused(err, coord.CodeNotFound) })
		j.Key, j.Resolved = newKey(), []coord.FindingID{r.Findings[0].ID}
		done := must(reviewer.Review(s.ctx, j))
		found := s.task(sub.Task).Reviews[0].Findings
		is(s, "resolutions", []string{found[0].Resolution, found[1].Resolution}, []string{string(done.ID), ""})
	}},
	{"one class coming back too often parks the task, whoever works on it", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.FindingLimit = 2 })
		_, sub := s.submitted()
		for n := range 2 {
			s.rejects(sub, required("tests", strings.Repeat("still ", n)+"none"), required("naming", "x"))
			is(s, "open decisions", len(s.parking(sub.Task)), 0)
			sub = s.again(sub)
		}
		s.rejects(sub, required("tests", "and none"))
		d := s.parking(sub.Task)
		is(s, "open decisions", len(d), 1)
		if !d[0].Escalation || !strings.Contains(d[0].Question, `"tests"`) {
			s.Errorf("asked %+v", d[0])
		}
		t := s.task(sub.Task)
		is(s, "status", t.Status, coord.StatusBlocked)
		is(s, "submission", t.Submissions[2].State, coord.SubmissionReturned)
		if t.Saved == nil || t.Saved.Commit != sub.Commit {
			s.Errorf("saved %+v", t.Saved)
		}
		_, err := s.as("echo").try(sub.Task, takeUpAt(3, sub.Commit))
		s.refused(err, coord.CodeStateConflict)
		must(s.as("echo").Decide(s.ctx, coord.Decide{Key: newKey(), Project: s.project, Decision: d[0].ID, Option: d[0].Options[0]}))
		must(s.as("echo").try(sub.Task, takeUpAt(3, sub.Commit)))
	}},
	{"advice and other classes are not counted", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.FindingLimit = 1 })
		_, sub := s.submitted()
		s.rejects(sub, required("tests", "none"))
		sub = s.again(sub)
		s.rejects(sub, required("naming", "x"), coord.Finding{Class: "tests", Severity: coord.SeverityAdvisory, Text: "more?"})
		is(s, "open decisions", len(s.parking(sub.Task)), 0)
		s.status(sub.Task, coord.StatusReady)
	}},
	{"V9 what is parked is neither submitted, judged nor landed", func(s *stage) {
		alpha := s.as("alpha")
		park := func(id coord.TaskID) coord.Decision {
			return must(s.as("asker").Ask(s.ctx, coord.Ask{Key: newKey(), Project: s.project, Question: "which?", Options: []string{"a", "b"}, Tasks: []coord.TaskID{id}}))
		}
		answer := func(d coord.Decision) {
			must(s.as("warden").Decide(s.ctx, coord.Decide{Key: newKey(), Project: s.project, Decision: d.ID, Option: "a"}))
		}
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		c.Required = nil
		d := park(w.Task.ID)
		s.unchanged(w.Task.ID, func() { _, err := alpha.Submit(s.ctx, c); s.refused(err, coord.CodeStateConflict) })
		answer(d)
		c.Key = newKey()
		sub := must(alpha.Submit(s.ctx, c)).Submission

		r := s.as("bravo").start(sub.Reviews[0])
		d = park(sub.Task)
		s.unchanged(sub.Task, func() {
			_, err := r.review(coord.VerdictApproved)
			s.refused(err, coord.CodeStateConflict)
			_, err = s.judge(s.h.AsOperator(), sub, coord.VerdictApproved)
			s.refused(err, coord.CodeStateConflict)
		})
		answer(d)
		must(r.review(coord.VerdictApproved))

		d = park(sub.Task)
		for _, id := range []coord.TaskID{"", sub.Task} {
			s.unchanged(sub.Task, func() { _, err := s.as("echo").tryHold(id, nil); s.refused(err, coord.CodeStateConflict) })
		}
		answer(d)
		h := s.as("echo").hold(sub.Task)
		m := h.merge()
		d = park(sub.Task)
		s.unchanged(sub.Task, func() { _, err := h.permit(m, passing(m.Tree)); s.refused(err, coord.CodeStateConflict) })
		answer(d)
		must(h.see(must(h.permit(m, passing(m.Tree)))))
	}},
	{"what goes back too often in a day is parked", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.ReviseLimit = 2 })
		author, sub := s.submitted()
		goBack := func() {
			must(author.revise(sub.Task, coord.ReviseWithdrawn))
		}
		next := func() {
			t := s.task(sub.Task)
			w := work{author, must(author.try(sub.Task, takeUpAt(t.Generation, sub.Commit)))}
			sub = w.submit()
		}
		goBack()
		next()
		s.h.Advance(time.Hour)
		goBack()
		is(s, "open decisions", len(s.parking(sub.Task)), 0)
		next()
		s.h.Advance(23 * time.Hour) // the first is a day ago
		goBack()
		is(s, "open decisions", len(s.parking(sub.Task)), 0)
		next()
		goBack()
		d := s.parking(sub.Task)
		is(s, "open decisions", len(d), 1)
		is(s, "submission", s.submission(sub.Task).State, coord.SubmissionReturned)
		_, err := author.try(sub.Task, takeUpAt(4, sub.Commit))
		s.refused(err, coord.CodeStateConflict)
		_, err = author.Decide(s.ctx, coord.Decide{Key: newKey(), Project: s.project, Decision: d[0].ID, Option: d[0].Options[0]})
		s.refused(err, coord.CodeNotIndependent)
		must(s.as("echo").Decide(s.ctx, coord.Decide{Key: newKey(), Project: s.project, Decision: d[0].ID, Option: d[0].Options[0]}))
		next()
	}},
	{"a reviewer's word is not counted as going back", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.ReviseLimit = 1 })
		author, sub := s.submitted()
		s.rejects(sub, required("tests", "none"))
		sub = s.again(sub)
		_ = author
		must(s.as("bravo").revise(sub.Task, coord.ReviseMissing))
		is(s, "open decisions", len(s.parking(sub.Task)), 0)
	}},
	{"anybody who looked sends back what the remote does not have", func(s *stage) {
		sub := s.approved("x")
		out := must(s.as("bravo").revise(sub.Reviews[0], coord.ReviseMissing))
		is(s, "task", out.ID, sub.Task)
		s.sentBack(sub)
	}},
}

// takeUpAt goes on from a saved commit.
func takeUpAt(generation int64, commit coord.OID) *coord.Recovery {
	return &coord.Recovery{Generation: generation, Disposition: coord.DispositionResume, Commit: commit}
}
