package store

import (
	"context"
	"database/sql"

	"coord"
)

// examine proves that a database is whole, and returns what it holds: SQLite's
// own checks, and the chain of events from the first to the last. What no
// index, key or hash covers is told by the digest of the file alone.
func examine(ctx context.Context, conn *sql.Conn) (c Contents, err error) {
	if err := sound(ctx, conn); err != nil {
		return c, err
	}
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&c.Schema); err != nil {
		return c, err
	}
	if c.Schema != schemaVersion {
		return c, coord.Errorf(coord.CodeSetup, "the database has schema %d and this program knows %d", c.Schema, schemaVersion)
	}
	if err := conn.QueryRowContext(ctx, "SELECT epoch FROM server WHERE id = 1").Scan(&c.Epoch); err != nil {
		return c, err
	}
	head, err := walkChain(ctx, conn)
	if err != nil {
		return c, err
	}
	c.Seq, c.Hash = head.seq, head.hash
	c.Rows, err = rowCounts(ctx, conn)
	return c, err
}

// sound runs the checks of SQLite.
func sound(ctx context.Context, conn *sql.Conn) error {
	var said string
	if err := conn.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return coord.Errorf(coord.CodeInternal, "the database is damaged: %s", said)
	}
	return keysHold(ctx, conn)
}

func keysHold(ctx context.Context, conn *sql.Conn) error {
	var orphans int
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM pragma_foreign_key_check").Scan(&orphans); err != nil {
		return err
	}
	if orphans > 0 {
		return coord.Errorf(coord.CodeInternal, "the database is damaged: %s to what is not there", counted(orphans, "reference"))
	}
	return nil
}

// walkChain follows the events from the first and returns the last.
func walkChain(ctx context.Context, conn *sql.Conn) (c chain, err error) {
	rows, err := conn.QueryContext(ctx, "SELECT "+eventColumns+" FROM events ORDER BY seq")
	if err != nil {
		return c, err
	}
	defer discard(rows)
	for rows.Next() {
		e, err := scanEvent(rows)
		if err != nil {
			return c, err
		}
		if e.Seq != c.seq+1 || e.Hash != c.next(e) {
			return c, coord.Errorf(coord.CodeInternal, "the database is damaged: event %d is not the one that follows event %d", e.Seq, c.seq)
		}
		c = chain{seq: e.Seq, hash: e.Hash}
	}
	return c, rows.Err()
}

// rowCounts counts the rows of every table.
func rowCounts(ctx context.Context, conn *sql.Conn) (map[string]int64, error) {
	rows, err := conn.QueryContext(ctx, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
	if err != nil {
		return nil, err
	}
	defer discard(rows)
	out := map[string]int64{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		out[name] = 0
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for name := range out {
		var n int64
		if err := conn.QueryRowContext(ctx, `SELECT count(*) FROM "`+name+`"`).Scan(&n); err != nil {
			return nil, err
		}
		out[name] = n
	}
	return out, nil
}
