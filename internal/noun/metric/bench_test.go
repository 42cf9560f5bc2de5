package metric

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// BenchmarkMetrics measures what is kept of 200 servers for 30 days in an embedded database, in MB, and how long an answer from it and a minute's write
// to it take; cpu-ms/op is the processor time of an answer about all of them: -bench Metrics ./internal/noun/metric.
func BenchmarkMetrics(b *testing.B) {
	const servers = 200
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	d, err := dbtest.Open(b.Context(), db.Config{Dir: b.TempDir(), Clock: clock.Fixed(now)})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	size := func() float64 {
		s, err := d.Space(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		all, _ := s.Bytes()
		return float64(all) / 1e6
	}
	before := size()
	at := minuteOf(now.UnixMicro())
	rows := fill(b, d, servers, at)
	kept := size() - before
	b.Run("30d of a server", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			answer(b, d, rows[i%servers], at)
		}
		b.ReportMetric(kept, "MB-of-200")
	})
	b.Run("30d of 200 servers", func(b *testing.B) {
		for b.Loop() {
			for _, row := range rows {
				answer(b, d, row, at)
			}
		}
	})
	for _, span := range []string{"24h", "30d"} {
		b.Run(span+" of a fleet of 200", func(b *testing.B) {
			asked := fleetSpans[span]
			from, _ := asked.ends(at)
			grant := access.NewGrant(access.Actor{}, access.SetOf(access.All()...), true, nil)
			grant.OrganizationID = 1
			began := processorTime(b)
			for b.Loop() {
				all, err := readFleet(b.Context(), d, grant, asked, from)
				if err != nil || len(all.servers) != servers || all.all[0].of(wire.MetricCPU) == nil {
					b.Fatalf("%d servers, %v", len(all.servers), err)
				}
				if _, err := json.Marshal(all.servers); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((processorTime(b)-began).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
	b.Run("a minute of a server", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			err := d.Tx(b.Context(), func(ctx context.Context, tx *db.Tx) error {
				return record(ctx, tx, ofServer(rows[i%servers]), random(at+int64(i/servers), 1, 1))
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// processorTime is what this process has used: a busy machine makes an answer late, and costs it nothing.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func fill(b *testing.B, d *db.DB, servers int, at int64) (rows []query.Server) {
	b.Helper()
	for i := range servers {
		err := d.Tx(b.Context(), func(ctx context.Context, tx *db.Tx) error {
			if i == 0 {
				if _, err := tx.InsertOrganization(ctx, "acme", "acme", 1, 1); err != nil {
					return err
				}
			}
			row, err := tx.InsertServer(ctx, query.InsertServerParams{
				OrganizationID: 1, Name: fmt.Sprint("web-", i), Slug: fmt.Sprint("web-", i), Type: "web",
				Provider: "custom", Status: "ready", SSHPort: 22, SSHUser: "root", Timezone: "UTC",
			})
			if err != nil {
				return err
			}
			rows = append(rows, row)
			if err := record(ctx, tx, ofServer(row), random(at-26*60, 26*60, 1)); err != nil {
				return err
			}
			_, err = put(ctx, tx, ofServer(row), byHalfHour, random(at-32*24*60, 32*48, byHalfHour.step))
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return rows
}

// random are samples of random values, which no compression would make smaller.
func random(first, n, step int64) []sample {
	out := make([]sample, n)
	for i := range out {
		out[i] = sample{first + int64(i)*step, make([]float32, wire.Metrics)}
		for m := range out[i].values {
			out[i].values[m] = 100 * rand.Float32()
		}
	}
	return out
}

func answer(b *testing.B, d *db.DB, row query.Server, at int64) {
	b.Helper()
	steps, err := read(b.Context(), d.Read(), ofServer(row), spans["30d"], at-spans["30d"].minutes)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := marks(b.Context(), d.Read(), row, microsOf(at-spans["30d"].minutes), microsOf(at)); err != nil {
		b.Fatal(err)
	}
	for _, s := range steps {
		if s.of(wire.MetricCPU) == nil {
			b.Fatal("a step is empty")
		}
	}
}
