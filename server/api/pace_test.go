package api

import (
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"coord"
)

// handClock moves when told to.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// paced is a bench whose API bounds the pace of requests.
func paced(requests, renewals Pace) (*bench, *handClock) {
	b, clock := newBench(), &handClock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}
	r := chi.NewRouter()
	r.Mount("/api/v1", New(Options{
		Backend: b.fake, Version: "9.8.7", Now: clock.Now, Log: slog.New(slog.DiscardHandler), Throttle: fiveTries{}, Requests: requests, Renewals: renewals,
	}))
	b.handler = r
	return b, clock
}

func (b *bench) renew(edits ...func(*http.Request)) int {
	return b.send("POST", "/attempts/pay-1.a1/renewals", `{"fence":"1.1"}`, edits...).Code
}

// TestFault26_AFloodIsTurnedAway sends a thousand renewals within a second:
// what is over the pace is 429 with a time to come again, and whoever comes
// then is served.
func TestFault26_AFloodIsTurnedAway(t *testing.T) {
	b, clock := paced(Pace{}, Pace{Burst: 20, Every: 100 * time.Millisecond})
	served := 0
	for range 1000 {
		w := b.send("POST", "/attempts/pay-1.a1/renewals", `{"fence":"1.1"}`)
		if w.Code == http.StatusOK {
			served++
			clock.advance(time.Millisecond)
			continue
		}
		p := wantProblem(t, w, 429, coord.CodeRateLimited)
		seconds, err := strconv.ParseInt(w.Header().Get("Retry-After"), 10, 64)
		if p.RetryAfterMS < 1 || p.RetryAfterMS > 100 || err != nil || seconds < 1 || p.Retry != coord.RetrySameKey || len(p.Next) == 0 {
			t.Fatalf("refused as %+v, Retry-After %q", p, w.Header().Get("Retry-After"))
		}
		clock.advance(time.Millisecond)
	}
	if served < 20+9 || served > 20+10 {
		t.Errorf("%d of 1000 in a second were served", served)
	}
	for range 20 { // at this moment no more than one is served
		b.renew()
	}
	w := b.send("POST", "/attempts/pay-1.a1/renewals", `{"fence":"1.1"}`)
	p := wantProblem(t, w, 429, coord.CodeRateLimited)
	clock.advance(time.Duration(p.RetryAfterMS) * time.Millisecond)
	if code := b.renew(); code != 200 {
		t.Errorf("at the time that it was told: %d", code)
	}
	if w := b.send("POST", "/projects/pay/tasks", `{"title":"T"}`); w.Code != 201 {
		t.Errorf("another kind of request is held up: %d %s", w.Code, w.Body)
	}
}

// TestFault26_PacesAreApart: one session's flood is not another's, nor that of
// a caller without one; and what is refused for other reasons counts.
func TestFault26_PacesAreApart(t *testing.T) {
	b, _ := paced(Pace{Burst: 3, Every: time.Second}, Pace{})
	const other = coord.SessionID("session-9876543210")
	b.proofs[other] = fakeProof
	for name, edit := range map[string]func(*http.Request){
		"a session":       func(*http.Request) {},
		"another session": with("Coord-Session", string(other)+"."+fakeProof),
		"a person": func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+operatorToken)
			r.Header.Del("Coord-Session")
		},
		"a wrong proof": func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+agentToken)
			r.Header.Set("Coord-Session", string(fakeSession)+".not-the-proof-0123456789-0123456789")
		},
	} {
		for n := range 4 {
			w := b.send("POST", "/projects/pay/tasks", `{"title":"T"}`, edit)
			if limited := w.Code == 429; limited != (n == 3) {
				t.Errorf("%s: request %d is %d %s", name, n+1, w.Code, w.Body)
			}
		}
	}
	if w := b.send("GET", "/whoami", "", with("Authorization", "Bearer "+setupToken), with("Coord-Session", "")); w.Code != 200 {
		t.Errorf("somebody else: %d", w.Code)
	}
	if len(b.calls) != 9 {
		t.Errorf("what was turned away reached the service: %d calls", len(b.calls))
	}
}

// TestPacerForgets: callers who went away are not kept.
func TestPacerForgets(t *testing.T) {
	p, now := newPacer(Pace{Burst: 2, Every: time.Second}), time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for n := range 3 * pacerSweep {
		p.take(fmt.Sprint("caller ", n), now)
		now = now.Add(time.Millisecond)
	}
	if n := len(p.due); n > 2*pacerSweep {
		t.Errorf("%d callers are kept", n)
	}
	if wait := (*pacer)(nil).take("x", now); wait != 0 {
		t.Errorf("without a pace: %s", wait)
	}
}
