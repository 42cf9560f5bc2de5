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
)

// resolved is a DNS that knows some addresses.
type resolved map[string][]string

func (r resolved) Lookup(_ context.Context, _, name string) ([]string, error) {
	if addresses, ok := r[name]; ok {
		return addresses, nil
	}
	return nil, errors.New("no answer")
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
	o.Method = DNS01
	if got := (&Authority{Resolver: with("192.0.2.9")}).stray(t.Context(), o, refused("www.shop.example.com")); strings.TrimSpace(got) != "" {
		t.Errorf("of a name that is proven through the DNS it says %s", got)
	}
}
