package heartbeat

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Concerns lists heartbeats that were not called in time.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.Heartbeat](ctx, l.Rows, "heartbeats", site.AttendedOf(l.Grants...), db.Equal("status", statusMissing))
	if err != nil {
		return nil, err
	}
	sites, err := site.Of(ctx, l, rows, func(r query.Heartbeat) int64 { return r.SiteID })
	var out []concern.Item
	for _, r := range rows {
		on := sites[r.SiteID]
		out = append(out, concern.Item{
			Kind: "heartbeat-missing", Subject: r.Name, Text: "No ping was received on " + on.Name + ".", ServerID: on.ServerID,
			SiteID: &r.SiteID, ResourceID: &r.ID, Since: r.DueAt,
		})
	}
	return out, err
}
