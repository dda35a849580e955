package servicetest

import (
	"time"

	"coord"
)

// releaseBlocked gives the task back and reports what blocks it.
func (w work) releaseBlocked(b coord.NewBlocker) {
	must(w.a.Release(w.a.s.ctx, coord.Release{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Reason: "cannot go on", Blocker: &b}))
}

var needsGPU = coord.NewBlocker{Kind: coord.BlockedByCapability, Text: "needs a GPU", Reopen: "a machine with one"}

func (s *stage) unblock(by coord.Service, id coord.TaskID, b coord.BlockerID) (coord.Task, error) {
	return by.Unblock(s.ctx, coord.Unblock{Key: newKey(), Task: id, Blocker: b, Reason: "there is one now"})
}

func (w work) note(text string) (coord.Note, error) {
	return w.a.AddNote(w.a.s.ctx, coord.AddNote{Key: newKey(), Attempt: w.id(), Text: text})
}

var blockerScenes = []scene{
	{"V9 what is blocked is claimed by nobody until an agent lifts it, with a reason", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		w.releaseBlocked(needsGPU)
		for _, id := range []coord.TaskID{w.Task.ID, ""} {
			_, err := bravo.try(id, nil)
			s.refused(err, coord.CodeStateConflict, coord.CodeNothingEligible)
		}
		_, err := bravo.Unblock(s.ctx, coord.Unblock{Key: newKey(), Task: w.Task.ID})
		s.refused(err, coord.CodeBadRequest)
		s.h.Advance(time.Hour)
		t := must(s.unblock(bravo, w.Task.ID, ""))
		is(s, "status", t.Status, coord.StatusReady)
		if t.ReadySince == nil || !t.ReadySince.Equal(s.h.Now()) {
			s.Errorf("ready since %v", t.ReadySince)
		}
		b := s.task(w.Task.ID).Blocked
		if len(b) != 1 || b[0].LiftedAt == nil || b[0].LiftedBy != "bravo" || b[0].Reason != "there is one now" || b[0].By != "alpha" || b[0].Reopen != needsGPU.Reopen {
			s.Errorf("%+v", b)
		}
		must(bravo.try(w.Task.ID, nil))
		_, err = s.unblock(bravo, w.Task.ID, "")
		s.refused(err, coord.CodeStateConflict)
	}},
	{"a blocker names who may lift it", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		b := needsGPU
		b.Kind, b.Actor = coord.BlockedByPermission, coord.ActorHuman
		w.releaseBlocked(b)
		s.unchanged(w.Task.ID, func() {
			_, err := s.unblock(alpha, w.Task.ID, "")
			s.refused(err, coord.CodeNotPermitted)
			is(s, "required actor", asError(err).RequiredActor, "operator")
		})
		is(s, "passed over", alpha.passesOver(), []string{"1 task waiting for a person"})
		is(s, "lifted", must(s.unblock(s.h.AsOperator(), w.Task.ID, "")).Status, coord.StatusReady)
	}},
	{"with several blockers the caller says which", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		d := alpha.ask(s.question(w.Task.ID))
		w.releaseBlocked(needsGPU)
		open := s.task(w.Task.ID).Blockers
		is(s, "open", len(open), 2)
		_, err := s.unblock(alpha, w.Task.ID, "")
		s.refused(err, coord.CodeAmbiguous)
		_, err = s.unblock(alpha, w.Task.ID, "b999999")
		s.refused(err, coord.CodeNotFound)
		_, err = s.unblock(alpha, w.Task.ID, open[0].ID)
		s.refused(err, coord.CodeStateConflict) // the answer lifts it
		is(s, "still blocked", must(s.unblock(alpha, w.Task.ID, open[1].ID)).Status, coord.StatusBlocked)
		s.parked(w.Task.ID, d.ID)
	}},
	{"V9 blockers survive the owner's lease, its recovery, and its resumption", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		d := alpha.ask(s.question(w.Task.ID))
		s.h.Advance(lease + grace)
		_, err := bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionRestart, Reason: "x"})
		s.refused(err, coord.CodeStateConflict)
		is(s, "blockers", len(s.task(w.Task.ID).Blockers), 1)
		w = must(w.resume())
		is(s, "blockers after the resumption", len(s.task(w.Task.ID).Blockers), 1)
		s.h.Advance(lease + grace)
		must(s.answer(bravo, d, "the old one"))
		c := must(bravo.try(w.Task.ID, &coord.Recovery{Generation: 2, Disposition: coord.DispositionRestart, Reason: "x"}))
		e := alpha.ask(s.question(w.Task.ID))
		must(work{bravo, c}.release())
		s.parked(w.Task.ID, e.ID)
	}},
	{"a blocker of a closed task is closed with it", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		sub := s.approved("x")
		h := alpha.hold(sub.Task)
		must(h.fail(conflict))
		must(alpha.revise(sub.Task, coord.ReviseConflict))
		for _, b := range s.task(sub.Integration).Blocked {
			if b.LiftedAt == nil {
				s.Errorf("%+v is open on a closed task", b)
			}
		}
		s.status(sub.Integration, coord.StatusCanceled)
	}},
	{"a note is kept under the attempt", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		n := must(w.note("the parser is in lex.go"))
		is(s, "note", n, coord.Note{Task: w.Task.ID, Attempt: w.id(), Author: "alpha", Text: "the parser is in lex.go", At: s.h.Now()})
		is(s, "notes", s.task(w.Task.ID).Notes, []coord.Note{n})
	}},
	{"a late note says so and changes nothing else", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		late := func(when string) {
			before := s.task(w.Task.ID)
			if n := must(w.note(when)); !n.Late {
				s.Errorf("%s: %+v", when, n)
			}
			after := s.task(w.Task.ID)
			is(s, when, len(after.Notes), len(before.Notes)+1)
			after.Notes, after.Events, after.AsOf = before.Notes, before.Events, before.AsOf
			is(s, when, after, before)
		}
		s.h.Advance(lease)
		late("after expiry")
		s.h.Advance(grace)
		must(bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume}))
		late("after supersession")
	}},
	{"L12 a note is of the attempt's own session", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		s.unchanged(w.Task.ID, func() {
			_, err := bravo.AddNote(s.ctx, coord.AddNote{Key: newKey(), Attempt: w.id(), Text: "mine"})
			s.refused(err, coord.CodeFenced)
			_, err = w.note(" ")
			s.refused(err, coord.CodeBadRequest)
		})
	}},
}
