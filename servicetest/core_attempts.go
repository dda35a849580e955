package servicetest

import (
	"context"
	"time"

	"coord"
)

func (s *coreCaller) Claim(_ context.Context, c coord.Claim) (coord.Claimed, error) {
	return once(s, coreRequest{"claim", c.Key, string(c.Project), c}, func() (func() coord.Claimed, error) {
		t, err := s.task(c.Task)
		if err != nil {
			return nil, err
		}
		if t.Kind == coord.KindIntegration {
			return nil, coord.Errorf(coord.CodeStateConflict, "%s is taken together with its target branch", t.ID)
		}
		a := t.current()
		if !s.holdsLive(t, a) {
			generation, err := s.decide(t, c.Recovery)
			if err != nil {
				return nil, err
			}
			a = s.begin(t, generation, c.Recovery)
		}
		return func() coord.Claimed { return s.claimed(t, a) }, nil
	})
}

func (s *coreCaller) holdsLive(t *coreTask, a *coreAttempt) bool {
	return a != nil && a.facts.Session == s.id && a.facts.Standing(s.now(), t.Generation) == coord.StandingLive
}

// decide asks the rules for the generation to grant.
func (s *coreCaller) decide(t *coreTask, r *coord.Recovery) (int64, error) {
	if err := s.independent(t); err != nil {
		return 0, err
	}
	return s.facts(t).Grant(s.claimant(), r, s.policy(t), s.now())
}

func (s *coreCaller) claimant() coord.Claimant {
	who := coord.Claimant{Session: s.id, Role: s.role}
	for _, other := range s.record.tasks {
		if s.holdsLive(other, other.current()) {
			who.Held++
		}
	}
	return who
}

// independent refuses a review to a session that worked on its subject.
func (s *coreCaller) independent(t *coreTask) error {
	if t.Kind != coord.KindReview {
		return nil
	}
	code := s.record.tasks[t.subject.Task()]
	var contributors []coord.Identity
	for _, a := range code.attempts {
		contributors = append(contributors, coord.Identity{Session: a.facts.Session})
	}
	return coord.CheckIndependent(s.policy(t).Independence, code.ID, coord.Identity{Session: s.id}, contributors)
}

// begin creates the attempt and does what the recovery says.
func (s *coreCaller) begin(t *coreTask, generation int64, r *coord.Recovery) *coreAttempt {
	old := t.current()
	if old == nil && t.Saved == nil && (r == nil || r.Disposition != coord.DispositionDelivered) {
		r = nil // nothing was there to be recovered
	}
	a := s.next(t, generation)
	if r == nil {
		return a
	}
	switch r.Disposition {
	case coord.DispositionRestart:
		t.Saved = nil
	case coord.DispositionResume, coord.DispositionDelivered:
		a.from = r.Commit
	case coord.DispositionBlocked:
		a.facts.Ended = coord.StandingReleased
		s.block(t, r.Blocker.Of(t.ID))
	}
	return a
}

// next supersedes the attempt that was not ended by one of the caller's.
func (s *coreCaller) next(t *coreTask, generation int64) *coreAttempt {
	if old := t.current(); old != nil {
		old.facts.Ended = coord.StandingSuperseded
	}
	now := s.now()
	a := &coreAttempt{id: coord.NewAttemptID(t.ID, generation), facts: coord.AttemptFacts{
		Task: t.ID, Generation: generation, Session: s.id, Owner: s.name, StartedAt: now, ProgressAt: now, ExpiresAt: now.Add(time.Duration(s.policy(t).Lease)),
	}}
	t.attempts, t.Generation = append(t.attempts, a), generation
	return a
}

func (s *coreCaller) Renew(_ context.Context, c coord.Renew) (coord.Lease, error) {
	if err := s.open(); err != nil {
		return coord.Lease{}, err
	}
	t, a, err := s.owned(c.Attempt, c.Fence)
	if err != nil {
		return coord.Lease{}, err
	}
	until, stalled := s.policy(t).Extend(a.facts, s.now())
	a.facts.ExpiresAt = until
	return coord.Lease{ExpiresAt: until, Stalled: stalled}, nil
}

func (s *coreCaller) Resume(_ context.Context, c coord.Resume) (coord.Claimed, error) {
	return once(s, coreRequest{"resume", c.Key, string(c.Attempt), c}, func() (func() coord.Claimed, error) {
		t, a, err := s.owned(c.Attempt, c.Fence)
		if coord.CodeOf(err) == coord.CodeLeaseExpired {
			if err := s.claimant().CheckQuota(s.policy(t)); err != nil {
				return nil, err
			}
			old := a
			a, err = s.next(t, t.Generation+1), nil
			a.from = old.from
			for _, l := range s.record.landings {
				if l.attempt == old.id && l.State.Reserves() {
					l.attempt, l.Fence.Generation = a.id, a.facts.Generation
				}
			}
		}
		return func() coord.Claimed { return s.claimed(t, a) }, err
	})
}

func (s *coreCaller) Release(_ context.Context, c coord.Release) (coord.Attempt, error) {
	return once(s, coreRequest{"release", c.Key, string(c.Attempt), c}, func() (func() coord.Attempt, error) {
		t, a, err := s.releasable(c)
		if err == nil {
			err = s.letGo(t)
		}
		if err != nil {
			return nil, err
		}
		a.facts.Ended = coord.StandingReleased
		if c.Blocker != nil {
			s.block(t, c.Blocker.Of(t.ID))
		}
		return func() coord.Attempt { return s.attemptView(t, a) }, nil
	})
}

// releasable is the caller's own attempt, or for an operator one whose lease
// ended.
func (s *coreCaller) releasable(c coord.Release) (*coreTask, *coreAttempt, error) {
	if s.role != coord.RoleOperator {
		return s.owned(c.Attempt, c.Fence)
	}
	t, a, err := s.attempt(c.Attempt)
	if err == nil {
		err = a.facts.CheckFree(s.now(), t.Generation)
	}
	return t, a, err
}

// letGo gives back the target that an integration reserves.
func (c *Core) letGo(t *coreTask) error {
	for _, l := range c.record.landings {
		if l.Integration == t.ID && l.State.Reserves() {
			next, err := l.Fail(coord.FailLanding{State: coord.LandingReleased})
			if err != nil {
				return err
			}
			l.Landing = next
		}
	}
	return nil
}

func (s *coreCaller) RecordCheckpoint(_ context.Context, c coord.RecordCheckpoint) (coord.Checkpoint, error) {
	return once(s, coreRequest{"checkpoint", c.Key, string(c.Attempt), c}, func() (func() coord.Checkpoint, error) {
		t, a, err := s.owned(c.Attempt, c.Fence)
		if err == nil && !t.Kind.Submits() {
			err = coord.Errorf(coord.CodeStateConflict, "%s saves no work", t.ID)
		}
		if err != nil {
			return nil, err
		}
		if !c.Automatic {
			a.facts.ProgressAt = s.now()
		}
		t.Saved = &coord.Saved{Generation: a.facts.Generation, Commit: c.Commit, Tree: c.Tree, Ref: c.Ref, Kind: coord.SavedCheckpoint}
		out := coord.Checkpoint{Task: t.ID, Attempt: a.id, Generation: a.facts.Generation, Commit: c.Commit}
		return func() coord.Checkpoint { return out }, nil
	})
}

// CloseSession ends a session and its attempts: the operator's revocation.
func (s *coreCaller) CloseSession(_ context.Context, c coord.CloseSession) (coord.SessionRecord, error) {
	return once(s, coreRequest{"close", c.Key, string(c.Session), c}, func() (func() coord.SessionRecord, error) {
		delete(s.sessions, c.Session)
		for _, t := range s.record.tasks {
			if a := t.current(); a != nil && a.facts.Session == c.Session {
				s.revoke(t, a)
			}
		}
		return func() coord.SessionRecord { return coord.SessionRecord{} }, nil
	})
}

// revoke ends an attempt that its session can use no more. A landing that may
// have been pushed stays reserved under a lease whose grace is over too.
func (c *Core) revoke(t *coreTask, a *coreAttempt) {
	if c.letGo(t) == nil {
		a.facts.Ended = coord.StandingRevoked
		return
	}
	if over := c.now().Add(-time.Duration(c.policy(t).RecoveryGrace)); a.facts.ExpiresAt.After(over) {
		a.facts.ExpiresAt = over
	}
}
