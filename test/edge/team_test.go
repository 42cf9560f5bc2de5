package edge

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// shared is an organization with a server for a team, one for another team, and one for all.
type shared struct {
	*Env
	org                                               query.Organization
	owner, insider, outsider, guest                   *Client
	mine, theirs, open, team, other                   string
	ownerUser, insiderUser, outsiderUser, guestMember query.User
}

func newShared(e *Env) *shared {
	s := &shared{Env: e}
	owner := e.User("owner")
	s.org = e.Organization("acme", owner)
	s.owner, s.ownerUser = e.Of(owner), owner
	s.insiderUser, s.outsiderUser = e.Member(s.org, "insider", access.RoleDeveloper), e.Member(s.org, "outsider", access.RoleManager)
	s.insider, s.outsider = e.Of(s.insiderUser), e.Of(s.outsiderUser)
	w := &world{Env: e}
	s.mine, s.theirs, s.open = w.server(s.owner, "acme", "mine", "app"), w.server(s.owner, "acme", "theirs", "app"), w.server(s.owner, "acme", "open", "app")
	for _, id := range []string{s.mine, s.theirs, s.open} {
		s.owner.Post("/orgs/acme/servers/"+id+"/sites", map[string]any{"type": "static-html", "name": "site-" + id + ".example.com"}).Want(e.T, 202)
	}
	user := func(u query.User, role int64) map[string]any {
		return map[string]any{"id": u.ID, "role": map[string]any{"id": role}}
	}
	s.team = s.owner.Post("/orgs/acme/teams", map[string]any{"name": "ours", "users": []any{user(s.insiderUser, access.RoleViewer)}}).Want(e.T, 200).ID()
	s.other = s.owner.Post("/orgs/acme/teams", map[string]any{"name": "others"}).Want(e.T, 200).ID()
	s.owner.Post("/orgs/acme/teams/"+s.team+"/servers", map[string]any{"server_id": number(s.mine)}).Want(e.T, 201)
	s.owner.Post("/orgs/acme/teams/"+s.other+"/servers", map[string]any{"server_id": number(s.theirs)}).Want(e.T, 201)
	s.guestMember = e.Member(s.org, "guest", 0)
	e.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.PutTeamMember(ctx, number(s.team), s.guestMember.ID, access.RoleDeveloper, tx.Micros())
		return err
	})
	s.guest = e.Of(s.guestMember)
	return s
}

// What is shared with a team is visible to its members and to those who manage the organization, everywhere that a server can appear.
func TestSharedServers(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		s := newShared(e)
		for _, tc := range []struct {
			name   string
			client *Client
			sees   []string
		}{
			{"owner", s.owner, []string{s.mine, s.theirs, s.open}},
			{"insider", s.insider, []string{s.mine, s.open}},
			{"outsider", s.outsider, []string{s.open}},
			{"guest", s.guest, []string{s.mine}},
		} {
			if got := tc.client.Get("/orgs/acme/servers").Want(t, 200).IDs(); !slices.Equal(got, tc.sees) {
				t.Errorf("%s sees servers %v, want %v", tc.name, got, tc.sees)
			}
			for _, path := range []string{"/orgs/acme/sites", "/sites"} {
				if got := tc.client.Get(path).Want(t, 200).IDs(); len(got) != len(tc.sees) {
					t.Errorf("%s sees sites %v at %s, want %d", tc.name, got, path, len(tc.sees))
				}
			}
			for i, id := range []string{s.mine, s.theirs, s.open} {
				want := 404
				if slices.Contains(tc.sees, id) {
					want = 200
				}
				site := strconv.Itoa(i + 1)
				for _, path := range []string{"/servers/" + id, "/servers/" + id + "/events", "/servers/" + id + "/sites", "/sites/" + site} {
					if a := tc.client.Get("/orgs/acme" + path); a.Status != want {
						t.Errorf("%s: GET %s answered %d, want %d", tc.name, path, a.Status, want)
					}
				}
			}
			events := tc.client.Get("/orgs/acme/events?page[size]=200").Want(t, 200).IDs()
			perServer := 0
			for _, id := range tc.sees {
				perServer += len(tc.client.Get("/orgs/acme/servers/"+id+"/events?page[size]=200").Want(t, 200).IDs())
			}
			if len(events) != perServer {
				t.Errorf("%s sees %d events of the organization, and %d of its servers", tc.name, len(events), perServer)
			}
		}
	})
}

// On a shared server the role in the team counts: a developer who is a viewer in the team reads and changes nothing there.
func TestRoleInTeam(t *testing.T) {
	t.Parallel()
	s := newShared(New(t, db.SQLite))
	rule := map[string]any{"name": "alt", "port": "8080", "type": "allow"}
	s.insider.Post("/orgs/acme/servers/"+s.open+"/firewall-rules", rule).Want(t, 202)
	s.insider.Post("/orgs/acme/servers/"+s.mine+"/firewall-rules", rule).Want(t, 403)
	s.guest.Post("/orgs/acme/servers/"+s.mine+"/firewall-rules", rule).Want(t, 202)
	s.owner.Put("/orgs/acme/teams/"+s.team+"/members/"+strconv.FormatInt(s.guestMember.ID, 10), map[string]any{"role_id": access.RoleViewer}).Want(t, 200)
	s.guest.Post("/orgs/acme/servers/"+s.mine+"/firewall-rules", rule).Want(t, 403) // at once
	s.owner.Delete("/orgs/acme/teams/"+s.team+"/members/"+strconv.FormatInt(s.guestMember.ID, 10)).Want(t, 204)
	s.guest.Get("/orgs/acme").Want(t, 404) // was here through the team only
}

// Ids in bodies go the same way as those in paths.
func TestSharedServersInBodies(t *testing.T) {
	t.Parallel()
	s := newShared(New(t, db.SQLite))
	w := &world{Env: s.Env}
	balancer := w.server(s.owner, "acme", "lb", "loadbalancer")
	body := func(id string) map[string]any {
		return map[string]any{"domain": "lb-" + id + ".example.com", "balancing": []any{map[string]any{"server_id": number(id)}}}
	}
	s.outsider.Post("/orgs/acme/servers/"+balancer+"/sites/balancer", body(s.theirs)).Want(t, 422)
	s.outsider.Post("/orgs/acme/servers/"+balancer+"/sites/balancer", body(s.open)).Want(t, 202)
	s.insider.Get("/orgs/acme/servers/"+s.mine).Want(t, 200)
	s.insider.Post("/orgs/acme/servers/"+balancer+"/sites/balancer", body(s.mine)).Want(t, 422) // where the insider only looks on
	kept := s.insider.Post("/orgs/acme/servers/"+balancer+"/sites/balancer", map[string]any{
		"domain": "kept.example.com", "balancing": []any{map[string]any{"server_id": number(s.open)}},
	}).Want(t, 202).ID()
	s.insider.Put("/orgs/acme/servers/"+balancer+"/sites/"+kept+"/load-balancing-nodes", map[string]any{
		"balancer_method": "round_robin", "balancing": []any{map[string]any{"server_id": number(s.mine)}},
	}).Want(t, 422)
	s.outsider.Post("/orgs/acme/teams/"+s.other+"/servers", map[string]any{"server_id": number(s.mine)}).Want(t, 422)
	s.outsider.Post("/orgs/acme/servers", map[string]any{
		"name":     "x",
		"provider": "custom",
		"type":     "app",
		"team_id":  999,
		"custom":   map[string]any{"ip_address": "192.0.2.9"},
	}).Want(t, 422)
	made := s.outsider.Post("/orgs/acme/servers", map[string]any{
		"name":     "x",
		"provider": "custom",
		"type":     "app",
		"team_id":  number(s.other),
		"custom":   map[string]any{"ip_address": "192.0.2.9"},
	}).Want(t, 202)
	s.outsider.Get("/orgs/acme/servers/"+made.ID()).Want(t, 404)
	s.owner.Get("/orgs/acme/servers/"+made.ID()).Want(t, 200)
}

// Who began work is named to people who know each other: not to members of other teams, nor to an organization that a person left or that got the server.
func TestInitiatorsAreNamedToTheirOwn(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		s := newShared(e)
		at := "/orgs/acme/servers/" + s.mine
		s.guest.Post(at+"/firewall-rules", map[string]any{"name": "alt", "port": "8080", "type": "allow"}).Want(t, 202)
		names := func(c *Client) string {
			t.Helper()
			a := c.Get(at+"/events?include=initiator&page[size]=200").Want(t, 200)
			var out []string
			for i := range a.At("included").([]any) {
				out = append(out, a.Text("included", i, "attributes", "name")+" "+a.Text("included", i, "attributes", "email"))
			}
			slices.Sort(out)
			return strings.Join(out, ", ")
		}
		if got := names(s.owner); got != "guest guest@example.com, owner owner@example.com" {
			t.Errorf("the owner sees %s", got)
		}
		if got := names(s.guest); got != "A member of another team , guest guest@example.com" {
			t.Errorf("a member through one team sees %s", got)
		}
		s.owner.Delete("/orgs/acme/teams/"+s.team+"/members/"+strconv.FormatInt(s.guestMember.ID, 10)).Want(t, 204)
		if got := names(s.owner); got != "A former member , owner owner@example.com" {
			t.Errorf("after the guest left the owner sees %s", got)
		}
	})
}

// Members can't grant more than they have, nor change a member with more.
func TestNobodyGrantsMore(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	e := w.Env
	admin, manager := e.Of(w.users["admin"]), e.Of(w.users["manager"])
	id := func(name string) string { return strconv.FormatInt(w.users[name].ID, 10) }
	admin.Post("/orgs/acme/roles", map[string]any{"name": "more", "permissions": []string{"organization:delete"}}).Want(t, 422)
	admin.Post("/orgs/acme/roles", map[string]any{"name": "viewer"}).Want(t, 422)
	powerful := w.owner.Post("/orgs/acme/roles", map[string]any{"name": "powerful", "permissions": []string{"organization:delete"}}).Want(t, 200).ID()
	admin.Put("/orgs/acme/roles/"+powerful, map[string]any{"name": "mine"}).Want(t, 403)
	admin.Delete("/orgs/acme/roles/"+powerful).Want(t, 403)
	admin.Put("/orgs/acme/members/"+id("developer"), map[string]any{"role_id": number(powerful)}).Want(t, 422)
	admin.Put("/orgs/acme/members/"+id("admin"), map[string]any{"role_id": access.RoleOwner}).Want(t, 422)
	admin.Put("/orgs/acme/members/"+id("owner"), map[string]any{"role_id": access.RoleViewer}).Want(t, 403)
	admin.Delete("/orgs/acme/members/"+id("owner")).Want(t, 403)
	admin.Post("/orgs/acme/invites", map[string]any{"email": "a@example.com", "role_id": access.RoleOwner}).Want(t, 422)
	manager.Post("/orgs/acme/teams/"+w.mine.team+"/invites", map[string]any{"email": "a@example.com", "role_id": access.RoleAdmin}).Want(t, 422)
	manager.Put("/orgs/acme/teams/"+w.mine.team, map[string]any{
		"name":  "x",
		"users": []any{map[string]any{"id": w.users["manager"].ID, "role": map[string]any{"id": access.RoleOwner}}},
	}).Want(t, 422)
	manager.Post("/orgs/acme/teams", map[string]any{"name": "y", "users": []any{map[string]any{"id": w.users["stranger"].ID}}}).Want(t, 422)
	w.owner.Put("/orgs/acme/members/"+id("developer"), map[string]any{"role_id": number(powerful)}).Want(t, 200)
	w.owner.Delete("/orgs/acme/roles/"+powerful).Want(t, 409) // a member has it
	w.stranger.Put("/orgs/other/members/"+id("stranger"), map[string]any{"role_id": access.RoleViewer}).Want(t, 422)
	w.stranger.Delete("/orgs/other/membership").Want(t, 409) // the last owner
	w.stranger.Put("/orgs/other/members/"+w.foreign.user, map[string]any{"role_id": number(powerful)}).Want(t, 422)
}

// A custom role takes effect from the next request on.
func TestCustomRole(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	role := w.owner.Post("/orgs/acme/roles", map[string]any{"name": "operator", "permissions": []string{"server:view"}}).Want(t, 200).ID()
	w.owner.Put("/orgs/acme/members/"+strconv.FormatInt(w.users["developer"].ID, 10), map[string]any{"role_id": number(role)}).Want(t, 200)
	w.developer.Get("/orgs/acme/servers").Want(t, 200)
	w.developer.Get("/orgs/acme/teams").Want(t, 403)
	w.owner.Put("/orgs/acme/roles/"+role, map[string]any{"name": "operator", "permissions": []string{"team:view"}}).Want(t, 200)
	w.developer.Get("/orgs/acme/servers").Want(t, 403)
	w.developer.Get("/orgs/acme/teams").Want(t, 200)
	w.developer.Get("/orgs/acme").Want(t, 200) // every role has it
	if got := w.owner.Get("/orgs/acme/roles?filter[permissions.name]=team:view&include=permissions,permissionsCount").Want(t,
		200); len(got.IDs()) != 1 || got.At("data", 0, "meta", "included", "permissionsCount") != 3.0 {
		t.Errorf("the filtered list is %s", got.Body)
	}
}

// An invitation is for its address, works once, ends in 7 days, and can be cancelled.
func TestInvitation(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		accept := func(user query.User, token string) error {
			return e.App.DB.Tx(context.Background(), func(ctx context.Context, tx *db.Tx) error {
				_, err := organization.Accept(ctx, tx, user, token)
				return err
			})
		}
		invite := func(email string) (id, token string) {
			id = w.owner.Post("/orgs/acme/teams/"+w.mine.team+"/invites", map[string]any{"email": email, "role_id": access.RoleViewer}).Want(t, 200).ID()
			return id, e.Mail.Token(t, email)
		}
		guest, thief := e.User("guest"), e.User("thief")
		_, token := invite(guest.Email)
		if err := accept(thief, token); err == nil {
			t.Error("somebody else accepted the invitation")
		}
		if err := accept(guest, token); err != nil {
			t.Errorf("accept: %v", err)
		}
		if err := accept(guest, token); err == nil {
			t.Error("the invitation was accepted twice")
		}
		c := e.Of(guest)
		c.Get("/orgs/acme/servers/"+w.mine.server).Want(t, 200)
		c.Get("/orgs/acme/servers/"+w.other.server).Want(t, 404)
		late := e.User("late")
		_, token = invite(late.Email)
		e.Clock.Move(7 * 24 * time.Hour)
		if err := accept(late, token); err == nil {
			t.Error("an expired invitation was accepted")
		}
		id, token := invite(late.Email)
		w.owner.Delete("/orgs/acme/teams/"+w.mine.team+"/invites/"+id).Want(t, 204)
		if err := accept(late, token); err == nil {
			t.Error("a cancelled invitation was accepted")
		}
	})
}

// The secret of a credential is in no answer and in no row as it is.
func TestCredentialSecret(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	w.owner.Post("/orgs/acme/server-credentials", map[string]any{"name": "x", "provider": "aws", "secret": "hunter2"}).Want(t, 422)
	rows, err := db.All[query.ServerCredential](context.Background(), w.App.DB.Reader(), "server_credentials")
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		if len(row.Secret) < 20 || string(row.Secret) == "s3cret-one" {
			t.Errorf("credential %d is kept as %q", row.ID, row.Secret)
		}
	}
}

var _ mail.Sender = (*Mailbox)(nil)

// Two people, each in their own browser: one invites, the other accepts, sees what is shared and no more, and is refused what a
// developer is not allowed to do.
func TestTwoPeople(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		e.WithPassword(w.users["owner"].ID)
		signedIn := func(email string) *Client {
			t.Helper()
			c := e.As("")
			c.Cookie = cookie(t, c.Post("/auth/login", login(email, password, "")).Want(t, 200)).Value
			return c
		}
		jane := signedIn("owner@example.com")
		team := jane.Post("/orgs/acme/teams", map[string]any{
			"name":    "crew",
			"invites": []any{map[string]any{"email": "joe@example.com", "role": map[string]any{"id": access.RoleDeveloper}}},
		}).Want(t, 200).ID()
		jane.Post("/orgs/acme/teams/"+team+"/servers", map[string]any{"server_id": number(w.mine.server)}).Want(t, 201)
		e.As("").Post("/auth/sign-up", map[string]any{"invitation": e.Mail.Token(t, "joe@example.com"), "name": "Joe", "password": password}).Want(t, 204)
		joe := signedIn("joe@example.com")
		if got := joe.Get("/orgs/acme/servers").Want(t, 200).IDs(); !slices.Equal(got, []string{w.mine.server}) {
			t.Errorf("Joe sees servers %v", got)
		}
		at := "/orgs/acme/servers/" + w.mine.server
		joe.Post(at+"/firewall-rules", map[string]any{"name": "app", "port": "9000", "type": "allow"}).Want(t, 202)
		if got := joe.Delete(at).Want(t, 403).Text("message"); got != "Your role does not have the permission server:delete." {
			t.Errorf("Joe is told %q", got)
		}
		joe.Post("/orgs/acme/servers", serverBody("mine", "app")).Want(t, 403)
		joe.Get("/orgs/acme/servers/"+w.other.server).Want(t, 404)
		joe.Post("/orgs/acme/teams/"+team+"/invites", map[string]any{"email": "x@example.com", "role_id": 5}).Want(t, 403)
		jane.Delete("/orgs/acme/teams/"+team+"/servers/"+w.mine.server).Want(t, 204)
		joe.Get(at).Want(t, 404)
		last := jane.Get("/orgs/acme/audit?sort=-created_at&page[size]=1").Want(t, 200)
		if got := last.Text("data", 0, "attributes", "operation"); got != "organizations.teams.servers.destroy" {
			t.Errorf("the last line is %s", got)
		}
	})
}
