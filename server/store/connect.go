package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"

	"coord"
)

// setting is a pragma with the value that reading it back must give.
type setting struct{ name, set, back string }

// durable are the settings of every connection. wal_autocheckpoint lets the
// WAL keep a size at which commits overwrite instead of growing the file.
var durable = []setting{
	{"busy_timeout", "10000", "10000"},
	{"journal_mode", "WAL", "wal"},
	{"synchronous", "FULL", "2"},
	{"foreign_keys", "1", "1"},
	{"temp_store", "MEMORY", "2"},
	{"wal_autocheckpoint", "4000", "4000"},
	{"trusted_schema", "0", "0"},
}

var (
	writerSettings = append([]setting{{"cache_size", "-65536", "-65536"}}, durable...)
	readerSettings = append([]setting{{"cache_size", "-8192", "-8192"}, {"query_only", "1", "1"}}, durable...)
)

const readerCount = 4

// leastSQLite is the first release without the WAL-reset bug: before it, a
// checkpoint beside a commit may corrupt a database in WAL mode.
// https://sqlite.org/wal.html
var leastSQLite = [3]int{3, 51, 3}

// checkVersion refuses an SQLite that is older than leastSQLite, or whose
// version cannot be read.
func checkVersion(linked string) error {
	var have [3]int
	_, err := fmt.Sscanf(linked+".", "%d.%d.%d.", &have[0], &have[1], &have[2])
	if err == nil && slices.Compare(have[:], leastSQLite[:]) >= 0 {
		return nil
	}
	return coord.Errorf(coord.CodeSetup, "this program is built with SQLite %s; the server needs %d.%d.%d or later, because earlier ones may corrupt a database in WAL mode; nothing was changed",
		linked, leastSQLite[0], leastSQLite[1], leastSQLite[2]).WithNext("coord version")
}

// openWriter returns a pool of exactly one connection, whose transactions
// take the write lock at once.
func openWriter(path string) (*sql.DB, error) {
	// fdatasync is a gain where the system has it, and no loss elsewhere.
	_, _ = sqlite.Fdatasync(true)
	return openPool(path, "immediate", writerSettings, 1)
}

func openPool(path, lock string, settings []setting, size int) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dataSource(path, lock, settings))
	if err != nil {
		return nil, coord.Errorf(coord.CodeSetup, "%s cannot be opened: %w", path, err)
	}
	db := sql.OpenDB(verified{Connector: c, settings: settings})
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

func dataSource(path, lock string, settings []setting) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/data becomes file:///C:/data
	}
	q := url.Values{"_txlock": {lock}}
	for _, p := range settings {
		q.Add("_pragma", p.name+"("+p.set+")")
	}
	u := url.URL{Scheme: "file", Path: slashed, RawQuery: q.Encode()}
	return u.String()
}

// verified hands out only connections on which every setting took effect: a
// pragma sent once through a pool would reach one connection.
type verified struct {
	driver.Connector
	settings []setting
}

func (v verified) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := v.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range v.settings {
		got, err := readPragma(ctx, c, p.name)
		if err == nil && got != p.back {
			err = coord.Errorf(coord.CodeSetup, "SQLite has %s at %s where %s is needed; no connection is used without it", p.name, got, p.back)
		}
		if err != nil {
			_ = c.Close()
			return nil, err
		}
	}
	return c, nil
}

func readPragma(ctx context.Context, c driver.Conn, name string) (string, error) {
	q, ok := c.(driver.QueryerContext)
	if !ok {
		return "", coord.Errorf(coord.CodeInternal, "the SQLite driver answers no direct queries")
	}
	rows, err := q.QueryContext(ctx, "PRAGMA "+name, nil)
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	row := make([]driver.Value, len(rows.Columns()))
	if err := rows.Next(row); err == io.EOF || len(row) == 0 {
		return "", nil
	} else if err != nil {
		return "", err
	}
	return fmt.Sprint(row[0]), nil
}
