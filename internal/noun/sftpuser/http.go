package sftpuser

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// SFTPUserAttributes are the attributes of an SFTP user.
type SFTPUserAttributes struct {
	Name      string   `json:"name"`
	Directory string   `json:"directory"`
	Keys      []string `json:"keys" nullable:"false"`
	ExpiresOn *string  `json:"expires_on"`
	Status    string   `json:"status" enum:"installing,installed,removing,failed"`
	CreatedBy *int64   `json:"created_by"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns sftpUsers.
func (SFTPUserAttributes) ResourceType() string { return Users.Kind }

// Resource is an SFTP user in a document.
type Resource = server.Document[SFTPUserAttributes]

// CreateSFTPUserRequest asks for an SFTP user.
type CreateSFTPUserRequest struct {
	Name      string   `json:"name"`
	Keys      []string `json:"keys" minItems:"1" nullable:"false" doc:"Public keys as OpenSSH writes them, without options. PuTTY's format is converted."`
	ExpiresOn *string  `json:"expires_on,omitempty" nullable:"true"`
}

// UpdateSFTPUserRequest changes an SFTP user.
type UpdateSFTPUserRequest struct {
	Keys      []string `json:"keys,omitempty" minItems:"1" nullable:"false" doc:"All keys that the user has afterwards. If omitted, they stay."`
	ExpiresOn *string  `json:"expires_on,omitempty" nullable:"true" doc:"The last day on which the user can log in, in UTC. Null for no end; omitted, it stays."`
}

// Path is an SFTP user that the caller can see.
type Path = server.Part[site.Path, query.SFTPUser]

// Operations are the operations on SFTP users.
type Operations struct {
	server.Parts[site.Path, query.SFTPUser, Specification, SFTPUserAttributes]
}

// NewOperations makes them.
func NewOperations(d *db.DB, sites *site.Store, l *ledger.Ledger, r *api.Router) *Operations {
	return &Operations{server.Parts[site.Path, query.SFTPUser, Specification, SFTPUserAttributes]{
		DB: d, Router: r, Noun: Users, Acceptor: server.Acceptor{Ledger: l, Name: Aspect, Within: deadline},
		Load: sites.InPath, Collection: "sftp-users", Param: "sftpUser", Table: "sftp_users", Get: (*query.Queries).GetSFTPUser,
		Attributes: shown, More: reached,
	}}
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, tag = "/orgs/{organization}/servers/{server}/sites/{site}/sftp-users", "SFTP Users"
	const single = many + "/{sftpUser}"
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.sftp-users.index", Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync, Permissions: needs(),
		Extension: true, Summary: "List SFTP users",
		Filters: []api.Filter{{Name: "name", Text: true}, {Name: "status"}}, Sorts: []string{"name", "created_at"},
	}, o.Load, o.Index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.sftp-users.store", Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Async, Permissions: needs(), Extension: true,
		Status: http.StatusAccepted, ChangesHost: true, Removable: true, Conflict: true, Summary: "Create an SFTP user",
		Description: "The owner of a private key can read and write the files of the site over SFTP, as the site's account, and nothing else of the server: " +
			"there is no " +
			"shell, no forwarding and no password. What a site serves and runs is among its files.",
		Example: map[string]any{"keys": []any{api.ExampleKey}},
	}, o.Load, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.sftp-users.show", Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync, Permissions: needs(),
		Extension: true, Summary: "Get an SFTP user",
	}, o.InPath, o.Single)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.sftp-users.update", Method: http.MethodPut, Path: single, Tag: tag, Mode: api.Async, Permissions: needs(), Extension: true,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Update an SFTP user",
		Description: "Open sessions are closed if a key is removed or the last day is earlier than before.",
		Example:     map[string]any{"keys": []any{api.ExampleKey}},
	}, o.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.sftp-users.destroy", Method: http.MethodDelete, Path: single, Tag: tag, Mode: api.Async, Permissions: needs(),
		Extension: true,
		Status:    http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Delete an SFTP user",
		Description: "Open sessions are closed. The files of the site stay.",
	}, o.InPath, o.destroy)
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b CreateSFTPUserRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	if c.Parent.Site.UnixUser == "" {
		return none, api.Conflict("The site has no files: it is a load balancer.")
	}
	s := Specification{SiteID: c.Parent.Site.ID, Name: b.Name, Keys: b.Keys}
	if b.ExpiresOn != nil {
		s.ExpiresOn = *b.ExpiresOn
	}
	if id := c.Parent.UserID; id != 0 {
		s.CreatedBy = &id
	}
	s.check(c.Fields, tx.Now, "")
	if err := checkName(ctx, tx, c.Fields, c.Parent, s.Name); err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.InsertSFTPUser(ctx, query.InsertSFTPUserParams{
		SiteID: s.SiteID, Name: s.Name, Keys: strings.Join(s.Keys, "\n"), ExpiresOn: s.ExpiresOn, Status: server.PartInstalling,
		CreatedBy: s.CreatedBy, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("create SFTP user: %w", err)
	}
	return o.Create(ctx, tx, c.Parent, row.ID, s, "Creating SFTP user "+s.Name)
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateSFTPUserRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, err := o.Editable(ctx, tx, &c.Parent, "SFTP user")
	if err != nil {
		return none, err
	}
	now, err := Users.Row(ctx, tx.Granted, row.ID)
	if err != nil {
		return none, err
	}
	s := now.Specification
	had := s.ExpiresOn
	was := UpdateSFTPUserRequest{Keys: slices.Clone(s.Keys)}
	if had != "" {
		was.ExpiresOn = &had
	}
	b = api.Over(c, was)
	s.Keys, s.ExpiresOn = b.Keys, ""
	if b.ExpiresOn != nil {
		s.ExpiresOn = *b.ExpiresOn
	}
	s.check(c.Fields, tx.Now, had)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	return o.Change(ctx, tx, c.Parent.At, row.ID, s, "update", "Updating SFTP user "+s.Name)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	return o.Remove(ctx, tx, c.Parent, "Removing SFTP user "+c.Parent.Row.Name, nil)
}

func shown(r query.SFTPUser) (id int64, operation *int64, a SFTPUserAttributes) {
	a = SFTPUserAttributes{
		Name: r.Name, Keys: strings.Split(r.Keys, "\n"), Status: r.Status, CreatedBy: r.CreatedBy, CreatedAt: api.TimeOf(r.CreatedAt),
		UpdatedAt: api.TimeOf(r.UpdatedAt),
	}
	if r.ExpiresOn != "" {
		a.ExpiresOn = &r.ExpiresOn
	}
	return r.ID, r.OperationID, a
}

// reached adds to documents what the users reach.
func reached(_ context.Context, _ query.DBTX, p site.Path, rows []query.SFTPUser, documents []Resource) error {
	base, err := site.Base(p.Site)
	if err != nil && len(rows) > 0 {
		return err
	}
	for i := range documents {
		documents[i].Attributes.Directory = base.String()
	}
	return nil
}
