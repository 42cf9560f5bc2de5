package db_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
)

// Wishes from before know when their operations ended.
func TestWishesKnowTheirEnd(t *testing.T) {
	t.Parallel()
	bothBefore(t, 339, func(t *testing.T, b before) {
		states := []string{"pending", "running", "succeeded", "failed", "cancelled"}
		for i, state := range states {
			b.exec(`INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request, state, step, reason, attempt, cancelled, deadline, created_at, updated_at)
				VALUES ($1, 1, 1, 'firewall', 'rules', 1, 'update', '', '{}', $2, '', '', 0, FALSE, 1, 1, 7)`, i+1, state)
			b.exec(`INSERT INTO wishes (operation_id, kind, id, version) VALUES ($1, 'rules', 1, 1)`, i+1)
		}
		b.migrate(secrettest.Box(t))
		for i, want := range []bool{false, false, true, true, true} {
			wishes, err := b.d.Read().Ungranted().ListWishes(t.Context(), int64(i+1))
			if err != nil || len(wishes) != 1 {
				t.Fatalf("%v %v", wishes, err)
			}
			if ended := wishes[0].EndedAt; (ended != nil) != want || want && *ended != 7 {
				t.Errorf("the wish of a %s operation ended at %v, want %t", states[i], ended, want)
			}
		}
	})
}
