package servicetest

import (
	"coord"
)

// uses are all the ways to use an attempt's authority, as the actor and with
// the fence given.
func (w work) uses(a *actor, f coord.Fence) map[string]func() error {
	ctx, id := a.s.ctx, w.id()
	sub := w.candidate()
	sub.Fence, sub.Required = f, nil
	return map[string]func() error{
		"Renew": func() error { _, err := a.Renew(ctx, coord.Renew{Attempt: id, Fence: f}); return err },
		"Release": func() error {
			_, err := a.Release(ctx, coord.Release{Key: newKey(), Attempt: id, Fence: f, Reason: "r"})
			return err
		},
		"BindWorktree": func() error {
			_, err := a.BindWorktree(ctx, coord.BindWorktree{Key: newKey(), Attempt: id, Fence: f, Worktree: coord.Worktree{
				Machine: "m", Path: "/w", GitDir: "/g/" + string(newOID()), Branch: "b", Base: newOID(),
			}})
			return err
		},
		"RecordCheckpoint": func() error {
			_, err := a.RecordCheckpoint(ctx, coord.RecordCheckpoint{Key: newKey(), Attempt: id, Fence: f, Note: "n", Commit: newOID(), Tree: newOID(), Ref: "refs/coord/x", Pushed: true})
			return err
		},
		"RecordReceipt": func() error {
			_, err := a.RecordReceipt(ctx, coord.RecordReceipt{Key: newKey(), Attempt: id, Fence: f, Run: passing(newOID())})
			return err
		},
		"Submit": func() error { _, err := a.Submit(ctx, sub); return err },
	}
}

// useless wants every use to be refused with the code, and to change nothing.
func (s *stage) useless(w work, a *actor, f coord.Fence, code coord.Code) {
	s.Helper()
	uses := w.uses(a, f)
	uses["Resume"] = func() error {
		_, err := a.Resume(s.ctx, coord.Resume{Key: newKey(), Attempt: w.id(), Fence: f})
		return err
	}
	if code == coord.CodeLeaseExpired {
		delete(uses, "Resume")
	}
	for name, use := range uses {
		s.unchanged(w.Task.ID, func() {
			if err := use(); coord.CodeOf(err) != code {
				s.Errorf("%s: %v, want %s", name, err, code)
			}
		})
	}
}

var fenceScenes = []scene{
	{"L4 another fence is useless", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		f := w.Attempt.Fence
		for wrong, code := range map[coord.Fence]coord.Code{
			{}:                                      coord.CodeFenced,
			{Epoch: f.Epoch, Generation: 0}:         coord.CodeFenced,
			{Epoch: f.Epoch, Generation: 2}:         coord.CodeFenced,
			{Epoch: f.Epoch + 1, Generation: 1}:     coord.CodeEpochChanged,
			{Epoch: f.Epoch - 1, Generation: 1}:     coord.CodeEpochChanged,
			{Epoch: f.Epoch, Generation: 1<<53 + 1}: coord.CodeFenced,
		} {
			s.useless(w, alpha, wrong, code)
		}
	}},
	{"L12 the right fence is useless in another session", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		s.useless(w, bravo, w.Attempt.Fence, coord.CodeFenced)
		s.h.Advance(2 * lease)
		s.useless(w, bravo, w.Attempt.Fence, coord.CodeFenced)
	}},
	{"an operator has no attempt's authority", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		op := &actor{s.h.AsOperator(), s, "operator"}
		for name, use := range w.uses(op, w.Attempt.Fence) {
			s.unchanged(w.Task.ID, func() {
				if err := use(); err == nil {
					s.Errorf("%s was allowed", name)
				}
			})
		}
	}},
	{"L6 an expired attempt is useless", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		must(w.checkpoint())
		s.h.Advance(lease)
		s.useless(w, alpha, w.Attempt.Fence, coord.CodeLeaseExpired)
	}},
	{"L4 a superseded attempt is useless", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		w := alpha.start(alpha.newTask("x").ID)
		s.h.Advance(lease + grace)
		c := must(bravo.try(w.Task.ID, &coord.Recovery{Generation: 1, Disposition: coord.DispositionResume}))
		s.useless(w, alpha, w.Attempt.Fence, coord.CodeFenced)
		s.useless(w, alpha, c.Attempt.Fence, coord.CodeFenced)
	}},
	{"L4 a released attempt is useless", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		must(w.release())
		s.useless(w, alpha, w.Attempt.Fence, coord.CodeFenced)
	}},
	{"L4 a submitted attempt is useless", func(s *stage) {
		alpha := s.as("alpha")
		w := alpha.start(alpha.newTask("x").ID)
		w.submit()
		s.useless(w, alpha, w.Attempt.Fence, coord.CodeFenced)
	}},
	{"an attempt that never was is not found", func(s *stage) {
		alpha := s.as("alpha")
		id := alpha.newTask("x").ID
		_, err := alpha.Renew(s.ctx, coord.Renew{Attempt: coord.NewAttemptID(id, 1), Fence: coord.Fence{Epoch: 1, Generation: 1}})
		s.refused(err, coord.CodeNotFound, coord.CodeFenced)
		s.status(id, coord.StatusReady)
	}},
	{"L3 generations only grow, whatever ends an attempt", func(s *stage) {
		alpha, bravo := s.as("alpha"), s.as("bravo")
		id := alpha.newTask("x").ID
		w := alpha.start(id)
		must(w.release())
		w = work{alpha, must(alpha.try(id, nil))}
		is(s, "after a release", w.Attempt.Generation, int64(2))
		s.h.Advance(lease)
		w = must(w.resume())
		is(s, "after a resume", w.Attempt.Generation, int64(3))
		s.h.Advance(lease + grace)
		b := work{bravo, must(bravo.try(id, &coord.Recovery{Generation: 3, Disposition: coord.DispositionResume}))}
		is(s, "after a recovery", b.Attempt.Generation, int64(4))
		sub := b.submit()
		must(s.as("echo").start(sub.Reviews[0]).review(coord.VerdictChangesRequested))
		c := must(bravo.try(id, &coord.Recovery{Generation: 4, Disposition: coord.DispositionResume, Commit: sub.Commit}))
		is(s, "after a review", c.Attempt.Generation, int64(5))
	}},
}
