package servicetest

import (
	"time"

	"coord"
)

var checkpointScenes = []scene{
	{"checkpoints are numbered within the attempt and kept whole", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		first := must(w.checkpoint())
		s.h.Advance(time.Minute)
		second := must(w.checkpoint())
		is(s, "numbers", []int64{first.Number, second.Number}, []int64{1, 2})
		if second.Attempt != w.id() || second.Task != w.Task.ID || second.Generation != 1 || !second.Pushed || !second.At.Equal(s.h.Now()) {
			s.Errorf("got %+v", second)
		}
		is(s, "the record", s.task(w.Task.ID).Checkpoints, []coord.Checkpoint{first, second})
	}},
	{"a checkpoint is progress and an event", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(time.Minute)
		must(w.checkpoint())
		t := s.task(w.Task.ID)
		if !t.Owner.LastProgress.Equal(s.h.Now()) {
			s.Errorf("last progress %s at %s", t.Owner.LastProgress, s.h.Now())
		}
		is(s, "last event", t.Events[len(t.Events)-1].Kind, coord.EventCheckpointRecorded)
	}},
	{"what only one machine has does not take the place of what is pushed", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		local := func() coord.Checkpoint {
			c := coord.RecordCheckpoint{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Note: "half", Commit: newOID(), Tree: newOID(), Ref: "refs/coord/attempts/x/1"}
			return must(alpha.RecordCheckpoint(s.ctx, c))
		}
		first := local()
		if saved := s.task(w.Task.ID).Saved; saved == nil || saved.Commit != first.Commit || !saved.LocalOnly {
			s.Errorf("the first, local only: %+v", saved)
		}
		pushed := must(w.checkpoint())
		local()
		if saved := s.task(w.Task.ID).Saved; saved.Commit != pushed.Commit || saved.LocalOnly {
			s.Errorf("after a local one: %+v", saved)
		}
	}},
	{"work that only one machine has is taken up by name only", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := coord.RecordCheckpoint{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Note: "half", Commit: newOID(), Tree: newOID(), Ref: "refs/coord/attempts/x/1"}
		must(alpha.RecordCheckpoint(s.ctx, c))
		must(w.release())
		other := alpha.newTask("y").ID
		bravo := s.as("bravo")
		is(s, "passed over", bravo.passesOver(), []string{"1 task saved on one machine only"})
		is(s, "next", must(bravo.next("")).Task.ID, other)
		must(alpha.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume, Commit: c.Commit}))
	}},
	{"the numbers start again with the next attempt", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		must(w.checkpoint())
		s.h.Advance(lease)
		again := must(w.resume())
		cp := must(again.checkpoint())
		is(s, "number", cp.Number, int64(1))
		is(s, "generation", cp.Generation, int64(2))
	}},
	{"bad input is refused", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		for name, edit := range map[string]func(*coord.RecordCheckpoint){
			"no note":   func(c *coord.RecordCheckpoint) { c.Note = "" },
			"no commit": func(c *coord.RecordCheckpoint) { c.Commit = "" },
			"short id":  func(c *coord.RecordCheckpoint) { c.Tree = "abc1234" },
			"short key": func(c *coord.RecordCheckpoint) { c.Key = "short" },
		} {
			c := coord.RecordCheckpoint{Key: newKey(), Attempt: w.id(), Fence: w.Attempt.Fence, Note: "n", Commit: newOID(), Tree: newOID(), Ref: "refs/coord/x"}
			edit(&c)
			s.unchanged(w.Task.ID, func() {
				if _, err := alpha.RecordCheckpoint(s.ctx, c); coord.CodeOf(err) != coord.CodeBadRequest {
					s.Errorf("%s: %v", name, err)
				}
			})
		}
	}},
}

var receiptScenes = []scene{
	{"V1 a receipt keeps what was run", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		run := failing(newOID())
		run.Commit, run.Base, run.Changed, run.LogDigest, run.Command = newOID(), newOID(), []string{"out/a.txt"}, "sha256:ab", "go test ./..."
		run.StartedAt, run.EndedAt = s.h.Now().Add(-time.Minute).UTC(), s.h.Now().UTC()
		r := must(w.record(run))
		want := coord.Receipt{
			ID: r.ID, Task: w.Task.ID, Attempt: w.id(), Check: run.Check, Definition: run.Definition, Tree: run.Tree, Commit: run.Commit, Base: run.Base,
			Result: run.Result, ExitStatus: 1, Reason: run.Reason, Changed: run.Changed, Machine: run.Machine, Toolchain: run.Toolchain,
			LogDigest: run.LogDigest, DurationMS: run.DurationMS, At: r.At, Command: run.Command, StartedAt: &run.StartedAt, EndedAt: &run.EndedAt,
		}
		is(s, "the receipt", r, want)
		if r.ID == "" || !r.At.Equal(s.h.Now()) {
			s.Errorf("id %q at %s", r.ID, r.At)
		}
		is(s, "the record", s.task(w.Task.ID).Receipts, []coord.Receipt{r})
	}},
	{"V2 receipts are found by tree, oldest first, in their project", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		a, b := alpha.start(alpha.newTask("x").ID), bravo.start(alpha.newTask("y").ID)
		tree := newOID()
		r1 := must(a.record(failing(tree)))
		must(a.record(passing(newOID())))
		r2 := must(b.record(passing(tree)))
		r1.Flaky = true // since the other run ended otherwise
		is(s, "for the tree", must(alpha.ReceiptsFor(s.ctx, s.project, tree)), []coord.Receipt{r1, r2})
		is(s, "for no tree", must(alpha.ReceiptsFor(s.ctx, s.project, newOID())), nil)
		other := s.h.Project(s.T, policy(coord.ReviewNone))
		is(s, "in another project", must(alpha.ReceiptsFor(s.ctx, other, tree)), nil)
	}},
	{"bad input is refused", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		for name, edit := range map[string]func(*coord.Run){
			"no check":        func(r *coord.Run) { r.Check = "" },
			"no definition":   func(r *coord.Run) { r.Definition = "" },
			"no tree":         func(r *coord.Run) { r.Tree = "" },
			"unknown result":  func(r *coord.Run) { r.Result = "omitted" },
			"skipped with 0":  func(r *coord.Run) { r.Result = coord.ResultSkipped },
			"passed with 1":   func(r *coord.Run) { r.ExitStatus = 1 },
			"negative length": func(r *coord.Run) { r.DurationMS = -1 },
			"fault 57: a start in the future": func(r *coord.Run) {
				r.StartedAt = s.h.Now().Add(coord.Skew + 1)
				r.EndedAt = r.StartedAt
			},
			"fault 57: an end in the future":    func(r *coord.Run) { r.StartedAt, r.EndedAt = s.h.Now(), s.h.Now().Add(coord.Skew+1) },
			"fault 57: an end before the start": func(r *coord.Run) { r.StartedAt, r.EndedAt = s.h.Now(), s.h.Now().Add(-1) },
		} {
			r := passing(newOID())
			edit(&r)
			s.unchanged(w.Task.ID, func() {
				if _, err := w.record(r); coord.CodeOf(err) != coord.CodeBadRequest {
					s.Errorf("%s: %v", name, err)
				}
			})
		}
	}},
}

var submitScenes = []scene{
	{"a submission hands over and makes its followers", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("Refuse old tokens", priority(coord.PriorityHigh), target("release")).ID)
		c := w.candidate()
		must(w.record(passing(c.Tree)))
		sub := must(alpha.Submit(s.ctx, c)).Submission
		is(s, "submission", sub, coord.Submission{
			ID: coord.NewSubmissionID(w.Task.ID, 1), Task: w.Task.ID, Attempt: w.id(), Author: "alpha", State: coord.SubmissionInReview,
			Commit: c.Commit, Tree: c.Tree, Base: c.Base, Ref: c.Ref, Repository: w.Task.Repository, Target: "release",
			Summary: c.Summary, Digest: w.Task.Digest, Judged: w.Task.Digest, Required: c.Required, Reviews: sub.Reviews, Integration: sub.Integration, At: s.h.Now(),
		})
		t := s.task(w.Task.ID)
		is(s, "status", t.Status, coord.StatusWaitingReview)
		is(s, "the task's submission", t.Submission, sub.ID)
		is(s, "standing", t.Attempts[0].Standing, coord.StandingSubmitted)
		if t.Owner != nil {
			s.Errorf("still owned by %+v", t.Owner)
		}
		review, integration := s.task(sub.Reviews[0]), s.task(sub.Integration)
		is(s, "kinds", []coord.Kind{review.Kind, integration.Kind}, []coord.Kind{coord.KindReview, coord.KindIntegration})
		is(s, "statuses", []coord.Status{review.Status, integration.Status}, []coord.Status{coord.StatusReady, coord.StatusBlocked})
		is(s, "priorities", []coord.Priority{review.Priority, integration.Priority}, []coord.Priority{coord.PriorityHigh, coord.PriorityHigh})
		is(s, "subjects", []coord.SubmissionID{review.Submission, integration.Submission}, []coord.SubmissionID{sub.ID, sub.ID})
	}},
	{"without review it is approved at once", func(s *stage) {
		s.withoutReview()
		alpha := s.as("alpha")
		sub := alpha.start(alpha.newTask("x").ID).submit()
		is(s, "state", sub.State, coord.SubmissionApproved)
		is(s, "reviews", len(sub.Reviews), 0)
		s.status(sub.Task, coord.StatusWaitingIntegration)
		s.status(sub.Integration, coord.StatusReady)
	}},
	{"V2 without counting evidence it is refused and changes nothing", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		must(w.record(passing(newOID()))) // another tree
		other := passing(c.Tree)
		other.Definition = lintCheck.Digest() // another definition
		must(w.record(other))
		must(w.record(failing(c.Tree)))
		dirty := passing(c.Tree)
		dirty.Changed = []string{"generated.go"}
		must(w.record(dirty))
		c.Lessons = []string{"receipts are strict"}
		s.unchanged(w.Task.ID, func() {
			_, err := alpha.Submit(s.ctx, c)
			s.refused(err, coord.CodeRequirement)
		})
		s.status(w.Task.ID, coord.StatusInProgress)
		is(s, "lessons", len(must(alpha.Lessons(s.ctx, coord.LessonQuery{Project: s.project}))), 0)
		is(s, "tasks", len(must(alpha.ListTasks(s.ctx, coord.TaskQuery{Project: s.project})).Items), 1)
		must(w.record(passing(c.Tree)))
		c.Key = newKey()
		must(alpha.Submit(s.ctx, c))
	}},
	{"each required check needs its own receipt", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		c.Required = append(c.Required, lintCheck.Require())
		must(w.record(passing(c.Tree)))
		_, err := alpha.Submit(s.ctx, c)
		s.refused(err, coord.CodeRequirement)
	}},
	{"V2 equal trees share receipts, whoever ran them", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		a, b := alpha.start(alpha.newTask("x").ID), bravo.start(alpha.newTask("y").ID)
		c := b.candidate()
		must(a.record(passing(c.Tree)))
		must(bravo.Submit(s.ctx, c))
	}},
	{"nothing required, nothing asked", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		c.Required = nil
		must(alpha.Submit(s.ctx, c))
	}},
	{"lessons come in the same transaction", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		c.Required, c.Lessons = nil, []string{"the fake clock must be shared", "skew hides in tests"}
		out := must(alpha.Submit(s.ctx, c))
		is(s, "lessons of the answer", len(out.Lessons), 2)
		stored := must(alpha.Lessons(s.ctx, coord.LessonQuery{Project: s.project}))
		is(s, "lessons stored", len(stored), 2)
		for _, l := range stored {
			if l.Task != w.Task.ID || l.Author != "alpha" || l.Status != coord.LessonObserved {
				s.Errorf("lesson %+v", l)
			}
		}
	}},
	{"bad input is refused", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		for name, edit := range map[string]func(*coord.Submit){
			"no summary":  func(c *coord.Submit) { c.Summary = "" },
			"no ref":      func(c *coord.Submit) { c.Ref = "" },
			"no base":     func(c *coord.Submit) { c.Base = "" },
			"no commit":   func(c *coord.Submit) { c.Commit = "HEAD" },
			"blank lines": func(c *coord.Submit) { c.Lessons = []string{" "} },
		} {
			c := w.candidate()
			c.Required = nil
			edit(&c)
			s.unchanged(w.Task.ID, func() {
				if _, err := alpha.Submit(s.ctx, c); coord.CodeOf(err) != coord.CodeBadRequest {
					s.Errorf("%s: %v", name, err)
				}
			})
		}
	}},
	{"submit and recovery at once: one wins", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		c := w.candidate()
		c.Required = nil
		s.h.Advance(lease + grace)
		errs := make([]error, 2)
		together(2, func(i int) {
			if i == 0 {
				_, errs[0] = alpha.Submit(s.ctx, c)
			} else {
				_, errs[1] = bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume})
			}
		})
		s.refused(errs[0], coord.CodeLeaseExpired, coord.CodeFenced)
		if errs[1] != nil {
			s.Errorf("recovery: %v", errs[1])
		}
		is(s, "submissions", len(s.task(w.Task.ID).Submissions), 0)
	}},
}
