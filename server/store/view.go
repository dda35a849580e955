package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"coord"
)

// view is one consistent snapshot: a read transaction, or the write
// transaction as it is so far. now is the server's time for all of it.
type view struct {
	ctx  context.Context
	stmt func(query string) (*sql.Stmt, error)
	now  time.Time
}

func (v *view) query(query string, args ...any) (*sql.Rows, error) {
	st, err := v.stmt(query)
	if err != nil {
		return nil, err
	}
	return st.QueryContext(v.ctx, args...)
}

// get scans the only row into dest and reports whether there was one.
func (v *view) get(dest []any, query string, args ...any) (bool, error) {
	st, err := v.stmt(query)
	if err != nil {
		return false, err
	}
	err = st.QueryRowContext(v.ctx, args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// scanner is a row of either kind.
type scanner interface{ Scan(dest ...any) error }

// list runs a query and scans each row.
func list[T any](v *view, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := v.query(query, args...)
	if err != nil {
		return nil, err
	}
	defer discard(rows)
	out := []T{}
	for rows.Next() {
		item, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, rows.Err()
}

// one is the first item of list, if any.
func one[T any](v *view, scan func(scanner) (T, error), query string, args ...any) (item T, found bool, err error) {
	items, err := list(v, scan, query, args...)
	if err != nil || len(items) == 0 {
		return item, false, err
	}
	return items[0], true, nil
}

func scanText[T ~string](r scanner) (T, error) {
	var s T
	err := r.Scan(&s)
	return s, err
}

// reading is read for one value.
func reading[T any](ctx context.Context, s *Store, fn func(*view) (T, error)) (out T, err error) {
	err = s.read(ctx, func(v *view) error {
		out, err = fn(v)
		return err
	})
	return out, err
}

func nanos(t time.Time) int64 { return t.UnixNano() }

func instant(n int64) time.Time { return time.Unix(0, n).UTC() }

func instantOrNil(n sql.NullInt64) *time.Time {
	if !n.Valid {
		return nil
	}
	t := instant(n.Int64)
	return &t
}

// orNull stores the empty value as NULL.
func orNull[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // records are strings, numbers, slices and string-keyed maps
	}
	return string(b)
}

func fromJSON(s string, v any) error {
	if err := json.Unmarshal([]byte(s), v); err != nil {
		return coord.Errorf(coord.CodeInternal, "a stored record is not the JSON that was written: %w", err)
	}
	return nil
}
