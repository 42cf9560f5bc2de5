package db_test

import (
	"fmt"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Wishes from before know when their operations ended.
func TestWishesKnowTheirEnd(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			d := unmigrated(t, dialect, 339)
			for id, state := range []string{"pending", "running", "succeeded", "failed", "cancelled"} {
				for _, text := range []string{
					fmt.Sprintf(`INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request, state, step, reason, attempt, cancelled, deadline, created_at, updated_at)
						VALUES (%d, 1, 1, 'firewall', 'rules', 1, 'update', '', '{}', '%s', '', '', 0, FALSE, 1, 1, 7)`, id+1, state),
					fmt.Sprintf(`INSERT INTO wishes (operation_id, kind, id, version) VALUES (%d, 'rules', 1, 1)`, id+1),
				} {
					if _, err := d.SQLDB().ExecContext(t.Context(), text); err != nil {
						t.Fatal(err)
					}
				}
			}
			key, err := secret.NewKey()
			if err != nil {
				t.Fatal(err)
			}
			box, err := secret.NewBox(key)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Migrate(t.Context(), box); err != nil {
				t.Fatal(err)
			}
			for id, want := range []bool{false, false, true, true, true} {
				wishes, err := d.Read().ListWishes(t.Context(), int64(id+1))
				if err != nil || len(wishes) != 1 {
					t.Fatalf("%v %v", wishes, err)
				}
				if ended := wishes[0].EndedAt; (ended != nil) != want || want && *ended != 7 {
					t.Errorf("that of operation %d ended at %v, want %t", id+1, ended, want)
				}
			}
		})
	}
}
