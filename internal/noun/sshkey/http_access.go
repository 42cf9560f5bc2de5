package sshkey

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// AccessAttributes are an SSH key on one server, among those of all servers. The same key on several servers has the same fingerprint.
type AccessAttributes struct {
	KeyAttributes
	Fingerprint string `json:"fingerprint" doc:"As ssh-keygen -l shows it."`
	Options     string `json:"options" doc:"What restricts the key, as in authorized_keys; empty if nothing does."`
	ServerID    int64  `json:"server_id"`
	ServerName  string `json:"server_name"`
}

// ResourceType returns accessKeys.
func (AccessAttributes) ResourceType() string { return "accessKeys" }

// Columns are what a table shows.
func (AccessAttributes) Columns() []string {
	return []string{"name", "server_name", "user", "options", "fingerprint", "created_at", "status"}
}

// Metas are none: what restricts the key is an attribute.
func (AccessAttributes) Metas() []any { return nil }

// AccessResource is a key among those of all servers in a document.
type AccessResource = api.Resource[AccessAttributes, api.NoRelationships]

func (o *Operations) registerAccess() {
	api.Index(o.Router, api.Operation{
		ID: "organizations.ssh-keys.index", Method: http.MethodGet, Path: "/orgs/{organization}/ssh-keys", Tag: "SSH Keys", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Extension: true, Summary: "List SSH keys of all servers",
		Description: "Who can log in to what: the keys of the servers that the caller sees, archived ones included. Each is changed where its link leads.",
		Filters:     []api.Filter{{Name: "name", Text: true}, {Name: "user", Column: "unix_user"}, {Name: "server_id", Number: true}},
		Sorts:       []string{"name", "created_at"},
	}, o.Organizations.InPath, o.access)
}

func (o *Operations) access(ctx context.Context, c api.Call[organization.Path]) (api.Collection[AccessResource], error) {
	q := o.DB.Reader()
	visible := db.In("server_id", "servers", server.Visible(c.Parent.Grant))
	return api.Paged(ctx, q, c.List.Of("ssh_keys", visible), func(rows ...query.SSHKey) ([]AccessResource, error) {
		names, err := serverNames(ctx, q, c.Parent.Grant, rows)
		if err != nil {
			return nil, err
		}
		return job.Described(ctx, q, rows, func(r query.SSHKey) *int64 { return r.OperationID }, func(r query.SSHKey, meta *api.Meta) AccessResource {
			id, _, a := shown(r)
			at := "/orgs/" + c.Parent.Slug + "/servers/" + strconv.FormatInt(r.ServerID, 10) + "/ssh-keys/" + strconv.FormatInt(id, 10)
			return AccessResource{
				ID: strconv.FormatInt(id, 10), Meta: meta, Links: o.Router.Links(at),
				Attributes: AccessAttributes{KeyAttributes: a, Fingerprint: fingerprint(r.Key), Options: r.Options, ServerID: r.ServerID, ServerName: names[r.ServerID]},
			}
		})
	})
}

// serverNames returns the names of the servers that keys are on, by their ids.
func serverNames(ctx context.Context, q query.DBTX, g access.Grant, keys []query.SSHKey) (map[int64]string, error) {
	ids := make([]any, len(keys))
	for i, k := range keys {
		ids[i] = k.ServerID
	}
	type named struct {
		ID   int64  `db:"id"`
		Name string `db:"name"`
	}
	rows, err := db.All[named](ctx, q, "servers", db.Equal("id", ids...), server.Visible(g))
	if err != nil {
		return nil, fmt.Errorf("read the servers of SSH keys: %w", err)
	}
	names := make(map[int64]string, len(rows))
	for _, row := range rows {
		names[row.ID] = row.Name
	}
	return names, nil
}
