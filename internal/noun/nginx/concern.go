package nginx

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Concerns lists domains with a configuration that predates the checks and would be refused now.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.Domain](ctx, l.Rows, "domains", site.AttendedOf(l.Grants...),
		db.Cond{SQL: "nginx_rule = 'kept' AND nginx IS NOT NULL AND nginx_refused <> ''"})
	if err != nil {
		return nil, err
	}
	sites, err := site.Of(ctx, l, rows, func(r query.Domain) int64 { return r.SiteID })
	var out []concern.Item
	for _, r := range rows {
		out = append(out, concern.Item{
			Kind: "nginx-refused", Subject: r.Name, Text: *r.NginxRefused, ServerID: sites[r.SiteID].ServerID, SiteID: &r.SiteID,
			ResourceID: &r.ID,
		})
	}
	return out, err
}
