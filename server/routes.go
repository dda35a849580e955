package server

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/go-chi/chi/v5"

	"coord"
	"coord/server/api"
	"coord/server/store"
	"coord/server/web"
)

// gated is a store whose readiness ends when the server begins to end.
type gated struct {
	*store.Store
	ending atomic.Bool
}

// Ready proves that the store can commit, unless the server is ending.
func (g *gated) Ready(ctx context.Context) error {
	if g.ending.Load() {
		return coord.Errorf(coord.CodeUnavailable, "the server is ending")
	}
	return g.Store.Ready(ctx)
}

// routes is everything the server answers: its health, the API, and for all
// the rest the dashboard. Each bounds the bodies that it reads.
func routes(c Config, g *gated) http.Handler {
	r := chi.NewRouter()
	health := api.Health(g)
	r.Method(http.MethodGet, "/livez", health)
	r.Method(http.MethodGet, "/readyz", health)
	throttle := web.NewThrottle(c.Now)
	r.Mount("/api/v1", api.New(api.Options{Backend: g, Log: c.Log, Version: c.Version, Now: c.Now, Throttle: throttle, Requests: c.Requests, Renewals: c.Renewals}))
	pages := web.New(web.Options{
		Backend: g, Log: c.Log, PublicURL: c.PublicURL, Version: c.Version,
		Secure: strings.HasPrefix(c.PublicURL, "https://"), Now: c.Now, Throttle: throttle,
	})
	r.Mount("/", pages)
	r.MethodNotAllowed(pages.ServeHTTP) // a method that chi does not know gets as far as here
	return r
}

// endWaiting ends the requests that only wait for events as soon as waits
// ends: others are left to finish.
func endWaiting(waits context.Context, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			ctx, cancel := context.WithCancel(r.Context())
			defer cancel()
			defer context.AfterFunc(waits, cancel)()
			r = r.WithContext(ctx)
		}
		h.ServeHTTP(w, r)
	})
}
