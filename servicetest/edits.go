package servicetest

import (
	"strings"

	"coord"
)

// edit sends an edit of the task as it is now.
func (a *actor) edit(id coord.TaskID, change func(*coord.EditTask)) (coord.Task, error) {
	c := coord.EditTask{Key: newKey(), Task: id, Revision: a.s.task(id).Revision}
	change(&c)
	return a.EditTask(a.s.ctx, c)
}

func title(t string) func(*coord.EditTask) { return func(c *coord.EditTask) { c.Title = &t } }

// latest is the latest entry of the task's log.
func (s *stage) latest(id coord.TaskID) coord.Event {
	events := s.task(id).Events
	return events[len(events)-1]
}

var editScenes = []scene{
	{"an edit changes what it names, the revision and, where it is substance, the digest", func(s *stage) {
		alpha := s.as("alpha")
		made := alpha.newTask("old", criteria("one"))
		low, labels := coord.PriorityLow, []string{"b", "a"}
		got := must(alpha.edit(made.ID, func(c *coord.EditTask) { c.Priority, c.Labels, c.Reason = &low, &labels, "can wait" }))
		if got.Priority != low || got.Revision != 2 || got.Digest != made.Digest || got.Title != "old" {
			s.Errorf("got %+v", got)
		}
		is(s, "labels", got.Labels, []string{"a", "b"})
		e := s.latest(made.ID)
		if e.Kind != coord.EventTaskEdited || e.Data["changed"] != "priority,labels" || e.Data["reason"] != "can wait" {
			s.Errorf("logged %+v", e)
		}
		got = must(alpha.edit(made.ID, title("new")))
		if got.Title != "new" || got.Digest == made.Digest || got.Revision != 3 {
			s.Errorf("got %+v", got)
		}
		is(s, "what it was", s.latest(made.ID).Data["was_title"], "old")
		is(s, "as stored", s.task(made.ID).Task, got)
	}},
	{"an edit of an older revision is refused and changes nothing", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		id := alpha.newTask("x").ID
		must(bravo.edit(id, title("y")))
		s.unchanged(id, func() {
			_, err := alpha.edit(id, func(c *coord.EditTask) { title("z")(c); c.Revision = 1 })
			s.refused(err, coord.CodeStateConflict)
		})
	}},
	{"an edit that changes nothing leaves no trace", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		is(s, "revision", must(alpha.edit(id, title("x"))).Revision, int64(1))
		is(s, "events", len(s.task(id).Events), 1)
	}},
	{"an edit that names nothing, or breaks a limit, is bad", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		s.unchanged(id, func() {
			_, err := alpha.edit(id, func(*coord.EditTask) {})
			s.refused(err, coord.CodeBadRequest)
			_, err = alpha.edit(id, title(strings.Repeat("x", 201)))
			s.refused(err, coord.CodeBadRequest)
		})
	}},
	{"K1 the same edit again is not made twice", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		y := "y"
		c := coord.EditTask{Key: newKey(), Task: id, Revision: 1, Title: &y}
		must(alpha.EditTask(s.ctx, c))
		is(s, "revision", must(alpha.EditTask(s.ctx, c)).Revision, int64(2))
	}},
	{"whoever worked on a task does not change what the work is judged by, others do", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		id := alpha.newTask("x", criteria("hard")).ID
		must(alpha.start(id).release())
		easy := []string{}
		weaken := func(c *coord.EditTask) { c.Criteria = &easy }
		s.unchanged(id, func() {
			_, err := alpha.edit(id, weaken)
			s.refused(err, coord.CodeNotIndependent)
		})
		low := coord.PriorityLow
		must(alpha.edit(id, func(c *coord.EditTask) { c.Priority = &low }))
		is(s, "criteria", must(bravo.edit(id, weaken)).Criteria, nil)
	}},
	{"an edit does not stop the attempt, and leaves a submission as it is", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		id := alpha.newTask("x").ID
		w := alpha.start(id)
		must(bravo.edit(id, title("y")))
		must(w.renew())
		other := alpha.newTask("z").ID
		sub := alpha.start(other).submit()
		after := must(bravo.edit(other, title("zz")))
		is(s, "state", s.task(other).Submissions[0].State, sub.State)
		is(s, "judged", s.task(other).Submissions[0].Judged, sub.Digest)
		if after.Digest == sub.Digest {
			s.Error("the task still has the digest that was submitted")
		}
	}},
	{"a planned task is admitted, once, and comes into the queue then", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x", planned).ID
		s.h.Advance(1e9)
		admit := func(c *coord.EditTask) { c.Admit = true }
		got := must(alpha.edit(id, admit))
		if got.Status != coord.StatusReady || got.ReadySince == nil || !got.ReadySince.Equal(s.h.Now()) {
			s.Errorf("got %+v", got)
		}
		_, err := alpha.edit(id, admit)
		s.refused(err, coord.CodeStateConflict)
		blocked := alpha.newTask("y", planned, after(id)).ID
		is(s, "with a dependency", must(alpha.edit(blocked, admit)).Status, coord.StatusBlocked)
	}},
	{"followers and closed tasks are not edited", func(s *stage) {
		alpha := s.as("alpha")
		sub := alpha.start(alpha.newTask("x").ID).submit()
		_, err := alpha.edit(sub.Reviews[0], title("y"))
		s.refused(err, coord.CodeStateConflict)
		gone := alpha.newTask("z").ID
		must(alpha.cancel(gone))
		_, err = alpha.edit(gone, title("y"))
		s.refused(err, coord.CodeStateConflict)
	}},
	{"a person edits without a session", func(s *stage) {
		id := s.as("alpha").newTask("x").ID
		y := "y"
		got := must(s.h.AsOperator().EditTask(s.ctx, coord.EditTask{Key: newKey(), Task: id, Revision: 1, Title: &y}))
		is(s, "title", got.Title, "y")
	}},
}
