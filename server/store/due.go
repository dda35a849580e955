package store

import (
	"context"
	"sync/atomic"
	"time"

	"coord"
)

// due is when the next recommendation stands. It is kept in memory, so that a
// batch of changes has one number to compare, and nothing polls.
type due struct {
	at    atomic.Int64  // Unix nanoseconds; 0: there is none
	moved chan struct{} // capacity 1: at changed
}

func (d *due) set(at int64) {
	if d.at.Swap(at) == at {
		return
	}
	select {
	case d.moved <- struct{}{}:
	default: // who reads it will see the new value
	}
}

// settleAtOnce bounds what one batch settles; the rest is still due after it.
const settleAtOnce = 100

// againAfter is when to try again after what was due could not be settled.
const againAfter = time.Minute

// KeepTime answers decisions as their recommendations come to stand, until ctx
// ends, whether or not anybody makes a request. It sleeps while nothing is due.
func (s *Store) KeepTime(ctx context.Context) {
	for ctx.Err() == nil {
		wait, any := s.untilDue()
		if any && wait <= 0 {
			at := s.due.at.Load()
			if s.writer.do(ctx, coord.Caller{}, func(*tx) error { return nil }) == nil && s.due.at.Load() != at {
				continue // the batch settled it, and knows what is due next
			}
			wait = againAfter
		}
		s.sleep(ctx, wait, any)
	}
}

func (s *Store) untilDue() (wait time.Duration, any bool) {
	at := s.due.at.Load()
	if at == 0 {
		return 0, false
	}
	return instant(at).Sub(s.now()), true
}

// sleep returns after the wait if there is one, when what is due changed, or
// when ctx ends.
func (s *Store) sleep(ctx context.Context, wait time.Duration, timed bool) {
	var fires <-chan time.Time
	if timed {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		fires = timer.C
	}
	select {
	case <-fires:
	case <-s.due.moved:
	case <-ctx.Done():
	}
}

// Which decisions may come to stand by themselves: see coord.Decision.Stands.
// The first parameter is now.
const mayStand = ` FROM decisions d JOIN projects p ON p.key = d.project
	WHERE d.answer IS NULL AND d.superseded_by IS NULL AND d.stands_at IS NOT NULL AND (d.expires_at IS NULL OR d.expires_at > ?)
	AND p.policy LIKE '%"timed_answers":true%'`

const (
	nextToStand = "SELECT d.stands_at" + mayStand + " ORDER BY d.stands_at LIMIT 1"
	standing    = "SELECT " + decisionColumns + mayStand + " AND d.stands_at <= ? ORDER BY d.stands_at LIMIT ?"
)

// nextDue is when the next recommendation stands; 0 when none will.
func (v *view) nextDue() (at int64, err error) {
	_, err = v.get([]any{&at}, nextToStand, nanos(v.now))
	return at, err
}

// settleDue answers, ahead of the batch's requests, what nobody answered in
// time. What cannot be settled is tried again later: it holds up nobody.
func (b *batchRun) settleDue() error {
	s := b.w.store
	if wait, any := s.untilDue(); !any || wait > 0 {
		return nil
	}
	r := &request{caller: coord.Caller{Name: string(coord.ActorTimeout)}, run: (*tx).settle}
	err := b.step(r)
	if err == nil && r.err != nil {
		s.opt.Log.Error("decisions whose time has come were not answered", "error", r.err)
		s.due.set(nanos(s.now().Add(againAfter)))
		b.timed = false
	}
	return err
}

func (t *tx) settle() error {
	t.batch.timed = true
	rows, err := list(&t.view, t.scanDecision, standing, nanos(t.now), nanos(t.now), settleAtOnce)
	if err != nil {
		return err
	}
	for _, d := range rows {
		p, err := t.project(d.Project)
		if err != nil {
			return err
		}
		if !d.Stands(p.Policy, t.now) {
			return coord.Errorf(coord.CodeInternal, "%s of %s is due and its recommendation does not stand", d.ID, d.Project)
		}
		d.Decision = d.StandingAnswer(t.now)
		if err := t.answer(d, "nobody answered "+string(d.ID)+" in time; its recommendation stands: "+coord.OneLine(d.Answer.Option)); err != nil {
			return err
		}
	}
	return nil
}

// findDue looks, before the commit of a batch that may have changed it, when
// the next recommendation stands.
func (b *batchRun) findDue() (int64, error) {
	v := view{ctx: context.Background(), now: b.w.store.now(), stmt: b.w.prepared}
	return v.nextDue()
}

func nanosOrNil(t *time.Time) any {
	if t == nil {
		return nil
	}
	return nanos(*t)
}
