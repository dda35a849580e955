// Package store implements coord.Service on SQLite. It is the only package
// that knows SQL.
//
// Every change runs in a batch of changes that share one transaction and one
// sync (commit.go), behind its idempotency key (idempotency.go). Reads have
// connections and snapshots of their own (view.go). Decisions are the root
// package's; the files here read the facts, ask, and write what was decided.
// Start with claim.go.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"coord"
	"coord/files"
)

// Options says what a store needs from outside.
type Options struct {
	Path     string           // database file; the lock file and the WAL lie beside it
	Now      func() time.Time // the server's clock; it does not jump
	Wall     func() time.Time // the machine's clock, which may; nil: differences are not reported
	Plan     coord.Planner    // for imports
	Log      *slog.Logger     // discards when nil
	Random   io.Reader        // crypto/rand when nil
	MaxBatch int              // most changes that share one commit; 256 when 0
	Step     int              // changes of an import that one transaction applies; 1,000 when 0
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	opt     Options
	lock    io.Closer
	writer  *writer
	readers *readers
	feed    *feed
	due     due
	clock   clock
	epoch   int64
	hashing chan struct{} // at most two password hashes at a time
	copying sync.Mutex    // held while a backup is made
	closing sync.Once
	closed  error
	proved  atomic.Int64 // when Ready last committed, in nanoseconds; 0 when it failed
}

// Open opens the database file, creates or migrates it, and takes the lock
// beside it. It returns CodeSetup when another process has the lock, when the
// database is newer than this program, or when SQLite does not take the
// settings that durability rests on.
func Open(ctx context.Context, opt Options) (*Store, error) {
	opt, err := opt.complete()
	if err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(opt.Path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = files.TryLock(lock)
	}
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "%s is in use by another server, or its directory is not writable: %w", opt.Path, err).WithNext("coord doctor", "coord down")
	}
	s := &Store{opt: opt, lock: lock, feed: newFeed(), due: due{moved: make(chan struct{}, 1)}, hashing: make(chan struct{}, 2)}
	if err := s.open(ctx); err != nil {
		_ = s.Close() // the error that matters is the first
		return nil, err
	}
	return s, nil
}

func (o Options) complete() (Options, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil || o.Path == "" || o.Now == nil || o.Plan == nil {
		return o, coord.Errorf(coord.CodeInternal, "a store needs a path, a clock and a planner")
	}
	o.Path = path
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.MaxBatch == 0 {
		o.MaxBatch = 256
	}
	if o.Step == 0 {
		o.Step = 1000
	}
	return o, nil
}

func (s *Store) open(ctx context.Context) error {
	db, err := openWriter(s.opt.Path)
	if err != nil {
		return err
	}
	if err := prepare(ctx, db); err != nil {
		_ = db.Close()
		return err
	}
	if s.writer, err = newWriter(ctx, s, db); err != nil {
		_ = db.Close()
		return err
	}
	if err := s.startClock(ctx); err != nil {
		return err
	}
	if s.readers, err = openReaders(ctx, s.opt.Path); err != nil {
		return err
	}
	return s.read(ctx, func(v *view) error {
		seqs, err := v.lastSeqs()
		s.feed.publish(seqs)
		if err != nil {
			return err
		}
		at, err := v.nextDue()
		s.due.set(at)
		return err
	})
}

// prepare makes sure that the linked SQLite and the schema are the ones that
// the store is written for.
func prepare(ctx context.Context, db *sql.DB) error {
	var linked string
	if err := db.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&linked); err != nil {
		return unreadable(err)
	}
	if err := checkVersion(linked); err != nil {
		return err
	}
	return migrate(ctx, db)
}

// Close waits for the change and the reads that run, and releases the files.
// Requests after it fail. Closing again returns the first answer.
func (s *Store) Close() error {
	s.closing.Do(func() { s.closed = s.release() })
	return s.closed
}

func (s *Store) release() error {
	s.feed.close()
	var errs []error
	if s.readers != nil {
		errs = append(errs, s.readers.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	return errors.Join(append(errs, s.lock.Close())...)
}

// Ready proves that the store can commit. A proof is good for a second, so
// that whoever may ask without a login cannot keep the disk busy.
func (s *Store) Ready(ctx context.Context) error {
	if at := s.proved.Load(); at != 0 && s.now().Sub(instant(at)).Abs() < time.Second {
		return nil
	}
	err := s.writer.do(ctx, coord.Caller{}, func(t *tx) error {
		return t.change("UPDATE server SET checked_at = ? WHERE id = 1", nanos(t.now))
	})
	if err != nil {
		s.proved.Store(0)
		return err
	}
	s.proved.Store(nanos(s.now()))
	return nil
}

// Broken gives one error, once, when the storage failed in a way after which
// the file is not to be trusted: an I/O error, or a database that is none.
// From then on every change is refused and Ready fails; the process should
// end.
func (s *Store) Broken() <-chan error { return s.writer.failed }

// As is the service for one caller, whose credential the shells above have
// proved.
func (s *Store) As(c coord.Caller) coord.Service { return &service{Store: s, caller: c} }

// service is the store as one caller sees it.
type service struct {
	*Store
	caller coord.Caller
}

var _ coord.Service = (*service)(nil)

// discard ends a query whose rows are done with; its error was seen by Err.
func discard(rows *sql.Rows) { _ = rows.Close() }
