package domain

import (
	"cmp"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// Certificates say which certificate a domain has.
type Certificates interface {
	// TLS returns the certificate of a domain, nil for none, with the steps that put it on the host, and late what is no longer needed there.
	TLS(v ledger.View, d query.Domain, gone bool) (tls *render.TLS, steps, late []wire.Step, err error)
}

// Include is the domains of sites, each a vhost.
type Include struct{ Certificates Certificates }

// Vhosts returns the domains of a site as its host should have them.
func (p Include) Vhosts(v ledger.View, row query.Site, gone bool) (vhosts []vhost.Vhost, steps, late []wire.Step, err error) {
	if vhosts, err = vhostsOf(v, row, gone); err != nil || p.Certificates == nil {
		return vhosts, nil, nil, err
	}
	for i, host := range vhosts {
		tls, before, after, err := p.Certificates.TLS(v, host.Domain, host.Gone)
		if err != nil {
			return nil, nil, nil, err
		}
		vhosts[i].TLS, steps, late = tls, append(steps, before...), append(late, after...)
	}
	return vhosts, steps, late, nil
}

func vhostsOf(v ledger.View, row query.Site, gone bool) ([]vhost.Vhost, error) {
	stays, err := Domains.Of(v)
	if err != nil {
		return nil, err
	}
	goes, err := Domains.Gone(v)
	if err != nil {
		return nil, err
	}
	var vhosts []vhost.Vhost
	add := func(d ledger.Resource[Specification], gone bool) {
		if d.Specification.SiteID == row.ID {
			vhosts = append(vhosts, vhost.Vhost{Domain: rowOf(d.ID, d.Specification), Gone: gone || d.Specification.Disabled})
		}
	}
	for _, d := range stays {
		add(d, gone)
	}
	for _, d := range goes {
		add(d, true)
	}
	slices.SortFunc(vhosts, func(a, b vhost.Vhost) int { return cmp.Compare(a.Domain.ID, b.Domain.ID) })
	return vhosts, nil
}
