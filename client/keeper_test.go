package client

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"coord"
)

// leases grants leases of a length, unless told what to answer.
type leases struct {
	length  time.Duration
	renewed []time.Duration // when, since start
	start   time.Time
	answer  func(n int) error
}

func (l *leases) Renew(_ context.Context, c coord.Renew) (coord.Lease, error) {
	l.renewed = append(l.renewed, time.Since(l.start))
	if c.Attempt != "pay-1.a1" || c.Fence.Generation != 1 {
		return coord.Lease{}, coord.Errorf(coord.CodeFenced, "wrong attempt")
	}
	if l.answer != nil {
		if err := l.answer(len(l.renewed)); err != nil {
			return coord.Lease{}, err
		}
	}
	return coord.Lease{RemainingMS: l.length.Milliseconds()}, nil
}

func keep(t *testing.T, length time.Duration, change func(*Keeper, *leases)) (*leases, Kept, error) {
	t.Helper()
	l := &leases{length: length, start: time.Now()}
	k := &Keeper{
		Service: l, Renew: coord.Renew{Attempt: "pay-1.a1", Fence: coord.Fence{Epoch: 1, Generation: 1}},
		Alive: func() bool { return true }, Timer: Timer{Now: time.Now, After: time.After},
	}
	change(k, l)
	kept, err := k.Run(t.Context())
	return l, kept, err
}

func TestL10_KeeperRenewsWithinTheLeaseAndTheWindow(t *testing.T) {
	for _, length := range []time.Duration{2 * time.Second, 30 * time.Minute, 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			l, kept, err := keep(t, length, func(*Keeper, *leases) {})
			if kept != KeptWindowOver || err != nil {
				t.Fatalf("%s, %v", kept, err)
			}
			if took := time.Since(l.start); took != KeepWindow {
				t.Errorf("it stopped after %s", took)
			}
			for i := 1; i < len(l.renewed); i++ {
				if gap := l.renewed[i] - l.renewed[i-1]; gap >= length || gap < time.Second {
					t.Errorf("a lease of %s was renewed after %s", length, gap)
				}
			}
		})
	}
}

func TestL10_KeeperStopsWithTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, kept, err := keep(t, 30*time.Minute, func(k *Keeper, l *leases) {
			k.Alive = func() bool { return time.Since(l.start) < 17*time.Minute }
		})
		if kept != KeptProcessEnded || err != nil || l.renewed[len(l.renewed)-1] >= 17*time.Minute {
			t.Errorf("%s, %v, renewed at %v", kept, err, l.renewed)
		}
	})
}

func TestFault11_KeeperStopsWithTheAttempt(t *testing.T) {
	for code, want := range map[coord.Code]Kept{
		coord.CodeFenced: KeptAttemptEnded, coord.CodeLeaseExpired: KeptAttemptEnded, coord.CodeStateConflict: KeptAttemptEnded,
		coord.CodeUnauthenticated: KeptRefused, coord.CodeNotPermitted: KeptRefused, coord.CodeBadRequest: KeptRefused,
	} {
		synctest.Test(t, func(t *testing.T) {
			l, kept, err := keep(t, time.Minute, func(_ *Keeper, l *leases) {
				l.answer = func(n int) error {
					if n == 3 {
						return coord.Errorf(code, "no")
					}
					return nil
				}
			})
			if kept != want || coord.CodeOf(err) != code || len(l.renewed) != 3 {
				t.Errorf("%s: %s, %v after %d renewals", code, kept, err, len(l.renewed))
			}
		})
	}
}

func TestKeeperOutlastsASilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := func(l *leases) bool {
			since := time.Since(l.start)
			return since > 9*time.Minute && since < 25*time.Minute
		}
		l, kept, _ := keep(t, 30*time.Minute, func(_ *Keeper, l *leases) {
			l.answer = func(int) error {
				if silent(l) {
					return coord.Errorf(coord.CodeUnavailable, "no answer")
				}
				return nil
			}
		})
		if kept != KeptWindowOver {
			t.Fatalf("it gave up: %s", kept)
		}
		for _, at := range l.renewed {
			if at >= 25*time.Minute {
				if at > 30*time.Minute+5*time.Minute {
					t.Errorf("first renewal after the silence at %s", at)
				}
				return
			}
		}
	})
}

func TestKeeperStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		l := &leases{length: time.Minute, start: time.Now()}
		k := &Keeper{
			Service: l, Renew: coord.Renew{Attempt: "pay-1.a1", Fence: coord.Fence{Epoch: 1, Generation: 1}},
			Alive: func() bool { return true }, Timer: Timer{Now: time.Now, After: time.After},
		}
		if kept, err := k.Run(ctx); kept != KeptStopped || err != nil {
			t.Errorf("%s, %v", kept, err)
		}
	})
}
