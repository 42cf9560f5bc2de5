package edge

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// lateBody is a body that the server asks for, with Expect: 100-continue, and that comes once it may.
type lateBody struct {
	io.Reader
	asked, come chan struct{}
	begun       bool
}

// Read waits before the first byte.
func (b *lateBody) Read(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		close(b.asked)
		<-b.come
	}
	return b.Reader.Read(p)
}

// Close does nothing.
func (b *lateBody) Close() error { return nil }

// late sends a request whose body comes after meanwhile, which runs once the server waits for the body. It returns the status of the answer.
func (c *Client) late(method, path string, body any, meanwhile func()) int {
	t := c.env.T
	t.Helper()
	req := must(c.request(context.Background(), method, path, body, Header("Expect", "100-continue")))
	late := &lateBody{Reader: bytes.NewReader(must(io.ReadAll(req.Body))), asked: make(chan struct{}), come: make(chan struct{})}
	req.Body, req.GetBody = late, nil
	transport := &http.Transport{ExpectContinueTimeout: time.Hour}
	defer transport.CloseIdleConnections()
	answered := make(chan *http.Response, 1)
	go func() {
		defer close(answered)
		if res, err := transport.RoundTrip(req); err == nil {
			answered <- res
		}
	}()
	select {
	case <-late.asked:
		meanwhile()
	case res := <-answered:
		t.Fatalf("it was answered before its body was asked for: %v", res)
	}
	close(late.come)
	res := <-answered
	if res == nil {
		t.Fatal("there was no answer")
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// A caller who sent the headers of a request and was removed before its last byte wanted it to be done all the same.
func TestBodyAfterTheRight(t *testing.T) {
	t.Parallel()
	role := map[string]any{"name": "mine", "permissions": []string{"server:view"}}
	for name, tc := range map[string]struct {
		path      func(w *world) string
		body      any
		meanwhile func(w *world, c *Client, member string)
		want      int
	}{
		"nothing happens": {func(*world) string { return "/orgs/acme/roles" }, role, func(*world, *Client, string) {}, 200},
		"removed": {func(*world) string { return "/orgs/acme/roles" }, role, func(w *world, _ *Client, member string) {
			w.owner.Delete(member).Want(t, 204)
		}, 404},
		"demoted": {func(*world) string { return "/orgs/acme/roles" }, role, func(w *world, _ *Client, member string) {
			w.owner.Put(member, map[string]any{"role_id": access.RoleViewer}).Want(t, 200)
		}, 403},
		"signed out": {func(*world) string { return "/orgs/acme/roles" }, role, func(_ *world, c *Client, _ string) {
			c.Post("/auth/logout", nil).Want(t, 204)
		}, 401},
		"removed during an upload": {
			func(w *world) string { return w.part("redirect-rules") + "/import" },
			Form{"mode": "append", "file": "^/imported$,/to,permanent\n"},
			func(w *world, _ *Client, member string) {
				w.owner.Delete(member).Want(t, 204)
			}, 404,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := World(t, db.SQLite)
			c := w.Session(w.users["admin"])
			meanwhile := func() { tc.meanwhile(w, c, "/orgs/acme/members/"+strconv.FormatInt(w.users["admin"].ID, 10)) }
			if got := c.late(http.MethodPost, tc.path(w), tc.body, meanwhile); got != tc.want {
				t.Errorf("answered %d, want %d", got, tc.want)
			}
		})
	}
}

// A member is made an owner, or removed, while a lesser manager's change of their role or their team is on its way: the change is of what they are by then.
func TestMemberChangedMeanwhile(t *testing.T) {
	t.Parallel()
	w := World(t, db.PostgreSQL) // where requests wait for each other's rows
	admin, member := w.Of(w.users["admin"]), w.users["developer"].ID
	id := strconv.FormatInt(member, 10)
	org, team := "/orgs/acme/members/"+id, "/orgs/acme/teams/"+w.mine.team+"/members/"+id
	const (
		promote       = "UPDATE memberships SET role_id = 1 WHERE user_id = $1"
		promoteInTeam = "UPDATE team_members SET role_id = 1 WHERE user_id = $1"
		remove        = "DELETE FROM team_members WHERE user_id = $1"
		leave         = "DELETE FROM memberships WHERE user_id = $1"
	)
	demote := map[string]any{"role_id": access.RoleViewer}
	with := map[string]any{"name": "late", "users": []any{map[string]any{"id": member}}}
	for _, tc := range []struct {
		name, method, path, meanwhile string
		body                          any
		want                          int
	}{
		{"promoted and demoted", http.MethodPut, org, promote, demote, 403},
		{"promoted and removed", http.MethodDelete, org, promote, nil, 403},
		{"promoted in a team and demoted", http.MethodPut, team, promoteInTeam, demote, 403},
		{"promoted in a team and removed", http.MethodDelete, team, promoteInTeam, nil, 403},
		{"removed from a team and demoted", http.MethodPut, team, remove, demote, 404},
		{"removed from the organization and put into a new team", http.MethodPost, "/orgs/acme/teams", leave, with, 422},
		{"removed from the organization and put into a team", http.MethodPut, "/orgs/acme/teams/" + w.mine.team, leave, with, 422},
	} {
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "INSERT INTO memberships (organization_id, user_id, role_id, created_at, updated_at) VALUES ($1, $2, $3, 1, 1) "+
				"ON CONFLICT (organization_id, user_id) DO UPDATE SET role_id = excluded.role_id", w.org.ID, member, access.RoleDeveloper)
			if err == nil {
				_, err = tx.PutTeamMember(ctx, number(w.mine.team), member, access.RoleDeveloper, tx.Micros())
			}
			return err
		})
		answered := make(chan Answer, 1)
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			if err := tx.LockOrganization(ctx, w.org.ID); err != nil {
				return err
			}
			if _, err := tx.SQL.ExecContext(ctx, tc.meanwhile, member); err != nil {
				return err
			}
			go func() {
				a, _ := admin.Try(tc.method, tc.path, tc.body)
				answered <- a
			}()
			return w.untilOneWaits(ctx)
		})
		if got := <-answered; got.Status != tc.want {
			t.Errorf("%s: answered %d %s, want %d", tc.name, got.Status, got.Body, tc.want)
		}
	}
}

// untilOneWaits returns once a transaction waits for a lock of another.
func (w *world) untilOneWaits(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		var n int
		// A transaction would see the activity of its first look only.
		if _, err := w.App.DB.Reader().ExecContext(ctx, "SELECT pg_stat_clear_snapshot()"); err != nil {
			return err
		}
		err := w.App.DB.Reader().QueryRowContext(ctx,
			"SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n)
		if err != nil || n > 0 {
			return err
		}
	}
}

// With the permission to make backups a member wanted files put into a site, and databases made, on servers where they may do neither.
func TestRestoreNeedsWhatItAmountsTo(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	at := "/orgs/acme/servers/" + w.mine.engine + "/database/backups/" + w.mine.configuration + "/instances/" + w.mine.backup
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.InsertBackupItem(ctx, query.InsertBackupItemParams{
			BackupID: number(w.mine.backup), Kind: "files", Name: "site", Object: "x/site.tar",
			Status: "stored", CreatedAt: tx.Micros(),
		})
		if err == nil {
			_, err = tx.SQL.ExecContext(ctx, "UPDATE sites SET server_id = $1 WHERE id = $2", number(w.mine.engine), number(w.mine.site))
		}
		return err
	})
	files := map[string]any{"database_id": number(w.mine.database), "site_id": number(w.mine.site)}
	named := map[string]any{"database_id": number(w.mine.database), "name": "another"}
	for _, tc := range []struct {
		body any
		has  []access.Permission
		want int
	}{
		{map[string]any{"database_id": number(w.mine.database)}, nil, 202},
		{files, nil, 403},
		{files, []access.Permission{access.SiteManageDeploys}, 403},
		{files, []access.Permission{access.SiteManageEnvironment, access.ServerCreateDatabases}, 403},
		{named, nil, 403},
		{named, []access.Permission{access.SiteManageDeploys, access.SiteManageEnvironment}, 403},
		{named, []access.Permission{access.ServerCreateDatabases}, 202},
		{files, []access.Permission{access.SiteManageDeploys, access.SiteManageEnvironment}, 202},
	} {
		has := append([]access.Permission{access.ServerView, access.ServerCreateBackups}, tc.has...)
		a := w.with(has...).Post(at+"/restores", tc.body)
		if a.Status != tc.want {
			t.Errorf("%v with %v: answered %d %s, want %d", tc.body, has, a.Status, a.Body, tc.want)
		}
		if event := a.Header.Get("X-Hostler-Event"); len(tc.has) > 0 && a.Status == 202 { // so does cancelling and retrying it
			w.with(access.ServerView, access.ServerCreateBackups).Post("/orgs/acme/servers/"+w.mine.engine+"/events/"+event+"/cancel", nil).Want(t, 403)
		}
	}
}

// On the server that a restore goes to, rights on the one that the backup is of count for nothing.
func TestRestoreToAnotherTeamsServer(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	role := w.owner.Post("/orgs/acme/roles", map[string]any{"name": "backups", "permissions": []string{"server:view", "server:create-backups"}}).Want(t, 200).ID()
	for server, role := range map[string]any{w.mine.engine: access.RoleAdmin, w.other.engine: number(role)} {
		team := w.owner.Post("/orgs/acme/teams", map[string]any{
			"name": "of " + server, "users": []any{map[string]any{"id": w.users["viewer"].ID, "role": map[string]any{"id": role}}},
		}).Want(t, 200).ID()
		w.owner.Post("/orgs/acme/teams/"+team+"/servers", map[string]any{"server_id": number(server)}).Want(t, 201)
	}
	at := "/orgs/acme/servers/" + w.mine.engine + "/database/backups/" + w.mine.configuration + "/instances/" + w.mine.backup + "/restores"
	body := map[string]any{"database_id": number(w.mine.database), "server_id": number(w.other.engine), "name": "taken"}
	w.viewer.Post(at, body).Want(t, 403)
	w.owner.Post(at, body).Want(t, 202)
}
