package main

import (
	"sync"
	"testing"
)

// trouble is what becomes of a push on its way.
type trouble int

const (
	noTrouble  trouble = iota
	cutBefore          // the connection breaks before the remote has read the push
	cutAfter           // the remote takes the push, and its answer is lost
	notWorking         // the remote answers with status 500
	sentTwice          // the remote takes the push and says nothing: an HTTP library sends it once more
)

// road is the network between the machines and the remote. Files have none.
type road struct {
	mu     sync.Mutex
	next   trouble
	closes bool // after that, nothing comes through any more
	closed bool
	met    int // how often a push met with trouble
}

// meets has the next push meet with trouble; with then, the remote does not
// answer afterwards.
func (r *road) meets(what trouble, thenClosed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.next, r.closes, r.met = what, thenClosed, 0
}

// opens makes the remote answer again, and proves that the trouble was met.
func (r *road) opens(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.met != 1 {
		t.Errorf("%d pushes met with trouble", r.met)
	}
	r.closed = false
}

// push takes the trouble that the push meets with.
func (r *road) push() trouble {
	r.mu.Lock()
	defer r.mu.Unlock()
	what := r.next
	if what != noTrouble {
		r.next, r.closed = noTrouble, r.closes
		r.met++
	}
	return what
}

func (r *road) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}
