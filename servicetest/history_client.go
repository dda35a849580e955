package servicetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"coord"
)

// belief is what clients think of a task: good enough for choosing requests.
type belief struct {
	mu         sync.Mutex
	generation int64
	owner      int
	until      time.Time
	saved      coord.OID
}

// learn takes an answer into account.
func (b *belief) learn(o *operation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o.code != "" || o.repeats != nil || max(o.generation, o.fence) < b.generation {
		return
	}
	switch o.verb {
	case verbClaim, verbNext, verbResume:
		b.generation, b.owner, b.until = o.generation, o.session, o.until
		if o.recovery != nil && o.recovery.Disposition == coord.DispositionRestart {
			b.saved = ""
		}
	case verbRenew:
		b.until = o.until
	case verbSave:
		b.saved = o.commit
	case verbRelease, verbSubmit:
		b.owner = nobody
	}
}

// over reports whether a generation is thought to have no authority.
func (b *belief) over(generation int64, at time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return generation < b.generation || b.owner == nobody || !at.Before(b.until)
}

func (b *belief) recovery(r *rand.Rand) *coord.Recovery {
	b.mu.Lock()
	defer b.mu.Unlock()
	rec := &coord.Recovery{Generation: b.generation, Disposition: coord.DispositionResume, Commit: b.saved}
	switch n := r.IntN(10); {
	case n < 3:
		return nil
	case n < 5:
		rec.Disposition, rec.Commit, rec.Reason = coord.DispositionRestart, "", "begin anew"
	case n == 5:
		rec.Generation += int64(r.IntN(3) - 1)
	case n == 6:
		rec.Commit = newOID()
	}
	return rec
}

// client is one session at work. It returns what it asked and was told.
func (w *history) client(me int, r *rand.Rand) []*operation {
	var own []*operation
	for w.left.Add(-1) >= 0 {
		o := w.draw(me, r, own)
		w.ask(o, o.repeats == nil && o.key != "" && r.IntN(16) == 0)
		if o.about >= 0 {
			w.beliefs[o.about].learn(o)
		}
		own = append(own, o)
		if r.IntN(historyPace) == 0 {
			select {
			case w.move <- struct{}{}:
			default:
			}
		}
	}
	return own
}

// draw chooses a request.
func (w *history) draw(me int, r *rand.Rand, own []*operation) *operation {
	if o := repeat(r, own); o != nil {
		return o
	}
	o := &operation{asked: asked{session: me, key: newKey(), task: r.IntN(len(w.tasks)), commit: newOID(), text: fmt.Sprintf("text %d", r.Int64())}}
	o.about = o.task
	switch n := r.IntN(100); {
	case n < 30:
		o.verb, o.recovery = verbClaim, w.beliefs[o.task].recovery(r)
		return o
	case n < 38:
		o.verb, o.another, o.task = verbNext, r.IntN(2) == 0, -1
		return o
	case n < 44:
		o.verb, o.key = verbRead, ""
		return o
	case n < 60:
		o.verb, o.key = verbRenew, ""
	case n < 72:
		o.verb = verbResume
	case n < 86:
		o.verb = verbSave
	case n < 95:
		o.verb = verbRelease
	default:
		o.verb = verbSubmit
	}
	if w.withFence(o, r, own); o.fence == 0 {
		o.verb, o.key, o.attempt = verbClaim, newKey(), 0
	}
	return o
}

// repeat chooses an earlier request to be sent again, or to be altered under
// its key; nil to do something new. Only answers that are remembered can be
// repeated.
func repeat(r *rand.Rand, own []*operation) *operation {
	if len(own) == 0 || r.IntN(100) >= 18 {
		return nil
	}
	first := own[r.IntN(len(own))]
	if first.key == "" || first.repeats != nil || first.code != "" && !first.code.Business() {
		return nil
	}
	o := &operation{asked: first.asked}
	o.repeats, o.altered = first, r.IntN(8) == 0
	o.about = first.about
	return o
}

// withFence gives a request the authority of a grant: mostly one that is
// thought to hold, at times an older one, or that of another session. There
// may be none to choose from.
func (w *history) withFence(o *operation, r *rand.Rand, own []*operation) {
	late := r.IntN(5) == 0
	for try := 1; try <= min(60, len(own)); try++ {
		g := own[len(own)-try]
		if late {
			g = own[r.IntN(len(own))]
		}
		if g.grants() && w.beliefs[g.about].over(g.generation, w.h.Now()) == late {
			o.task, o.about, o.attempt, o.fence = g.about, g.about, g.generation, g.generation
			break
		}
	}
	b := w.beliefs[o.task]
	if r.IntN(16) == 0 { // what perhaps another session was granted
		b.mu.Lock()
		o.attempt, o.fence = b.generation, b.generation
		b.mu.Unlock()
	}
	if o.fence > 0 && r.IntN(30) == 0 {
		o.fence++
	}
	o.late = o.attempt != o.fence || b.over(o.fence, w.h.Now())
}

// grants reports whether the operation was granted something.
func (o *operation) grants() bool {
	return o.code == "" && o.repeats == nil && (o.verb == verbClaim || o.verb == verbNext || o.verb == verbResume)
}

// ask sends the request while the clock stands still, at times twice at once.
func (w *history) ask(o *operation, twice bool) {
	w.gate.RLock()
	defer w.gate.RUnlock()
	o.at = w.h.Now()
	o.call = w.tick.Add(1)
	if twice {
		w.askTwice(o)
	} else {
		w.send(o)
	}
	o.back = w.tick.Add(1)
}

// askTwice sends the same request twice at once. The answers must be one
// answer and its replay.
func (w *history) askTwice(o *operation) {
	twins := [2]operation{*o, *o}
	together(2, func(i int) { w.send(&twins[i]) })
	a, b := twins[0].told, twins[1].told
	if a.replayed {
		a, b = b, a
	}
	o.told = a
	if granted := o.verb != verbSave && o.verb != verbRelease && a.code == ""; granted != b.replayed {
		w.add(oneEffect, "twins were told %+v and %+v of %s", a, b, o.asked)
	}
	if a.replayed = b.replayed; a != b {
		w.add(oneEffect, "twins were told %+v and %+v of %s", a, b, o.asked)
	}
	w.mu.Lock()
	w.reached["twin"]++
	w.mu.Unlock()
}

// send makes the request and keeps the answer.
func (w *history) send(o *operation) {
	ctx, svc := w.t.Context(), w.sessions[o.session]
	var id coord.TaskID
	if o.task >= 0 {
		id = w.tasks[o.task]
	}
	attempt, fence, text := coord.NewAttemptID(id, o.attempt), coord.Fence{Epoch: 1, Generation: o.fence}, o.text
	if o.altered {
		text += " altered"
	}
	switch o.verb {
	case verbClaim, verbNext:
		c, err := svc.Claim(ctx, coord.Claim{Key: o.key, Project: w.project, Task: id, Another: o.another != o.altered, Recovery: o.recovery})
		w.claimed(o, c, err)
	case verbResume:
		if o.altered {
			fence.Generation++
		}
		c, err := svc.Resume(ctx, coord.Resume{Key: o.key, Attempt: attempt, Fence: fence})
		w.claimed(o, c, err)
	case verbRead:
		d, err := svc.Task(ctx, id)
		o.read(d)
		o.failed(err)
	case verbRenew:
		l, err := svc.Renew(ctx, coord.Renew{Attempt: attempt, Fence: fence})
		o.until = l.ExpiresAt
		o.failed(err)
	case verbRelease:
		a, err := svc.Release(ctx, coord.Release{Key: o.key, Attempt: attempt, Fence: fence, Reason: text})
		o.generation, o.standing = a.Generation, a.Standing
		o.failed(err)
	case verbSave:
		c, err := svc.RecordCheckpoint(ctx, coord.RecordCheckpoint{
			Key: o.key, Attempt: attempt, Fence: fence, Note: text, Commit: o.commit, Tree: o.commit, Ref: "refs/coord/x", Pushed: true,
		})
		o.generation, o.number = c.Generation, c.Number
		o.failed(err)
	case verbSubmit:
		s, err := svc.Submit(ctx, coord.Submit{
			Key: o.key, Attempt: attempt, Fence: fence, Commit: o.commit, Tree: o.commit, Base: o.commit, Ref: "refs/coord/c", Summary: text,
		})
		o.submission, o.replayed = s.Submission.ID, s.Replayed
		o.failed(err)
	}
}

// read keeps what was read of the task.
func (o *operation) read(d coord.TaskDetail) {
	o.generation = d.Generation
	if d.Owner != nil {
		o.owner, o.standing, o.until = d.Owner.Name, d.Owner.Standing, d.Owner.ExpiresAt
	}
	if d.Saved != nil {
		o.saved = d.Saved.Commit
	}
}

// failed keeps a refusal.
func (o *operation) failed(err error) {
	if err != nil {
		o.told = told{code: coord.CodeOf(err), about: o.about}
	}
}

// claimed keeps the answer to a claim or a resumption, and which task it is
// about.
func (w *history) claimed(o *operation, c coord.Claimed, err error) {
	id := c.Task.ID
	var e *coord.Error
	if errors.As(err, &e) && o.verb == verbNext {
		id = coord.TaskID(e.Details["task"])
	}
	if o.verb == verbNext && o.repeats == nil {
		o.about = -1
		for i, t := range w.tasks {
			if t == id {
				o.about = i
			}
		}
	}
	o.generation, o.standing, o.until, o.replayed = c.Attempt.Generation, c.Attempt.Standing, c.Attempt.Lease.ExpiresAt, c.Replayed
	o.failed(err)
}

// moveClock moves the clock when it is asked to and no request runs, often to
// the very edge of a lease.
func (w *history) moveClock(r *rand.Rand) {
	for range w.move {
		w.gate.Lock()
		w.h.Advance(w.stepOfClock(r))
		w.gate.Unlock()
	}
}

func (w *history) stepOfClock(r *rand.Rand) time.Duration {
	now := w.h.Now()
	b := w.beliefs[r.IntN(len(w.beliefs))]
	b.mu.Lock()
	left := b.until.Sub(now)
	if b.until.IsZero() {
		left = time.Second
	}
	b.mu.Unlock()
	edges := []time.Duration{left - 1, left, left + grace - 1, left + grace}
	if edge := edges[r.IntN(len(edges))]; edge > 0 && r.IntN(3) == 0 {
		return edge
	}
	steps := []time.Duration{1, time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, grace}
	return steps[r.IntN(len(steps))]
}
