package store

import (
	"sync"

	"coord"
)

// feed tells those who wait that there is something new, and which projects
// it is in, so that a waiter of another project sleeps on.
type feed struct {
	mu      sync.Mutex
	last    map[coord.ProjectKey]coord.Seq // "" is the whole log
	waiting map[coord.ProjectKey]chan struct{}
	closed  bool
}

func newFeed() *feed {
	return &feed{last: map[coord.ProjectKey]coord.Seq{}, waiting: map[coord.ProjectKey]chan struct{}{}}
}

// publish announces the last sequence of each project that got events.
func (f *feed) publish(fresh map[coord.ProjectKey]coord.Seq) {
	if len(fresh) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for p, seq := range fresh {
		f.last[p] = seq
		f.last[""] = max(f.last[""], seq)
		f.wake(p)
	}
	f.wake("")
}

func (f *feed) wake(p coord.ProjectKey) {
	if ch := f.waiting[p]; ch != nil {
		close(ch)
		delete(f.waiting, p)
	}
}

// knows reports whether the project exists: its registration is an event.
func (f *feed) knows(p coord.ProjectKey) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, ok := f.last[p]
	return ok || p == ""
}

// after returns nil when the project has something after seq or the feed is
// closed, else a channel that is closed at the next news of the project.
func (f *feed) after(p coord.ProjectKey, seq coord.Seq) <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || f.last[p] > seq {
		return nil
	}
	if f.waiting[p] == nil {
		f.waiting[p] = make(chan struct{})
	}
	return f.waiting[p]
}

// close wakes everybody for good.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for p := range f.waiting {
		f.wake(p)
	}
}
