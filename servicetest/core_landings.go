package servicetest

import (
	"cmp"
	"context"

	"coord"
)

func (s *coreCaller) Hold(_ context.Context, c coord.Hold) (coord.Held, error) {
	return once(s, coreRequest{"hold", c.Key, string(c.Project), c}, func() (func() coord.Held, error) {
		l, a, err := s.hold(c)
		return func() coord.Held {
			return coord.Held{Attempt: s.attemptView(s.record.tasks[l.Integration], a), Landing: s.landingView(l)}
		}, err
	})
}

func (s *coreCaller) hold(c coord.Hold) (*coreLanding, *coreAttempt, error) {
	t, err := s.toLand(c.Task)
	if err != nil {
		return nil, nil, err
	}
	reserved := s.reserved(t)
	if reserved != nil && reserved.Integration == t.ID && s.holdsLive(t, t.current()) {
		return reserved, t.current(), nil
	}
	if reserved != nil && reserved.Integration != t.ID {
		return nil, nil, s.targetHeld(reserved)
	}
	if reserved == nil {
		if err := s.target(t.Project, t.Target).CheckOpen(); err != nil {
			return nil, nil, err
		}
	}
	generation, err := s.decide(t, c.Recovery)
	if err == nil && reserved == nil {
		err = s.mayLand(s.record.subs[t.subject])
	}
	blocked := c.Recovery != nil && c.Recovery.Disposition == coord.DispositionBlocked
	if err == nil && blocked { // only a dead owner's task is reported so
		err = s.letGo(t)
	}
	if err != nil {
		return nil, nil, err
	}
	a := s.begin(t, generation, c.Recovery)
	switch {
	case blocked:
		return reserved, a, nil
	case reserved != nil:
		s.takeOver(reserved, a)
	default:
		reserved = s.reserve(t, a)
	}
	return reserved, a, nil
}

// toLand is the integration task that is wanted: the named one, or a named
// code task's.
func (s *coreCaller) toLand(id coord.TaskID) (*coreTask, error) {
	t, err := s.task(id)
	if err != nil || t.Kind == coord.KindIntegration {
		return t, err
	}
	if t.subject != "" {
		t = s.record.tasks[t.subject.Task()]
	}
	if t.Submission == "" || t.Lifecycle != coord.LifecycleOpen {
		return nil, coord.Errorf(coord.CodeStateConflict, "%s has nothing to land", t.ID)
	}
	return s.record.tasks[s.record.subs[t.Submission].Integration], nil
}

// takeOver puts a dead holder's landing under the new fence. What may have been
// pushed is to be observed first.
func (s *coreCaller) takeOver(l *coreLanding, a *coreAttempt) {
	l.attempt, l.Fence.Generation, l.Holder = a.id, a.facts.Generation, s.name
	if l.State != coord.LandingPublishing {
		l.State = coord.LandingHeld
	}
}

func (s *coreCaller) reserve(t *coreTask, a *coreAttempt) *coreLanding {
	x, n := s.record.subs[t.subject], int64(1)
	for s.record.landings[coord.NewLandingID(x.Task, n)] != nil {
		n++
	}
	l := &coreLanding{attempt: a.id, Landing: coord.Landing{
		ID: coord.NewLandingID(x.Task, n), Submission: x.ID, Task: x.Task, Integration: t.ID, Target: t.Target, Strategy: s.policy(t).Strategy, State: coord.LandingHeld, Holder: s.name,
		Fence: coord.Fence{Generation: a.facts.Generation},
	}}
	s.record.landings[l.ID], x.landing = l, l.ID
	return l
}

// mayLand asks every rule whether the submission may go on to its target.
func (c *Core) mayLand(x *coreSubmission) error {
	var have []coord.SlotFacts
	for _, id := range x.Reviews {
		f := coord.SlotFacts{Review: id, Slot: c.record.tasks[id].Slot}
		if c.record.tasks[id].Lifecycle == coord.LifecycleDone {
			f.Approved = coord.ActorAgent
		}
		have = append(have, f)
	}
	work := c.record.tasks[x.Task]
	return cmp.Or(x.CheckApproved(have), c.facts(work).CheckUnblocked(), x.CheckCurrent(work.Task))
}

// reserved is the landing that has the task's target, whichever it is.
func (c *Core) reserved(t *coreTask) *coreLanding {
	for _, l := range c.record.landings {
		if l.Task.Project() == t.Project && l.Target == t.Target && l.State.Reserves() {
			return l
		}
	}
	return nil
}

// targetHeld is the refusal when another landing reserves the target.
func (s *coreCaller) targetHeld(l *coreLanding) error {
	other := s.record.tasks[l.Integration]
	_, err := s.facts(other).Grant(coord.Claimant{Session: s.id, Role: s.role}, nil, s.policy(other), s.now())
	if coord.CodeOf(err) == coord.CodeTaskTaken {
		return coord.Errorf(coord.CodeTargetHeld, "%s is held", l.Target)
	}
	return err
}

// step moves a landing by one command of its holder.
func step[T any](s *coreCaller, r coreRequest, fence coord.Fence, move func(*coreLanding, *coreAttempt) error, out func(*coreLanding) T) (T, error) {
	return once(s, r, func() (func() T, error) {
		l := s.record.landings[coord.LandingID(r.about)]
		if l == nil {
			return nil, coord.Errorf(coord.CodeNotFound, "there is no landing %s", r.about)
		}
		_, a, err := s.owned(l.attempt, fence)
		if err == nil {
			err = move(l, a)
		}
		return func() T { return out(l) }, err
	})
}

func (s *coreCaller) RecordMerge(_ context.Context, c coord.RecordMerge) (coord.Merged, error) {
	return step(s, coreRequest{"merge", c.Key, string(c.Landing), c}, c.Fence, func(l *coreLanding, _ *coreAttempt) (err error) {
		if err := s.targetOf(l).CheckReconciled(); err != nil {
			return err
		}
		l.Landing, err = l.Merge(c, s.record.subs[l.Submission].Commit)
		return err
	}, func(l *coreLanding) coord.Merged { return coord.Merged{Landing: s.landingView(l)} })
}

func (s *coreCaller) Permit(_ context.Context, c coord.Permit) (coord.Landing, error) {
	return step(s, coreRequest{"permit", c.Key, string(c.Landing), c}, c.Fence, func(l *coreLanding, _ *coreAttempt) error {
		if err := s.mayLand(s.record.subs[l.Submission]); err != nil {
			return err
		}
		receipts := append(s.record.receipts, asReceipts(c.Runs)...)
		next, err := l.Allow(c, receipts)
		if err == nil || coord.CodeOf(err) == coord.CodeRequirement { // what the checks said is true either way
			s.record.receipts = receipts
		}
		l.Landing = next
		return err
	}, s.landingView)
}

func asReceipts(runs []coord.Run) (out []coord.Receipt) {
	for _, r := range runs {
		out = append(out, coord.Receipt{Check: r.Check, Definition: r.Definition, Tree: r.Tree, Result: r.Result, Changed: r.Changed, Decision: r.Decision})
	}
	return out
}

func (s *coreCaller) RecordObservation(_ context.Context, c coord.RecordObservation) (coord.Landed, error) {
	return step(s, coreRequest{"observe", c.Key, string(c.Landing), c}, c.Fence, func(l *coreLanding, a *coreAttempt) error {
		if err := s.targetOf(l).CheckReconciled(); err != nil {
			return err
		}
		x := s.record.subs[l.Submission]
		next, err := l.Observe(c, x.Submission)
		if err != nil {
			return err
		}
		l.Landing = next
		if l.State == coord.LandingLanded {
			t := s.record.tasks[l.Task]
			a.facts.Ended, x.State = coord.StandingFinished, coord.SubmissionLanded
			s.cameIn(l)
			t.Landed, t.Saved = &coord.LandedFact{Landing: l.ID, Commit: l.Result, Tree: l.Tree}, nil
			s.close(s.record.tasks[l.Integration], coord.LifecycleDone)
			s.close(t, coord.LifecycleDone)
		}
		return nil
	}, func(l *coreLanding) coord.Landed {
		return coord.Landed{Task: s.view(s.record.tasks[l.Task]), Landing: s.landingView(l)}
	})
}

func (s *coreCaller) FailLanding(_ context.Context, c coord.FailLanding) (coord.Landing, error) {
	return step(s, coreRequest{"fail", c.Key, string(c.Landing), c}, c.Fence, func(l *coreLanding, a *coreAttempt) error {
		next, err := l.Fail(c)
		if err != nil {
			return err
		}
		l.Landing, a.facts.Ended = next, coord.StandingFinished
		s.record.receipts = append(s.record.receipts, asReceipts(c.Runs)...)
		switch l.State {
		case coord.LandingReleased:
			a.facts.Ended = coord.StandingReleased
		case coord.LandingConflict:
			s.block(s.record.tasks[l.Integration], coord.Blocker{Kind: coord.BlockedByConflict, Actor: coord.ActorEither})
		case coord.LandingFailed:
			s.block(s.record.tasks[l.Integration], coord.Blocker{Kind: coord.BlockedByCheck, Actor: coord.ActorEither})
		}
		return nil
	}, s.landingView)
}
