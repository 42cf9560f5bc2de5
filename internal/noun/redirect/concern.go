package redirect

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Concerns lists redirects of an earlier release that no request matches.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	rows, err := db.All[query.RedirectRule](ctx, l.Rows, "redirect_rules", site.AttendedOf(l.Grants...), db.Equal("status", StatusInstalled),
		db.Cond{SQL: "(source LIKE '%?%' OR source LIKE '%://%' OR source LIKE '%#%' OR source LIKE '%\\%%' ESCAPE '\\')"})
	if err != nil {
		return nil, err
	}
	sites, err := site.Of(ctx, l, rows, func(r query.RedirectRule) int64 { return r.SiteID })
	if err != nil {
		return nil, err
	}
	var out []concern.Item
	for _, r := range rows {
		why, err := unmatched(ctx, l, r)
		if err != nil {
			return nil, err
		}
		if why != "" {
			out = append(out, concern.Item{
				Kind: "input-misread", Noun: "redirect", Subject: r.Source, ServerID: sites[r.SiteID].ServerID, SiteID: &r.SiteID, ResourceID: &r.ID,
				Text: "No request matches this redirect. " + why,
			})
		}
	}
	return out, nil
}

// unmatched returns why no request matches a rule that is installed; "" if one may.
func unmatched(ctx context.Context, l concern.Look, r query.RedirectRule) (string, error) {
	from, err := value.ParseRedirectSource(r.Source)
	if err != nil {
		return "", nil // nginx judged it
	}
	if _, query := from.Query(); !query {
		return from.Unmatched(), nil
	}
	row, err := Rules.Row(ctx, l.Read, r.ID)
	if err != nil || row.Specification.Query {
		return "", err
	}
	return "Its source has a query string, which was not matched when it was created: delete it and create it again.", nil
}
