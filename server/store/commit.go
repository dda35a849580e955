package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"coord"
)

// writer is the one connection that writes, with group commit. A caller that
// finds it free becomes the leader: it runs its own request, then those that
// queued meanwhile, in one transaction with a savepoint each; commits; and
// only then answers them all. The next in the queue leads the next batch, so
// nobody leads for long.
type writer struct {
	store *Store
	db    *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt

	mu      sync.Mutex
	idle    *sync.Cond // broadcast when nobody leads any more
	leading bool
	closed  bool
	queue   []*request
	broken  error      // set once; no write is tried afterwards
	failed  chan error // capacity 1: gets broken

	head       chain     // of the last committed event
	forgetNext time.Time // when to look for old keys again; only the leader looks
	tight      bool      // the disk was full, and the WAL was not emptied since
	room       time.Time // when makeRoom last tried
}

// request is one change, as it waits and runs.
type request struct {
	caller coord.Caller
	run    func(*tx) error
	refuse func(*tx, error) error // runs after the rollback of a refused run
	err    error
	lead   bool          // set before signal when the request is to lead
	signal chan struct{} // capacity 1: answered, or promoted to leader
}

func newWriter(ctx context.Context, s *Store, db *sql.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, unreadable(err)
	}
	w := &writer{store: s, db: db, conn: conn, stmts: map[string]*sql.Stmt{}, failed: make(chan error, 1)}
	w.idle = sync.NewCond(&w.mu)
	if w.head, err = w.storedHead(ctx); err != nil {
		_ = conn.Close()
		return nil, unreadable(err)
	}
	return w, nil
}

func (w *writer) storedHead(ctx context.Context) (c chain, err error) {
	err = w.conn.QueryRowContext(ctx, "SELECT coalesce(max(seq), 0), coalesce((SELECT hash FROM events ORDER BY seq DESC LIMIT 1), '') FROM events").Scan(&c.seq, &c.hash)
	return c, err
}

// do runs fn as one change and returns after it is committed and synced, or
// rolled back.
func (w *writer) do(ctx context.Context, caller coord.Caller, fn func(*tx) error) error {
	return w.submit(ctx, &request{caller: caller, run: fn})
}

func (w *writer) submit(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return fault(err)
	}
	r.signal = make(chan struct{}, 1)
	w.mu.Lock()
	if err := w.refusal(); err != nil {
		w.mu.Unlock()
		return err
	}
	if w.leading {
		w.queue = append(w.queue, r)
		w.mu.Unlock()
		return w.follow(ctx, r)
	}
	w.leading = true
	w.mu.Unlock()
	w.leadBatch(r)
	return r.err
}

func (w *writer) refusal() error {
	if w.closed {
		return coord.Errorf(coord.CodeUnavailable, "the server is stopping; nothing was changed")
	}
	if w.broken != nil {
		return coord.Errorf(coord.CodeUnavailable, "the server's storage failed and takes no changes; nothing was changed: %w", w.broken).WithActor("operator")
	}
	return nil
}

// follow waits for the answer, leads when told to, and leaves the queue when
// ctx ends before the request was begun.
func (w *writer) follow(ctx context.Context, r *request) error {
	select {
	case <-r.signal:
	case <-ctx.Done():
		if w.withdraw(r) {
			return fault(ctx.Err())
		}
		<-r.signal
	}
	if r.lead {
		w.leadBatch(r)
	}
	return r.err
}

func (w *writer) withdraw(r *request) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, q := range w.queue {
		if q == r {
			w.queue = append(w.queue[:i], w.queue[i+1:]...)
			return true
		}
	}
	return false
}

// leadBatch runs one batch that begins with own, and passes the lead on.
func (w *writer) leadBatch(own *request) {
	batch := []*request{own}
	b := &batchRun{w: w, head: w.head}
	err := b.begin()
	if err == nil {
		err = b.settleDue()
	}
	for i := 0; err == nil && i < len(batch); i++ {
		err = b.step(batch[i])
		if err == nil && i == len(batch)-1 && len(batch) < w.store.opt.MaxBatch {
			batch = append(batch, w.take(w.store.opt.MaxBatch-len(batch))...)
		}
	}
	if err = b.finish(err); err != nil {
		for _, r := range batch {
			r.err = err
		}
	}
	w.pass(err)
	for _, r := range batch[1:] {
		r.signal <- struct{}{}
	}
}

// take removes up to n waiting requests from the queue.
func (w *writer) take(n int) []*request {
	w.mu.Lock()
	defer w.mu.Unlock()
	n = min(n, len(w.queue))
	out := append([]*request(nil), w.queue[:n]...)
	w.queue = append(w.queue[:0], w.queue[n:]...)
	return out
}

// pass gives the lead to the first in the queue, or gives it up. After an
// error that ended writing, everybody who waits is refused.
func (w *writer) pass(err error) {
	w.condemn(err)
	w.mu.Lock()
	defer w.mu.Unlock()
	if refusal := w.refusal(); refusal != nil {
		for _, r := range w.queue {
			r.err = refusal
			r.signal <- struct{}{}
		}
		w.queue = nil
	}
	if len(w.queue) == 0 {
		w.leading = false
		w.idle.Broadcast()
		return
	}
	next := w.queue[0]
	w.queue = w.queue[1:]
	next.lead = true
	next.signal <- struct{}{}
}

// condemn ends writing for good if err says that the file is not to be
// trusted any more.
func (w *writer) condemn(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !isBroken(err) || w.broken != nil {
		return
	}
	w.broken = ofSQLite(err)
	w.failed <- w.broken
	w.store.proved.Store(0)
	w.store.opt.Log.Error("storage failed; no further changes are taken", "error", w.broken)
}

// makeRoom moves what is in the WAL into the database, so that the next
// commits write over the WAL. On a full disk it would otherwise go on growing
// to its usual size, and take what little space returns. Where there is no
// space for it either, it is tried again, at most once a second. Only the
// leader calls it.
func (w *writer) makeRoom() {
	now := w.store.now()
	if now.Sub(w.room) < time.Second {
		return
	}
	w.room = now
	_, err := w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
	w.tight = err != nil
}

// Close lets the running batch end and closes the connection.
func (w *writer) Close() error {
	w.mu.Lock()
	w.closed = true
	for w.leading {
		w.idle.Wait()
	}
	w.mu.Unlock()
	for _, st := range w.stmts {
		_ = st.Close()
	}
	if err := w.conn.Close(); err != nil {
		_ = w.db.Close()
		return fmt.Errorf("closing the database: %w", err)
	}
	return w.db.Close()
}
