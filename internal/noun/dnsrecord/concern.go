package dnsrecord

import (
	"context"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Concerns lists domains whose records could not be made, or are not at the provider as they were made.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	of := server.AttendedOf(l.Grant)
	visible := db.Cond{
		SQL:  "EXISTS (SELECT 1 FROM domains d JOIN sites ON sites.id = d.site_id WHERE d.id = domain_id AND " + of.SQL + ")",
		Args: of.Args,
	}
	var out []concern.Item
	rows, err := db.All[query.DomainDNS](ctx, l.Rows, "domain_dns", visible,
		db.Any(db.Equal("status", statusFailed), db.Cond{SQL: "seen LIKE '%\"state\":\"changed\"%'"}, db.Cond{SQL: "seen LIKE '%\"state\":\"missing\"%'"}))
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	ids := make([]any, len(rows))
	for i, r := range rows {
		ids[i] = r.DomainID
	}
	domains, err := db.All[query.Domain](ctx, l.Rows, "domains", db.Equal("id", ids...))
	if err != nil {
		return nil, err
	}
	sites, err := site.Of(ctx, l, domains, func(d query.Domain) int64 { return d.SiteID })
	if err != nil {
		return nil, err
	}
	for _, d := range domains {
		at := slices.IndexFunc(rows, func(r query.DomainDNS) bool { return r.DomainID == d.ID })
		item := concern.Item{Kind: "dns-records", Subject: d.Name, ServerID: sites[d.SiteID].ServerID, SiteID: &d.SiteID, ResourceID: &d.ID}
		if rows[at].Status == statusFailed {
			item.OperationID = rows[at].OperationID
		} else {
			item.Text = "Its DNS records at the provider are not as Hostler made them."
		}
		out = append(out, item)
	}
	return out, nil
}
