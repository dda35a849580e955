package store

import (
	"coord"
)

// mayRead refuses the roles that see nothing of a project's work.
func (s *service) mayRead() error {
	return s.need(coord.RoleAgent, coord.RoleOperator)
}

func (s *service) need(roles ...coord.Role) error {
	for _, r := range roles {
		if s.caller.Role == r {
			return nil
		}
	}
	return coord.Errorf(coord.CodeNotPermitted, "a credential of role %q may not do this; nothing was changed", string(s.caller.Role)).WithActor(string(roles[len(roles)-1]))
}

// mayWork refuses callers that hold no session of an agent.
func (s *service) mayWork() error {
	if err := s.need(coord.RoleAgent); err != nil {
		return err
	}
	if s.caller.Session == "" {
		return coord.Errorf(coord.CodeSessionUnknown, "this needs a session, and the request names none; nothing was changed")
	}
	return nil
}

// checkSession checks, inside the transaction, that the caller's credential
// still counts and, where a session is needed, that it is open under that
// credential. It takes the session's name for the record. What was proved
// before the transaction may have been revoked while it waited for its turn.
func (t *tx) checkSession(needSession bool) error {
	if err := t.checkCredential(); err != nil || !needSession {
		return err
	}
	s, found, err := t.session(t.caller.Session)
	if err != nil {
		return err
	}
	if !found || s.principal != t.caller.Principal {
		return errSessionUnknown()
	}
	if s.ClosedAt != nil {
		return s.closed()
	}
	t.caller.Name = s.Name
	return t.noteSeen(s)
}

// checkCredential refuses a token that was revoked or has expired, and a
// person who was disabled. A caller without a token was proved by other means.
func (t *tx) checkCredential() error {
	if t.caller.Token != "" {
		k, err := t.token(t.caller.Token)
		if coord.CodeOf(err) == coord.CodeNotFound || err == nil && !k.Valid(t.now) {
			return errCredential()
		}
		return err
	}
	if t.caller.Role == coord.RoleOperator {
		return t.enabled(string(t.caller.Principal))
	}
	return nil
}

// enabled refuses an operator who was disabled.
func (t *tx) enabled(name string) error {
	disabled, err := t.get([]any{new(int64)}, "SELECT 1 FROM operators WHERE name = ? AND disabled_at IS NOT NULL", name)
	if err == nil && disabled {
		err = errCredential()
	}
	return err
}
