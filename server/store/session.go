package store

import (
	"context"
	"crypto/subtle"
	"database/sql"

	"coord"
)

// OpenSession records a session under the caller's credential. The same
// verifier again changes nothing; another one is CodeSessionInUse. Another
// principal's session and a closed one are CodeSessionUnknown.
func (s *service) OpenSession(ctx context.Context, c coord.OpenSession) (coord.Session, error) {
	if err := s.need(coord.RoleAgent); err != nil {
		return coord.Session{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Session{}, err
	}
	var out coord.Session
	err := s.writer.do(ctx, s.caller, func(t *tx) (err error) {
		if err := t.checkSession(false); err != nil {
			return err
		}
		out, err = t.openSession(c)
		return err
	})
	return out, err
}

func (t *tx) openSession(c coord.OpenSession) (coord.Session, error) {
	have, found, err := t.session(c.ID)
	if err != nil {
		return coord.Session{}, err
	}
	if found {
		return have.Session, have.provedBy(t.caller.Principal, c.Verifier)
	}
	out := coord.Session{ID: c.ID, Name: c.Name, Machine: c.Machine, Parent: c.Parent, OpenedAt: t.now}
	if out.Capabilities, err = coord.CanonicalCapabilities(c.Capabilities); err != nil {
		return coord.Session{}, err
	}
	if err := t.checkParent(c.Parent); err != nil {
		return coord.Session{}, err
	}
	err = t.change("INSERT INTO sessions (id, principal, verifier, name, machine, parent, capabilities, opened_at, seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		string(c.ID), string(t.caller.Principal), c.Verifier, c.Name, c.Machine, orNull(string(c.Parent)), toJSON(out.Capabilities), nanos(t.now), nanos(t.now))
	if err != nil {
		return coord.Session{}, err
	}
	return out, t.record(coord.Event{Kind: coord.EventSessionOpened, Actor: c.Name, Text: "session " + c.Name + " opened on " + c.Machine})
}

// checkParent refuses a parent that is not a session of the caller's
// principal. A closed one is good: descent is history.
func (t *tx) checkParent(id coord.SessionID) error {
	if id == "" {
		return nil
	}
	p, found, err := t.session(id)
	if err == nil && (!found || p.principal != t.caller.Principal) {
		err = coord.Errorf(coord.CodeNotFound, "the parent is not a session under this credential; nothing was changed")
	}
	return err
}

// openedSession is a session with what proves it.
type openedSession struct {
	coord.Session
	principal coord.PrincipalID
	verifier  string
	seen      int64
	reason    string // why it was closed
}

func (v *view) session(id coord.SessionID) (openedSession, bool, error) {
	return one(v, scanSession, "SELECT "+sessionColumns+" FROM sessions s WHERE s.id = ?", string(id))
}

const sessionColumns = "s.id, s.principal, s.verifier, s.name, s.machine, s.parent, s.capabilities, s.opened_at, s.seen_at, s.closed_at, s.close_reason"

func scanSession(r scanner) (x openedSession, err error) {
	var opened int64
	var parent sql.NullString
	var closed sql.NullInt64
	var capabilities string
	err = r.Scan(&x.ID, &x.principal, &x.verifier, &x.Name, &x.Machine, &parent, &capabilities, &opened, &x.seen, &closed, &x.reason)
	if err != nil {
		return x, err
	}
	x.Parent, x.OpenedAt, x.ClosedAt = coord.SessionID(parent.String), instant(opened), instantOrNil(closed)
	return x, fromJSON(capabilities, &x.Capabilities)
}

func sameVerifier(a, b string) bool {
	return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

func errSessionUnknown() *coord.Error {
	return coord.Errorf(coord.CodeSessionUnknown, "the session was never opened here under this credential; nothing was changed")
}

// provedBy refuses another principal in the same words as an unknown session,
// so that nobody learns which ids exist; another proof under the same
// principal; and a session that was closed.
func (x openedSession) provedBy(principal coord.PrincipalID, verifier string) error {
	same := sameVerifier(x.verifier, verifier) // always compared: no early exit
	switch {
	case x.principal != principal || x.ID == "":
		return errSessionUnknown()
	case !same:
		return coord.Errorf(coord.CodeSessionInUse, "a session of this id is in use with another proof, which only the process that opened it has; nothing was changed").
			WithNext("COORD_SESSION=another coord status")
	case x.ClosedAt != nil:
		return x.closed()
	}
	return nil
}

// closed is what the owner of a closed session is told.
func (x openedSession) closed() error {
	why := ""
	if x.reason != "" {
		why = ": " + coord.OneLine(x.reason)
	}
	return coord.Errorf(coord.CodeSessionUnknown, "the session %s was closed%s; nothing was changed", x.Name, why).WithDetail("closed", "true")
}

// VerifySession returns the caller with the session, or the refusal of
// provedBy. A change asks again in its own transaction.
func (s *Store) VerifySession(ctx context.Context, c coord.Caller, id coord.SessionID, proof string) (coord.Caller, error) {
	var have openedSession
	err := s.look(ctx, func(v *view) (err error) {
		have, _, err = v.session(id)
		return err
	})
	if err != nil {
		return coord.Caller{}, err
	}
	if err := have.provedBy(c.Principal, coord.SessionVerifier(proof)); err != nil {
		return coord.Caller{}, err
	}
	c.Session, c.Name = have.ID, have.Name
	return c, nil
}

// noteSeen writes down that a session changed something just now, at most
// once a minute and on the way of that change. It is no event.
func (t *tx) noteSeen(x openedSession) error {
	if t.now.Sub(instant(x.seen)) < tokenNote {
		return nil
	}
	return t.change("UPDATE sessions SET seen_at = ? WHERE id = ? AND closed_at IS NULL AND seen_at < ?", nanos(t.now), string(x.ID), nanos(t.now))
}

// Whoami says who the server takes the caller for.
func (s *service) Whoami(context.Context) (coord.Caller, error) { return s.caller, nil }

// ListSessions returns the open sessions, last seen first: an agent those of
// its principal, an operator all.
func (s *service) ListSessions(ctx context.Context) ([]coord.SessionRecord, error) {
	if err := s.mayRead(); err != nil {
		return nil, err
	}
	return reading(ctx, s.Store, func(v *view) ([]coord.SessionRecord, error) {
		open := "SELECT " + sessionColumns + " FROM sessions s WHERE s.closed_at IS NULL AND (? OR s.principal = ?) ORDER BY s.seen_at DESC, s.id LIMIT 200"
		rows, err := list(v, scanSession, open, s.caller.Role == coord.RoleOperator, string(s.caller.Principal))
		if err != nil {
			return nil, err
		}
		out := make([]coord.SessionRecord, 0, len(rows))
		for _, x := range rows {
			r, err := v.sessionRecord(x)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
		return out, nil
	})
}

func (v *view) sessionRecord(x openedSession) (coord.SessionRecord, error) {
	holds, err := list(v, scanText[coord.AttemptID], "SELECT id FROM attempts WHERE session = ? AND ended IS NULL ORDER BY started_at, id", string(x.ID))
	return coord.SessionRecord{
		ID: x.ID.Short(), Name: x.Name, Machine: x.Machine, Principal: x.principal, Parent: x.Parent.Short(), Capabilities: x.Capabilities,
		OpenedAt: x.OpenedAt, SeenAt: instant(x.seen), Attempts: holds,
	}, err
}
