package edge

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
)

// session returns a client with a session of a person, whose password it sets.
func (w *world) session(email string) *Client {
	w.T.Helper()
	for _, u := range w.users {
		if u.Email == email {
			w.WithPassword(u.ID)
		}
	}
	c := w.As("")
	c.Cookie = cookie(w.T, c.Post("/auth/login", map[string]any{"email": email, "password": password}).Want(w.T, 200)).Value
	return c
}

// People who manage an organization create others, and own them. Names in any script have a slug of their own, since none follows from them (reported for
// other servers: Cadasta/cadasta-platform#327, QuackbackIO/quackback#285, getsentry/sentry#55089).
func TestOrganizationsAreCreated(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		owner, admin, developer := w.session("owner@example.com"), w.session("admin@example.com"), w.session("developer@example.com")
		for name, c := range map[string]*Client{"owner": owner, "admin": admin} {
			slug := "new-" + name
			a := c.Post("/orgs", map[string]any{"name": " \u6771\u4eac \U0001F3D7 ", "slug": slug}).Want(t, 201)
			if a.Text("data", "attributes", "name") != "\u6771\u4eac \U0001F3D7" || !strings.HasSuffix(a.Header.Get("Location"), "/orgs/"+slug) {
				t.Errorf("%s: created %s at %q", name, a.Body, a.Header.Get("Location"))
			}
			c.Put("/orgs/"+slug+"/timezone", map[string]any{"timezone": "Asia/Tokyo"}).Want(t, 200)
		}
		admin.Get("/orgs/new-owner").Want(t, 404)
		for slug, field := range map[string]string{
			"": "slug", "-": "slug", "Acme": "slug", "a b": "slug", "a/b": "slug", "..": "slug", "\u6771\u4eac": "slug", strings.Repeat("a", 64): "slug",
			"acme": "slug", "new-owner": "slug",
		} {
			wantFields(t, owner.Post("/orgs", map[string]any{"name": "Another", "slug": slug}), field)
		}
		wantFields(t, owner.Post("/orgs", map[string]any{"name": " \t", "slug": "blank"}), "name")
		w.owner.Post("/orgs", map[string]any{"name": "By a token", "slug": "token"}).Want(t, 403)

		for name, c := range map[string]*Client{"owner": owner, "admin": admin, "a token": w.owner} {
			a := c.Put("/orgs/acme", map[string]any{"name": " Acme of the " + name + " "}).Want(t, 200)
			got := c.Get("/orgs/acme").Want(t, 200).Text("data", "attributes", "name")
			if got != "Acme of the "+name || a.Text("data", "attributes", "slug") != "acme" {
				t.Errorf("%s: renamed to %q: %s", name, got, a.Body)
			}
		}
		developer.Put("/orgs/acme", map[string]any{"name": "Mine"}).Want(t, 403)
		developer.Put("/user", map[string]any{"name": " Zo\u00eb "}).Want(t, 200)
		if members := w.owner.Get("/orgs/acme/members").Want(t, 200); !strings.Contains(string(members.Body), "\"Zo\u00eb\"") {
			t.Errorf("the members are %s", members.Body)
		}
		admin.Put("/orgs/new-owner", map[string]any{"name": "Mine"}).Want(t, 404)
		for _, bad := range []string{"", " \t", "two\nlines", strings.Repeat("a", 256)} {
			wantFields(t, owner.Put("/orgs/acme", map[string]any{"name": bad}), "name")
			wantFields(t, owner.Put("/user", map[string]any{"name": bad}), "name")
			wantFields(t, owner.Post("/orgs", map[string]any{"name": bad, "slug": "bad"}), "name")
		}

		can := func(c *Client) bool {
			return c.Get("/user").Want(t, 200).At("data", "meta", "can_create_organizations") == true
		}
		developer.Post("/orgs", map[string]any{"name": "Mine", "slug": "mine"}).Want(t, 403)
		if !can(owner) || can(developer) || can(w.owner) {
			t.Error("the dashboard is told something else than what is allowed")
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			return tx.PutSetting(ctx, account.SettingOpenRegistration, "true")
		})
		if !can(developer) {
			t.Error("with open registration, a person could sign up and own an organization, and is told otherwise")
		}
		developer.Post("/orgs", map[string]any{"name": "Mine", "slug": "mine"}).Want(t, 201)
	})
}

// What an invitation's link shows before it is accepted, and in each state that it can be found in. One that was used or has expired says so: people open old
// links again (reported for other servers: loomio/loomio#708, scambra/devise_invitable#33, SigNoz/signoz#7011).
func TestInvitationIsShown(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		shown := func(token string) Answer {
			return w.As("").Post("/auth/invitation", map[string]any{"invitation": token})
		}
		invite := func(email, at string) (id, token string) {
			id = w.owner.Post(at, map[string]any{"email": email, "role_id": access.RoleViewer}).Want(t, 200).ID()
			return id, w.Mail.Token(t, strings.ToLower(email))
		}
		want := func(token, state, organization string) {
			t.Helper()
			a := shown(token).Want(t, 200)
			if a.Text("data", "attributes", "state") != state || a.Text("data", "attributes", "organization") != organization ||
				a.Text("data", "attributes", "email") != "bob@example.com" {
				t.Errorf("an invitation that is %s is shown as %s", state, a.Body)
			}
		}
		_, first := invite("Bob@Example.com", "/orgs/acme/invites")
		want(first, "open", w.org.Name)
		if a := shown(first); a.Text("data", "attributes", "role") != "Viewer" || a.Text("data", "attributes", "slug") != "acme" ||
			a.Text("data", "attributes", "team") != "" ||
			a.Text("data", "attributes", "invited_by") != w.users["owner"].Name {
			t.Errorf("an invitation shows %s", a.Body)
		}
		team := w.owner.Post("/orgs/acme/teams", map[string]any{"name": "shop"}).Want(t, 200).ID()
		if _, token := invite("bob@example.com", "/orgs/acme/teams/"+team+"/invites"); shown(token).Want(t, 200).Text("data", "attributes", "team") != "shop" {
			t.Error("the team is not shown")
		}

		_, second := invite("bob@example.com", "/orgs/acme/invites")
		wantFields(t, shown(first), "invitation") // replaced
		id, third := invite("bob@example.com", "/orgs/acme/invites")
		wantFields(t, shown(second), "invitation")
		w.owner.Delete("/orgs/acme/invites/"+id).Want(t, http.StatusNoContent)
		wantFields(t, shown(third), "invitation")
		for _, none := range []string{"", "none", strings.Repeat("x", 256)} {
			wantFields(t, shown(none), "invitation")
		}

		_, used := invite("bob@example.com", "/orgs/acme/invites")
		w.As("").Post("/auth/sign-up", map[string]any{"invitation": used, "name": "Bob", "password": password}).Want(t, 204)
		want(used, "used", "")

		_, late := invite("bob@example.com", "/orgs/acme/invites")
		w.Clock.Move(7*24*time.Hour + time.Second)
		want(late, "expired", "")
	})
}

// What needs attention in several organizations is one list, with what each caller sees in each, and takes as many queries for many as for two.
func TestAttentionOfAllOrganizations(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	waiting := func(c *Client, org, name string) {
		c.Post("/orgs/"+org+"/servers", serverBody(name, "app")).Want(t, 202)
	}
	listed := func(c *Client) string {
		var out []string
		for _, item := range c.Get("/attention?page[size]=200").Want(t, 200).At("data").([]any) {
			at := item.(map[string]any)["attributes"].(map[string]any)
			out = append(out, fmt.Sprintf("%v/%v", at["organization_id"], at["subject"]))
		}
		return strings.Join(out, " ")
	}
	before := listed(w.owner)
	waiting(w.stranger, "other", "theirs")
	if got := listed(w.owner); got != before {
		t.Fatalf("another organization's server is listed: %s", got)
	}
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.InsertMembership(ctx, query.InsertMembershipParams{
			OrganizationID: w.otherOrg.ID, UserID: w.users["owner"].ID, RoleID: access.RoleOwner, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
		})
		return err
	})
	if got := listed(w.owner); !strings.Contains(got, fmt.Sprintf("%d/theirs", w.otherOrg.ID)) {
		t.Errorf("of two organizations it lists %s", got)
	}
	reads := func() int64 {
		n := w.App.DB.Reads()
		listed(w.owner)
		return w.App.DB.Reads() - n
	}
	two := reads()
	for i := range 20 {
		org := w.Organization(fmt.Sprintf("client-%d", i), w.users["owner"])
		waiting(w.owner, org.Slug, fmt.Sprintf("client-%d-server", i))
	}
	if many := reads(); many > two+2 {
		t.Errorf("%d queries for two organizations, %d for 22", two, many)
	}
	if got := len(w.owner.Get("/attention?page[size]=200").Want(t, 200).IDs()); got < 21 {
		t.Errorf("%d items of 22 organizations", got)
	}
}
