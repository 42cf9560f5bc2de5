// Package db opens SQLite or PostgreSQL and puts one set of generated queries in front of both. It is the only importer of database drivers.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Dialect names the database behind a DB.
type Dialect string

// The supported databases.
const (
	SQLite     Dialect = "sqlite"
	PostgreSQL Dialect = "postgres"
)

// ErrNotFound is returned if a requested row does not exist.
var ErrNotFound = sql.ErrNoRows

// DB is an open database. Reads run concurrently; on SQLite, writing transactions run one at a time.
type DB struct {
	Dialect Dialect
	Clock   clock.Clock

	write *sql.DB         // on SQLite
	read  *sql.DB         // on SQLite
	pools map[Use]*handle // on PostgreSQL
	reads *query.Granted
	stmts *statements
	held  held
	dir   string // of the file, on SQLite
}

// Config names the database to open.
type Config struct {
	// URL is postgres://… ; empty means SQLite.
	URL string
	// Dir contains hostler.db if URL is empty.
	Dir   string
	Clock clock.Clock
}

// Open opens the database and migrates its schema.
func Open(ctx context.Context, c Config) (*DB, error) {
	d, err := Connect(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := d.Migrate(ctx); err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

// Connect opens the database without migrating it.
func Connect(ctx context.Context, c Config) (*DB, error) {
	if c.Clock == nil {
		c.Clock = clock.System{}
	}
	if c.URL != "" {
		return connectPostgreSQL(ctx, c)
	}
	return connectSQLite(ctx, c)
}

func connectSQLite(ctx context.Context, c Config) (*DB, error) {
	file := filepath.Join(c.Dir, "hostler.db")
	made, err := makeFile(file)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	// busy_timeout must come first: switching to WAL needs the lock as well.
	pragmas := []string{
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "secure_delete(1)", "temp_store(2)",
		"cache_size(-16000)",
	}
	dsn := func(extra string) string {
		return "file:" + (&url.URL{Path: file}).EscapedPath() + "?_pragma=" + strings.Join(pragmas, "&_pragma=") + extra
	}
	if made { // before WAL, which writes the first page
		pragmas = slices.Insert(pragmas, 1, "auto_vacuum(2)")
	}
	write, err := sql.Open("sqlite", dsn("&_txlock=immediate"))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	write.SetMaxOpenConns(1)
	if err := write.PingContext(ctx); err != nil {
		_ = write.Close()
		return nil, fmt.Errorf("open %s: %w", file, ofDamage(err))
	}
	pragmas = slices.DeleteFunc(pragmas, func(p string) bool { return p == "auto_vacuum(2)" })
	read, err := sql.Open("sqlite", dsn("&_pragma=query_only(1)"))
	if err != nil {
		_ = write.Close()
		return nil, fmt.Errorf("open %s for reading: %w", file, err)
	}
	read.SetMaxOpenConns(max(4, runtime.NumCPU()))
	read.SetMaxIdleConns(max(4, runtime.NumCPU()))
	d := newDB(SQLite, c.Clock)
	d.write, d.read, d.dir = write, read, c.Dir
	return d, nil
}

// makeFile creates a missing database file, and reports whether it was missing: SQLite would create it as the umask allows, and creates -wal and -shm with
// the same mode. An existing file is not opened: closing it would release this process's locks on it (fcntl(2)).
func makeFile(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, f.Close()
}

func connectPostgreSQL(ctx context.Context, c Config) (*DB, error) {
	base, total, err := parsePool(c.URL)
	if err != nil {
		return nil, err
	}
	d := newDB(PostgreSQL, c.Clock)
	d.pools = map[Use]*handle{}
	for use, most := range shares(total) {
		if d.pools[use], err = d.openHandle(ctx, base, use, most); err != nil {
			delete(d.pools, use)
			_ = d.Close()
			return nil, err
		}
	}
	if err := d.pools[Jobs].pool.Ping(ctx); err != nil {
		_ = d.Close()
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	if d.Clock == (clock.System{}) {
		server := &serverClock{pool: d.pools[Jobs].pool}
		if err := server.read(ctx); err != nil {
			_ = d.Close()
			return nil, err
		}
		d.Clock = server
	}
	return d, nil
}

func newDB(dialect Dialect, c clock.Clock) *DB {
	d := &DB{Dialect: dialect, Clock: c}
	d.stmts = newStatements(d)
	d.reads = query.New(d.stmts).Granted()
	return d
}

// Close closes all connections.
func (d *DB) Close() error {
	d.stmts.close()
	var err error
	for _, h := range d.pools {
		err = errors.Join(err, h.close())
	}
	if d.pools == nil {
		err = errors.Join(d.read.Close(), d.write.Close())
	}
	return err
}

// Read returns the queries of the edge for reading only. They run in the transaction of their context, or in none.
func (d *DB) Read() *query.Granted { return d.reads }

// Reader returns the handle for reading lists. It reads in the transaction of its context, or in none.
func (d *DB) Reader() query.DBTX { return d.stmts }

// Reads returns the number of queries made outside of transactions.
func (d *DB) Reads() int64 { return d.stmts.reads.Load() }

// Setting returns a setting of a database of any version; ErrNotFound if it is not set, or there are no tables yet.
func (d *DB) Setting(ctx context.Context, name string) (string, error) {
	tables := `SELECT COUNT(*) FROM sqlite_master WHERE name = 'settings'`
	if d.Dialect == PostgreSQL {
		tables = `SELECT COUNT(to_regclass('settings'))`
	}
	var n int
	if err := d.writer(ctx).QueryRowContext(ctx, tables).Scan(&n); err != nil {
		return "", err
	}
	if n == 0 {
		return "", ErrNotFound
	}
	var value string
	err := d.writer(ctx).QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	return value, err
}

// SQLDB returns the handle that writes, for River on SQLite and for tests.
func (d *DB) SQLDB() *sql.DB { return d.writer(context.Background()) }

// Pool returns River's pool of PostgreSQL connections; nil on SQLite.
func (d *DB) Pool() *pgxpool.Pool {
	if d.pools == nil {
		return nil
	}
	return d.pools[Queue].pool
}

// Tx is a transaction with one reading of the clock.
type Tx struct {
	*query.Granted
	// Now is the start of the transaction.
	Now time.Time
	// SQL runs statements that the generated queries do not cover.
	SQL query.DBTX
	// SQLite and PostgreSQL are the driver's own transaction, for River; one of them is set. On PostgreSQL it is lent to a function: database/sql gives
	// the connection back by its own decision, when a statement finds its context ended, and from then on it is another's.
	SQLite     *sql.Tx
	PostgreSQL func(func(pgx.Tx) error) error

	// Touched are the aspects of servers with newly accepted work, for the plan of a dry run.
	Touched []Touched
	// Begun are the events of that work.
	Begun []int64

	after   []func()
	marked  int            // how many of them Mark leaves to Undo
	servers map[int64]bool // those that LockServer has locked
	db      *DB
	running atomic.Bool
}

// Touched names an aspect of a server that a transaction changes.
type Touched struct {
	ServerID int64
	Aspect   string
}

// Micros returns Now as the database stores it.
func (t *Tx) Micros() int64 { return t.Now.UnixMicro() }

// LockServer serializes transactions that change one server, or anything on it, until they end: what one of them read stays true.
// Whoever writes operations, their output or the rows that show them does so first, before any other lock: else two of them wait for each other, or one
// writes what it read before the other. On SQLite writing transactions are serialized anyway.
func (t *Tx) LockServer(ctx context.Context, id int64) error {
	if t.servers[id] {
		return nil
	}
	if err := t.LockRow(ctx, "servers", id); err != nil {
		return err
	}
	if t.servers == nil {
		t.servers = map[int64]bool{}
	}
	t.servers[id] = true
	return nil
}

// HoldServer is LockServer for a change of where a server belongs. It also waits for transactions that only counted on that, by StayServer.
func (t *Tx) HoldServer(ctx context.Context, id int64) error {
	return t.rowLock(ctx, "servers", id, "UPDATE")
}

// StayServer lets other transactions change a server, and HoldServer wait: the server belongs to the same organization until this transaction ends.
func (t *Tx) StayServer(ctx context.Context, id int64) error {
	return t.rowLock(ctx, "servers", id, "KEY SHARE")
}

// LockRow serializes transactions that change one row of a table that has ids, until they end. A change that depends on the row reads it after the lock.
// On SQLite writing transactions are serialized anyway.
func (t *Tx) LockRow(ctx context.Context, table string, id int64) error {
	return t.rowLock(ctx, table, id, "NO KEY UPDATE")
}

func (t *Tx) rowLock(ctx context.Context, table string, id int64, strength string) error {
	if t.PostgreSQL == nil {
		return nil
	}
	if _, err := t.SQL.ExecContext(ctx, "SELECT id FROM "+table+" WHERE id = $1 FOR "+strength, id); err != nil {
		return fmt.Errorf("lock row %d of %s: %w", id, table, err)
	}
	return nil
}

// LockServers locks several servers, in order of id: two transactions that lock some of the same never wait for each other.
func (t *Tx) LockServers(ctx context.Context, ids ...int64) error {
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		if err := t.LockServer(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// LockServersOf locks the servers of rows, as LockServers does.
func LockServersOf[T any](ctx context.Context, tx *Tx, rows []T, server func(T) int64) error {
	ids := make([]int64, len(rows))
	for i, row := range rows {
		ids[i] = server(row)
	}
	return tx.LockServers(ctx, ids...)
}

// AfterCommit runs f once the transaction is durable.
func (t *Tx) AfterCommit(f func()) { t.after = append(t.after, f) }

// Mark names the present state of the transaction for Undo.
func (t *Tx) Mark(ctx context.Context) error {
	if _, err := t.SQL.ExecContext(ctx, "SAVEPOINT marked"); err != nil {
		return fmt.Errorf("mark the transaction: %w", err)
	}
	t.marked = len(t.after)
	return nil
}

// Undo takes back what was written since Mark: the transaction reads what was there before.
func (t *Tx) Undo(ctx context.Context) error {
	if _, err := t.SQL.ExecContext(ctx, "ROLLBACK TO SAVEPOINT marked"); err != nil {
		return fmt.Errorf("undo in the transaction: %w", err)
	}
	t.Touched, t.Begun, t.after = nil, nil, t.after[:t.marked]
	t.servers = nil // PostgreSQL gives back what was locked since
	return nil
}

// ErrRollback makes Tx roll back and return nil, for dry runs.
var ErrRollback = errors.New("roll back")

var errNested = errors.New("a transaction was begun within another")

// Tx runs f in a transaction that can write. It commits if f returns nil, else it rolls back.
func (d *DB) Tx(ctx context.Context, f func(ctx context.Context, tx *Tx) error) error {
	if d.txOf(ctx) != nil {
		return errNested
	}
	run := d.sqliteTx
	if d.Dialect == PostgreSQL {
		run = d.postgresTx
	}
	tx := &Tx{Now: d.Clock.Now(), db: d}
	err := run(ctx, tx, func(ctx context.Context, tx *Tx) error {
		tx.running.Store(true)
		defer tx.running.Store(false)
		defer d.held.take()()
		return f(context.WithValue(ctx, keyTx{}, tx), tx)
	})
	if errors.Is(err, ErrRollback) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, after := range tx.after {
		after()
	}
	return nil
}

func (d *DB) sqliteTx(ctx context.Context, tx *Tx, f func(context.Context, *Tx) error) error {
	t, err := d.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	defer func() { _ = t.Rollback() }()
	tx.Granted, tx.SQL, tx.SQLite = query.New(t).Granted(), t, t
	if err := f(ctx, tx); err != nil {
		return err
	}
	if err := t.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// River needs pgx's own transaction, the generated queries need database/sql: both run on the connection that is pinned here.
func (d *DB) postgresTx(ctx context.Context, tx *Tx, f func(context.Context, *Tx) error) error {
	conn, err := d.writer(ctx).Conn(ctx)
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	defer func() { _ = conn.Close() }()
	var t pgx.Tx
	err = conn.Raw(func(driver any) error {
		var err error
		t, err = driver.(*stdlib.Conn).Conn().Begin(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	lend := func(f func(pgx.Tx) error) error { return conn.Raw(func(any) error { return f(t) }) }
	// A connection that was given back in a transaction is closed by the pool, which rolls it back.
	defer func() { _ = lend(func(t pgx.Tx) error { return t.Rollback(context.WithoutCancel(ctx)) }) }()
	tx.Granted, tx.SQL, tx.PostgreSQL = query.New(conn).Granted(), conn, lend
	if err := f(ctx, tx); err != nil {
		return err
	}
	if err := lend(func(t pgx.Tx) error { return t.Commit(ctx) }); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// IsUnique reports whether an error is a violated unique constraint.
func IsUnique(err error) bool {
	var se *sqlite.Error
	if errors.As(err, &se) {
		return se.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || se.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
	}
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.Code == "23505"
}

// IsDeadlock reports whether PostgreSQL ended a transaction because it and another waited for each other. It can be run again.
func IsDeadlock(err error) bool {
	var pe *pgconn.PgError
	return errors.As(err, &pe) && (pe.Code == "40P01" || pe.Code == "40001")
}

// IsBusy reports whether an error is only that the database is too busy: nothing was changed, and the same can be tried later. Locks, connections and time
// were not to be had.
func IsBusy(err error) bool {
	var se *sqlite.Error
	if errors.As(err, &se) {
		return se.Code()&0xff == sqlite3.SQLITE_BUSY
	}
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return IsDeadlock(err) || slices.Contains([]string{"55P03", "57014", "53300", "53400", "25P03"}, pe.Code)
	}
	return errors.Is(err, ErrBusy)
}

// IsForeign reports whether an error is a violated foreign key: a row refers to one that does not exist, or would be left without one that it refers to.
func IsForeign(err error) bool {
	var se *sqlite.Error
	if errors.As(err, &se) {
		return se.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
	}
	var pe *pgconn.PgError
	return errors.As(err, &pe) && pe.Code == "23503"
}

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error { return d.reader(ctx).PingContext(ctx) }
