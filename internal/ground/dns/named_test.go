package dns

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// named starts BIND (Debian's bind9) on this machine, with two zones and two keys: one may change everything in example.com, the other one name of it. It
// returns the address.
func named(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("named")
	if err != nil {
		if program = "/usr/sbin/named"; !exists(program) {
			t.Skip("there is no named: apt-get install bind9")
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	_ = free.Close()
	dir := t.TempDir()
	files := map[string]string{
		"named.conf": fmt.Sprintf(`
options {
	directory %q; pid-file %q; session-keyfile %q; managed-keys-directory %q; listen-on port %s { 127.0.0.1; }; listen-on-v6 { none; };
	recursion no; notify no; dnssec-validation no;
};
controls { };
key "hostler" { algorithm hmac-sha256; secret %q; };
key "narrow" { algorithm hmac-sha512; secret %q; };
zone "example.com" { type primary; file "example.com"; update-policy { grant hostler zonesub ANY; grant narrow name one.example.com. A; }; };
zone "deep.example.com" { type primary; file "deep.example.com"; update-policy { grant hostler zonesub ANY; }; };
`, dir, filepath.Join(dir, "pid"), filepath.Join(dir, "session.key"), dir, port, key, key),
		"example.com": `$TTL 77
@ SOA ns hostmaster 1 3600 600 86400 60
@ NS ns
@ MX 10 mail
@ TXT "v=spf1"
@ A 192.0.2.1
@ A 192.0.2.2
ns A 127.0.0.1
mail A 192.0.2.25
www CNAME example.com.
away CNAME elsewhere.example.net.
deep NS ns
`,
		"deep.example.com": "$TTL 77\n@ SOA ns.example.com. hostmaster 1 3600 600 86400 60\n@ NS ns.example.com.\n",
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(program, "-g", "-n", "1", "-c", filepath.Join(dir, "named.conf"))
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines, log := bufio.NewScanner(said), []string{}
	for lines.Scan() {
		if log = append(log, lines.Text()); strings.HasSuffix(lines.Text(), " running") {
			go func() {
				for lines.Scan() { // it would stop where nothing reads what it says
				}
			}()
			return address
		}
	}
	t.Fatalf("named does not start:\n%s", strings.Join(log, "\n"))
	return ""
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// Records at a real nameserver, by dynamic updates: beside others, at the zone itself and at a wildcard, in the closest zone (kubernetes-sigs/external-dns 2154
// and 1252 sent them to another one), and removed without a transfer of the zone (2194, 2416).
func TestUpdatesOfBIND(t *testing.T) {
	t.Parallel()
	address := named(t)
	open := func(s Settings) Records {
		t.Helper()
		s.Provider, s.Nameserver = RFC2136, address
		r, err := NewRecords(s, outbound.Guard{AllowPrivate: true}, "")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := open(Settings{Key: "hostler", Algorithm: "hmac-sha256", Secret: key})
	for name, want := range map[string]string{
		"example.com": "example.com", "www.example.com": "example.com", "away.example.com": "example.com", "*.example.com": "example.com",
		"a.b.example.com":  "example.com",
		"deep.example.com": "deep.example.com", "*.deep.example.com": "deep.example.com", "a.b.deep.example.com": "deep.example.com",
		"notdeep.example.com": "example.com",
	} {
		if z, err := r.Zone(t.Context(), name); err != nil || z.Name != want {
			t.Errorf("the zone of %s is %v, %v", name, z, err)
		}
	}
	if _, err := r.Zone(t.Context(), "www.example.org"); KindOf(err) != NoZone {
		t.Errorf("a name of no zone: %v", err)
	}
	zone, err := r.Zone(t.Context(), "example.com")
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) []string {
		t.Helper()
		list, err := r.At(t.Context(), zone, name)
		if err != nil {
			t.Fatal(err)
		}
		out := []string{}
		for _, rec := range list {
			out = append(out, fmt.Sprintf("%s %s %d", rec.Type, rec.Value, rec.TTL))
		}
		slices.Sort(out)
		return out
	}
	want := func(name string, lines ...string) {
		t.Helper()
		if diff := cmp.Diff(append([]string{}, lines...), at(name)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	want("example.com", "A 192.0.2.1 77", "A 192.0.2.2 77", "NS ns.example.com 77")
	want("www.example.com", "CNAME example.com 77")
	list, _ := r.At(t.Context(), zone, "example.com")
	changed, err := r.Change(t.Context(), zone, list[slices.IndexFunc(list, func(r Record) bool { return r.Value == "192.0.2.1" })], "192.0.2.3")
	if err != nil {
		t.Fatal(err)
	}
	want("example.com", "A 192.0.2.2 77", "A 192.0.2.3 77", "NS ns.example.com 77")
	made := []Record{}
	for _, rec := range []Record{
		{Name: "*.example.com", Type: AAAA, Value: "2001:db8::1"}, {Name: "*.example.com", Type: A, Value: "192.0.2.9"},
		{Name: "new.example.com", Type: A, Value: "192.0.2.9"},
		{Name: "example.com", Type: AAAA, Value: "2001:db8:0:0::1"}, {Name: "xn--bcher-kva.example.com", Type: A, Value: "192.0.2.9"},
	} {
		m, err := r.Create(t.Context(), zone, rec)
		if err != nil {
			t.Fatalf("create %v: %v", rec, err)
		}
		made = append(made, m)
	}
	want("*.example.com", "A 192.0.2.9 300", "AAAA 2001:db8::1 300")
	// What the server makes up from the wildcard is not there: it is neither kept nor in the way.
	want("anything.example.com")
	for _, value := range []string{"192.0.2.9", "192.0.2.10"} {
		beside, err := r.Create(t.Context(), zone, Record{Name: "anything.example.com", Type: A, Value: value})
		if err != nil {
			t.Fatal(err)
		}
		want("anything.example.com", "A "+value+" 300")
		if err := r.Delete(t.Context(), zone, beside); err != nil {
			t.Fatal(err)
		}
		want("anything.example.com")
	}
	// An address beside an alias: the server accepts the update and ignores it (RFC 2136 section 3.4.2.2), which is no success.
	for _, name := range []string{"www.example.com", "away.example.com"} {
		if _, err := r.Create(t.Context(), zone, Record{Name: name, Type: A, Value: "192.0.2.9"}); KindOf(err) != Invalid {
			t.Errorf("an address beside the alias %s: %v", name, err)
		}
	}
	want("www.example.com", "CNAME example.com 77")
	// An alias gives way to an address, and comes back.
	alias := Record{Name: "www.example.com", Type: CNAME, Value: "example.com", TTL: 77}
	if err := r.Delete(t.Context(), zone, alias); err != nil {
		t.Fatal(err)
	}
	address2, err := r.Create(t.Context(), zone, Record{Name: "www.example.com", Type: A, Value: "192.0.2.9"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Create(t.Context(), zone, alias); KindOf(err) != Invalid {
		t.Errorf("an alias beside an address: %v", err)
	}
	if err := r.Delete(t.Context(), zone, address2); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Create(t.Context(), zone, alias); err != nil {
		t.Fatal(err)
	}
	want("www.example.com", "CNAME example.com 77")
	for _, rec := range append(made, changed, changed) { // what is gone is no error
		if err := r.Delete(t.Context(), zone, rec); err != nil {
			t.Fatalf("delete %v: %v", rec, err)
		}
	}
	want("example.com", "A 192.0.2.2 77", "NS ns.example.com 77")
	want("*.example.com")
	want("new.example.com")
	// What others have in the zone is as it was.
	m := new(dns.Msg)
	m.SetQuestion("example.com.", dns.TypeMX)
	if answer, _, err := new(dns.Client).ExchangeContext(t.Context(), m, address); err != nil || len(answer.Answer) != 1 {
		t.Errorf("the mail server: %v, %v", answer, err)
	}

	for name, s := range map[string]Settings{
		"another secret":    {Key: "hostler", Algorithm: "hmac-sha256", Secret: "d3Jvbmd3cm9uZ3dyb25nd3Jvbmc="},
		"an unknown key":    {Key: "nobody", Algorithm: "hmac-sha256", Secret: key},
		"another algorithm": {Key: "hostler", Algorithm: "hmac-sha512", Secret: key},
	} {
		_, err := open(s).Zone(t.Context(), "example.com")
		if KindOf(err) != Refused || strings.Contains(err.Error(), s.Secret) {
			t.Errorf("with %s: %q %v", name, KindOf(err), err)
		}
	}
	narrow := open(Settings{Key: "narrow", Algorithm: "hmac-sha512", Secret: key})
	if _, err := narrow.Create(t.Context(), zone, Record{Name: "one.example.com", Type: A, Value: "192.0.2.9"}); err != nil {
		t.Errorf("the name that a key may change: %v", err)
	}
	if _, err := narrow.Create(t.Context(), zone, Record{Name: "two.example.com", Type: A, Value: "192.0.2.9"}); KindOf(err) != Refused {
		t.Errorf("a name that a key may not change: %q %v", KindOf(err), err)
	}
	away := open(Settings{Key: "hostler", Algorithm: "hmac-sha256", Secret: key}).(setRecords)
	away.sets = updateSets{&update{server: "127.0.0.1:1", key: "hostler.", algorithm: "hmac-sha256.", secret: key, guard: outbound.Guard{AllowPrivate: true}}}
	if _, err := away.Zone(t.Context(), "example.com"); KindOf(err) != Away {
		t.Errorf("a nameserver that is away: %q %v", KindOf(err), err)
	}
}

// The texts of dns-01 at a real nameserver: two at one name, and one of others that stays.
func TestTextsAtBIND(t *testing.T) {
	t.Parallel()
	address := named(t)
	u, err := New(Settings{Provider: RFC2136, Nameserver: address, Key: "hostler", Algorithm: "hmac-sha256", Secret: key}, outbound.Guard{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	const name = "_acme-challenge.www.example.com"
	texts := func() int {
		m := new(dns.Msg)
		m.SetQuestion(dns.Fqdn(name), dns.TypeTXT)
		answer, _, err := new(dns.Client).ExchangeContext(t.Context(), m, address)
		if err != nil {
			t.Fatal(err)
		}
		return len(answer.Answer)
	}
	for i, authorization := range []string{"a.b", "c.d"} {
		if err := u.Present(t.Context(), name, authorization); err != nil || texts() != i+1 {
			t.Errorf("after %d there are %d, %v", i+1, texts(), err)
		}
	}
	for i, authorization := range []string{"a.b", "c.d"} {
		if err := u.Remove(t.Context(), name, authorization); err != nil || texts() != 1-i {
			t.Errorf("after %d are removed there are %d, %v", i+1, texts(), err)
		}
	}
}
