package servicetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"coord"
)

func (a *actor) revise(id coord.TaskID, r coord.ReviseReason) (coord.Task, error) {
	return a.Revise(a.s.ctx, coord.Revise{Key: newKey(), Task: id, Reason: r, Note: "see the landing"})
}

var conflict = coord.FailLanding{State: coord.LandingConflict, Conflicts: []string{"parse.go", "lex.go"}, Reason: "both edit Parse"}

// sentBack wants the code task to be ready, with the candidate as saved work.
func (s *stage) sentBack(sub coord.Submission) {
	s.Helper()
	t := s.task(sub.Task)
	is(s, "status", t.Status, coord.StatusReady)
	is(s, "submission", t.Submissions[len(t.Submissions)-1].State, coord.SubmissionReturned)
	if t.Saved == nil || t.Saved.Kind != coord.SavedCandidate || t.Saved.Commit != sub.Commit || len(t.Blockers) > 0 {
		s.Errorf("saved %+v, blockers %+v", t.Saved, t.Blockers)
	}
	s.status(sub.Integration, coord.StatusCanceled)
}

// returned sends the submission back and is what its next owner is told; the
// event says the same.
func (s *stage) returned(sub coord.Submission, why coord.ReviseReason) string {
	s.Helper()
	bravo := s.as("bravo")
	must(bravo.Revise(s.ctx, coord.Revise{Key: newKey(), Task: sub.Task, Reason: why}))
	told := must(bravo.try(sub.Task, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: sub.Commit})).ReturnedReason
	i := slices.IndexFunc(s.task(sub.Task).Events, func(e coord.Event) bool { return e.Kind == coord.EventSubmissionRevised })
	if i < 0 {
		s.Error("no event says that it was sent back")
		return told
	}
	is(s, "event", s.task(sub.Task).Events[i].Text, "bravo sent "+string(sub.ID)+" back: "+told)
	return told
}

var reviseScenes = []scene{
	{"a landing that met a conflict is somebody's next work", func(s *stage) {
		sub := s.approved("x")
		must(s.as("alpha").hold(sub.Task).fail(conflict))
		bravo := s.as("bravo")
		s.nextIs(bravo, coord.ActivityRevise, sub.Integration)
		_, err := bravo.Hold(s.ctx, coord.Hold{Key: newKey(), Project: s.project})
		var e *coord.Error
		if !errors.As(err, &e) || e.Code != coord.CodeNothingEligible || e.Next[0] != "coord revise --conflict "+string(sub.Task) {
			s.Errorf("a hold: %+v", err)
		}
		must(bravo.revise(sub.Task, coord.ReviseConflict))
		s.nextIs(bravo, coord.ActivityResume, sub.Task)
		if why := must(bravo.Next(s.ctx, s.project)).Reason; !strings.HasPrefix(why, "conflict with ") {
			s.Errorf("sent back for %q", why)
		}
	}},
	{"I12 a conflict gives the target back and says what lifts it", func(s *stage) {
		sub, other := s.approved("x"), s.approved("other")
		h := s.as("alpha").hold(sub.Task)
		l := must(h.fail(conflict))
		if l.State != coord.LandingConflict || l.Reason != "both edit Parse" {
			s.Errorf("got %+v", l)
		}
		is(s, "conflicts", l.Conflicts, conflict.Conflicts)
		t := s.task(sub.Task)
		is(s, "status", t.Status, coord.StatusBlocked)
		if len(t.Blockers) != 1 || t.Blockers[0].Kind != coord.BlockedByConflict || !strings.Contains(t.Blockers[0].Reopen, "coord revise") {
			s.Errorf("blockers %+v", t.Blockers)
		}
		is(s, "the next hold", s.as("bravo").hold("").Task.ID, other.Task)
	}},
	{"V9 a conflict is not rediscovered by the next integrator", func(s *stage) {
		sub := s.approved("x")
		must(s.as("alpha").hold(sub.Task).fail(conflict))
		bravo := s.as("bravo")
		s.unchanged(sub.Task, func() {
			for _, id := range []coord.TaskID{"", sub.Task, sub.Integration} {
				_, err := bravo.tryHold(id, nil)
				s.refused(err, coord.CodeStateConflict, coord.CodeNothingEligible)
			}
			_, err := bravo.next(coord.KindIntegration)
			s.refused(err, coord.CodeNothingEligible)
		})
	}},
	{"conflict, revise, resume, submit, land", func(s *stage) {
		sub := s.approved("x")
		alpha := s.as("alpha")
		must(alpha.hold(sub.Task).fail(conflict))
		is(s, "revised", must(alpha.revise(sub.Task, coord.ReviseConflict)).ID, sub.Task)
		s.sentBack(sub)
		bravo := s.as("bravo")
		w := work{bravo, must(bravo.try(sub.Task, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: sub.Commit}))}
		is(s, "started from", w.Attempt.StartedFrom, sub.Commit)
		second := w.submit()
		is(s, "state", second.State, coord.SubmissionInReview)
		s.approve(second)
		s.land(sub.Task)
	}},
	{"a conflict is told once to whoever takes the work up", func(s *stage) {
		tip := newOID()
		conflict := "main at " + tip.Short() + " in CHANGELOG.md"
		for reason, more := range map[string]string{"": "", "conflicts with main at " + tip.Short(): "", "both edit the top": ": both edit the top"} {
			sub := s.approved("x")
			must(s.as("alpha").hold(sub.Task).fail(coord.FailLanding{State: coord.LandingConflict, Base: tip, Conflicts: []string{"CHANGELOG.md"}, Reason: reason}))
			is(s, "blocker", s.task(sub.Task).Blockers[0].Text, "found that "+string(sub.Task)+" conflicts with "+conflict+more)
			is(s, "returned", s.returned(sub, coord.ReviseConflict), "conflict with "+conflict+more)
		}
	}},
	{"a failed check is told once to whoever takes the work up", func(s *stage) {
		passed := passing("")
		passed.Changed = []string{"made.txt"}
		for _, c := range []struct {
			run          coord.Run
			reason, want string
		}{
			{failing(""), "check test failed on the merged tree", "check test failed on the merged tree %s"},
			{failing(""), "", "check test failed on the merged tree %s"},
			{failing(""), "TestParse", "check test failed on the merged tree %s: TestParse"},
			{passed, "check test changed made.txt on the merged tree", "check test changed made.txt on the merged tree %s"},
		} {
			sub := s.approved("x")
			h := s.as("alpha").hold(sub.Task)
			m := h.merge()
			c.run.Tree = m.Tree
			must(h.fail(coord.FailLanding{State: coord.LandingFailed, Reason: c.reason, Runs: []coord.Run{c.run}}))
			is(s, "returned", s.returned(sub, coord.ReviseCheckFailed), fmt.Sprintf(c.want, m.Tree.Short()))
		}
	}},
	{"a failed check gives the target back, keeps the run, and is revised", func(s *stage) {
		sub := s.approved("x")
		alpha := s.as("alpha")
		h := alpha.hold(sub.Task)
		m := h.merge()
		l := must(h.fail(coord.FailLanding{State: coord.LandingFailed, Reason: "TestParse", Runs: []coord.Run{failing(m.Tree)}}))
		is(s, "state", l.State, coord.LandingFailed)
		is(s, "receipts", len(must(alpha.ReceiptsFor(s.ctx, s.project, m.Tree))), 1)
		t := s.task(sub.Task)
		if t.Status != coord.StatusBlocked || len(t.Blockers) != 1 || t.Blockers[0].Kind != coord.BlockedByCheck {
			s.Errorf("%s, blockers %+v", t.Status, t.Blockers)
		}
		_, err := alpha.revise(sub.Task, coord.ReviseConflict)
		s.refused(err, coord.CodeRequirement)
		must(alpha.revise(sub.Task, coord.ReviseCheckFailed))
		s.sentBack(sub)
	}},
	{"a failure needs what failed", func(s *stage) {
		sub := s.approved("x")
		h := s.as("alpha").hold(sub.Task)
		m := h.merge()
		s.unchanged(sub.Task, func() {
			for _, f := range []coord.FailLanding{
				{State: coord.LandingConflict},
				{State: coord.LandingFailed},
				{State: coord.LandingFailed, Runs: []coord.Run{passing(m.Tree)}},
				{State: coord.LandingLanded},
			} {
				_, err := h.fail(f)
				s.refused(err, coord.CodeBadRequest)
			}
		})
	}},
	{"nothing is sent back for a failure that was not recorded", func(s *stage) {
		sub := s.approved("x")
		alpha := s.as("alpha")
		s.unchanged(sub.Task, func() {
			for _, r := range []coord.ReviseReason{coord.ReviseConflict, coord.ReviseCheckFailed} {
				_, err := alpha.revise(sub.Task, r)
				s.refused(err, coord.CodeRequirement)
			}
			_, err := alpha.revise(sub.Task, "mood")
			s.refused(err, coord.CodeBadRequest)
		})
	}},
	{"only its author withdraws a submission", func(s *stage) {
		author, sub := s.submitted()
		s.unchanged(sub.Task, func() {
			_, err := s.as("echo").revise(sub.Task, coord.ReviseWithdrawn)
			s.refused(err, coord.CodeNotPermitted)
		})
		must(author.revise(sub.Task, coord.ReviseWithdrawn))
		s.sentBack(sub)
		s.status(sub.Reviews[0], coord.StatusCanceled)
	}},
	{"a withdrawn submission is not judged any more", func(s *stage) {
		author, sub := s.submitted()
		w := s.as("bravo").start(sub.Reviews[0])
		must(author.revise(sub.Task, coord.ReviseWithdrawn))
		s.unchanged(sub.Task, func() {
			if _, err := w.review(coord.VerdictApproved); err == nil {
				s.Error("approved after it was withdrawn")
			}
		})
		s.sentBack(sub)
	}},
	{"nothing is sent back while it lands", func(s *stage) {
		author, sub := s.submitted()
		s.approve(sub)
		h := s.as("alpha").hold(sub.Task)
		s.unchanged(sub.Task, func() {
			_, err := author.revise(sub.Task, coord.ReviseWithdrawn)
			s.refused(err, coord.CodeTargetHeld)
		})
		must(h.fail(coord.FailLanding{State: coord.LandingReleased, Reason: "the author wants it back"}))
		must(author.revise(sub.Task, coord.ReviseWithdrawn))
		s.sentBack(sub)
	}},
	{"what has no submission, or landed, is not sent back", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		_, err := alpha.revise(id, coord.ReviseWithdrawn)
		s.refused(err, coord.CodeStateConflict)
		alpha.start(id).submit()
		s.land(id)
		s.unchanged(id, func() { _, err := alpha.revise(id, coord.ReviseWithdrawn); s.refused(err, coord.CodeStateConflict) })
	}},
	{"K1 the same revision again is one", func(s *stage) {
		author, sub := s.submitted()
		c := coord.Revise{Key: newKey(), Task: sub.Task, Reason: coord.ReviseWithdrawn}
		must(author.Revise(s.ctx, c))
		s.unchanged(sub.Task, func() { must(author.Revise(s.ctx, c)) })
	}},
}

var releaseScenes = []scene{
	{"a release frees the task at once and says why", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		a := must(w.release())
		if a.Standing != coord.StandingReleased || a.EndedAt == nil || a.EndReason != "someone else knows this better" {
			s.Errorf("got %+v", a)
		}
		t := s.task(w.Task.ID)
		if t.Status != coord.StatusReady || t.Owner != nil || t.Generation != 1 {
			s.Errorf("the task says %+v", t.Task)
		}
		must(s.as("bravo").try(w.Task.ID, nil))
	}},
	{"L9 what a released attempt saved is offered without grace", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		cp := must(w.checkpoint())
		must(w.release())
		_, err := bravo.try(w.Task.ID, nil)
		s.refused(err, coord.CodeRecoveryRequired)
		c := must(bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: cp.Commit}))
		is(s, "started from", c.Attempt.StartedFrom, cp.Commit)
	}},
	{"a released task with saved work is not taken unawares by next", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		cp := must(w.checkpoint())
		must(w.release())
		c, err := bravo.next("")
		if err == nil {
			s.Errorf("granted without a disposition: %+v", c.Attempt)
		}
		if code := coord.CodeOf(err); code == coord.CodeRecoveryRequired {
			is(s, "commit", detail(err, "commit"), string(cp.Commit))
		}
		is(s, "generation", s.task(w.Task.ID).Generation, int64(1))
	}},
	{"a released review goes to another reviewer", func(s *stage) {
		_, sub := s.submitted()
		must(s.as("bravo").start(sub.Reviews[0]).release())
		s.status(sub.Reviews[0], coord.StatusReady)
		s.approve(sub)
	}},
	{"a landing given back frees its target and keeps its place", func(s *stage) {
		sub := s.approved("x")
		h := s.as("alpha").hold(sub.Task)
		l := must(h.fail(coord.FailLanding{State: coord.LandingReleased, Reason: "later"}))
		is(s, "state", l.State, coord.LandingReleased)
		s.status(sub.Task, coord.StatusWaitingIntegration)
		s.status(sub.Integration, coord.StatusReady)
		again := s.as("bravo").hold("")
		if again.Landing.ID == h.Landing.ID || again.Landing.State != coord.LandingHeld || again.Task.ID != sub.Task {
			s.Errorf("held again as %+v", again.Landing)
		}
	}},
	{"I13 a landing given back keeps its place in the queue", func(s *stage) {
		first := s.approved("first")
		s.h.Advance(time.Minute)
		second := s.approved("second")
		h := s.as("alpha").hold("")
		is(s, "held", h.Task.ID, first.Task)
		is(s, "queue", s.targetRow("main").Queue, []coord.TaskID{second.Task})
		s.h.Advance(time.Minute)
		must(h.fail(coord.FailLanding{State: coord.LandingReleased, Reason: "later"}))
		is(s, "queue", s.targetRow("main").Queue, []coord.TaskID{first.Task, second.Task})
		is(s, "the next hold", s.as("bravo").hold("").Task.ID, first.Task)
	}},
	{"releasing a holder's attempt never strands the target", func(s *stage) {
		sub, other := s.approved("x"), s.approved("other")
		h := s.as("alpha").hold(sub.Task)
		if _, err := (work{h.a, coord.Claimed{Attempt: h.Attempt}}).release(); err != nil {
			must(h.fail(coord.FailLanding{State: coord.LandingReleased, Reason: "later"}))
		}
		s.as("bravo").hold(other.Task)
	}},
	{"K1 the same release again is one", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := coord.Release{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Reason: "r"}
		is(s, "the replay", must(alpha.Release(s.ctx, c)), must(alpha.Release(s.ctx, c)))
	}},
}
