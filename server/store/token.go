package store

import (
	"context"

	"coord"
)

// IssueToken makes a credential for an agent or for set-up. The secret is
// returned once; only its hash is stored.
func (s *Store) IssueToken(ctx context.Context, principal coord.PrincipalID, role coord.Role, label string) (secret string, err error) {
	if principal == "" {
		return "", coord.Errorf(coord.CodeBadRequest, "a token belongs to a principal")
	}
	if err := checkProse("label", label, 200); err != nil {
		return "", err
	}
	if secret, err = coord.NewToken(role, s.opt.Random); err != nil {
		return "", err
	}
	err = s.writer.do(ctx, coord.Caller{}, func(t *tx) error {
		return t.change("INSERT INTO tokens (verifier, principal, role, label, created_at) VALUES (?, ?, ?, ?, ?)",
			coord.TokenVerifier(secret), string(principal), string(role), label, nanos(t.now))
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// Authenticate returns the caller that a token belongs to. A malformed one
// costs no look-up; every failure reads the same.
func (s *Store) Authenticate(ctx context.Context, token string) (coord.Caller, error) {
	if err := coord.CheckToken(token); err != nil {
		return coord.Caller{}, err
	}
	var c coord.Caller
	err := s.look(ctx, func(v *view) error {
		// The look-up is by the hash of a secret of 190 bits, so its timing
		// tells nothing about the secret.
		found, err := v.get([]any{&c.Principal, &c.Role}, "SELECT principal, role FROM tokens WHERE verifier = ?", coord.TokenVerifier(token))
		if err == nil && !found {
			err = coord.Errorf(coord.CodeUnauthenticated, "the credential is not valid")
		}
		return err
	})
	if err != nil {
		return coord.Caller{}, err
	}
	c.Name = string(c.Principal)
	return c, nil
}
