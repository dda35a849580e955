package store

import (
	"context"
	"time"

	"coord"
)

// How long a web session lasts: in all, and without a request.
const (
	webSessionAge  = 12 * time.Hour
	webSessionIdle = 30 * time.Minute
	// A use is noted at most this often, so that reading pages writes little.
	webSessionNote = time.Minute
)

// OpenWebSession starts a browser session for an operator. Only a hash of the
// returned token is stored.
func (s *Store) OpenWebSession(ctx context.Context, c coord.Caller) (token string, err error) {
	if c.Role != coord.RoleOperator {
		return "", coord.Errorf(coord.CodeNotPermitted, "only an operator signs in to the dashboard").WithActor("operator")
	}
	if token, err = coord.RandomText(43, s.opt.Random); err != nil { // 256 bits
		return "", err
	}
	err = s.writer.do(ctx, c, func(t *tx) error {
		if err := t.enabled(string(c.Principal)); err != nil {
			return err
		}
		_, err := t.exec("DELETE FROM web_sessions WHERE opened_at <= ? OR used_at <= ?", nanos(t.now.Add(-webSessionAge)), nanos(t.now.Add(-webSessionIdle)))
		if err != nil {
			return err
		}
		return t.change("INSERT INTO web_sessions (verifier, operator, opened_at, used_at) VALUES (?, ?, ?, ?)",
			coord.TokenVerifier(token), string(c.Principal), nanos(t.now), nanos(t.now))
	})
	if err != nil {
		return "", err
	}
	return token, nil
}

// WebSession returns the operator of a session that has not ended: 12 hours
// after its start, or 30 minutes after its last use.
func (s *Store) WebSession(ctx context.Context, token string) (coord.Caller, error) {
	var name string
	var opened, used int64
	var stale bool
	err := s.look(ctx, func(v *view) error {
		found, err := v.get([]any{&name, &opened, &used}, "SELECT operator, opened_at, used_at FROM web_sessions WHERE verifier = ?", coord.TokenVerifier(token))
		if err != nil {
			return err
		}
		if !found || !v.now.Before(instant(opened).Add(webSessionAge)) || !v.now.Before(instant(used).Add(webSessionIdle)) {
			return coord.Errorf(coord.CodeUnauthenticated, "the session has ended; sign in again")
		}
		stale = v.now.Sub(instant(used)) >= webSessionNote
		return nil
	})
	if err == nil && stale {
		err = s.writer.do(ctx, coord.Caller{}, func(t *tx) error {
			_, err := t.exec("UPDATE web_sessions SET used_at = ? WHERE verifier = ? AND used_at < ?", nanos(t.now), coord.TokenVerifier(token), nanos(t.now))
			return err
		})
	}
	if err != nil {
		return coord.Caller{}, err
	}
	return operator(name), nil
}

// CloseWebSession ends a session. Ending it again changes nothing.
func (s *Store) CloseWebSession(ctx context.Context, token string) error {
	return s.writer.do(ctx, coord.Caller{}, func(t *tx) error {
		_, err := t.exec("DELETE FROM web_sessions WHERE verifier = ?", coord.TokenVerifier(token))
		return err
	})
}
