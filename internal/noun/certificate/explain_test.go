package certificate

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// resolved is a DNS that knows some addresses.
type resolved map[string][]string

func (r resolved) Lookup(_ context.Context, kind, name string) (out []string, err error) {
	addresses, ok := r[name]
	if !ok {
		return nil, errors.New("no answer")
	}
	for _, a := range addresses {
		if strings.Contains(a, ":") == (kind == "AAAA") {
			out = append(out, a)
		}
	}
	return out, nil
}

func (r resolved) Seen(context.Context, string, string) error { return nil }

// The user's message names the name at fault, and where DNS points it.
func TestExplain(t *testing.T) {
	t.Parallel()
	refused := func(name string) error {
		p := acme.Problem{
			Type: acme.ProblemTypeUnauthorized, Detail: "Invalid response: 404.",
			Resource: acme.Authorization{Identifier: acme.Identifier{Type: "dns", Value: name}},
		}
		return fmt.Errorf("solving challenge: %s: %w", name, fmt.Errorf("[%s] authorization failed: %w", name, p))
	}
	o := Order{Server: query.Server{IPAddress: new("192.0.2.1")}, Names: []string{"shop.example.com", "www.shop.example.com"}, Method: HTTP01}
	here := resolved{"shop.example.com": {"192.0.2.1"}}
	with := func(www ...string) resolved {
		return resolved{"shop.example.com": {"192.0.2.1"}, "www.shop.example.com": www}
	}
	var nothing *acme.Problem
	for _, tt := range []struct {
		about string
		err   error
		dns   resolved
		want  string
	}{
		{
			"a name that leads elsewhere", refused("www.shop.example.com"), with("192.0.2.9"),
			"The authority could not verify www.shop.example.com: Invalid response: 404. The DNS leads www.shop.example.com to 192.0.2.9, and this server is 192.0.2.1.",
		},
		{
			"a name that leads nowhere", refused("www.shop.example.com"), with(),
			"The authority could not verify www.shop.example.com: Invalid response: 404. The DNS has no address for www.shop.example.com.",
		},
		{"a DNS that does not answer", refused("www.shop.example.com"), here, "The authority could not verify www.shop.example.com: Invalid response: 404."},
		{
			"a name of several addresses", refused("www.shop.example.com"), with("192.0.2.1", "192.0.2.9"),
			"The authority could not verify www.shop.example.com: Invalid response: 404.",
		},
		{ // nginx-proxy/acme-companion#211, letsencrypt/boulder#4556: IPv6 is tried first
			"an IPv6 address of another machine", refused("www.shop.example.com"), with("192.0.2.1", "2001:db8::9"),
			"The authority could not verify www.shop.example.com: Invalid response: 404. The DNS leads www.shop.example.com to 2001:db8::9 as well, which " +
				"authorities ask first: it must be this server's, or go.",
		},
		{
			"a name with IPv6 only", refused("www.shop.example.com"), with("2001:db8::9"),
			"The authority could not verify www.shop.example.com: Invalid response: 404. The DNS leads www.shop.example.com to 2001:db8::9, and this server is " +
				"192.0.2.1.",
		},
		{ // certbot/certbot#4827, YunoHost/issues#1247
			"a CAA record", fmt.Errorf("solving challenge: %w", fmt.Errorf("[shop.example.com] authorization failed: %w", acme.Problem{
				Type: "urn:ietf:params:acme:error:caa", Detail: "CAA record for shop.example.com prevents issuance",
				Resource: acme.Authorization{Identifier: acme.Identifier{Type: "dns", Value: "shop.example.com"}},
			})), with("192.0.2.1"),
			"The authority could not verify shop.example.com: CAA record for shop.example.com prevents issuance.",
		},
		{ // letsencrypt/boulder#6915
			"a CAA record that is looked for where there is no name", fmt.Errorf("solving challenge: %w", fmt.Errorf("[www.shop.example.com] failed: %w", acme.Problem{
				Type:     "urn:ietf:params:acme:error:dns",
				Detail:   "DNS problem: NXDOMAIN looking up CAA for www.shop.example.com - check that a DNS record exists for this domain",
				Resource: acme.Authorization{Identifier: acme.Identifier{Type: "dns", Value: "www.shop.example.com"}},
			})), with(),
			"The authority could not verify www.shop.example.com: DNS problem: NXDOMAIN looking up CAA for www.shop.example.com - check that a DNS record " +
				"exists for this " +
				"domain. The DNS has no address for www.shop.example.com.",
		},
		{
			"a limit", fmt.Errorf("creating new order: %w", acme.Problem{Type: acme.ProblemTypeRateLimited, Detail: "too many certificates"}),
			with("192.0.2.9"), "The authority refused: too many certificates.",
		},
		{
			"an authorization that is taken back", errors.New("solving challenges: [shop.example.com] authorization revoked (order=https://acme.example.com/1)"), here,
			"The authority withdrew the order: its authorization for shop.example.com is revoked.",
		},
		{
			"an order that is taken back", fmt.Errorf("finalizing order x: %w", fmt.Errorf("final order is invalid: %w", nothing)),
			here, "The authority withdrew the order: it is invalid.",
		},
		{
			"an order that is taken back, and why", fmt.Errorf("final order is invalid: %w", &acme.Problem{Detail: "CAA forbids it"}),
			here, "The authority withdrew the order. The authority refused: CAA forbids it.",
		},
		{
			"an authority that is away", fmt.Errorf("creating new order: %w", &url.Error{
				Op: "Post", URL: "https://acme.example.com", Err: errors.New("connection refused"),
			}), here,
			`The authority can't be reached: Post "https://acme.example.com": connection refused`,
		},
		{"anything", errors.New("what\xff"), here, "No certificate could be obtained: what"},
	} {
		got := explain(tt.err) + (&Authority{Resolver: tt.dns}).stray(t.Context(), o, tt.err)
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.about, got, tt.want)
		}
	}
	six := o
	six.Server.IPAddress, six.Names = new("2001:db8::1"), []string{"shop.example.com"}
	for address, want := range map[string]string{
		"2001:db8::1": "", "192.0.2.9": "The DNS leads shop.example.com to 192.0.2.9, and this server is 2001:db8::1.",
	} {
		got := (&Authority{Resolver: resolved{"shop.example.com": {address}}}).stray(t.Context(), six, refused("shop.example.com"))
		if strings.TrimSpace(got) != want {
			t.Errorf("a server with IPv6 only, and a name that leads to %s: %s", address, got)
		}
	}
	o.Method = DNS01
	if got := (&Authority{Resolver: with("192.0.2.9")}).stray(t.Context(), o, refused("www.shop.example.com")); strings.TrimSpace(got) != "" {
		t.Errorf("of a name that is proven through the DNS it says %s", got)
	}
}

func TestFirewallsLetAuthoritiesIn(t *testing.T) {
	t.Parallel()
	rule := func(kind, ports, address string) query.FirewallRule {
		spec, err := value.ParsePortSpec(ports)
		if err != nil {
			t.Fatal(err)
		}
		r := query.FirewallRule{Type: kind, Port: spec}
		if address != "" {
			if err := r.IPAddress.UnmarshalText([]byte(address)); err != nil {
				t.Fatal(err)
			}
		}
		return r
	}
	web, err := value.ParsePort("80")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		rules []query.FirewallRule
		want  bool
	}{
		"no rules":      {nil, false},
		"its port":      {[]query.FirewallRule{rule("allow", "22", ""), rule("allow", "80", "")}, true},
		"a range":       {[]query.FirewallRule{rule("allow", "1-1024", "")}, true},
		"every port":    {[]query.FirewallRule{rule("allow", "", "")}, true},
		"other ports":   {[]query.FirewallRule{rule("allow", "22", ""), rule("allow", "443", "")}, false},
		"one address":   {[]query.FirewallRule{rule("allow", "80", "192.0.2.7")}, false},
		"a port denied": {[]query.FirewallRule{rule("deny", "80", "")}, false},
	} {
		if got := open(c.rules, web); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
