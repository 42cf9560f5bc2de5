package edge

import (
	"context"
	"net/http"
	"runtime"
	"testing"
	"time"

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
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				at, answered := "/orgs/acme/"+tc.path+"/"+tc.id, make(chan Answer, 1)
				err := w.App.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
					if _, err := tx.SQL.ExecContext(ctx, "UPDATE "+tc.table+" SET name = 'meanwhile' WHERE id = $1", number(tc.id)); err != nil {
						return err
					}
					waiting := w.waiting(ctx, t)
					go func() {
						a, _ := w.owner.Try(http.MethodPut, at, tc.body)
						answered <- a
					}()
					for !waiting() && len(answered) == 0 && ctx.Err() == nil {
						runtime.Gosched()
					}
					return ctx.Err()
				})
				if err != nil {
					t.Fatal(err)
				}
				if a := <-answered; a.Status != http.StatusOK {
					t.Fatalf("answered %d %s", a.Status, a.Body)
				}
				if got := w.owner.Get(at).Want(t, 200).Text("data", "attributes", "name"); got != "meanwhile" {
					t.Errorf("the name is %q: the change made meanwhile is lost", got)
				}
			})
		}
	})
}
