package api

import (
	"sync"
	"time"

	"coord"
)

// Pace bounds how often one caller may come: Burst times at once, and then once
// in Every. The zero Pace bounds nothing.
type Pace struct {
	Burst int
	Every time.Duration
}

// pacer keeps callers to a pace. A nil pacer lets everybody pass.
type pacer struct {
	pace Pace

	mu    sync.Mutex
	due   map[string]time.Time // when the caller's requests so far are worked off at the pace
	sweep int                  // how many callers there are when those who are in no hurry are forgotten
}

// pacerSweep is how many callers are kept at least.
const pacerSweep = 1024

func newPacer(p Pace) *pacer {
	if p.Burst <= 0 || p.Every <= 0 {
		return nil
	}
	return &pacer{pace: p, due: map[string]time.Time{}, sweep: pacerSweep}
}

// take counts a request of the caller, or returns how long it has to wait. One
// that is turned away does not count, so that waiting for as long is enough.
func (p *pacer) take(caller string, now time.Time) (wait time.Duration) {
	if p == nil {
		return 0
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	due := p.due[caller]
	if due.Before(now) {
		due = now
	}
	if wait = due.Sub(now) - time.Duration(p.pace.Burst-1)*p.pace.Every; wait > 0 {
		return wait
	}
	p.due[caller] = due.Add(p.pace.Every)
	if len(p.due) > p.sweep {
		p.forget(now)
	}
	return 0
}

// forget drops the callers whose requests are worked off.
func (p *pacer) forget(now time.Time) {
	for caller, due := range p.due {
		if !due.After(now) {
			delete(p.due, caller)
		}
	}
	p.sweep = max(pacerSweep, 2*len(p.due))
}

// renewalID is the operation that has a pace of its own.
const renewalID = "renew-lease"

// keepPace refuses a request of a caller who comes too often: a session, or a
// credential where none is proved. It has no effect on what the session holds:
// a lease ends by its time alone.
func (s *service) keepPace(rt route, x *exchange) error {
	who, of := string(x.caller.Principal)+" "+string(x.caller.Token), "this credential"
	if x.caller.Session != "" {
		who, of = "session "+string(x.caller.Session), "this session"
	}
	p := s.requests
	if rt.id == renewalID {
		p = s.renewals
	}
	wait := p.take(who, s.now())
	if wait == 0 {
		return nil
	}
	return coord.Errorf(coord.CodeRateLimited, "%s sends more than one request in %s; this one was not looked at, and nothing was changed", of, p.pace.Every).
		WithRetryAfter(wait + time.Millisecond - 1).WithNext("the same command again, a moment later")
}
