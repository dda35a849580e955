package client

import (
	"context"
	"errors"
	"time"

	"coord"
)

// KeepWindow is how long a Keeper renews at most, unless told otherwise.
const KeepWindow = 4 * time.Hour

// Renewer is the one right of a Keeper.
type Renewer interface {
	Renew(ctx context.Context, c coord.Renew) (coord.Lease, error)
}

// Timer is what a Keeper knows of time. After must follow the same clock as
// Now, as time.After follows time.Now.
type Timer struct {
	Now   func() time.Time
	After func(time.Duration) <-chan time.Time
}

// Keeper renews the lease of one attempt while a harness process lives, so
// that long thinking does not lose the task, and a dead harness does.
type Keeper struct {
	Service Renewer
	Renew   coord.Renew
	Alive   func() bool   // whether the harness process still runs
	Window  time.Duration // KeepWindow when 0
	Timer   Timer
}

// Kept says why a Keeper stopped.
type Kept string

// The reasons.
const (
	KeptProcessEnded Kept = "process_ended" // the lease now runs out by itself
	KeptWindowOver   Kept = "window_over"
	KeptAttemptEnded Kept = "attempt_ended" // released, submitted, superseded or expired
	KeptStopped      Kept = "stopped"       // ctx ended
	KeptRefused      Kept = "refused"       // the credential or the request is no longer good
)

// The pace: a third of what remains of the lease, but neither a busy loop nor
// so slow that one lost renewal matters.
const (
	keepOften = time.Second
	keepRare  = 5 * time.Minute
	keepWatch = 10 * time.Second // how often the harness is looked at, so that no keeper outlives it for long
)

// Run renews at once and then at its pace until there is a reason to stop. A
// server that does not answer is none: it is asked again, faster as the lease
// runs out. The error is the refusal that ended it, if one did.
func (k *Keeper) Run(ctx context.Context) (Kept, error) {
	window := k.Window
	if window <= 0 {
		window = KeepWindow
	}
	end := k.Timer.Now().Add(window)
	var expires time.Time // by this machine's clock, counted from before the request
	for {
		asked := k.Timer.Now()
		switch {
		case !asked.Before(end):
			return KeptWindowOver, nil
		case !k.Alive():
			return KeptProcessEnded, nil
		}
		lease, err := k.Service.Renew(ctx, k.Renew)
		if ctx.Err() != nil {
			return KeptStopped, nil
		}
		if kept := ended(err); kept != "" {
			return kept, err
		}
		if err == nil {
			expires = asked.Add(time.Duration(lease.RemainingMS) * time.Millisecond)
		}
		if !k.wait(ctx, pause(expires.Sub(k.Timer.Now()), err), end) {
			return KeptStopped, nil
		}
	}
}

// ended maps a refusal to the reason to stop; "" means go on.
func ended(err error) Kept {
	switch coord.CodeOf(err) {
	case "", coord.CodeUnavailable, coord.CodeInternal, coord.CodeRateLimited, coord.CodeStorageFull:
		return ""
	case coord.CodeFenced, coord.CodeEpochChanged, coord.CodeLeaseExpired, coord.CodeStateConflict, coord.CodeNotFound, coord.CodeTaskTaken:
		return KeptAttemptEnded
	}
	return KeptRefused
}

// pause is how long to wait before the next renewal.
func pause(remaining time.Duration, err error) time.Duration {
	next := remaining / 3
	var e *coord.Error
	if errors.As(err, &e) {
		next = max(remaining/10, time.Duration(e.RetryAfterMS)*time.Millisecond)
	}
	return min(max(next, keepOften), keepRare)
}

// wait reports false when ctx ended first. It does not sleep past the window,
// nor for long past the end of the harness.
func (k *Keeper) wait(ctx context.Context, d time.Duration, end time.Time) bool {
	until := k.Timer.Now().Add(d)
	if until.After(end) {
		until = end
	}
	for {
		left := until.Sub(k.Timer.Now())
		if left <= 0 || !k.Alive() {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-k.Timer.After(min(left, keepWatch)):
		}
	}
}
