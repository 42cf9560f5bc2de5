package edge

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// with returns a caller whose token of the owner has these scopes.
func (w *world) with(scopes ...access.Permission) *Client {
	token, _ := w.Token(w.users["owner"], access.SetOf(scopes...), nil)
	return w.As(token)
}

// as returns the user custom a role with these permissions, on servers too, and is that user with a token that may everything.
func (w *world) as(permissions ...access.Permission) *Client {
	w.T.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		if err := tx.ClearRolePermissions(ctx, w.customRole); err != nil {
			return err
		}
		for _, p := range permissions {
			if err := tx.AddRolePermission(ctx, w.customRole, string(p)); err != nil {
				return err
			}
		}
		return nil
	})
	return w.Of(w.users["custom"])
}

// A token that may look at recipes wanted to run one as root.
func TestReaderRunsRecipeAsRoot(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	run := func(c *Client) int {
		return c.Post("/orgs/acme/recipes/"+w.mine.recipe+"/runs", map[string]any{"servers": []any{number(w.mine.server)}}).Status
	}
	for name, c := range map[string]*Client{
		"token": w.with(access.RecipeView), "role": w.as(access.RecipeView),
		"token without the list": w.with(access.RecipeManage),
	} {
		if got := run(c); got != 403 {
			t.Errorf("a %s ran the recipe: %d", name, got)
		}
	}
	if got := run(w.with(access.RecipeView, access.RecipeManage)); got != 202 {
		t.Errorf("who may run recipes is answered %d", got)
	}
}

// A member who can only view servers wants a site's secrets.
func TestReaderWantsSecrets(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	at := "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site
	secrets := map[string]access.Permission{
		at + "/deployments/deploy-hook":                  access.SiteManageDeploys,
		at + "/environment/versions":                     access.SiteManageEnvironment,
		at + "/environment/versions/" + w.mine.version:   access.SiteManageEnvironment,
		at + "/environment":                              access.SiteManageEnvironment,
		at + "/commands/" + w.mine.command + "/output":   access.SiteManageCommands,
		at + "/webhooks":                                 access.SiteManageNotifications,
		at + "/webhooks/" + w.mine.webhook:               access.SiteManageNotifications,
		at + "/nginx":                                    access.SiteManageNginx,
		at + "/scheduled-jobs/" + w.mine.job + "/output": access.ServerCreateSchedulers,
		"/orgs/acme/servers/" + w.mine.server + "/scheduled-jobs/" + w.mine.serverJob + "/output": access.ServerCreateSchedulers,
	}
	for path, needed := range secrets {
		for name, c := range map[string]*Client{"token": w.with(access.ServerView), "role": w.as(access.ServerView), "token that may only manage": w.with(needed)} {
			if a := c.Get(path); a.Status != 403 {
				t.Errorf("%s: GET %s answered %d: %s", name, path, a.Status, a.Body)
			}
		}
		if a := w.with(access.ServerView, needed).Get(path); a.Status == 403 {
			t.Errorf("GET %s: with %s it is refused: %s", path, needed, a.Body)
		}
	}
}

// A token with the right to create servers wants to decide which teams reach existing ones.
func TestCreatorSharesServers(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	path := "/orgs/acme/teams/" + w.mine.team + "/servers"
	for _, c := range []*Client{
		w.with(access.ServerCreate), w.with(access.ServerView, access.TeamCreate), w.as(access.ServerView, access.ServerCreate),
		w.as(access.ServerView, access.TeamCreate),
	} {
		c.Post(path, map[string]any{"server_id": number(w.mine.server)}).Want(t, 403)
		c.Delete(path+"/"+w.mine.server).Want(t, 403)
	}
	w.with(access.ServerView, access.TeamCreate, access.ServerCreate).Delete(path+"/"+w.mine.server).Want(t, 204)
}

// A member who can restart services wants a recipe run again as root that only others can run, to stop their work, and to read its output.
func TestServiceManagerRetriesRecipe(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		a := w.owner.Post("/orgs/acme/recipes/"+w.mine.recipe+"/runs", map[string]any{"servers": []any{number(w.mine.server)}}).Want(t, 202)
		event := a.Header.Get("X-Hostler-Event")
		at := "/orgs/acme/servers/" + w.mine.server + "/events/" + event
		w.print(event, "hunter2")
		manager := []access.Permission{access.ServerView, access.ServerManageServices, access.RecipeView}
		for _, c := range []*Client{w.with(manager...), w.as(manager...)} {
			c.Post(at+"/cancel", nil).Want(t, 403)
			if got := c.Get(at + "/output"); got.Status != 403 {
				t.Errorf("the output is answered with %d: %s", got.Status, got.Body)
			}
		}
		failEvent(w, things{event: event})
		for _, c := range []*Client{w.with(manager...), w.as(manager...)} {
			c.Post(at+"/retry", nil).Want(t, 403)
		}
		may := w.with(access.ServerView, access.RecipeView, access.RecipeManage)
		may.Post(at+"/retry", nil).Want(t, 202)
		may.Post(at+"/cancel", nil).Want(t, 202)
		may.Get(at+"/output").Want(t, 200)
		// Nor does who began it keep what their role lost.
		began := w.as(access.ServerView, access.RecipeView, access.RecipeManage)
		event = began.Post("/orgs/acme/recipes/"+w.mine.recipe+"/runs", map[string]any{"servers": []any{number(w.mine.server)}}).Want(t,
			202).Header.Get("X-Hostler-Event")
		began = w.as(access.ServerView, access.RecipeView)
		began.Post("/orgs/acme/servers/"+w.mine.server+"/events/"+event+"/cancel", nil).Want(t, 403)
	})
}

// A follower who can view servers wants to read script output, and to continue after a scope was revoked.
func TestFollowerHearsScripts(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	event := w.owner.Post("/orgs/acme/recipes/"+w.mine.recipe+"/runs", map[string]any{"servers": []any{number(w.mine.server)}}).Want(t,
		202).Header.Get("X-Hostler-Event")
	res, cancel := w.with(access.ServerView).Stream("/orgs/acme/events/stream")
	defer cancel()
	w.print(event, "hunter2")
	w.say(w.mine.event, "of a firewall rule")
	lines := make(chan string)
	go func() {
		defer close(lines)
		for scan := bufio.NewScanner(res.Body); scan.Scan(); {
			lines <- scan.Text()
		}
	}()
	for deadline := time.After(time.Minute); ; {
		select {
		case line, ok := <-lines:
			if !ok || strings.Contains(line, "hunter2") {
				t.Fatalf("the stream said %q, %v", line, ok)
			}
			if strings.Contains(line, "of a firewall rule") {
				return
			}
		case <-deadline:
			t.Fatal("the stream says nothing")
		}
	}
}

// A program wants to continue listening with a scope that it had when it began.
func TestStreamOutlivesScope(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	token, row := w.Token(w.users["owner"], Everything(), nil)
	res, cancel := w.As(token).Stream("/orgs/acme/events/stream")
	defer cancel()
	if _, err := w.App.DB.SQLDB().ExecContext(context.Background(), `UPDATE tokens SET scopes = '["organization:view"]' WHERE id = $1`, row.ID); err != nil {
		t.Fatal(err)
	}
	w.say(w.mine.event, "after the cut")
	done := make(chan bool)
	go func() {
		said := false
		for scan := bufio.NewScanner(res.Body); scan.Scan(); {
			said = said || strings.Contains(scan.Text(), "after the cut")
		}
		done <- said
	}()
	select {
	case said := <-done:
		if said {
			t.Error("the stream went on")
		}
	case <-time.After(time.Minute):
		t.Error("the stream did not end")
	}
}

// Anyone has a hook's address. What it starts is retried and cancelled by those who may deploy.
func TestHooksWorkIsNotFree(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		_, hook := w.deploySite(t, "shop.example.org")
		if code, body := plain(t, "GET", hook, ""); code != 202 {
			t.Fatalf("%d %s", code, body)
		}
		op := w.serviceBegan(t, "deployments", access.SiteManageDeploys)
		at := fmt.Sprintf("/orgs/acme/servers/%d/events/%d/cancel", op.ServerID, *op.EventID)
		w.with(access.ServerView, access.SiteManageCommands).Post(at, nil).Want(t, 403)
		w.with(access.ServerView, access.SiteManageDeploys).Post(at, nil).Want(t, 202)
	})
}

// Work of which it is not known what it needs, needs everything.
func TestUnknownWorkIsNotFree(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	if _, err := w.App.DB.SQLDB().ExecContext(context.Background(), `UPDATE operations SET needs = ''`); err != nil {
		t.Fatal(err)
	}
	at := "/orgs/acme/servers/" + w.mine.server + "/events/" + w.mine.event
	w.with(slices.DeleteFunc(access.All(), func(p access.Permission) bool { return p == access.BillingManage })...).Post(at+"/cancel", nil).Want(t, 403)
	w.with(access.All()...).Post(at+"/cancel", nil).Want(t, 202)
}

// serviceBegan returns the newest operation on a kind of resource, which the service began and which needs these permissions.
func (w *world) serviceBegan(t *testing.T, resource string, needs ...access.Permission) query.Operation {
	t.Helper()
	rows, err := db.All[query.Operation](context.Background(), w.App.DB.Reader(), "operations", db.Equal("resource_type", resource),
		db.Cond{SQL: "asked_by IS NULL"})
	if err != nil || len(rows) == 0 {
		t.Fatalf("no work on %s that the service began: %v", resource, err)
	}
	op := rows[len(rows)-1]
	if diff := cmp.Diff(needs, job.Needs(op)); diff != "" {
		t.Errorf("what %s of %s needs: %s", op.Action, resource, diff)
	}
	return op
}

// What people's scripts did stays when they end early, and so do a reboot, a log that was emptied and statements in an engine. Everything else is rolled back.
func TestScriptsStay(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	server, site := "/orgs/acme/servers/"+w.mine.server, "/orgs/acme/servers/"+w.mine.server+"/sites/"+w.mine.site
	a := w.owner.Post(site+"/commands", map[string]any{"command": "true"}).Want(t, 202)
	if got := a.At("data", "meta", "operation", "reversible"); got != false {
		t.Errorf("a command is reversible: %v", got)
	}
	w.owner.Post("/orgs/acme/recipes/"+w.mine.recipe+"/runs", map[string]any{"servers": []any{number(w.mine.server)}}).Want(t, 202)
	_, hook := w.deploySite(t, "shop.example.org")
	plain(t, "GET", hook, "")
	if _, err := w.App.DB.SQLDB().ExecContext(context.Background(), `UPDATE servers SET is_ready = TRUE, facts = '{"boot_id": "a"}' WHERE id = $1`,
		number(w.mine.server)); err != nil {
		t.Fatal(err)
	}
	w.owner.Post(server+"/actions", map[string]any{"action": "reboot"}).Want(t, 202)
	w.owner.Delete(site+"/logs/nginx-access").Want(t, 202)
	rows, err := db.All[query.Operation](context.Background(), w.App.DB.Reader(), "operations")
	if err != nil {
		t.Fatal(err)
	}
	lasting := map[string]bool{}
	for _, op := range rows {
		if op.Lasting {
			lasting[op.ResourceType+" "+op.Action] = true
		}
	}
	if diff := cmp.Diff(map[string]bool{
		"commands create": true, "databaseUsers create": true, "databases create": true, "deployments create": true,
		"recipe_runs create": true, "servers reboot": true, "siteLogs clear": true,
	}, lasting); diff != "" {
		t.Error(diff)
	}
}

// invited returns an invitation from a caller, with a user of its address who has not accepted it.
func (w *world) invited(c *Client, path, name string, role int64) (query.User, string) {
	w.T.Helper()
	user := w.User(name)
	c.Post(path, map[string]any{"email": user.Email, "role_id": role}).Want(w.T, 200)
	return user, w.Mail.Token(w.T, user.Email)
}

// accept is the answer to an invitation.
func (w *world) accept(user query.User, token string) error {
	return w.App.DB.Tx(context.Background(), func(ctx context.Context, tx *db.Tx) error {
		_, err := organization.Accept(ctx, tx, user, token)
		return err
	})
}

// A removed or demoted admin wanted to come back through an invitation of their own, sent before.
func TestInvitationOutlivesInviter(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		admin := strconv.FormatInt(w.users["admin"].ID, 10)
		team := "/orgs/acme/teams/" + w.mine.team + "/invites"
		role := func(id int64) func() {
			return func() { w.owner.Put("/orgs/acme/members/"+admin, map[string]any{"role_id": id}).Want(t, 200) }
		}
		custom := w.owner.Post("/orgs/acme/roles", map[string]any{
			"name":        "chief",
			"permissions": []string{"organization:manage", "team:create", "server:view"},
		}).Want(t, 200).ID()
		token, _ := w.Token(w.users["admin"], Everything(), nil)
		n := 0
		for _, tc := range []struct {
			name   string
			before func()
			path   string
			role   int64
			end    func()
		}{
			{"demoted", nil, "/orgs/acme/invites", access.RoleAdmin, role(access.RoleManager)},
			{"demoted, for a team", nil, team, access.RoleManager, role(access.RoleDeveloper)},
			{"demoted below what was promised", nil, team, access.RoleAdmin, role(access.RoleManager)},
			{"role cut", role(number(custom)), "/orgs/acme/invites", number(custom), func() {
				w.owner.Put("/orgs/acme/roles/"+custom, map[string]any{"name": "chief", "permissions": []string{"server:view"}}).Want(t, 200)
			}},
			{"token revoked", nil, "/orgs/acme/invites", access.RoleDeveloper, func() {
				w.Tx(func(ctx context.Context, tx *db.Tx) error {
					return tx.RevokeUserTokens(ctx, w.users["admin"].ID, new(tx.Micros()))
				})
			}},
			{"removed", nil, "/orgs/acme/invites", access.RoleAdmin, func() { w.owner.Delete("/orgs/acme/members/"+admin).Want(t, 204) }},
		} {
			role(access.RoleAdmin)()
			if tc.before != nil {
				tc.before()
			}
			n++
			user, link := w.invited(w.As(token), tc.path, "friend"+strconv.Itoa(n), tc.role)
			tc.end()
			if err := w.accept(user, link); err == nil {
				t.Errorf("%s: the invitation was accepted", tc.name)
			}
			if tc.name != "token revoked" { // that touches no organization
				if got := w.owner.Get(tc.path+"?page[size]=100").Want(t, 200); strings.Contains(string(got.Body), user.Email) {
					t.Errorf("%s: the invitation is still open", tc.name)
				}
			} else {
				token, _ = w.Token(w.users["admin"], Everything(), nil)
			}
		}
	})
}

// A member who was removed, or cut in a team, wanted their place back through an older invitation to themselves.
func TestInvitationOutlivesRemoval(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		team := "/orgs/acme/teams/" + w.mine.team
		user := w.users["developer"]
		id := strconv.FormatInt(user.ID, 10)
		invite := func(role int64) string {
			w.owner.Post(team+"/invites", map[string]any{"email": user.Email, "role_id": role}).Want(t, 200)
			return w.Mail.Token(t, user.Email)
		}
		link := invite(access.RoleManager)
		w.owner.Put(team+"/members/"+id, map[string]any{"role_id": access.RoleViewer}).Want(t, 200)
		if err := w.accept(user, link); err == nil {
			t.Error("a member who was made a viewer is a manager again")
		}
		link = invite(access.RoleManager)
		w.owner.Delete(team+"/members/"+id).Want(t, 204)
		if err := w.accept(user, link); err == nil {
			t.Error("a member who was removed from the team is back")
		}
		link = invite(access.RoleManager)
		w.owner.Delete("/orgs/acme/members/"+id).Want(t, 204)
		if err := w.accept(user, link); err == nil {
			t.Error("a member who was removed is back")
		}
	})
}

// A member who can create sites wants the password of the account with access to every database of the server.
func TestSiteGetsAllDatabases(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		with := serverBody("both", "app")
		with["database_type"], with["database"] = "postgres16", "shop"
		server := w.owner.Post(servers, with).Want(t, 202).ID()
		at := "/orgs/acme/servers/" + server
		id := number(w.owner.Get(at+"/database/schemas").Want(t, 200).IDs()[0])
		main := number(w.owner.Get(at+"/database/users").Want(t, 200).IDs()[0])
		body := func(name string, user any) map[string]any {
			out := map[string]any{"type": "laravel", "name": name, "repository": "git@git.example.com:a/b.git", "database_id": id}
			if user != nil {
				out["database_user_id"] = user
			}
			return out
		}
		creator := []access.Permission{access.ServerView, access.SiteCreate}
		before := w.counts()
		for _, c := range []*Client{w.with(creator...), w.as(creator...)} {
			c.Post(w.sites(server), body("a.example.org", nil)).Want(t, 403)
			c.Post(w.sites(server), body("a.example.org", main)).Want(t, 403)
		}
		wantFields(t, w.owner.Post(w.sites(server), body("a.example.org", main)), "database_user_id")
		after := w.counts()
		if after["sites"] != before["sites"] || after["database_users"] != before["database_users"] {
			t.Error("refused calls left something behind")
		}
		may := w.with(access.ServerView, access.SiteCreate, access.ServerCreateDatabases)
		for _, name := range []string{"a.example.org", "a-example.org"} {
			may.Post(w.sites(server), body(name, nil)).Want(t, 202)
		}
		users := w.owner.Get(at+"/database/users?sort=created_at").Want(t, 200)
		var names []string
		for i := range users.IDs() {
			names = append(names, users.Text("data", i, "attributes", "name"))
		}
		if got := strings.Join(names, " "); got != "forge a_example_org a_example_org_2" {
			t.Errorf("the accounts are %s", got)
		}
		// The one that was made may use one database. (The account of all has no rows.)
		var grants int
		if err := w.App.DB.SQLDB().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM database_grants WHERE user_id > $1 AND database_id = $2", main,
			id).Scan(&grants); err != nil || grants != 2 {
			t.Errorf("%d grants, %v", grants, err)
		}
		// A site of an older release is listed until the password is changed.
		site := w.owner.Get(w.sites(server)).Want(t, 200).IDs()[0]
		if _, err := w.App.DB.SQLDB().ExecContext(t.Context(), "UPDATE sites SET database_user_id = $1 WHERE id = $2", main, number(site)); err != nil {
			t.Fatal(err)
		}
		shown := func() bool { return strings.Contains(strings.Join(attention(t, w.owner), " "), "site-shares-account") }
		if !shown() {
			t.Error("nobody is told of the site that has the account of all")
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error { return tx.ForgetSitesAccount(ctx, &main) })
		if shown() {
			t.Error("the site is told of after the password was changed")
		}
	})
}
