package edge

import (
	"strings"
	"testing"
)

// The first steps are read from what exists.
func TestChecklist(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		c := e.As("")
		c.Cookie = cookie(t, c.Post("/auth/setup", first(e.setupCode())).Want(t, 200)).Value
		want := func(done string) map[string]any {
			t.Helper()
			got := c.Get("/orgs/main/checklist").Want(t, 200).At("data", "attributes").(map[string]any)
			var is []string
			for _, step := range []string{"server", "site", "repository", "https", "backup", "invite"} {
				if got[step] == true {
					is = append(is, step)
				}
			}
			if strings.Join(is, " ") != done {
				t.Errorf("done are %v, want %q", is, done)
			}
			return got
		}
		exec := func(statement string) {
			t.Helper()
			if _, err := e.App.DB.SQLDB().ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		if got := want(""); got["site_id"] != nil || got["server_id"] != nil {
			t.Errorf("nothing is at %v", got)
		}
		c.Post("/orgs/main/invites", map[string]any{"email": "bob@example.com", "role_id": 5}).Want(t, 200)
		want("invite")
		server := c.Post("/orgs/main/servers", serverBody("web", "app")).Want(t, 202).ID()
		if got := want("invite"); got["server_id"] != float64(number(server)) {
			t.Errorf("the next step is on the server %v", got["server_id"])
		}
		exec("UPDATE servers SET is_ready = TRUE")
		want("server invite")
		site := c.Post("/orgs/main/servers/"+server+"/sites", map[string]any{"type": "static-html", "name": "a.example.org"}).Want(t, 202).ID()
		if got := want("server site invite"); got["site_id"] != float64(number(site)) {
			t.Errorf("the next step is on the site %v", got["site_id"])
		}
		c.Put("/orgs/main/servers/"+server+"/sites/"+site+"/git", map[string]any{
			"source_control_provider": "custom", "repository": "git@git.example.com:a/b.git", "branch": "main",
		}).Want(t, 202)
		want("server site repository invite")
		exec("UPDATE servers SET revoked = TRUE")
		want("site repository invite")
	})
}
