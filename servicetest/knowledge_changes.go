package servicetest

import (
	"time"

	"coord"
)

var lessonChangeScenes = []scene{
	{"an edit keeps what was said, and by whom, and is guarded by the revision", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		l := alpha.learn("the API answers 403", func(c *coord.Learn) { c.Tags = []string{"api"} })
		must(bravo.judgeLesson(l, coord.LessonVerified))
		s.h.Advance(time.Minute)
		after := must(bravo.correct(l, says("the API answers 401"), func(c *coord.EditLesson) { c.Reason = "looked again" }))
		is(s, "revision", after.Revision, int64(2))
		is(s, "another text is not what was verified", after.Status, coord.LessonObserved)
		is(s, "author", after.Author, "alpha")
		_, err := alpha.correct(l, says("the API answers 404"))
		s.refused(err, coord.CodeStateConflict)
		tags := []string{"http"}
		must(alpha.correct(after, func(c *coord.EditLesson) { c.Tags = &tags }))
		d := must(alpha.Lesson(s.ctx, s.project, l.ID))
		var said []string
		for _, r := range d.Revisions {
			said = append(said, r.Author+": "+r.Text+" #"+r.Tags[0])
		}
		is(s, "revisions", said, []string{"alpha: the API answers 403 #api", "bravo: the API answers 401 #api", "alpha: the API answers 401 #http"})
		is(s, "reason", d.Revisions[1].Reason, "looked again")
		is(s, "when", d.Revisions[1].At.Sub(d.Revisions[0].At), time.Minute)
		is(s, "status of the first", d.Revisions[0].Status, coord.LessonVerified)
		is(s, "found by its new words", alpha.found(coord.LessonQuery{Text: "401"}), []coord.LessonID{l.ID})
		is(s, "not by the old ones", alpha.found(coord.LessonQuery{Text: "403"}), nil)
		is(s, "nor by the old tag", alpha.found(coord.LessonQuery{Tag: "api"}), nil)
		e := s.lastEvent(coord.EventLessonChanged)
		is(s, "event", []string{e.Data["lesson"], e.Data["revision"]}, []string{string(l.ID), "3"})
		is(s, "an edit that changes nothing", must(alpha.correct(d.Lesson, says(d.Text))).Revision, int64(3))
	}},
	{"a lesson expires when an edit says so", func(s *stage) {
		alpha := s.as("alpha")
		l := alpha.learn("eland")
		now := s.h.Now()
		l = must(alpha.correct(l, func(c *coord.EditLesson) { c.ExpiresAt = &now }))
		is(s, "in force", alpha.found(coord.LessonQuery{}), nil)
		l = must(alpha.correct(l, func(c *coord.EditLesson) { c.ExpiresAt = &time.Time{} }))
		is(s, "for ever", l.ExpiresAt == nil, true)
		is(s, "again", alpha.found(coord.LessonQuery{}), []coord.LessonID{l.ID})
	}},
	{"whoever learnt it does not verify it, and a judgement is of one revision", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		l := alpha.learn("kudu")
		_, err := alpha.judgeLesson(l, coord.LessonVerified)
		s.refused(err, coord.CodeNotIndependent)
		edited := must(alpha.correct(l, says("kudus")))
		_, err = bravo.judgeLesson(l, coord.LessonVerified)
		s.refused(err, coord.CodeStateConflict)
		v := must(bravo.judgeLesson(edited, coord.LessonVerified))
		is(s, "judged", v.Judged, &coord.LessonJudgement{By: "bravo", Note: "seen", At: s.h.Now()})
		is(s, "disputed by its own session", must(alpha.judgeLesson(edited, coord.LessonDisputed)).Status, coord.LessonDisputed)
		_, err = bravo.JudgeLesson(s.ctx, coord.JudgeLesson{Key: newKey(), Project: s.project, Lesson: l.ID, Revision: 2, Status: coord.LessonDisputed})
		s.refused(err, coord.CodeBadRequest)
		is(s, "a person verifies", must(s.h.AsOperator().JudgeLesson(s.ctx, coord.JudgeLesson{Key: newKey(), Project: s.project, Lesson: l.ID, Revision: 2, Status: coord.LessonVerified, Note: "read it"})).Status, coord.LessonVerified)
	}},
	{"feedback counts once for each session, and the last word counts", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		id := alpha.learn("oryx").ID
		bravo.rate(id, true)
		c := coord.RateLesson{Key: newKey(), Project: s.project, Lesson: id, Useful: true, Note: "saved an hour"}
		must(bravo.RateLesson(s.ctx, c))
		l := must(bravo.RateLesson(s.ctx, c))
		is(s, "twice", []int{l.Useful, l.NotUseful}, []int{1, 0})
		l = bravo.rate(id, false)
		is(s, "another mind", []int{l.Useful, l.NotUseful}, []int{0, 1})
		l = s.as("echo").rate(id, true)
		is(s, "another session", []int{l.Useful, l.NotUseful}, []int{1, 1})
		d := must(alpha.Lesson(s.ctx, s.project, id))
		is(s, "kept", len(d.Feedback), 2)
		is(s, "event", s.lastEvent(coord.EventLessonRated).Data["useful"], "true")
	}},
	{"a lesson is superseded once, by one that holds", func(s *stage) {
		alpha := s.as("alpha")
		old, by := alpha.learn("ibex", func(c *coord.Learn) { c.Tags = []string{"goat"} }), alpha.learn("markhor")
		replace := func(c coord.SupersedeLesson) (coord.Lesson, error) {
			c.Key, c.Project = newKey(), s.project
			return alpha.SupersedeLesson(s.ctx, c)
		}
		_, err := replace(coord.SupersedeLesson{Lesson: old.ID, Revision: 2, By: by.ID})
		s.refused(err, coord.CodeStateConflict)
		_, err = replace(coord.SupersedeLesson{Lesson: old.ID, Revision: 1, By: old.ID})
		s.refused(err, coord.CodeBadRequest)
		_, err = replace(coord.SupersedeLesson{Lesson: old.ID, Revision: 1, By: "L99"})
		s.refused(err, coord.CodeNotFound)
		is(s, "by", must(replace(coord.SupersedeLesson{Lesson: old.ID, Revision: 1, By: by.ID, Reason: "larger"})).ID, by.ID)
		is(s, "event", s.lastEvent(coord.EventLessonSuperseded).Data["by"], string(by.ID))
		_, err = replace(coord.SupersedeLesson{Lesson: by.ID, Revision: 1, By: old.ID})
		s.refused(err, coord.CodeStateConflict)
		_, err = replace(coord.SupersedeLesson{Lesson: old.ID, Revision: 1, Text: "again"})
		s.refused(err, coord.CodeStateConflict)
		for _, change := range []func() error{
			func() error { _, err := alpha.correct(old, says("x")); return err },
			func() error { _, err := s.as("bravo").judgeLesson(old, coord.LessonVerified); return err },
			func() error {
				_, err := alpha.RateLesson(s.ctx, coord.RateLesson{Key: newKey(), Project: s.project, Lesson: old.ID, Useful: true})
				return err
			},
		} {
			err := change()
			s.refused(err, coord.CodeStateConflict)
			is(s, "next", asError(err).Next, []string{"coord lesson show " + string(by.ID)})
		}
		d := must(alpha.Lesson(s.ctx, s.project, by.ID))
		is(s, "instead of", d.Supersedes, []coord.LessonID{old.ID})
		is(s, "points on", must(alpha.Lesson(s.ctx, s.project, old.ID)).SupersededBy, by.ID)
		anew := must(replace(coord.SupersedeLesson{Lesson: by.ID, Revision: 1, Text: "argali"}))
		is(s, "a new one", []any{anew.Text, anew.Status, anew.Revision}, []any{"argali", coord.LessonObserved, int64(1)})
	}},
	{"what was disputed meanwhile is not verified by a landing", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		c.Lessons = []string{"holds", "does not"}
		must(w.record(passing(c.Tree)))
		sub := must(alpha.Submit(s.ctx, c))
		must(s.as("bravo").judgeLesson(sub.Lessons[1], coord.LessonDisputed))
		s.land(w.Task.ID)
		is(s, "verified", alpha.found(coord.LessonQuery{Status: coord.LessonVerified}), []coord.LessonID{sub.Lessons[0].ID})
		is(s, "provenance", must(alpha.Lesson(s.ctx, s.project, sub.Lessons[0].ID)).Submission, sub.Submission.ID)
	}},
	{"a proposal becomes a rule by whoever may edit rules, and points to it", func(s *stage) {
		alpha := s.as("alpha")
		p := alpha.learn("Every change has a test.", func(c *coord.Learn) { c.Kind = coord.KindProposal })
		lesson := alpha.learn("tests help")
		set := func(who coord.Service, c coord.SetRule) (coord.Rule, error) {
			c.Key, c.Project, c.Reason = newKey(), s.project, "we learnt"
			return who.SetRule(s.ctx, c)
		}
		_, err := set(alpha, coord.SetRule{Name: "tests", Text: p.Text, From: p.ID})
		s.refused(err, coord.CodeNotPermitted)
		is(s, "nothing binds by itself", must(alpha.Rules(s.ctx, s.project)), nil)
		person := s.h.AsOperator()
		for _, bad := range []coord.LessonID{lesson.ID, "L99"} {
			_, err = set(person, coord.SetRule{Name: "tests", Text: "x", From: bad})
			s.refused(err, coord.CodeStateConflict, coord.CodeNotFound)
		}
		_, err = set(person, coord.SetRule{Name: "tests", From: p.ID})
		s.refused(err, coord.CodeBadRequest)
		is(s, "still nothing", must(alpha.Rules(s.ctx, s.project)), nil)
		r := must(set(person, coord.SetRule{Name: "tests", Text: p.Text, From: p.ID}))
		is(s, "from", r.From, p.ID)
		now := must(alpha.Lesson(s.ctx, s.project, p.ID))
		is(s, "points to", now.Rule, &coord.LessonRule{Name: "tests", Revision: 1})
		_, err = set(person, coord.SetRule{Name: "other", Text: p.Text, From: p.ID})
		s.refused(err, coord.CodeStateConflict)
		_, err = alpha.correct(now.Lesson, says("no tests"))
		s.refused(err, coord.CodeStateConflict)
		must(set(person, coord.SetRule{Name: "tests", Text: "Two tests.", Revision: 1}))
		must(set(person, coord.SetRule{Name: "style", Text: "gofmt"}))
		var said []string
		for _, r := range must(alpha.RuleRevisions(s.ctx, s.project)) {
			said = append(said, r.Name+": "+r.Text+string(r.From))
		}
		is(s, "history", said, []string{"style: gofmt", "tests: Two tests.", "tests: Every change has a test." + string(p.ID)})
	}},
}
