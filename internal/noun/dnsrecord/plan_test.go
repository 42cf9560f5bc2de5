package dnsrecord

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// Work on records changes nothing on its host: the control plane talks to the provider.
func TestStepsGolden(t *testing.T) {
	t.Parallel()
	for _, action := range []string{actionMake, actionFollow, actionRemove} {
		stages, err := (&Task{}).steps(t.Context(), nil, query.Server{ID: 1}, query.Operation{ID: 1, ResourceType: resource, Action: action}, query.DomainDNS{})
		if err != nil {
			t.Fatal(err)
		}
		jobtest.Golden(t, action, stages)
	}
}

const v4, v6 = "203.0.113.7", "2001:db8::7"

// domainAt returns the wants of example.com with its www, reached at these addresses.
func domainAt(v4, v6 string) []Want {
	return []Want{
		{"example.com", dns.A, v4}, {"example.com", dns.AAAA, v6}, {"www.example.com", dns.A, v4}, {"www.example.com", dns.AAAA, v6},
	}
}

func at(records ...dns.Record) map[string][]dns.Record {
	out := map[string][]dns.Record{}
	for _, r := range records {
		out[r.Name] = append(out[r.Name], r)
	}
	return out
}

func rec(id, kind, name, value string) dns.Record {
	return dns.Record{ID: id, Type: kind, Name: name, Value: value}
}

func own(id, kind, name, value string) query.DNSRecord {
	return query.DNSRecord{RemoteID: id, Type: kind, Name: name, Value: value}
}

func text4(items []Item) string {
	var b strings.Builder
	for _, i := range items {
		named := ""
		if i.Named {
			named = " (named)"
		}
		fmt.Fprintf(&b, "%s %s %s: %s -> %s%s %s\n", i.Action, i.Type, i.Name, i.Was, i.Value, named, i.Text)
	}
	return b.String()
}

// Each plan is a file. Many of the cases are from trackers of programs that do the same.
func TestPlanGolden(t *testing.T) {
	t.Parallel()
	made := []query.DNSRecord{own("1", dns.A, "example.com", v4), own("2", dns.A, "www.example.com", v4)}
	for name, in := range map[string]Input{
		"nothing-there": {Wants: domainAt(v4, v6)},
		"made":          {Wants: domainAt(v4, ""), Own: made, Live: at(rec("1", dns.A, "example.com", v4), rec("2", dns.A, "www.example.com", v4))},
		"there-already": {Wants: domainAt(v4, ""), Live: at(rec("8", dns.A, "example.com", v4))},
		"moved": {Wants: domainAt("198.51.100.1", ""), Own: made,
			Live: at(rec("1", dns.A, "example.com", v4), rec("2", dns.A, "www.example.com", v4))},
		"moved-sets": {Wants: domainAt("198.51.100.1", "")[:2], Own: []query.DNSRecord{own("", dns.A, "example.com", v4)},
			Live: at(rec("", dns.A, "example.com", v4))},
		"no-longer-www": {Wants: domainAt(v4, "")[:2], Own: made,
			Live: at(rec("1", dns.A, "example.com", v4), rec("2", dns.A, "www.example.com", v4))},
		"crashed-before-the-answer": {Wants: domainAt(v4, "")[:2], Own: []query.DNSRecord{own("", dns.A, "example.com", v4)},
			Live: at(rec("1", dns.A, "example.com", v4))},
		"www-is-an-alias-of-the-domain": {Wants: domainAt(v4, v6), Live: at(rec("3", dns.CNAME, "www.example.com", "example.com"))},
		// kubernetes-sigs/external-dns#1165, #2820: an address is refused beside an alias, and deleting it afterwards left nothing.
		"alias-elsewhere": {Wants: domainAt(v4, ""), Live: at(rec("3", dns.CNAME, "www.example.com", "shop.example.net"))},
		"alias-elsewhere-named": {Wants: domainAt(v4, ""), Live: at(rec("3", dns.CNAME, "www.example.com", "shop.example.net")),
			Named: []string{"CNAME www.example.com"}},
		// kubernetes-sigs/external-dns#3706, #2410: a record of others was taken over.
		"of-others": {Wants: domainAt(v4, ""), Live: at(rec("9", dns.A, "example.com", "192.0.2.9"))},
		"of-others-named": {
			Wants: domainAt(v4, ""), Live: at(rec("9", dns.A, "example.com", "192.0.2.9"), rec("10", dns.A, "example.com", "192.0.2.10")),
			Named: []string{"A example.com"},
		},
		"another-name-is-named": {Wants: domainAt(v4, ""), Live: at(rec("9", dns.A, "example.com", "192.0.2.9")),
			Named: []string{"A www.example.com", "AAAA example.com"}},
		// kubernetes-sigs/external-dns#2125: a change manually was reverted, by way of no record at all.
		"changed-by-hand":       {Wants: domainAt(v4, ""), Own: made, Live: at(rec("1", dns.A, "example.com", "192.0.2.9"), rec("2", dns.A, "www.example.com", v4))},
		"changed-by-hand-named": {Wants: domainAt(v4, ""), Own: made, Live: at(rec("1", dns.A, "example.com", "192.0.2.9")), Named: []string{"A example.com"}},
		"removed-by-hand":       {Wants: domainAt(v4, ""), Own: made, Live: at(rec("2", dns.A, "www.example.com", v4))},
		// mholt/caddy-dynamicdns#96: an AAAA of before stayed, and half of the visitors went there.
		"no-ipv6-any-longer": {Wants: domainAt(v4, "")[:2], Own: []query.DNSRecord{own("5", dns.AAAA, "example.com", v6)},
			Live: at(rec("5", dns.AAAA, "example.com", v6))},
		"ipv6-of-others":   {Wants: domainAt(v4, "")[:2], Live: at(rec("6", dns.AAAA, "example.com", "2001:db8::99"))},
		"beside-others":    {Wants: domainAt(v4, "")[:2], Live: at(rec("7", dns.A, "example.com", v4), rec("8", dns.A, "example.com", "192.0.2.9"))},
		"kept-for-another": {Wants: domainAt(v4, "")[:2], Holders: map[string]string{"A example.com": "the site shop on this server"}},
		"taken-over": {Wants: domainAt(v4, "")[:2], Holders: map[string]string{"A example.com": "a site"}, Named: []string{"A example.com"},
			Live: at(rec("1", dns.A, "example.com", "192.0.2.9"))},
		"delegated-elsewhere": {Wants: domainAt(v4, "")[2:], Zones: map[string]dns.Zone{"www.example.com": {Name: "example.com"}},
			Delegations: map[string]string{"www.example.com": "www.example.com"}},
		"wildcard": {Wants: []Want{{"example.com", dns.A, v4}, {"*.example.com", dns.A, v4}}, Live: at(rec("1", dns.A, "*.example.com", v4))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			items := Plan(in)
			got := text4(items)
			if left := refused(items); len(left) > 0 {
				got += "refused: " + strings.Join(left, " ") + "\n"
			}
			if items, left := followed(items); len(left) > 0 {
				got += "followed:\n" + text4(items) + "left: " + strings.Join(left, " ") + "\n"
			}
			got += "removal:\n" + text4(Removal(in))
			golden(t, name, got)
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "plans", name+".txt")
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// A plan has a hash of all that it shows, and of the account that it is for.
func TestHash(t *testing.T) {
	t.Parallel()
	items := Plan(Input{Wants: domainAt(v4, "")})
	a, _ := Hash(1, items)
	b, _ := Hash(1, Plan(Input{Wants: domainAt(v4, "")}))
	c, _ := Hash(2, items)
	d, _ := Hash(1, Plan(Input{Wants: domainAt("203.0.113.8", "")}))
	if a != b || a == c || a == d || len(a) != 64 {
		t.Errorf("hashes are %s, %s, %s, %s", a, b, c, d)
	}
}

// A record has a public address: that of the other family is taken from what the server has, and none that only its own network reaches
// (virtualmin/virtualmin-gpl#1116).
func TestAddresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		address string
		facts   []string
		private bool
		want    [2]string
		refused string
	}{
		"public": {address: "93.184.216.34", facts: []string{"93.184.216.34"}, want: [2]string{"93.184.216.34", ""}},
		"both": {address: "93.184.216.34", facts: []string{"fe80::1", "fdb2:2c26::1", "2606:2800:220:1::1", "2606:2800:220:1::2"},
			want: [2]string{"93.184.216.34", "2606:2800:220:1::1"}},
		"IPv6 alone":                {address: "2606:2800:220:1::1", facts: []string{"10.0.0.5"}, want: [2]string{"", "2606:2800:220:1::1"}},
		"reached through a network": {address: "10.0.0.5", facts: []string{"10.0.0.5", "93.184.216.34"}, want: [2]string{"93.184.216.34", ""}},
		"private":                   {address: "10.0.0.5", facts: []string{"10.0.0.5"}, refused: "is private"},
		"private, and allowed":      {address: "10.0.0.5", private: true, want: [2]string{"10.0.0.5", ""}},
		"of a shared network":       {address: "100.64.0.5", refused: "is private"},
		"unknown":                   {refused: "is not known yet"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts, _ := json.Marshal(map[string]any{"addresses": c.facts})
			srv := query.Server{Name: "web", Facts: string(facts)}
			if c.address != "" {
				srv.IPAddress = &c.address
			}
			s := &Store{Guard: outbound.Guard{AllowPrivate: c.private}}
			a, b, no := s.addresses(srv)
			if [2]string{a, b} != c.want || !strings.Contains(no, c.refused) || (no == "") != (c.refused == "") {
				t.Errorf("addresses are %q and %q: %s", a, b, no)
			}
		})
	}
}
