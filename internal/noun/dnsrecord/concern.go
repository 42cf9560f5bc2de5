package dnsrecord

import (
	"context"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Concerns lists domains whose records could not be made, or are not at the provider as they were made.
func Concerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	of := server.AttendedOf(l.Grants...)
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

// failing is how often the removal of a record fails before it needs attention: then a quarter of an hour has passed since the domain was deleted.
const failing = 3

// LeftConcerns lists providers that keep records of deleted domains because their removal fails, to those who see the whole organization: the domains are gone.
func LeftConcerns(ctx context.Context, l concern.Look) ([]concern.Item, error) {
	managed := l.Managed()
	if len(managed) == 0 {
		return nil, nil
	}
	rows, err := db.All[query.DNSRecord](ctx, l.Rows, "dns_records", db.Equal("organization_id", managed...),
		db.Cond{SQL: "domain_id IS NULL AND failures >= ?", Args: []any{failing}})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	ids := make([]any, len(rows))
	for i, r := range rows {
		ids[i] = r.DNSProviderID
	}
	providers, err := db.All[query.DNSProvider](ctx, l.Rows, "dns_providers", db.Equal("id", ids...))
	if err != nil {
		return nil, err
	}
	var out []concern.Item
	for _, p := range providers {
		of := slices.Clone(rows)
		of = slices.DeleteFunc(of, func(r query.DNSRecord) bool { return r.DNSProviderID != p.ID })
		what := "The " + of[0].Type + " record of " + of[0].Name
		if n := len(of) - 1; n > 0 {
			what += fmt.Sprintf(" and %d more of deleted domains", n)
		} else {
			what += ", a deleted domain,"
		}
		out = append(out, concern.Item{
			Kind: "dns-records", Noun: "dns-providers", Subject: p.Name, OrganizationID: p.OrganizationID, ResourceID: &p.ID, Since: &of[0].UpdatedAt,
			Text: what + " can't be removed, and is tried again at most once a day. " + of[0].Failure,
		})
	}
	return out, nil
}

// Elsewhere lists the records that are removed once a domain or a site is deleted, for the plan of the deletion. Whether the provider still has them as they
// were made is not asked: a plan is answered without anyone else.
func Elsewhere(ctx context.Context, rows query.DBTX, op query.Operation) ([]string, error) {
	var of db.Cond
	switch {
	case op.Action != "delete":
		return nil, nil
	case op.ResourceType == domain.Kind:
		of = db.Equal("domain_id", op.ResourceID)
	case op.ResourceType == site.Sites.Kind:
		of = db.Cond{SQL: "domain_id IN (SELECT id FROM domains WHERE site_id = ?)", Args: []any{op.ResourceID}}
	default:
		return nil, nil
	}
	records, err := db.All[query.DNSRecord](ctx, rows, "dns_records", of)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range records {
		out = append(out, "remove the DNS record "+r.Type+" "+r.Name+" "+r.Value+" at the provider, unless it was changed manually")
	}
	return out, nil
}
