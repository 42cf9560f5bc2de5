package site

import (
	"context"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Concerns lists sites whose work failed.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.Site](ctx, l.Rows, "sites", server.AttendedOf(l.Grants...), concern.Failed())
	var out []concern.Item
	for _, r := range rows {
		out = append(out, concern.Item{Kind: "site-failed", Subject: r.Name, ServerID: r.ServerID, SiteID: &r.ID, OperationID: r.OperationID})
	}
	return out, err
}

// AttendedOf returns the condition on rows that name their site in site_id, of a server that is not archived. It is asked of each row that the other
// conditions leave, which are few, and not made a list of all sites first.
func AttendedOf(grants ...access.Grant) db.Cond {
	of := server.AttendedOf(grants...)
	return db.Cond{SQL: "EXISTS (SELECT 1 FROM sites WHERE sites.id = site_id AND " + of.SQL + ")", Args: of.Args}
}

// Of returns the sites of rows that a caller can see, by their ids.
func Of[R any](ctx context.Context, l concern.Look, rows []R, id func(R) int64) (map[int64]query.Site, error) {
	ids := make([]any, len(rows))
	for i, r := range rows {
		ids[i] = id(r)
	}
	sites, err := db.All[query.Site](ctx, l.Rows, "sites", server.AttendedOf(l.Grants...), db.Equal("id", ids...))
	out := make(map[int64]query.Site, len(sites))
	for _, s := range sites {
		out[s.ID] = s
	}
	return out, err
}
