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
		"removed during an upload": {func(w *world) string { return w.part("redirect-rules") + "/import" },
			Form{"mode": "append", "file": "^/imported$,/to,permanent\n"}, func(w *world, _ *Client, member string) {
				w.owner.Delete(member).Want(t, 204)
			}, 404},
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

// A member is made an owner, or removed, while a lesser manager's change of their role is on its way: the change is of what they are by then.
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
	)
	for _, tc := range []struct {
		name, method, path, meanwhile string
		want                          int
	}{
		{"promoted and demoted", http.MethodPut, org, promote, 403},
		{"promoted and removed", http.MethodDelete, org, promote, 403},
		{"promoted in a team and demoted", http.MethodPut, team, promoteInTeam, 403},
		{"promoted in a team and removed", http.MethodDelete, team, promoteInTeam, 403},
		{"removed from a team and demoted", http.MethodPut, team, remove, 404},
	} {
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE memberships SET role_id = $2 WHERE user_id = $1", member, access.RoleDeveloper)
			if err == nil {
				_, err = tx.PutTeamMember(ctx, number(w.mine.team), member, access.RoleDeveloper, tx.Micros())
			}
			return err
		})
		var body any
		if tc.method == http.MethodPut {
			body = map[string]any{"role_id": access.RoleViewer}
		}
		answered := make(chan Answer, 1)
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			if err := tx.LockOrganization(ctx, w.org.ID); err != nil {
				return err
			}
			if _, err := tx.SQL.ExecContext(ctx, tc.meanwhile, member); err != nil {
				return err
			}
			go func() {
				a, _ := admin.Try(tc.method, tc.path, body)
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
		err := w.App.DB.SQLDB().QueryRowContext(ctx, "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&n)
		if err != nil || n > 0 {
			return err
		}
	}
}
