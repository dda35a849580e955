package web

import (
	"strings"
	"sync"
	"time"
)

const (
	freeTries   = 5 // failures before the first delay
	longestWait = 15 * time.Minute
	forgetAfter = 24 * time.Hour
	maxNames    = 10_000 // bounds memory against invented names
)

// Throttle slows guessing down, per account and without locking anybody out
// for longer than longestWait. Known and unknown names are treated alike.
type Throttle struct {
	now   func() time.Time
	mu    sync.Mutex
	tries map[string]tries
}

type tries struct {
	failed int
	last   time.Time
	until  time.Time // no try is looked at before
}

// NewThrottle makes a throttle that nobody was slowed down by yet.
func NewThrottle(now func() time.Time) *Throttle {
	return &Throttle{now: now, tries: map[string]tries{}}
}

// Try reports whether a password may be looked at now. It counts the try as
// failed at once, so that many at the same moment are no way round; success
// takes that back.
func (t *Throttle) Try(name string) bool {
	name = strings.ToLower(name)
	t.mu.Lock()
	defer t.mu.Unlock()
	now, e := t.now(), t.tries[name]
	if now.Before(e.until) {
		return false
	}
	if now.Sub(e.last) >= forgetAfter {
		e = tries{}
	}
	if e.failed == 0 {
		t.makeRoom(now)
	}
	e.failed, e.last = e.failed+1, now
	e.until = now.Add(delayAfter(e.failed))
	t.tries[name] = e
	return true
}

// Success forgets the failures of a name.
func (t *Throttle) Success(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.tries, strings.ToLower(name))
}

// delayAfter doubles from 1 s at the fifth failure.
func delayAfter(failed int) time.Duration {
	if failed < freeTries {
		return 0
	}
	return min(time.Second<<min(failed-freeTries, 10), longestWait)
}

// makeRoom drops what is old when the map is full, or else the entry that was
// idle longest.
func (t *Throttle) makeRoom(now time.Time) {
	if len(t.tries) < maxNames {
		return
	}
	oldest, at := "", now.Add(time.Hour)
	for name, e := range t.tries {
		if now.Sub(e.last) >= forgetAfter {
			delete(t.tries, name)
		} else if e.last.Before(at) {
			oldest, at = name, e.last
		}
	}
	if len(t.tries) >= maxNames {
		delete(t.tries, oldest)
	}
}
