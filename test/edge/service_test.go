package edge

import (
	"context"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// An action on a service that the server has is accepted, and an event says which; anything else is refused by the field that is wrong.
func TestServiceActions(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		services := func(server string) string { return "/orgs/acme/servers/" + server + "/services/" }
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			return tx.SetServerFacts(ctx, query.SetServerFactsParams{
				ID: number(w.mine.server), Facts: `{"packages":{"php8.2-fpm":"8.2.1","php8.4-fpm":"8.4.1","php8.4-cli":"8.4.1"}}`,
			})
		})
		before := w.counts()
		for name, c := range map[string]struct {
			server, service string
			body            any
			fields          []string
		}{
			"no action":                   {w.mine.server, "nginx", map[string]any{}, []string{"action"}},
			"an unknown action":           {w.mine.server, "nginx", map[string]any{"action": "start"}, []string{"action"}},
			"nginx is not reloaded":       {w.mine.server, "nginx", map[string]any{"action": "reload"}, []string{"action"}},
			"Redis is not stopped":        {w.mine.server, "redis", map[string]any{"action": "stop"}, []string{"action"}},
			"processes are not stopped":   {w.mine.server, "supervisor", map[string]any{"action": "stop"}, []string{"action"}},
			"PHP without a version":       {w.mine.server, "php", map[string]any{"action": "reload"}, []string{"version"}},
			"PHP of an unknown version":   {w.mine.server, "php", map[string]any{"action": "reload", "version": "8.9"}, []string{"version"}},
			"PHP that is not there":       {w.mine.server, "php", map[string]any{"action": "reload", "version": "php83"}, []string{"version"}},
			"all of PHP is wrong":         {w.mine.server, "php", map[string]any{"action": "stop", "version": "php84; id"}, []string{"action", "version"}},
			"nginx on a database server":  {w.mine.engine, "nginx", map[string]any{"action": "reboot"}, nil},
			"Redis on a database server":  {w.mine.engine, "redis", map[string]any{"action": "reboot"}, nil},
			"PHP on a database server":    {w.mine.engine, "php", map[string]any{"action": "reboot", "version": "php84"}, []string{"version"}},
			"an engine that is not there": {w.mine.server, "mysql", map[string]any{"action": "reboot"}, nil},
			"another engine":              {w.mine.engine, "postgres", map[string]any{"action": "stop"}, nil},
		} {
			t.Run(name, func(t *testing.T) {
				wantFieldsOrState(t, w.owner.Post(services(c.server)+c.service+"/actions", c.body), c.fields...)
			})
		}
		w.unchangedSince(before)

		for _, c := range []struct {
			server, service string
			body            map[string]any
			says            string
		}{
			{w.mine.server, "nginx", map[string]any{"action": "stop"}, "Stopping nginx"},
			{w.mine.server, "php", map[string]any{"action": "reload", "version": "php82"}, "Reloading PHP 8.2"},
			{w.mine.server, "redis", map[string]any{"action": "reboot"}, "Restarting Redis"},
			{w.mine.server, "supervisor", map[string]any{"action": "reboot"}, "Restarting background processes"},
			{w.mine.engine, "mysql", map[string]any{"action": "reboot"}, "Restarting mariadb.service"},
		} {
			a := w.owner.Post(services(c.server)+c.service+"/actions", c.body).Want(t, 202)
			event := w.owner.Get("/orgs/acme/servers/"+c.server+"/events/"+a.Header.Get("X-Hostler-Event")).Want(t, 200)
			if got := event.Text("data", "attributes", "description"); got != c.says {
				t.Errorf("%s: the event says %q, want %q", c.service, got, c.says)
			}
		}
	})
}
