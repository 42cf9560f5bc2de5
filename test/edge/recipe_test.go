package edge

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/access"
)

// A recipe belongs to all members of the organization until it is shared with a team; then it is visible to the team's members,
// with their roles in it.
func TestRecipeIsShared(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		s := newShared(e)
		script := map[string]any{"name": " uptime ", "user": "root", "script": "uptime\n"}
		made := s.owner.Post("/orgs/acme/recipes", script).Want(t, 200)
		if made.At("data", "attributes", "name") != "uptime" || made.At("data", "attributes", "script") != "uptime\n" ||
			made.At("data", "attributes", "user") != "root" {
			t.Errorf("the recipe is %s", made.Body)
		}
		at := "/orgs/acme/recipes/" + made.ID()
		s.insider.Get(at).Want(t, 200)
		s.outsider.Get(at).Want(t, 200)
		s.guest.Get(at).Want(t, 404) // in the organization through a team only

		s.owner.Post("/orgs/acme/teams/"+s.team+"/recipes", map[string]any{"recipe_id": number(made.ID())}).Want(t, 201)
		s.guest.Get(at).Want(t, 200)
		s.outsider.Get(at).Want(t, 404)
		if got := s.outsider.Get("/orgs/acme/recipes").Want(t, 200).IDs(); len(got) != 0 {
			t.Errorf("somebody outside of the team is told of recipes %v", got)
		}
		if got := s.guest.Get("/orgs/acme/teams/"+s.team+"/recipes").Want(t, 200).IDs(); len(got) != 1 {
			t.Errorf("the team's recipes are %v", got)
		}
		if got := s.outsider.Get("/orgs/acme/teams/"+s.team+"/recipes").Want(t, 200).IDs(); len(got) != 0 {
			t.Errorf("a member outside of the team sees its recipes %v", got)
		}
		s.owner.Delete("/orgs/acme/teams/"+s.team+"/recipes/"+made.ID()).Want(t, 204)
		s.owner.Delete("/orgs/acme/teams/"+s.team+"/recipes/"+made.ID()).Want(t, 404)
		s.guest.Get(at).Want(t, 404)

		// A member through a team creates things as the team's from the start, if the role there permits it.
		s.guest.Post("/orgs/acme/recipes", script).Want(t, 403)
		s.owner.Put("/orgs/acme/teams/"+s.team+"/members/"+strconv.FormatInt(s.guestMember.ID, 10), map[string]any{"role_id": access.RoleManager}).Want(t, 200)
		s.guest.Get("/orgs/acme/storage-providers").Want(t, 403) // a manager manages storage, but not through a team
		wantFields(t, s.guest.Post("/orgs/acme/recipes", script), "team_id")
		script["team_id"] = number(s.other)
		wantFields(t, s.guest.Post("/orgs/acme/recipes", script), "team_id")
		script["team_id"] = number(s.team)
		own := s.guest.Post("/orgs/acme/recipes", script).Want(t, 200)
		s.outsider.Get("/orgs/acme/recipes/"+own.ID()).Want(t, 404)

		s.owner.Put(at, map[string]any{"user": "forge"}).Want(t, 200)
		wantFields(t, s.owner.Put(at, map[string]any{"name": " ", "script": "a\x00b", "user": "nobody"}), "name", "script", "user")
		wantFields(t, s.owner.Post("/orgs/acme/recipes", map[string]any{"name": "x", "user": "root", "script": strings.Repeat("x", 128<<10+1)}), "script")
		if a := s.owner.Get(at); a.At("data", "attributes", "user") != "forge" || a.At("data", "attributes", "script") != "uptime\n" {
			t.Errorf("the recipe is %s", a.Body)
		}
		s.owner.Delete(at).Want(t, 204)
		s.owner.Get(at).Want(t, 404)
	})
}

// A recipe runs as it was at the request, on servers that the caller can see and whose role there permits it; others do not see it.
func TestRecipeRuns(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		s := newShared(e)
		at := "/orgs/acme/recipes/" + s.owner.Post("/orgs/acme/recipes", map[string]any{"name": "uptime", "user": "root", "script": "uptime\n"}).Want(t, 200).ID()
		on := func(servers ...string) map[string]any {
			list := []any{}
			for _, id := range servers {
				list = append(list, number(id))
			}
			return map[string]any{"servers": list}
		}
		runs := func(c *Client) []string { return c.Get(at+"/runs?sort=-created_at").Want(t, 200).IDs() }

		a := s.owner.Post(at+"/runs", on(s.mine, s.theirs, s.open)).Want(t, 202)
		if a.Header.Get("X-Hostler-Event") == "" {
			t.Error("the answer names no event")
		}
		all := runs(s.owner)
		if len(all) != 3 {
			t.Fatalf("%d runs on three servers", len(all))
		}
		run := s.owner.Get(at+"/runs/"+all[0]).Want(t, 200)
		if run.At("data", "attributes", "status") != "waiting" || run.At("data", "attributes", "output") != "" ||
			run.At("data", "attributes", "started_at") != nil || run.At("data", "meta", "operation", "event_id") == nil {
			t.Errorf("a run that waits is %s", run.Body)
		}
		s.owner.Get(at+"/runs/999999").Want(t, 404)

		// A caller who can't see a server sees no run on it.
		for name, c := range map[string]struct {
			*Client
			sees int
		}{"in the team of one": {s.insider, 2}, "in no team": {s.outsider, 1}} {
			got := runs(c.Client)
			if len(got) != c.sees {
				t.Errorf("%s is told of %d runs, want %d", name, len(got), c.sees)
			}
			for _, id := range all {
				want := 404
				if slices.Contains(got, id) {
					want = 200
				}
				c.Get(at+"/runs/"+id).Want(t, want)
			}
		}
		hidden, missing := s.outsider.Post(at+"/runs", on(s.open, s.mine)), s.outsider.Post(at+"/runs", on(s.open, "999999"))
		wantFields(t, hidden, "servers.1")
		if string(hidden.Body) != string(missing.Body) {
			t.Errorf("a server of others is told as %s, a missing one as %s", hidden.Body, missing.Body)
		}
		wantFields(t, s.owner.Post(at+"/runs", on(s.open, "999999", s.open)), "servers.1", "servers.2")
		wantFields(t, s.owner.Post(at+"/runs", on()), "servers")
		// On a server that is shared with teams, the role in the team counts.
		s.owner.Put("/orgs/acme/members/"+strconv.FormatInt(s.insiderUser.ID, 10), map[string]any{"role_id": access.RoleManager}).Want(t, 200)
		wantFields(t, s.insider.Post(at+"/runs", on(s.mine)), "servers.0")
		s.insider.Post(at+"/runs", on(s.open)).Want(t, 202)

		// What names a password is refused: no script gets one.
		s.owner.Put(at, map[string]any{"script": "mysql -p{{ db_password }}\n"}).Want(t, 200)
		s.owner.Post(at+"/runs", on(s.open)).Want(t, 409)
		if got := runs(s.owner); len(got) != 4 {
			t.Errorf("%d runs after what was refused, want 4", len(got))
		}
	})
}

// Recipes that come with the program run in every organization, on servers where the role permits it; their runs are known where the server is.
func TestShippedRecipes(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		s := newShared(e)
		list := s.outsider.Get("/forge-recipes?page[size]=3").Want(t, 200)
		if len(list.IDs()) != 3 || list.At("meta", "next_cursor") == nil {
			t.Errorf("a page of shipped recipes is %s", list.Body)
		}
		one := s.outsider.Get("/forge-recipes/"+list.IDs()[0]).Want(t, 200)
		for _, name := range []string{"name", "user", "info", "script"} {
			if one.Text("data", "attributes", name) == "" {
				t.Errorf("a shipped recipe has no %s: %s", name, one.Body)
			}
		}
		at := "/forge-recipes/" + list.IDs()[0] + "/runs"
		on := func(servers ...string) map[string]any {
			ids := []any{}
			for _, id := range servers {
				ids = append(ids, number(id))
			}
			return map[string]any{"servers": ids}
		}

		// Another organization of the same person counts as well, and each has a line of the call in its audit log.
		e.Organization("second", s.ownerUser)
		elsewhere := s.owner.Post("/orgs/second/servers", serverBody("elsewhere", "app")).Want(t, 202).ID()
		a := s.owner.Post(at, on(s.mine, s.theirs, elsewhere)).Want(t, 202)
		if a.Header.Get("X-Hostler-Event") == "" {
			t.Error("the answer names no event")
		}
		for _, slug := range []string{"acme", "second"} {
			if got := s.owner.Get("/orgs/"+slug+"/audit?filter[operation]=forge-recipes.runs.store").Want(t, 200).IDs(); len(got) != 1 {
				t.Errorf("the audit log of %s has %d lines of the run, want 1", slug, len(got))
			}
		}
		all := s.owner.Get(at+"?sort=-created_at").Want(t, 200).IDs()
		if len(all) != 3 {
			t.Fatalf("%d runs on three servers", len(all))
		}
		run := s.owner.Get(at+"/"+all[0]).Want(t, 200)
		if run.At("data", "attributes", "status") != "waiting" || run.Text("data", "meta", "operation", "event_id") == "" {
			t.Errorf("a run that waits is %s", run.Body)
		}
		s.owner.Get("/forge-recipes/2/runs/"+all[0]).Want(t, 404) // of another recipe

		for name, c := range map[string]struct {
			*Client
			sees int
		}{"in the team of one": {s.insider, 1}, "in no team": {s.outsider, 0}} {
			got := c.Get(at).Want(t, 200).IDs()
			if len(got) != c.sees {
				t.Errorf("%s is told of %d runs, want %d", name, len(got), c.sees)
			}
			for _, id := range all {
				want := 404
				if slices.Contains(got, id) {
					want = 200
				}
				c.Get(at+"/"+id).Want(t, want)
			}
		}
		wantFields(t, s.owner.Post(at, on()), "servers")
		wantFields(t, s.owner.Post(at, on("999999", s.mine, s.mine)), "servers.0", "servers.2")

		// A role in one place is none in another: a manager of the organization is a viewer in the team of a server.
		s.insider.Post(at, on(s.mine)).Want(t, 403)
		s.owner.Put("/orgs/acme/members/"+strconv.FormatInt(s.insiderUser.ID, 10), map[string]any{"role_id": access.RoleManager}).Want(t, 200)
		wantFields(t, s.insider.Post(at, on(s.mine)), "servers.0")
		hidden, missing := s.insider.Post(at, on(s.theirs)), s.insider.Post(at, on("999999"))
		wantFields(t, hidden, "servers.0")
		if string(hidden.Body) != string(missing.Body) {
			t.Errorf("a server of others is told as %s, a missing one as %s", hidden.Body, missing.Body)
		}
		s.insider.Post(at, on(s.open)).Want(t, 202)
	})
}
