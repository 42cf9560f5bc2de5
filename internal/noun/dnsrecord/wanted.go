package dnsrecord

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Want is a record that a domain needs; without a value, none of the type is needed at the name.
type Want struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Value string `json:"value"`
}

// wanted returns the records that a domain needs, for each of its names an A and an AAAA; or a sentence that says why there can be none.
func (s *Store) wanted(ctx context.Context, q *query.Granted, d query.Domain, srv query.Server) (wants []Want, refused string, err error) {
	name, err := value.ParseDomain(d.Name)
	if err != nil {
		return nil, "", err
	}
	fronts, err := q.ListFrontsOfDomain(ctx, d)
	switch {
	case err != nil:
		return nil, "", fmt.Errorf("list balancers in front of domain %d: %w", d.ID, err)
	case len(fronts) > 1:
		return nil, "Several load balancers pass requests for " + d.Name + " to this server. Make its records where they should lead.", nil
	case len(fronts) == 1:
		srv = fronts[0]
	}
	v4, v6, refused := s.addresses(srv)
	if refused != "" {
		return nil, refused, nil
	}
	for _, n := range site.Names(name, d.WWWRedirectType, d.Wildcard) {
		wants = append(wants, Want{dns.Name(n), dns.A, v4}, Want{dns.Name(n), dns.AAAA, v6})
	}
	return wants, "", nil
}

// addresses returns where visitors reach a server: at the address that it was connected with, and at the first public address of the other family that it
// has. refused is why there is none.
func (s *Store) addresses(srv query.Server) (v4, v6, refused string) {
	public := outbound.Guard{Own: none}
	take := func(a netip.Addr) {
		switch a = a.Unmap(); {
		case a.Is4() && v4 == "":
			v4 = a.String()
		case a.Is6() && v6 == "":
			v6 = a.String()
		}
	}
	known := srv.IPAddress != nil
	if known {
		a, err := netip.ParseAddr(*srv.IPAddress)
		if err == nil && (outbound.Guard{AllowPrivate: s.Guard.AllowPrivate, Own: none}).Check(a) == nil {
			take(a)
		}
	}
	for _, text := range server.FactsOf(srv).Addresses {
		if a, err := netip.ParseAddr(text); err == nil && public.Check(a) == nil {
			take(a)
		}
	}
	switch {
	case v4 != "" || v6 != "":
		return v4, v6, ""
	case !known:
		return "", "", "The address of the server " + srv.Name + " is not known yet. Try again once it is."
	}
	return "", "", "The address of the server " + srv.Name + ", " + *srv.IPAddress +
		", is private: visitors can't reach it. Set the server's public address first."
}

// none are the addresses of this machine that can't be in a record: sites may be on the machine that Hostler runs on.
func none() []netip.Addr { return nil }

// namesOf returns the names of wants.
func namesOf(wants []Want) []string {
	var out []string
	for _, w := range wants {
		if !slices.Contains(out, w.Name) {
			out = append(out, w.Name)
		}
	}
	return out
}
