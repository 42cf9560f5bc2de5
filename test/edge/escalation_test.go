package edge

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/noun/account"
)

// A token grants no more than its own reach, whatever its owner's rights: otherwise it could make itself an owner by a detour.
func TestTokenGivesNoMoreThanItHas(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	token, _ := w.Token(w.users["owner"], access.SetOf(access.OrganizationManage, access.TeamCreate), nil)
	c := w.As(token)
	member := "/orgs/acme/members/" + w.mine.user
	invitation := func(role int64) map[string]any {
		return map[string]any{"email": "friend@example.com", "role_id": role}
	}
	for role, want := range map[int64]int{access.RoleOwner: 422, access.RoleAdmin: 422, access.RoleDeveloper: 422, access.RoleViewer: 200} {
		c.Post("/orgs/acme/invites", invitation(role)).Want(t, want)
		c.Post("/orgs/acme/teams/"+w.mine.team+"/invites", invitation(role)).Want(t, want)
		c.Put(member, map[string]any{"role_id": role}).Want(t, want)
		w.owner.Post("/orgs/acme/invites", invitation(role)).Want(t, 200)
	}
	made := c.Post("/orgs/acme/roles", map[string]any{"name": "detour", "permissions": []string{"server:delete"}}).Want(t, 422)
	if !strings.Contains(string(made.Body), "scope") {
		t.Errorf("refused with %s", made.Body)
	}
	c.Put("/orgs/acme/roles/"+w.mine.role, map[string]any{"name": "x", "permissions": []string{"server:delete"}}).Want(t, 422)
	c.Post("/orgs/acme/roles", map[string]any{"name": "fine", "permissions": []string{"organization:manage"}}).Want(t, 200)
}

// A custom role with every permission can't create or change an owner.
func TestOnlyOwnersMakeOwners(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		for _, p := range access.All() {
			if err := tx.AddRolePermission(ctx, w.customRole, string(p)); err != nil {
				return err
			}
		}
		return nil
	})
	c := w.Of(w.users["custom"])
	owner := strconv.FormatInt(w.users["owner"].ID, 10)
	c.Put("/orgs/acme/members/"+w.mine.user, map[string]any{"role_id": access.RoleAdmin}).Want(t, 200)
	c.Put("/orgs/acme/members/"+w.mine.user, map[string]any{"role_id": access.RoleOwner}).Want(t, 422)
	c.Post("/orgs/acme/invites", map[string]any{"email": "friend@example.com", "role_id": access.RoleOwner}).Want(t, 422)
	c.Put("/orgs/acme/members/"+owner, map[string]any{"role_id": access.RoleViewer}).Want(t, 403)
	c.Delete("/orgs/acme/members/"+owner).Want(t, 403)
	w.owner.Put("/orgs/acme/members/"+w.mine.user, map[string]any{"role_id": access.RoleOwner}).Want(t, 200)
}

// A member through a team sees the people of that team, and neither the others nor the people whom the organization invites.
func TestGuestKnowsTeamOnly(t *testing.T) {
	t.Parallel()
	s := newShared(New(t, db.SQLite))
	if got := s.guest.Get("/orgs/acme/members").Want(t, 200); len(got.IDs()) != 2 || strings.Contains(string(got.Body), "owner@") {
		t.Errorf("the guest sees %s", got.Body)
	}
	s.guest.Get("/orgs/acme/members/"+strconv.FormatInt(s.insiderUser.ID, 10)).Want(t, 200)
	s.guest.Get("/orgs/acme/members/"+strconv.FormatInt(s.outsiderUser.ID, 10)).Want(t, 404)
	id := s.owner.Post("/orgs/acme/invites", map[string]any{"email": "secret@example.com", "role_id": 5}).Want(t, 200).ID()
	s.guest.Get("/orgs/acme/invites").Want(t, 404)
	s.guest.Get("/orgs/acme/invites/"+id).Want(t, 404)
	s.insider.Get("/orgs/acme/invites/"+id).Want(t, 200)
}

// A role in a team counts on the servers that are shared with it, and on no others named beside them.
func TestRoleEndsWithItsServer(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	team := w.owner.Post("/orgs/acme/teams", map[string]any{
		"name":  "backups",
		"users": []any{map[string]any{"id": w.users["viewer"].ID, "role": map[string]any{"id": access.RoleAdmin}}},
	}).Want(t, 200).ID()
	w.owner.Post("/orgs/acme/teams/"+team+"/servers", map[string]any{"server_id": number(w.mine.engine)}).Want(t, 201)
	at := "/orgs/acme/servers/" + w.mine.engine + "/database/backups/" + w.mine.configuration + "/instances/" + w.mine.backup
	w.viewer.Get(at).Want(t, 200)
	restore := func(c *Client, server string) string {
		return string(c.Post(at+"/restores", map[string]any{"database_id": number(w.mine.database), "server_id": number(server)}).Want(t, 422).Body)
	}
	const none = "The server does not exist."
	if got := restore(w.viewer, w.other.engine); !strings.Contains(got, none) {
		t.Errorf("a restore to a server that the team has not is answered %s", got)
	}
	if got := restore(w.owner, w.other.engine); strings.Contains(got, none) {
		t.Errorf("the owner's is answered %s", got)
	}
}

// What a program may have at most can be cut after people let it in.
func TestCutClient(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	e := w.Env
	e.WithPassword(w.users["owner"].ID)
	p, b := w.registered(true), e.browser(t)
	b.signIn("/oauth/device", "owner@example.com")
	token, err := p.Exchange(context.Background(), b.allow(p.AuthCodeURL("s")).Get("code"))
	if err != nil {
		t.Fatal(err)
	}
	e.As(token.AccessToken).Get("/orgs/acme/servers").Want(t, 200)
	w.owner.Put("/orgs/acme/oauth-clients/"+p.id, map[string]any{"scopes": []string{"organization:view"}}).Want(t, 200)
	e.As(token.AccessToken).Get("/orgs/acme/servers").Want(t, 403)
	for _, uri := range []string{"https://a;script-src=x/", "https://a'b/", "https://", "https://a:port/", "http://[::1;x]/"} {
		w.owner.Put("/orgs/acme/oauth-clients/"+p.id, map[string]any{"redirect_uris": []string{uri}}).Want(t, 422)
	}
}

// Over https only the cookie counts that no neighbour below the same domain can set.
func TestPlantedCookie(t *testing.T) {
	t.Parallel()
	e := NewWith(t, db.SQLite, func(c *app.Config) { c.BaseURL = "https://hostler.test" })
	session := e.Session(e.User("jane"))
	for name, want := range map[string]int{"__Host-hostler": 200, "hostler": 401} {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, e.URL+"/api/user", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.AddCookie(&http.Cookie{Name: name, Value: session.Cookie})
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("the cookie %s answered %d, want %d", name, res.StatusCode, want)
		}
	}
}

// An IPv6 customer has a whole network of addresses: its guesses are counted together.
func TestGuessesOfANetwork(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	e.WithPassword(e.User("jane").ID)
	e.TrustProxies()
	c := e.As("")
	from := func(address string) Option { return Header("X-Forwarded-For", address) }
	for i := range 5 {
		c.Post("/auth/login", login("jane@example.com", "wrong", ""), from("2001:db8::"+strconv.Itoa(i))).Want(t, 401)
	}
	c.Post("/auth/login", login("jane@example.com", password, ""), from("2001:db8::ffff")).Want(t, 429)
	c.Post("/auth/login", login("jane@example.com", password, ""), from("2001:db8:0:1::1")).Want(t, 200)
}

// With open registration, a mailbox can't be flooded through it.
func TestOpenRegistrationIsLimited(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	e.Tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.PutSetting(ctx, account.SettingOpenRegistration, "true")
	})
	c := e.As("")
	up := func(email string) Answer {
		return c.Post("/auth/sign-up", map[string]any{"email": email, "name": "X", "password": password})
	}
	for range 5 {
		up("victim@example.com").Want(t, 204)
	}
	up("Victim@example.com").Want(t, 429)
	up("another@example.com").Want(t, 204)
}
