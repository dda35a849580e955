package servicetest

import "coord"

func (a *actor) accept(id coord.TaskID) (coord.Task, error) {
	return a.AcceptObjective(a.s.ctx, coord.AcceptObjective{Key: newKey(), Task: id, Note: "looked at all of it"})
}

// finish brings a code task to its end, in a project without review.
func (s *stage) finish(id coord.TaskID) {
	s.as("author").start(id).submit()
	s.land(id)
}

var objectiveScenes = []scene{
	{"an objective without criteria is done with its last child, and so is what is above it", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective)).ID
		mid := alpha.newTask("mid", ofKind(coord.KindObjective), partOf(top)).ID
		a, b := alpha.newTask("a", partOf(mid)).ID, alpha.newTask("b", partOf(mid)).ID
		waits := alpha.newTask("waits", after(top)).ID
		s.status(mid, coord.StatusInProgress)
		s.finish(a)
		s.status(mid, coord.StatusInProgress)
		is(s, "waits for", s.task(mid).WaitsFor, []coord.TaskID{b})
		must(alpha.cancel(b)) // does not count as open
		s.status(mid, coord.StatusDone)
		s.status(top, coord.StatusDone)
		s.status(waits, coord.StatusReady)
	}},
	{"an objective with criteria waits to be accepted", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective), criteria("users are glad")).ID
		_, err := alpha.accept(top)
		s.refused(err, coord.CodeRequirement) // nothing was done yet
		child := alpha.newTask("child", partOf(top)).ID
		_, err = alpha.accept(top)
		s.refused(err, coord.CodeRequirement)
		s.finish(child)
		s.status(top, coord.StatusReady)
		n := must(alpha.Next(s.ctx, s.project))
		if n.Activity != coord.ActivityAccept || n.Task.ID != top || n.Command != "coord task accept "+string(top)+" -m NOTE" {
			s.Errorf("next is %+v", n)
		}
		is(s, "accepted", must(alpha.accept(top)).Status, coord.StatusDone)
		_, err = alpha.accept(top)
		s.refused(err, coord.CodeStateConflict)
	}},
	{"where people review, a person accepts", func(s *stage) {
		s.project = s.h.Project(s.T, policy(coord.ReviewNone))
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective), criteria("good")).ID
		s.finish(alpha.newTask("child", partOf(top)).ID)
		is(s, "by a person", must(s.h.AsOperator().AcceptObjective(s.ctx, coord.AcceptObjective{Key: newKey(), Task: top, Note: "good"})).Status, coord.StatusDone)
	}},
	{"an objective ends when it is admitted after its children, or loses its last criterion", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		late := alpha.newTask("late", ofKind(coord.KindObjective), planned).ID
		s.finish(alpha.newTask("a", partOf(late)).ID)
		s.status(late, coord.StatusPlanned)
		is(s, "admitted", must(alpha.edit(late, func(c *coord.EditTask) { c.Admit = true })).Status, coord.StatusDone)
		strict := alpha.newTask("strict", ofKind(coord.KindObjective), criteria("users are glad")).ID
		s.finish(alpha.newTask("b", partOf(strict)).ID)
		s.status(strict, coord.StatusReady)
		is(s, "without criteria", must(alpha.edit(strict, func(c *coord.EditTask) { c.Criteria = &[]string{} })).Status, coord.StatusDone)
	}},
	{"canceled children alone do not make an objective done", func(s *stage) {
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective)).ID
		must(alpha.cancel(alpha.newTask("child", partOf(top)).ID))
		s.status(top, coord.StatusReady)
	}},
	{"an objective that waits for something else ends when that does", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		first := alpha.newTask("first").ID
		top := alpha.newTask("top", ofKind(coord.KindObjective), after(first)).ID
		s.finish(alpha.newTask("child", partOf(top)).ID)
		s.status(top, coord.StatusBlocked)
		_, err := alpha.accept(top)
		s.refused(err, coord.CodeStateConflict)
		s.finish(first)
		s.status(top, coord.StatusDone)
	}},
	{"an objective ends when its last open child leaves it", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective)).ID
		s.finish(alpha.newTask("a", partOf(top)).ID)
		b := alpha.newTask("b").ID
		_, err := alpha.link(b, belongTo(top)) // it is done already
		s.refused(err, coord.CodeStateConflict)
		other := alpha.newTask("other", ofKind(coord.KindObjective)).ID
		c := alpha.newTask("c", partOf(other)).ID
		s.finish(alpha.newTask("d", partOf(other)).ID)
		s.status(other, coord.StatusInProgress)
		must(alpha.link(c, no(belongTo(other))))
		s.status(other, coord.StatusDone)
	}},
	{"a superseded child hands its parent on", func(s *stage) {
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective)).ID
		old, by := alpha.newTask("old", partOf(top)).ID, alpha.newTask("by").ID
		must(alpha.supersede(old, by))
		is(s, "parent", s.task(by).Parent, top)
		is(s, "waits for", s.task(top).WaitsFor, []coord.TaskID{by})
	}},
	{"the children of a superseded objective are the other's, and it takes its place", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective)).ID
		old := alpha.newTask("old", ofKind(coord.KindObjective), partOf(top)).ID
		by := alpha.newTask("by", ofKind(coord.KindObjective)).ID
		done, open := alpha.newTask("done", partOf(old)).ID, alpha.newTask("open", partOf(old)).ID
		s.finish(done)
		must(alpha.supersede(old, by))
		is(s, "children", ids(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project, Parent: by})).Items), []coord.TaskID{open, done})
		is(s, "parent", s.task(by).Parent, top)
		s.finish(open)
		s.status(by, coord.StatusDone)
		s.status(top, coord.StatusDone)
	}},
	{"an objective that its own child stands for", func(s *stage) {
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective)).ID
		old := alpha.newTask("old", ofKind(coord.KindObjective), partOf(top)).ID
		by := alpha.newTask("by", ofKind(coord.KindObjective), partOf(old)).ID
		sibling := alpha.newTask("sibling", partOf(old)).ID
		must(alpha.supersede(old, by))
		is(s, "parent of the successor", s.task(by).Parent, top)
		is(s, "parent of the sibling", s.task(sibling).Parent, by)
		is(s, "waits for", s.task(top).WaitsFor, []coord.TaskID{by})
	}},
	{"an objective is seen on the board like any task", func(s *stage) {
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective)).ID
		child := alpha.newTask("child", partOf(top)).ID
		seen := map[coord.Status][]coord.TaskID{}
		for _, c := range must(alpha.Board(s.ctx, s.project)).Columns {
			is(s, string(c.Status), c.Count, len(c.Tasks))
			if len(c.Tasks) > 0 {
				seen[c.Status] = ids(c.Tasks)
			}
		}
		is(s, "board", seen, map[coord.Status][]coord.TaskID{coord.StatusInProgress: {top}, coord.StatusReady: {child}})
	}},
}
