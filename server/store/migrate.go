package store

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"
	"log/slog"

	"github.com/pressly/goose/v3"

	"coord"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schemaVersion is the number of the last migration. Each migration ends by
// setting user_version to its own number.
const schemaVersion = 1

// migrate brings the schema up to date. A current schema costs one pragma;
// a newer one is refused.
func migrate(ctx context.Context, db *sql.DB) error {
	var have int64
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return unreadable(err)
	}
	switch {
	case have == schemaVersion:
		return nil
	case have > schemaVersion:
		return coord.Errorf(coord.CodeSetup, "the database has schema %d and this program knows up to %d; nothing was changed; start a newer coord", have, schemaVersion)
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true), goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return coord.Errorf(coord.CodeSetup, "the database could not be migrated: %w", err)
	}
	return nil
}

func unreadable(err error) error {
	if e := (*coord.Error)(nil); asCoord(err, &e) {
		return e
	}
	return coord.Errorf(coord.CodeSetup, "the database cannot be read: %w", err)
}
