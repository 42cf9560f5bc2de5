package render

import (
	"errors"
	"net/netip"
	"slices"
)

// NginxBalancers returns the files of a site that is behind load balancers of ours: maps for the http block, and what each of its vhosts includes.
// Visitors' addresses (ngx_http_realip_module), scheme and port are believed only from the balancers' own addresses, and so is that a request was
// not encrypted on purpose: a balancer decides about that for its visitors.
func NginxBalancers(siteID int64, balancers []netip.Addr) (maps, include string, err error) {
	if siteID <= 0 || len(balancers) == 0 {
		return "", "", errors.New("a site behind balancers needs its id and their addresses")
	}
	addresses := slices.Clone(balancers)
	slices.SortFunc(addresses, netip.Addr.Compare)
	addresses = slices.Compact(addresses)
	m, s := conf{}, conf{}
	m.line("# Written by Hostler; changes are overwritten.")
	s.line("# Written by Hostler; changes are overwritten.")
	m.open("geo $realip_remote_addr $hostler_balancer_%d", siteID)
	m.line("default 0;")
	for _, a := range addresses {
		if !a.IsValid() || a.Zone() != "" {
			return "", "", errors.New("the address of a balancer is not valid")
		}
		m.line("%s 1;", a.Unmap())
		s.line("set_real_ip_from %s;", a.Unmap())
	}
	m.close()
	s.line("real_ip_header X-Forwarded-For;")
	s.line("set %s $hostler_scheme_%d;", visitorScheme, siteID)
	s.line("absolute_redirect off;") // with this server's scheme and port, which visitors do not know
	for _, v := range []struct{ of, name, otherwise, match, value string }{
		{"$http_x_forwarded_proto", "scheme", "$scheme", "~^1:(?<hostler_proto>https?)$", "$hostler_proto"},
		{"$http_x_forwarded_port", "port", "$server_port", "~^1:(?<hostler_forwarded_port>[0-9]+)$", "$hostler_forwarded_port"},
	} {
		m.open("map $hostler_balancer_%d:%s $hostler_%s_%[1]d", siteID, v.of, v.name)
		m.line("default %s;", v.otherwise)
		m.line(`"%s" %s;`, v.match, v.value)
		m.close()
	}
	m.open("map $hostler_scheme_%d $hostler_https_%[1]d", siteID)
	m.line(`default "";`)
	m.line("https on;")
	m.close()
	m.open("map $hostler_balancer_%d:$scheme:$uri $hostler_plain_%[1]d", siteID)
	m.line(`default "";`)
	m.line(`~^0:http:/\.well-known/acme-challenge/ "";`)
	m.line("~^0:http: 1;")
	m.close()
	return m.b.String(), s.b.String(), errors.Join(m.err, s.err)
}

// visitorScheme is the variable with the scheme that a visitor of a site behind balancers used, for the targets of redirects, which are included later. It is
// empty for any other site.
const visitorScheme = "$hostler_visitor_scheme"
