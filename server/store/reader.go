package store

import (
	"context"
	"database/sql"

	"coord"
)

// readers is a fixed number of read-only connections.
type readers struct {
	db     *sql.DB
	free   chan *reader
	closed chan struct{}
}

// reader is one connection with the statements prepared on it. One goroutine
// has it at a time.
type reader struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func openReaders(ctx context.Context, path string) (*readers, error) {
	db, err := openPool(path, "deferred", readerSettings, readerCount)
	if err != nil {
		return nil, err
	}
	rs := &readers{db: db, free: make(chan *reader, readerCount), closed: make(chan struct{})}
	for range readerCount {
		conn, err := db.Conn(ctx)
		if err != nil {
			_ = db.Close()
			return nil, unreadable(err)
		}
		rs.free <- &reader{conn: conn, stmts: map[string]*sql.Stmt{}}
	}
	return rs, nil
}

// Close waits for the reads that run, and closes the connections.
func (rs *readers) Close() error {
	close(rs.closed)
	for range readerCount {
		r := <-rs.free
		for _, st := range r.stmts {
			_ = st.Close()
		}
		_ = r.conn.Close()
	}
	return rs.db.Close()
}

// take waits for a free reader.
func (rs *readers) take(ctx context.Context) (*reader, error) {
	select {
	case <-rs.closed:
		return nil, coord.Errorf(coord.CodeUnavailable, "the server is stopping")
	default:
	}
	select {
	case r := <-rs.free:
		return r, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-rs.closed:
		return nil, coord.Errorf(coord.CodeUnavailable, "the server is stopping")
	}
}

func (r *reader) prepared(query string) (*sql.Stmt, error) {
	if st := r.stmts[query]; st != nil {
		return st, nil
	}
	st, err := r.conn.PrepareContext(context.Background(), query)
	if err == nil {
		r.stmts[query] = st
	}
	return st, err
}

// plain runs a command that begins or ends a snapshot. It never carries the
// request's context: a reader goes back without an open transaction.
func (r *reader) plain(command string) error {
	st, err := r.prepared(command)
	if err != nil {
		return err
	}
	_, err = st.ExecContext(context.Background())
	return err
}

// read runs fn on a snapshot that includes every acknowledged change.
func (s *Store) read(ctx context.Context, fn func(*view) error) error {
	return s.withReader(ctx, func(r *reader, v *view) error { return r.snapshot(v, fn) })
}

// look is read for an fn that makes one query, which is a snapshot by itself.
func (s *Store) look(ctx context.Context, fn func(*view) error) error {
	return s.withReader(ctx, func(_ *reader, v *view) error {
		return guarded(func() error { return fn(v) })
	})
}

func (s *Store) withReader(ctx context.Context, fn func(*reader, *view) error) error {
	r, err := s.readers.take(ctx)
	if err != nil {
		return fault(err)
	}
	defer func() { s.readers.free <- r }()
	err = fn(r, &view{ctx: ctx, now: s.now(), stmt: r.prepared})
	if isBroken(err) {
		s.writer.condemn(err)
	}
	return fault(err)
}

func (r *reader) snapshot(v *view, fn func(*view) error) error {
	if err := r.plain("BEGIN"); err != nil {
		return err
	}
	err := guarded(func() error { return fn(v) })
	if end := r.plain("ROLLBACK"); err == nil {
		err = end // it wrote nothing
	}
	return err
}
