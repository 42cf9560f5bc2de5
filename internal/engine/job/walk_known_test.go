package job_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/test/walk"
)

// Walks that failed once are taken again, each several times: what two transactions do at the same moment differs.
func TestWalksThatFailedOnce(t *testing.T) {
	t.Parallel()
	for name, moves := range map[string][]walk.Move{
		// While the host's report of a creation was written, the deadline of an update was too: the row was written from what one of them had read before the
		// other had ended, and said that the site could not be created.
		"an end beside a late success": {
			{What: "lost before", N: 570},
			{What: "batch", N: 176},
			{What: "retry", N: 217},
			{What: "update", N: 159},
			{What: "heal", N: 914},
			{What: "retry", N: 485},
			{What: "deadline", N: 679},
			{What: "cancel", N: 254},
			{What: "poison update", N: 597},
		},
		// Two SFTP users were created in one batch, with a stage for each: the deadline between the stages left the first on the host.
		"a deadline between two stages": {
			{What: "create", N: 912},
			{What: "create", N: 336},
			{What: "poison", N: 988},
			{What: "deadline", N: 911},
		},
	} {
		for _, on := range []string{"SQLite", "PostgreSQL"} {
			t.Run(name+"/"+on, func(t *testing.T) {
				t.Parallel()
				var doubts atomic.Int64
				var wg sync.WaitGroup
				for range 10 {
					c := db.Config{Dir: t.TempDir(), Clock: clock.System{}}
					if on == "PostgreSQL" {
						c.URL = dbtest.URL(t)
					}
					wg.Go(func() {
						if err := walked(t.Context(), c, drivers, &doubts, moves); err != nil {
							t.Error(err)
						}
					})
				}
				wg.Wait()
			})
		}
	}
}
