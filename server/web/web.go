// Package web is the dashboard: pages that read coord.Service for a person
// who signed in with an operator's password. It changes nothing but its own
// login sessions.
//
// Read routes.go for what there is, access.go for who may see it.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"coord"
)

// Backend is what the dashboard asks of the store.
type Backend interface {
	// As returns the service for a caller whose credential was checked.
	As(c coord.Caller) coord.Service
	// CheckPassword costs the same for an unknown name and a wrong password,
	// and answers both with CodeUnauthenticated.
	CheckPassword(ctx context.Context, name, password string) (coord.Caller, error)
	// OpenWebSession returns a new secret of 256 bits for the cookie.
	OpenWebSession(ctx context.Context, c coord.Caller) (token string, err error)
	// WebSession returns CodeUnauthenticated for a token that is unknown,
	// closed, 12 h old or idle for 30 min.
	WebSession(ctx context.Context, token string) (coord.Caller, error)
	// CloseWebSession ends a session; an unknown one is no error.
	CloseWebSession(ctx context.Context, token string) error
}

// Options configure the dashboard. Every field but PublicURL, Version and
// Throttle is needed.
type Options struct {
	Backend   Backend
	Log       *slog.Logger
	PublicURL string // shown on the set-up page; never used for redirects
	Version   string // shown to people who are signed in
	Secure    bool   // browsers reach it over HTTPS: sends HSTS
	Now       func() time.Time
	Throttle  *Throttle // of passwords, when another sign-in shares it
}

// site is the dashboard with what it prepared once.
type site struct {
	Options
	pages   pages
	assets  assets
	origin  *http.CrossOriginProtection
	beat    time.Duration // between signs of life on an event stream
	stay    time.Duration // life of one event stream; then the session is checked anew
	streams atomic.Int64
}

// New returns the dashboard. It serves every path that it is handed; mount
// what else the server has before it.
func New(o Options) http.Handler { return newSite(o).router() }

func newSite(o Options) *site {
	a := readAssets()
	if o.Throttle == nil {
		o.Throttle = NewThrottle(o.Now)
	}
	return &site{
		Options: o, assets: a, pages: parsePages(a),
		origin: http.NewCrossOriginProtection(), beat: 10 * time.Second, stay: 10 * time.Minute,
	}
}
