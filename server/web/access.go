package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"

	"coord"
)

// cookieName carries the login. The __Host- prefix makes browsers insist on
// Secure, Path=/ and no Domain, so no sibling host can plant one. Browsers
// take it on plain-HTTP loopback too, which they count as trustworthy.
const cookieName = "__Host-coord"

// maxForm bounds the body of every request, in bytes.
const maxForm = 8 << 10

// visit is one request on its way through.
type visit struct {
	w      http.ResponseWriter
	r      *http.Request
	caller coord.Caller // zero while nobody signed in
}

func (v *visit) ctx() context.Context { return v.r.Context() }

func (s *site) service(v *visit) coord.Service { return s.Backend.As(v.caller) }

// handle guards an action: who may use it, where the request comes from, how
// large it is. Without a valid login every operator route, known or not,
// gives one and the same 401.
func (s *site) handle(a access, do action) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := &visit{w: w, r: r}
		defer s.recoverTo(v)
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := s.enter(v, a); err != nil {
			s.fail(v, err)
			return
		}
		s.fail(v, do(s, v))
	}
}

// enter checks the login first, so that strangers learn nothing from the
// order of refusals.
func (s *site) enter(v *visit, a access) error {
	if a == operator {
		caller, err := s.signedIn(v.r)
		if err != nil {
			return err
		}
		v.caller = caller
	}
	return s.sameOrigin(v.r)
}

var errSignedOut = coord.Errorf(coord.CodeUnauthenticated, "nobody is signed in")

func (s *site) signedIn(r *http.Request) (coord.Caller, error) {
	token := sessionToken(r)
	if token == "" {
		return coord.Caller{}, errSignedOut
	}
	caller, err := s.Backend.WebSession(r.Context(), token)
	if err == nil && caller.Role != coord.RoleOperator {
		return coord.Caller{}, errSignedOut
	}
	return caller, err
}

func sessionToken(r *http.Request) string {
	c, err := r.Cookie(cookieName)
	if err != nil || len(c.Value) > 256 {
		return ""
	}
	return c.Value
}

// sameOrigin refuses unsafe requests from other sites. The standard library
// lets a request without Sec-Fetch-Site and Origin pass, as no browser's;
// people use browsers here, so it is refused as well.
func (s *site) sameOrigin(r *http.Request) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	err := s.origin.Check(r)
	if err == nil && r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "" {
		err = errors.New("neither Sec-Fetch-Site nor Origin is present")
	}
	if err != nil {
		s.Log.Warn("cross-origin request refused", "path", r.URL.Path, "reason", err.Error())
		return coord.Errorf(coord.CodeNotPermitted, "The request did not come from a page of this dashboard. Nothing was changed.")
	}
	return nil
}

// recoverTo turns a panic into the error page.
func (s *site) recoverTo(v *visit) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler {
			panic(p)
		}
		s.fail(v, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
}
