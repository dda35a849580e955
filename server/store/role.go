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

// checkSession checks, inside the transaction, that the session was opened under
// the caller's credential, and takes its name for the record.
func (t *tx) checkSession(needSession bool) error {
	if !needSession {
		return nil
	}
	var principal, name string
	found, err := t.get([]any{&principal, &name}, "SELECT principal, name FROM sessions WHERE id = ?", string(t.caller.Session))
	if err != nil {
		return err
	}
	if !found || principal != string(t.caller.Principal) {
		return coord.Errorf(coord.CodeSessionUnknown, "the session was never opened here under this credential; nothing was changed")
	}
	t.caller.Name = name
	return nil
}
