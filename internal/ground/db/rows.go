package db

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Rows counts the rows of each table.
func (d *DB) Rows(ctx context.Context) (map[string]int64, error) {
	return rowsOf(ctx, d.reader(ctx), d.Dialect)
}

func rowsOf(ctx context.Context, q query.DBTX, dialect Dialect) (map[string]int64, error) {
	list := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'`
	if dialect == PostgreSQL {
		list = `SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = current_schema()`
	}
	names, err := Column[string](ctx, q, list)
	if err != nil {
		return nil, fmt.Errorf("list tables: %w", err)
	}
	out := map[string]int64{}
	for _, name := range names {
		var n int64
		if err := q.QueryRowContext(ctx, `SELECT COUNT(*) FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`).Scan(&n); err != nil {
			return nil, fmt.Errorf("count rows of %s: %w", name, err)
		}
		out[name] = n
	}
	return out, nil
}

// Snapshot counts the rows of each table on PostgreSQL, and calls f with the name of the snapshot that was counted, which pg_dump takes.
func (d *DB) Snapshot(ctx context.Context, f func(name string) error) (map[string]int64, error) {
	tx, err := d.writer(ctx).BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("begin a snapshot: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	var name string
	if err := tx.QueryRowContext(ctx, `SELECT pg_export_snapshot()`).Scan(&name); err != nil {
		return nil, fmt.Errorf("begin a snapshot: %w", err)
	}
	rows, err := rowsOf(ctx, tx, d.Dialect)
	if err != nil {
		return nil, err
	}
	return rows, f(name)
}

// Scratch creates an empty database beside the one of a PostgreSQL URL, and returns its URL and what drops it.
func Scratch(ctx context.Context, at, name string) (scratch string, drop func() error, err error) {
	u, err := url.Parse(at)
	if err != nil {
		return "", nil, fmt.Errorf("read the database URL: %w", err)
	}
	run := func(ctx context.Context, statement string) error {
		c, err := pgxpool.ParseConfig(at) // which knows the parameters of pools
		if err != nil {
			return err
		}
		conn, err := pgx.ConnectConfig(ctx, c.ConnConfig)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(ctx) }()
		_, err = conn.Exec(ctx, statement)
		return err
	}
	quoted := pgx.Identifier{name}.Sanitize()
	if err := run(ctx, "CREATE DATABASE "+quoted+" TEMPLATE template0"); err != nil {
		return "", nil, fmt.Errorf("create a database to restore to: %w", err)
	}
	u.Path = "/" + name
	return u.String(), func() error { return run(context.WithoutCancel(ctx), "DROP DATABASE "+quoted+" WITH (FORCE)") }, nil
}
