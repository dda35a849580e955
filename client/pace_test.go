package client

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"coord"
)

// busyServer turns requests away until a time, and is reached without a
// network, so that its time is that of the bubble.
type busyServer struct {
	mu     sync.Mutex
	until  time.Time // before it: 429
	after  time.Duration
	keys   []string
	bodies []string
	at     []time.Time
}

func (s *busyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	s.keys, s.bodies, s.at = append(s.keys, r.Header.Get("Idempotency-Key")), append(s.bodies, string(body)), append(s.at, time.Now())
	if time.Now().Before(s.until) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusTooManyRequests)
		_ = json.NewEncoder(w).Encode(map[string]any{"status": 429, "code": coord.CodeRateLimited, "detail": "too many requests", "retry": "same_key", "retry_after_ms": s.after.Milliseconds()})
		return
	}
	reply(w, 201, `{"id":"pay-1"}`)
}

// reached is a client of the server over pipes, of a process that has heard of
// it before.
func (s *busyServer) reached(t *testing.T) *Client {
	t.Helper()
	ln := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	srv := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	go func() { _ = srv.Serve(ln) }()
	transport := &http.Transport{DialContext: ln.dial}
	c := New(Options{Server: "http://coord.example.com", Token: "x", HTTP: &http.Client{Transport: transport}, Now: time.Now, Timeout: 10 * time.Second})
	c.epoch.Store(1)
	t.Cleanup(func() { transport.CloseIdleConnections(); _ = srv.Close() })
	return c
}

// pipes is a listener whose connections are in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	p.conns <- far
	return near, nil
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestFault26_TheClientWaitsAndComesAgain: a request that is turned away is
// sent again under the same key, not before the server said, until it is
// served.
func TestFault26_TheClientWaitsAndComesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &busyServer{until: time.Now().Add(2500 * time.Millisecond), after: time.Second}
		got, err := s.reached(t).CreateTask(t.Context(), task("a"))
		if err != nil || got.ID != "pay-1" {
			t.Fatal(err)
		}
		if len(s.keys) < 3 || len(slices.Compact(slices.Clone(s.keys))) != 1 || len(slices.Compact(slices.Clone(s.bodies))) != 1 {
			t.Errorf("sent under %q", s.keys)
		}
		for i := 1; i < len(s.at); i++ {
			if gap := s.at[i].Sub(s.at[i-1]); gap < time.Second || gap > 1250*time.Millisecond {
				t.Errorf("sending %d came %s after the one before", i+1, gap)
			}
		}
	})
}

// TestFault26_TheClientWaitsWithinItsTime: it gives up where the server says
// later than its own bound, or than the caller's.
func TestFault26_TheClientWaitsWithinItsTime(t *testing.T) {
	for name, c := range map[string]struct {
		after, limit time.Duration // of the server's word; of the caller's context
		sent         int
		took         time.Duration
	}{
		"too late at once":      {time.Minute, time.Hour, 1, 0},
		"too often":             {4 * time.Second, time.Hour, 3, 10 * time.Second},
		"the caller's deadline": {4 * time.Second, 5 * time.Second, 2, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, start := &busyServer{until: time.Now().Add(time.Hour), after: c.after}, time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), c.limit)
				defer cancel()
				_, err := s.reached(t).CreateTask(ctx, task("a"))
				wantCode(t, err, coord.CodeRateLimited)
				if took := time.Since(start); len(s.keys) > c.sent || len(s.keys) == 0 || took > c.took {
					t.Errorf("sent %d times in %s", len(s.keys), took)
				}
			})
		})
	}
}

// TestFault26_ATurnedAwayRequestIsNotPending: it had no effect, so the next
// command is free to be another.
func TestFault26_ATurnedAwayRequestIsNotPending(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	l.answerWith(func(w http.ResponseWriter, _ *http.Request) bool { refuse(w, 429, coord.CodeRateLimited); return true })
	_, err := m.process().CreateTask(t.Context(), task("a"))
	wantCode(t, err, coord.CodeRateLimited)
	if m.pending() != nil || len(l.keys()) != 1 {
		t.Errorf("pending %+v after %q; without a time to come again it is not repeated", m.pending(), l.keys())
	}
}
