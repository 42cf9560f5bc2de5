package job_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// mustEvent opens a database with one event.
func mustEvent(t *testing.T, c db.Config) (*db.DB, int64) {
	t.Helper()
	c.Dir = t.TempDir()
	d, err := dbtest.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	var event query.Event
	err = d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		org, err := tx.InsertOrganization(ctx, "main", "main", 1, 1)
		if err != nil {
			return err
		}
		event, err = tx.InsertEvent(ctx, query.InsertEventParams{OrganizationID: org.ID, Description: "Deploying"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d, event.ID
}

// Transactions that append to one event concurrently wait for each other, and none fails for the number of its piece.
func TestSayBesideEachOther(t *testing.T) {
	t.Parallel()
	d, event := mustEvent(t, db.Config{URL: dbtest.URL(t)})
	const writers, pieces = 8, 5
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range pieces {
				err := d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
					return job.Say(ctx, tx, event, job.Piece{Kind: "note", Content: "a"}, job.Piece{Kind: "note", Content: "b"})
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	text, err := job.Output(t.Context(), d.Read(), event, nil)
	if want := strings.Repeat("ab", writers*pieces); err != nil || text != want {
		t.Errorf("the output is %q, want %q: %v", text, want, err)
	}
}

// Only Say writes output, because it takes the lock.
func TestOutputIsWrittenBySayAlone(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(path, "../../ground/db/query/") || path == "../../engine/job/say.go" {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), ".AppendOutput(") {
			t.Errorf("%s appends output without job.Say", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// An event with more output than an answer can contain keeps its end, with the reason of a failure, however many pieces it has.
func TestOutputKeepsBothEnds(t *testing.T) {
	t.Parallel()
	d, event := mustEvent(t, db.Config{})
	const size, count = 60 << 10, 300 // 18 MB
	for i := range count {
		err := d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			return job.Say(ctx, tx, event, job.Piece{Kind: "output", Content: fmt.Sprintf("%06d%s", i, strings.Repeat("x", size-6))},
				job.Piece{Kind: "step", Content: "s"})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := job.Output(t.Context(), d.Read(), event, func(kind string) bool { return kind == "output" })
	if err != nil {
		t.Fatal(err)
	}
	missing := wire.Missing(size*count - 16<<20)
	if !strings.HasPrefix(text, "000000xxx") || !strings.Contains(text, missing) || !strings.Contains(text[len(text)-size:], "000299xxx") ||
		len(text) != 16<<20+len(missing) {
		t.Errorf("%d bytes are shown, from %.20q to %q", len(text), text, text[len(text)-20:])
	}
}

// What a host prints faster than twice a second is written on the way, and not kept in memory until then.
func TestFastOutputIsWrittenOnTheWay(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.prints = 64
	written := 0
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		if err := b.db.Reader().QueryRowContext(t.Context(), "SELECT COALESCE(SUM(LENGTH(content)), 0) FROM event_outputs").Scan(&written); err != nil {
			t.Error(err)
		}
		return done(run)
	})
	_, accepted := b.add(time.Minute, "1001")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	if written < 2<<20 {
		t.Errorf("of 4 MiB that were printed, %d bytes were written when the run ended", written)
	}
	if kept := len(b.output(accepted[0].EventID)); kept < 4<<20 {
		t.Errorf("of 4 MiB that were printed, %d bytes are kept", kept)
	}
}
