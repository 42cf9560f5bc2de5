package db

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations/*.sql
var migrations embed.FS

// versions is the table of what is applied of our own migrations.
const versions = "schema_versions"

// Migrate brings the schema up to date, ours and River's. It is idempotent. It waits while another process migrates the database: a command may be run while a
// panel starts. A database that is older than the first migration is refused with ErrTooOld.
func (d *DB) Migrate(ctx context.Context) error {
	unlock, err := d.lockSchema(ctx)
	if err != nil {
		return fmt.Errorf("wait for another migration of the database: %w", err)
	}
	defer unlock()
	d, end, err := d.unlimited(ctx)
	if err != nil {
		return err
	}
	defer end()
	provider, err := d.provider()
	if err != nil {
		return err
	}
	if err := d.renumber(ctx, provider); err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	if d.Dialect == PostgreSQL {
		migrator, err := rivermigrate.New(riverpgxv5.New(d.pools[Jobs].pool), nil)
		if err != nil {
			return fmt.Errorf("prepare the job queue's migrations: %w", err)
		}
		_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
		if err != nil {
			return fmt.Errorf("migrate the job queue: %w", err)
		}
		return nil
	}
	migrator, err := rivermigrate.New(riversqlite.New(d.write), nil)
	if err != nil {
		return fmt.Errorf("prepare the job queue's migrations: %w", err)
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("migrate the job queue: %w", err)
	}
	return nil
}

// unlimited returns the database for a migration: on PostgreSQL with connections that have no time limits, until end is called.
func (d *DB) unlimited(ctx context.Context) (m *DB, end func(), err error) {
	if d.Dialect != PostgreSQL {
		return d, func() {}, nil
	}
	m = newDB(d.Dialect, d.Clock)
	h, err := m.openHandle(ctx, d.pools[Jobs].pool.Config(), migration, leastConnections/2)
	if err != nil {
		return nil, nil, err
	}
	m.pools = map[Use]*handle{Jobs: h}
	return m, func() { _ = m.Close() }, nil
}

// schemaLock is the advisory lock of who migrates: "schema" in ASCII.
const schemaLock = 0x736368656d61

// lockPoll is how often a lock that another process holds is tried again. Waiting in the database would hold a snapshot there.
const lockPoll = 50 * time.Millisecond

// lockSchema keeps other processes from migrating the database until unlock is called, or the process ends.
func (d *DB) lockSchema(ctx context.Context) (unlock func(), err error) {
	if d.Dialect != PostgreSQL {
		return lockDirectory(ctx, d.dir)
	}
	conn, err := pgx.ConnectConfig(ctx, d.pools[Jobs].pool.Config().ConnConfig)
	if err != nil {
		return nil, err
	}
	unlock = func() { _ = conn.Close(context.WithoutCancel(ctx)) }
	err = wait(ctx, func() (ok bool, err error) {
		err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, schemaLock).Scan(&ok)
		return ok, err
	})
	if err != nil {
		unlock()
	}
	return unlock, err
}

// wait tries until it is done.
func wait(ctx context.Context, try func() (done bool, err error)) error {
	for {
		if done, err := try(); done || err != nil {
			return err
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// provider applies the migrations. A branch may add one with a number that is lower than one that is already applied.
func (d *DB) provider() (*goose.Provider, error) {
	files, err := d.migrationFiles()
	if err != nil {
		return nil, err
	}
	dialect := goose.DialectSQLite3
	if d.Dialect == PostgreSQL {
		dialect = goose.DialectPostgres
	}
	provider, err := goose.NewProvider(dialect, d.writer(context.Background()), files, goose.WithTableName(versions), goose.WithAllowOutofOrder(true))
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return provider, nil
}

// columnComment is a line about a column. SQLite would store it with the table, and read it at each connection.
var columnComment = regexp.MustCompile(`(?m)^ +--.*\n`)

// migrationFiles returns the migrations, translated for this database.
func (d *DB) migrationFiles() (fs.FS, error) {
	if d.Dialect == PostgreSQL {
		return fs.Sub(migrations, "migrations")
	}
	words := strings.NewReplacer("BIGSERIAL PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT", "BYTEA", "BLOB")
	out := fstest.MapFS{}
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		out[path.Base(name)] = &fstest.MapFile{Data: []byte(words.Replace(columnComment.ReplaceAllString(string(text), "")))}
	}
	return out, nil
}

// Schema reports whether migrations are missing from the database, and whether it has some that this program does not know. It changes nothing in a database
// that has been migrated before.
func (d *DB) Schema(ctx context.Context) (pending, newer bool, err error) {
	former, err := d.formerVersions(ctx)
	if err != nil || former != nil {
		return former != nil, false, err
	}
	provider, err := d.provider()
	if err != nil {
		return false, false, err
	}
	if pending, err = provider.HasPending(ctx); err != nil {
		return false, false, fmt.Errorf("read the schema's version: %w", err)
	}
	var newest, known int64
	if err := d.writer(ctx).QueryRowContext(ctx, `SELECT COALESCE(MAX(version_id), 0) FROM `+versions).Scan(&newest); err != nil {
		return false, false, fmt.Errorf("read the schema's version: %w", err)
	}
	for _, s := range provider.ListSources() {
		known = max(known, s.Version)
	}
	return pending, newest > known, nil
}
