package client

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"coord"
)

// TestK9 looks into the journal while the server has the request.
func TestK9_TheRequestIsOnDiskBeforeItIsSent(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	var found *Pending
	l.answerWith(func(w http.ResponseWriter, r *http.Request) bool {
		found = m.pending()
		if found != nil && string(found.Request.Key) != r.Header.Get("Idempotency-Key") {
			t.Errorf("under the key %q, and sent under %q", found.Request.Key, r.Header.Get("Idempotency-Key"))
		}
		reply(w, 201, `{"id":"pay-1"}`)
		return true
	})
	if _, err := m.process().CreateTask(t.Context(), task("a")); err != nil {
		t.Fatal(err)
	}
	if found == nil {
		t.Error("it was sent before it was written")
	}
}

// TestFault24 tries to take the session's lock while the server has a request
// of it: another process would have to wait.
func TestFault24_TheJournalIsLockedUntilTheAnswer(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	asked := 0
	l.answerWith(func(w http.ResponseWriter, _ *http.Request) bool {
		asked++
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		if unlock, err := OpenJournal(m.key).lock(ctx); err == nil {
			unlock()
			t.Error("another process may send while this one waits for its answer")
		}
		reply(w, 201, `{"id":"pay-1"}`)
		return true
	})
	if _, err := m.process().CreateTask(t.Context(), task("a")); err != nil || asked != 1 {
		t.Fatalf("asked %d times, %v", asked, err)
	}
	unlock, err := OpenJournal(m.key).lock(t.Context())
	if err != nil {
		t.Fatalf("after the answer: %v", err)
	}
	unlock()
}

// TestK9 obeys what refusals say about trying again: a key is for one intent,
// and only a request that coord decided is over.
func TestK9_OnlyADecidedRequestIsForgotten(t *testing.T) {
	for code, decided := range map[coord.Code]bool{
		coord.CodeTaskTaken: true, coord.CodeFenced: true, coord.CodeBadRequest: true, coord.CodeIdempotencyMismatch: true,
		coord.CodeUnavailable: false, coord.CodeInternal: false,
	} {
		l := newLossy(t)
		m := newMachine(t, l.URL)
		l.answerWith(func(w http.ResponseWriter, _ *http.Request) bool { refuse(w, code.HTTPStatus(), code); return true })
		for range 2 {
			_, err := m.process().CreateTask(t.Context(), task("a"))
			wantCode(t, err, code)
		}
		keys := l.keys()
		if (m.pending() == nil) != decided || (len(slices.Compact(keys)) == 2) != decided {
			t.Errorf("%s: pending %v, keys %q", code, m.pending() != nil, keys)
		}
	}
}

// serverClock grants leases by a clock of its own.
type serverClock struct {
	start   time.Time
	renewed []time.Duration
}

func (s *serverClock) Renew(context.Context, coord.Renew) (coord.Lease, error) {
	s.renewed = append(s.renewed, time.Since(s.start))
	return coord.Lease{ExpiresAt: time.Now().Add(30 * time.Minute), RemainingMS: (30 * time.Minute).Milliseconds()}, nil
}

// TestFault12: a client counts durations, so that its clock may be wrong.
func TestFault12_AWrongClientClockHasNoEffect(t *testing.T) {
	var want []time.Duration
	for _, wrong := range []time.Duration{0, time.Hour, -time.Hour, 10 * 365 * 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			s := &serverClock{start: time.Now()}
			k := &Keeper{Service: s, Alive: func() bool { return true }, Timer: Timer{
				Now: func() time.Time { return time.Now().Add(wrong) }, After: time.After,
			}}
			if kept, err := k.Run(t.Context()); kept != KeptWindowOver || err != nil {
				t.Fatalf("%s, %v", kept, err)
			}
			if want == nil {
				want = s.renewed
			}
			if !slices.Equal(s.renewed, want) || len(want) < 10 {
				t.Errorf("%s wrong: it renews at %v, not %v", wrong, s.renewed, want)
			}
		})
	}
}
