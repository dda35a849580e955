package servicetest

import "coord"

func general(c *coord.CreateTask) { c.Kind = coord.KindGeneral }

var generalScenes = []scene{
	{"a general task is done when its submission is accepted, and nothing lands", func(s *stage) {
		s.reviewed(coord.ReviewBoth)
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("choose a library", general).ID)
		dependent := alpha.newTask("use it", after(w.Task.ID)).ID
		c := w.candidate() // what it requires is not asked for
		c.Base = c.Commit
		sub := must(alpha.Submit(s.ctx, c)).Submission
		is(s, "integration", sub.Integration, "")
		is(s, "required", sub.Required, nil)
		_, err := s.as("echo").tryHold(w.Task.ID, nil)
		s.refused(err, coord.CodeStateConflict)
		must(s.as("bravo").start(s.slot(sub, coord.ActorAgent)).review(coord.VerdictApproved))
		s.status(w.Task.ID, coord.StatusWaitingReview)
		must(s.judge(s.h.AsOperator(), sub, coord.VerdictApproved))
		s.status(w.Task.ID, coord.StatusDone)
		is(s, "state", s.submission(w.Task.ID).State, coord.SubmissionAccepted)
		s.status(dependent, coord.StatusReady)
	}},
	{"without review it is done at once", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("choose a library", general).ID)
		c := w.candidate()
		c.Lessons = []string{"the small one is enough"}
		is(s, "state", must(alpha.Submit(s.ctx, c)).Submission.State, coord.SubmissionAccepted)
		s.status(w.Task.ID, coord.StatusDone)
		is(s, "lesson", must(alpha.Lessons(s.ctx, coord.LessonQuery{Project: s.project}))[0].Status, coord.LessonVerified)
	}},
	{"changes requested send it back as saved work", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("choose a library", general).ID)
		sub := must(alpha.Submit(s.ctx, w.candidate())).Submission
		s.rejects(sub, required("reasons", "why this one?"))
		t := s.task(w.Task.ID)
		is(s, "status", t.Status, coord.StatusReady)
		if t.Saved == nil || t.Saved.Commit != sub.Commit {
			s.Errorf("saved %+v", t.Saved)
		}
		s.approve(s.again(sub))
		s.status(w.Task.ID, coord.StatusDone)
	}},
	{"a policy that asks for no review any more accepts it", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("choose a library", general).ID)
		must(alpha.Submit(s.ctx, w.candidate()))
		s.setPolicy(mode(coord.ReviewNone))
		s.status(w.Task.ID, coord.StatusDone)
		s.setPolicy(mode(coord.ReviewBoth))
		s.status(w.Task.ID, coord.StatusDone)
	}},
}
