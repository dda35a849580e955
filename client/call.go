package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"coord"
)

// sessionUse says what a call does with the client's session.
type sessionUse int

const (
	sessionNone   sessionUse = iota // not sent
	sessionIfOpen                   // sent when the server knows it already
	sessionNeeded                   // opened first when the server does not know it; all that has an effect is attributed
)

// call is one request of the API, before a key and a body are fixed.
type call struct {
	path    string // below /api/v1, with its values escaped
	query   url.Values
	session sessionUse
	key     coord.Key // of a mutation; empty: the journal makes one
}

// at joins path segments and escapes each.
func at(segments ...string) string {
	path := ""
	for _, s := range segments {
		path += "/" + url.PathEscape(s)
	}
	return path
}

// get reads a resource.
func get[T any](ctx context.Context, c *Client, q call) (T, error) {
	var out T
	a := c.deliver(ctx, request{Method: http.MethodGet, Path: q.path, query: q.query, Session: q.session})
	return out, a.into(&out)
}

// ask posts a body that needs no key: it has no effect, or the same one each
// time.
func ask[T any](ctx context.Context, c *Client, q call, body any) (T, error) {
	var out T
	b, err := json.Marshal(body)
	if err != nil {
		return out, coord.Errorf(coord.CodeInternal, "writing the request: %w", err)
	}
	a := c.deliver(ctx, request{Method: http.MethodPost, Path: q.path, Session: q.session, Body: b})
	return out, a.into(&out)
}

// mutate posts a command that has one effect under one key.
func mutate[T any](ctx context.Context, c *Client, q call, body any) (T, error) {
	var out T
	b, err := json.Marshal(body)
	if err != nil {
		return out, coord.Errorf(coord.CodeInternal, "writing the request: %w", err)
	}
	a := c.commit(ctx, request{Method: http.MethodPost, Path: q.path, Session: q.session, Body: b, Key: q.key})
	return out, a.into(&out)
}

// items is how the API wraps a list that has no pages.
type items[T any] struct {
	Items []T `json:"items"`
}
