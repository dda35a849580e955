package api

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"coord"
)

// exchange is one request and its answer: who asks, and what the log says.
type exchange struct {
	id      string
	log     *slog.Logger
	token   string
	caller  coord.Caller
	service coord.Service
	key     coord.Key  // of a keyed mutation
	code    coord.Code // of the refusal; empty on success

	now          func() time.Time
	conn         *http.ResponseController
	authenticate func(context.Context, string) (coord.Caller, error)
	signIn       func(context.Context, Login) (coord.IssuedToken, error)
}

type exchangeKey struct{}

func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// answerWriter remembers the status for the log. Unwrap lets
// http.ResponseController reach the connection.
type answerWriter struct {
	http.ResponseWriter
	status int
}

func (w *answerWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *answerWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// observe gives each request an id, headers that hold for every answer, one
// line in the log, and a problem document when the handler panics.
func (s *service) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.now()
		aw := &answerWriter{ResponseWriter: w}
		x := &exchange{
			id: strings.ToLower(rand.Text()[:16]), log: s.log,
			now: s.now, conn: http.NewResponseController(aw), authenticate: s.backend.Authenticate, signIn: s.signIn,
		}
		r = r.WithContext(context.WithValue(r.Context(), exchangeKey{}, x))
		protect(w.Header())
		defer s.finish(aw, r, x, start)
		next.ServeHTTP(aw, r)
	})
}

// protect sets the headers that keep browsers from doing anything with an
// answer but reading it.
func protect(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

// clientGone is what logs say of a request whose client left before the
// answer, as nginx does.
const clientGone = 499

func (s *service) finish(w *answerWriter, r *http.Request, x *exchange, start time.Time) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler {
			panic(p)
		}
		s.log.Error("request panicked", slog.String("request", x.id), slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		if w.status == 0 {
			refuse(w, r, coord.Errorf(coord.CodeInternal, "panic"))
		}
	}
	pattern := ""
	if c := chi.RouteContext(r.Context()); c != nil {
		pattern = c.RoutePattern()
	}
	status, code := w.status, x.code
	if r.Context().Err() != nil && code == coord.CodeUnavailable {
		status, code = clientGone, "client_gone" // nobody was there to be answered: not a failure of ours
	}
	s.log.Info("request",
		slog.String("request", x.id), slog.String("method", r.Method), slog.String("route", pattern),
		slog.Int("status", status), slog.String("code", string(code)),
		slog.String("principal", string(x.caller.Principal)), slog.String("token", string(x.caller.Token)), slog.String("session", string(x.caller.Session.Short())),
		slog.String("client", coord.OneLine(clip(r.Header.Get("Coord-Client")))),
		slog.Duration("took", s.now().Sub(start)))
}

// clip bounds what a caller can write into the log.
func clip(s string) string { return s[:min(len(s), 64)] }
