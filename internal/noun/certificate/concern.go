package certificate

import (
	"context"
	"fmt"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// endsWithin is how long before its end a certificate is a concern that is not renewed automatically.
const endsWithin = 14 * 24 * time.Hour

// ends reports whether a served certificate is about to expire: one that is renewed automatically once its renewal is overdue. Certificates live for six
// days to more than a year, so for some of them two weeks before their end is their beginning.
func ends(r query.Certificate, now time.Time) (bool, error) {
	if r.ExpiresAt == nil || *r.ExpiresAt >= now.Add(endsWithin).UnixMicro() {
		return false, nil
	}
	if r.RenewAt == nil || r.Chain == nil {
		return true, nil
	}
	leaf, _, err := parseChain(*r.Chain)
	if err != nil {
		return false, fmt.Errorf("read certificate %d: %w", r.ID, err)
	}
	_, latest := renewWindow(leaf)
	return now.After(latest.Add(RenewEvery + orderWithin)), nil
}

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
	if err != nil {
		return nil, err
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
		ending, err := ends(r, l.Now)
		if err != nil {
			return nil, err
		}
		if listed[r.ID] || r.Failure == "" && !ending {
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
	return out, nil
}
