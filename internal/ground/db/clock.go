package db

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/hostlerhq/hostler/internal/ground/clock"
)

// serverClock is the clock of a PostgreSQL server. The replicas of an installation go by it: they compare the times that others of them wrote, such as the
// ends of leases and deadlines, with the current one. Between two readings it runs by the time that passes here, whatever the own clock is set to.
type serverClock struct {
	pool  *pgxpool.Pool
	ahead atomic.Int64 // of clock.System's Steady, since 1970, in nanoseconds
}

// clockJitter is a difference between two readings that means nothing.
const clockJitter = 10 * time.Millisecond

// Now returns the current time in UTC.
func (c *serverClock) Now() time.Time {
	return time.Unix(0, c.ahead.Load()+int64(c.Steady())).UTC().Truncate(time.Microsecond)
}

// Steady returns the time since an instant before the program began.
func (c *serverClock) Steady() time.Duration { return clock.System{}.Steady() }

// read reads the server's clock.
func (c *serverClock) read(ctx context.Context) error {
	var now time.Time
	asked := c.Steady()
	if err := c.pool.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now); err != nil {
		return fmt.Errorf("read the clock of the database: %w", err)
	}
	half := (c.Steady() - asked) / 2
	ahead := now.UnixNano() - int64(asked+half)
	if apart := time.Duration(ahead - c.ahead.Load()); apart.Abs() > half+clockJitter {
		c.ahead.Store(ahead)
	}
	return nil
}

// ReadClock compares the clock with that of the database's server, where that is a machine of its own.
func (d *DB) ReadClock(ctx context.Context) error {
	if c, ok := d.Clock.(*serverClock); ok {
		return c.read(ctx)
	}
	return nil
}
