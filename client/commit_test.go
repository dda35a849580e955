package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"coord"
)

func task(title string) coord.CreateTask { return coord.CreateTask{Project: "pay", Title: title} }

func TestLostAnswerIsAskedForOnceMoreAtOnce(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	l.loseNext(1)
	got, err := m.process().CreateTask(t.Context(), task("a"))
	if err != nil || got.Title != "effect 1" {
		t.Fatalf("%+v, %v", got, err)
	}
	if keys := l.keys(); len(keys) != 2 || keys[0] != keys[1] || len(l.hadEffect()) != 1 {
		t.Errorf("keys %q, effects %q", keys, l.hadEffect())
	}
	if m.pending() != nil {
		t.Error("an answered request is still pending")
	}
}

func TestK1_SameCommandAgainAfterLostAnswers(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	l.loseNext(2) // both sendings of the first process
	_, err := m.process().CreateTask(t.Context(), task("a"))
	e := wantCode(t, err, coord.CodeUnavailable, "run the same command again", "outcome is unknown")
	if e.Details["outcome"] != OutcomeUnknown || e.Code.ExitStatus() != 7 {
		t.Errorf("error %+v", e)
	}
	if m.pending() == nil {
		t.Fatal("the unanswered request is not on disk")
	}
	got, err := m.process().CreateTask(t.Context(), task("a"))
	if err != nil || got.Title != "effect 1" {
		t.Fatalf("%+v, %v", got, err)
	}
	keys := slices.Compact(l.keys())
	if len(keys) != 1 || len(l.hadEffect()) != 1 || len(m.settled) != 0 {
		t.Errorf("keys %q, effects %q, settled %v", keys, l.hadEffect(), m.settled)
	}
	// After a definite answer the same command is a new intent.
	if got, err = m.process().CreateTask(t.Context(), task("a")); err != nil || got.Title != "effect 2" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestAnotherCommandSettlesThePendingOneFirst(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	l.loseNext(2)
	if _, err := m.process().CreateTask(t.Context(), task("a")); err == nil {
		t.Fatal("no answer, no error")
	}
	got, err := m.process().CreateTask(t.Context(), task("b"))
	if err != nil || got.Title != "effect 2" {
		t.Fatalf("%+v, %v", got, err)
	}
	if len(l.hadEffect()) != 2 || !strings.Contains(l.hadEffect()[0], `"a"`) || !strings.Contains(l.hadEffect()[1], `"b"`) {
		t.Errorf("effects %q", l.hadEffect())
	}
	if len(m.settled) != 1 || m.settled[0].Err != nil || !strings.Contains(string(m.settled[0].Body), "effect 1") || m.settled[0].Path != "/projects/pay/tasks" {
		t.Errorf("settled %+v", m.settled)
	}
}

func TestAnotherCommandWaitsWhileTheOutcomeIsUnknown(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	l.loseNext(4)
	if _, err := m.process().CreateTask(t.Context(), task("a")); err == nil {
		t.Fatal("no answer, no error")
	}
	_, err := m.process().CreateTask(t.Context(), task("b"))
	wantCode(t, err, coord.CodeUnavailable)
	if p := m.pending(); p == nil || !strings.Contains(string(p.Request.Body), `"a"`) || len(m.settled) != 0 {
		t.Fatalf("pending %+v, settled %+v: an unknown outcome was forgotten", p, m.settled)
	}
	if _, err := m.process().CreateTask(t.Context(), task("b")); err != nil || m.pending() != nil || len(m.settled) != 1 {
		t.Errorf("%v, pending %+v, settled %+v", err, m.pending(), m.settled)
	}
}

// TestK9_CrashBetweenWriteAndSend leaves what a process leaves that was killed
// after writing its request: nobody knows whether it was sent.
func TestK9_CrashBetweenWriteAndSend(t *testing.T) {
	for _, sent := range []bool{false, true} {
		l := newLossy(t)
		m := newMachine(t, l.URL)
		if sent {
			l.loseNext(2)
			if _, err := m.process().CreateTask(t.Context(), task("a")); err == nil {
				t.Fatal("no answer, no error")
			}
		} else {
			m.server = "http://127.0.0.1:1" // nothing listens: the request stays unsent
			body := []byte(`{"title":"a"}`)
			p := Pending{WrittenAt: m.now, Request: request{Method: "POST", Path: "/projects/pay/tasks", Session: sessionIfOpen, Key: "written-before-crash", Body: body}}
			if err := OpenJournal(m.key).write(p); err != nil {
				t.Fatal(err)
			}
			m.server = l.URL
		}
		if _, err := m.process().CreateTask(t.Context(), task("a")); err != nil {
			t.Fatal(err)
		}
		if len(l.hadEffect()) != 1 || len(slices.Compact(l.keys())) != 1 {
			t.Errorf("sent %v: effects %q, keys %q", sent, l.hadEffect(), l.keys())
		}
	}
}

func TestIntentNamesTheDeed(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	l.loseNext(2)
	checkpoint := func(ctx context.Context, commit string) error {
		_, err := m.process().RecordCheckpoint(ctx, coord.RecordCheckpoint{Attempt: "pay-1.a1", Commit: coord.OID(commit), Note: "n"})
		return err
	}
	ctx := WithIntent(t.Context(), "checkpoint of tree 1")
	wantCode(t, checkpoint(ctx, "made first"), coord.CodeUnavailable)
	if err := checkpoint(ctx, "made anew"); err != nil {
		t.Fatal(err)
	}
	if len(l.hadEffect()) != 1 || !strings.Contains(l.hadEffect()[0], "made first") {
		t.Errorf("effects %q", l.hadEffect())
	}
	l.loseNext(2)
	wantCode(t, checkpoint(ctx, "third"), coord.CodeUnavailable)
	if err := checkpoint(WithIntent(t.Context(), "checkpoint of tree 2"), "fourth"); err != nil {
		t.Fatal(err)
	}
	if len(l.hadEffect()) != 3 || !strings.Contains(l.hadEffect()[2], "fourth") {
		t.Errorf("effects %q", l.hadEffect())
	}
}

func TestRefusalsAreDefinite(t *testing.T) {
	for code, stays := range map[coord.Code]bool{
		coord.CodeTaskTaken: false, coord.CodeBadRequest: false, coord.CodeNotPermitted: false, coord.CodeUnauthenticated: false,
		coord.CodeStorageFull: false, coord.CodeRateLimited: false, coord.CodeUnavailable: true, coord.CodeInternal: true,
	} {
		l := newLossy(t)
		m := newMachine(t, l.URL)
		l.answerWith(func(w http.ResponseWriter, _ *http.Request) bool { refuse(w, code.HTTPStatus(), code); return true })
		_, err := m.process().CreateTask(t.Context(), task("a"))
		e := wantCode(t, err, code)
		if e.Message != "refused: "+string(code) || e.Next[0] != "coord next" || e.Details["holder"] != "bo" || e.Retry != coord.RetryNever {
			t.Errorf("%s: error %+v", code, e)
		}
		if (m.pending() != nil) != stays {
			t.Errorf("%s: pending %v, want %v", code, m.pending() != nil, stays)
		}
	}
}

// TestRefusalOfASecondSendingSaysNothingOfTheFirst: the first may have taken
// effect before the token was revoked or the disk filled.
func TestRefusalOfASecondSendingSaysNothingOfTheFirst(t *testing.T) {
	for _, code := range []coord.Code{coord.CodeUnauthenticated, coord.CodeRateLimited, coord.CodeStorageFull} {
		l := newLossy(t)
		m := newMachine(t, l.URL)
		l.loseNext(2)
		if _, err := m.process().CreateTask(t.Context(), task("a")); err == nil {
			t.Fatal("no answer, no error")
		}
		l.answerWith(func(w http.ResponseWriter, _ *http.Request) bool { refuse(w, code.HTTPStatus(), code); return true })
		_, err := m.process().CreateTask(t.Context(), task("a"))
		wantCode(t, err, code)
		_, err = m.process().CreateTask(t.Context(), task("b"))
		wantCode(t, err, code)
		l.answerWith(nil)
		if got, err := m.process().CreateTask(t.Context(), task("a")); err != nil || got.Title != "effect 1" || len(l.hadEffect()) != 1 {
			t.Errorf("%s: %+v, %v, effects %q", code, got, err, l.hadEffect())
		}
	}
}

func TestARequestThatAlwaysFailsDoesNotBlockTheSession(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	poison := func(w http.ResponseWriter, _ *http.Request) bool {
		if strings.Contains(l.arrived[len(l.arrived)-1].body, "poison") {
			refuse(w, 500, coord.CodeInternal)
			return true
		}
		return false
	}
	l.answerWith(poison)
	_, err := m.process().CreateTask(t.Context(), task("poison"))
	wantCode(t, err, coord.CodeInternal)
	if _, err := m.process().CreateTask(t.Context(), task("b")); err != nil {
		t.Fatal(err)
	}
	if len(m.settled) != 1 || coord.CodeOf(m.settled[0].Err) != coord.CodeInternal || m.pending() != nil {
		t.Errorf("settled %+v", m.settled)
	}
}

func TestK5_OldRequestsAreNotSentAgain(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	l.loseNext(2)
	if _, err := m.process().CreateTask(t.Context(), task("a")); err == nil {
		t.Fatal("no answer, no error")
	}
	first := l.keys()[0]
	m.now = m.now.Add(journalHorizon + time.Second)
	if _, err := m.process().CreateTask(t.Context(), task("a")); err != nil {
		t.Fatal(err)
	}
	if keys := l.keys(); keys[len(keys)-1] == first {
		t.Error("a key older than the horizon was used again")
	}
	if len(m.settled) != 1 || m.settled[0].Err == nil {
		t.Errorf("settled %+v", m.settled)
	}
}

func TestNothingSentLeavesNothingPending(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	l.Close()
	_, err := m.process().CreateTask(t.Context(), task("a"))
	if e := wantCode(t, err, coord.CodeUnavailable, "did not answer", "nothing was sent"); e.Details["outcome"] != OutcomeNotSent {
		t.Errorf("error %+v", e)
	}
	if m.pending() != nil {
		t.Error("a request that was never sent is pending")
	}
}

func TestOwnKeysAreUsed(t *testing.T) {
	l := newLossy(t)
	c := New(Options{Server: l.URL, Token: "x"})
	for range 2 {
		got, err := c.CreateTask(t.Context(), coord.CreateTask{Key: "my-own-key-0123456789", Project: "pay", Title: "a"})
		if err != nil || got.Title != "effect 1" {
			t.Fatalf("%+v, %v", got, err)
		}
	}
	m := newMachine(t, l.URL)
	if got, err := m.process().CreateTask(t.Context(), coord.CreateTask{Key: "my-own-key-0123456789", Project: "pay", Title: "a"}); err != nil || got.Title != "effect 1" {
		t.Errorf("with a journal: %+v, %v", got, err)
	}
}

// TestFault24_ProcessesOfASessionTakeTurns: what is in flight is alone, so a second
// process never takes the first one's request for a lost one.
func TestFault24_ProcessesOfASessionTakeTurns(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	var all sync.WaitGroup
	errs := make(chan error, 8)
	for range 8 {
		c := m.process()
		all.Go(func() {
			_, err := c.CreateTask(context.Background(), task("same"))
			errs <- err
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	keys := l.keys()
	slices.Sort(keys)
	if len(l.hadEffect()) != 8 || len(slices.Compact(keys)) != 8 || len(m.settled) != 0 {
		t.Errorf("%d effects, settled %v", len(l.hadEffect()), m.settled)
	}
}

func TestWaitingForTheLockEndsWithTheContext(t *testing.T) {
	l := newLossy(t)
	m := newMachine(t, l.URL)
	unlock, err := OpenJournal(m.key).lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = m.process().CreateTask(ctx, task("a"))
	if e := wantCode(t, err, coord.CodeUnavailable, "another command of this session"); errors.Is(e, context.Canceled) || e.Details["outcome"] != OutcomeNotSent {
		t.Errorf("error %+v", e)
	}
	if len(l.all()) != 0 {
		t.Error("something was sent without the lock")
	}
}
