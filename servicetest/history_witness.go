package servicetest

import (
	"slices"
	"strconv"
	"time"

	"coord"
)

// witness holds the answers of a round to the event log.
func (w *history) witness(ops []*operation) {
	done, ok := w.readLog()
	if !ok {
		return
	}
	w.acknowledged(ops, done)
	w.inOrderOfAnswers(ops, done)
	ends := leaseEnds(ops)
	for i, id := range w.tasks {
		w.owners(i, id, ends)
		w.stored(i, id, ends)
	}
}

// readLog reads what the round added to the log, without the tasks that it
// began with and those that submissions made.
func (w *history) readLog() (map[Effect]coord.Event, bool) {
	done := map[Effect]coord.Event{}
	for {
		page, err := w.reader.Events(w.t.Context(), "", w.log.Seq, 1000)
		if err != nil {
			w.add(denseLog, "%v", err)
			return nil, false
		}
		for _, e := range page {
			d, err := w.log.Add(e)
			if err != nil {
				w.add(denseLog, "%v", err)
				return nil, false
			}
			if d.What != "" {
				done[d.Effect] = e
			}
			if e.Kind == coord.EventAttemptRecovered {
				w.reached["recovered"]++
			}
		}
		if len(page) == 0 {
			break
		}
	}
	for e := range done {
		if e.What == Created && (w.log.Follows(e.Task) || slices.Contains(w.tasks, e.Task)) {
			delete(done, e)
		}
	}
	return done, true
}

// effect is what the answer acknowledged, if anything.
func (w *history) effect(o *operation) (Effect, bool) {
	if o.code != "" || o.repeats != nil || o.replayed || o.verb == verbRenew || o.verb == verbRead {
		return Effect{}, false
	}
	e := Effect{Task: w.tasks[o.about]}
	switch o.verb {
	case verbRelease:
		e.What, e.Mark = Released, strconv.FormatInt(o.fence, 10)
	case verbSave:
		e.What, e.Mark = Saved, string(o.commit)
	case verbSubmit:
		e.What, e.Mark = Submitted, string(o.submission)
	default:
		e.What, e.Mark = Granted, strconv.FormatInt(o.generation, 10)
	}
	return e, true
}

// acknowledged wants one event for each acknowledged effect, by its session
// and at its time, and no other.
func (w *history) acknowledged(ops []*operation, done map[Effect]coord.Event) {
	told := map[Effect]bool{}
	for _, o := range ops {
		e, ok := w.effect(o)
		if !ok {
			continue
		}
		event, logged := done[e]
		if told[e] || !logged || event.Actor != clientName(o.session) || !event.At.Equal(o.at) {
			w.add(oneEffect, "%s was told %s; acknowledged before: %v; the log has %+v", o.asked, o.told, told[e], event)
		}
		told[e] = true
	}
	for e, event := range done {
		if !told[e] {
			w.add(oneEffect, "nobody was told of event %d: %s", event.Seq, event.Text)
		}
	}
}

// inOrderOfAnswers wants the log to have what was answered before a request
// was made before what that request did.
func (w *history) inOrderOfAnswers(ops []*operation, done map[Effect]coord.Event) {
	byReturn := slices.Clone(ops)
	slices.SortFunc(byReturn, func(a, b *operation) int { return int(a.back - b.back) })
	var last coord.Seq
	for _, o := range ops { // by call
		for len(byReturn) > 0 && byReturn[0].back < o.call {
			if e, ok := w.effect(byReturn[0]); ok {
				last = max(last, done[e].Seq)
			}
			byReturn = byReturn[1:]
		}
		if e, ok := w.effect(o); ok && done[e].Seq <= last {
			w.add(denseLog, "%s has event %d, and event %d was answered before it was asked", o.asked, done[e].Seq, last)
		}
	}
}

// leaseOf names one generation of one task.
type leaseOf struct {
	task       int
	generation int64
}

// leaseEnds is when each lease was last told to end.
func leaseEnds(ops []*operation) map[leaseOf]time.Time {
	ends := map[leaseOf]time.Time{}
	for _, o := range ops {
		if o.code != "" || o.until.IsZero() || o.repeats != nil || o.verb == verbRead {
			continue
		}
		of := leaseOf{o.about, o.generation}
		if o.verb == verbRenew {
			of.generation = o.fence
		}
		if o.until.After(ends[of]) {
			ends[of] = o.until
		}
	}
	return ends
}

// owners wants each grant to come after the end of the one before, or after
// its lease, for others with the grace.
func (w *history) owners(i int, id coord.TaskID, ends map[leaseOf]time.Time) {
	grants := w.log.Tasks[id].Grants
	for n := 1; n < len(grants); n++ {
		before, g := grants[n-1], grants[n]
		end := before.EndedAt
		if before.Ended == coord.StandingSuperseded {
			end = ends[leaseOf{i, int64(n)}]
			if g.Actor != before.Actor {
				end = end.Add(grace)
			}
		}
		if end.IsZero() || g.At.Before(end) {
			w.add(oneOwner, "%s: attempt %d by %s began at %s, and attempt %d of %s held until %s", id, n+1, g.Actor, g.At, n, before.Actor, end)
		}
	}
}

// stored compares the stored task with the log, and its leases with what was
// told of them.
func (w *history) stored(i int, id coord.TaskID, ends map[leaseOf]time.Time) {
	d, err := w.reader.Task(w.t.Context(), id)
	if err != nil {
		w.add(sameRecord, "%v", err)
		return
	}
	if why := w.log.Differs(d); why != "" {
		w.add(sameRecord, "%s", why)
	}
	for _, a := range d.Attempts {
		if end := ends[leaseOf{i, a.Generation}]; !a.Lease.ExpiresAt.Equal(end) {
			w.add(sameRecord, "the lease of %s ends at %s, and was told to end at %s", a.ID, a.Lease.ExpiresAt, end)
		}
	}
}
