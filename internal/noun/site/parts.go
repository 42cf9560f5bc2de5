package site

import (
	"context"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// parts are the rows that sites' documents tell of: their domains and rules.
type parts struct {
	domains   []query.Domain
	security  []query.SecurityRule
	redirects []query.RedirectRule
	// maintenance are the maintenance pages.
	maintenance []query.Integration
}

func partsOf(ctx context.Context, q query.DBTX, ids []any) (p parts, err error) {
	if p.domains, err = db.All[query.Domain](ctx, q, "domains", db.Equal("site_id", ids...)); err != nil {
		return p, err
	}
	if p.security, err = db.All[query.SecurityRule](ctx, q, "security_rules", db.Equal("site_id", ids...)); err != nil {
		return p, err
	}
	if p.redirects, err = db.All[query.RedirectRule](ctx, q, "redirect_rules", db.Equal("site_id", ids...)); err != nil {
		return p, err
	}
	p.maintenance, err = db.All[query.Integration](ctx, q, "integrations", db.Equal("site_id", ids...), db.Equal("kind", "laravel-maintenance"))
	return p, err
}

// of returns the parts of one site.
func (p parts) of(id int64) parts {
	return parts{
		slices.DeleteFunc(slices.Clone(p.domains), func(d query.Domain) bool { return d.SiteID != id }),
		slices.DeleteFunc(slices.Clone(p.security), func(r query.SecurityRule) bool { return r.SiteID != id }),
		slices.DeleteFunc(slices.Clone(p.redirects), func(r query.RedirectRule) bool { return r.SiteID != id }),
		slices.DeleteFunc(slices.Clone(p.maintenance), func(i query.Integration) bool { return i.SiteID != id }),
	}
}

// describe adds the effect of a site's parts: whether it is served over HTTPS, its other names, and its rules.
func (p parts) describe(res *Resource) {
	for _, d := range p.domains {
		if d.Type != DomainPrimary {
			res.Attributes.Aliases = append(res.Attributes.Aliases, d.Name)
		} else if d.CertificateID != nil {
			res.Attributes.HTTPS, res.Attributes.URL = true, "https://"+d.Name
		}
	}
	for _, m := range p.maintenance {
		mode := MaintenanceMode{Enabled: m.Status != "enabling"}
		if m.Status != "" {
			mode.Status = &m.Status
		}
		res.Attributes.MaintenanceMode = mode
	}
	var security, redirects []int64
	for _, r := range p.security {
		security = append(security, r.ID)
	}
	for _, r := range p.redirects {
		redirects = append(redirects, r.ID)
	}
	res.Relationships.SecurityRules, res.Relationships.RedirectRules = api.Many[securityRules](security), api.Many[redirectRules](redirects)
}
