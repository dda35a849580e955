package store

import (
	"cmp"
	"context"
	"database/sql"

	"coord"
)

// target is what the record knows of a target branch; of one that nothing
// landed on, that it was reconciled at most.
func (v *view) target(repository coord.RepositoryID, name string) (coord.Target, error) {
	t := coord.Target{Repository: repository, Name: name}
	var observed, seen sql.NullInt64
	var reconciled, restored int64
	var d coord.Divergence
	_, err := v.get([]any{&restored, &t.Tip, &observed, &t.Landing, &t.Landed, &reconciled, &d.Seen, &d.By, &seen},
		`SELECT s.restored_at, coalesce(g.tip, ''), g.observed_at, coalesce(g.landing, ''), coalesce((SELECT l.result FROM landings l WHERE l.id = g.landing), ''),
			coalesce(g.reconciled_at, 0), coalesce(g.seen, ''), coalesce(g.seen_by, ''), g.seen_at
		FROM server s LEFT JOIN targets g ON g.repository = ? AND g.target = ? WHERE s.id = 1`, string(repository), name)
	if err != nil {
		return t, err
	}
	t.ObservedAt, t.Unreconciled = instantOrNil(observed), reconciled < restored
	if at := instantOrNil(seen); at != nil {
		d.At = *at
		t.Diverged = &d
	}
	return t, nil
}

// DivergeTarget reports that the target which the caller holds lost its last
// recorded landing. The landing ends, and nothing lands there until somebody
// settles it.
func (s *service) DivergeTarget(ctx context.Context, c coord.DivergeTarget) (coord.Target, error) {
	if err := s.mayWork(); err != nil {
		return coord.Target{}, err
	}
	i := intent[coord.Target]{operation: "diverge_target", key: c.Key, ids: []string{string(c.Landing)}, command: c, session: true, current: currentTarget}
	return mutate(ctx, s, i, func(t *tx) (coord.Target, error) { return t.diverge(c) })
}

func currentTarget(t *tx, out *coord.Target) (err error) {
	*out, err = t.target(out.Repository, out.Name)
	return err
}

func (t *tx) diverge(c coord.DivergeTarget) (coord.Target, error) {
	l, a, err := t.ownedLanding(c.Landing, c.Fence)
	if err != nil {
		return coord.Target{}, err
	}
	target, err := t.target(l.Repository, l.Target)
	if err := cmp.Or(err, c.Check(target)); err != nil {
		return target, err
	}
	next, err := l.Fail(coord.FailLanding{State: coord.LandingReleased, Reason: l.Target + " at " + c.Tip.Short() + " lacks what " + string(target.Landing) + " landed"})
	if err != nil {
		return target, err
	}
	if next, err = t.saveLanding(l, next); err != nil {
		return target, err
	}
	if err := t.end(a, coord.StandingReleased, next.Reason); err != nil {
		return target, err
	}
	err = t.change("UPDATE targets SET seen = ?, seen_by = ?, seen_at = ? WHERE repository = ? AND target = ? AND landing = ? AND seen = ''",
		string(c.Tip), t.caller.Name, nanos(t.now), string(l.Repository), l.Target, string(target.Landing))
	if err != nil {
		return target, err
	}
	err = t.recordTarget(coord.EventTargetDiverged, l.Task.Project(), target, c.Tip, t.caller.Name+" saw that "+next.Reason)
	if err != nil {
		return target, err
	}
	if err := t.reslotNow(l.Submission); err != nil {
		return target, err
	}
	return t.target(l.Repository, l.Target)
}

// SettleTarget opens a diverged target again.
func (s *service) SettleTarget(ctx context.Context, c coord.SettleTarget) (coord.Target, error) {
	if err := s.mayDecide(); err != nil {
		return coord.Target{}, err
	}
	i := intent[coord.Target]{
		operation: "settle_target", key: c.Key, ids: []string{string(c.Project)}, command: c,
		session: s.caller.Role == coord.RoleAgent, current: currentTarget,
	}
	return mutate(ctx, s, i, func(t *tx) (coord.Target, error) { return t.settleTarget(c) })
}

func (t *tx) settleTarget(c coord.SettleTarget) (coord.Target, error) {
	p, err := t.project(c.Project)
	if err != nil {
		return coord.Target{}, err
	}
	if _, ok := p.Repository(c.Repository); !ok {
		return coord.Target{}, coord.Errorf(coord.CodeNotFound, "%s has no repository %q; nothing was changed", p.Key, coord.OneLine(string(c.Repository))).WithNext("coord target list")
	}
	target, err := t.target(c.Repository, c.Target)
	if err := cmp.Or(err, c.Check(target, t.caller.Role)); err != nil {
		return target, err
	}
	text := t.caller.Name + " saw that " + c.Target + " contains " + target.Landed.Short() + " again"
	landing := any(string(target.Landing))
	if !c.Contained {
		text, landing = t.caller.Name+" accepted "+c.Target+" at "+c.Tip.Short()+" without "+target.Landed.Short()+": "+coord.OneLine(c.Reason), nil
	}
	tip := c.Tip
	if target.Unreconciled {
		tip = target.Tip // where the look at a restored server's target begins
	}
	err = t.change("UPDATE targets SET seen = '', seen_by = '', seen_at = NULL, tip = ?, observed_at = ?, landing = ? WHERE repository = ? AND target = ? AND seen = ?",
		string(tip), nanos(t.now), landing, string(c.Repository), c.Target, string(target.Diverged.Seen))
	if err != nil {
		return target, err
	}
	if err := t.recordTarget(coord.EventTargetSettled, c.Project, target, c.Tip, text); err != nil {
		return target, err
	}
	return t.target(c.Repository, c.Target)
}

// recordTarget logs what became of a target.
func (t *tx) recordTarget(kind coord.EventKind, p coord.ProjectKey, g coord.Target, tip coord.OID, text string) error {
	return t.record(coord.Event{
		Kind: kind, Project: p, Text: text,
		Data: map[string]string{"repository": string(g.Repository), "target": g.Name, "tip": string(tip), "landing": string(g.Landing), "landed": string(g.Landed)},
	})
}
