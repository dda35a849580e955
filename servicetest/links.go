package servicetest

import (
	"strings"

	"coord"
)

func (a *actor) link(id coord.TaskID, change func(*coord.LinkTask)) (coord.Task, error) {
	c := coord.LinkTask{Key: newKey(), Task: id}
	change(&c)
	return a.LinkTask(a.s.ctx, c)
}

func waitFor(id coord.TaskID) func(*coord.LinkTask) {
	return func(c *coord.LinkTask) { c.After = id }
}

func belongTo(id coord.TaskID) func(*coord.LinkTask) {
	return func(c *coord.LinkTask) { c.Parent = id }
}

func no(edge func(*coord.LinkTask)) func(*coord.LinkTask) {
	return func(c *coord.LinkTask) {
		edge(c)
		c.Remove, c.Reason = true, "not needed"
	}
}

var linkScenes = []scene{
	{"a dependency blocks, and its removal makes ready at that moment", func(s *stage) {
		alpha := s.as("alpha")
		a, b := alpha.newTask("a").ID, alpha.newTask("b").ID
		got := must(alpha.link(b, waitFor(a)))
		is(s, "status", got.Status, coord.StatusBlocked)
		is(s, "waits for", got.WaitsFor, []coord.TaskID{a})
		is(s, "logged", s.latest(b).Kind, coord.EventTaskLinked)
		s.h.Advance(1e9)
		got = must(alpha.link(b, no(waitFor(a))))
		if got.Status != coord.StatusReady || !got.ReadySince.Equal(s.h.Now()) {
			s.Errorf("got %+v", got)
		}
		e := s.latest(b)
		if e.Kind != coord.EventTaskUnlinked || e.Data["reason"] != "not needed" || e.Data["after"] != string(a) {
			s.Errorf("logged %+v", e)
		}
	}},
	{"an edge that is there, or is gone, is no error and no event", func(s *stage) {
		alpha := s.as("alpha")
		a, b := alpha.newTask("a").ID, alpha.newTask("b").ID
		must(alpha.link(b, waitFor(a)))
		before := len(s.task(b).Events)
		must(alpha.link(b, waitFor(a)))
		is(s, "depends on", s.task(b).DependsOn, []coord.TaskID{a})
		must(alpha.link(a, no(waitFor(b))))
		is(s, "events", len(s.task(b).Events), before)
	}},
	{"a dependency that is done blocks nothing", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		a, b := alpha.newTask("a").ID, alpha.newTask("b").ID
		alpha.start(a).submit()
		s.land(a)
		is(s, "linked", must(alpha.link(b, waitFor(a))).Status, coord.StatusReady)
		is(s, "unlinked", must(alpha.link(b, no(waitFor(a)))).Status, coord.StatusReady)
	}},
	{"no cycle of dependencies, and the refusal names the way round", func(s *stage) {
		alpha := s.as("alpha")
		a := alpha.newTask("a").ID
		b := alpha.newTask("b", after(a)).ID
		c := alpha.newTask("c", after(b)).ID
		for _, edge := range [][2]coord.TaskID{{a, c}, {a, b}, {a, a}} {
			s.unchanged(a, func() {
				_, err := alpha.link(edge[0], waitFor(edge[1]))
				s.refused(err, coord.CodeStateConflict)
				if !strings.Contains(err.Error(), string(a)+" → ") {
					s.Errorf("got %v", err)
				}
			})
		}
	}},
	{"no cycle through an objective either", func(s *stage) {
		alpha := s.as("alpha")
		top := alpha.newTask("top", ofKind(coord.KindObjective)).ID
		child := alpha.newTask("child", partOf(top)).ID
		_, err := alpha.link(child, waitFor(top))
		s.refused(err, coord.CodeStateConflict)
		outside := alpha.newTask("outside", after(top)).ID
		_, err = alpha.link(child, waitFor(outside))
		s.refused(err, coord.CodeStateConflict)
		_, err = alpha.link(outside, belongTo(top))
		s.refused(err, coord.CodeStateConflict)
		_, err = alpha.CreateTask(s.ctx, coord.CreateTask{Key: newKey(), Project: s.project, Title: "new", Parent: top, DependsOn: []coord.TaskID{outside}})
		s.refused(err, coord.CodeStateConflict)
		under := alpha.newTask("under", ofKind(coord.KindObjective), partOf(top)).ID
		_, err = alpha.link(top, belongTo(under))
		s.refused(err, coord.CodeStateConflict)
	}},
	{"only an objective has children, a task has one, and closed ones take none", func(s *stage) {
		alpha := s.as("alpha")
		top, other := alpha.newTask("top", ofKind(coord.KindObjective)).ID, alpha.newTask("other", ofKind(coord.KindObjective)).ID
		a, b := alpha.newTask("a").ID, alpha.newTask("b").ID
		_, err := alpha.link(a, belongTo(b))
		s.refused(err, coord.CodeStateConflict)
		is(s, "parent", must(alpha.link(a, belongTo(top))).Parent, top)
		must(alpha.link(a, belongTo(top)))
		_, err = alpha.link(a, belongTo(other))
		s.refused(err, coord.CodeStateConflict)
		s.status(top, coord.StatusInProgress)
		is(s, "waits for", s.task(top).WaitsFor, []coord.TaskID{a})
		is(s, "parent", must(alpha.link(a, no(belongTo(top)))).Parent, coord.TaskID(""))
		s.status(top, coord.StatusReady)
		must(alpha.cancel(other))
		_, err = alpha.link(a, belongTo(other))
		s.refused(err, coord.CodeStateConflict)
	}},
	{"a link does not stop the attempt", func(s *stage) {
		alpha := s.as("alpha")
		a, b := alpha.newTask("a").ID, alpha.newTask("b").ID
		w := alpha.start(b)
		must(s.as("bravo").link(b, waitFor(a)))
		must(w.renew())
		s.status(b, coord.StatusInProgress)
		must(w.release())
		s.status(b, coord.StatusBlocked)
	}},
	{"links stay within the project, and away from followers", func(s *stage) {
		alpha := s.as("alpha")
		a := alpha.newTask("a").ID
		sub := alpha.start(alpha.newTask("x").ID).submit()
		_, err := alpha.link(sub.Integration, waitFor(a))
		s.refused(err, coord.CodeStateConflict)
		s.project = s.h.Project(s.T, policy(coord.ReviewNone))
		elsewhere := alpha.newTask("elsewhere").ID
		_, err = alpha.link(a, waitFor(elsewhere))
		s.refused(err, coord.CodeNotFound)
		_, err = alpha.link(elsewhere, func(c *coord.LinkTask) {})
		s.refused(err, coord.CodeBadRequest)
		_, err = alpha.link(elsewhere, func(c *coord.LinkTask) { c.After, c.Remove = elsewhere, true })
		s.refused(err, coord.CodeBadRequest)
	}},
}
