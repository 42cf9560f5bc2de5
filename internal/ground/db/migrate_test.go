package db_test

import (
	"sync"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// A command that is run while the panel starts migrates the same database: each waits for the other, and both go on.
func TestMigrationsAtOnce(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			c := config(t, dialect)
			var all sync.WaitGroup
			for range 4 {
				d, err := db.Connect(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = d.Close() })
				all.Go(func() {
					if err := d.Migrate(t.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		})
	}
}
