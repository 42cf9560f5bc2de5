package certificate

import (
	"context"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// endsWithin is how long before its end a certificate is a concern. One that is renewed automatically was renewed long before.
const endsWithin = 14 * 24 * time.Hour

// Concerns lists served certificates whose renewal failed or that are not renewed in time.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.Certificate](ctx, l.Rows, "certificates", site.AttendedOf(l.Grant), db.Cond{
		SQL: "id IN (SELECT certificate_id FROM domains) AND (failure <> '' OR expires_at < ?)", Args: []any{l.Now.Add(endsWithin).UnixMicro()},
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	sites, err := site.Of(ctx, l, rows, func(r query.Certificate) int64 { return r.SiteID })
	if err != nil {
		return nil, err
	}
	ids := make([]any, len(rows))
	for i, r := range rows {
		ids[i] = r.DomainID
	}
	domains, err := db.All[query.Domain](ctx, l.Rows, "domains", db.Equal("id", ids...))
	names := map[int64]string{}
	for _, d := range domains {
		names[d.ID] = d.Name
	}
	var out []concern.Item
	for _, r := range rows {
		item := concern.Item{
			Kind: "certificate-ending", Subject: names[r.DomainID], ServerID: sites[r.SiteID].ServerID, SiteID: &r.SiteID,
			ResourceID: &r.DomainID, EndsAt: r.ExpiresAt,
		}
		if r.Failure != "" {
			item.Kind, item.Text = "certificate-failing", r.Failure
		}
		out = append(out, item)
	}
	return out, err
}
