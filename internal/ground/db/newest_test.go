package db_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// history returns a list of an unbounded table, of one parent.
func history[T any](table, parent string) func(context.Context, *db.DB, string) (string, db.List, error) {
	return func(ctx context.Context, d *db.DB, cursor string) (string, db.List, error) {
		l := db.List{Table: table, Where: []db.Cond{db.Equal(parent, int64(1))}, Sort: []db.Order{{Column: "created_at", Desc: true}}, Limit: 30, Cursor: cursor}
		text, args, err := db.Statement[T](l)
		if err != nil {
			return "", l, err
		}
		plan, err := explain(ctx, d, text, args)
		return plan, l, err
	}
}

func explain(ctx context.Context, d *db.DB, text string, args []any) (string, error) {
	var out []string
	err := d.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		prefix := "EXPLAIN QUERY PLAN "
		if d.Dialect == db.PostgreSQL { // small tables are scanned, which says nothing about large ones
			prefix = "EXPLAIN "
			for _, off := range []string{"enable_seqscan", "enable_bitmapscan", "enable_sort", "enable_incremental_sort"} {
				if _, err := tx.SQL.ExecContext(ctx, "SET LOCAL "+off+" = off"); err != nil {
					return err
				}
			}
		}
		rows, err := tx.SQL.QueryContext(ctx, prefix+text, args...)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		columns, err := rows.Columns()
		if err != nil {
			return err
		}
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(any)
			}
			if err := rows.Scan(values...); err != nil {
				return err
			}
			out = append(out, fmt.Sprint(*values[len(values)-1].(*any)))
		}
		return rows.Err()
	})
	return strings.Join(out, "\n"), err
}

// The newest rows of a history, and the page behind a cursor, are read from an index, however long the history is.
func TestNewestAreNotSorted(t *testing.T) {
	t.Parallel()
	histories := map[string]func(context.Context, *db.DB, string) (string, db.List, error){
		"events of an organization":        history[query.Event]("events", "organization_id"),
		"events of a server":               history[query.Event]("events", "server_id"),
		"audit entries of an organization": history[query.AuditEntry]("audit_entries", "organization_id"),
		"audit entries of a user":          history[query.AuditEntry]("audit_entries", "user_id"),
		"deliveries of a webhook":          history[query.Delivery]("deliveries", "webhook_id"),
		"deliveries of a channel":          history[query.Delivery]("deliveries", "channel_id"),
		"deployments of a site":            history[query.Deployment]("deployments", "site_id"),
		"deployments of a server":          history[query.Deployment]("deployments", "server_id"),
		"commands of a site":               history[query.Command]("commands", "site_id"),
		"runs of a recipe":                 history[query.RecipeRun]("recipe_runs", "recipe_id"),
		"runs of a shipped recipe":         history[query.RecipeRun]("recipe_runs", "shipped_recipe_id"),
		"backups of a configuration":       history[query.Backup]("backups", "configuration_id"),
		"sites of an organization":         history[query.Site]("sites", "organization_id"),
	}
	both(t, func(t *testing.T, d *db.DB) {
		for name, look := range histories {
			t.Run(name, func(t *testing.T) {
				first, l, err := look(t.Context(), d, "")
				if err != nil {
					t.Fatal(err)
				}
				next, _, err := look(t.Context(), d, db.CursorAt(l, []string{"1700000000000000"}, 7))
				if err != nil {
					t.Fatal(err)
				}
				for _, plan := range []string{first, next} {
					if index := l.Table + "_"; strings.Contains(plan, "Sort") || strings.Contains(plan, "TEMP B-TREE") ||
						!strings.Contains(plan, index) || !strings.Contains(plan, "_created") {
						t.Errorf("the plan is\n%s", plan)
					}
				}
				if from := []string{"created_at<?", "created_at <= "}; !slices.ContainsFunc(from, func(s string) bool { return strings.Contains(next, s) }) {
					t.Errorf("the page behind the cursor does not begin there:\n%s", next)
				}
			})
		}
	})
}
