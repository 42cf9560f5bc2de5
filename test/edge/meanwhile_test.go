package edge

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// A request that waits for its server is decided on the server, and on the resource that its path names, as they are once it has the server.
func TestParentChangedMeanwhile(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		backup := func(of things) string {
			return servers + "/" + of.engine + "/database/backups/" + of.configuration + "/instances/" + of.backup
		}
		ofSite := func(of things, rest string) string {
			return servers + "/" + of.server + "/sites/" + of.site + "/" + rest
		}
		const recipes, channels = "/orgs/acme/recipes", "/orgs/acme/notification-channels"
		const port = "UPDATE servers SET ssh_port = 8080, control_addresses = '' WHERE id = $1"
		for _, tc := range []struct {
			name, server, method, path string
			body                       any
			meanwhile                  string // $1 is of
			of                         string
			want                       int
		}{
			{
				"an environment of a site that has none", w.mine.server, http.MethodPut, ofSite(w.mine, "environment"),
				map[string]any{"environment": "A=1"},
				"UPDATE sites SET type = 'balancer' WHERE id = $1", w.mine.site, 422,
			},
			{
				"a message again of a deleted webhook", w.mine.server, http.MethodPost,
				ofSite(w.mine, "webhooks/"+w.mine.webhook+"/deliveries/"+w.mine.delivery+"/redeliver"), nil,
				"DELETE FROM deployment_webhooks WHERE id = $1", w.mine.webhook, 404,
			},
			{
				"the last rule that opens the new SSH port", w.mine.server, http.MethodDelete, servers + "/" + w.mine.server + "/firewall-rules/" + w.mine.rule, nil,
				port, w.mine.server, 409,
			},
			{
				"a rule that closes the new SSH port", w.other.server, http.MethodPost, servers + "/" + w.other.server + "/firewall-rules",
				map[string]any{"name": "closed", "port": "8080", "type": "deny"},
				port, w.other.server, 422,
			},
			{
				"a job of a deleted site", w.mine.server, http.MethodPost, w.part("scheduled-jobs"),
				map[string]any{"command": "true", "user": "forge", "frequency": "hourly"},
				"DELETE FROM sites WHERE id = $1", w.mine.site, 404,
			},
			{"the secret of a deleted webhook", w.other.server, http.MethodPut, servers + "/" + w.other.server + "/sites/" + w.other.site + "/webhooks/" +
				w.other.webhook + "/secret", nil, "DELETE FROM deployment_webhooks WHERE id = $1", w.other.webhook, 404},
			{
				"a download of a backup that is being removed", w.mine.engine, http.MethodPost, backup(w.mine) + "/downloads", nil,
				"UPDATE backups SET status = 'removing' WHERE id = $1", w.mine.backup, 409,
			},
			{
				"a proof of a backup that is being removed", w.other.engine, http.MethodPost, backup(w.other) + "/proofs", nil,
				"UPDATE backups SET status = 'removing' WHERE id = $1", w.other.backup, 409,
			},
			{
				"a restore of a backup that is being removed", w.mine.engine, http.MethodPost, backup(w.mine) + "/restores",
				map[string]any{"database_id": number(w.mine.database)},
				"UPDATE backups SET status = 'removing' WHERE id = $1", w.mine.backup, 409,
			},
			{
				"a run of a deleted configuration", w.other.engine, http.MethodPost,
				servers + "/" + w.other.engine + "/database/backups/" + w.other.configuration + "/instances", nil,
				"DELETE FROM backup_configurations WHERE id = $1", w.other.configuration, 404,
			},
			{
				"a new list of databases on a server that has no engine", w.other.engine, http.MethodPost,
				servers + "/" + w.other.engine + "/database/schemas/synchronizations", nil,
				"UPDATE servers SET database_type = NULL WHERE id = $1", w.other.engine, 409,
			},
			{
				"a command on a site that has no directory", w.other.server, http.MethodPost, ofSite(w.other, "commands"),
				map[string]any{"command": "true"},
				"UPDATE sites SET type = 'balancer' WHERE id = $1", w.other.site, 409,
			},
			{
				"a log of a deleted site", w.other.server, http.MethodDelete, ofSite(w.other, "logs/nginx-access"), nil,
				"DELETE FROM sites WHERE id = $1", w.other.site, 404,
			},
			// What is of a whole organization waits for the row that is deleted.
			{
				"a recipe that runs on a deleted server", w.other.balancer, http.MethodPost, recipes + "/" + w.mine.recipe + "/runs",
				map[string]any{"servers": []int64{number(w.mine.server), number(w.other.balancer)}},
				"DELETE FROM servers WHERE id = $1", w.other.balancer, 422,
			},
			{
				"a built-in recipe that runs on a deleted server", w.mine.balancer, http.MethodPost, "/forge-recipes/" + w.mine.shipped + "/runs",
				map[string]any{"servers": []int64{number(w.mine.server), number(w.mine.balancer)}},
				"DELETE FROM servers WHERE id = $1", w.mine.balancer, 422,
			},
			{
				"a run of a deleted recipe", w.mine.server, http.MethodPost, recipes + "/" + w.mine.recipe + "/runs",
				map[string]any{"servers": []int64{number(w.mine.server)}},
				"DELETE FROM recipes WHERE id = $1", w.mine.recipe, 404,
			},
			{
				"a change of a deleted recipe", w.mine.server, http.MethodPut, recipes + "/" + w.other.recipe,
				map[string]any{"name": "later"},
				"DELETE FROM recipes WHERE id = $1", w.other.recipe, 404,
			},
			{
				"a server shared with a deleted team", w.mine.server, http.MethodPost, "/orgs/acme/teams/" + w.mine.team + "/servers",
				map[string]any{"server_id": number(w.other.server)},
				"DELETE FROM teams WHERE id = $1", w.mine.team, 404,
			},
			{
				"a test of a deleted notification channel", w.mine.server, http.MethodPost, channels + "/" + w.mine.channel + "/deliveries", nil,
				"DELETE FROM notification_channels WHERE id = $1", w.mine.channel, 404,
			},
			{
				"a message again of a deleted notification channel", w.mine.server, http.MethodPost,
				channels + "/" + w.other.channel + "/deliveries/" + w.other.told + "/redeliver", nil,
				"DELETE FROM notification_channels WHERE id = $1", w.other.channel, 404,
			},
		} {
			t.Run(tc.name, func(t *testing.T) { //nolint:paralleltest // they share servers
				a := w.cross(t, tc.method, tc.path, tc.body, func(ctx context.Context, tx *db.Tx) error {
					if err := tx.LockServer(ctx, number(tc.server)); err != nil {
						return err
					}
					_, err := tx.SQL.ExecContext(ctx, tc.meanwhile, number(tc.of))
					return err
				})
				if a.Status != tc.want {
					t.Errorf("answered %d %s, want %d", a.Status, a.Body, tc.want)
				}
			})
		}
	})
}

// Two simultaneous changes of a resource don't undo each other: attributes that a request leaves out keep the values that the other one set.
func TestChangesCross(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		const org = "/orgs/acme/"
		onSite := servers + "/" + w.mine.server + "/sites/" + w.mine.site + "/"
		for _, tc := range []struct {
			name, path string
			body       any
			of         string
			meanwhile  string // $1 is of
			kept       string // reads what meanwhile wrote
			want       string
		}{
			{
				"the call of a heartbeat", onSite + "heartbeats/" + w.mine.heartbeat,
				map[string]any{"name": "Hourly", "frequency": 60, "grace_period": 5},
				w.mine.heartbeat,
				"UPDATE heartbeats SET status = 'beating', due_at = 4000000000000000 WHERE id = $1", "SELECT due_at FROM heartbeats WHERE id = $1", "4000000000000000",
			},
			{
				"the scopes of an npm credential", onSite + "npm/credentials/npm-one.example.com",
				map[string]any{"registry": "npm-one.example.com", "token": ""},
				w.mine.server,
				"UPDATE package_credentials SET scopes = '[\"@other\"]' WHERE kind = 'npm' AND name = 'npm-one.example.com' AND $1 > 0",
				"SELECT scopes FROM package_credentials WHERE kind = 'npm' AND name = 'npm-one.example.com' AND $1 > 0", `["@other"]`,
			},
			{
				"the key of a DNS provider", org + "dns-providers/" + w.mine.dnsProvider,
				map[string]any{"name": "other"},
				w.mine.dnsProvider,
				"UPDATE dns_providers SET key_name = 'crossed' WHERE id = $1", "SELECT key_name FROM dns_providers WHERE id = $1", "crossed",
			},
			{
				"the name of a credential", org + "server-credentials/" + w.mine.credential,
				map[string]any{},
				w.mine.credential,
				"UPDATE server_credentials SET name = 'crossed' WHERE id = $1", "SELECT name FROM server_credentials WHERE id = $1", "crossed",
			},
			{
				"the script of a recipe", org + "recipes/" + w.mine.recipe,
				map[string]any{"name": "other"},
				w.mine.recipe,
				"UPDATE recipes SET script = 'crossed' WHERE id = $1", "SELECT script FROM recipes WHERE id = $1", "crossed",
			},
			{
				"a permission of a role", org + "roles/" + w.mine.role,
				map[string]any{"name": "other"},
				w.mine.role,
				"INSERT INTO role_permissions (role_id, permission) VALUES ($1, 'recipe:view')",
				"SELECT COUNT(*) FROM role_permissions WHERE role_id = $1 AND permission = 'recipe:view'", "1",
			},
			{
				"the scopes of an OAuth client", org + "oauth-clients/" + w.mine.client,
				map[string]any{"name": "other"},
				w.mine.client,
				"UPDATE oauth_clients SET scopes = '[\"user:view\"]' WHERE id = $1", "SELECT scopes FROM oauth_clients WHERE id = $1", `["user:view"]`,
			},
			{
				"whether a notification channel is enabled", org + "notification-channels/" + w.mine.channel,
				map[string]any{"name": "other"},
				w.mine.channel,
				"UPDATE notification_channels SET enabled = FALSE WHERE id = $1", "SELECT COUNT(*) FROM notification_channels WHERE id = $1 AND NOT enabled", "1",
			},
			{
				"the user of a connection", org + "source-control-providers/" + w.mine.source,
				map[string]any{"name": "other"},
				w.mine.source,
				"UPDATE source_control_providers SET username = 'crossed' WHERE id = $1", "SELECT username FROM source_control_providers WHERE id = $1", "crossed",
			},
			{
				"how long output is kept", org + "retention",
				map[string]any{"events_days": 30},
				fmt.Sprint(w.org.ID),
				"UPDATE organizations SET keep_output_days = 7 WHERE id = $1", "SELECT keep_output_days FROM organizations WHERE id = $1", "7",
			},
			{
				"the time zone of a server", servers + "/" + w.mine.server,
				map[string]any{"name": "other"},
				w.mine.server,
				"UPDATE servers SET timezone = 'Europe/Vienna' WHERE id = $1", "SELECT timezone FROM servers WHERE id = $1", "Europe/Vienna",
			},
		} {
			t.Run(tc.name, func(t *testing.T) { //nolint:paralleltest // they share an organization
				a := w.cross(t, http.MethodPut, tc.path, tc.body, func(ctx context.Context, tx *db.Tx) error {
					if err := tx.LockOrganization(ctx, w.org.ID); err != nil { // as a change of a role or of settings does
						return err
					}
					if tc.of == w.mine.server { // as a change of anything on it does, other than a call of a heartbeat
						if err := tx.LockServer(ctx, number(tc.of)); err != nil {
							return err
						}
					}
					_, err := tx.SQL.ExecContext(ctx, tc.meanwhile, number(tc.of))
					return err
				})
				if a.Status >= 300 {
					t.Fatalf("answered %d %s", a.Status, a.Body)
				}
				var kept string
				if err := w.App.DB.Reader().QueryRowContext(t.Context(), tc.kept, number(tc.of)).Scan(&kept); err != nil {
					t.Fatal(err)
				}
				if kept != tc.want {
					t.Errorf("it is %q after both, want %q", kept, tc.want)
				}
			})
		}
	})
}

// cross makes a change in a transaction that ends once a request waits for it, and returns the answer to the request.
func (w *world) cross(t *testing.T, method, path string, body any, change func(context.Context, *db.Tx) error) Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	answered := make(chan Answer, 1)
	err := w.App.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := change(ctx, tx); err != nil {
			return err
		}
		waiting := w.waiting(ctx, t)
		go func() {
			a, _ := w.owner.Try(method, path, body)
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
	return <-answered
}
