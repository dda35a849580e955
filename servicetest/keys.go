package servicetest

import (
	"coord"
)

var keyScenes = []scene{
	{"K3 a replayed claim tells today's standing and grants nothing", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		id := alpha.newTask("x").ID
		c := coord.Claim{Key: newKey(), Project: s.project, Task: id}
		first := must(alpha.Claim(s.ctx, c))
		replay := func(want coord.Standing) {
			s.Helper()
			again, err := alpha.Claim(s.ctx, c)
			if err != nil {
				s.Fatalf("the replay was refused: %v", err)
			}
			if !again.Replayed || again.Attempt.ID != first.Attempt.ID || again.Attempt.Fence != first.Attempt.Fence || again.Attempt.Standing != want {
				s.Errorf("want %s: got %+v, replayed %v", want, again.Attempt, again.Replayed)
			}
		}
		s.h.Advance(lease - 1)
		s.unchanged(id, func() { replay(coord.StandingLive) })
		s.h.Advance(1)
		s.unchanged(id, func() { replay(coord.StandingExpired) })
		s.h.Advance(grace)
		must(bravo.try(id, &coord.Recovery{Generation: 1, Disposition: coord.DispositionRestart, Reason: "alpha is gone"}))
		s.unchanged(id, func() { replay(coord.StandingSuperseded) })
	}},
	{"K3 a replay after the release takes nothing back", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		c := coord.Claim{Key: newKey(), Project: s.project, Task: id}
		w := work{alpha, must(alpha.Claim(s.ctx, c))}
		must(w.release())
		s.unchanged(id, func() {
			again := must(alpha.Claim(s.ctx, c))
			if again.Attempt.Standing != coord.StandingReleased || !again.Replayed {
				s.Errorf("got %+v", again.Attempt)
			}
		})
		s.status(id, coord.StatusReady)
	}},
	{"K1 a late duplicate of a refusal stays refused", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		id := alpha.newTask("x").ID
		w := alpha.start(id)
		c := coord.Claim{Key: newKey(), Project: s.project, Task: id}
		_, err := bravo.Claim(s.ctx, c)
		s.refused(err, coord.CodeTaskTaken)
		must(w.release())
		s.h.Advance(lease * 2)
		s.unchanged(id, func() { _, err := bravo.Claim(s.ctx, c); s.refused(err, coord.CodeTaskTaken) })
		must(bravo.try(id, nil))
	}},
	{"K1 a late duplicate of nothing eligible claims nothing", func(s *stage) {
		alpha := s.as("alpha")
		c := coord.Claim{Key: newKey(), Project: s.project}
		_, err := alpha.Claim(s.ctx, c)
		s.refused(err, coord.CodeNothingEligible)
		id := alpha.newTask("x").ID
		_, err = alpha.Claim(s.ctx, c)
		s.refused(err, coord.CodeNothingEligible)
		s.status(id, coord.StatusReady)
	}},
	{"a failure to decide is not remembered", func(s *stage) {
		alpha := s.as("alpha")
		k := newKey()
		_, err := alpha.CreateTask(s.ctx, coord.CreateTask{Key: k, Project: s.project, Title: ""})
		s.refused(err, coord.CodeBadRequest)
		must(alpha.CreateTask(s.ctx, coord.CreateTask{Key: k, Project: s.project, Title: "now with a title"}))
	}},
	{"a role's refusal is not remembered either", func(s *stage) {
		_, sub := s.submitted()
		echo := s.as("echo")
		c := coord.Revise{Key: newKey(), Task: sub.Task, Reason: coord.ReviseWithdrawn}
		_, err := echo.Revise(s.ctx, c)
		s.refused(err, coord.CodeNotPermitted)
		must(s.as("bravo").start(sub.Reviews[0]).review(coord.VerdictChangesRequested))
		work{echo, must(echo.try(sub.Task, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: sub.Commit}))}.submit()
		must(echo.Revise(s.ctx, c)) // by now it is an author
	}},
	{"K2 the same key with another body changes nothing", func(s *stage) {
		alpha := s.as("alpha")
		x, y := alpha.newTask("x").ID, alpha.newTask("y").ID
		k := newKey()
		must(alpha.Claim(s.ctx, coord.Claim{Key: k, Project: s.project, Task: x}))
		s.unchanged(y, func() {
			_, err := alpha.Claim(s.ctx, coord.Claim{Key: k, Project: s.project, Task: y})
			s.refused(err, coord.CodeIdempotencyMismatch)
		})
	}},
	{"K2 the same key for another attempt changes nothing", func(s *stage) {
		alpha := s.as("alpha")
		x, y := alpha.start(alpha.newTask("x").ID), alpha.start(alpha.newTask("y").ID)
		k := newKey()
		c := coord.RecordCheckpoint{Key: k, Attempt: x.id(), Fence: x.Attempt.Fence, Note: "n", Commit: newOID(), Tree: newOID(), Ref: "refs/coord/x", Pushed: true}
		must(alpha.RecordCheckpoint(s.ctx, c))
		c.Attempt, c.Fence = y.id(), y.Attempt.Fence
		s.unchanged(y.Task.ID, func() { _, err := alpha.RecordCheckpoint(s.ctx, c); s.refused(err, coord.CodeIdempotencyMismatch) })
	}},
	{"keys of different operations do not meet", func(s *stage) {
		alpha := s.as("alpha")
		k := newKey()
		task := must(alpha.CreateTask(s.ctx, coord.CreateTask{Key: k, Project: s.project, Title: "x"}))
		c := must(alpha.Claim(s.ctx, coord.Claim{Key: k, Project: s.project, Task: task.ID}))
		must(alpha.Release(s.ctx, coord.Release{Key: k, Attempt: c.Attempt.ID, Fence: c.Attempt.Fence, Reason: "done looking"}))
		s.status(task.ID, coord.StatusReady)
	}},
	{"K1 20 concurrent duplicates have one effect", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		c := coord.Claim{Key: newKey(), Project: s.project, Task: id}
		got, errs := make([]coord.Claimed, 20), make([]error, 20)
		together(20, func(i int) { got[i], errs[i] = alpha.Claim(s.ctx, c) })
		fresh := 0
		for i := range got {
			if errs[i] != nil || got[i].Attempt.Generation != 1 {
				s.Errorf("duplicate %d: %+v, %v", i, got[i].Attempt, errs[i])
			}
			if !got[i].Replayed {
				fresh++
			}
		}
		is(s, "answers that are no replay", fresh, 1)
		is(s, "attempts", len(s.task(id).Attempts), 1)
	}},
	{"K1 20 concurrent duplicates make one task", func(s *stage) {
		alpha := s.as("alpha")
		c := coord.CreateTask{Key: newKey(), Project: s.project, Title: "once"}
		errs := make([]error, 20)
		together(20, func(i int) { _, errs[i] = alpha.CreateTask(s.ctx, c) })
		for _, err := range errs {
			if err != nil {
				s.Error(err)
			}
		}
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 1)
	}},
	{"K1 every recording command has one effect", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		cp := coord.RecordCheckpoint{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Note: "n", Commit: newOID(), Tree: newOID(), Ref: "refs/coord/x", Pushed: true}
		is(s, "checkpoint", must(alpha.RecordCheckpoint(s.ctx, cp)), must(alpha.RecordCheckpoint(s.ctx, cp)))
		sub := w.candidate()
		rc := coord.RecordReceipt{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Run: passing(sub.Tree)}
		is(s, "receipt", must(alpha.RecordReceipt(s.ctx, rc)).ID, must(alpha.RecordReceipt(s.ctx, rc)).ID)
		first, again := must(alpha.Submit(s.ctx, sub)), must(alpha.Submit(s.ctx, sub))
		if first.Submission.ID != again.Submission.ID || first.Replayed || !again.Replayed {
			s.Errorf("submitted %+v, then %+v", first, again)
		}
		t := s.task(w.Task.ID)
		is(s, "checkpoints, receipts, submissions", []int{len(t.Checkpoints), len(t.Receipts), len(t.Submissions)}, []int{1, 1, 1})
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 2)
	}},
}
