package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/heartbeat"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/sftpuser"
	"github.com/hostlerhq/hostler/internal/noun/sourcecontrol"
	"github.com/hostlerhq/hostler/internal/noun/sshkey"
	"github.com/hostlerhq/hostler/internal/noun/webhook"
)

// Leak is whose credentials others may know: a person's by email address, a server's by its id, or all.
type Leak struct {
	Person   string
	ServerID int64
	All      bool
}

// Revocable are the credentials of one kind that a leak concerns, by name and never by value.
type Revocable struct {
	Kind  string
	Names []string
	// Then is what people have to do afterwards, or instead where ByHand; "" for nothing.
	Then string
	// ByHand is set for what is never revoked: another program has it, or only a person can replace it.
	ByHand bool
}

// Revoke lists the credentials that are affected by a leak. If really is true, it also revokes them, in one transaction. The panel can be running: it looks up
// credentials on every request, and runs the operations that remove keys from servers.
func (s *Store) Revoke(ctx context.Context, leak Leak, really bool) ([]Revocable, error) {
	if n := len(slices.DeleteFunc([]bool{leak.Person != "", leak.ServerID != 0, leak.All}, func(b bool) bool { return !b })); n != 1 {
		return nil, errors.New("name one of: a person, a server, everything")
	}
	queue, err := job.NewQueue(s.DB, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	r := &revocation{
		Store: s, leak: leak, really: really, ledger: ledger.New(queue, sshkey.Noun, sftpuser.Users), hooks: webhook.Vault{Box: s.Box},
		organizations: map[int64]bool{},
		projects: &project.Store{Box: s.Box, Sources: struct {
			*sourcecontrol.Store
			*sourcecontrol.Links
		}{&sourcecontrol.Store{DB: s.DB, Box: s.Box}, &sourcecontrol.Links{Jobs: queue}}},
	}
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		r.tx, r.found = tx, nil
		for _, step := range []func(context.Context) error{r.look, r.people, r.keys, r.sites, r.others, r.note} {
			if err := step(ctx); err != nil {
				return err
			}
		}
		if !really {
			return db.ErrRollback
		}
		return nil
	})
	return r.found, err
}

// revocation is a Revoke.
type revocation struct {
	*Store
	leak     Leak
	really   bool
	tx       *db.Tx
	ledger   *ledger.Ledger
	projects *project.Store
	hooks    webhook.Vault
	found    []Revocable

	person          int64
	emails, clients map[int64]string
	servers         map[int64]query.Server
	siteNames       map[int64]string
	siteServers     map[int64]int64
	// organizations are those whose log says what was revoked.
	organizations map[int64]bool
}

// withEmail, withName and withServer are what names rows.
type (
	withEmail struct {
		ID    int64  `db:"id"`
		Email string `db:"email"`
	}
	withName struct {
		ID   int64  `db:"id"`
		Name string `db:"name"`
	}
	withServer struct {
		ID       int64  `db:"id"`
		Name     string `db:"name"`
		ServerID int64  `db:"server_id"`
	}
)

// look finds the person or server, and loads the names of people, clients, servers and sites for the listing.
func (r *revocation) look(ctx context.Context) error {
	if r.leak.Person != "" {
		user, err := account.FindUser(ctx, r.tx, r.leak.Person)
		if err != nil {
			return fmt.Errorf("%s: %w", r.leak.Person, err)
		}
		r.person = user.ID
	}
	users, err := db.All[withEmail](ctx, r.tx.SQL, "users")
	if err != nil {
		return err
	}
	clients, err := db.All[withName](ctx, r.tx.SQL, "oauth_clients")
	if err != nil {
		return err
	}
	servers, err := db.All[query.Server](ctx, r.tx.SQL, "servers")
	if err != nil {
		return err
	}
	sites, err := db.All[withServer](ctx, r.tx.SQL, "sites")
	if err != nil {
		return err
	}
	r.emails, r.clients, r.servers = map[int64]string{}, map[int64]string{}, map[int64]query.Server{}
	r.siteNames, r.siteServers = map[int64]string{}, map[int64]int64{}
	for _, u := range users {
		r.emails[u.ID] = u.Email
	}
	for _, c := range clients {
		r.clients[c.ID] = c.Name
	}
	for _, s := range servers {
		r.servers[s.ID] = s
	}
	for _, s := range sites {
		r.siteNames[s.ID], r.siteServers[s.ID] = r.servers[s.ServerID].Name+", "+s.Name, s.ServerID
	}
	if _, ok := r.servers[r.leak.ServerID]; !ok && r.leak.ServerID != 0 {
		return fmt.Errorf("there is no server %d", r.leak.ServerID)
	}
	return nil
}

// of returns the condition for the rows that the leak concerns, by their column for a person and for a server; a table may have neither.
func (r *revocation) of(person, onServer string) db.Cond {
	switch {
	case r.leak.All:
		return db.Cond{SQL: "1 = 1"}
	case r.person != 0 && person != "":
		return db.Equal(person, r.person)
	case r.leak.ServerID != 0 && onServer == "site_id":
		return db.In("site_id", "sites", db.Equal("server_id", r.leak.ServerID))
	case r.leak.ServerID != 0 && onServer != "":
		return db.Equal(onServer, r.leak.ServerID)
	}
	return db.Any()
}

// revoke lists the rows of a table that meet the conditions, and ends each with end, which is nil for what is done by hand.
func revoke[T any](ctx context.Context, r *revocation, table string, c Revocable, name func(T) string, end func(context.Context, T) error,
	where ...db.Cond,
) error {
	rows, err := db.All[T](ctx, r.tx.SQL, table, where...)
	if err != nil || len(rows) == 0 {
		return err
	}
	c.ByHand = end == nil
	for _, row := range rows {
		if n := name(row); !slices.Contains(c.Names, n) || !c.ByHand {
			c.Names = append(c.Names, n)
		}
		if r.really && end != nil {
			if err := end(ctx, row); err != nil {
				return fmt.Errorf("revoke %s: %w", c.Kind, err)
			}
		}
	}
	r.found = append(r.found, c)
	return nil
}

// open is the condition for rows that something has not happened to yet.
func open(column string) db.Cond { return db.Cond{SQL: column + " IS NULL"} }

// people revokes what acts for a person: tokens, programs, sessions, and links by mail.
func (r *revocation) people(ctx context.Context) error {
	of, tx := r.of("user_id", ""), r.tx
	return errors.Join(
		revoke(ctx, r, "tokens", Revocable{Kind: "personal tokens"}, func(t query.Token) string { return r.emails[t.UserID] + ": " + t.Name },
			func(ctx context.Context, t query.Token) error {
				_, err := tx.RevokeToken(ctx, t.ID, new(tx.Micros()))
				return err
			}, of, open("revoked_at")),
		revoke(ctx, r, "oauth_grants", Revocable{Kind: "programs, with their tokens"},
			func(g query.OauthGrant) string { return r.emails[g.UserID] + ": " + r.clients[g.ClientID] },
			func(ctx context.Context, g query.OauthGrant) error {
				return tx.RevokeOAuthGrant(ctx, g.ID, new(tx.Micros()))
			}, of, open("revoked_at")),
		revoke(ctx, r, "oauth_devices", Revocable{Kind: "devices that have no token yet"},
			func(d query.OauthDevice) string {
				if d.UserID == nil {
					return "no person yet: " + r.clients[d.ClientID]
				}
				return r.emails[*d.UserID] + ": " + r.clients[d.ClientID]
			},
			func(ctx context.Context, d query.OauthDevice) error {
				_, err := tx.DeleteOAuthDevice(ctx, d.ID)
				return err
			}, of),
		revoke(ctx, r, "sessions", Revocable{Kind: "sessions of the dashboard", Then: "people sign in again"},
			func(s query.Session) string { return r.emails[s.UserID] + ": from " + s.Address },
			func(ctx context.Context, s query.Session) error { return tx.DeleteSession(ctx, s.ID) }, of),
		revoke(ctx, r, "email_tokens", Revocable{Kind: "links by mail", Then: "people ask for another one"},
			func(t query.EmailToken) string { return r.emails[t.UserID] + ": " + t.Purpose },
			func(ctx context.Context, t query.EmailToken) error {
				_, err := tx.DeleteEmailTokens(ctx, t.UserID, t.Purpose)
				return err
			}, of),
		revoke(ctx, r, "invitations", Revocable{Kind: "open invitations", Then: "invite those again who were meant"},
			func(i query.Invitation) string { return r.emails[i.InvitedBy] + ": to " + i.Email },
			func(ctx context.Context, i query.Invitation) error {
				r.organizations[i.OrganizationID] = true
				return tx.DeleteInvitation(ctx, i.ID)
			}, r.of("invited_by", ""), open("accepted_at")),
	)
}

// keys removes SSH keys and SFTP users from the servers that are managed.
func (r *revocation) keys(ctx context.Context) error {
	of := db.Both(r.of("created_by", "server_id"), db.Cond{SQL: "status <> ?", Args: []any{server.PartRemoving}})
	rows, err := db.All[query.SSHKey](ctx, r.tx.SQL, "ssh_keys", of)
	if err != nil {
		return err
	}
	ofSites := db.Both(r.of("created_by", "site_id"), db.Cond{SQL: "status <> ?", Args: []any{server.PartRemoving}})
	users, err := db.All[query.SFTPUser](ctx, r.tx.SQL, "sftp_users", ofSites)
	if err != nil {
		return err
	}
	if r.really {
		var on []int64
		for _, k := range rows {
			on = append(on, k.ServerID)
		}
		for _, u := range users {
			on = append(on, r.siteServers[u.SiteID])
		}
		if err := r.tx.LockServers(ctx, on...); err != nil {
			return fmt.Errorf("lock servers: %w", err)
		}
	}
	name := func(k query.SSHKey) string { return r.servers[k.ServerID].Name + ", " + k.UnixUser + ": " + k.Name }
	return errors.Join(
		revoke(ctx, r, "ssh_keys", Revocable{Kind: "SSH keys, with the sessions opened with them", Then: "see the events of the servers for what is removed"}, name,
			func(ctx context.Context, k query.SSHKey) error {
				on := r.servers[k.ServerID]
				r.organizations[on.OrganizationID] = true
				return sshkey.Revoke(ctx, r.tx, r.ledger, on, k)
			}, of, db.In("server_id", "servers", db.Equal("revoked", false))),
		revoke(ctx, r, "ssh_keys", Revocable{
			Kind: "SSH keys on archived servers", Then: "restore the server and revoke again, or remove them from its authorized_keys",
		}, name, nil, of, db.In("server_id", "servers", db.Equal("revoked", true))),
		r.sftp(ctx, ofSites),
	)
}

// sftp removes the SFTP users that meet a condition.
func (r *revocation) sftp(ctx context.Context, of db.Cond) error {
	name := func(u query.SFTPUser) string { return r.siteNames[u.SiteID] + ": " + u.Name }
	on := func(archived bool) db.Cond {
		return db.In("site_id", "sites", db.In("server_id", "servers", db.Equal("revoked", archived)))
	}
	return errors.Join(
		revoke(ctx, r, "sftp_users", Revocable{Kind: "SFTP users, with their sessions", Then: "see the events of the servers for what is removed"}, name,
			func(ctx context.Context, u query.SFTPUser) error {
				on := r.servers[r.siteServers[u.SiteID]]
				r.organizations[on.OrganizationID] = true
				return sftpuser.Revoke(ctx, r.tx, r.ledger, on, u)
			}, of, on(false)),
		revoke(ctx, r, "sftp_users", Revocable{
			Kind: "SFTP users on archived servers", Then: "restore the server and revoke again, or remove them from its /etc/passwd",
		}, name, nil, of, on(true)),
	)
}

// sites replaces what others call sites by, and what sites sign with.
func (r *revocation) sites(ctx context.Context) error {
	hooks := r.of("", "site_id")
	if r.person != 0 {
		shown, err := db.All[query.HookReader](ctx, r.tx.SQL, "hook_readers", db.Equal("user_id", r.person))
		if err != nil {
			return err
		}
		var ids []any
		for _, h := range shown {
			ids = append(ids, h.SiteID)
		}
		hooks = db.Equal("site_id", ids...)
	}
	touch := func(site int64) { r.organizations[r.servers[r.siteServers[site]].OrganizationID] = true }
	of := r.of("", "site_id")
	return errors.Join(
		revoke(ctx, r, "projects", Revocable{
			Kind: "deploy hooks", Then: "put the new address where the old one was called; linked repositories get it automatically",
		},
			func(p query.Project) string { return r.siteNames[p.SiteID] }, func(ctx context.Context, p query.Project) error {
				touch(p.SiteID)
				_, err := r.projects.RotateHook(ctx, r.tx, p)
				return err
			}, hooks),
		revoke(ctx, r, "heartbeats", Revocable{Kind: "heartbeats' addresses", Then: "put the new address into the program that calls it"},
			func(h query.Heartbeat) string { return r.siteNames[h.SiteID] + ": " + h.Name }, func(ctx context.Context, h query.Heartbeat) error {
				touch(h.SiteID)
				return heartbeat.Renew(ctx, r.tx, r.Box, h.ID)
			}, of),
		revoke(ctx, r, "deployment_webhooks", Revocable{
			Kind: "webhooks' secrets", Then: "receivers refuse the messages until you replace the secret once more, which shows it, and give it to them",
		},
			func(h query.DeploymentWebhook) string { return r.siteNames[h.SiteID] + ": " + h.Origin }, func(ctx context.Context, h query.DeploymentWebhook) error {
				touch(h.SiteID)
				_, err := r.hooks.Renew(ctx, r.tx, h.ID)
				return err
			}, of),
	)
}

// note writes the log of the installation, and those of the organizations concerned.
func (r *revocation) note(ctx context.Context) error {
	if !r.really {
		return nil
	}
	n := api.Note{Operation: "hostler revoke", Status: http.StatusOK, Caller: "operator", UserID: r.person, Kind: "installation", After: map[string]any{}}
	if r.person != 0 {
		n.Kind, n.ID = "users", strconv.FormatInt(r.person, 10)
	}
	if id := r.leak.ServerID; id != 0 {
		n.Kind, n.ID = "servers", strconv.FormatInt(id, 10)
		r.organizations[r.servers[id].OrganizationID] = true
	}
	for _, c := range r.found {
		if !c.ByHand {
			n.After[c.Kind] = len(c.Names)
		}
	}
	if err := n.Keep(ctx, r.tx); err != nil {
		return err
	}
	n.After = nil // how much there is elsewhere is not for each organization
	for id := range r.organizations {
		n.OrganizationID = id
		if err := n.Keep(ctx, r.tx); err != nil {
			return err
		}
	}
	return nil
}
