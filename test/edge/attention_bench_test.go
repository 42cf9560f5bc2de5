package edge

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// What needs attention among 10 000 sites, each with a domain, a repository, a redirect and a job; the work of one in a hundred failed.
func BenchmarkAttention(b *testing.B) {
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		w := newWorld(New(b, dialect))
		manySites(b, w, "crowded", 10_000)
		for _, table := range []string{"domains", "projects", "redirect_rules", "scheduled_jobs", "security_rules", "certificates", "environments", "deployments"} {
			alike(b, w, table)
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			for _, q := range []string{
				"UPDATE operations SET state = 'failed', finished_at = created_at WHERE id = (SELECT MIN(id) FROM operations)",
				"UPDATE sites SET operation_id = (SELECT MIN(id) FROM operations) WHERE id % 100 = 0",
			} {
				if _, err := tx.SQL.ExecContext(ctx, q); err != nil {
					return err
				}
			}
			return nil
		})
		if dialect == db.PostgreSQL {
			if _, err := w.App.DB.SQLDB().ExecContext(b.Context(), "ANALYZE"); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprint(dialect), func(b *testing.B) {
			c := newCaller(b, w.URL, "GET", api.Root+"/orgs/crowded/attention", w.owner.Token)
			b.Log(c.do(b, "", 200))
			stop := cpu(b)
			for b.Loop() {
				c.do(b, "", 200)
			}
			stop()
		})
	}
}

// alike gives every site of manySites a row like the first of a table.
func alike(b *testing.B, w *world, table string) {
	b.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		rows, err := tx.SQL.QueryContext(ctx, "SELECT * FROM "+table+" LIMIT 1")
		if err != nil {
			return err
		}
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		if !rows.Next() {
			b.Logf("%s has no row", table)
			return rows.Close()
		}
		if err := rows.Close(); err != nil {
			return err
		}
		var names, values []string
		for _, c := range columns {
			of := map[string]string{
				"site_id": "s.id", "server_id": "s.server_id", "organization_id": "s.organization_id", "operation_id": "NULL",
				"hook_hash": "'hash of ' || s.id",
			}[c]
			switch {
			case c == "id":
				continue
			case c == "name" && table == "domains":
				of = "s.name"
			case of == "":
				of = "r." + c
			}
			names, values = append(names, c), append(values, of)
		}
		_, err = tx.SQL.ExecContext(ctx,
			fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM sites s, %s r WHERE r.%s = (SELECT MIN(%s) FROM %s) AND s.name LIKE 'site-%%'", table,
				strings.Join(names, ", "), strings.Join(values, ", "), table, columns[0], columns[0], table))
		if err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
		return nil
	})
}
