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

// schemaVersion is what the last migration sets user_version to. Schema 1 was
// that of a version which was never released, and is not brought up to date.
const schemaVersion = 2

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
	case have == 1:
		return coord.Errorf(coord.CodeSetup, "the database was made by a version of coord that was never released, and this one does not read it; nothing was changed").
			WithNext("coord export with that version", "coord serve --data DIR")
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
