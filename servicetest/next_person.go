package servicetest

import "coord"

// personNext wants the activity and the command that a person is told.
func (s *stage) personNext(want coord.Activity, command string) {
	s.Helper()
	n := must(s.person().Next(s.ctx, s.project))
	if n.Activity != want || n.Command != command {
		s.Errorf("a person is told %s %q, want %s %q", n.Activity, n.Command, want, command)
	}
}

// What a person is told is what agents may not do, and never an agent's
// command.
var nextPersonScenes = []scene{
	{"a person is not sent to what agents do", func(s *stage) {
		alpha := s.as("alpha")
		alpha.newTask("ready")
		s.personNext(coord.ActivityNone, "")
		_, sub := s.submitted()
		s.personNext(coord.ActivityNone, "") // an agent's review
		s.approve(sub)
		s.personNext(coord.ActivityNone, "") // a landing
		w := alpha.start(alpha.newTask("left").ID)
		must(w.checkpoint())
		s.h.Advance(lease + grace)
		s.personNext(coord.ActivityNone, "") // a recovery
	}},
	{"a person is told of a question first, with the recommendation if there is one", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		ask := coord.Ask{Project: s.project, Question: "Which?", Options: []string{"a", "b"}, RequiredActor: coord.ActorHuman, Tasks: []coord.TaskID{id}}
		ask.Key = newKey()
		d := must(alpha.Ask(s.ctx, ask))
		s.personNext(coord.ActivityDecide, "coord decide "+string(d.ID)+" OPTION --person")
		must(s.person().Decide(s.ctx, coord.Decide{Key: newKey(), Project: s.project, Decision: d.ID, Option: "a"}))
		s.personNext(coord.ActivityNone, "")
		ask.Key, ask.Recommendation = newKey(), "b"
		d = must(alpha.Ask(s.ctx, ask))
		s.personNext(coord.ActivityDecide, "coord decide "+string(d.ID)+" 2 --person")
		s.nextIs(s.as("bravo"), coord.ActivityNone, "")
	}},
	{"a person is told of a blocker that a person lifts, and of no other", func(s *stage) {
		alpha := s.as("alpha")
		alpha.start(alpha.newTask("gpu").ID).releaseBlocked(needsGPU)
		s.personNext(coord.ActivityNone, "")
		w := alpha.start(alpha.newTask("key").ID)
		w.releaseBlocked(coord.NewBlocker{Kind: coord.BlockedByPermission, Text: "needs the key", Actor: coord.ActorHuman})
		s.personNext(coord.ActivityUnblock, "coord task unblock "+string(w.Task.ID)+" -m REASON --person")
		must(s.unblock(s.person(), w.Task.ID, ""))
		s.personNext(coord.ActivityNone, "")
	}},
	{"where a person gives back what a gone owner held, that is what a person is told", func(s *stage) {
		s.governed(func(p *coord.Policy) { p.Recovery = coord.RecoverManual })
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.personNext(coord.ActivityNone, "")
		s.h.Advance(lease)
		s.personNext(coord.ActivityRelease, "coord release --task "+string(w.Task.ID)+" -m REASON --person")
		s.nextIs(s.as("bravo"), coord.ActivityNone, "")
		must(s.person().Release(s.ctx, coord.Release{Key: newKey(), Attempt: w.id(), Reason: "gone"}))
		s.personNext(coord.ActivityNone, "")
		s.nextIs(s.as("bravo"), coord.ActivityImplement, w.Task.ID)
	}},
}
