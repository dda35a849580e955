package servicetest

import (
	"strings"

	"coord"
)

func (a *actor) cancel(id coord.TaskID) (coord.Task, error) {
	return a.CancelTask(a.s.ctx, coord.CancelTask{Key: newKey(), Task: id, Reason: "not wanted"})
}

func (a *actor) supersede(id, by coord.TaskID) (coord.Task, error) {
	return a.SupersedeTask(a.s.ctx, coord.SupersedeTask{Key: newKey(), Task: id, By: by})
}

var closeScenes = []scene{
	{"a canceled task is closed for good, and what waits for it goes on waiting", func(s *stage) {
		alpha := s.as("alpha")
		a := alpha.newTask("a").ID
		b := alpha.newTask("b", after(a)).ID
		got := must(alpha.cancel(a))
		if got.Status != coord.StatusCanceled || got.ClosedAt == nil {
			s.Errorf("got %+v", got)
		}
		if e := s.latest(a); e.Kind != coord.EventTaskClosed || !strings.Contains(e.Text, "not wanted") {
			s.Errorf("logged %+v", e)
		}
		s.status(b, coord.StatusBlocked)
		must(alpha.link(b, no(waitFor(a))))
		s.status(b, coord.StatusReady)
		_, err := alpha.cancel(a)
		s.refused(err, coord.CodeStateConflict)
		_, err = alpha.try(a, nil)
		s.refused(err, coord.CodeStateConflict)
	}},
	{"fault 29: a task that another holds is not closed", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		id, by := alpha.newTask("x").ID, alpha.newTask("y").ID
		w := alpha.start(id)
		s.unchanged(id, func() {
			_, err := bravo.cancel(id)
			s.refused(err, coord.CodeTaskTaken)
			_, err = bravo.supersede(id, by)
			s.refused(err, coord.CodeTaskTaken)
			_, err = s.h.AsOperator().CancelTask(s.ctx, coord.CancelTask{Key: newKey(), Task: id, Reason: "no"})
			s.refused(err, coord.CodeTaskTaken)
		})
		must(w.renew())
		s.h.Advance(lease)
		_, err := bravo.cancel(id)
		s.refused(err, coord.CodeTaskTaken) // within the grace
		s.h.Advance(grace)
		is(s, "after it", must(bravo.cancel(id)).Status, coord.StatusCanceled)
		_, err = w.renew()
		s.refused(err, coord.CodeFenced)
	}},
	{"the caller's own attempt ends with its task, and what it saved stays on the record", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		w := alpha.start(id)
		saved := must(w.checkpoint())
		got := must(alpha.cancel(id))
		if got.Saved == nil || got.Saved.Commit != saved.Commit || got.Owner != nil {
			s.Errorf("got %+v", got)
		}
		is(s, "attempt", s.task(id).Attempts[0].Standing, coord.StandingReleased)
		_, err := w.renew()
		s.refused(err, coord.CodeFenced)
	}},
	{"a submission in review or approved goes back, and its followers are canceled", func(s *stage) {
		alpha := s.as("alpha")
		for _, approve := range []bool{false, true} {
			id := alpha.newTask("x").ID
			sub := alpha.start(id).submit()
			if approve {
				s.approve(sub)
			}
			must(s.as("bravo").cancel(id))
			d := s.task(id)
			is(s, "submission", d.Submissions[0].State, coord.SubmissionReturned)
			is(s, "saved", d.Saved.Commit, sub.Commit)
			s.status(sub.Integration, coord.StatusCanceled)
			if !approve {
				s.status(sub.Reviews[0], coord.StatusCanceled)
			}
		}
	}},
	{"a task that is being landed is not closed", func(s *stage) {
		sub := s.approved("x")
		s.as("bravo").publishing(sub.Task)
		s.unchanged(sub.Task, func() {
			_, err := s.as("echo").cancel(sub.Task)
			s.refused(err, coord.CodeTargetHeld)
		})
	}},
	{"followers are closed by their submission only", func(s *stage) {
		alpha := s.as("alpha")
		sub := alpha.start(alpha.newTask("x").ID).submit()
		for _, id := range []coord.TaskID{sub.Reviews[0], sub.Integration} {
			_, err := alpha.cancel(id)
			s.refused(err, coord.CodeStateConflict)
		}
	}},
	{"what waited for a superseded task waits for the one that stands for it", func(s *stage) {
		alpha := s.as("alpha")
		old, by := alpha.newTask("old").ID, alpha.newTask("by").ID
		waits := alpha.newTask("waits", after(old)).ID
		both := alpha.newTask("both", after(old, by)).ID
		got := must(alpha.supersede(old, by))
		if got.Status != coord.StatusSuperseded || got.SupersededBy != by {
			s.Errorf("got %+v", got)
		}
		is(s, "waits for", s.task(waits).WaitsFor, []coord.TaskID{by})
		is(s, "depends on", s.task(both).DependsOn, []coord.TaskID{by})
		must(alpha.link(waits, no(waitFor(by))))
		must(alpha.link(both, no(waitFor(by))))
		s.status(waits, coord.StatusReady)
		s.status(both, coord.StatusReady)
	}},
	{"a successor that waits for the old task does so no more", func(s *stage) {
		alpha := s.as("alpha")
		old := alpha.newTask("old").ID
		by := alpha.newTask("by", after(old)).ID
		must(alpha.supersede(old, by))
		s.status(by, coord.StatusReady)
		is(s, "depends on", s.task(by).DependsOn, nil)
	}},
	{"a successor that is done frees what waited", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		old, by := alpha.newTask("old").ID, alpha.newTask("by").ID
		waits := alpha.newTask("waits", after(old)).ID
		alpha.start(by).submit()
		s.land(by)
		must(alpha.supersede(old, by))
		s.status(waits, coord.StatusReady)
	}},
	{"a successor that would close a cycle is refused, and nothing moves", func(s *stage) {
		alpha := s.as("alpha")
		old := alpha.newTask("old").ID
		waits := alpha.newTask("waits", after(old)).ID
		by := alpha.newTask("by", after(waits)).ID
		s.unchanged(waits, func() {
			_, err := alpha.supersede(old, by)
			s.refused(err, coord.CodeStateConflict)
		})
		s.status(old, coord.StatusReady)
	}},
	{"nothing stands for itself, nor a closed task for another, nor an objective for work", func(s *stage) {
		alpha := s.as("alpha")
		a, gone, top := alpha.newTask("a").ID, alpha.newTask("gone").ID, alpha.newTask("top", ofKind(coord.KindObjective)).ID
		must(alpha.cancel(gone))
		for _, by := range []coord.TaskID{a, gone, top} {
			_, err := alpha.supersede(a, by)
			s.refused(err, coord.CodeStateConflict, coord.CodeBadRequest)
		}
		s.status(a, coord.StatusReady)
	}},
	{"K1 the same cancellation again is not made twice", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		c := coord.CancelTask{Key: newKey(), Task: id, Reason: "no"}
		must(alpha.CancelTask(s.ctx, c))
		is(s, "status", must(alpha.CancelTask(s.ctx, c)).Status, coord.StatusCanceled)
		is(s, "events", len(s.task(id).Events), 2)
	}},
	{"a reason is owed", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		_, err := alpha.CancelTask(s.ctx, coord.CancelTask{Key: newKey(), Task: id, Reason: " "})
		s.refused(err, coord.CodeBadRequest)
	}},
}
