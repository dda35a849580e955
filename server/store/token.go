package store

import (
	"cmp"
	"context"
	"database/sql"
	"time"

	"coord"
)

// tokenNote is how often the use of a token or a session is noted at most, so
// that being used writes little.
const tokenNote = time.Minute

// operatorTokenAge is how long a person's command line stays signed in.
const operatorTokenAge = 12 * time.Hour

const tokenColumns = "id, principal, role, label, tail, created_by, created_at, last_used_at, expires_at, revoked_at, revoke_reason"

func scanToken(r scanner) (k coord.Token, err error) {
	var id, created int64
	var tail string
	var used, expires, revoked sql.NullInt64
	err = r.Scan(&id, &k.Principal, &k.Role, &k.Label, &tail, &k.CreatedBy, &created, &used, &expires, &revoked, &k.RevokeReason)
	k.ID, k.Masked, k.CreatedAt = coord.NewTokenID(id), coord.MaskToken(k.Role, tail), instant(created)
	k.LastUsedAt, k.ExpiresAt, k.RevokedAt = instantOrNil(used), instantOrNil(expires), instantOrNil(revoked)
	return k, err
}

// token reads one token, or returns CodeNotFound.
func (v *view) token(id coord.TokenID) (coord.Token, error) {
	n, err := id.Number()
	if err != nil {
		return coord.Token{}, err
	}
	k, found, err := one(v, scanToken, "SELECT "+tokenColumns+" FROM tokens WHERE id = ?", n)
	if err == nil && !found {
		err = coord.Errorf(coord.CodeNotFound, "there is no token %s; nothing was changed", id).WithNext("coord token list")
	}
	return k, err
}

// IssueToken makes a credential for an agent or for set-up, on the server's
// host. The secret is returned once; only its hash is stored.
func (s *Store) IssueToken(ctx context.Context, principal coord.PrincipalID, role coord.Role, label string) (secret string, err error) {
	if principal == "" {
		return "", coord.Errorf(coord.CodeBadRequest, "a token belongs to a principal")
	}
	if err := checkProse("label", label, 200); err != nil {
		return "", err
	}
	if role == coord.RoleOperator {
		return "", coord.Errorf(coord.CodeBadRequest, "an operator's token comes from signing in")
	}
	err = s.writer.do(ctx, coord.Caller{Name: "the server's host"}, func(t *tx) (err error) {
		_, secret, err = t.issue(coord.Token{Principal: principal, Role: role, Label: label})
		return err
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// issue makes the token that k describes.
func (t *tx) issue(k coord.Token) (coord.Token, string, error) {
	secret, err := coord.NewToken(k.Role, t.store.opt.Random)
	if err != nil {
		return k, "", err
	}
	var expires any
	if k.ExpiresAt != nil {
		expires = nanos(*k.ExpiresAt)
	}
	err = t.change("INSERT INTO tokens (verifier, principal, role, label, tail, created_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
		coord.TokenVerifier(secret), string(k.Principal), string(k.Role), k.Label, coord.TokenTail(secret), t.actor(), nanos(t.now), expires)
	if err != nil {
		return k, "", err
	}
	k, _, err = one(&t.view, scanToken, "SELECT "+tokenColumns+" FROM tokens WHERE verifier = ?", coord.TokenVerifier(secret))
	if err != nil {
		return k, "", err
	}
	return k, secret, t.recordToken(coord.EventTokenIssued, k.ID, "issued")
}

// recordToken logs what was done to a token. Agents read the log too, and it
// tells them no more than that.
func (t *tx) recordToken(kind coord.EventKind, id coord.TokenID, done string) error {
	return t.record(coord.Event{Kind: kind, Text: string(id) + " was " + done, Data: map[string]string{"token": string(id)}})
}

// IssueToken makes a token for an agent or for set-up. The secret is in the
// first answer alone: what is kept for a replay has none.
func (s *service) IssueToken(ctx context.Context, c coord.IssueToken) (coord.IssuedToken, error) {
	if err := cmp.Or(s.need(coord.RoleOperator), c.Validate()); err != nil {
		return coord.IssuedToken{}, err
	}
	return s.issuing(ctx, intent[coord.IssuedToken]{operation: "issue_token", key: c.Key, command: c}, func(t *tx) (coord.Token, string, error) {
		taken, err := t.get([]any{new(int64)}, "SELECT 1 FROM operators WHERE name = ?", string(c.Principal))
		if err != nil {
			return coord.Token{}, "", err
		}
		if taken { // a principal's keys are its own
			return coord.Token{}, "", coord.Errorf(coord.CodeStateConflict, "%q is an operator's name, and an agent goes by another; nothing was changed", string(c.Principal)).
				WithNext("coord token new --principal NAME --label LABEL")
		}
		return t.issue(coord.Token{Principal: c.Principal, Role: c.Role, Label: c.Label, ExpiresAt: expiry(t.now, time.Duration(c.TTL))})
	})
}

func expiry(now time.Time, ttl time.Duration) *time.Time {
	if ttl == 0 {
		return nil
	}
	at := now.Add(ttl)
	return &at
}

// issuing runs a command that makes a token. The secret stays out of what
// mutate keeps.
func (s *service) issuing(ctx context.Context, i intent[coord.IssuedToken], make func(*tx) (coord.Token, string, error)) (coord.IssuedToken, error) {
	fresh := ""
	i.current = func(t *tx, out *coord.IssuedToken) (err error) {
		out.Token, err = t.token(out.Token.ID)
		return err
	}
	out, err := mutate(ctx, s, i, func(t *tx) (out coord.IssuedToken, err error) {
		out.SecretShown = true // to whoever asks again
		out.Token, fresh, err = make(t)
		return out, err
	})
	if err == nil && fresh != "" {
		out.Secret, out.SecretShown = fresh, false
	}
	return out, err
}

// RotateToken replaces a valid token. The new one is there before the old one
// ends, so the principal's sessions go on.
func (s *service) RotateToken(ctx context.Context, c coord.RotateToken) (coord.IssuedToken, error) {
	if err := cmp.Or(s.need(coord.RoleOperator), c.Validate()); err != nil {
		return coord.IssuedToken{}, err
	}
	i := intent[coord.IssuedToken]{operation: "rotate_token", key: c.Key, ids: []string{string(c.ID)}, command: c}
	return s.issuing(ctx, i, func(t *tx) (coord.Token, string, error) { return t.rotate(c) })
}

func (t *tx) rotate(c coord.RotateToken) (coord.Token, string, error) {
	old, err := t.token(c.ID)
	if err != nil {
		return old, "", err
	}
	switch {
	case old.Role == coord.RoleOperator:
		return old, "", coord.Errorf(coord.CodeStateConflict, "%s is an operator's, who gets another by signing in; nothing was changed", old.ID).WithNext("coord login")
	case !old.Valid(t.now):
		return old, "", coord.Errorf(coord.CodeStateConflict, "%s is not valid any more; nothing was changed", old.ID).
			WithNext("coord token new --principal " + string(old.Principal) + " --label LABEL")
	}
	ttl := time.Duration(c.TTL)
	if ttl == 0 && old.ExpiresAt != nil {
		ttl = old.ExpiresAt.Sub(old.CreatedAt)
	}
	next, secret, err := t.issue(coord.Token{Principal: old.Principal, Role: old.Role, Label: old.Label, ExpiresAt: expiry(t.now, ttl)})
	if err != nil {
		return next, "", err
	}
	return next, secret, t.revokeToken(old, "replaced by "+string(next.ID))
}

// ListTokens returns the tokens, newest first.
func (s *service) ListTokens(ctx context.Context) ([]coord.Token, error) {
	if err := s.need(coord.RoleOperator); err != nil {
		return nil, err
	}
	return reading(ctx, s.Store, func(v *view) ([]coord.Token, error) {
		return list(v, scanToken, "SELECT "+tokenColumns+" FROM tokens ORDER BY id DESC LIMIT 1000")
	})
}

// SignIn checks an operator's password and gives the person's command line a
// token that is good for 12 hours.
func (s *Store) SignIn(ctx context.Context, name, password string) (coord.IssuedToken, error) {
	c, err := s.CheckPassword(ctx, name, password)
	if err != nil {
		return coord.IssuedToken{}, err
	}
	var out coord.IssuedToken
	err = s.writer.do(ctx, c, func(t *tx) (err error) {
		if err := t.enabled(name); err != nil {
			return err
		}
		out.Token, out.Secret, err = t.issue(coord.Token{Principal: c.Principal, Role: coord.RoleOperator, Label: "coord login", ExpiresAt: expiry(t.now, operatorTokenAge)})
		return err
	})
	if err != nil {
		return coord.IssuedToken{}, err
	}
	return out, nil
}

// errCredential is the one answer to a token that does not count, whatever
// the reason.
func errCredential() error {
	return coord.Errorf(coord.CodeUnauthenticated, "the credential is not valid")
}

// Authenticate returns the caller that a token belongs to. A malformed one
// costs no look-up; every failure reads the same. Nothing remembers the
// answer, and a change asks again in its own transaction (checkSession).
func (s *Store) Authenticate(ctx context.Context, token string) (coord.Caller, error) {
	if err := coord.CheckToken(token); err != nil {
		return coord.Caller{}, err
	}
	if coord.TokenRole(token) == coord.RoleReporter {
		return s.authenticateReporter(ctx, token)
	}
	var k coord.Token
	var now time.Time
	err := s.look(ctx, func(v *view) (err error) {
		// The look-up is by the hash of a secret of 190 bits, so its timing
		// tells nothing about the secret.
		found := false
		k, found, err = one(v, scanToken, "SELECT "+tokenColumns+" FROM tokens WHERE verifier = ?", coord.TokenVerifier(token))
		if now = v.now; err == nil && (!found || !k.Valid(now)) {
			err = errCredential()
		}
		return err
	})
	if err != nil {
		return coord.Caller{}, err
	}
	if k.LastUsedAt == nil || now.Sub(*k.LastUsedAt) >= tokenNote {
		s.noteUse(ctx, k.ID)
	}
	return coord.Caller{Principal: k.Principal, Role: k.Role, Name: string(k.Principal), Token: k.ID}, nil
}

// noteUse writes down that a token was used just now. It is no event, and that
// it could not be written keeps nobody out: reads go on when the disk is full.
func (s *Store) noteUse(ctx context.Context, id coord.TokenID) {
	n, err := id.Number()
	if err != nil {
		return
	}
	err = s.writer.do(ctx, coord.Caller{}, func(t *tx) error {
		_, err := t.exec("UPDATE tokens SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) < ?", nanos(t.now), n, nanos(t.now))
		return err
	})
	if err != nil {
		s.opt.Log.Warn("the use of a token was not noted", "token", string(id), "error", err)
	}
}
