// Package nginx is the configuration of sites' domains as users see and write it, and the templates that new sites start from.
package nginx

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/domain"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/site"
)

// NginxConfigAttributes are the attributes of a configuration.
type NginxConfigAttributes struct {
	Content *string `json:"content" doc:"What the server has, or is to have; null while the domain is not served."`
}

// ResourceType is nginxConfigs.
func (NginxConfigAttributes) ResourceType() string { return "nginxConfigs" }

// ConfigResource is a configuration in a document.
type ConfigResource = api.Resource[NginxConfigAttributes, api.NoRelationships]

// UpdateNginxConfigurationRequest replaces a configuration.
type UpdateNginxConfigurationRequest struct {
	Config string `json:"config" doc:"The whole file; empty for ours again."`
}

// Planner says what a server should be.
type Planner interface {
	Plan(ctx context.Context, q *query.Queries, server query.Server, w job.Pending) ([]job.Stage, error)
}

// Drifter says how a server differs from that.
type Drifter interface {
	Drift(ctx context.Context, server query.Server) ([]wire.Difference, error)
}

// Operations are the operations on configurations and templates.
type Operations struct {
	DB      *db.DB
	Domains *domain.Store
	Planner Planner
	Drifter Drifter
	Jobs    *job.Queue
	Router  *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const inSite = "/orgs/{organization}/servers/{server}/sites/{site}"
	const inDomain = inSite + "/domains/{domainRecord}"
	view, manage := []access.Permission{access.ServerView}, []access.Permission{access.SiteManageNginx}
	const description = "With drift=true the server is asked, and meta.nginx.drift shows what somebody changed there by hand. Such a change is never overwritten."
	const update = "It is checked on the server before it counts, and put back if nginx refuses it. What is ours in it later changes is brought into it, unless both changed the same lines."
	drift := []api.Param{{Name: "drift", Type: "boolean", Description: "Compare with the server."}}
	api.Show(o.Router, api.Operation{ID: "organizations.servers.sites.nginx.show", Method: http.MethodGet, Path: inSite + "/nginx", Tag: "Sites", Mode: api.Sync, Permissions: view, Scopes: manage, Query: drift,
		Summary: "Get the nginx configuration of a site's primary domain", Description: description}, o.primary, o.show)
	api.Remove(o.Router, api.Operation{ID: "organizations.servers.sites.nginx.update", Method: http.MethodPut, Path: inSite + "/nginx", Tag: "Sites", Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Summary: "Write the nginx configuration of a site's primary domain", Description: update}, o.primary, o.update)
	api.Show(o.Router, api.Operation{ID: "organizations.servers.sites.domains.nginx.show", Method: http.MethodGet, Path: inDomain + "/nginx", Tag: "Sites", Mode: api.Sync, Permissions: view, Scopes: manage, Query: drift,
		Summary: "Get the nginx configuration of a domain", Description: description}, o.Domains.InPath, o.show)
	api.Remove(o.Router, api.Operation{ID: "organizations.servers.sites.domains.nginx.update", Method: http.MethodPut, Path: inDomain + "/nginx", Tag: "Sites", Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Summary: "Write the nginx configuration of a domain", Description: update}, o.Domains.InPath, o.update)
	o.registerTemplates()
}

// primary loads a site with its primary domain.
func (o *Operations) primary(ctx context.Context, actor access.Actor, path api.Path) (domain.Path, error) {
	parent, err := o.Domains.Sites.InPath(ctx, actor, path)
	if err != nil {
		return domain.Path{}, err
	}
	rows, err := o.DB.Read().ListDomains(ctx, parent.Site.ID)
	if err != nil {
		return domain.Path{}, fmt.Errorf("list domains: %w", err)
	}
	for _, row := range rows {
		if row.Type == domain.Primary {
			return domain.Path{Path: parent, Domain: row}, nil
		}
	}
	return domain.Path{}, access.ErrNotFound
}

// planned is the text of a domain's file as the server should have it.
func (o *Operations) planned(ctx context.Context, q *query.Queries, p domain.Path, d query.Domain) (*string, error) {
	if !p.Server.IsReady {
		return d.Nginx, nil
	}
	stages, err := o.Planner.Plan(ctx, q, p.Server, job.Pending{})
	if err != nil {
		return nil, err
	}
	for _, stage := range stages {
		for _, step := range stage.Change.Steps {
			if step.File != nil && step.File.Path == site.VhostPath(d) && !step.File.Absent {
				text := string(step.File.Content)
				return &text, nil
			}
		}
	}
	return nil, nil
}

func (o *Operations) show(ctx context.Context, c api.Call[domain.Path]) (api.Document[ConfigResource], error) {
	d := c.Parent.Domain
	content, err := o.planned(ctx, o.DB.Read(), c.Parent, d)
	if err != nil {
		return api.Document[ConfigResource]{}, err
	}
	about := &api.NginxMeta{Custom: d.Nginx != nil}
	if c.Query("drift") == "true" && c.Parent.Server.IsReady {
		found, err := o.Drifter.Drift(ctx, c.Parent.Server)
		if err != nil {
			return api.Document[ConfigResource]{}, err
		}
		for _, difference := range found {
			if difference.Path == site.VhostPath(d) {
				about.Drift = difference.Diff
			}
		}
	}
	path := domain.URL(c.Parent.Path, d.ID)
	return api.Document[ConfigResource]{Data: ConfigResource{ID: fmt.Sprint(d.ID), Links: o.Router.Links(path + "/nginx"), Meta: &api.Meta{Nginx: about}, Attributes: NginxConfigAttributes{Content: content}}}, nil
}

const maxConfig = 256 << 10

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[domain.Path], b UpdateNginxConfigurationRequest) (api.Empty, error) {
	row, err := domain.Current(ctx, tx, c.Parent)
	if err != nil {
		return api.Empty{}, err
	}
	if row.Status != domain.StatusEnabled && row.Status != domain.StatusUpdating {
		return api.Empty{}, api.Conflict("The domain is not served.")
	}
	text := strings.ReplaceAll(b.Config, "\r\n", "\n")
	checkText(c.Fields, "config", text)
	if err := c.Fields.Err(); err != nil {
		return api.Empty{}, err
	}
	if !c.Parent.Server.IsReady {
		return api.Empty{}, api.Conflict("The server is not set up yet: its configuration is not known.")
	}
	was := row
	row.Nginx, row.NginxBase = nil, nil
	if strings.TrimSpace(text) != "" {
		if err := tx.SetDomainNginx(ctx, row.ID, nil, nil, tx.Micros()); err != nil { // ours, to know later what changes in it
			return api.Empty{}, fmt.Errorf("write configuration: %w", err)
		}
		base, err := o.planned(ctx, tx.Queries, c.Parent, row)
		if err != nil {
			return api.Empty{}, err
		}
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		row.Nginx, row.NginxBase = &text, base
	}
	accepted, err := domain.Begin(ctx, tx, o.Jobs, c.Parent.Path, was, &row, domain.StatusUpdating, "update", "Writing the nginx configuration of "+row.Name)
	return api.Empty{Event: accepted.EventID}, err
}

func checkText(f api.Fields, field, text string) {
	switch {
	case len(f[field]) > 0:
	case len(text) > maxConfig:
		f.Add(field, "The %s must not be larger than 256 KiB.", field)
	case !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\r"):
		f.Add(field, "The %s has characters that are not allowed.", field)
	}
}
