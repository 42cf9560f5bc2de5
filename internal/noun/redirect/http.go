package redirect

import (
	"context"
	"errors"
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
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// CreateRedirectRequest asks for a rule.
type CreateRedirectRequest struct {
	From string `json:"from" maxLength:"1000" doc:"A regular expression that the path is matched with: ^/old$. Without ^ and $ it matches anywhere in the path."`
	To   string `json:"to" maxLength:"1000" doc:"A path or a URL; $1 to $9 are what the parentheses of from matched."`
	Type string `json:"type" enum:"redirect,permanent" doc:"redirect answers 302, permanent 301."`
}

// ReorderRedirectsRequest names the rules of a site in their new order.
type ReorderRedirectsRequest struct {
	Redirects []int64 `json:"redirects" minItems:"1" nullable:"false"`
}

// Operations are the operations on redirect rules.
type Operations struct {
	DB     *db.DB
	Sites  *site.Store
	Ledger *ledger.Ledger
	Router *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const many = "/orgs/{organization}/servers/{server}/sites/{site}/redirect-rules"
	const single = many + "/{redirectRule}"
	manage := []access.Permission{access.SiteManageRedirects}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.index", Method: http.MethodGet, Path: many, Tag: "Redirect Rules", Mode: api.Sync, Permissions: manage, Summary: "List redirect rules", Description: "In evaluation order, unless sorted otherwise.",
		Filters: []api.Filter{{Name: "from", Column: "source", Text: true}, {Name: "to", Column: "target", Text: true}, {Name: "type"}, {Name: "status"}},
		Sorts:   []string{"created_at", "updated_at"},
	}, o.Sites.InPath, o.index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.store", Method: http.MethodPost, Path: many, Tag: "Redirect Rules", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Create a redirect rule",
		Description: "Rules are tried in order; the first match applies. One that nginx refuses is removed again; its event says why.",
	}, o.Sites.InPath, o.store)
	api.Remove(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.reorder", Method: http.MethodPut, Path: many + "/reorder", Tag: "Redirect Rules", Mode: api.Async, Permissions: manage, Before: many,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Reorder redirect rules", Description: "Rules that are not named follow in the order that they had.",
	}, o.Sites.InPath, o.reorder)
	api.Download(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.export", Method: http.MethodGet, Path: many + "/export", Tag: "Redirect Rules", Mode: api.Sync, Permissions: manage,
		Summary: "Export redirect rules as CSV", Description: "The columns from, to and type, in the order of the rules. What export writes, import reads.",
	}, "text/csv", o.Sites.InPath, o.export)
	api.Upload(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.import", Method: http.MethodPost, Path: many + "/import", Tag: "Redirect Rules", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Import redirect rules from CSV",
		Description: "The columns from, to and type, with or without a line that names them; without a type it is redirect. Lines that can't be taken are named in the answer, the others are imported together: all of them, or none if nginx refuses one.",
	}, o.Sites.InPath, o.upload)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.show", Method: http.MethodGet, Path: single, Tag: "Redirect Rules", Mode: api.Sync, Permissions: manage, Summary: "Get a redirect rule",
	}, o.inPath, o.show)
	api.Remove(o.Router, api.Operation{
		ID: "organizations.servers.sites.redirect-rules.destroy", Method: http.MethodDelete, Path: single, Tag: "Redirect Rules", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Delete a redirect rule",
	}, o.inPath, o.destroy)
}

func (o *Operations) inPath(ctx context.Context, actor access.Actor, path api.Path) (Path, error) {
	parent, err := o.Sites.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("redirectRule")
	if err != nil {
		return Path{}, err
	}
	row, err := o.DB.Read().GetRedirectRule(ctx, parent.Site.ID, id)
	if err != nil {
		return Path{}, fmt.Errorf("read redirect rule %d: %w", id, err)
	}
	return Path{Path: parent, Rule: row}, nil
}

func (o *Operations) index(ctx context.Context, c api.Call[site.Path]) (api.Collection[site.RedirectRuleResource], error) {
	q := o.DB.Reader()
	if len(c.List.Sort) == 0 {
		c.List.Sort = []db.Order{{Column: "position"}}
	}
	return api.Paged(ctx, q, c.List.Of("redirect_rules", db.Equal("site_id", c.Parent.Site.ID)), func(rows ...query.RedirectRule) ([]site.RedirectRuleResource, error) {
		return site.RedirectRules(ctx, q, o.Router, c.Parent.Slug, c.Parent.Server.ID, rows...)
	})
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[site.RedirectRuleResource], error) {
	return o.document(ctx, o.DB.Reader(), c.Parent.Path, c.Parent.Rule)
}

func (o *Operations) document(ctx context.Context, q query.DBTX, p site.Path, row query.RedirectRule) (api.Document[site.RedirectRuleResource], error) {
	return api.Single(site.RedirectRules(ctx, q, o.Router, p.Slug, p.Server.ID, row))
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b CreateRedirectRequest) (api.Document[site.RedirectRuleResource], error) {
	var none api.Document[site.RedirectRuleResource]
	if _, err := site.Lock(ctx, tx, c.Parent); err != nil {
		return none, err
	}
	rows, err := tx.ListRedirectRules(ctx, c.Parent.Site.ID)
	if err != nil {
		return none, fmt.Errorf("list redirect rules: %w", err)
	}
	in := check(c.Fields, b)
	if len(c.Fields) == 0 {
		if slices.ContainsFunc(staying(rows), func(r query.RedirectRule) bool { return r.Source == in.From.String() }) {
			c.Fields.Add("from", "The site has a redirect from there already.")
		}
		if len(rows) >= maxRules {
			c.Fields.Add("from", "A site can have at most %d redirects.", maxRules)
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	wish, err := insert(ctx, tx, c.Parent.Site.ID, in)
	if err != nil {
		return none, err
	}
	accepted, err := site.AcceptPart(ctx, tx, o.Ledger, c.Parent, "create", "Installing redirect from "+in.From.String(), wish)
	if err != nil {
		return none, err
	}
	row, err := tx.GetRedirectRule(ctx, c.Parent.Site.ID, wish.ID)
	if err != nil {
		return none, fmt.Errorf("create redirect rule: %w", err)
	}
	doc, err := o.document(ctx, tx.SQL, c.Parent, row)
	doc.Location, doc.Event = path(c.Parent, row), accepted.EventID
	return doc, err
}

func check(f api.Fields, b CreateRedirectRequest) parsed {
	p := parsed{Type: b.Type}
	var err error
	if len(f["from"]) == 0 {
		if p.From, err = value.ParseRedirectSource(b.From); err != nil {
			f.Add("from", "%s", err)
		}
	}
	if len(f["to"]) == 0 {
		if p.To, err = value.ParseRedirectTarget(b.To); err != nil {
			f.Add("to", "%s", err)
		}
	}
	return p
}

func (o *Operations) reorder(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b ReorderRedirectsRequest) (api.Empty, error) {
	if _, err := site.Lock(ctx, tx, c.Parent); err != nil {
		return api.Empty{}, err
	}
	rows, err := tx.ListRedirectRules(ctx, c.Parent.Site.ID)
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
			c.Fields.Add(field, "The redirect is named twice.")
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
	accepted, err := site.AcceptPart(ctx, tx, o.Ledger, c.Parent, "update", "Reordering the redirects of "+c.Parent.Site.Name, wish)
	return api.Empty{Event: accepted.EventID}, err
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	if _, err := site.Lock(ctx, tx, c.Parent.Path); err != nil {
		return api.Empty{}, err
	}
	row, err := tx.GetRedirectRule(ctx, c.Parent.Site.ID, c.Parent.Rule.ID)
	if errors.Is(err, db.ErrNotFound) {
		return api.Empty{}, api.ErrNotFound
	}
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete redirect rule: %w", err)
	}
	if row.Status == StatusRemoving { // a second delete while the first runs
		return api.Empty{}, nil
	}
	accepted, err := site.AcceptPart(ctx, tx, o.Ledger, c.Parent.Path, "delete", "Removing redirect from "+row.Source, Rules.Remove(row.ID))
	return api.Empty{Event: accepted.EventID}, err
}

func ids(rows []query.RedirectRule) []int64 {
	out := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = r.ID
	}
	return out
}
