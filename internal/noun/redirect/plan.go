package redirect

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// Include is the redirects of sites, as their vhosts include them.
type Include struct{}

const fileName = "10-redirects"

// Steps write the file of a site's redirects, which each of its vhosts includes.
func (Include) Steps(v ledger.View, d vhost.Desired) (steps, late []wire.Step, err error) {
	name, path := "redirects of "+d.Site.Name, vhost.IncludePath(d.Site.ID, fileName)
	rules, err := inOrder(v, d.Site.ID)
	if err != nil {
		return nil, nil, err
	}
	if len(rules) == 0 || d.Gone {
		return []wire.Step{vhost.Absent(name, path)}, nil, nil
	}
	text, err := text(rules)
	if err != nil {
		return nil, nil, err
	}
	return []wire.Step{vhost.File(name, path, text)}, nil, nil
}

// inOrder returns the rules of a site in the order that they are tried.
func inOrder(v ledger.View, siteID int64) ([]ledger.Resource[Specification], error) {
	rules, err := Rules.Of(v)
	if err != nil {
		return nil, err
	}
	order, _, err := Orders.Get(v, siteID)
	if err != nil {
		return nil, err
	}
	rules = slices.DeleteFunc(rules, func(r ledger.Resource[Specification]) bool { return r.Specification.SiteID != siteID })
	slices.SortStableFunc(rules, func(a, b ledger.Resource[Specification]) int {
		return cmp.Compare(position(order.Rules, a.ID), position(order.Rules, b.ID))
	})
	return rules, nil
}

func text(rules []ledger.Resource[Specification]) (string, error) {
	var in render.RedirectsInput
	for _, r := range rules {
		from, err := value.ParseRedirectSource(r.Specification.From)
		if err != nil {
			return "", fmt.Errorf("redirect %d: %w", r.ID, err)
		}
		to, err := value.ParseRedirectTarget(r.Specification.To)
		if err != nil {
			return "", fmt.Errorf("redirect %d: %w", r.ID, err)
		}
		in.Rules = append(in.Rules, render.Redirect{From: from, To: to, Permanent: r.Specification.Type == Permanent, Query: r.Specification.Query})
	}
	return render.NginxRedirects(in)
}
