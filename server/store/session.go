package store

import (
	"context"
	"crypto/subtle"

	"coord"
)

// OpenSession records a session under the caller's credential. The same
// verifier again changes nothing; another one, or another principal's
// session, is CodeSessionUnknown.
func (s *service) OpenSession(ctx context.Context, c coord.OpenSession) (coord.Session, error) {
	if err := s.need(coord.RoleAgent); err != nil {
		return coord.Session{}, err
	}
	if err := c.Validate(); err != nil {
		return coord.Session{}, err
	}
	var out coord.Session
	err := s.writer.do(ctx, s.caller, func(t *tx) (err error) {
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
		if have.principal != t.caller.Principal || !sameVerifier(have.verifier, c.Verifier) {
			return coord.Session{}, coord.Errorf(coord.CodeSessionUnknown, "a session of this id was opened with another proof; nothing was changed")
		}
		return have.Session, nil
	}
	err = t.change("INSERT INTO sessions (id, principal, verifier, name, machine, opened_at) VALUES (?, ?, ?, ?, ?, ?)",
		string(c.ID), string(t.caller.Principal), c.Verifier, c.Name, c.Machine, nanos(t.now))
	if err != nil {
		return coord.Session{}, err
	}
	err = t.record(coord.Event{Kind: coord.EventSessionOpened, Actor: c.Name, Text: "session " + c.Name + " opened on " + c.Machine})
	return coord.Session{ID: c.ID, Name: c.Name, Machine: c.Machine, OpenedAt: t.now}, err
}

// openedSession is a session with what proves it.
type openedSession struct {
	coord.Session
	principal coord.PrincipalID
	verifier  string
}

func (v *view) session(id coord.SessionID) (openedSession, bool, error) {
	return one(v, func(r scanner) (x openedSession, err error) {
		var at int64
		err = r.Scan(&x.ID, &x.principal, &x.verifier, &x.Name, &x.Machine, &at)
		x.OpenedAt = instant(at)
		return x, err
	}, "SELECT id, principal, verifier, name, machine, opened_at FROM sessions WHERE id = ?", string(id))
}

func sameVerifier(a, b string) bool {
	return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1
}

// VerifySession returns the caller with the session, or CodeSessionUnknown
// when the principal did not open it or the proof is wrong.
func (s *Store) VerifySession(ctx context.Context, c coord.Caller, id coord.SessionID, proof string) (coord.Caller, error) {
	var have openedSession
	err := s.look(ctx, func(v *view) (err error) {
		have, _, err = v.session(id) // an unknown one has no verifier and fails below
		return err
	})
	if err != nil {
		return coord.Caller{}, err
	}
	if !sameVerifier(have.verifier, coord.SessionVerifier(proof)) || have.principal != c.Principal {
		return coord.Caller{}, coord.Errorf(coord.CodeSessionUnknown, "the session was never opened here under this credential, or its proof is wrong")
	}
	c.Session, c.Name = have.ID, have.Name
	return c, nil
}

// Whoami says who the server takes the caller for.
func (s *service) Whoami(context.Context) (coord.Caller, error) { return s.caller, nil }
