package servicetest

import (
	"strconv"
	"strings"
	"time"

	"coord"
)

// waiting is how many stand in line for a resource.
func (s *stage) waiting(name string) int {
	for _, r := range must(s.h.AsOperator().ListResources(s.ctx, s.project)) {
		if r.Name == name {
			return r.Waiting
		}
	}
	s.Errorf("there is no resource %s", name)
	return -1
}

var lineScenes = []scene{
	{"P5 those who wait are served in the order in which they came", func(s *stage) {
		s.resource("x", "")
		u, v, w := s.newWork("alpha"), s.newWork("bravo"), s.newWork("delta")
		must(u.reserve("x"))
		first, second := must(v.queue(nil, "x")).Ticket, must(w.queue(nil, "x")).Ticket
		if first == nil || second == nil || first.Ahead != 0 || second.Ahead != 1 || len(first.Busy) != 1 || first.Busy[0] != "x" {
			s.Fatalf("tickets %+v and %+v", first, second)
		}
		is(s, "waiting", s.waiting("x"), 2)
		must(u.unreserve())
		_, err := s.newWork("echo").reserve("x") // does not wait, and does not pass
		s.refused(err, coord.CodeResourceBusy)
		is(s, "holder", detail(err, "holder"), "")
		again := must(w.queue(second, "x"))
		if again.Ticket == nil || again.Ticket.ID != second.ID || again.Ticket.Ahead != 1 || len(again.Reservations) != 0 {
			s.Errorf("out of turn: %+v", again)
		}
		got := must(v.queue(first, "x"))
		if got.Ticket != nil || len(got.Reservations) != 1 {
			s.Errorf("in turn: %+v", got)
		}
		is(s, "waiting", s.waiting("x"), 1)
	}},
	{"P5 a ticket that nobody asks about lapses, and its owner begins at the end", func(s *stage) {
		s.resource("x", "")
		u, v, w := s.newWork("alpha"), s.newWork("bravo"), s.newWork("delta")
		must(u.reserve("x"))
		first, second := must(v.queue(nil, "x")).Ticket, must(w.queue(nil, "x")).Ticket
		s.h.Advance(coord.TicketLife - 1)
		is(s, "waiting", s.waiting("x"), 2)
		again := must(w.queue(second, "x")).Ticket
		is(s, "ahead", again.Ahead, 1)
		s.h.Advance(1)
		is(s, "waiting", s.waiting("x"), 1)
		is(s, "ahead", must(w.queue(second, "x")).Ticket.Ahead, 0)
		late := must(v.queue(first, "x")).Ticket
		if late == nil || late.ID == first.ID || late.Ahead != 1 {
			s.Errorf("got %+v", late)
		}
	}},
	{"P5 a waiter whose lease or session ends drops out", func(s *stage) {
		s.resource("x", "")
		u, v, w := s.newWork("alpha"), s.newWork("bravo"), s.newWork("delta")
		must(u.reserve("x"))
		must(v.queue(nil, "x"))
		must(w.queue(nil, "x"))
		must(v.release())
		is(s, "after a release", s.waiting("x"), 1)
		must(w.a.CloseSession(s.ctx, coord.CloseSession{Key: newKey(), Reason: "done"}))
		is(s, "after a session's end", s.waiting("x"), 0)
		must(u.unreserve())
		y := s.newWork("echo")
		must(y.reserve("x"))
		z := s.newWork("foxtrot")
		must(z.queue(nil, "x"))
		s.h.Advance(lease - time.Second) // its lease ends before its next ticket lapses
		must(z.queue(nil, "x"))
		s.h.Advance(time.Second)
		is(s, "after expiry", s.waiting("x"), 0)
	}},
	{"P5 nobody waits for what can never be: more than there is on top of what it holds", func(s *stage) {
		s.resource("x=2", "")
		v, w := s.newWork("alpha"), s.newWork("bravo")
		must(v.reserve("x"))
		for _, ask := range []func() error{
			func() error { _, err := v.reserve("x=2"); return err },
			func() error { _, err := v.queue(nil, "x=2"); return err },
			func() error { _, err := w.queue(nil, "x=3"); return err },
		} {
			err := ask()
			s.refused(err, coord.CodeRequirement)
			for _, next := range asError(err).Next {
				if strings.Contains(next, "--wait") {
					s.Errorf("%v suggests %s", err, next)
				}
			}
		}
		is(s, "waiting", s.waiting("x"), 0)
		must(w.reserve("x"))
		_, err := v.queue(nil, "x")
		s.refused(err, coord.CodeResourceBusy) // the other one may come free
		is(s, "next", asError(err).Next[1], "coord reserve --wait x=2")
	}},
	{"P5 an attempt has one place in line, and keeps it without its ticket", func(s *stage) {
		s.resource("x", "")
		s.resource("y", "")
		u, v := s.newWork("alpha"), s.newWork("bravo")
		must(u.reserve("x", "y"))
		first := must(v.queue(nil, "x")).Ticket
		is(s, "the ticket", must(v.queue(nil, "x")).Ticket.ID, first.ID)
		other := must(v.queue(nil, "y", "x")).Ticket
		if other.ID == first.ID {
			s.Error("another set, the same ticket")
		}
		is(s, "waiting for x", s.waiting("x"), 1)
		_, err := v.queue(other, "x")
		s.refused(err, coord.CodeStateConflict)
		_, err = s.newWork("delta").queue(other, "y", "x")
		s.refused(err, coord.CodeNotFound)
	}},
	{"P5 a line is for one place", func(s *stage) {
		s.resource("port", coord.ScopeMachine)
		u, v, w := s.newWork("alpha"), s.newWork("bravo"), s.newWork("delta")
		for i, x := range []work{u, v, w} {
			must(x.a.BindWorktree(s.ctx, coord.BindWorktree{Key: newKey(), Attempt: x.id(), Fence: x.Attempt.Fence, Worktree: coord.Worktree{
				Machine: []string{"one", "one", "two"}[i] + string(s.project), Path: "/w", GitDir: "/g" + strconv.Itoa(i), Branch: "b", Base: newOID(),
			}}))
		}
		must(u.reserve("port"))
		must(v.queue(nil, "port"))
		must(w.reserve("port"))
	}},
}
