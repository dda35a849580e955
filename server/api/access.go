package api

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"coord"
)

// Unauthenticated writes the one answer to whoever has no valid credential.
// It is the same bytes for every path, existing or not, and says nothing about
// what is here: no version, no id, no count.
func Unauthenticated(w http.ResponseWriter) {
	protect(w.Header())
	w.Header().Set("WWW-Authenticate", `Bearer realm="coord"`)
	e := coord.Errorf(coord.CodeUnauthenticated, "this is a coord server, where coding agents share the work of a repository; a person who runs it must give you access first: see /setup-help").
		WithActor("operator").WithNext("coord doctor")
	write(w, newProblem(http.StatusUnauthorized, e, ""))
}

// authenticate lets only valid bearer tokens pass, whatever the path.
func (s *service) authenticate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := exchangeOf(r.Context())
		if s.isPublic(r, chi.RouteContext(r.Context()).RoutePath) {
			next.ServeHTTP(w, r)
			return
		}
		token, ok := bearer(r)
		if place, last := exposed(r); place != "" {
			s.log.Warn("a token was sent where it is logged and kept, so others may have it", slog.String("request", x.id), slog.String("place", place), slog.String("token", "…"+last))
			ok = false
		}
		if !ok || coord.CheckToken(token) != nil {
			x.code = coord.CodeUnauthenticated
			Unauthenticated(w)
			return
		}
		caller, err := s.backend.Authenticate(r.Context(), token)
		if coord.CodeOf(err) == coord.CodeUnauthenticated {
			x.code = coord.CodeUnauthenticated
			Unauthenticated(w)
			return
		}
		if err != nil {
			refuse(w, r, err)
			return
		}
		x.token, x.caller, x.service = token, caller, s.backend.As(caller)
		w.Header().Set("Coord-Version", s.version)
		w.Header().Set(epochHeader, strconv.FormatInt(s.backend.Epoch(), 10))
		next.ServeHTTP(w, r)
	})
}

// recheck asks again whether the credential of a long exchange is good.
func (x *exchange) recheck(ctx context.Context) error {
	_, err := x.authenticate(ctx, x.token)
	return err
}

// bearer is the token of the one Authorization header (RFC 6750, 2.1).
func bearer(r *http.Request) (string, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	return token, ok && strings.EqualFold(scheme, "Bearer")
}

// exposed finds a token in a query, a cookie or Basic credentials: such a
// request is refused even beside a good header, and the token's last
// characters are reported.
func exposed(r *http.Request) (place, last string) {
	var candidates []string
	for _, values := range r.URL.Query() {
		candidates = append(candidates, values...)
	}
	inQuery := len(candidates)
	for _, c := range r.Cookies() {
		candidates = append(candidates, c.Value)
	}
	inCookies := len(candidates)
	if user, password, ok := r.BasicAuth(); ok {
		candidates = append(candidates, user, password)
	}
	i := slices.IndexFunc(candidates, func(s string) bool { return coord.CheckToken(s) == nil })
	switch {
	case i < 0:
		return "", ""
	case i < inQuery:
		place = "query"
	case i < inCookies:
		place = "cookie"
	default:
		place = "basic"
	}
	return place, candidates[i][len(candidates[i])-4:]
}

// epochHeader carries the server's epoch in every answer to a caller that is
// known, and in a request the epoch that its sender composed it under.
const epochHeader = "Coord-Epoch"

// sameEpoch refuses a request that states another epoch than the server's: its
// key may be one that the server knew before a restore. One that states none
// is not held to it.
func (s *service) sameEpoch(r *http.Request) error {
	values := r.Header.Values(epochHeader)
	if len(values) == 0 {
		return nil
	}
	stated, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil || len(values) != 1 || stated < 1 {
		return coord.Errorf(coord.CodeBadRequest, "the Coord-Epoch header is not the number that an answer of this server carried; nothing was changed")
	}
	if current := s.backend.Epoch(); stated != current {
		return coord.EpochChanged(stated, current)
	}
	return nil
}

// guard holds a route's row of the table against the request: pace, epoch,
// role, session, key and body, in this order.
func (s *service) guard(rt route) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humachi.Unwrap(ctx)
		x := exchangeOf(r.Context())
		if err := s.admit(rt, r, x); err != nil {
			refuse(w, r, err)
			return
		}
		if rt.limit > 0 {
			if status, e := strictBody(w, r, rt.limit); e != nil {
				writeProblem(w, x, status, e)
				return
			}
		}
		next(ctx)
	}
}

// admit lets in who may use the route, and nobody who comes too often, whether
// or not it would be let in.
func (s *service) admit(rt route, r *http.Request, x *exchange) error {
	if rt.public {
		return nil
	}
	refusal := s.entitle(rt, r, x)
	if err := s.keepPace(rt, x); err != nil {
		return err
	}
	return refusal
}

func (s *service) entitle(rt route, r *http.Request, x *exchange) error {
	if err := s.sameEpoch(r); err != nil {
		return err
	}
	if !slices.Contains(rt.roles, x.caller.Role) {
		return coord.Errorf(coord.CodeNotPermitted, "a credential with the role %q may not do this; nothing was changed", string(x.caller.Role)).
			WithActor(string(rt.roles[0]))
	}
	if err := s.bindSession(rt.session, r, x); err != nil {
		return err
	}
	if !rt.keyed {
		return nil
	}
	keys := r.Header.Values("Idempotency-Key")
	if len(keys) != 1 {
		return coord.Errorf(coord.CodeBadRequest, "this needs exactly one Idempotency-Key header, of 16 to 128 of A-Z a-z 0-9 _ -; nothing was changed")
	}
	x.key = coord.Key(keys[0])
	return x.key.Validate()
}

// bindSession makes the caller one with its session, as far as the route asks
// for it.
func (s *service) bindSession(use sessionUse, r *http.Request, x *exchange) error {
	values := r.Header.Values("Coord-Session")
	switch {
	case use == sessionIgnored || use == sessionOptional && len(values) == 0:
		return nil
	case len(values) != 1:
		return coord.Errorf(coord.CodeSessionUnknown, "this needs a session in exactly one Coord-Session header; nothing was changed")
	}
	id, proof, err := coord.ParseSessionHeader(values[0])
	if err != nil {
		return err
	}
	caller, err := s.backend.VerifySession(r.Context(), x.caller, id, proof)
	if err != nil {
		return err
	}
	x.caller, x.service = caller, s.backend.As(caller)
	return nil
}
