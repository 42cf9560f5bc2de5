package db_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

func BenchmarkPointRead(b *testing.B) {
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		c := db.Config{Dir: b.TempDir()}
		if dialect == db.PostgreSQL {
			c.URL = pgtest.Database(b, "empty", nil)
		}
		d, err := db.Open(b.Context(), c)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = d.Close() }()
		for name, q := range map[string]*query.Queries{"through the cache": d.Read().Ungranted(), "without": query.New(d.SQLDB())} {
			b.Run(string(dialect)+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if _, err := q.CountUsers(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
