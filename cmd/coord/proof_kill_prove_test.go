package main

import (
	"sync"

	"coord"
	"coord/servicetest"
)

// prove holds the record after a restart to what was acknowledged before it.
// Nobody works meanwhile; whoever was cut off waits to send again.
func (p *workers) prove() {
	p.m.t.Helper()
	p.readLog()
	acks := p.explained()
	p.attributed()
	p.askAgain(acks)
	p.compare()
}

// proveAll is prove when nothing is under way any more: all is explained, and
// every task is compared once more.
func (p *workers) proveAll() {
	p.m.t.Helper()
	for id := range p.log.Tasks {
		p.touched[id] = true
	}
	p.prove()
	for _, e := range p.unexplained {
		p.m.t.Errorf("nobody was told of event %d: %s", e.Seq, e.Text)
	}
	for _, w := range p.all {
		if w.failed != nil {
			p.m.t.Error(w.failed)
		}
	}
}

// readLog reads what was added, and proves that it follows.
func (p *workers) readLog() {
	p.m.t.Helper()
	for {
		page, err := p.reader.Events(p.ctx, "", p.log.Seq, 1000)
		if err != nil {
			p.m.t.Fatal(err)
		}
		for _, e := range page {
			d, err := p.log.Add(e)
			if err != nil {
				p.m.t.Fatal(err)
			}
			if e.Task != "" {
				p.touched[e.Task] = true
			}
			if d.What != "" {
				p.unexplained[d.Effect] = e
			}
		}
		if len(page) == 0 {
			break
		}
	}
	for e := range p.unexplained {
		if e.What == servicetest.Created && p.log.Follows(e.Task) {
			delete(p.unexplained, e)
		}
	}
}

// explained wants an event for every acknowledged change.
func (p *workers) explained() map[*worker][]ack {
	p.m.t.Helper()
	out := map[*worker][]ack{}
	for _, w := range p.all {
		w.mu.Lock()
		out[w], w.acks = w.acks, nil
		p.resent += w.sent
		w.sent = 0
		w.mu.Unlock()
		for _, a := range out[w] {
			if a.effect.What == "" {
				p.refusals++
				continue
			}
			p.changes++
			if e, ok := p.unexplained[a.effect]; !ok || e.Actor != w.name {
				p.m.t.Errorf("%s was told %v, and the log has %+v", w.name, a.effect, e)
			}
			delete(p.unexplained, a.effect)
		}
	}
	return out
}

// attributed wants what nobody was told of to be the one request that its
// session did not get an answer to.
func (p *workers) attributed() {
	p.m.t.Helper()
	for _, w := range p.all {
		w.mu.Lock()
		pending, n := w.pending, 0
		w.mu.Unlock()
		for e, event := range p.unexplained {
			if event.Actor != w.name {
				continue
			}
			p.lost++
			if n++; e.What != pending || n > 1 {
				p.m.t.Errorf("%s waits for the answer to %q, and nobody was told of event %d: %s", w.name, pending, event.Seq, event.Text)
			}
		}
	}
}

// askAgain sends what was answered once more under its key.
func (p *workers) askAgain(acks map[*worker][]ack) {
	p.m.t.Helper()
	var wg sync.WaitGroup
	for w, mine := range acks {
		wg.Go(func() {
			for _, a := range mine {
				if effect, outcome, err := a.again(w.direct); effect != a.effect || outcome != a.outcome {
					p.m.t.Errorf("%s was told %v %q, and now %v %q, %v", w.name, a.effect, a.outcome, effect, outcome, err)
				}
			}
		})
	}
	wg.Wait()
}

// compare reads the tasks that changed and compares them with the log, and
// their leases with what their holders were told.
func (p *workers) compare() {
	p.m.t.Helper()
	ids := make(chan coord.TaskID)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for id := range ids {
				p.compareTask(id)
			}
		})
	}
	for id := range p.touched {
		ids <- id
		delete(p.touched, id)
	}
	close(ids)
	wg.Wait()
}

func (p *workers) compareTask(id coord.TaskID) {
	d, err := p.reader.Task(p.ctx, id)
	if err != nil {
		p.m.t.Errorf("%s: %v", id, err)
		return
	}
	if why := p.log.Differs(d); why != "" {
		p.m.t.Error(why)
	}
	for _, a := range d.Attempts {
		for _, w := range p.all {
			if w.name == a.Owner {
				w.sameLease(p, a)
			}
		}
	}
}

// sameLease wants the end of the lease that the holder was told, or a later
// one while its renewal is under way. The answer to its claim may be lost.
func (w *worker) sameLease(p *workers, a coord.Attempt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	end, told := w.ends[a.ID]
	later := w.renewal == a.ID && a.Lease.ExpiresAt.After(end)
	if told && !a.Lease.ExpiresAt.Equal(end) && !later || !told && w.pending != servicetest.Granted {
		p.m.t.Errorf("the lease of %s ends at %s; %s was told %s", a.ID, a.Lease.ExpiresAt, w.name, end)
	}
}
