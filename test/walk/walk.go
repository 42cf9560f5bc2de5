// Package walk is what random walks have in common, whether they go over a host that is a model or over a real one: the moves, what must be true of each
// resource once all is quiet, and the search for the shortest walk that fails.
package walk

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
)

// A Move is one step of a walk. N selects the noun, and which of the resources or operations at hand the move is about.
type Move struct {
	What string
	N    int
}

func (m Move) String() string { return fmt.Sprintf("{%q, %d}", m.What, m.N) }

// Moves change what is asked for, what a host can hear, and who listens. A name that is listed more often is drawn more often. A lane can draw from a list
// of its own, with moves that only it knows.
var Moves = []string{
	"create", "create", "create", "poison", "batch", "update", "update", "poison update", "delete", "delete", "cancel", "cancel", "retry", "deadline",
	"cut", "lost before", "lost after",
	"slow", "heal", "heal", "kill", "quiet",
}

// Draw returns a walk of count of these moves.
func Draw(random *rand.Rand, moves []string, count int) []Move {
	out := make([]Move, count)
	for i := range out {
		out[i] = Move{moves[random.IntN(len(moves))], random.IntN(1000)}
	}
	return out
}

// Settings are how many walks there are, their seed, and the kinds of resources that they keep to (nil for all).
type Settings struct {
	Count int
	Seed  uint64
	Nouns []string
}

// Read returns the settings of the environment: the count from a variable with this name, HOSTLER_WALK_SEED and HOSTLER_WALK_NOUNS
// ("rules,redirect-rules"). It logs the seed.
func Read(t testing.TB, name string, count int) Settings {
	t.Helper()
	s := Settings{Count: count, Seed: uint64(time.Now().UnixNano())}
	var err error
	if text := os.Getenv(name); text != "" {
		if s.Count, err = strconv.Atoi(text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if text := os.Getenv("HOSTLER_WALK_SEED"); text != "" {
		if s.Seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("HOSTLER_WALK_SEED: %v", err)
		}
	}
	if text := os.Getenv("HOSTLER_WALK_NOUNS"); text != "" {
		s.Nouns = strings.Split(text, ",")
	}
	t.Logf("HOSTLER_WALK_SEED=%d", s.Seed)
	return s
}

// Has reports whether the walks are about a kind of resource.
func (s Settings) Has(kind string) bool { return s.Nouns == nil || slices.Contains(s.Nouns, kind) }

// Shrink leaves out moves without which a walk fails as well, many at once first, until none can be left out or the time is up.
func Shrink(walked []Move, within time.Duration, fails func([]Move) bool) []Move {
	until := time.Now().Add(within)
	for size := len(walked) / 2; size > 0; size /= 2 {
		for i := 0; i < len(walked) && time.Now().Before(until); {
			if less := slices.Delete(slices.Clone(walked), i, min(i+size, len(walked))); fails(less) {
				walked = less
			} else {
				i += size
			}
		}
	}
	return walked
}

// A Resource is one of a noun.
type Resource struct {
	Kind string
	ID   int64
}

// Asked is what one operation asked for.
type Asked struct {
	Resource
	Mark string // what is seen of the resource on its host afterwards, and nowhere else; empty for a deletion
	// Parts are what a deletion takes away with the resource.
	Parts []Resource
}

// Doubt is in the reason of an operation whose time was up before its end on the host was known.
const Doubt = "is not known until it answers"

// An End is how an operation ended.
type End struct {
	Operation int64
	State     string
}

// Truth is what must be so of a resource once all is quiet.
type Truth struct {
	// Mark is on the host, and no other of the resource; "" where the host does not have it.
	Mark string
	// Deleted reports whether a deletion was the last that succeeded.
	Deleted bool
	// Unsure reports whether newer work failed or was cancelled, which may have left something where it can't be put back.
	Unsure bool
}

// Status is what its row shows: the noun's status of what its host has, that of what could not be created, or "" for no row.
func (t Truth) Status(applied, failed string) string {
	switch {
	case t.Mark != "":
		return applied
	case t.Deleted:
		return ""
	}
	return failed
}

// Reckon returns the truth of every resource that operations asked for, from how they ended in the order of their acceptance, and all marks that were
// asked for. What succeeded is so; what failed or was cancelled changed nothing.
func Reckon(asked map[int64]Asked, ends []End) (truths map[Resource]Truth, marks []string) {
	truths = map[Resource]Truth{}
	for _, end := range slices.SortedFunc(slices.Values(ends), func(a, b End) int { return int(a.Operation - b.Operation) }) {
		a, ok := asked[end.Operation]
		if !ok {
			continue
		}
		t := truths[a.Resource]
		if t.Unsure = end.State != job.StateSucceeded; !t.Unsure {
			t.Mark, t.Deleted = a.Mark, a.Mark == ""
		}
		truths[a.Resource] = t
		for _, part := range a.Parts {
			t := truths[part]
			if t.Unsure = end.State != job.StateSucceeded; !t.Unsure {
				t.Mark, t.Deleted = "", true
			}
			truths[part] = t
		}
		if a.Mark != "" && !slices.Contains(marks, a.Mark) {
			marks = append(marks, a.Mark)
		}
	}
	return truths, marks
}

// Live compares what is on a host with the truth. live reports whether a mark is there.
func Live(truths map[Resource]Truth, marks []string, live func(mark string) bool) error {
	applied := map[string]bool{}
	for _, t := range truths {
		applied[t.Mark] = true
	}
	for _, mark := range marks {
		if is := live(mark); is != applied[mark] {
			return fmt.Errorf("%s is on the host: %v, and applied: %v", mark, is, applied[mark])
		}
	}
	return nil
}
