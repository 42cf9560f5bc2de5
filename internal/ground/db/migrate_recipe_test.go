package db

import (
	"strings"
	"testing"
)

// Runs from before recipes were shipped stay with their recipe.
func TestRunsStayWithTheirRecipe(t *testing.T) {
	t.Parallel()
	for _, dialect := range []Dialect{SQLite, PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			o := oldDatabase(t, dialect)
			o.exec(`INSERT INTO recipe_runs (id, recipe_id, organization_id, server_id, name, run_as, script, email, status, created_at) VALUES (7, 3, 1, 1, 'uptime', 'root', 'uptime', FALSE, 'finished', 1)`)
			_ = o.conn.Close()
			if err := o.Migrate(t.Context(), o.box); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(o.texts(`SELECT recipe_id FROM recipe_runs WHERE id = 7 AND shipped_recipe_id IS NULL`), " "); got != "3" {
				t.Errorf("the run is of recipe %q, want 3", got)
			}
		})
	}
}
