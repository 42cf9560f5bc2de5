package edge

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// Nothing new is accepted for a site that is being deleted, since the work would end without its site. Work in progress can still be
// cancelled, and deleting the site again is not an error.
func TestSiteIsBeingDeleted(t *testing.T) {
	t.Parallel()
	accepted := map[string]bool{
		"organizations.servers.sites.destroy":                    true,
		"organizations.servers.sites.deployments.status.destroy": true,
		"organizations.servers.sites.commands.destroy":           true,
	}
	Worlds(t, func(t *testing.T, w *world) {
		deleting := func(status string) {
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.SQL.ExecContext(ctx, "UPDATE sites SET status = $1", status)
				return err
			})
		}
		tried := 0
		for _, op := range w.App.Router.Operations() {
			s := scenarioOf(op.ID)
			if op.Method == http.MethodGet || !strings.HasPrefix(op.Path, "/orgs/{organization}/servers/{server}/sites/{site}") ||
				s.allowed >= 400 { // refused for another reason: the site lacks the framework
				continue
			}
			t.Run(op.ID, func(t *testing.T) {
				if s.before != nil {
					s.before(w, w.mine)
				}
				var body any
				if s.body != nil {
					body = s.body(w, 1)
				}
				deleting("uninstalling")
				defer deleting("installed")
				a := w.owner.Call(op.Method, fill(t, op.Path, s.at(w.mine)), body)
				right := a.Status == 409 && strings.Contains(a.Text("message"), "being deleted")
				if accepted[op.ID] {
					right = a.Status < 300
				}
				if !right {
					t.Errorf("%s %s answered %d %s", op.Method, op.Path, a.Status, a.Body)
				}
			})
			tried++
		}
		t.Logf("%d operations", tried)
	})
}
