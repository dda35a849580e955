// Package api is coord.Service as JSON over HTTP: typed operations, one table
// of routes with who may use them, bearer tokens, strict bodies, problem
// documents, and the event stream. It knows no storage: what it serves is a
// Backend.
package api

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"coord"
)

// Backend is what the API needs of the store. Errors are *coord.Error; any
// other is reported as internal, its text only in the log.
type Backend interface {
	// As returns the service for a caller that Authenticate and, with a
	// session, VerifySession returned. The API owns the values that its
	// methods return.
	As(caller coord.Caller) coord.Service
	// Authenticate returns who a well-formed token belongs to, or
	// CodeUnauthenticated for one that is not known or does not count any more.
	Authenticate(ctx context.Context, token string) (coord.Caller, error)
	// VerifySession returns the caller with its session, or
	// CodeSessionUnknown.
	VerifySession(ctx context.Context, caller coord.Caller, id coord.SessionID, proof string) (coord.Caller, error)
	// SignIn checks an operator's password and returns a token for the
	// person's command line. A wrong password and an unknown name cost the
	// same, and both are CodeUnauthenticated.
	SignIn(ctx context.Context, name, password string) (coord.IssuedToken, error)
	// Epoch is the epoch of the fences that the backend hands out. It changes
	// only by restore.
	Epoch() int64
	// Ready reports why the backend cannot serve, or nil.
	Ready(ctx context.Context) error
}

// Options configure the API. Backend and Now are required; without a Log
// nothing is logged, and without a Throttle nobody signs in.
type Options struct {
	Backend  Backend
	Log      *slog.Logger
	Version  string           // of the server, told to authenticated callers as Coord-Version
	Now      func() time.Time // for durations in the log
	Throttle Throttle         // of passwords, shared with the dashboard
	Requests Pace             // of one session, or of one credential without one
	Renewals Pace             // of one session's leases
}

type service struct {
	backend  Backend
	log      *slog.Logger
	version  string
	now      func() time.Time
	throttle Throttle
	requests *pacer
	renewals *pacer
	public   map[string]bool
}

// New returns the handler of everything below /api/v1, to be mounted there on
// a chi router.
func New(o Options) http.Handler {
	s := &service{backend: o.Backend, log: o.Log, version: o.Version, now: o.Now, throttle: o.Throttle, public: publicRoutes(), requests: newPacer(o.Requests), renewals: newPacer(o.Renewals)}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	r := chi.NewRouter()
	r.Use(s.observe, s.authenticate)
	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, coord.Errorf(coord.CodeNotFound, "there is nothing at this path; nothing was changed"))
	})
	r.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		e := coord.Errorf(coord.CodeBadRequest, "this path does not answer to %s; nothing was changed", coord.OneLine(r.Method))
		writeProblem(w, exchangeOf(r.Context()), http.StatusMethodNotAllowed, e)
	})
	s.mount(r)
	return r
}

// mount builds the router from the table of routes.
func (s *service) mount(r chi.Router) huma.API {
	a := humachi.New(r, configuration())
	for _, rt := range routes() {
		op := rt.operation()
		op.Middlewares = huma.Middlewares{s.guard(rt)}
		rt.register(a, op)
	}
	return a
}

// configuration is huma's, without its own routes: the OpenAPI document would
// be served past authentication, and pages belong to the dashboard.
func configuration() huma.Config {
	c := huma.DefaultConfig("coord", "1")
	c.Info.Description = "Work of autonomous agents on shared repositories: tasks, ownership, evidence, landings."
	c.Servers = []*huma.Server{{URL: "/api/v1"}}
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil
	c.RejectUnknownQueryParameters = true
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token":   {Type: "http", Scheme: "bearer", Description: "A token of an agent, an operator or for set-up; nowhere else than in this header."},
		"session": {Type: "apiKey", In: "header", Name: "Coord-Session", Description: "id.proof of a session that was opened with POST /sessions."},
	}
	return c
}

// OpenAPI is the OpenAPI 3.1 document of the API, in YAML. It is the same for
// every server of a version and is not served.
func OpenAPI() ([]byte, error) {
	s := &service{}
	return s.mount(chi.NewRouter()).OpenAPI().YAML()
}
