package edge

import (
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/access"
)

// A recipe belongs to everybody of the organization until it is shared with a team; then it is there for the team's members, with their roles in it.
func TestRecipeIsShared(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		s := newShared(e)
		script := map[string]any{"name": " uptime ", "user": "root", "script": "uptime\n"}
		made := s.owner.Post("/orgs/acme/recipes", script).Want(t, 200)
		if made.At("data", "attributes", "name") != "uptime" || made.At("data", "attributes", "script") != "uptime\n" || made.At("data", "attributes", "user") != "root" {
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
		s.owner.Delete("/orgs/acme/teams/"+s.team+"/recipes/"+made.ID()).Want(t, 204)
		s.owner.Delete("/orgs/acme/teams/"+s.team+"/recipes/"+made.ID()).Want(t, 404)
		s.guest.Get(at).Want(t, 404)

		// Who is here through a team makes what is the team's from the start, if the role there permits it.
		s.guest.Post("/orgs/acme/recipes", script).Want(t, 403)
		s.owner.Put("/orgs/acme/teams/"+s.team+"/members/"+strconv.FormatInt(s.guestMember.ID, 10), map[string]any{"role_id": access.RoleManager}).Want(t, 200)
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
