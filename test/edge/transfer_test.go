package edge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// transferable ends the work on a server, takes it out of its balancer, and what would need force from its sites, and makes everyone who manages the one
// organization a manager of the other.
func transferable(w *world, t things) {
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		for _, statement := range []string{
			"UPDATE operations SET state = 'succeeded' WHERE server_id = $1", "UPDATE runs SET state = 'ended' WHERE server_id = $1",
			"DELETE FROM load_balancing_nodes WHERE server_id = $1",
			"DELETE FROM package_credentials WHERE site_id IN (SELECT id FROM sites WHERE server_id = $1)",
		} {
			if _, err := tx.SQL.ExecContext(ctx, statement, number(t.server)); err != nil {
				return err
			}
		}
		for _, name := range []string{"owner", "admin", "manager", "developer", "viewer"} {
			if err := joins(ctx, tx, w.otherOrg, w.users[name], access.RoleManager); err != nil {
				return err
			}
		}
		return nil
	})
}

// joins gives a user a role in an organization, in place of another.
func joins(ctx context.Context, tx *db.Tx, org query.Organization, user query.User, role int64) error {
	_, err := tx.SQL.ExecContext(ctx, "INSERT INTO memberships (organization_id, user_id, role_id, created_at, updated_at) VALUES ($1, $2, $3, 1, 1) "+
		"ON CONFLICT (organization_id, user_id) DO UPDATE SET role_id = excluded.role_id", org.ID, user.ID, role)
	return err
}

func (w *world) executes(statement string, args ...any) {
	w.T.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, statement, args...)
		return err
	})
}

// bound makes the server use everything of the organization that a server can use.
func (w *world) bound(site string) {
	w.T.Helper()
	m := w.mine
	for _, statement := range []string{
		"UPDATE servers SET credential_id = " + m.credential + " WHERE id = " + m.server,
		"UPDATE projects SET provider_id = " + m.source + ", provider = 'github' WHERE site_id = " + site,
		"INSERT INTO source_control_links (site_id, provider_id, repository, public_key, key_id, hook_hash, hook_id, state, reason, attempts, generation, " +
			"busy_until, created_at, updated_at) " +
			"VALUES (" + site + ", " + m.source + ", 'team/app', 'k', '1', 'h', '2', 'registered', '', 0, 1, 0, 1, 1)",
		"UPDATE certificates SET dns_provider_id = " + m.dnsProvider + " WHERE id = " + m.certificate,
		"UPDATE backup_configurations SET server_id = " + m.server + " WHERE id = " + m.configuration,
		"INSERT INTO hook_readers (site_id, user_id, shown_at) SELECT " + site + ", id, 1 FROM users WHERE name = 'admin'",
	} {
		w.executes(statement)
	}
	w.owner.Put("/orgs/acme/servers/"+m.server, map[string]any{"tags": []string{"blue", "eu"}}).Want(w.T, 200)
}

// effects returns what a transfer would do, as "effect type name".
func effects(a Answer) []string {
	list, _ := a.At("data", "attributes", "items").([]any)
	var out []string
	for _, v := range list {
		i := v.(map[string]any)
		out = append(out, fmt.Sprint(i["effect"], " ", i["type"], " ", i["name"]))
	}
	return out
}

// A server goes with everything on it, what is the organization's stays, and each obstacle is named before.
func TestServerIsTransferred(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		const old = "/orgs/acme"
		m := w.mine
		path := "/servers/" + m.server
		site, hook := w.deploySite(t, "shop.example.org")
		site = site[strings.LastIndex(site, "/")+1:]
		w.executes("DELETE FROM source_control_links")
		ping := w.owner.Get(old+path+"/sites/"+m.site+"/heartbeats/"+m.heartbeat).Want(t, 200).Text("data", "attributes", "ping_url")
		body := map[string]any{"to": w.otherOrg.Slug}
		give := func(want int) Answer { return w.owner.Post(old+path+"/transfer", body).Want(t, want) }
		refused := func(want string) {
			t.Helper()
			before := w.counts()
			if a := give(409); !strings.Contains(string(a.Body), want) {
				t.Errorf("it is refused with %s, want %q", a.Body, want)
			}
			w.unchangedSince(before)
		}

		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			return joins(ctx, tx, w.otherOrg, w.users["owner"], access.RoleManager)
		})
		refused("This operation is still running.")
		w.executes("UPDATE operations SET state = 'succeeded'")
		refused("one.example.com: The server is a node of this load balancer.")
		w.executes("DELETE FROM load_balancing_nodes WHERE server_id = $1", number(m.server))
		w.executes("INSERT INTO server_peers (server_id, peer_id) VALUES ($1, $2)", number(m.engine), number(m.server))
		refused("one-db: The two servers are in a network together.")
		w.executes("DELETE FROM server_peers")
		w.bound(site)
		w.executes("UPDATE source_control_links SET state = 'pending', next_at = 1")
		refused("is being set up at the Git provider")
		w.executes("UPDATE source_control_links SET state = 'registered'")
		refused("With force, it is detached.")

		seen := w.owner.Get(old+path+"/transfer?to=other").Want(t, 200)
		for _, want := range []string{
			"detached serverCredentials one", "detached backupConfigurations ", "detached sites shop.example.org",
			"detached certificates one.example.com",
			"left teams team one", "left recipeRuns Recipe runs (1)", "reaches sshKeys laptop", "reaches sites shop.example.org",
			"reaches deploymentWebhooks one.example.com",
			"left monitors ",
		} {
			if !slices.ContainsFunc(effects(seen), func(s string) bool { return strings.HasPrefix(s, want) }) {
				t.Errorf("%q is not in %q", want, effects(seen))
			}
		}
		for _, kind := range []string{"composer", "npm"} {
			if want := "The " + kind + " credential for "; !strings.Contains(string(seen.Body), want) {
				t.Errorf("%q is not in %s", want, seen.Body)
			}
		}
		if seen.At("data", "attributes", "possible") != true || seen.At("data", "attributes", "needs_force") != true || seen.Text("data", "attributes",
			"moves", 0, "type") != "sites" ||
			seen.Text("data", "attributes", "moves", 0, "count") != "2" {
			t.Errorf("it is foreseen as %s", seen.Body)
		}

		body["force"] = true
		a := give(200)
		if got := a.Header.Get("Location"); !strings.HasSuffix(got, "/orgs/other"+path) || a.Text("data", "links", "self", "href") != got {
			t.Errorf("it is at %q: %s", got, a.Body)
		}
		w.belongs(number(m.server))
		give(404)

		admin := w.Of(w.users["admin"]) // who is not in the other organization
		for _, gone := range []string{
			path, path + "/sites", path + "/events/" + m.event, path + "/events/" + m.event + "/output",
			path + "/sites/" + m.site + "/environment",
			path + "/transfer", path + "/ssh-keys", path + "/sites/" + site + "/deployments/deploy-hook", "/sites/" + m.site,
		} {
			admin.Get(old+gone).Want(t, 404)
			admin.Get("/orgs/other"+gone).Want(t, 404)
		}
		for _, list := range []string{"/servers", "/sites", "/events"} {
			if a := admin.Get(old+list+"?page[size]=200").Want(t, 200); strings.Contains(string(a.Body), path) {
				t.Errorf("%s still shows it: %s", list, a.Body)
			}
		}
		if a := admin.Get("/sites").Want(t, 200); slices.Contains(a.IDs(), m.site) {
			t.Error("the site is still among the member's sites")
		}

		now := "/orgs/other" + path
		tags := must(db.All[query.Tag](t.Context(), w.App.DB.Reader(), "tags", db.Equal("organization_id", w.otherOrg.ID),
			db.Cond{SQL: "id IN (SELECT tag_id FROM server_tags WHERE server_id = ?)", Args: []any{number(m.server)}}))
		if len(tags) != 2 || tags[0].Name != "blue" || tags[1].Name != "eu" {
			t.Errorf("its tags are %v", tags)
		}
		if got := w.stranger.Get(now+"/sites/"+m.site+"/environment").Want(t, 200); !strings.Contains(string(got.Body), `A=1\n`) {
			t.Errorf("its sealed variables are %s", got.Body)
		}
		if got := w.stranger.Get(now+"/sites/"+site+"/deployments/deploy-hook").Want(t, 200).Text("data", "attributes", "url"); got != hook {
			t.Errorf("the hook is %s, it was %s", got, hook)
		}
		if code, text := plain(t, "GET", ping, ""); code != 200 {
			t.Errorf("the heartbeat is answered %d %s", code, text)
		}
		w.stranger.Get(now+"/sites/"+m.site+"/deployments").Want(t, 200)
		w.stranger.Get(now+"/events/"+m.event).Want(t, 200)
		w.stranger.Post(now+"/firewall-rules", map[string]any{"name": "x", "port": "81", "type": "allow"}).Want(t, 202)
		if got := attentionOf(w.stranger, t, "other"); !slices.Contains(got, "hook-known shop.example.org") {
			t.Errorf("needing attention: %q", got)
		}
		for slug, c := range map[string]*Client{"acme": w.owner, "other": w.stranger} {
			a := c.Get("/orgs/"+slug+"/audit?filter[operation]=organizations.servers.transfer.store").Want(t, 200)
			if n := len(a.IDs()); n != 1 || a.Text("data", 0, "attributes", "resource_id") != m.server {
				t.Errorf("the log of %s has %s", slug, a.Body)
			}
		}
		w.stranger.Get("/orgs/other/recipes/"+m.recipe).Want(t, 404)
		for _, list := range []string{"composer", "npm"} {
			if a := w.stranger.Get(now+"/sites/"+m.site+"/"+list+"/credentials").Want(t, 200); len(a.IDs()) != 0 {
				t.Errorf("the credentials for package repositories went along: %s", a.Body)
			}
		}
		w.owner.Get(old+"/storage-providers/"+m.storage).Want(t, 200)
		w.owner.Get(old+"/dns-providers/"+m.dnsProvider).Want(t, 200)
	})
}

func attentionOf(c *Client, t *testing.T, slug string) []string {
	t.Helper()
	list, _ := c.Get("/orgs/"+slug+"/attention").Want(t, 200).At("data").([]any)
	var out []string
	for _, item := range list {
		at := item.(map[string]any)["attributes"].(map[string]any)
		out = append(out, fmt.Sprintf("%s %s", at["kind"], at["subject"]))
	}
	return out
}

// belongs looks through every table: no row of the server names the organization that it left, nor anything of that organization.
func (w *world) belongs(id int64) {
	w.T.Helper()
	if w.App.DB.Dialect != db.SQLite { // the schema is the same
		return
	}
	read := func(statement string, args ...any) (out [][3]string) {
		rows, err := w.App.DB.SQLDB().QueryContext(context.Background(), statement, args...)
		if err != nil {
			w.T.Fatalf("%s: %v", statement, err)
		}
		defer rows.Close()
		for rows.Next() {
			var r [3]string
			if err := rows.Scan(&r[0], &r[1], &r[2]); err != nil {
				w.T.Fatal(err)
			}
			out = append(out, r)
		}
		if err := rows.Err(); err != nil {
			w.T.Fatal(err)
		}
		return out
	}
	columns := map[string]map[string]bool{}
	for _, c := range read("SELECT t.name, c.name, '' FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'") {
		if columns[c[0]] == nil {
			columns[c[0]] = map[string]bool{}
		}
		columns[c[0]][c[1]] = true
	}
	tried := 0
	none := func(what, statement string) {
		tried++
		if got := read(statement, id, w.org.ID); got[0][0] != "0" {
			w.T.Errorf("%s rows of the server have %s", got[0][0], what)
		}
	}
	for table, has := range columns {
		var of string
		switch {
		case table == "servers":
			of = "x.id = $1"
		case has["server_id"]:
			of = "x.server_id = $1"
		case has["site_id"]:
			of = "x.site_id IN (SELECT id FROM sites WHERE server_id = $1)"
		default:
			continue
		}
		if has["organization_id"] {
			none("the other organization_id in "+table, "SELECT COUNT(*), '', '' FROM "+table+" x WHERE "+of+" AND x.organization_id = $2")
		}
		for _, key := range read(`SELECT "table", "from", COALESCE("to", 'id') FROM pragma_foreign_key_list($1)`, table) {
			if columns[key[0]]["organization_id"] && key[0] != "servers" && key[0] != "sites" {
				none(table+"."+key[1], "SELECT COUNT(*), '', '' FROM "+table+" x JOIN "+key[0]+" y ON y."+key[2]+" = x."+key[1]+" WHERE "+of+" AND y.organization_id = $2")
			}
		}
		if has["tag_id"] {
			none(table+".tag_id", "SELECT COUNT(*), '', '' FROM "+table+" x JOIN tags y ON y.id = x.tag_id WHERE "+of+" AND y.organization_id = $2")
		}
		if has["team_id"] {
			none(table+".team_id", "SELECT COUNT(*), '', '' FROM "+table+" x JOIN teams y ON y.id = x.team_id WHERE "+of+" AND y.organization_id = $2")
		}
	}
	if tried < 12 {
		w.T.Errorf("only %d columns were looked at", tried)
	}
}

// A server goes only where the caller may create servers, and only from where they may give it away.
func TestTransferNeedsBothOrganizations(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := servers + "/" + w.mine.server + "/transfer"
		transferable(w, w.mine)
		before := w.counts()
		for name, to := range map[string]any{
			"nothing": nil, "no text": 7, "empty": "", "no organization": "nowhere", "its own": "acme",
			"an id": fmt.Sprint(w.otherOrg.ID), "too long": strings.Repeat("a", 256),
		} {
			t.Run(name, func(t *testing.T) { wantFields(t, w.owner.Post(path, map[string]any{"to": to}), "to") })
		}
		wantFields(t, w.owner.Get(path+"?to=nowhere"), "to")
		wantFields(t, w.stranger.Post("/orgs/other/servers/"+w.foreign.server+"/transfer", map[string]any{"to": "acme"}), "to")

		body := map[string]any{"to": "other"}
		role := func(id int64) {
			w.Tx(func(ctx context.Context, tx *db.Tx) error { return joins(ctx, tx, w.otherOrg, w.users["owner"], id) })
		}
		for _, id := range []int64{access.RoleViewer, access.RoleDeveloper} {
			role(id)
			w.owner.Post(path, body).Want(t, 403)
			w.owner.Get(path+"?to=other").Want(t, 403)
		}
		role(access.RoleManager)
		for _, has := range [][]access.Permission{{access.ServerView, access.ServerTransfer}, {access.ServerView, access.ServerDelete, access.ServerCreate}} {
			w.as(has...).Post(path, body).Want(t, 403)
		}
		w.as(access.ServerView, access.ServerTransfer, access.ServerDelete, access.ServerCreate)
		wantFields(t, w.Of(w.users["custom"]).Post(path, body), "to")
		token, row := w.Token(w.users["owner"], Everything(), nil)
		w.executes("UPDATE tokens SET organizations = $2 WHERE id = $1", row.ID, fmt.Sprintf("[%d]", w.org.ID))
		wantFields(t, w.As(token).Post(path, body), "to")

		role(0) // a member through a team only
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.PutTeamMember(ctx, number(w.foreign.team), w.users["owner"].ID, access.RoleManager, tx.Micros())
			return err
		})
		wantFields(t, w.owner.Post(path, body), "team_id")
		for _, team := range []any{number(w.mine.team), 999999, "x"} {
			wantFields(t, w.owner.Post(path, map[string]any{"to": "other", "team_id": team}), "team_id")
		}
		after := w.counts()
		for _, table := range []string{"audit_entries", "tokens", "memberships", "team_members", "role_permissions"} {
			before[table] = after[table]
		}
		w.unchangedSince(before)
		w.owner.Post(path, map[string]any{"to": "other", "team_id": number(w.foreign.team)}).Want(t, 200)
		w.owner.Get("/orgs/other/servers/"+w.mine.server).Want(t, 200)
	})
}

// What was authorized before a transfer and comes after it does not find the server, and a transfer waits for what comes before it.
func TestTransferBesideOtherRequests(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		transferable(w, w.mine)
		row := must(w.App.DB.Read().Ungranted().GetServer(t.Context(), number(w.mine.server)))
		before := server.Path{Grant: access.Grant{OrganizationID: w.org.ID}, Server: row}
		work := job.Work{
			Grant: before.Grant, ServerID: row.ID, Ready: true, Aspect: "firewall", Resource: "servers", ResourceID: row.ID, Action: "update",
			Description: "Late work",
		}
		begin := func(ctx context.Context, tx *db.Tx) error { _, err := w.App.Queue.Begin(ctx, tx, work); return err }
		if w.App.DB.Dialect == db.PostgreSQL {
			err := w.App.DB.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				if err := begin(ctx, tx); err != nil {
					return err
				}
				other := make(chan error)
				go func() {
					other <- w.App.DB.Tx(t.Context(), func(ctx context.Context, second *db.Tx) error {
						_, err := second.SQL.ExecContext(ctx, "SELECT id FROM servers WHERE id = $1 FOR UPDATE NOWAIT", row.ID)
						return err
					})
				}()
				if err := <-other; err == nil {
					t.Error("a transfer does not wait for work that is being accepted")
				}
				return db.ErrRollback
			})
			if err != nil {
				t.Error(err)
			}
		}
		w.owner.Post(servers+"/"+w.mine.server+"/transfer", map[string]any{"to": "other"}).Want(t, 200)
		change := func(ctx context.Context, tx *db.Tx) error { _, err := before.Lock(ctx, tx); return err }
		for name, late := range map[string]func(context.Context, *db.Tx) error{"work": begin, "a change": change} {
			if err := w.App.DB.Tx(t.Context(), late); !errors.Is(err, access.ErrNotFound) {
				t.Errorf("%s that was authorized before the transfer: %v", name, err)
			}
		}
	})
}
