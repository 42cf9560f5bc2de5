package db

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

func mustOpen(t *testing.T) *DB {
	t.Helper()
	d, err := Open(t.Context(), Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func (s *statements) len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.by)
}

func TestStatementsArePreparedOnce(t *testing.T) {
	t.Parallel()
	d := mustOpen(t)
	var done sync.WaitGroup
	for range 8 {
		done.Go(func() {
			for range 50 {
				if _, err := d.Read().Ungranted().CountUsers(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	if n := d.stmts.len(); n != 1 {
		t.Errorf("%d statements for one text", n)
	}
	if _, err := d.stmts.QueryContext(t.Context(), "SELECT nothing FROM nowhere"); err == nil {
		t.Error("a wrong text was run")
	}
	if n := d.stmts.len(); n != 1 {
		t.Errorf("%d statements after a wrong text", n)
	}
}

// Few statements are prepared, however many page sizes there are.
func TestStatementsOfListsAreFew(t *testing.T) {
	t.Parallel()
	d := mustOpen(t)
	for size := 1; size <= 200; size++ {
		if _, err := Select[query.Server](t.Context(), d.Reader(), List{Table: "servers", Where: []Cond{Equal("organization_id", 1)}, Limit: size}); err != nil {
			t.Fatal(err)
		}
		ids := make([]any, size)
		for i := range ids {
			ids[i] = i
		}
		if _, err := All[query.Operation](t.Context(), d.Reader(), "operations", Equal("id", ids...)); err != nil {
			t.Fatal(err)
		}
	}
	if n := d.stmts.len(); n > 10 {
		t.Errorf("%d statements for 200 sizes of one list, want one, and one for each power of two", n)
	}
}

// Beyond the limit statements still run.
func TestStatementsAreBounded(t *testing.T) {
	t.Parallel()
	d := mustOpen(t)
	for i := range maxStatements + 50 {
		var n int
		if err := d.stmts.QueryRowContext(context.Background(), fmt.Sprintf("SELECT %d", i)).Scan(&n); err != nil || n != i {
			t.Fatalf("text %d gives %d, %v", i, n, err)
		}
	}
	if n := d.stmts.len(); n != maxStatements {
		t.Errorf("%d statements, want %d", n, maxStatements)
	}
	if _, err := d.Read().Ungranted().CountUsers(t.Context()); err != nil {
		t.Error(err)
	}
}
