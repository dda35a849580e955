package work_test

import (
	"fmt"
	"testing"

	"coord"
)

// TestC16_TwoProcessesAtAnyMoment stops one process at each of its calls, has a
// second one come as far as each of its own, and lets the first run to its end
// before the second goes on: two processes of a session, and a recoverer with
// the holder that it takes over from. However they meet, the work lands once.
func TestC16_TwoProcessesAtAnyMoment(t *testing.T) {
	m := newMould(t, coord.StrategySquash, maxCalls)
	for _, itself := range []bool{true, false} {
		for _, third := range []bool{false, true} {
			t.Run(fmt.Sprintf("the same session %v, third party %v", itself, third), func(t *testing.T) {
				t.Parallel()
				for i := 0; m.meet(t, crash{itself: itself, third: third}, i); i++ {
				}
			})
		}
	}
}

const maxCalls = 26 // of a process

// meet has the second process stand at each of its calls while the first stands
// at its i-th. False means that the first has none.
func (m *mould) meet(t *testing.T, c crash, i int) bool {
	world, more := m.world(t), false
	for j := range maxCalls {
		reached := false
		t.Run(fmt.Sprintf("at call %d and %d", i, j), func(t *testing.T) {
			w := m.wreck(t, world, j)
			a := w.in(w.authors()).visits(hook{skip: i})
			if more = a.wake != nil; more {
				reached = w.met(c, a, j)
			}
		})
		if !reached {
			return more
		}
	}
	t.Errorf("a process has more than %d calls", maxCalls)
	return more
}

// met reports whether the second process has a j-th call.
func (w *wreck) met(c crash, a *visit, j int) bool {
	w.t.Helper()
	b := w.in(a.by.clone)
	if !c.itself {
		w.clock.Advance(lease + grace)
		b = w.actor("delta")
	}
	v := b.visits(hook{skip: j})
	reached := v.wake != nil
	if c.third {
		w.origin.pushed("third", "third", "1")
	}
	a.goesOn()
	v.goesOn()
	b.lands(w.first.Task)
	w.actor("echo").lands(w.second.Task)
	w.whole()
	return reached
}
