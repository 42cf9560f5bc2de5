package server

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// ServerAttributes are the attributes of a server.
type ServerAttributes struct {
	ID               int64    `json:"id"`
	CredentialID     *int64   `json:"credential_id"`
	Name             string   `json:"name"`
	Slug             string   `json:"slug"`
	Type             string   `json:"type" enum:"app,web,loadbalancer,database,cache,worker,meilisearch,openclaw"`
	UbuntuVersion    *string  `json:"ubuntu_version" doc:"The requested version; null on Debian. The actual system is in meta.os."`
	SSHPort          int64    `json:"ssh_port"`
	Provider         string   `json:"provider"`
	Identifier       *string  `json:"identifier"`
	Size             string   `json:"size"`
	Region           string   `json:"region"`
	PHPVersion       *string  `json:"php_version"`
	PHPCLIVersion    *string  `json:"php_cli_version"`
	OpcacheStatus    *string  `json:"opcache_status"`
	DatabaseType     *string  `json:"database_type"`
	DBStatus         *string  `json:"db_status"`
	RedisStatus      *string  `json:"redis_status"`
	IPAddress        *string  `json:"ip_address"`
	PrivateIPAddress *string  `json:"private_ip_address"`
	Revoked          bool     `json:"revoked"`
	CreatedAt        api.Time `json:"created_at"`
	UpdatedAt        api.Time `json:"updated_at"`
	ConnectionStatus *string  `json:"connection_status"`
	Timezone         string   `json:"timezone"`
	LocalPublicKey   *string  `json:"local_public_key"`
	IsReady          bool     `json:"is_ready"`
}

// ResourceType returns servers.
func (ServerAttributes) ResourceType() string { return "servers" }

// Columns are what a table shows.
func (ServerAttributes) Columns() []string {
	return []string{"name", "type", "ip_address", "connection_status", "meta.provisioning"}
}

// Metas are what the meta of these resources has besides.
func (ServerAttributes) Metas() []any { return []any{ServerMeta{}, TagsMeta{}, LineMeta{}} }

// Relationships are a server's relationships.
type Relationships struct {
	Tags api.ToMany[TagAttributes] `json:"tags"`
}

// Resource is a server in a document.
type Resource = api.Resource[ServerAttributes, Relationships]

// TagAttributes are the attributes of a tag.
type TagAttributes struct {
	Name      string   `json:"name"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns tags.
func (TagAttributes) ResourceType() string { return "tags" }

// Unlinked marks resources without links.
func (TagAttributes) Unlinked() {}

// TagResource is a tag in a document.
type TagResource = api.Resource[TagAttributes, api.NoRelationships]

// NewTagResource returns the document form of a tag.
func NewTagResource(t query.Tag) TagResource {
	return TagResource{
		ID:         strconv.FormatInt(t.ID, 10),
		Attributes: TagAttributes{Name: t.Name, CreatedAt: api.TimeOf(t.CreatedAt), UpdatedAt: api.TimeOf(t.UpdatedAt)},
	}
}

// Resources makes the documents of servers of the organization with this slug, with three queries however many they are.
func Resources(ctx context.Context, q query.DBTX, r *api.Router, slug string, rows ...query.Server) ([]Resource, error) {
	var ids []any
	var operations []*int64
	for _, row := range rows {
		ids, operations = append(ids, row.ID), append(operations, row.OperationID)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	ops, err := job.ReadOperations(ctx, q, operations...)
	if err != nil {
		return nil, err
	}
	pairs, err := db.All[query.ServerTag](ctx, q, "server_tags", db.Equal("server_id", ids...))
	if err != nil {
		return nil, err
	}
	tags := map[int64][]int64{}
	var used []any
	for _, p := range pairs {
		tags[p.ServerID], used = append(tags[p.ServerID], p.TagID), append(used, p.TagID)
	}
	names, err := TagNames(ctx, q, used)
	if err != nil {
		return nil, err
	}
	out := make([]Resource, len(rows))
	for i, row := range rows {
		out[i] = resource(r, slug, row)
		out[i].Relationships = &Relationships{Tags: api.Many[TagAttributes](tags[row.ID])}
		out[i].Meta.Operation = job.Meta(ops, row.OperationID)
		out[i].Meta.Own = append(out[i].Meta.Own, NewTagsMeta(names, tags[row.ID])...)
	}
	return out, nil
}

// TagNames returns the names of tags by their numbers.
func TagNames(ctx context.Context, q query.DBTX, ids []any) (map[int64]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.All[query.Tag](ctx, q, "tags", db.Equal("id", ids...))
	names := make(map[int64]string, len(rows))
	for _, row := range rows {
		names[row.ID] = row.Name
	}
	return names, err
}

// TagFilter selects the rows of a table that have one of the tags; links connects them. A tag with commas is given as it is.
func TagFilter(links, column, table string) api.Filter {
	return api.Filter{Name: "tag", Description: "The name of a tag.", Where: func(values []string) db.Cond {
		names := []any{strings.Join(values, ",")}
		for _, v := range values {
			names = append(names, v)
		}
		c := db.Equal("tags.name", names...)
		return db.Cond{SQL: table + ".id IN (SELECT " + column + " FROM " + links + " JOIN tags ON tags.id = tag_id WHERE " + c.SQL + ")", Args: c.Args}
	}}
}

// NewTagsMeta returns the names of tags for meta, with which tags are numbered; nil if there are none.
func NewTagsMeta(names map[int64]string, tags []int64) []any {
	var own TagsMeta
	for _, id := range tags {
		own.Tags = append(own.Tags, names[id])
	}
	if slices.Sort(own.Tags); own.Tags == nil {
		return nil
	}
	return []any{own}
}

// TagsMeta are the names of the tags of a server or a site, in meta.
type TagsMeta struct {
	// Tags are in alphabetical order, by their bytes.
	Tags []string `json:"tags,omitempty" nullable:"false"`
}

// ServerMeta is what servers add to meta.
type ServerMeta struct {
	// OS is the system found on a server.
	OS *OSMeta `json:"os,omitempty"`
	// Provisioning is the progress of setting up a server.
	Provisioning string `json:"provisioning,omitempty"`
	// Updates are the pending updates of packages.
	Updates *UpdatesMeta `json:"updates,omitempty"`
}

// OSMeta names an operating system.
type OSMeta struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Name    string `json:"name"`
	Arch    string `json:"arch"`
}

func resource(r *api.Router, slug string, s query.Server) Resource {
	id := strconv.FormatInt(s.ID, 10)
	about := ServerMeta{Provisioning: s.Status}
	res := Resource{ID: id, Links: r.Links("/orgs/" + slug + "/servers/" + id), Attributes: ServerAttributes{
		ID: s.ID, CredentialID: s.CredentialID, Name: s.Name, Slug: s.Slug, Type: s.Type, UbuntuVersion: s.UbuntuVersion, SSHPort: s.SSHPort, Provider: s.Provider,
		Identifier: s.Identifier, Size: s.Size, Region: s.Region, PHPVersion: s.PHPVersion, PHPCLIVersion: s.PHPCLIVersion, OpcacheStatus: s.OpcacheStatus,
		DatabaseType: s.DatabaseType, DBStatus: s.DBStatus, RedisStatus: s.RedisStatus, IPAddress: s.IPAddress, PrivateIPAddress: s.PrivateIPAddress,
		Revoked:   s.Revoked,
		CreatedAt: api.TimeOf(s.CreatedAt), UpdatedAt: api.TimeOf(s.UpdatedAt), ConnectionStatus: s.ConnectionStatus, Timezone: s.Timezone, IsReady: s.IsReady,
	}}
	if s.PublicKey != "" {
		res.Attributes.LocalPublicKey = &s.PublicKey
	}
	f := FactsOf(s)
	if f.Updates != nil && s.IsReady {
		about.Updates = &UpdatesMeta{Pending: f.Updates.Pending, Security: f.Updates.Security, RebootNeeded: s.RebootNeeded}
	}
	if f.OS != "" {
		about.OS = &OSMeta{ID: f.OS, Version: f.OSVersion, Name: f.OSName, Arch: f.Arch}
		if f.OS == "ubuntu" {
			res.Attributes.UbuntuVersion = &f.OSVersion
		} else {
			res.Attributes.UbuntuVersion = nil
		}
	}
	res.Meta = &api.Meta{Own: []any{about}}
	return res
}
