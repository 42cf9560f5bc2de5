package edge

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// The newest 30 of 124 000 events, and 30 from their middle.
func BenchmarkNewestEvents(b *testing.B) {
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		w := newWorld(New(b, dialect))
		const n = 124_000
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
INSERT INTO events (organization_id, server_id, description, created_at, updated_at)
	SELECT $2, $3, 'Installing', 1700000000000000 + i * 1000, 1700000000000000 FROM n`, n, w.org.ID, number(w.mine.server))
			return err
		})
		if dialect == db.PostgreSQL {
			if _, err := w.App.DB.SQLDB().ExecContext(b.Context(), "ANALYZE events"); err != nil {
				b.Fatal(err)
			}
		}
		first := w.owner.Get("/orgs/acme/events?sort=-created_at&page[size]=200").Want(b, 200)
		next, _ := first.At("meta", "next_cursor").(string)
		for name, q := range map[string]string{"first": "", "next": "&page[cursor]=" + next} {
			b.Run(fmt.Sprintf("%s/%s", dialect, name), func(b *testing.B) {
				c := newCaller(b, w.URL, "GET", api.Root+"/orgs/acme/events?sort=-created_at&page[size]=30"+q, w.owner.Token)
				c.do(b, "", 200)
				stop := cpu(b)
				for b.Loop() {
					c.do(b, "", 200)
				}
				stop()
			})
		}
	}
}

// The cost of 150 idle streams, as parts of a core.
func BenchmarkStandingStreams(b *testing.B) {
	w := newWorld(New(b, db.SQLite))
	for i := range 150 {
		if i%15 == 0 {
			w.owner = w.Of(w.Member(w.org, fmt.Sprintf("reader-%d", i), 1))
		}
		res, leave := w.owner.Stream("/orgs/acme/events/stream")
		defer leave()
		if res.StatusCode != 200 {
			b.Fatal(res.StatusCode)
		}
	}
	used := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before, reads, began := used(), w.App.DB.Reads(), time.Now()
	for b.Loop() {
		time.Sleep(100 * time.Millisecond)
	}
	took := time.Since(began)
	b.ReportMetric(100*float64(used()-before)/float64(took), "%-of-a-core")
	b.ReportMetric(float64(w.App.DB.Reads()-reads)/took.Seconds(), "reads/s")
}
