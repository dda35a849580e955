package store

import (
	"context"
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"coord"
)

func asCoord(err error, e **coord.Error) bool { return errors.As(err, e) }

// fault turns an error of the storage into what a caller may know: that
// nothing was changed and the same request may be sent again.
func fault(err error) error {
	var known *coord.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case isFull(err):
		return coord.Errorf(coord.CodeStorageFull, "the server's disk is full; nothing was changed: %w", err).WithActor("operator").
			WithNext("free space on the server's disk, then the same command again")
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return coord.Errorf(coord.CodeUnavailable, "the request ended before the server answered: %w", err)
	case resultCode(err) == sqlite3.SQLITE_BUSY || isBroken(err):
		return coord.Errorf(coord.CodeUnavailable, "the server's storage did not answer; nothing was changed: %w", err)
	}
	return coord.Errorf(coord.CodeInternal, "storage: %w", err)
}

// ofSQLite is the error of SQLite that err carries, or nil.
func ofSQLite(err error) error {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// resultCode is SQLite's primary result code, or 0.
func resultCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

func isFull(err error) bool {
	return resultCode(err) == sqlite3.SQLITE_FULL
}

// isBroken reports errors after which the file must not be written any more:
// an I/O error may have lost pages that were thought to be written.
func isBroken(err error) bool {
	switch resultCode(err) {
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	}
	return false
}
