package store

import (
	"context"
	"database/sql"
	"errors"
	"runtime/debug"

	"coord"
)

// batchRun is one transaction of the writer. Its statements never carry a
// request's context: an interrupted write would roll back its neighbours.
type batchRun struct {
	w     *writer
	head  chain
	fresh map[coord.ProjectKey]coord.Seq
	timed bool // what is due next may have changed
}

func (b *batchRun) begin() error {
	_, err := b.w.conn.ExecContext(context.Background(), "BEGIN IMMEDIATE")
	return err
}

// step runs one request under its savepoint and keeps its answer. An error
// that it returns is the batch's: the transaction cannot go on.
func (b *batchRun) step(r *request) error {
	t := &tx{store: b.w.store, caller: r.caller, batch: b, head: b.head}
	t.view = view{ctx: context.Background(), now: b.w.store.now(), stmt: b.w.prepared}
	if err := b.plain("SAVEPOINT request"); err != nil {
		return err
	}
	r.err = guarded(func() error { return r.run(t) })
	if endsBatch(r.err) {
		return r.err
	}
	if r.err != nil && !t.keep {
		if err := b.plain("ROLLBACK TO request"); err != nil {
			return errors.Join(r.err, err)
		}
		t.head, t.fresh = b.head, nil
	}
	if r.err != nil && r.refuse != nil {
		if err := r.refuse(t, r.err); err != nil {
			return err
		}
	}
	if err := b.plain("RELEASE request"); err != nil {
		return err
	}
	b.accept(t)
	r.err = fault(r.err)
	return nil
}

// endsBatch reports an error that is the storage's and not the request's.
func endsBatch(err error) bool { return isFull(err) || isBroken(err) }

func (b *batchRun) accept(t *tx) {
	b.head = t.head
	for p, seq := range t.fresh {
		if b.fresh == nil {
			b.fresh = map[coord.ProjectKey]coord.Seq{}
		}
		b.fresh[p] = seq
	}
}

// finish commits, or rolls back after an error. What it returns is the answer
// to everyone in the batch; nil after a commit.
func (b *batchRun) finish(err error) error {
	if err == nil {
		err = b.forget()
	}
	if err == nil {
		err = b.raise()
	}
	next := b.w.store.due.at.Load()
	if err == nil && b.timed {
		next, err = b.findDue()
	}
	if err == nil {
		err = b.plain("COMMIT")
	}
	if err == nil {
		b.w.head = b.head
		b.w.store.due.set(next)
		b.w.store.feed.publish(b.fresh)
		if b.w.tight {
			b.w.makeRoom()
		}
		return nil
	}
	// The transaction may already be gone; then this fails, as it should.
	_ = b.plain("ROLLBACK")
	b.w.store.opt.Log.Warn("a batch was rolled back", "error", err)
	if isFull(err) {
		b.w.tight = true
		b.w.makeRoom()
	}
	var known *coord.Error
	if endsBatch(err) || errors.As(err, &known) {
		return fault(err)
	}
	return coord.Errorf(coord.CodeUnavailable, "the server could not store the change; nothing was changed: %w", err)
}

func (b *batchRun) plain(command string) error {
	st, err := b.w.prepared(command)
	if err != nil {
		return err
	}
	_, err = st.ExecContext(context.Background())
	return err
}

// guarded turns a panic into an error, so that a defect in one request does
// not leave the writer locked.
func guarded(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = coord.Errorf(coord.CodeInternal, "panic in a change: %v\n%s", p, debug.Stack())
		}
	}()
	return fn()
}

// prepared returns the statement, prepared once. Only the leader calls it.
func (w *writer) prepared(query string) (*sql.Stmt, error) {
	if st := w.stmts[query]; st != nil {
		return st, nil
	}
	st, err := w.conn.PrepareContext(context.Background(), query)
	if err == nil {
		w.stmts[query] = st
	}
	return st, err
}

// tx is one request's view of the write transaction, with what it may do
// beyond reading.
type tx struct {
	view
	store  *Store
	caller coord.Caller
	batch  *batchRun
	head   chain
	fresh  map[coord.ProjectKey]coord.Seq
	keep   bool // a refusal keeps what was written
}

func (t *tx) exec(query string, args ...any) (int64, error) {
	st, err := t.stmt(query)
	if err != nil {
		return 0, err
	}
	res, err := st.ExecContext(t.ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// change runs a guarded statement that must change exactly one row. Its WHERE
// clause repeats the whole precondition of the decision.
func (t *tx) change(query string, args ...any) error {
	n, err := t.exec(query, args...)
	if err != nil {
		return err
	}
	if n != 1 {
		return coord.Errorf(coord.CodeStateConflict, "the record is not in the state that the decision was made on; nothing was changed").WithNext("coord status")
	}
	return nil
}
