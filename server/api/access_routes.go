package api

import (
	"context"
	"net/http"

	"coord"
)

// own stands for the caller's own session in a path. No session id is as
// short.
const own = "own"

func accessRoutes() []route {
	rows := []route{
		command("/tokens", "issue-token", "Issue a token for an agent or for set-up", operators, serve(issueToken)),
		read("/tokens", "list-tokens", "The tokens, without their secrets", operators, serve(listTokens)),
		command("/tokens/{token}/revocations", "revoke-token", "End a token, and what rests on it", operators, serve(revokeToken)),
		command("/tokens/{token}/rotations", "rotate-token", "Replace a token by a new one of the same principal", operators, serve(rotateToken)),
	}
	for i := range rows {
		rows[i].session = sessionIgnored
	}
	return append(rows,
		read("/sessions", "list-sessions", "The open sessions: to an agent its principal's, to an operator all", readers, serve(listSessions)),
		command("/sessions/{session}/closures", "close-session", "Close a session for good and end its attempts: the caller's own, or any by an operator", readers, serve(closeSession)),
		loginRoute(),
	)
}

// tokenCommand is a command C about a token.
type tokenCommand[C any] struct {
	Token coord.TokenID `path:"token" doc:"Such as tok7."`
	Body  C
}

func issueToken(ctx context.Context, s coord.Service, key coord.Key, in *struct{ Body coord.IssueToken }) (coord.IssuedToken, error) {
	c := in.Body
	c.Key = key
	return s.IssueToken(ctx, c)
}

func listTokens(ctx context.Context, s coord.Service, _ coord.Key, _ *nothing) (list[coord.Token], error) {
	return listOf(s.ListTokens(ctx))
}

func revokeToken(ctx context.Context, s coord.Service, key coord.Key, in *tokenCommand[coord.RevokeToken]) (coord.Token, error) {
	c := in.Body
	c.Key, c.ID = key, in.Token
	return s.RevokeToken(ctx, c)
}

func rotateToken(ctx context.Context, s coord.Service, key coord.Key, in *tokenCommand[coord.RotateToken]) (coord.IssuedToken, error) {
	c := in.Body
	c.Key, c.ID = key, in.Token
	return s.RotateToken(ctx, c)
}

func listSessions(ctx context.Context, s coord.Service, _ coord.Key, _ *nothing) (list[coord.SessionRecord], error) {
	return listOf(s.ListSessions(ctx))
}

// sessionCommand is a command C about a session.
type sessionCommand[C any] struct {
	Session coord.SessionID `path:"session" doc:"As the list shows it, or own."`
	Body    C
}

func closeSession(ctx context.Context, s coord.Service, key coord.Key, in *sessionCommand[coord.CloseSession]) (coord.SessionRecord, error) {
	c := in.Body
	c.Key = key
	if in.Session != own {
		c.Session = in.Session
	}
	return s.CloseSession(ctx, c)
}

// isPublic reports a request for a route that needs no credential.
func (s *service) isPublic(r *http.Request, path string) bool { return s.public[r.Method+" "+path] }

// publicRoutes are the routes that need no credential, by method and path.
// None has a value in its path.
func publicRoutes() map[string]bool {
	out := map[string]bool{}
	for _, rt := range routes() {
		if rt.public {
			out[rt.method+" "+rt.pattern] = true
		}
	}
	return out
}
