package servicetest

import (
	"strconv"
	"strings"

	"coord"
)

// resource names a resource: "NAME", "NAME=CAPACITY".
func (s *stage) resource(word string, scope coord.Scope) coord.Resource {
	w := wantsOf(word)[0]
	return must(s.as("owner").CreateResource(s.ctx, coord.CreateResource{Key: newKey(), Project: s.project, Name: w.Resource, Scope: scope, Capacity: w.Units}))
}

func wantsOf(words ...string) []coord.Want {
	var out []coord.Want
	for _, word := range words {
		w := coord.Want{Resource: word}
		if name, units, ok := strings.Cut(word, "="); ok {
			w.Resource = name
			w.Units, _ = strconv.Atoi(units) // 0 is refused
		}
		out = append(out, w)
	}
	return out
}

// reserve asks for "NAME" or "NAME=UNITS" once.
func (w work) reserve(words ...string) (coord.Reserved, error) {
	return w.ask(coord.Reserve{Wants: wantsOf(words...)})
}

// queue asks and stands in line; after the first time, with the ticket.
func (w work) queue(ticket *coord.Ticket, words ...string) (coord.Reserved, error) {
	c := coord.Reserve{Wants: wantsOf(words...), Line: true}
	if ticket != nil {
		c.Ticket = ticket.ID
	}
	return w.ask(c)
}

func (w work) ask(c coord.Reserve) (coord.Reserved, error) {
	c.Key, c.Attempt, c.Fence = newKey(), w.id(), w.Attempt.Fence
	return w.a.Reserve(w.a.s.ctx, c)
}

func (w work) unreserve(ids ...coord.ReservationID) ([]coord.Reservation, error) {
	return w.a.Unreserve(w.a.s.ctx, coord.Unreserve{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Reservations: ids})
}

func (w work) adopt(edits ...func(*coord.Adopt)) (coord.Obligations, error) {
	c := coord.Adopt{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence}
	for _, edit := range edits {
		edit(&c)
	}
	return w.a.Adopt(w.a.s.ctx, c)
}

// newWork is a task of its own in the hands of a fresh session.
func (s *stage) newWork(name string) work {
	a := s.as(name)
	return a.start(a.newTask("of " + name).ID)
}

// taken is how many units of each resource are held, of those that are.
func (s *stage) taken() map[string]int {
	out := map[string]int{}
	for _, r := range must(s.h.AsOperator().ListResources(s.ctx, s.project)) {
		for _, n := range r.Held {
			out[r.Name] += n.Units
		}
	}
	return out
}

var resourceScenes = []scene{
	{"fault 48: P3 a resource has one name, and is named once", func(s *stage) {
		alpha := s.as("alpha")
		name := func(c coord.CreateResource) (coord.Resource, error) {
			c.Key, c.Project = newKey(), s.project
			return alpha.CreateResource(s.ctx, c)
		}
		r := must(name(coord.CreateResource{Name: "GPU-0", Note: "the big one"}))
		if r.Name != "gpu-0" || r.Scope != coord.ScopeShared || r.Capacity != 1 || r.CreatedBy != "alpha" || r.Project != s.project {
			s.Errorf("got %+v", r)
		}
		is(s, "the same again", must(name(coord.CreateResource{Name: "gpu-0", Capacity: 1})), r)
		_, err := name(coord.CreateResource{Name: "gpu-0", Capacity: 2})
		s.refused(err, coord.CodeStateConflict)
		_, err = name(coord.CreateResource{Name: "gpu-0", Scope: coord.ScopeMachine})
		s.refused(err, coord.CodeStateConflict)
		_, err = name(coord.CreateResource{Name: "gpu\u20100"})
		s.refused(err, coord.CodeBadRequest)
		is(s, "resources", must(alpha.ListResources(s.ctx, s.project)), []coord.Resource{r})
		w := s.newWork("bravo")
		is(s, "reserved", must(w.reserve("Gpu-0")).Reservations[0].Resource, "gpu-0")
	}},
	{"a policy may leave shared resources to operators", func(s *stage) {
		p := policy(coord.ReviewAgent)
		p.OperatorResources = true
		s.project = s.h.Project(s.T, p)
		alpha := s.as("alpha")
		c := coord.CreateResource{Key: newKey(), Project: s.project, Name: "db"}
		_, err := alpha.CreateResource(s.ctx, c)
		s.refused(err, coord.CodeNotPermitted)
		is(s, "needs", asError(err).RequiredActor, "operator")
		c.Key, c.Scope = newKey(), coord.ScopeMachine
		must(alpha.CreateResource(s.ctx, c))
		must(s.h.AsOperator().CreateResource(s.ctx, coord.CreateResource{Key: newKey(), Project: s.project, Name: "shared"}))
	}},
	{"fault 46: P1 a set is taken all or none, and the refusal names what and whom", func(s *stage) {
		s.resource("x", "")
		s.resource("y", "")
		s.resource("z=3", "")
		v, w := s.newWork("alpha"), s.newWork("bravo")
		got := must(v.reserve("x", "z=2")).Reservations
		if len(got) != 2 || got[0].Resource != "x" || got[0].Units != 1 || got[1].Resource != "z" || got[1].Units != 2 || got[0].Holder != "alpha" || got[0].Attempt != v.id() || got[0].Task != v.Task.ID {
			s.Errorf("got %+v", got)
		}
		_, err := w.reserve("y", "x", "z=2")
		s.refused(err, coord.CodeResourceBusy)
		e := asError(err)
		is(s, "details", e.Details, map[string]string{"busy": "x z", "holder": "alpha"})
		if strings.Contains(e.Message, string(v.id())) || e.Next[0] != "coord reserve --wait y x z=2" {
			s.Errorf("got %q, next %v", e.Message, e.Next)
		}
		is(s, "held", s.taken(), map[string]int{"x": 1, "z": 2})
		must(w.reserve("y", "z"))
		is(s, "held", s.taken(), map[string]int{"x": 1, "y": 1, "z": 3})
	}},
	{"P1 what is held is added to without waiting", func(s *stage) {
		s.resource("x", "")
		s.resource("y", "")
		s.resource("z=3", "")
		v, w := s.newWork("alpha"), s.newWork("bravo")
		must(v.reserve("x", "z"))
		must(w.reserve("y"))
		must(v.reserve("z"))
		_, err := v.reserve("z", "y")
		s.refused(err, coord.CodeResourceBusy)
		is(s, "held", s.taken(), map[string]int{"x": 1, "y": 1, "z": 2})
		_, err = v.queue(nil, "y")
		s.refused(err, coord.CodeResourceBusy) // two that hold and wait could do so for ever
		is(s, "waiting", s.waiting("y"), 0)
	}},
	{"fault 47: sets are bounded, and what is not there is not reserved", func(s *stage) {
		s.resource("x=2", "")
		w := s.newWork("alpha")
		for _, c := range []struct {
			words []string
			want  coord.Code
		}{
			{nil, coord.CodeBadRequest},
			{[]string{"x", "X"}, coord.CodeBadRequest},
			{[]string{"x", "nosuch"}, coord.CodeNotFound},
			{[]string{"x=3"}, coord.CodeRequirement},
			{[]string{"x=10001"}, coord.CodeBadRequest},
			{[]string{"a b"}, coord.CodeBadRequest},
		} {
			_, err := w.reserve(c.words...)
			s.refused(err, c.want)
		}
		is(s, "held", s.taken(), map[string]int{})
	}},
	{"L4 only a live attempt reserves, gives back and adopts", func(s *stage) {
		s.resource("x", "")
		w := s.newWork("alpha")
		thief := work{s.as("bravo"), w.Claimed}
		must(w.reserve("x"))
		try := func(w work, want coord.Code) {
			_, err := w.reserve("x")
			s.refused(err, want)
			_, err = w.unreserve()
			s.refused(err, want)
			_, err = w.adopt()
			s.refused(err, want)
			is(s, "held", s.taken(), map[string]int{"x": 1})
		}
		try(thief, coord.CodeFenced)
		s.h.Advance(lease)
		try(w, coord.CodeLeaseExpired)
	}},
	{"K1 K3 a repeated reservation takes nothing more, and a replay shows what became of it", func(s *stage) {
		s.resource("x=5", "")
		w := s.newWork("alpha")
		c := coord.Reserve{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Wants: wantsOf("x=2")}
		first, again := must(w.a.Reserve(s.ctx, c)), must(w.a.Reserve(s.ctx, c))
		is(s, "again", again, first)
		is(s, "held", s.taken(), map[string]int{"x": 2})
		must(w.unreserve())
		if r := must(w.a.Reserve(s.ctx, c)).Reservations; r[0].ReleasedAt == nil {
			s.Errorf("got %+v", r)
		}
		is(s, "held", s.taken(), map[string]int{})
	}},
	{"P4 what is given back by name is free, and the rest is held", func(s *stage) {
		s.resource("x", "")
		s.resource("y", "")
		v, w := s.newWork("alpha"), s.newWork("bravo")
		got := must(v.reserve("x", "y")).Reservations
		_, err := w.unreserve(got[0].ID)
		s.refused(err, coord.CodeStateConflict)
		back := must(v.unreserve(got[0].ID))
		if len(back) != 1 || back[0].ReleasedAt == nil {
			s.Errorf("gave back %+v", back)
		}
		is(s, "held", s.taken(), map[string]int{"y": 1})
		is(s, "given back twice", len(must(v.unreserve(got[0].ID))), 0)
		must(w.reserve("x"))
		is(s, "the rest", len(must(v.unreserve())), 1)
		is(s, "held", s.taken(), map[string]int{"x": 1})
		_, err = v.unreserve("n99999")
		s.refused(err, coord.CodeNotFound)
	}},
	{"a resource of a machine or a checkout is one in each", func(s *stage) {
		s.resource("port", coord.ScopeMachine)
		s.resource("build", coord.ScopeCheckout)
		u, v, w := s.newWork("alpha"), s.newWork("bravo"), s.newWork("delta")
		_, err := u.reserve("build")
		s.refused(err, coord.CodeRequirement)
		for i, x := range []work{u, v, w} {
			machine := []string{"one", "one", "two"}[i]
			must(x.a.BindWorktree(s.ctx, coord.BindWorktree{Key: newKey(), Attempt: x.id(), Fence: x.Attempt.Fence, Worktree: coord.Worktree{
				Machine: machine + string(s.project), Path: "/w", GitDir: "/g" + strconv.Itoa(i), Branch: "b", Base: newOID(),
			}}))
		}
		must(u.reserve("build", "port"))
		must(v.reserve("build"))
		_, err = v.reserve("port")
		s.refused(err, coord.CodeResourceBusy)
		must(w.reserve("build", "port"))
		is(s, "held", s.taken(), map[string]int{"port": 2, "build": 3})
	}},
	{"P4 the end of an attempt frees what it holds: release and submission", func(s *stage) {
		s.resource("x", "")
		w := s.newWork("alpha")
		must(w.reserve("x"))
		must(w.release())
		is(s, "after the release", s.taken(), map[string]int{})
		v := s.newWork("bravo")
		must(v.reserve("x"))
		sub := v.submit()
		is(s, "after the submission", s.taken(), map[string]int{})
		r := s.as("delta").start(sub.Reviews[0])
		must(r.reserve("x"))
		must(r.review(coord.VerdictApproved))
		is(s, "after the review", s.taken(), map[string]int{})
		events := s.task(w.Task.ID).Events
		freed := 0
		for _, e := range events {
			if e.Kind == coord.EventResourceReleased {
				freed++
			}
		}
		is(s, "events", freed, 1)
	}},
	{"fault 49: P4 L7 expiry frees nothing; the one who recovers adopts or gives back", func(s *stage) {
		s.resource("x", "")
		s.resource("y", "")
		w, other := s.newWork("alpha"), s.newWork("bravo")
		must(w.reserve("x", "y"))
		s.h.Advance(lease + grace)
		w2 := work{s.as("delta"), coord.Claimed{}}
		is(s, "after expiry", s.taken(), map[string]int{"x": 1, "y": 1})
		other = must(other.resume())
		_, err := other.reserve("x")
		s.refused(err, coord.CodeResourceBusy)
		is(s, "holder", detail(err, "holder"), "alpha")
		w2.Claimed = must(w2.a.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionRestart, Reason: "gone"}))
		is(s, "after recovery", s.taken(), map[string]int{"x": 1, "y": 1})
		left := w2.Obligations.Reservations
		if len(left) != 2 || left[0].Attempt != w.id() || len(w2.Obligations.Jobs) != 0 {
			s.Fatalf("obligations %+v", w2.Obligations)
		}
		is(s, "of the task", s.task(w.Task.ID).Obligations, w2.Obligations)
		_, err = w2.unreserve(left[0].ID)
		s.refused(err, coord.CodeStateConflict) // unadopted

		got := must(w2.adopt(func(c *coord.Adopt) { c.Reservations = []coord.ReservationID{left[0].ID} })).Reservations
		if len(got) != 1 || got[0].ID != left[0].ID || got[0].Attempt != w2.id() || got[0].Holder != "delta" {
			s.Errorf("adopted %+v", got)
		}
		must(w2.unreserve(left[0].ID))
		must(other.reserve("x"))
		must(w2.adopt())
		must(w2.release())
		is(s, "at the end", s.taken(), map[string]int{"x": 1})
	}},
}
