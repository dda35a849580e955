package client

import (
	"context"
	"errors"

	"coord"
)

// IssueToken implements coord.Access.
func (c *Client) IssueToken(ctx context.Context, cmd coord.IssueToken) (coord.IssuedToken, error) {
	return mutate[coord.IssuedToken](ctx, c, call{path: "/tokens", key: cmd.Key}, cmd)
}

// ListTokens implements coord.Access.
func (c *Client) ListTokens(ctx context.Context) ([]coord.Token, error) {
	list, err := get[items[coord.Token]](ctx, c, call{path: "/tokens"})
	return list.Items, err
}

// RevokeToken implements coord.Access.
func (c *Client) RevokeToken(ctx context.Context, cmd coord.RevokeToken) (coord.Token, error) {
	return mutate[coord.Token](ctx, c, call{path: at("tokens", string(cmd.ID), "revocations"), key: cmd.Key}, cmd)
}

// RotateToken implements coord.Access.
func (c *Client) RotateToken(ctx context.Context, cmd coord.RotateToken) (coord.IssuedToken, error) {
	return mutate[coord.IssuedToken](ctx, c, call{path: at("tokens", string(cmd.ID), "rotations"), key: cmd.Key}, cmd)
}

// ListSessions implements coord.Access.
func (c *Client) ListSessions(ctx context.Context) ([]coord.SessionRecord, error) {
	list, err := get[items[coord.SessionRecord]](ctx, c, call{path: "/sessions", session: sessionIfOpen})
	return list.Items, err
}

// CloseSession implements coord.Access.
func (c *Client) CloseSession(ctx context.Context, cmd coord.CloseSession) (coord.SessionRecord, error) {
	q := call{path: at("sessions", string(cmd.Session), "closures"), key: cmd.Key, session: sessionIfOpen}
	if cmd.Session == "" {
		q.path, q.session = at("sessions", "own", "closures"), sessionNeeded
	}
	return mutate[coord.SessionRecord](ctx, c, q, cmd)
}

// Login signs an operator in: it answers with a token for this person's
// command line. It carries a password, so it is not written down, and a lost
// answer costs no more than a token that nobody has.
func (c *Client) Login(ctx context.Context, name, password string) (coord.IssuedToken, error) {
	body := struct {
		Name     string `json:"name"`
		Password string `json:"password"`
	}{name, password}
	return ask[coord.IssuedToken](ctx, c, call{path: "/login"}, body)
}

// SessionClosed reports a refusal because the caller's session was closed. It
// is never opened again, so nothing that it sent has yet to be decided.
func SessionClosed(err error) bool {
	var e *coord.Error
	return errors.As(err, &e) && e.Code == coord.CodeSessionUnknown && e.Details["closed"] != ""
}
