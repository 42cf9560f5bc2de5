package edge

import (
	"context"
	"net/http"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/test/githost"
)

// A request that changes one attribute does not undo the change of another one that was made while it waited.
func TestChangesAreNotLost(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		for _, tc := range []struct {
			path, table, id string
			body            map[string]any
		}{
			{"recipes", "recipes", w.mine.recipe, map[string]any{"script": "df -h"}},
			{"server-credentials", "server_credentials", w.mine.credential, map[string]any{"secret": "another"}},
			{"dns-providers", "dns_providers", w.mine.dnsProvider, map[string]any{"secret": "MDEyMzQ1Njc4OWFiY2RlZg=="}},
			{"notification-channels", "notification_channels", w.mine.channel, map[string]any{"enabled": false}},
			{"source-control-providers", "source_control_providers", w.mine.source, map[string]any{"token": githost.Token}},
		} {
			t.Run(tc.path, func(t *testing.T) {
				at := "/orgs/acme/" + tc.path + "/" + tc.id
				a := w.cross(t, http.MethodPut, at, tc.body, func(ctx context.Context, tx *db.Tx) error {
					_, err := tx.SQL.ExecContext(ctx, "UPDATE "+tc.table+" SET name = 'meanwhile' WHERE id = $1", number(tc.id))
					return err
				})
				if a.Status != http.StatusOK {
					t.Fatalf("answered %d %s", a.Status, a.Body)
				}
				if got := w.owner.Get(at).Want(t, 200).Text("data", "attributes", "name"); got != "meanwhile" {
					t.Errorf("the name is %q: the change made meanwhile is lost", got)
				}
			})
		}
	})
}
