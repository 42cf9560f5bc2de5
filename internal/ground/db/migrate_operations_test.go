package db_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
)

// Operations from before say what the platform knew by their names: whether their work stays, and what retrying and cancelling it needs.
func TestOperationsSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	bothBefore(t, 369, func(t *testing.T, b before) {
		for i, op := range []struct{ aspect, resource, state, needs string }{
			{"firewall", "rules", "pending", ""},
			{"command/3", "commands", "failed", ""},
			{"recipe/3", "recipe_runs", "pending", "recipe:view"},
			{"reboot", "servers", "failed", "server:manage-services"},
			{"commander", "unknown", "failed", ""},
		} {
			b.exec(`INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request, state, step, reason, attempt, cancelled, deadline, needs, asked_by, created_at, updated_at)
				VALUES ($1, 1, 1, $2, $3, 1, 'update', '', '{}', $4, '', '', 0, FALSE, 1, $5, 7, 1, 1)`, i+1, op.aspect, op.resource, op.state, op.needs)
		}
		b.migrate(secrettest.Box(t))
		type says struct {
			Lasting bool
			Needs   string
			Asked   bool
		}
		var got []says
		for i := range 5 {
			op, err := b.d.Read().Ungranted().GetOperation(t.Context(), int64(i+1))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, says{op.Lasting, op.Needs, op.AskedBy != nil})
		}
		// Who asked for open work without permissions is not compared with permissions that were made up.
		want := []says{
			{false, "server:manage-network", false},
			{true, "site:manage-commands", true},
			{true, "recipe:view", true},
			{true, "server:manage-services", true},
			{false, "", true},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
