package servicetest

import (
	"strings"
	"time"

	"coord"
)

// able opens a session that offers capabilities.
func (s *stage) able(name string, capabilities ...string) *actor {
	return &actor{s.h.Able(s.T, name, capabilities...), s, name}
}

var unclaimableScenes = []scene{
	{"L17 what cannot be worked on is not claimed by any route", func(s *stage) {
		s.withoutReview()
		alpha, bravo := s.as("alpha"), s.as("bravo")
		first := alpha.newTask("first").ID
		done := alpha.newTask("done").ID
		s.finish(done)
		gone := alpha.newTask("gone").ID
		must(alpha.cancel(gone))
		replaced := alpha.newTask("replaced").ID
		must(alpha.supersede(replaced, first))
		for name, id := range map[string]coord.TaskID{
			"blocked by a dependency": alpha.newTask("waits", after(first)).ID,
			"planned":                 alpha.newTask("planned", planned).ID,
			"done":                    done,
			"canceled":                gone,
			"superseded":              replaced,
			"an objective":            alpha.newTask("top", ofKind(coord.KindObjective)).ID,
			"submitted":               alpha.start(alpha.newTask("submitted").ID).submit().Task,
			"beyond the session":      alpha.newTask("gpu", needs("gpu")).ID,
		} {
			s.unchanged(id, func() {
				d := s.task(id)
				for how, r := range map[string]*coord.Recovery{
					"a claim":   nil,
					"a restart": {Generation: d.Generation, Disposition: coord.DispositionRestart, Reason: "because"},
					"a resume":  {Generation: d.Generation, Disposition: coord.DispositionResume},
				} {
					if _, err := bravo.try(id, r); err == nil {
						s.Errorf("%s: %s gets it", name, how)
					} else if len(asError(err).Next) == 0 {
						s.Errorf("%s: %s is refused without a way on: %v", name, how, err)
					}
				}
				if name == "submitted" { // a hold is for just these
					return
				}
				_, err := bravo.Hold(s.ctx, coord.Hold{Key: newKey(), Project: s.project, Task: id})
				s.refused(err, coord.CodeStateConflict, coord.CodeNotFound, coord.CodeRequirement)
			})
		}
	}},
	{"L17 a dead owner's task that waits for something by now hides no other", func(s *stage) {
		w := s.held()
		must(w.a.link(w.Task.ID, waitFor(w.a.newTask("to wait for", planned).ID)))
		s.h.Advance(lease + grace)
		bravo := s.as("bravo")
		ready := bravo.newTask("ready").ID
		is(s, "next", must(bravo.Next(s.ctx, s.project)).Activity, coord.ActivityImplement)
		is(s, "claimed", must(bravo.next("")).Task.ID, ready)
	}},
	{"L17 what an operator releases first hides no other", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.Recovery = coord.RecoverManual })
		author := s.as("author")
		one, two := author.start(author.newTask("1").ID).submit(), author.start(author.newTask("2").ID).submit()
		s.held()
		s.as("reviewer").start(one.Reviews[0])
		s.h.Advance(lease + grace)
		bravo := s.as("bravo")
		ready := bravo.newTask("ready").ID
		is(s, "next", must(bravo.Next(s.ctx, s.project)).Activity, coord.ActivityReview)
		is(s, "claimed", must(bravo.next("")).Task.ID, ready)
		is(s, "reviewed", must(bravo.next(coord.KindReview)).Task.ID, two.Reviews[0])
	}},
	{"L17 a next task is never one that cannot be worked on", func(s *stage) {
		alpha := s.as("alpha")
		first := alpha.newTask("first", priority(coord.PriorityLow)).ID
		for _, edit := range []func(*coord.CreateTask){after(first), planned, ofKind(coord.KindObjective), needs("gpu")} {
			alpha.newTask("x", priority(coord.PriorityUrgent), edit)
		}
		is(s, "next", must(s.as("bravo").next("")).Task.ID, first)
		_, err := s.as("echo").next("")
		s.refused(err, coord.CodeNothingEligible)
		if !strings.Contains(err.Error(), "1 task needing a capability that this session does not offer") {
			s.Errorf("got %v", err)
		}
	}},
	{"L17 a recovery of what cannot be worked on any more is refused", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		first, id := alpha.newTask("first").ID, alpha.newTask("x").ID
		alpha.start(id)
		must(bravo.link(id, waitFor(first)))
		s.h.Advance(lease + grace)
		_, err := bravo.try(id, &coord.Recovery{Generation: 1, Disposition: coord.DispositionRestart, Reason: "because"})
		s.refused(err, coord.CodeStateConflict)
	}},
	{"a general task is claimed like a code task, in one order with them", func(s *stage) {
		alpha := s.as("alpha")
		code := alpha.newTask("code").ID
		general := alpha.newTask("general", ofKind(coord.KindGeneral), priority(coord.PriorityHigh)).ID
		later := alpha.newTask("later", ofKind(coord.KindGeneral), priority(coord.PriorityHigh)).ID
		is(s, "status", s.task(general).Status, coord.StatusReady)
		is(s, "next of all", must(s.as("bravo").next("")).Task.ID, general)
		is(s, "next of code", must(s.as("echo").next(coord.KindCode)).Task.ID, code)
		w := work{alpha, must(alpha.next(coord.KindGeneral))}
		is(s, "next general", w.Task.ID, later)
		is(s, "the one in hand", must(alpha.next("")).Task.ID, later)
		s.status(later, coord.StatusInProgress)
		must(w.checkpoint())
		must(w.release())
		is(s, "saved", s.task(later).Saved == nil, false)
		n := must(s.as("delta").Next(s.ctx, s.project))
		if n.Activity != coord.ActivityResume || n.Task.ID != later {
			s.Errorf("next is %+v", n)
		}
	}},
	{"of dead owners' tasks, of either kind, the first that the session can do is recovered", func(s *stage) {
		alpha := s.as("alpha")
		gpu := s.able("warden", "gpu")
		strong := alpha.newTask("strong", needs("gpu")).ID
		plain := alpha.newTask("plain", ofKind(coord.KindGeneral)).ID
		gpu.start(strong)
		s.h.Advance(time.Second)
		alpha.start(plain)
		s.h.Advance(lease + grace)
		bravo := s.as("bravo")
		_, err := bravo.next("")
		s.refused(err, coord.CodeRecoveryRequired)
		is(s, "for bravo", detail(err, "task"), string(plain))
		_, err = s.able("foxtrot", "gpu").next("")
		is(s, "for foxtrot", detail(err, "task"), string(strong))
	}},
	{"a task is for sessions that offer all that it needs", func(s *stage) {
		alpha := s.as("alpha")
		both := alpha.newTask("both", needs("gpu", "avx"), priority(coord.PriorityUrgent)).ID
		one := alpha.newTask("one", needs("gpu"), priority(coord.PriorityHigh)).ID
		none := alpha.newTask("none").ID
		_, err := alpha.try(one, nil)
		s.refused(err, coord.CodeRequirement)
		is(s, "missing", detail(err, "capability"), "gpu")
		is(s, "next without", must(s.as("bravo").next("")).Task.ID, none)
		is(s, "next with one", must(s.able("echo", "gpu").next("")).Task.ID, one)
		is(s, "next with all", must(s.able("delta", "avx", "gpu", "tpu").next("")).Task.ID, both)
	}},
	{"what next skips is counted by reason", func(s *stage) {
		alpha := s.as("alpha")
		alpha.newTask("a", needs("gpu"))
		alpha.newTask("b", needs("gpu", "avx"), ofKind(coord.KindGeneral))
		alpha.newTask("c", planned)
		got := map[string]int{}
		for _, x := range must(alpha.Next(s.ctx, s.project)).Skipped {
			got[x.Reason] = x.Count
		}
		is(s, "skipped", got, map[string]int{
			"task needing a capability that this session does not offer": 1, "general task needing a capability that this session does not offer": 1, "task planned, not admitted": 1,
		})
	}},
}
