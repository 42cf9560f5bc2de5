package job_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// BenchmarkStored measures what an operation permanently leaves in the database. A change of a site has about thirty steps, of
// which most find nothing to do.
func BenchmarkStored(b *testing.B) {
	bench := newBench(b)
	bench.fleet.idle = 28
	size := func() (bytes int64) {
		var pages, each int64
		if err := bench.db.SQLDB().QueryRowContext(b.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
			b.Fatal(err)
		}
		if err := bench.db.SQLDB().QueryRowContext(b.Context(), "PRAGMA page_size").Scan(&each); err != nil {
			b.Fatal(err)
		}
		return pages * each
	}
	before, n := size(), 0
	for b.Loop() {
		n++
		_, accepted := bench.add(time.Minute, strconv.Itoa(10_000+n))
		bench.wantEnd(accepted[0], job.StateSucceeded, "")
	}
	b.ReportMetric(float64(size()-before)/float64(n), "stored-bytes/op")
}

// BenchmarkBegins measures how long after its commit accepted work reaches its host.
func BenchmarkBegins(b *testing.B) {
	bench := newBench(b)
	begun := make(chan time.Time, 1)
	bench.fleet.say(func(run wire.Run) (wire.Result, error) {
		begun <- time.Now()
		return done(run)
	})
	var waited time.Duration
	n := 0
	for b.Loop() {
		n++
		_, accepted := bench.add(time.Minute, strconv.Itoa(10_000+n))
		committed := time.Now()
		waited += (<-begun).Sub(committed)
		bench.wantEnd(accepted[0], job.StateSucceeded, "")
	}
	b.ReportMetric(float64(waited.Microseconds())/1000/float64(n), "begins-ms")
}
