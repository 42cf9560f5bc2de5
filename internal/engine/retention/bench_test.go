package retention

import (
	"context"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
)

// BenchmarkRest measures what 100 000 operations cost an embedded database, and what is left of them a year later: sizes in MB, the time that deleting took,
// the longest wait of a concurrent writer, and the time to open the database. Run it once: -bench Rest -benchtime 1x.
func BenchmarkRest(b *testing.B) {
	for b.Loop() {
		rest(b)
	}
}

func rest(b *testing.B) {
	dir := b.TempDir()
	w := newWorld(b, db.Config{Dir: dir, Clock: clock.Fixed(now)})
	old := now.Add(-400 * day).UnixMicro()
	for _, text := range []string{
		`INSERT INTO events (id, organization_id, server_id, description, operation_id, created_at, updated_at)
			WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
			SELECT i, 1, 1, 'Updating firewall rule', i, $1 + i * 1000000, $1 + i * 1000000 FROM n`,
		`INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request,
			state, step, reason, attempt, cancelled, deadline, event_id, needs, created_at, updated_at, finished_at)
			SELECT id, 1, 1, 'firewall', 'firewallRules', id % 500, 'update', description, '{}', 'succeeded', '', '', 1, FALSE, $1, id, '',
			created_at, created_at, created_at FROM events`,
		`INSERT INTO wishes (operation_id, kind, id, version, specification, ended_at)
			SELECT id, 'firewall', id % 500, 1, printf('{"port":%d,"name":"%.150c"}', id, 'x'), created_at + $1 - $1 FROM operations`,
		`INSERT INTO event_outputs (event_id, seq, kind, step, content, created_at)
			SELECT e.id, n.i, 'output', 'write', printf('%.300c', 'x'), e.created_at + $1 - $1
			FROM events e JOIN (SELECT 1 AS i UNION SELECT 2 UNION SELECT 3 UNION SELECT 4) AS n`,
	} {
		w.exec(0, text, old)
	}
	size := func() float64 {
		s, err := w.db.Space(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		all, _ := s.Bytes()
		return float64(all) / (1 << 20)
	}
	b.ReportMetric(size(), "MB-before")
	ctx, stop := context.WithCancel(b.Context())
	waited := make(chan time.Duration)
	go func() { waited <- longestWait(ctx, w.db) }()
	began := time.Now()
	(&Keeper{DB: w.db, Keep: Defaults()}).mustRun(b)
	b.ReportMetric(time.Since(began).Seconds(), "s-deleting")
	stop()
	b.ReportMetric(float64((<-waited).Milliseconds()), "ms-longest-wait")
	b.ReportMetric(size(), "MB-after")
	w.want("operations that rows are made of", `SELECT COUNT(*) FROM operations`, "500")
	began = time.Now()
	again, err := dbtest.Open(b.Context(), db.Config{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms-opening")
	_ = again.Close()
}

// longestWait writes until ctx ends, and returns the longest that it took.
func longestWait(ctx context.Context, d *db.DB) (longest time.Duration) {
	for ctx.Err() == nil {
		began := time.Now()
		if err := d.Write(ctx); err == nil {
			longest = max(longest, time.Since(began))
		}
	}
	return longest
}
