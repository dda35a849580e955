package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"coord"
)

// killAndRestart ends the server without warning and starts it again on its
// data.
func (w *proofWorld) killAndRestart() {
	w.t.Helper()
	w.killServer()
	var again upDone
	if err := w.json(w.dir, &again, "up"); err != nil || !again.Started || again.Server != w.url {
		w.t.Fatalf("up after the kill: %v, %+v", err, again)
	}
}

// typedKills is how often the server is killed while someone types.
const typedKills = 8

// The server is killed again and again while commands are typed, each until
// its outcome is known: up starts it where it was, and every command had one
// effect.
func TestProofKilledServer(t *testing.T) {
	w := newProofWorld(t, proofConfig)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	typed := make(chan struct{})
	titles, kills := 0, 0
	go func() {
		defer close(typed)
		titles = w.typeTasks(ctx, typed)
	}()
	for range typed {
		if kills < typedKills {
			kills++
			w.killAndRestart()
		}
	}
	if kills < typedKills {
		t.Errorf("only %d kills", kills)
	}
	if n := ofKind(w.events(), coord.EventTaskCreated); n != titles {
		t.Errorf("%d tasks were made, %d acknowledged", n, titles)
	}
	w.noServerErrors()
}

// typeTasks types coord task new, each until its outcome is known, and tells
// of each that is done unless a kill is under way.
func (w *proofWorld) typeTasks(ctx context.Context, done chan<- struct{}) (n int) {
	for n < 2*typedKills && ctx.Err() == nil {
		r := w.as("typist", w.dir, "task", "new", fmt.Sprintf("Typed %d", n))
		switch r.status {
		case 0:
			n++
			select {
			case done <- struct{}{}:
			default:
			}
		case 7:
			if !strings.Contains(r.err, "run the same command again") && !strings.Contains(r.err, "nothing was sent") {
				w.t.Errorf("status 7: %s", r.err)
			}
		default:
			w.t.Errorf("status %d: %s", r.status, r.err)
			return n
		}
	}
	return n
}
