package servicetest

import (
	"strings"
	"time"

	"coord"
)

// governed goes on in a project of the default policy with some of it changed.
func (s *stage) governed(edit func(*coord.Policy)) {
	p := policy(coord.ReviewAgent)
	edit(&p)
	s.project = s.h.Project(s.T, p)
}

// held is a task that alpha holds.
func (s *stage) held() work {
	alpha := s.as("alpha")
	return alpha.start(alpha.newTask("x").ID)
}

// upstream is a blocker that anybody may lift.
var upstream = &coord.NewBlocker{Kind: coord.BlockedByUpstream, Text: "the library has no release yet", Reopen: "version 2 is out"}

var capScenes = []scene{
	{"L10 without progress the lease stalls at its cap, and a checkpoint lifts that", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.ProgressCap = coord.Duration(time.Hour) })
		w := s.held()
		for range 2 {
			s.h.Advance(lease - 1)
			must(w.renew())
		}
		s.h.Advance(2)
		before := s.task(w.Task.ID).Owner
		l := must(w.renew())
		if !l.Stalled || !l.ExpiresAt.Equal(before.ExpiresAt) || !before.Stalled {
			s.Errorf("at the cap %+v, owner %+v", l, before)
		}
		page := must(w.a.ListTasks(s.ctx, coord.TaskQuery{Project: s.project}))
		is(s, "listed as stalled", page.Items[0].Owner.Stalled, true)
		for _, c := range must(w.a.Board(s.ctx, s.project)).Columns {
			for _, t := range c.Tasks {
				is(s, "stalled on the board", t.Owner.Stalled, true)
			}
		}
		must(w.checkpoint())
		if l := must(w.renew()); l.Stalled || !l.ExpiresAt.Equal(s.h.Now().Add(lease)) || s.task(w.Task.ID).Owner.Stalled {
			s.Errorf("after a checkpoint %+v", l)
		}
	}},
	{"L10 progress does not lift the cap of the attempt", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.AttemptCap = coord.Duration(time.Hour) })
		w := s.held()
		for range 2 {
			s.h.Advance(lease - 1)
			must(w.renew())
		}
		s.h.Advance(2)
		must(w.checkpoint())
		if l := must(w.renew()); !l.Stalled {
			s.Errorf("past the cap %+v", l)
		}
		s.h.Advance(lease)
		_, err := w.renew()
		s.refused(err, coord.CodeLeaseExpired)
	}},
	{"fault 30: a session holds no more attempts than the project allows", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.HeldLimit = 2 })
		alpha := s.as("alpha")
		one, two, three := alpha.newTask("1").ID, alpha.newTask("2").ID, alpha.newTask("3").ID
		w := alpha.start(one)
		alpha.start(two)
		s.unchanged(three, func() {
			_, err := alpha.try(three, nil)
			s.refused(err, coord.CodeQuota)
			is(s, "held", detail(err, "held"), "2")
			is(s, "holdings", detail(err, "holdings"), string(one+" "+two))
			is(s, "next", asError(err).Next[0], "coord release --task "+string(one)+" -m REASON")
			if !strings.Contains(err.Error(), string(one)) || !strings.Contains(err.Error(), string(two)) {
				s.Errorf("what it holds is not named: %v", err)
			}
		})
		must(w.release())
		alpha.start(three)
	}},
	{"fault 30: what is resumed counts too, and a lease that still runs is no further one", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.HeldLimit = 1 })
		w := s.held()
		must(w.resume())
		s.h.Advance(lease)
		other := w.a.start(w.a.newTask("y").ID)
		s.unchanged(w.Task.ID, func() {
			_, err := w.resume()
			s.refused(err, coord.CodeQuota)
			is(s, "holdings", detail(err, "holdings"), string(other.Task.ID))
		})
		must(other.release())
		must(w.resume())
	}},
	{"fault 30: an expired attempt does not count", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.HeldLimit = 1 })
		w := s.held()
		s.h.Advance(lease)
		w.a.start(w.a.newTask("y").ID)
	}},
}

var dispositionScenes = []scene{
	{"L9 a policy of manual recovery waits for an operator", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.Recovery = coord.RecoverManual })
		w := s.held()
		must(w.checkpoint())
		s.h.Advance(lease + grace)
		bravo := s.as("bravo")
		saved := s.task(w.Task.ID).Saved
		up := &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: saved.Commit}
		s.unchanged(w.Task.ID, func() {
			_, err := bravo.try(w.Task.ID, up)
			s.refused(err, coord.CodeNotPermitted)
			is(s, "who", asError(err).RequiredActor, "operator")
		})
		a := must(s.h.AsOperator().Release(s.ctx, coord.Release{Key: newKey(), Attempt: w.id(), Reason: "its machine is gone"}))
		is(s, "standing", a.Standing, coord.StandingReleased)
		is(s, "generation", must(bravo.try(w.Task.ID, up)).Attempt.Generation, 2)
	}},
	{"a claim of any task passes over what only an operator may free", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.Recovery = coord.RecoverManual })
		w := s.held()
		s.h.Advance(lease + grace)
		free := w.a.newTask("free")
		is(s, "taken", must(s.as("bravo").next(coord.KindCode)).Task.ID, free.ID)
	}},
	{"a hold of any landing passes over a dead holder's that only an operator may free", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.Recovery = coord.RecoverManual })
		stuck, free := s.approved("x"), s.approved("y", target("release"))
		s.as("alpha").hold(stuck.Task)
		s.h.Advance(lease + grace)
		is(s, "held", must(s.as("bravo").tryHold("", nil)).Task.ID, free.Task)
	}},
	{"V9 a claim of any task passes over a dead owner's parked one", func(s *stage) {
		w := s.held()
		must(w.a.Ask(s.ctx, coord.Ask{Key: newKey(), Project: s.project, Question: "Which way?", Options: []string{"left", "right"}, Tasks: []coord.TaskID{w.Task.ID}}))
		s.h.Advance(lease + grace)
		free := w.a.newTask("free")
		is(s, "taken", must(s.as("bravo").next(coord.KindCode)).Task.ID, free.ID)
	}},
	{"L7 an operator ends no lease that runs", func(s *stage) {
		w := s.held()
		s.h.Advance(lease - 1)
		s.unchanged(w.Task.ID, func() {
			_, err := s.h.AsOperator().Release(s.ctx, coord.Release{Key: newKey(), Attempt: w.id(), Reason: "impatience"})
			s.refused(err, coord.CodeTaskTaken)
		})
		must(w.renew())
	}},
	{"L9 delivered work begins where it is on the target, and keeps what was saved", func(s *stage) {
		w := s.held()
		must(w.checkpoint())
		s.h.Advance(lease + grace)
		there := newOID()
		bravo := s.as("bravo")
		_, err := bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionDelivered})
		s.refused(err, coord.CodeBadRequest)
		c := must(bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionDelivered, Commit: there}))
		is(s, "begins at", c.Attempt.StartedFrom, there)
		if c.Task.Saved == nil {
			s.Error("the saved work is not on the record any more")
		}
		sub := work{bravo, c}.submit()
		s.status(w.Task.ID, coord.StatusWaitingReview)
		is(s, "submitted", sub.Attempt, c.Attempt.ID)
	}},
	{"L9 who finds a dead owner's task blocked says so, and holds nothing", func(s *stage) {
		w := s.held()
		must(w.checkpoint())
		s.h.Advance(lease + grace)
		bravo := s.as("bravo")
		c := must(bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionBlocked, Blocker: upstream}))
		is(s, "standing", c.Attempt.Standing, coord.StandingReleased)
		t := s.task(w.Task.ID)
		if t.Status != coord.StatusBlocked || t.Generation != 2 || t.Owner != nil || t.Saved == nil || len(t.Blockers) != 1 || t.Blockers[0].Text != upstream.Text {
			s.Errorf("got %+v", t.Task)
		}
		s.unchanged(w.Task.ID, func() {
			_, err := w.renew()
			s.refused(err, coord.CodeFenced)
			_, err = bravo.try(w.Task.ID, &coord.Recovery{Generation: 2, Disposition: coord.DispositionResume, Commit: t.Saved.Commit})
			s.refused(err, coord.CodeStateConflict)
		})
	}},
	{"nobody reports a blocker of what nobody left", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		s.unchanged(id, func() {
			_, err := alpha.try(id, &coord.Recovery{Disposition: coord.DispositionBlocked, Blocker: upstream})
			s.refused(err, coord.CodeBadRequest)
		})
	}},
	{"V9 a release with a blocker keeps the work and stops others", func(s *stage) {
		w := s.held()
		must(w.checkpoint())
		must(w.a.Release(s.ctx, coord.Release{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Reason: "no way on", Blocker: upstream}))
		t := s.task(w.Task.ID)
		if t.Status != coord.StatusBlocked || t.Saved == nil || len(t.Blockers) != 1 || t.Blockers[0].Actor != coord.ActorEither || t.Blockers[0].By != "alpha" {
			s.Errorf("got %+v", t.Task)
		}
		_, err := s.as("bravo").next(coord.KindCode)
		s.refused(err, coord.CodeNothingEligible)
	}},
	{"a blocker of another kind than callers report is refused", func(s *stage) {
		w := s.held()
		s.unchanged(w.Task.ID, func() {
			_, err := w.a.Release(s.ctx, coord.Release{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Blocker: &coord.NewBlocker{Kind: coord.BlockedByDecision, Text: "x"}})
			s.refused(err, coord.CodeBadRequest)
		})
	}},
	{"L8 a parked owner resumes its own work after its lease", func(s *stage) {
		w := s.held()
		must(w.checkpoint())
		must(w.a.Ask(s.ctx, coord.Ask{Key: newKey(), Project: s.project, Question: "Which way?", Options: []string{"left", "right"}, Tasks: []coord.TaskID{w.Task.ID}}))
		s.h.Advance(lease)
		again := must(w.resume())
		is(s, "generation", again.Attempt.Generation, 2)
		must(again.checkpoint())
	}},
}
