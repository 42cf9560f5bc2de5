// Package nginx is the configuration of sites' domains as users see and write it, and the templates that new sites start from.
package nginx

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/nginxconf"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// NginxConfigAttributes are the attributes of a configuration.
type NginxConfigAttributes struct {
	Content *string `json:"content" doc:"The configuration that is installed, or is being installed; null while the domain is not served."`
}

// ResourceType returns nginxConfigs.
func (NginxConfigAttributes) ResourceType() string { return "nginxConfigs" }

// Metas are what the meta of these resources has besides.
func (NginxConfigAttributes) Metas() []any { return []any{Meta{}} }

// ConfigResource is a configuration in a document.
type ConfigResource = api.Resource[NginxConfigAttributes, api.NoRelationships]

// UpdateNginxConfigurationRequest replaces a configuration.
type UpdateNginxConfigurationRequest struct {
	Config string `json:"config" doc:"The whole file; empty to restore Hostler's own configuration."`
}

// Vhosts say what the file of a domain should be.
type Vhosts interface {
	// VhostText returns the file after the included work, nil while the domain is not served; ours omits a user's changes.
	VhostText(ctx context.Context, q *query.Granted, server query.Server, d query.Domain, ours bool, included []query.Operation) (*string, error)
	// NginxBounds returns what a user may write into it then; ours are the texts that it was made from.
	NginxBounds(ctx context.Context, q *query.Granted, server query.Server, d query.Domain, included []query.Operation, ours ...string) (nginxconf.Bounds, error)
}

// Drifter says how a server differs from that.
type Drifter interface {
	Drift(ctx context.Context, server query.Server) ([]wire.Difference, error)
}

// Operations are the operations on configurations and templates.
type Operations struct {
	DB      *db.DB
	Domains *domain.Store
	Vhosts  Vhosts
	Drifter Drifter
	Ledger  *ledger.Ledger
	Router  *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const inSite = "/orgs/{organization}/servers/{server}/sites/{site}"
	const inDomain = inSite + "/domains/{domainRecord}"
	view, manage := []access.Permission{access.ServerView, access.SiteManageNginx}, []access.Permission{access.SiteManageNginx}
	const description = "With drift=true the server is queried, and meta.nginx.drift shows manual changes there, or meta.nginx.problem says why they can't be " +
		"determined. Manual changes are never overwritten."
	const update = "The configuration is restricted to the site's own logs, directories, sockets, ports and names; any line beyond that is rejected. It is " +
		"stored in Hostler's layout, checked on the server before it takes effect, and rolled back if nginx rejects it. Later changes by Hostler are merged into " +
		"it, unless both changed the same lines."
	const asRoot = "The configuration is written as it is, and can act as root on the server: read and write any file, and respond for any site. This also " +
		"requires the permission to run recipes, which can do the same. A caller without that permission can only replace the configuration with one that is " +
		"restricted to the site."
	drift := []api.Param{{Name: "drift", Type: "boolean", Description: "Compare with the server."}}
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.nginx.show", Method: http.MethodGet, Path: inSite + "/nginx", Tag: "Sites",
		Mode: api.Sync, Permissions: view, Query: drift,
		Noun: "site-nginx", Summary: "Get the nginx configuration of a site's primary domain", Description: description,
	}, o.primary, o.show)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.nginx.update", Method: http.MethodPut, Path: inSite + "/nginx", Tag: "Sites",
		Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Noun: "site-nginx", Summary: "Write the nginx configuration of a site's primary domain", Description: update,
	}, o.primary, o.update)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.nginx.show", Method: http.MethodGet, Path: inDomain + "/nginx", Tag: "Sites",
		Mode: api.Sync, Permissions: view, Query: drift,
		Noun: "domain-nginx", Summary: "Get the nginx configuration of a domain", Description: description,
	}, o.Domains.InPath, o.show)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.nginx.update", Method: http.MethodPut, Path: inDomain + "/nginx",
		Tag: "Sites", Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Noun: "domain-nginx", Summary: "Write the nginx configuration of a domain", Description: update,
	}, o.Domains.InPath, o.update)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.domains.nginx.root.update", Method: http.MethodPut, Path: inDomain + "/nginx/root",
		Tag: "Sites", Mode: api.Async,
		Permissions: []access.Permission{
			access.SiteManageNginx,
			access.RecipeManage,
		}, Status: http.StatusAccepted, Extension: true, ChangesHost: true, Conflict: true,
		Noun: "domain-nginx", Verb: "update-root", Summary: "Write the nginx configuration of a domain as root", Description: asRoot,
	}, o.Domains.InPath, o.updateAsRoot)
	o.registerTemplates()
}

// primary loads a site with its primary domain.
func (o *Operations) primary(ctx context.Context, actor access.Actor, path api.PathValues) (domain.Path, error) {
	parent, err := o.Domains.Sites.InPath(ctx, actor, path)
	if err != nil {
		return domain.Path{}, err
	}
	rows, err := o.DB.Read().ListDomains(ctx, parent.Site)
	if err != nil {
		return domain.Path{}, fmt.Errorf("list domains: %w", err)
	}
	for _, row := range rows {
		if row.Type == domain.Primary {
			return domain.Path{At: parent, ID: row.ID, Row: row}, nil
		}
	}
	return domain.Path{}, access.ErrNotFound
}

func (o *Operations) show(ctx context.Context, c api.Call[domain.Path]) (api.Document[ConfigResource], error) {
	d := c.Parent.Row
	about := about(d)
	content, err := d.Nginx, error(nil)
	if c.Parent.At.Server.IsReady {
		content, err = o.text(ctx, o.DB.Read(), c.Parent.At.Server, d)
	}
	if plan := (*job.PlanError)(nil); errors.As(err, &plan) {
		content, about.Problem, err = d.Nginx, new(fmt.Sprintf("The intended configuration can't be determined: %s.", plan)), nil
	}
	if err == nil && d.Nginx != nil {
		var said string
		if said, err = sizes(ctx, o.DB.Read(), c.Parent.At.Server, c.Parent.At.Site, *d.Nginx); said != "" {
			about.Sizes = &said
		}
	}
	if err == nil && c.Query("drift") == "true" && c.Parent.At.Server.IsReady {
		err = o.compare(ctx, c.Parent.At.Server, d, about)
	}
	if err != nil {
		return api.Document[ConfigResource]{}, err
	}
	return o.document(c.Parent.At, d, content, about), nil
}

// text returns the file of a domain as the server has it, or is to have it.
func (o *Operations) text(ctx context.Context, q *query.Granted, srv query.Server, d query.Domain) (*string, error) {
	asked, err := pending(ctx, q, srv)
	if err != nil {
		return nil, err
	}
	return o.Vhosts.VhostText(ctx, q, srv, d, false, asked)
}

// pending returns all accepted work on the sites of a server.
func pending(ctx context.Context, q *query.Granted, srv query.Server) ([]query.Operation, error) {
	ops, err := q.ListPendingOperations(ctx, srv, site.Aspect)
	if err != nil {
		return nil, fmt.Errorf("list pending work: %w", err)
	}
	return ops, nil
}

// Meta is what configurations of nginx add to meta.
type Meta struct {
	Nginx *NginxMeta `json:"nginx"`
}

// NginxMeta is how a configuration on a host differs from the intended one.
type NginxMeta struct {
	Custom bool   `json:"custom" doc:"Whether a user wrote the configuration."`
	Rule   string `json:"rule" enum:",judged,root,kept"`
	// Refused is null if nothing is refused.
	Refused *string `json:"refused" doc:"Why a kept configuration would be rejected now; empty if it would be accepted, null if it was not checked."`
	Drift   string  `json:"drift" doc:"A unified diff from the server's file to the intended one; empty if they are the same."`
	// Sizes is null if nothing else decides.
	Sizes *string `json:"sizes"`
	// Problem is null if there is none.
	Problem *string `json:"problem" doc:"Why the intended configuration, or the difference, can't be determined."`
}

// about returns what is known of a domain's configuration without its server.
func about(d query.Domain) *NginxMeta {
	m := &NginxMeta{Custom: d.Nginx != nil}
	if m.Custom {
		m.Rule = d.NginxRule
	}
	if m.Rule == vhost.NginxKept {
		m.Refused = d.NginxRefused
	}
	return m
}

func (o *Operations) document(p site.Path, d query.Domain, content *string, about *NginxMeta) api.Document[ConfigResource] {
	return api.Document[ConfigResource]{Data: ConfigResource{
		ID: fmt.Sprint(d.ID), Links: o.Router.Links(o.Domains.URL(p, d.ID) + "/nginx"),
		Meta: &api.Meta{Own: []any{Meta{about}}}, Attributes: NginxConfigAttributes{Content: content},
	}}
}

// compareWithin is how long a server has to say what it has.
const compareWithin = 20 * time.Second

// compare records how the server's file differs, or why that can't be determined.
func (o *Operations) compare(ctx context.Context, srv query.Server, d query.Domain, about *NginxMeta) error {
	asking, cancel := context.WithTimeout(ctx, compareWithin)
	defer cancel()
	found, err := o.Drifter.Drift(asking, srv)
	var plan *job.PlanError
	switch reason := host.Reason(err); {
	case reason != "":
		about.Problem = new("The server can't be compared: " + reason + ".")
		return nil
	case errors.As(err, &plan):
		about.Problem = new(fmt.Sprintf("The intended configuration can't be determined: %s.", plan))
		return nil
	case asking.Err() != nil && ctx.Err() == nil:
		about.Problem = new(fmt.Sprintf("The server can't be compared: it did not answer within %s.", compareWithin))
		return nil
	case err != nil:
		return err
	}
	for _, difference := range found {
		if difference.Path == vhost.DomainFile(d) {
			about.Drift = difference.Diff
		}
	}
	return nil
}

// bases returns our texts that a user's may be based on, none while the domain is not served. During open work there are two:
// what the server has, which stays if the work fails, and the result of the work.
func (o *Operations) bases(ctx context.Context, tx *db.Tx, srv query.Server, d query.Domain, included []query.Operation) ([]string, error) {
	asked, err := o.Vhosts.VhostText(ctx, tx.Granted, srv, d, true, included)
	if plan := (*job.PlanError)(nil); errors.As(err, &plan) {
		return nil, api.Conflict("The intended configuration can't be determined: %s.", plan)
	}
	if err != nil || asked == nil {
		return nil, err
	}
	now, err := o.Vhosts.VhostText(ctx, tx.Granted, srv, d, true, nil)
	if errors.As(err, new(*job.PlanError)) || err == nil && now == nil {
		return []string{*asked}, nil
	}
	if err != nil {
		return nil, err
	}
	return []string{*now, *asked}, nil
}

const maxConfig = 256 << 10

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[domain.Path], b UpdateNginxConfigurationRequest) (api.Empty, error) {
	return o.write(ctx, tx, c, b, vhost.NginxJudged)
}

func (o *Operations) updateAsRoot(ctx context.Context, tx *db.Tx, c api.Call[domain.Path],
	b UpdateNginxConfigurationRequest,
) (api.Document[ConfigResource], error) {
	accepted, err := o.write(ctx, tx, c, b, vhost.NginxRoot)
	if err != nil {
		return api.Document[ConfigResource]{}, err
	}
	row, err := tx.GetDomain(ctx, c.Parent.At.Site, c.Parent.Row.ID)
	if err != nil {
		return api.Document[ConfigResource]{}, fmt.Errorf("read domain %d: %w", c.Parent.Row.ID, err)
	}
	doc := o.document(c.Parent.At, row, row.Nginx, about(row))
	doc.Event = accepted.Event
	return doc, nil
}

func (o *Operations) write(ctx context.Context, tx *db.Tx, c api.Call[domain.Path], b UpdateNginxConfigurationRequest, rule string) (api.Empty, error) {
	row, err := o.Domains.Current(ctx, tx, &c.Parent)
	if err != nil {
		return api.Empty{}, err
	}
	begins := row.First && row.Status == domain.StatusConnecting // with its site
	if row.Status != domain.StatusEnabled && row.Status != domain.StatusUpdating && !begins {
		return api.Empty{}, api.Conflict("The domain is not served.")
	}
	text := pasted(b.Config)
	checkText(c.Fields, "config", text)
	if err := c.Fields.Err(); err != nil {
		return api.Empty{}, err
	}
	if !c.Parent.At.Server.IsReady {
		return api.Empty{}, api.Conflict("The server is not set up yet: its configuration is not known.")
	}
	noted := ""
	change := func(s *domain.Specification) { s.Nginx, s.NginxBase, s.NginxRule = nil, nil, vhost.NginxJudged }
	if strings.TrimSpace(text) != "" {
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		asked, err := pending(ctx, tx.Granted, c.Parent.At.Server)
		if err != nil {
			return api.Empty{}, err
		}
		bases, err := o.bases(ctx, tx, c.Parent.At.Server, row, asked)
		if err != nil {
			return api.Empty{}, err
		}
		if len(bases) == 0 {
			return api.Empty{}, api.Conflict("The domain is not served.")
		}
		if rule == vhost.NginxJudged {
			as := vhost.Translate(text, bases[len(bases)-1], row.SiteID)
			if as.Changes > 0 {
				noted = fmt.Sprintf(" (%d of its lines were translated)", as.Changes)
			}
			if text, err = o.judged(ctx, tx, c, row, as, asked, bases); err != nil {
				return api.Empty{}, err
			}
		}
		said, err := sizes(ctx, tx.Granted, c.Parent.At.Server, c.Parent.At.Site, text)
		if err != nil {
			return api.Empty{}, err
		}
		if said != "" {
			noted += ". " + strings.TrimSuffix(said, ".")
		}
		base := render.Closest(text, bases...)
		change = func(s *domain.Specification) { s.Nginx, s.NginxBase, s.NginxRule = &text, &base, rule }
	}
	_, accepted, err := o.Domains.Alter(ctx, tx, c.Parent.At, row.ID, "update", "Writing the nginx configuration of "+row.Name+noted, change)
	return api.Empty{Event: accepted.EventID}, err
}

// judged returns the stored form of a user's text. What it is not allowed to contain is a failure of the field, with its line.
func (o *Operations) judged(ctx context.Context, tx *db.Tx, c api.Call[domain.Path], row query.Domain, as vhost.Translation, asked []query.Operation,
	bases []string,
) (string, error) {
	bounds, err := o.Vhosts.NginxBounds(ctx, tx.Granted, c.Parent.At.Server, row, asked, bases...)
	if plan := (*job.PlanError)(nil); errors.As(err, &plan) {
		return "", api.Conflict("The intended configuration can't be determined: %s.", plan)
	}
	if err != nil {
		return "", err
	}
	kept, refused := as.Accept(bounds)
	for _, r := range refused {
		c.Fields.Add("config", "%s", r)
	}
	return kept, c.Fields.Err()
}

func checkText(f api.Fields, field, text string) {
	switch {
	case len(f[field]) > 0:
	case len(text) > maxConfig:
		f.Add(field, "The %s must not be larger than 256 KiB.", field)
	case !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\r"):
		f.Add(field, "The %s contains characters that are not allowed.", field)
	}
}
