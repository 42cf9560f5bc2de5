package site

import (
	"context"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

func (o *Operations) everywhere(ctx context.Context, c api.Call[access.Actor]) (api.Collection[Resource], error) {
	grants, err := o.Store.Servers.Organizations.Grants(ctx, c.Parent, access.ServerView)
	if err != nil {
		return api.Collection[Resource]{}, err
	}
	slugs := map[int64]string{}
	var visible []db.Cond
	for _, g := range grants {
		slugs[g.OrganizationID] = g.Slug
		visible = append(visible, server.VisibleOf(g))
	}
	return o.page(ctx, c.List, slugs, db.Any(visible...))
}

func (o *Operations) ofOrganization(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	return o.page(ctx, c.List, map[int64]string{c.Parent.OrganizationID: c.Parent.Slug}, server.VisibleOf(c.Parent.Grant))
}

func (o *Operations) ofServer(ctx context.Context, c api.Call[server.Path]) (api.Collection[Resource], error) {
	return o.page(ctx, c.List, map[int64]string{c.Parent.OrganizationID: c.Parent.Slug}, db.Equal("server_id", c.Parent.Server.ID))
}

func (o *Operations) page(ctx context.Context, list api.ListQuery, slugs map[int64]string, where db.Cond) (api.Collection[Resource], error) {
	q := o.Store.DB.Reader()
	page, err := db.Select[query.Site](ctx, q, list.Of("sites", where))
	if err != nil {
		return api.Collection[Resource]{}, err
	}
	data, included, err := Resources(ctx, q, o.Router, list, slugs, page.Rows...)
	return api.Collection[Resource]{Data: data, Included: included, Next: page.Next, Prev: page.Prev}, err
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return Document(ctx, o.Store.DB.Reader(), o.Router, c.List, c.Parent.Slug, c.Parent.Site)
}

// Document returns the answer with one site.
func Document(ctx context.Context, q query.DBTX, r *api.Router, list api.ListQuery, slug string, row query.Site) (api.Document[Resource], error) {
	data, included, err := Resources(ctx, q, r, list, map[int64]string{row.OrganizationID: slug}, row)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	return api.Document[Resource]{Data: data[0], Included: included}, nil
}
