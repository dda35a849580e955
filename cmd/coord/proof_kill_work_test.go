package main

import (
	"context"
	"crypto/rand"
	"fmt"
	mrand "math/rand/v2"
	"strconv"
	"sync"
	"time"

	"coord"
	"coord/client"
	"coord/servicetest"
)

// ack is one answer of the server: what it acknowledged, and how to ask again.
type ack struct {
	effect  servicetest.Effect // none for a refusal
	outcome string
	again   func(coord.Service) (servicetest.Effect, string, error)
}

// worker is one session at work. Every request is repeated under its key until
// the server has answered it.
type worker struct {
	name   string
	svc    *client.Client // waits while there is no server
	direct *client.Client // the same session, for proving
	r      *mrand.Rand
	n      int

	mu      sync.Mutex
	pending servicetest.EffectKind // of the request that is under way
	acks    []ack                  // that were not proved yet
	kept    int                    // tasks that it only holds
	ends    map[coord.AttemptID]time.Time
	renewal coord.AttemptID // that is under way
	failed  error
	sent    int // sendings that were not answered
}

// most is how many tasks a worker holds for good, for others to be refused.
const most = 20

// workers are sessions at work on one server, with what the log said so far.
type workers struct {
	m       *mortal
	all     []*worker
	done    sync.WaitGroup
	ctx     context.Context
	stopped chan struct{}
	acked   chan struct{}
	held    sync.Map // tasks that stay held

	reader                    *client.Client
	log                       *servicetest.Log
	unexplained               map[servicetest.Effect]coord.Event
	touched                   map[coord.TaskID]bool
	changes, refusals, resent int
	lost                      int // changes whose answer was lost
}

func newWorkers(m *mortal, n int) *workers {
	p := &workers{
		m: m, ctx: m.t.Context(), stopped: make(chan struct{}), acked: make(chan struct{}, 1000),
		reader: m.client(m.secrets.AgentToken, nil, false), log: servicetest.NewLog(),
		unexplained: map[servicetest.Effect]coord.Event{}, touched: map[coord.TaskID]bool{},
	}
	for i := range n {
		name := fmt.Sprintf("worker-%d", i)
		s, err := client.NewSession(name, "test", rand.Reader)
		if err != nil {
			m.t.Fatal(err)
		}
		p.all = append(p.all, &worker{
			name: name, svc: m.client(m.secrets.AgentToken, s, true), direct: m.client(m.secrets.AgentToken, s, false),
			r: mrand.New(mrand.NewPCG(uint64(i), 1)), ends: map[coord.AttemptID]time.Time{},
		})
	}
	return p
}

// start has everybody work until the returned function is called.
func (p *workers) start() (stop func()) {
	for _, w := range p.all {
		p.done.Go(func() {
			for w.failed == nil {
				select {
				case <-p.stopped:
					return
				default:
					p.work(w)
				}
			}
		})
	}
	return func() { close(p.stopped) }
}

// wait returns after some answers, at times none, or a while without any.
func (p *workers) wait(r *mrand.Rand) {
	for len(p.acked) > 0 {
		<-p.acked
	}
	if r.IntN(8) == 0 {
		time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond)
		return
	}
	patience := time.After(time.Second)
	for range 1 + r.IntN(120) {
		select {
		case <-p.acked:
		case <-patience:
			return
		}
	}
}

// work takes one new task through a part of its life.
func (p *workers) work(w *worker) {
	w.n++
	title := fmt.Sprintf("%s makes %d", w.name, w.n)
	id := coord.TaskID(p.do(w, servicetest.Created, func(s coord.Service, k coord.Key) (servicetest.Effect, string, error) {
		t, err := s.CreateTask(p.ctx, coord.CreateTask{Key: k, Project: "pay", Title: title})
		return servicetest.Effect{What: servicetest.Created, Task: t.ID}, string(t.ID), err
	}))
	fence := p.claim(w, id, nil)
	var saved coord.OID
	for range w.r.IntN(3) {
		saved = p.save(w, id, fence)
	}
	p.renew(w, id, fence)
	switch w.r.IntN(4) {
	case 0:
		if w.kept++; w.kept > most {
			p.submit(w, id, fence)
		} else {
			p.held.Store(id, w)
		}
		p.refused(w)
	case 1:
		p.release(w, id, fence)
		var r *coord.Recovery
		if saved != "" {
			r = &coord.Recovery{Generation: fence.Generation, Disposition: coord.DispositionResume, Commit: saved}
		}
		fence = p.claim(w, id, r)
		p.submit(w, id, fence)
	default:
		p.submit(w, id, fence)
	}
}

// stuck is why a worker cannot go on: then a kill comes under no load any more.
func (p *workers) stuck() error {
	for _, w := range p.all {
		w.mu.Lock()
		err := w.failed
		w.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// do sends a request until it is answered, and keeps the answer. A refusal is
// one where refusals says so.
func (p *workers) do(w *worker, what servicetest.EffectKind, send func(coord.Service, coord.Key) (servicetest.Effect, string, error)) string {
	if w.failed != nil {
		return ""
	}
	key := coord.Key(rand.Text())
	again := func(s coord.Service) (servicetest.Effect, string, error) {
		e, outcome, err := send(s, key)
		if err != nil {
			e, outcome = servicetest.Effect{}, string(coord.CodeOf(err))
		}
		return e, outcome, err
	}
	w.mu.Lock()
	w.pending = what
	w.mu.Unlock()
	for {
		e, outcome, err := again(w.svc)
		w.mu.Lock()
		switch code := coord.CodeOf(err); {
		case code == coord.CodeUnavailable && p.ctx.Err() == nil:
			w.sent++
			w.mu.Unlock()
			continue
		case err != nil && (what != "" || code != coord.CodeTaskTaken):
			w.failed = fmt.Errorf("%s: %s: %w", w.name, what, err)
		default:
			w.acks = append(w.acks, ack{e, outcome, again})
		}
		w.pending = ""
		w.mu.Unlock()
		select {
		case p.acked <- struct{}{}:
		default:
		}
		return outcome
	}
}

func (p *workers) claim(w *worker, id coord.TaskID, r *coord.Recovery) (fence coord.Fence) {
	p.do(w, servicetest.Granted, func(s coord.Service, k coord.Key) (servicetest.Effect, string, error) {
		c, err := s.Claim(p.ctx, coord.Claim{Key: k, Project: "pay", Task: id, Recovery: r})
		if err == nil && s == w.svc {
			fence = c.Attempt.Fence
			w.mu.Lock()
			w.ends[c.Attempt.ID] = c.Attempt.Lease.ExpiresAt
			w.mu.Unlock()
		}
		return servicetest.Effect{What: servicetest.Granted, Task: id, Mark: strconv.FormatInt(c.Attempt.Generation, 10)}, string(c.Attempt.ID) + " " + c.Attempt.Fence.String(), err
	})
	return fence
}

// renew needs no key and has no event: only the lease's end tells.
func (p *workers) renew(w *worker, id coord.TaskID, fence coord.Fence) {
	a := coord.NewAttemptID(id, fence.Generation)
	w.mu.Lock()
	w.renewal = a
	w.mu.Unlock()
	for w.failed == nil {
		l, err := w.svc.Renew(p.ctx, coord.Renew{Attempt: a, Fence: fence})
		if coord.CodeOf(err) == coord.CodeUnavailable && p.ctx.Err() == nil {
			continue
		}
		w.mu.Lock()
		if w.failed = err; err == nil {
			w.ends[a], w.renewal = l.ExpiresAt, ""
		}
		w.mu.Unlock()
		return
	}
}

func (p *workers) save(w *worker, id coord.TaskID, fence coord.Fence) coord.OID {
	w.n++
	commit := coord.OID(fmt.Sprintf("%020x%020x", len(w.name)*1000+int(w.name[len(w.name)-1]), w.n))
	p.do(w, servicetest.Saved, func(s coord.Service, k coord.Key) (servicetest.Effect, string, error) {
		c, err := s.RecordCheckpoint(p.ctx, coord.RecordCheckpoint{
			Key: k, Attempt: coord.NewAttemptID(id, fence.Generation), Fence: fence, Note: "some of it",
			Commit: commit, Tree: commit, Ref: "refs/coord/attempts/" + string(id), Pushed: true,
		})
		return servicetest.Effect{What: servicetest.Saved, Task: id, Mark: string(c.Commit)}, fmt.Sprint(c.Number, c.Commit), err
	})
	return commit
}

func (p *workers) release(w *worker, id coord.TaskID, fence coord.Fence) {
	p.do(w, servicetest.Released, func(s coord.Service, k coord.Key) (servicetest.Effect, string, error) {
		a, err := s.Release(p.ctx, coord.Release{Key: k, Attempt: coord.NewAttemptID(id, fence.Generation), Fence: fence, Reason: "for another"})
		return servicetest.Effect{What: servicetest.Released, Task: id, Mark: strconv.FormatInt(a.Generation, 10)}, string(a.ID), err
	})
}

func (p *workers) submit(w *worker, id coord.TaskID, fence coord.Fence) {
	w.n++
	commit := coord.OID(fmt.Sprintf("%020x%020x", int(w.name[len(w.name)-1]), w.n))
	p.do(w, servicetest.Submitted, func(s coord.Service, k coord.Key) (servicetest.Effect, string, error) {
		x, err := s.Submit(p.ctx, coord.Submit{
			Key: k, Attempt: coord.NewAttemptID(id, fence.Generation), Fence: fence, Commit: commit, Tree: commit, Base: commit,
			Ref: "refs/coord/candidates/" + string(commit), Summary: "all of it",
		})
		return servicetest.Effect{What: servicetest.Submitted, Task: id, Mark: string(x.Submission.ID)}, fmt.Sprint(x.Submission.ID, x.Submission.Commit), err
	})
}

// refused claims a task that another one holds.
func (p *workers) refused(w *worker) {
	p.held.Range(func(id, by any) bool {
		if by == w {
			return true
		}
		p.do(w, "", func(s coord.Service, k coord.Key) (servicetest.Effect, string, error) {
			_, err := s.Claim(p.ctx, coord.Claim{Key: k, Project: "pay", Task: id.(coord.TaskID)})
			return servicetest.Effect{}, "granted", err
		})
		return false
	})
}
