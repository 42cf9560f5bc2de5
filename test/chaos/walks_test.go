package chaos_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/walk"
)

// After any walk of creations, updates, deletions, cancellations, retries and deadlines, with a host that is cut off, hangs or answers badly, agents and
// panels that are killed, and a host that refuses work, rows, operations, drift and the host agree once all is quiet. HOSTLER_HOST_WALKS says how many
// walks, HOSTLER_WALK_SEED repeats them, HOSTLER_WALK_NOUNS keeps to some kinds of resources, and HOSTLER_WALK_POSTGRES takes all to two replicas on
// PostgreSQL, where one in three goes otherwise when all is run. There, the agent's directory is removed as well, and a replica is cut off the host while the
// other one reaches it.
func TestHostWalks(t *testing.T) {
	count, lanes := 1, 1
	if full() {
		count, lanes = 20, 3
	}
	settings := walk.Read(t, "HOSTLER_HOST_WALKS", count)
	nouns := slices.DeleteFunc(slices.Clone(hostNouns), func(d *hostNoun) bool { return !settings.Has(d.kind) })
	panel.BuildTenantImage(t)
	lanes = min(lanes, settings.Count)
	bed := hosts.Shared(t, lanes, hosts.Image(panel.TenantImage), hosts.Fresh())
	var mu sync.Mutex
	doubts, walked, handed, repairs, crashes, refused := 0, 0, 0, 0, 0, map[string]int{}
	sum := func(w *hostWalker) {
		mu.Lock()
		defer mu.Unlock()
		doubts, handed, repairs, crashes = doubts+len(w.doubts), handed+w.handed, repairs+w.repairs, crashes+w.p.Crashes()
		for what, n := range w.refused {
			refused[what] += n
		}
	}
	t.Run("lanes", func(t *testing.T) {
		for lane := range lanes {
			t.Run(strconv.Itoa(lane), func(t *testing.T) {
				t.Parallel()
				h := bed.Host(lane + 1)
				replicas, list := 1, walk.Moves
				if lane == 2 || os.Getenv("HOSTLER_WALK_POSTGRES") != "" {
					replicas, list = 2, replicaMoves
				}
				w := newHostWalker(t, h, nouns, replicas)
				for n := lane; n < settings.Count; n += lanes {
					moves := walk.Draw(rand.New(rand.NewPCG(settings.Seed, uint64(n))), list, 20)
					began := time.Now()
					if err := w.walk(moves); err != nil {
						t.Errorf("walk %d of seed %d: %v\nits moves: %v", n, settings.Seed, err, moves)
						if full() {
							least := walk.Shrink(moves, shrinkFor, func(less []walk.Move) bool {
								h.Reset(t)
								return newHostWalker(t, h, nouns, replicas).walk(less) != nil
							})
							t.Logf("the shortest that fails, as far as it was looked for: %v", least)
						}
						h.Reset(t)
						w.p.Kill()
						sum(w)
						w = newHostWalker(t, h, nouns, replicas)
					}
					t.Logf("walk %d took %v", n, time.Since(began).Round(time.Second))
					mu.Lock()
					walked++
					mu.Unlock()
				}
				sum(w)
			})
		}
	})
	for what, n := range refused {
		t.Logf("not accepted, %d times: %s", n, what)
	}
	t.Logf("%d walks; %d operations ended before it was known what their host had done", walked, doubts)
	t.Logf("%d lanes were handed over, %d times a host was repaired, %d programs crashed", handed, repairs, crashes)
}

// shrinkFor is how long the shortest walk that fails is looked for: each try sets a host up.
const shrinkFor = 8 * time.Minute
