package dns

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/dns/dnstest"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// accounts are the providers that tests have, each served as its API.
func accounts(p *dnstest.Provider) map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{Cloudflare: p.Cloudflare, DigitalOcean: p.DigitalOcean, Hetzner: p.Hetzner, Gandi: p.Gandi, DeSEC: p.DeSEC}
}

func openAt(t *testing.T, provider, url, token string) Records {
	t.Helper()
	r, err := NewRecords(Settings{Provider: provider, Token: token}, outbound.Guard{AllowPrivate: true}, url)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Records are made, changed and removed beside others in the closest zone, whatever page they are on.
func TestRecords(t *testing.T) {
	t.Parallel()
	for provider := range accounts(nil) {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			p := dnstest.New([]string{"example.com", "deep.example.com", "xn--bcher-kva.example"},
				dnstest.Record{Name: "example.com", Type: "MX", Value: "mail.example.com"}, dnstest.Record{Name: "example.com", Type: "TXT", Value: "v=spf1"},
				dnstest.Record{Name: "example.com", Type: "A", Value: "192.0.2.1", TTL: 77, Proxied: provider == Cloudflare},
				dnstest.Record{Name: "example.com", Type: "A", Value: "192.0.2.2", TTL: 77},
				dnstest.Record{Name: "www.example.com", Type: "CNAME", Value: "example.com"})
			api := httptest.NewServer(accounts(p)[provider])
			defer api.Close()
			r := openAt(t, provider, api.URL, dnstest.Token)
			for name, want := range map[string]string{
				"example.com": "example.com", "www.example.com": "example.com", "*.example.com": "example.com", "deep.example.com": "deep.example.com",
				"*.deep.example.com": "deep.example.com", "a.b.deep.example.com": "deep.example.com", "notdeep.example.com": "example.com",
				"www.xn--bcher-kva.example": "xn--bcher-kva.example",
			} {
				if z, err := r.Zone(t.Context(), name); err != nil || z.Name != want {
					t.Errorf("the zone of %s is %v, %v", name, z, err)
				}
			}
			if _, err := r.Zone(t.Context(), "www.example.org"); KindOf(err) != NoZone || !strings.Contains(err.Error(), "has no zone for www.example.org") {
				t.Errorf("a name of no zone: %v", err)
			}
			zone, _ := r.Zone(t.Context(), "example.com")
			at := func(name string) (out []string) {
				t.Helper()
				list, err := r.At(t.Context(), zone, name)
				if err != nil {
					t.Fatal(err)
				}
				for _, rec := range list {
					out = append(out, fmt.Sprintf("%s %s %s", rec.Name, rec.Type, rec.Value))
				}
				return out
			}
			if diff := cmp.Diff([]string{"example.com A 192.0.2.1", "example.com A 192.0.2.2"}, at("example.com")); diff != "" {
				t.Errorf("at the zone itself (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"www.example.com CNAME example.com"}, at("www.example.com")); diff != "" {
				t.Errorf("an alias (-want +got):\n%s", diff)
			}
			list, _ := r.At(t.Context(), zone, "example.com")
			if _, err := r.Change(t.Context(), zone, list[0], "192.0.2.3"); err != nil {
				t.Fatal(err)
			}
			made, err := r.Create(t.Context(), zone, Record{Name: "*.example.com", Type: AAAA, Value: "2001:db8::1"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Create(t.Context(), zone, Record{Name: "www.example.com", Type: A, Value: "192.0.2.9"}); KindOf(err) != Invalid {
				t.Errorf("an address beside an alias: %v", err)
			}
			line := "example.com A 192.0.2.3"
			if provider == Cloudflare { // the flag is kept
				line += " proxied"
			}
			want := []string{"*.example.com AAAA 2001:db8::1", "example.com A 192.0.2.2", line, "example.com MX mail.example.com", "example.com TXT v=spf1",
				"www.example.com CNAME example.com"}
			if diff := cmp.Diff(want, p.Lines()); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			for range 2 { // what is gone is no error
				if err := r.Delete(t.Context(), zone, made); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(want[1:], p.Lines()); diff != "" {
				t.Errorf("records after (-want +got):\n%s", diff)
			}
		})
	}
}

// What a provider refuses has a kind: the token, what was asked for, and what may work later. No token is quoted.
func TestProblems(t *testing.T) {
	t.Parallel()
	for provider := range accounts(nil) {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			p := dnstest.New([]string{"example.com"})
			api := httptest.NewServer(accounts(p)[provider])
			defer api.Close()
			r := openAt(t, provider, api.URL, dnstest.Token)
			for status, want := range map[int]string{401: Refused, 403: Refused, 429: Away, 500: Away, 503: Away, 400: Invalid, 422: Invalid, 302: Invalid} {
				p.Refuse(func(string, string) int { return status })
				if _, err := r.Zone(t.Context(), "example.com"); KindOf(err) != want || !strings.Contains(err.Error(), fmt.Sprint(status)) {
					t.Errorf("a %d is %q: %v", status, KindOf(err), err)
				}
			}
			if _, err := openAt(t, provider, api.URL, "wr0ng-token").Zone(t.Context(), "example.com"); KindOf(err) != Refused || strings.Contains(err.Error(), "wr0ng") {
				t.Errorf("with a wrong token: %v", err)
			}
			api.Close()
			if _, err := r.Zone(t.Context(), "example.com"); KindOf(err) != Away {
				t.Errorf("of one that is away: %v", err)
			}
		})
	}
	// deSEC says what is wrong for each field (go-acme/lego 1361), in a list for a list.
	for raw, want := range map[string]string{
		`[{"ttl":["Ensure this value is greater than or equal to 3600."]}]`:       "ttl: Ensure this value is greater than or equal to 3600.",
		`{"records":["Too long.","Not canonical."],"non_field_errors":["Both."]}`: "non_field_errors: Both.; records: Too long.; records: Not canonical.",
		`[{},{"type":["Unknown."]}]`:                                              "type: Unknown.", `[1]`: "", `{"ttl":3600}`: "", `"text"`: "", "": "",
	} {
		if got := message([]byte(raw)); got != want {
			t.Errorf("%s says %q, want %q", raw, got, want)
		}
	}
	// An answer that is cut, is not JSON, or leads elsewhere with the token.
	var elsewhere int
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	for name, h := range map[string]http.HandlerFunc{
		"a page of a proxy": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"a cut answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"result":[`))
		},
		"a redirect": func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, other.URL, http.StatusTemporaryRedirect)
		},
	} {
		api := httptest.NewServer(h)
		if _, err := openAt(t, Cloudflare, api.URL, "t0ken").Zone(t.Context(), "example.com"); KindOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		api.Close()
	}
	if elsewhere != 0 {
		t.Error("a redirect was followed")
	}
	ended, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	released := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-released }))
	defer slow.Close()
	defer close(released)
	if _, err := openAt(t, Hetzner, slow.URL, "t0ken").Zone(ended, "example.com"); err == nil {
		t.Error("a provider that does not answer has a zone")
	}
}

// Nameservers of the zone are asked directly, and no address that is private unless the operator allows it.
func TestSights(t *testing.T) {
	t.Parallel()
	s := newServer(t, "example.com NS ns.example.com.", "ns.example.com A 127.0.0.1", "www.example.com A 192.0.2.1", "hostler-check.example.com A 192.0.2.1")
	_, port, _ := net.SplitHostPort(s.address)
	r := &Resolver{Servers: []string{s.address}, Guard: outbound.Guard{AllowPrivate: true}, port: port}
	want := []Sight{{Server: s.address, Authoritative: true, Values: []string{"192.0.2.1"}}, {Server: "resolver", Values: []string{"192.0.2.1"}}}
	for _, name := range []string{"www.example.com", "*.example.com"} {
		if diff := cmp.Diff(want, r.Sights(t.Context(), A, name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	r.Guard = outbound.Guard{}
	if got := r.Sights(t.Context(), A, "www.example.com"); got[0].Problem != "Its address is private, and is not asked." {
		t.Errorf("a private nameserver: %+v", got)
	}
}

// An IPv6 address is the same one however a person wrote it at the provider.
func TestAddressesAreWrittenInManyWays(t *testing.T) {
	t.Parallel()
	for provider := range accounts(nil) {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			p := dnstest.New([]string{"example.com"}, dnstest.Record{Name: "example.com", Type: AAAA, Value: "2001:DB8:0:0::1", TTL: 3600})
			api := httptest.NewServer(accounts(p)[provider])
			defer api.Close()
			r := openAt(t, provider, api.URL, dnstest.Token)
			zone, err := r.Zone(t.Context(), "example.com")
			if err != nil {
				t.Fatal(err)
			}
			list, err := r.At(t.Context(), zone, "example.com")
			if err != nil || len(list) != 1 || list[0].Value != "2001:db8::1" {
				t.Fatalf("the records are %v, %v", list, err)
			}
			if err := r.Delete(t.Context(), zone, list[0]); err != nil || len(p.Lines()) != 0 {
				t.Errorf("after the removal there are %v, %v", p.Lines(), err)
			}
		})
	}
}
