package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"coord"
)

// RevokeToken ends a token and, when its principal has no valid one left, all
// that rests on it. Revoking it again changes nothing.
func (s *service) RevokeToken(ctx context.Context, c coord.RevokeToken) (coord.Token, error) {
	if err := cmp.Or(s.need(coord.RoleOperator), c.Validate()); err != nil {
		return coord.Token{}, err
	}
	i := intent[coord.Token]{operation: "revoke_token", key: c.Key, ids: []string{string(c.ID)}, command: c}
	return mutate(ctx, s, i, func(t *tx) (coord.Token, error) {
		k, err := t.token(c.ID)
		if err != nil || k.RevokedAt != nil {
			return k, err
		}
		if err := t.revokeToken(k, c.Reason); err != nil {
			return k, err
		}
		return t.token(c.ID)
	})
}

// revokeToken ends a token that is not revoked. Sessions belong to the
// principal and not to the token: they are closed with its last valid one.
func (t *tx) revokeToken(k coord.Token, reason string) error {
	n, err := k.ID.Number()
	if err != nil {
		return err
	}
	if err := t.change("UPDATE tokens SET revoked_at = ?, revoke_reason = ? WHERE id = ? AND revoked_at IS NULL", nanos(t.now), reason, n); err != nil {
		return err
	}
	if err := t.recordToken(coord.EventTokenRevoked, k.ID, "revoked"); err != nil {
		return err
	}
	if k.Role != coord.RoleAgent {
		return nil
	}
	left, err := t.get([]any{new(int64)}, "SELECT 1 FROM tokens WHERE principal = ? AND role = 'agent' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?) LIMIT 1",
		string(k.Principal), nanos(t.now))
	if err != nil || left {
		return err
	}
	return t.revokePrincipal(k.Principal, "its last token was revoked: "+reason)
}

// revokePrincipal ends what a principal may still do, in the transaction that
// takes its credential away: its sessions are closed and its attempts ended.
// It frees no resource and stops no job.
func (t *tx) revokePrincipal(principal coord.PrincipalID, reason string) error {
	open, err := list(&t.view, scanSession, "SELECT "+sessionColumns+" FROM sessions s WHERE s.principal = ? AND s.closed_at IS NULL", string(principal))
	if err != nil {
		return err
	}
	for _, x := range open {
		if _, err := t.closeSession(x, coord.StandingRevoked, reason); err != nil {
			return err
		}
	}
	return t.voidApprovals(principal, reason)
}

// DisableOperator ends a person's access: the password, the dashboard's
// sessions, the tokens, and all that rests on them. Disabling again changes
// nothing.
func (s *Store) DisableOperator(ctx context.Context, name, reason string) error {
	return s.writer.do(ctx, coord.Caller{Name: "the server's host"}, func(t *tx) error { return t.disableOperator(name, reason) })
}

func (t *tx) disableOperator(name, reason string) error {
	var disabled bool
	found, err := t.get([]any{&disabled}, "SELECT disabled_at IS NOT NULL FROM operators WHERE name = ?", name)
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no operator %q; nothing was changed", name)
	}
	if err != nil || disabled {
		return err
	}
	if err := t.change("UPDATE operators SET disabled_at = ?, disabled_reason = ? WHERE name = ? AND disabled_at IS NULL", nanos(t.now), reason, name); err != nil {
		return err
	}
	if _, err := t.exec("DELETE FROM web_sessions WHERE operator = ?", name); err != nil {
		return err
	}
	tokens, err := list(&t.view, scanToken, "SELECT "+tokenColumns+" FROM tokens WHERE principal = ? AND role = 'operator' AND revoked_at IS NULL", name)
	if err != nil {
		return err
	}
	for _, k := range tokens {
		if err := t.revokeToken(k, "its operator was disabled: "+reason); err != nil {
			return err
		}
	}
	if err := t.revokePrincipal(coord.PrincipalID(name), reason); err != nil {
		return err
	}
	return t.record(coord.Event{Kind: coord.EventOperatorDisabled, Text: "an operator was disabled"})
}

// CloseSession ends a session for good: its attempts end in the same
// transaction, and it is never used again.
func (s *service) CloseSession(ctx context.Context, c coord.CloseSession) (coord.SessionRecord, error) {
	if err := cmp.Or(s.mayRead(), c.Validate()); err != nil {
		return coord.SessionRecord{}, err
	}
	if s.caller.Role == coord.RoleAgent {
		if err := s.mayWork(); err != nil {
			return coord.SessionRecord{}, err
		}
	}
	i := intent[coord.SessionRecord]{operation: "close_session", key: c.Key, ids: []string{string(c.Session)}, command: c, session: s.caller.Role == coord.RoleAgent}
	return mutate(ctx, s, i, func(t *tx) (coord.SessionRecord, error) {
		x, err := t.toClose(c.Session)
		if err != nil || x.ClosedAt != nil {
			r, rerr := t.sessionRecord(x)
			return r, cmp.Or(err, rerr)
		}
		how := coord.StandingRevoked
		if t.caller.Session == x.ID {
			how = coord.StandingReleased
		}
		ended, err := t.closeSession(x, how, c.Reason)
		if err != nil {
			return coord.SessionRecord{}, err
		}
		r, err := t.sessionRecord(x)
		if err == nil {
			r.Ended, err = t.endedWith(ended)
		}
		return r, err
	})
}

// toClose finds the session that a caller names by its id, by as much of it
// as a list shows, or not at all when it means its own.
func (t *tx) toClose(named coord.SessionID) (openedSession, error) {
	if own := t.caller.Session; own != "" && (named == "" || named == own.Short()) {
		named = own
	}
	if err := t.caller.MayClose(named); err != nil {
		return openedSession{}, err
	}
	if named == "" {
		return openedSession{}, coord.Errorf(coord.CodeBadRequest, "an operator names the session to close; nothing was changed").WithNext("coord session list")
	}
	// "~" sorts after everything that an id is made of.
	found, err := list(&t.view, scanSession, "SELECT "+sessionColumns+" FROM sessions s WHERE s.id >= ? AND s.id < ? ORDER BY s.id LIMIT 2", string(named), string(named)+"~")
	switch {
	case err != nil:
		return openedSession{}, err
	case len(found) == 0:
		return openedSession{}, coord.Errorf(coord.CodeNotFound, "there is no session %s; nothing was changed", named).WithNext("coord session list")
	case len(found) > 1 && found[0].ID != named:
		return openedSession{}, coord.Errorf(coord.CodeAmbiguous, "several sessions begin with %s; nothing was changed", named).WithNext("coord session list")
	}
	return found[0], nil
}

// closeSession closes an open session and ends its attempts, which it returns.
func (t *tx) closeSession(x openedSession, how coord.Standing, reason string) ([]coord.AttemptID, error) {
	err := t.change("UPDATE sessions SET closed_at = ?, close_reason = ? WHERE id = ? AND principal = ? AND closed_at IS NULL",
		nanos(t.now), reason, string(x.ID), string(x.principal))
	if err != nil {
		return nil, err
	}
	ids, err := list(&t.view, scanText[coord.AttemptID], "SELECT id FROM attempts WHERE session = ? AND ended IS NULL ORDER BY started_at, id", string(x.ID))
	if err != nil {
		return nil, err
	}
	text := cmp.Or(coord.OneLine(reason), "its session was closed")
	for _, id := range ids {
		a, err := t.attempt(id)
		if err != nil {
			return nil, err
		}
		if err := t.endOf(a, how, text); err != nil {
			return nil, err
		}
	}
	return ids, t.record(coord.Event{Kind: coord.EventSessionClosed, Text: "session " + x.Name + " on " + x.Machine + " was closed"})
}

// maxEnded bounds the attempts that the answer to a close lists.
const maxEnded = 100

// endedWith says of attempts that ended with their session how each goes on.
func (v *view) endedWith(ids []coord.AttemptID) ([]coord.EndedAttempt, error) {
	var out []coord.EndedAttempt
	for _, id := range ids[:min(len(ids), maxEnded)] {
		a, err := v.attempt(id)
		if err != nil {
			return nil, err
		}
		task, err := v.task(a.Task)
		if err != nil {
			return nil, err
		}
		left, err := v.obligations(a.Task, "")
		if err != nil {
			return nil, err
		}
		out = append(out, coord.EndAttempt(task.Task, a.Attempt, left, a.facts.Ended == ""))
	}
	return out, nil
}

// endOf ends an attempt, live or expired, that its session can use no more.
// Its saved work stays and needs a disposition, without a grace. A landing
// that may have been pushed stays reserved until the remote was observed: its
// lease is over, and the next holder takes it over at once.
func (t *tx) endOf(a attemptRow, how coord.Standing, reason string) error {
	if err := t.endAuthority(a, how, reason); err != nil {
		return err
	}
	done := "was revoked"
	kind := coord.EventAttemptRevoked
	if how == coord.StandingReleased {
		done, kind = "was released", coord.EventAttemptReleased
	}
	return t.record(coord.Event{
		Kind: kind, Project: a.project, Task: a.Task,
		Text: fmt.Sprintf("the attempt of %s at %s %s: %s", a.Owner, a.Task, done, reason),
	})
}

func (t *tx) endAuthority(a attemptRow, how coord.Standing, reason string) error {
	if a.kind != coord.KindIntegration {
		return t.endUnused(a, how, reason)
	}
	pushing, err := t.get([]any{new(int64)}, "SELECT 1 FROM landings WHERE attempt = ? AND generation = ? AND state = 'publishing'", string(a.ID), a.Generation)
	if err != nil {
		return err
	}
	if pushing {
		return t.expireNow(a, reason)
	}
	if err := t.releaseHold(a, reason); err != nil {
		return err
	}
	return t.endUnused(a, how, reason)
}

func (t *tx) endUnused(a attemptRow, how coord.Standing, reason string) error {
	err := t.change("UPDATE attempts SET ended = ?, ended_at = ?, end_reason = ? WHERE id = ? AND generation = ? AND session = ? AND ended IS NULL",
		string(how), nanos(t.now), reason, string(a.ID), a.Generation, string(a.facts.Session))
	if err == nil && how != coord.StandingRevoked {
		err = t.freeReservations(a.ID)
	}
	if err != nil {
		return err
	}
	return t.change("UPDATE tasks SET attempt = NULL WHERE id = ? AND attempt = ? AND generation = ? AND lifecycle = 'open'",
		string(a.Task), string(a.ID), a.Generation)
}

// expireNow puts the end of a lease so far back that the grace is over too.
func (t *tx) expireNow(a attemptRow, reason string) error {
	p, err := t.project(a.project)
	if err != nil {
		return err
	}
	over := nanos(t.now.Add(-time.Duration(p.Policy.RecoveryGrace)))
	return t.change("UPDATE attempts SET expires_at = min(expires_at, ?), end_reason = ? WHERE id = ? AND generation = ? AND session = ? AND ended IS NULL",
		over, reason, string(a.ID), a.Generation, string(a.facts.Session))
}
