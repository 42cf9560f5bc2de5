package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// Use is what connections to PostgreSQL are used for. Each use has a pool of its own: none waits for the connections of another.
type Use string

// The uses of connections.
const (
	// Jobs is everything that no request waits for. It is the use of a context without one.
	Jobs Use = "jobs"
	// Requests is what a caller waits for.
	Requests Use = "requests"
	// Queue is River's: it takes jobs, and hears of new ones on a connection that it keeps.
	Queue Use = "queue"
	// Readiness is the check that a balancer makes.
	Readiness Use = "readiness"
	// migration is without time limits, and is closed after its use.
	migration Use = "migration"
)

type keyUse struct{}

// For returns a context whose queries and transactions run on the connections of a use.
func For(ctx context.Context, use Use) context.Context { return context.WithValue(ctx, keyUse{}, use) }

// limits are the times after which PostgreSQL ends a statement of a use; 0 is never.
type limits struct {
	lock      time.Duration // waiting for a lock
	statement time.Duration
	idle      time.Duration // between statements of a transaction
}

var limitsOf = map[Use]limits{
	Requests:  {lock: 10 * time.Second, statement: 30 * time.Second, idle: time.Minute},
	Jobs:      {lock: time.Minute, statement: 10 * time.Minute, idle: 10 * time.Minute},
	Queue:     {idle: 10 * time.Minute},
	Readiness: {lock: 3 * time.Second, statement: 4 * time.Second, idle: 10 * time.Second},
	migration: {},
}

// acquireWithin is how long a statement or a transaction waits for a connection. Whoever holds one waits for no other, so that the wait is for statements
// of others, whose times are limited.
const acquireWithin = 15 * time.Second

// DefaultConnections is the number of connections to PostgreSQL of all pools together, if the database's URL does not set pool_max_conns. PostgreSQL allows
// 100 by default, which is enough for three replicas.
const DefaultConnections = 24

// leastConnections is the smallest number that the pools can share.
const leastConnections = 8

// shares divides connections among the pools.
func shares(total int) map[Use]int {
	total = max(total, leastConnections)
	queue := min(4, total/4)
	rest := total - queue - 1
	return map[Use]int{Readiness: 1, Queue: queue, Requests: rest / 2, Jobs: rest - rest/2}
}

// handle is a pool of connections of one use.
type handle struct {
	sql  *sql.DB
	pool *pgxpool.Pool
}

func (h *handle) close() error {
	err := h.sql.Close()
	h.pool.Close()
	return err
}

// parsePool reads a database URL, and the number of connections that it allows.
func parsePool(at string) (c *pgxpool.Config, total int, err error) {
	c, err = pgxpool.ParseConfig(at)
	parsed, parseErr := pgx.ParseConfig(at) // which keeps what only pools know
	if err != nil || parseErr != nil {
		return nil, 0, errors.New("the database URL can't be read: it must look like postgres://user@host/name")
	}
	if _, set := parsed.RuntimeParams["pool_max_conns"]; set {
		return c, int(c.MaxConns), nil
	}
	return c, DefaultConnections, nil
}

// openHandle opens the pool of a use. It connects at its first use.
func (d *DB) openHandle(ctx context.Context, base *pgxpool.Config, use Use, most int) (*handle, error) {
	c := base.Copy()
	c.MaxConns = int32(most) //nolint:gosec // a share of a number that pgxpool has as int32
	c.MinConns, c.MinIdleConns = min(c.MinConns, c.MaxConns), min(c.MinIdleConns, c.MaxConns)
	set := limitsOf[use].statements(c.ConnConfig.RuntimeParams)
	c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		// Not as parameters of the start: poolers between Hostler and PostgreSQL refuse those that they do not know.
		_, err := conn.Exec(ctx, set)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	// Connections are the pool's alone: database/sql keeps none.
	shared := sql.OpenDB(&connector{Connector: stdlib.GetPoolConnector(pool), db: d})
	shared.SetMaxIdleConns(0)
	return &handle{shared, pool}, nil
}

// statements returns what sets the limits. Those that the database's URL sets stay.
func (l limits) statements(given map[string]string) string {
	text := ""
	for _, s := range []struct {
		name  string
		limit time.Duration
	}{{"lock_timeout", l.lock}, {"statement_timeout", l.statement}, {"idle_in_transaction_session_timeout", l.idle}} {
		if _, ok := given[s.name]; !ok {
			text += "SET " + s.name + " = " + strconv.FormatInt(s.limit.Milliseconds(), 10) + ";"
		}
	}
	return text
}

// ErrBusy is returned if no connection became free in time.
var ErrBusy = errors.New("all connections to the database are in use")

// connector lends connections of a pool to database/sql, which asks for one for each statement outside of a transaction, and for each transaction.
type connector struct {
	driver.Connector
	db *DB
}

// Connect waits for a connection.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	c.db.held.check()
	within, cancel := context.WithTimeout(ctx, acquireWithin)
	defer cancel()
	conn, err := c.Connector.Connect(within)
	if err != nil && ctx.Err() == nil && within.Err() != nil {
		return nil, fmt.Errorf("%w: %w", ErrBusy, err)
	}
	return conn, err
}

// of returns the pool that a context's statements run on.
func (d *DB) of(ctx context.Context) *handle {
	use, _ := ctx.Value(keyUse{}).(Use)
	if h := d.pools[use]; h != nil {
		return h
	}
	return d.pools[Jobs]
}

// writer and reader return what statements run on outside of a transaction.
func (d *DB) writer(ctx context.Context) *sql.DB {
	if d.pools == nil {
		return d.write
	}
	return d.of(ctx).sql
}

func (d *DB) reader(ctx context.Context) *sql.DB {
	if d.pools == nil {
		return d.read
	}
	return d.of(ctx).sql
}

// PoolStat is how much the connections of a use are used.
type PoolStat struct {
	Use               string
	Most, Open, Taken int
	// Waits is how often a connection was waited for, Waited how long altogether.
	Waits  int64
	Waited time.Duration
}

// PoolStats returns a PoolStat for each use; on SQLite for its connections that read and the one that writes.
func (d *DB) PoolStats() []PoolStat {
	var out []PoolStat
	if d.pools == nil {
		for use, one := range map[string]*sql.DB{"reads": d.read, "writes": d.write} {
			s := one.Stats()
			out = append(out, PoolStat{use, s.MaxOpenConnections, s.OpenConnections, s.InUse, s.WaitCount, s.WaitDuration})
		}
		return out
	}
	for use, h := range d.pools {
		s := h.pool.Stat()
		out = append(out, PoolStat{string(use), int(s.MaxConns()), int(s.TotalConns()), int(s.AcquiredConns()), s.EmptyAcquireCount(), s.EmptyAcquireWaitTime()})
	}
	return out
}
