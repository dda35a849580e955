package servicetest

import (
	"coord"
)

// amending is a submission that proposes other criteria.
func (s *stage) amending() (coord.Task, coord.Submission) {
	alpha := s.as("alpha")
	w := alpha.start(alpha.newTask("x", func(c *coord.CreateTask) { c.Criteria = []string{"fast", "small"} }).ID)
	c := w.candidate()
	c.Required, c.Amendment = nil, &coord.Amendment{Criteria: []string{"fast"}, Reason: "small is another task"}
	return w.Task, must(alpha.Submit(s.ctx, c)).Submission
}

// edit changes the task's criteria as somebody who did not work on it.
func (s *stage) edit(id coord.TaskID, criteria ...string) coord.Task {
	t := s.task(id)
	return must(s.as("planner").EditTask(s.ctx, coord.EditTask{Key: newKey(), Task: id, Revision: t.Revision, Criteria: &criteria, Reason: "the customer called"}))
}

func accepts(v coord.AmendmentVerdict) coord.Judgement {
	return coord.Judgement{Verdict: coord.VerdictApproved, Note: "read", Amendment: v}
}

var amendmentScenes = []scene{
	{"an approval says what becomes of the amendment", func(s *stage) {
		task, sub := s.amending()
		is(s, "amendment", sub.Amendment, &coord.Amendment{Criteria: []string{"fast"}, Reason: "small is another task"})
		w := s.as("bravo").start(sub.Reviews[0])
		s.unchanged(task.ID, func() { _, err := w.review(coord.VerdictApproved); s.refused(err, coord.CodeRequirement) })
		is(s, "criteria", s.task(task.ID).Criteria, task.Criteria)
	}},
	{"accepted, it is the task's and what was judged, in one step", func(s *stage) {
		task, sub := s.amending()
		r := must(s.says(sub, accepts(coord.AmendmentAccepted)))
		now, x := s.task(task.ID), s.submission(task.ID)
		is(s, "criteria", now.Criteria, []string{"fast"})
		is(s, "revision", now.Revision, task.Revision+1)
		is(s, "digests", []string{x.Digest, x.Judged, r.Digest}, []string{task.Digest, now.Digest, now.Digest})
		is(s, "digest", now.Digest, coord.Digest(task.Kind, task.Title, task.Outcome, []string{"fast"}))
		is(s, "verdict", x.Amendment.Verdict, coord.AmendmentAccepted)
		is(s, "state", x.State, coord.SubmissionApproved)
		s.land(task.ID)
	}},
	{"rejected, the work may still be approved by the criteria as they are", func(s *stage) {
		task, sub := s.amending()
		must(s.says(sub, accepts(coord.AmendmentRejected)))
		now, x := s.task(task.ID), s.submission(task.ID)
		is(s, "criteria", now.Criteria, task.Criteria)
		is(s, "judged", x.Judged, task.Digest)
		is(s, "verdict", x.Amendment.Verdict, coord.AmendmentRejected)
		s.land(task.ID)
	}},
	{"accepted with changes requested, the next attempt has the new criteria", func(s *stage) {
		task, sub := s.amending()
		must(s.says(sub, coord.Judgement{Verdict: coord.VerdictChangesRequested, Note: "not fast", Amendment: coord.AmendmentAccepted}))
		is(s, "criteria", s.task(task.ID).Criteria, []string{"fast"})
		s.sentBack(sub)
	}},
	{"the second reviewer need not say it again, and may not say otherwise", func(s *stage) {
		s.reviewed(coord.ReviewBoth)
		task, sub := s.amending()
		must(s.says(sub, accepts(coord.AmendmentAccepted)))
		s.unchanged(task.ID, func() {
			_, err := s.h.AsOperator().Judge(s.ctx, coord.Judge{Key: newKey(), Submission: sub.ID, Judgement: accepts(coord.AmendmentRejected)})
			s.refused(err, coord.CodeStateConflict)
		})
		is(s, "what it judges by", s.task(s.slot(sub, coord.ActorHuman)).Criteria, []string{"fast"})
		must(s.judge(s.h.AsOperator(), sub, coord.VerdictApproved))
		s.land(task.ID)
	}},
	{"an amendment that nobody would judge, or that changes nothing, is refused", func(s *stage) {
		_, plain := s.submitted()
		w := s.as("bravo").start(plain.Reviews[0])
		s.unchanged(plain.Task, func() {
			_, err := w.a.Review(s.ctx, coord.RecordReview{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Judgement: accepts(coord.AmendmentAccepted)})
			s.refused(err, coord.CodeRequirement)
		})
		s.withoutReview()
		alpha := s.as("alpha")
		a := alpha.start(alpha.newTask("x", func(c *coord.CreateTask) { c.Criteria = []string{"fast"} }).ID)
		for _, criteria := range [][]string{{"fast"}, {"slow"}} {
			c := a.candidate()
			c.Required, c.Amendment = nil, &coord.Amendment{Criteria: criteria, Reason: "r"}
			s.unchanged(a.Task.ID, func() { _, err := alpha.Submit(s.ctx, c); s.refused(err, coord.CodeRequirement, coord.CodeBadRequest) })
		}
	}},
	{"evidence names criteria that are there", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x", func(c *coord.CreateTask) { c.Criteria = []string{"fast", "small"} }).ID)
		c := w.candidate()
		c.Required, c.Handoff = nil, "the cache is next"
		c.Evidence = []coord.Evidence{{Criterion: 1, Text: "BenchmarkParse"}, {Criterion: 3, Text: "?"}}
		s.unchanged(w.Task.ID, func() { _, err := alpha.Submit(s.ctx, c); s.refused(err, coord.CodeRequirement) })
		c.Key, c.Evidence = newKey(), c.Evidence[:1]
		must(alpha.Submit(s.ctx, c))
		x := s.submission(w.Task.ID)
		is(s, "evidence", x.Evidence, c.Evidence)
		is(s, "handoff", x.Handoff, c.Handoff)
	}},
	{"work that was done by another text is refused until the author read it", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		c.Required, c.Digest = nil, w.Task.Digest
		now := s.edit(w.Task.ID, "fast")
		s.unchanged(w.Task.ID, func() {
			_, err := alpha.Submit(s.ctx, c)
			s.refused(err, coord.CodeStateConflict)
			is(s, "digest", detail(err, "digest"), now.Digest)
		})
		c.Key, c.Digest = newKey(), now.Digest
		is(s, "judged", must(alpha.Submit(s.ctx, c)).Submission.Judged, now.Digest)
	}},
	{"a task that was edited since is neither approved nor landed", func(s *stage) {
		_, sub := s.submitted()
		w := s.as("bravo").start(sub.Reviews[0])
		s.edit(sub.Task, "fast")
		s.unchanged(sub.Task, func() {
			_, err := w.review(coord.VerdictApproved)
			s.refused(err, coord.CodeStateConflict)
			is(s, "next", asError(err).Next[0], "coord revise --requirements-changed "+string(sub.Task))
		})
		must(w.review(coord.VerdictChangesRequested))

		approved := s.approved("y")
		h := s.as("alpha").hold(approved.Task)
		m := h.merge()
		s.edit(approved.Task, "fast")
		s.unchanged(approved.Task, func() { _, err := h.permit(m, passing(m.Tree)); s.refused(err, coord.CodeStateConflict) })
		must(h.fail(coord.FailLanding{State: coord.LandingReleased, Reason: "edited"}))
		other := s.approved("z")
		is(s, "what may land is picked", s.as("alpha").hold("").Task.ID, other.Task)
	}},
	{"requirements that changed send the work back, and an author does not say so", func(s *stage) {
		author, sub := s.submitted()
		s.unchanged(sub.Task, func() {
			_, err := s.as("bravo").revise(sub.Task, coord.ReviseRequirements)
			s.refused(err, coord.CodeRequirement)
		})
		s.edit(sub.Task, "fast")
		s.unchanged(sub.Task, func() {
			_, err := author.revise(sub.Task, coord.ReviseRequirements)
			s.refused(err, coord.CodeNotIndependent)
		})
		must(s.as("bravo").revise(sub.Task, coord.ReviseRequirements))
		s.sentBack(sub)
	}},
	{"an edit after the amendment takes the acceptance away", func(s *stage) {
		task, sub := s.amending()
		s.edit(task.ID, "slow")
		w := s.as("bravo").start(sub.Reviews[0])
		s.unchanged(task.ID, func() {
			_, err := w.a.Review(s.ctx, coord.RecordReview{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Judgement: coord.Judgement{
				Verdict: coord.VerdictChangesRequested, Note: "n", Amendment: coord.AmendmentAccepted,
			}})
			s.refused(err, coord.CodeStateConflict)
		})
	}},
}
