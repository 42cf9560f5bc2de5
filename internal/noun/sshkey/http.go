package sshkey

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// KeyAttributes are the attributes of an SSH key.
type KeyAttributes struct {
	Name      string   `json:"name"`
	User      string   `json:"user"`
	Status    string   `json:"status"`
	CreatedBy *int64   `json:"created_by" doc:"The user who added the key; null once that account is deleted."`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns keys.
func (KeyAttributes) ResourceType() string { return Noun.Kind }

// Metas are what the meta of these resources has besides.
func (KeyAttributes) Metas() []any { return []any{Meta{}} }

// Meta is what keys that are restricted add to meta.
type Meta struct {
	SSHKey KeyMeta `json:"ssh_key"`
}

// KeyMeta describes a key that is restricted.
type KeyMeta struct {
	Options string `json:"options" doc:"What restricts the key, as in authorized_keys."`
}

// Resource is a key in a document.
type Resource = api.Resource[KeyAttributes, api.NoRelationships]

// CreateSSHKeyRequest asks for a key to be let in.
type CreateSSHKeyRequest struct {
	Name    string  `json:"name"`
	Key     string  `json:"key" doc:"A public key in OpenSSH's format, without options. A private key is rejected and not stored."`
	User    *string `json:"user,omitempty" nullable:"true" default:"forge" doc:"root, forge, or the account of a site on the server."`
	Options *string `json:"options,omitempty" nullable:"true" ours:"true"`
}

// Path is a key that the caller can see.
type Path = server.Part[server.Path, query.SSHKey]

// Operations are the operations on SSH keys.
type Operations struct {
	server.Parts[server.Path, query.SSHKey, Specification, KeyAttributes]
	Organizations *organization.Store
	// Users lists the accounts of a server that something can log in to.
	Users func(ctx context.Context, q *query.Granted, server query.Server) ([]string, error)
}

// NewOperations makes them.
func NewOperations(d *db.DB, servers *server.Store, l *ledger.Ledger, r *api.Router,
	users func(context.Context, *query.Granted, query.Server) ([]string, error),
) *Operations {
	return &Operations{Organizations: servers.Organizations, Users: users, Parts: server.Parts[server.Path, query.SSHKey, Specification, KeyAttributes]{
		DB: d, Router: r, Noun: Noun,
		Acceptor: server.Acceptor{Ledger: l, Name: Aspect, Within: deadline},
		Load:     servers.InPath, Collection: "ssh-keys", Param: "key", Table: "ssh_keys", Get: (*query.Queries).GetSSHKey, Attributes: shown, More: restricted,
	}}
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single, tag = "/orgs/{organization}/servers/{server}/ssh-keys", "/orgs/{organization}/servers/{server}/ssh-keys/{key}", "SSH Keys"
	view := []access.Permission{access.ServerView}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.ssh-keys.index", Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync, Permissions: view, Noun: "server-ssh-keys",
		Summary: "List SSH keys",
		Filters: []api.Filter{{Name: "name", Text: true}, {Name: "user", Column: "unix_user"}},
	}, o.Load, o.Index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.ssh-keys.store", Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Async,
		Permissions: []access.Permission{access.ServerCreateKeys},
		Further:     []api.Further{{Permissions: []access.Permission{access.OrganizationManage}, Given: []string{"options"}}},
		Status:      http.StatusAccepted, ChangesHost: true, Removable: true, Noun: "server-ssh-keys",
		Summary: "Add an SSH key", Description: "The owner of the private key can log in to the account.",
		Example: map[string]any{"key": api.ExampleKey},
	}, o.Load, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.ssh-keys.show", Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: view, Noun: "server-ssh-keys",
		Summary: "Get an SSH key",
	}, o.InPath, o.Single)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.ssh-keys.destroy", Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Async,
		Permissions: []access.Permission{access.ServerDeleteKeys},
		Status:      http.StatusAccepted, ChangesHost: true, Conflict: true, Invalid: true, Noun: "server-ssh-keys", Summary: "Remove an SSH key",
		Description: "Removes all lines of the account that contain the key. Open sessions stay open unless close_sessions is true.",
		Query: []api.Param{{
			Name: closeSessions, Type: "boolean",
			Description: "Close the sessions opened with the key, and end the programs that run in them.",
		}},
	}, o.InPath, o.destroy)
	o.registerAccess()
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateSSHKeyRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	s, err := o.check(ctx, tx, c, b)
	if err == nil && s.Options != "" {
		err = c.Require(c.Parent, access.OrganizationManage)
	}
	if err != nil {
		return none, err
	}
	row, err := tx.InsertSSHKey(ctx, query.InsertSSHKeyParams{
		ServerID: c.Parent.Server.ID, Name: s.Name, UnixUser: s.User, Key: s.Key, Options: s.Options,
		Status: server.PartInstalling, CreatedBy: s.CreatedBy, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("insert SSH key: %w", err)
	}
	return o.Create(ctx, tx, c.Parent, row.ID, s, "Adding SSH key "+s.Name+" to "+s.User)
}

const maxKeys = 500

// check reports all errors of a request, and turns a valid one into a specification.
func (o *Operations) check(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateSSHKeyRequest) (Specification, error) {
	s := Specification{Name: strings.TrimSpace(b.Name), User: server.SiteUser}
	if c.Parent.UserID != 0 {
		s.CreatedBy = &c.Parent.UserID
	}
	s.Name = c.Fields.Line("name", s.Name, 255)
	if b.User != nil && *b.User != "" {
		s.User = *b.User
	}
	users, err := o.Users(ctx, tx.Granted, c.Parent.Server)
	if err != nil {
		return s, err
	}
	if len(c.Fields["user"]) == 0 && !slices.Contains(users, s.User) {
		c.Fields.Add("user", "The user must be root, forge or the account of a site on this server.")
	}
	if b.Options != nil && *b.Options != "" {
		options, err := parseOptions(*b.Options, tx.Now)
		switch f := server.FactsOf(c.Parent.Server); {
		case err != nil:
			c.Fields.Add("options", "%s", err)
		case options.needsUTC() && f.OS == "ubuntu" && f.OSVersion == "22.04":
			c.Fields.Add("options", "The OpenSSH of Ubuntu 22.04 has no times with a Z. Without it, expiry-time is in the server's time zone.")
		}
		s.Options = options.String()
	}
	if len(c.Fields["key"]) > 0 {
		return s, c.Fields.Err()
	}
	if s.Key, err = parse(b.Key); err != nil {
		c.Fields.Add("key", "%s", err)
		return s, c.Fields.Err()
	}
	rows, err := tx.ListSSHKeys(ctx, c.Parent.Server)
	if err != nil {
		return s, fmt.Errorf("list SSH keys: %w", err)
	}
	switch {
	case strings.HasPrefix(c.Parent.Server.PublicKey, s.Key):
		c.Fields.Add("key", "This is the key that Hostler logs in with.")
	case slices.ContainsFunc(rows, func(r query.SSHKey) bool { return r.UnixUser == s.User && r.Key == s.Key }):
		c.Fields.Coded("key", api.CodeTaken, nil, "The account %s already has this key.", s.User)
	case len(rows) >= maxKeys:
		c.Fields.Add("key", "A server can have at most %d SSH keys.", maxKeys)
	}
	return s, c.Fields.Err()
}

const closeSessions = "close_sessions"

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	asked, err := c.Flag(closeSessions)
	if err != nil {
		return api.Empty{}, err
	}
	return o.RemoveAs(ctx, tx, c.Parent, "Removing SSH key "+c.Parent.Row.Name+" from "+c.Parent.Row.UnixUser, removal{CloseSessions: asked}, nil)
}

func shown(r query.SSHKey) (id int64, operation *int64, a KeyAttributes) {
	a = KeyAttributes{
		Name: r.Name, User: r.UnixUser, Status: r.Status, CreatedBy: r.CreatedBy, CreatedAt: api.TimeOf(r.CreatedAt),
		UpdatedAt: api.TimeOf(r.UpdatedAt),
	}
	return r.ID, r.OperationID, a
}

func restricted(_ context.Context, _ query.DBTX, _ server.Path, rows []query.SSHKey, documents []Resource) error {
	for i, row := range rows {
		if row.Options != "" {
			documents[i].Meta.Own = []any{Meta{KeyMeta{Options: row.Options}}}
		}
	}
	return nil
}
