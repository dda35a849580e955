package store

import (
	"database/sql"
	"fmt"

	"coord"
)

// landingRow is a stored landing with the attempt that its fence belongs to.
type landingRow struct {
	coord.Landing
	attempt coord.AttemptID
}

const landingColumns = `l.id, l.submission, l.task, l.integration, l.attempt, l.generation, l.repository, l.target, l.strategy, l.state, l.holder, l.tries, l.base, l.result, l.tree,
	l.required, l.verified, l.conflicts, l.reason, l.already_in, l.weak, l.reconstructed, l.observed_tip, l.outside, l.held_at, l.changed_at, l.landed_at, (SELECT epoch FROM server WHERE id = 1)`

func scanLanding(r scanner) (l landingRow, err error) {
	var required, conflicts, outside string
	var held, changed int64
	var landed sql.NullInt64
	err = r.Scan(&l.ID, &l.Submission, &l.Task, &l.Integration, &l.attempt, &l.Fence.Generation, &l.Repository, &l.Target, &l.Strategy, &l.State, &l.Holder, &l.Tries, &l.Base,
		&l.Result, &l.Tree, &required, &l.Verified, &conflicts, &l.Reason, &l.AlreadyIn, &l.Weak, &l.Reconstructed, &l.ObservedTip, &outside, &held, &changed, &landed, &l.Fence.Epoch)
	if err != nil {
		return l, err
	}
	l.HeldAt, l.ChangedAt, l.LandedAt = instant(held), instant(changed), instantOrNil(landed)
	if err := fromJSON(required, &l.Required); err != nil {
		return l, err
	}
	if err := fromJSON(conflicts, &l.Conflicts); err != nil {
		return l, err
	}
	err = fromJSON(outside, &l.Outside)
	return l, err
}

// landing reads one landing, or returns CodeNotFound.
func (v *view) landing(id coord.LandingID) (landingRow, error) {
	l, found, err := one(v, scanLanding, "SELECT "+landingColumns+" FROM landings l WHERE l.id = ?", string(id))
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no landing %q", string(id))
	}
	return l, err
}

func landingsOf(rows []landingRow) []coord.Landing {
	out := make([]coord.Landing, len(rows))
	for i, r := range rows {
		out[i] = r.Landing
	}
	return out
}

// ownedLanding reads a landing and proves, at the transaction's time, that
// the caller holds it: a landing's fence is its integration attempt's.
func (t *tx) ownedLanding(id coord.LandingID, stated coord.Fence) (landingRow, attemptRow, error) {
	l, err := t.landing(id)
	if err != nil {
		return l, attemptRow{}, err
	}
	a, err := t.owned(l.attempt, stated)
	return l, a, err
}

// saveLanding writes what the root's rules made of a landing. The guard is the
// state and the fence that they decided on.
func (t *tx) saveLanding(was landingRow, now coord.Landing) (coord.Landing, error) {
	now.ChangedAt = t.now
	if now.State == coord.LandingLanded {
		now.LandedAt = &now.ChangedAt
	}
	var landed any
	if now.LandedAt != nil {
		landed = nanos(*now.LandedAt)
	}
	return now, t.change(`UPDATE landings SET state = ?, tries = ?, base = ?, result = ?, tree = ?, required = ?, verified = ?, conflicts = ?, reason = ?,
			already_in = ?, weak = ?, reconstructed = ?, observed_tip = ?, outside = ?, changed_at = ?, landed_at = ?
		WHERE id = ? AND state = ? AND attempt = ? AND generation = ?`,
		string(now.State), now.Tries, string(now.Base), string(now.Result), string(now.Tree), toJSON(now.Required), now.Verified, toJSON(now.Conflicts), now.Reason,
		now.AlreadyIn, now.Weak, now.Reconstructed, string(now.ObservedTip), toJSON(now.Outside), nanos(now.ChangedAt), landed,
		string(was.ID), string(was.State), string(was.attempt), was.Fence.Generation)
}

// recordLanding logs a step of a landing under its code task.
func (t *tx) recordLanding(kind coord.EventKind, l coord.Landing, format string, args ...any) error {
	return t.record(coord.Event{
		Kind: kind, Project: l.Task.Project(), Task: l.Task, Text: fmt.Sprintf(format, args...),
		Data: map[string]string{
			"landing": string(l.ID), "state": string(l.State), "target": l.Target,
			"base": string(l.Base), "result": string(l.Result), "tree": string(l.Tree),
		},
	})
}
