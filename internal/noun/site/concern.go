package site

import (
	"context"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
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

// LimitReached lists sites of which the kernel ended a program or started no more, since their limits allow no more.
func LimitReached(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	servers, err := db.All[query.Server](ctx, l.Rows, "servers", server.Attended(l.Grants...), db.Cond{SQL: "shortages <> ''"})
	if err != nil {
		return nil, err
	}
	var short []wire.Shortage
	var on []int64 // the servers that tell of them
	for _, srv := range servers {
		for _, s := range server.Shortages(srv, l.Now) {
			if s.Site != 0 {
				short, on = append(short, s), append(on, srv.ID)
			}
		}
	}
	if len(short) == 0 {
		return nil, nil
	}
	sites, err := Of(ctx, l, short, func(s wire.Shortage) int64 { return s.Site })
	var out []concern.Item
	at := map[int64]int{} // the place of each site
	for i, s := range short {
		row, ok := sites[s.Site]
		if !ok || row.ServerID != on[i] { // a host must not tell of another one's sites
			continue
		}
		text := shortText(row, s)
		if known, ok := at[row.ID]; ok {
			out[known].Text += " " + text
			out[known].Since = new(max(*out[known].Since, s.Last))
			continue
		}
		at[row.ID] = len(out)
		out = append(out, concern.Item{
			Kind: "site-limit-reached", Subject: row.Name, ServerID: row.ServerID, SiteID: &row.ID, Since: &s.Last, Text: text,
		})
	}
	return out, err
}
