package redirect

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// RedirectRuleAttributes are the attributes of a redirect rule.
type RedirectRuleAttributes struct {
	From      string   `json:"from"`
	To        string   `json:"to"`
	Type      string   `json:"type" enum:"redirect,permanent"`
	Status    string   `json:"status" enum:"installing,installed,removing"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType is redirect-rules.
func (RedirectRuleAttributes) ResourceType() string { return Rules.Kind }

// Resource is a redirect rule in a document.
type Resource = server.Document[RedirectRuleAttributes]

func shown(r query.RedirectRule) (id int64, operation *int64, a RedirectRuleAttributes) {
	return r.ID, r.OperationID, RedirectRuleAttributes{
		From: r.Source, To: r.Target, Type: r.Type, Status: r.Status, CreatedAt: api.TimeOf(r.CreatedAt),
		UpdatedAt: api.TimeOf(r.UpdatedAt),
	}
}

// CreateRedirectRequest asks for a rule.
type CreateRedirectRequest struct {
	From string `json:"from" maxLength:"1000"`
	To   string `json:"to" maxLength:"1000" doc:"A path or a URL; $1 to $9 are the parenthesized matches of from."`
	Type string `json:"type" enum:"redirect,permanent" doc:"redirect responds with 302, permanent with 301."`
}

// UpdateRedirectRequest changes a rule. What it leaves out stays.
type UpdateRedirectRequest struct {
	From string `json:"from,omitempty" maxLength:"1000" doc:"A regular expression that is matched against the path, such as ^/old$."`
	To   string `json:"to,omitempty" maxLength:"1000" doc:"A path or a URL; $1 to $9 are the parenthesized matches of from."`
	Type string `json:"type,omitempty" enum:"redirect,permanent" doc:"redirect responds with 302, permanent with 301."`
}

// ReorderRedirectsRequest names the rules of a site in their new order.
type ReorderRedirectsRequest struct {
	Redirects []int64 `json:"redirects" minItems:"1" nullable:"false"`
}

// Operations are the operations on redirect rules.
type Operations struct {
	server.Parts[site.Path, query.RedirectRule, Specification, RedirectRuleAttributes]
}

// NewOperations makes them.
func NewOperations(d *db.DB, sites *site.Store, l *ledger.Ledger, r *api.Router) *Operations {
	return &Operations{server.Parts[site.Path, query.RedirectRule, Specification, RedirectRuleAttributes]{
		DB: d, Router: r, Noun: Rules, Acceptor: site.AcceptorOf(l),
		Load: sites.InPath, Collection: "redirect-rules", Param: "redirectRule", Table: "redirect_rules", Get: (*query.Queries).GetRedirectRule, Attributes: shown,
	}}
}

// Register adds the operations.
func (o *Operations) Register() {
	const many = "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules"
	const single = many + "/{redirectRule}"
	manage := []access.Permission{access.SiteManageRedirects}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.index", Method: http.MethodGet, Path: many, Tag: "Redirect Rules", Mode: api.Sync,
		Permissions: manage, Noun: "redirects", Summary: "List redirect rules", Description: "In evaluation order, unless sorted otherwise.",
		Filters: []api.Filter{{Name: "from", Column: "source", Text: true}, {Name: "to", Column: "target", Text: true}, {Name: "type"}, {Name: "status"}},
		Sorts:   []string{"created_at", "updated_at"},
	}, o.Load, o.index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.store", Method: http.MethodPost, Path: many, Tag: "Redirect Rules", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Removable: true, Conflict: true, Noun: "redirects", Summary: "Create a redirect rule",
		Description: "Rules are evaluated in order, and the first match applies. A rule that nginx rejects is removed; its event says why.",
	}, o.Load, o.store)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.reorder", Method: http.MethodPut, Path: many +
			"/reorder", Tag: "Redirect Rules", Mode: api.Async, Permissions: manage, Before: many,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Noun: "redirects", Summary: "Reorder redirect rules",
		Description: "Rules that are not listed follow in their previous order.",
	}, o.Load, o.reorder)
	api.Download(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.export", Method: http.MethodGet, Path: many +
			"/export", Tag: "Redirect Rules", Mode: api.Sync, Permissions: manage,
		Noun:    "redirects",
		Summary: "Export redirect rules as CSV", Description: "The columns are from, to and type, in the order of the rules. The file can be imported again.",
	}, "text/csv", o.Load, o.export)
	api.Upload(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.import", Method: http.MethodPost, Path: many +
			"/import", Tag: "Redirect Rules", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Noun: "redirects", Summary: "Import redirect rules from CSV",
		Description: "The columns are from, to and type, with or without a header; type defaults to redirect. The response lists invalid lines. The others are " +
			"imported together: either all of them, or none if nginx rejects one.",
	}, o.Load, o.upload)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.show", Method: http.MethodGet, Path: single, Tag: "Redirect Rules", Mode: api.Sync,
		Permissions: manage, Noun: "redirects", Summary: "Get a redirect rule",
	}, o.InPath, o.Single)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.update", Method: http.MethodPut, Path: single, Tag: "Redirect Rules", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Extension: true, Noun: "redirects", Summary: "Update a redirect rule",
		Description: "Omitted fields are unchanged, and the rule keeps its place in the order.",
		Example:     map[string]any{"to": "/new"},
	}, o.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.destroy", Method: http.MethodDelete, Path: single, Tag: "Redirect Rules", Mode: api.Async,
		Permissions: manage,
		Status:      http.StatusAccepted, ChangesHost: true, Conflict: true, Noun: "redirects", Summary: "Delete a redirect rule",
	}, o.InPath, o.destroy)
}

func (o *Operations) index(ctx context.Context, c api.Call[site.Path]) (api.Collection[Resource], error) {
	if len(c.List.Sort) == 0 {
		c.List.Sort = []db.Order{{Column: "position"}}
	}
	return o.Index(ctx, c)
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b CreateRedirectRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	rows, err := tx.ListRedirectRules(ctx, c.Parent.Site)
	if err != nil {
		return none, fmt.Errorf("list redirect rules: %w", err)
	}
	in := check(c.Fields, b, c.Parent.Site.Name)
	if len(c.Fields) == 0 {
		if taken(rows, 0, in.From.String()) {
			c.Fields.Coded("from", api.CodeTaken, nil, sourceTaken)
		}
		if len(rows) >= maxRules {
			c.Fields.Add("from", "A site can have at most %d redirects.", maxRules)
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	id, s, err := insert(ctx, tx, c.Parent.Site.ID, in)
	if err != nil {
		return none, err
	}
	return o.Create(ctx, tx, c.Parent, id, s, "Installing redirect from "+s.From)
}

const loops = "The source matches the target too, so browsers would be redirected again and again. Anchor the source, such as ^/old$, or name another target."

func check(f api.Fields, b CreateRedirectRequest, name string) parsed {
	p := parsed{Type: b.Type}
	var err error
	if len(f["from"]) == 0 {
		if p.From, err = value.ParseRedirectSource(b.From); err != nil {
			f.Add("from", "%s", err)
		} else if why := p.From.Unmatched(); why != "" {
			f.Add("from", "%s", why)
		}
	}
	if len(f["to"]) == 0 {
		if p.To, err = value.ParseRedirectTarget(b.To); err != nil {
			f.Add("to", "%s", err)
		} else if why := p.To.Mistaken(p.From); why != "" {
			f.Add("to", "%s", why)
		} else if !p.From.IsZero() && value.RedirectLoops(p.From, p.To, name) {
			f.Add("to", "%s", loops)
		}
	}
	return p
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateRedirectRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, err := o.Editable(ctx, tx, &c.Parent, "redirect")
	if err != nil {
		return none, err
	}
	rows, err := tx.ListRedirectRules(ctx, c.Parent.At.Site)
	if err != nil {
		return none, fmt.Errorf("list redirect rules: %w", err)
	}
	b = api.Over(c, UpdateRedirectRequest{From: row.Source, To: row.Target, Type: row.Type})
	in := check(c.Fields, CreateRedirectRequest(b), c.Parent.At.Site.Name)
	if len(c.Fields) == 0 && taken(rows, row.ID, in.From.String()) {
		c.Fields.Coded("from", api.CodeTaken, nil, sourceTaken)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	return o.Change(ctx, tx, c.Parent.At, row.ID, in.specification(row.SiteID, row.CreatedAt), "update", "Changing redirect from "+in.From.String())
}

func (o *Operations) reorder(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b ReorderRedirectsRequest) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	rows, err := tx.ListRedirectRules(ctx, c.Parent.Site)
	if err != nil {
		return api.Empty{}, fmt.Errorf("list redirect rules: %w", err)
	}
	before := ids(rows)
	var after []int64
	for i, id := range b.Redirects {
		field := "redirects." + strconv.Itoa(i)
		switch {
		case !slices.Contains(before, id):
			c.Fields.Add(field, "The site has no such redirect.")
		case slices.Contains(after, id):
			c.Fields.Add(field, "The redirect is listed twice.")
		default:
			after = append(after, id)
		}
	}
	if err := c.Fields.Err(); err != nil {
		return api.Empty{}, err
	}
	for _, id := range before {
		if !slices.Contains(after, id) {
			after = append(after, id)
		}
	}
	wish, err := Orders.Want(c.Parent.Site.ID, Order{SiteID: c.Parent.Site.ID, Rules: after})
	if err != nil {
		return api.Empty{}, err
	}
	accepted, err := o.Acceptor.Accept(ctx, tx, c.Parent.Path, c.Parent.Site.ID, "update", "Reordering the redirects of "+c.Parent.Site.Name, wish)
	return api.Empty{Event: accepted.EventID}, err
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	return o.Remove(ctx, tx, c.Parent, "Removing redirect from "+c.Parent.Row.Source, nil)
}

func ids(rows []query.RedirectRule) []int64 {
	out := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = r.ID
	}
	return out
}
