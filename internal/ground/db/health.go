package db

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// mostDamage is the maximum number of reported defects.
const mostDamage = 5

// ErrDamaged is returned for a database with inconsistent files.
var ErrDamaged = errors.New("the database is damaged")

// Verify checks the database for damage. For SQLite it reads every page and compares every index with its table (PRAGMA
// integrity_check). For PostgreSQL it names invalid indexes and pages with checksum failures; if the extension amcheck is
// installed, it checks every B-tree against its table.
func (d *DB) Verify(ctx context.Context) error {
	if d.Dialect == PostgreSQL {
		return d.verifyPostgreSQL(ctx)
	}
	found, err := Column[string](ctx, d.reader(ctx), fmt.Sprintf("PRAGMA integrity_check(%d)", mostDamage))
	if err != nil {
		return fmt.Errorf("check the database: %w", ofDamage(err))
	}
	if len(found) == 1 && found[0] == "ok" {
		return nil
	}
	return damaged(found)
}

// ofDamage turns SQLite's error for inconsistent files into an ErrDamaged.
func ofDamage(err error) error {
	var se *sqlite.Error
	if errors.As(err, &se) && (se.Code()&0xff == sqlite3.SQLITE_CORRUPT || se.Code()&0xff == sqlite3.SQLITE_NOTADB) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

func damaged(found []string) error {
	return fmt.Errorf("%w: %s", ErrDamaged, strings.Join(found, "; "))
}

func (d *DB) verifyPostgreSQL(ctx context.Context) error {
	found, err := Column[string](ctx,
		d.reader(ctx), fmt.Sprintf(`SELECT 'the index ' || i.indexrelid::regclass || ' is not valid' FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE NOT i.indisvalid AND c.relnamespace = current_schema()::regnamespace
UNION ALL SELECT checksum_failures || ' pages had a wrong checksum, the last at ' || checksum_last_failure
	FROM pg_stat_database WHERE datname = current_database() AND checksum_failures > 0
LIMIT %d`, mostDamage))
	if err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	if len(found) > 0 {
		return damaged(found)
	}
	checkers, err := Column[string](ctx, d.reader(ctx),
		"SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'amcheck'")
	if err != nil || len(checkers) == 0 {
		return err
	}
	// heapallindexed: every row of the table is in its index.
	_, err = Column[string](ctx, d.reader(ctx), "SELECT CAST("+checkers[0]+`.bt_index_check(c.oid, true) AS TEXT) FROM pg_class c JOIN pg_am a ON a.oid = c.relam
WHERE a.amname = 'btree' AND c.relkind = 'i' AND c.relpersistence = 'p' AND c.relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// SettingWritten is the time of the last successful write check, in RFC 3339.
const SettingWritten = "written_at"

// Write checks that the database accepts writes: it writes, and waits until that is durable.
func (d *DB) Write(ctx context.Context) error {
	return d.Tx(ctx, func(ctx context.Context, tx *Tx) error {
		return tx.PutSetting(ctx, SettingWritten, tx.Now.UTC().Format("2006-01-02T15:04:05Z"))
	})
}

// NoRoom reports whether a full disk may have caused an error, and whether nothing else can have. SQLite reports a full disk when
// it writes a page, but only a failed operation when it creates the file of its shared memory.
func NoRoom(err error) (may, must bool) {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return true, true
	}
	var pe *pgconn.PgError
	if errors.As(err, &pe) && pe.Code == "53100" { // disk_full
		return true, true
	}
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return false, false
	}
	switch se.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return true, true
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN:
		return true, false
	}
	return false, false
}
