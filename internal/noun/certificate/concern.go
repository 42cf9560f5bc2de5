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
	var rows []query.Certificate
	served := db.Cond{SQL: "EXISTS (SELECT 1 FROM domains WHERE domains.certificate_id = certificates.id)"}
	for _, cond := range []db.Cond{
		{SQL: "failure <> ''"},
		{SQL: "expires_at < ?", Args: []any{l.Now.Add(endsWithin).UnixMicro()}},
		{SQL: "type = 'existing' AND chain IS NOT NULL"}, // its issuer may be missing
	} {
		found, err := db.All[query.Certificate](ctx, l.Rows, "certificates", site.AttendedOf(l.Grants...), cond, served)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	if len(rows) == 0 {
		return nil, nil
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
	listed := map[int64]bool{}
	for _, r := range rows {
		if missing := missing(r); missing != "" && !listed[-r.ID] {
			listed[-r.ID] = true
			out = append(out, concern.Item{
				Kind: "input-misread", Noun: "certificate", Subject: names[r.DomainID], ServerID: sites[r.SiteID].ServerID, SiteID: &r.SiteID, ResourceID: &r.DomainID,
				Text: "Its certificate is served without that of its issuer " + missing +
					", and many clients refuse it. Add the certificate again together with the issuer's.",
			})
		}
		if listed[r.ID] || r.Failure == "" && (r.ExpiresAt == nil || *r.ExpiresAt >= l.Now.Add(endsWithin).UnixMicro()) {
			continue
		}
		listed[r.ID] = true
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
