package environment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// EnvironmentVersionAttributes are a version of a site's .env.
type EnvironmentVersionAttributes struct {
	Status string `json:"status" enum:"writing,written,failed" doc:"Whether the version was written to the server."`
	// Content and Diff are set for one version, not in lists.
	Content   *api.Secret `json:"content" nullable:"true" doc:"Null in lists."`
	Diff      *api.Secret `json:"diff" nullable:"true" doc:"The changes since the previous version, as a unified diff; null in lists."`
	CreatedAt api.Time    `json:"created_at"`
	UpdatedAt api.Time    `json:"updated_at"`
}

// ResourceType returns environmentVersions.
func (EnvironmentVersionAttributes) ResourceType() string { return "environmentVersions" }

// VersionRelationships are a version's relationships.
type VersionRelationships struct {
	User api.ToOne[account.UserAttributes] `json:"user"`
}

// VersionResource is a version in a document.
type VersionResource = api.Resource[EnvironmentVersionAttributes, VersionRelationships]

// VersionPath is a version that the caller can see.
type VersionPath struct {
	site.Path
	Version query.Environment
}

func (o *Operations) registerVersions(path string) {
	view := []access.Permission{access.ServerView, access.SiteManageEnvironment}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.environment.versions.index", Method: http.MethodGet, Path: path +
			"/versions", Tag: "Sites", Mode: api.Sync, Permissions: view, Extension: true,
		Summary:     "List versions of a site's environment",
		Description: fmt.Sprintf("Lists the versions that were written through Hostler, at most %d.", maxVersions), Sorts: []string{"created_at"},
	}, o.Sites.InPath, o.versions)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.environment.versions.show", Method: http.MethodGet, Path: path +
			"/versions/{version}", Tag: "Sites", Mode: api.Sync, Permissions: view, Extension: true,
		Summary: "Get a version of a site's environment", Description: "Includes the changes since the previous version. To go back to a version, write its content.",
	}, o.inVersion, o.version)
}

func (o *Operations) inVersion(ctx context.Context, actor access.Actor, path api.PathValues) (VersionPath, error) {
	parent, err := o.Sites.InPath(ctx, actor, path)
	if err != nil {
		return VersionPath{}, err
	}
	id, err := path.ID("version")
	if err != nil {
		return VersionPath{}, err
	}
	row, err := o.DB.Read().GetSiteEnvironment(ctx, parent.Site, id)
	if err != nil {
		return VersionPath{}, fmt.Errorf("read environment %d: %w", id, err)
	}
	return VersionPath{Path: parent, Version: row}, nil
}

func (o *Operations) versions(ctx context.Context, c api.Call[site.Path]) (api.Collection[VersionResource], error) {
	return api.Paged(ctx, o.DB.Reader(), c.List.Of("environments", db.Equal("site_id", c.Parent.Site.ID)),
		func(rows ...query.Environment) ([]VersionResource, error) {
			return o.versionsOf(ctx, c.Parent, rows...)
		})
}

func (o *Operations) versionsOf(ctx context.Context, p site.Path, rows ...query.Environment) ([]VersionResource, error) {
	operations := make([]*int64, len(rows))
	for i, row := range rows {
		operations[i] = row.OperationID
	}
	ops, err := job.ReadOperations(ctx, o.DB.Reader(), operations...)
	if err != nil {
		return nil, err
	}
	out := make([]VersionResource, len(rows))
	for i, row := range rows {
		user := int64(0)
		if row.UserID != nil {
			user = *row.UserID
		}
		id := strconv.FormatInt(row.ID, 10)
		out[i] = VersionResource{
			ID: id, Links: o.Router.Links(fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/environment/versions/%s", p.Slug, p.Server.ID, p.Site.ID, id)),
			Meta: &api.Meta{Operation: job.Meta(ops, row.OperationID)}, Relationships: &VersionRelationships{User: api.One[account.UserAttributes](user)},
			Attributes: EnvironmentVersionAttributes{Status: row.Status, CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt)},
		}
	}
	return out, nil
}

func (o *Operations) version(ctx context.Context, c api.Call[VersionPath]) (api.Document[VersionResource], error) {
	var none api.Document[VersionResource]
	row := c.Parent.Version
	data, err := o.versionsOf(ctx, c.Parent.Path, row)
	if err != nil {
		return none, err
	}
	content, err := o.Box.Open(sealedAt(row.ID, "content"), row.Content)
	if err != nil {
		return none, err
	}
	var before []byte
	previous, err := o.DB.Read().EnvironmentBefore(ctx, row, row.ID)
	if err == nil {
		before, err = o.Box.Open(sealedAt(previous.ID, "content"), previous.Content)
	} else if errors.Is(err, db.ErrNotFound) {
		err = nil
	}
	if err != nil {
		return none, fmt.Errorf("read the environment before %d: %w", row.ID, err)
	}
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: lines(before), B: lines(content), Context: 3})
	if err != nil {
		return none, fmt.Errorf("compare environments: %w", err)
	}
	data[0].Attributes.Content, data[0].Attributes.Diff = api.NullSecretOf(new(string(content))), api.NullSecretOf(&text)
	return api.Document[VersionResource]{Data: data[0]}, nil
}

// lines returns those of a file, each with its end; nothing has none.
func lines(content []byte) []string {
	all := strings.SplitAfter(string(content), "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}
