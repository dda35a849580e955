package servicetest

import (
	"context"

	"coord"
)

// target is what the record knows of a target; repositories are one to a
// project here.
func (c *Core) target(p coord.ProjectKey, name string) *coord.Target {
	key := string(p) + " " + name
	if c.record.targets[key] == nil {
		c.record.targets[key] = &coord.Target{Name: name, Unreconciled: c.record.restored}
	}
	return c.record.targets[key]
}

func (c *Core) targetOf(l *coreLanding) *coord.Target { return c.target(l.Task.Project(), l.Target) }

// cameIn records what a target is known to hold after a landing.
func (c *Core) cameIn(l *coreLanding) {
	g := c.targetOf(l)
	g.Tip, g.Landing, g.Landed = l.ObservedTip, l.ID, l.Result
}

func (s *coreCaller) DivergeTarget(_ context.Context, c coord.DivergeTarget) (coord.Target, error) {
	return step(s, coreRequest{"diverge", c.Key, string(c.Landing), c}, c.Fence, func(l *coreLanding, a *coreAttempt) error {
		g := s.targetOf(l)
		if err := c.Check(*g); err != nil {
			return err
		}
		next, err := l.Fail(coord.FailLanding{State: coord.LandingReleased})
		if err != nil {
			return err
		}
		l.Landing, a.facts.Ended = next, coord.StandingReleased
		g.Diverged = &coord.Divergence{Seen: c.Tip, By: s.name, At: s.now()}
		return nil
	}, func(l *coreLanding) coord.Target { return *s.targetOf(l) })
}

func (s *coreCaller) SettleTarget(_ context.Context, c coord.SettleTarget) (coord.Target, error) {
	return once(s, coreRequest{"settle", c.Key, string(c.Project), c}, func() (func() coord.Target, error) {
		g := s.target(c.Project, c.Target)
		if err := c.Check(*g, s.role); err != nil {
			return nil, err
		}
		g.Diverged = nil
		if !g.Unreconciled {
			g.Tip = c.Tip
		}
		if !c.Contained {
			g.Landing, g.Landed = "", ""
		}
		return func() coord.Target { return *s.target(c.Project, c.Target) }, nil
	})
}

// Reconcile knows no commits: what they mean is for other tests.
func (s *coreCaller) Reconcile(_ context.Context, c coord.Reconcile) (coord.Reconciled, error) {
	return step(s, coreRequest{"reconcile", c.Key, string(c.Landing), c}, c.Fence, func(l *coreLanding, _ *coreAttempt) error {
		if g := s.targetOf(l); g.Unreconciled {
			g.Unreconciled, g.Tip = false, c.Tip
		}
		return nil
	}, func(l *coreLanding) coord.Reconciled {
		return coord.Reconciled{Landing: s.landingView(l), Target: *s.targetOf(l)}
	})
}
