package servicetest

import "coord"

// repository is the only one of the stage's project.
func (s *stage) repository() coord.RepositoryID {
	return createProject(s.project, coord.Policy{}).Repositories[0].ID
}

// diverged is a target that lost what first landed, as the holder of second
// saw it at a tip.
func (s *stage) diverged() (first coord.Landed, second coord.Submission, seen coord.OID) {
	first = s.land(s.approved("first").Task)
	second = s.approved("second")
	h := s.as("alpha").hold(second.Task)
	seen = newOID()
	must(h.a.DivergeTarget(s.ctx, coord.DivergeTarget{Key: newKey(), Landing: h.Landing.ID, Fence: h.Attempt.Fence, Tip: seen}))
	return first, second, seen
}

func (s *stage) settle(by coord.Service, c coord.SettleTarget) (coord.Target, error) {
	c.Key, c.Project, c.Repository, c.Target = newKey(), s.project, s.repository(), "main"
	return by.SettleTarget(s.ctx, c)
}

var targetScenes = []scene{
	{"C8 a target that lost a landing takes none", func(s *stage) {
		first, second, seen := s.diverged()
		s.status(second.Task, coord.StatusWaitingIntegration)
		for _, id := range []coord.TaskID{second.Task, ""} {
			_, err := s.as("bravo").tryHold(id, nil)
			s.refused(err, coord.CodeStateConflict)
			is(s, "who settles it", asError(err).RequiredActor, "operator")
		}
		t := s.targetRow("main")
		if t.Diverged == nil || t.Diverged.Seen != seen || t.Diverged.By != "alpha" || t.Landed != first.Landing.Result {
			s.Errorf("the board says %+v, %+v", t, t.Diverged)
		}
		is(s, "the lost task", s.task(first.Task.ID).Status, coord.StatusDone)
	}},
	{"the next landing passes over a diverged target, and next offers none of its queue", func(s *stage) {
		s.diverged()
		s.nextIs(s.as("bravo"), coord.ActivityNone, "")
		b := s.approved("b", target("release"), priority(coord.PriorityLow))
		s.nextIs(s.as("bravo"), coord.ActivityIntegrate, b.Integration)
		is(s, "the next", s.as("bravo").hold("").Task.ID, b.Task)
	}},
	{"C8 whoever sees the landing again opens the target", func(s *stage) {
		first, second, _ := s.diverged()
		_, err := s.settle(s.as("bravo"), coord.SettleTarget{Tip: newOID()})
		s.refused(err, coord.CodeStateConflict)
		t := must(s.settle(s.as("bravo"), coord.SettleTarget{Tip: newOID(), Contained: true}))
		if t.Diverged != nil || t.Landing != first.Landing.ID {
			s.Errorf("settled as %+v", t)
		}
		_, err = s.settle(s.as("bravo"), coord.SettleTarget{Tip: newOID(), Contained: true})
		s.refused(err, coord.CodeStateConflict)
		s.land(second.Task)
	}},
	{"C8 only a person accepts a lost landing, with a reason", func(s *stage) {
		_, second, _ := s.diverged()
		accept := coord.SettleTarget{Tip: newOID(), Accept: true, Reason: "it broke the build"}
		_, err := s.settle(s.as("bravo"), accept)
		s.refused(err, coord.CodeNotPermitted)
		_, err = s.settle(s.h.AsOperator(), coord.SettleTarget{Tip: newOID(), Accept: true})
		s.refused(err, coord.CodeBadRequest)
		t := must(s.settle(s.h.AsOperator(), accept))
		if t.Diverged != nil || t.Landing != "" || t.Tip != accept.Tip {
			s.Errorf("accepted as %+v", t)
		}
		s.land(second.Task)
	}},
	{"a divergence that the record contradicts is none", func(s *stage) {
		h := s.as("alpha").hold(s.approved("first").Task)
		c := coord.DivergeTarget{Key: newKey(), Landing: h.Landing.ID, Fence: h.Attempt.Fence, Tip: newOID()}
		_, err := h.a.DivergeTarget(s.ctx, c) // nothing has landed here
		s.refused(err, coord.CodeBadRequest)
		m := h.merge()
		landed := must(h.see(must(h.permit(m, passing(m.Tree)))))
		h = s.as("alpha").hold(s.approved("second").Task)
		c.Key, c.Landing, c.Fence, c.Tip = newKey(), h.Landing.ID, h.Attempt.Fence, landed.Landing.Result
		_, err = h.a.DivergeTarget(s.ctx, c)
		s.refused(err, coord.CodeBadRequest)
		c.Key, c.Tip, c.Fence.Generation = newKey(), newOID(), c.Fence.Generation+1
		_, err = h.a.DivergeTarget(s.ctx, c)
		s.refused(err, coord.CodeFenced)
	}},
	{"a server that was not restored has nothing to reconcile", func(s *stage) {
		h := s.as("alpha").hold(s.approved("first").Task)
		other := s.approved("second")
		c := coord.Reconcile{Key: newKey(), Landing: h.Landing.ID, Fence: h.Attempt.Fence, Tip: newOID()}
		c.Found = []coord.FoundCommit{{Commit: newOID(), Tree: newOID(), Submission: other.ID}}
		out := must(h.a.Reconcile(s.ctx, c))
		is(s, "landed", len(out.Landed), 0)
		s.status(other.Task, coord.StatusWaitingIntegration)
	}},
}
