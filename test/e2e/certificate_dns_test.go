package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/pebble"
)

// nameserver is a BIND that both the panel and the authority use.
type nameserver struct{ *hosts.Host }

const (
	dnsImage   = "e2e-dns"
	updateKey  = "c2VjcmV0LW9mLXRoZS1jaGFsbGVuZ2Utem9uZQ=="
	anotherKey = "YW5vdGhlci1zZWNyZXQtdGhhdC1pcy13cm9uZw=="
)

func newNameserver(t *testing.T, h *hosts.Host) *nameserver {
	t.Helper()
	n := &nameserver{h}
	zone := func(name, policy string) string {
		h.WriteFile(t, "/var/lib/bind/"+name,
			[]byte(fmt.Sprintf("$TTL 1\n@ IN SOA ns.%s. hostmaster.%s. 1 3600 600 86400 1\n@ IN NS ns.%s.\nns IN A %s\n", name, name, name, h.IP)), 0o644)
		return fmt.Sprintf("zone %q { type primary; file %q; update-policy { %s }; };\n", name, "/var/lib/bind/"+name, policy)
	}
	config := fmt.Sprintf("key \"hostler\" { algorithm hmac-sha256; secret %q; };\nkey \"test\" { algorithm hmac-sha256; secret %q; };\n", updateKey, anotherKey) +
		`options { directory "/var/cache/bind"; recursion yes; allow-recursion { any; }; allow-query { any; }; listen-on { any; }; listen-on-v6 { ` +
		`none; }; dnssec-validation no; empty-zones-enable no; };` + "\n" +
		zone("example.com", "grant test zonesub ANY;") + zone("acme.example.net", "grant hostler zonesub TXT;") + zone("own.example.org",
		"grant hostler zonesub TXT; grant test zonesub ANY;")
	h.WriteFile(t, "/etc/bind/named.conf", []byte(config), 0o644)
	h.Exec(t, "sh", "-c", "chown -R bind:bind /var/lib/bind && named-checkconf -z && systemctl restart named")
	return n
}

func (n *nameserver) address() string { return n.IP + ":53" }

// set writes records of a zone: "add shop.example.com. 1 A 192.0.2.1".
func (n *nameserver) set(t *testing.T, zone string, lines ...string) {
	t.Helper()
	n.Exec(t, "sh", "-c", fmt.Sprintf("printf 'server 127.0.0.1\nzone %s\nupdate %s\nsend\n' | nsupdate -y hmac-sha256:test:%s",
		zone, strings.Join(lines, "\nupdate "), anotherKey))
}

// texts returns what TXT records of a zone say.
func (n *nameserver) texts(t *testing.T, zone string) string {
	t.Helper()
	return strings.TrimSpace(n.Exec(t, "sh", "-c", "rndc sync "+zone+" && grep TXT /var/lib/bind/"+zone+" || true"))
}

// records returns what a domain needs, and whether the DNS shows it.
func (w *World) records(t *testing.T, domain string) (missing []string, alias string) {
	t.Helper()
	var doc struct {
		Data []struct {
			Attributes struct{ Type, Name, Value string }
			Meta       struct{ Record struct{ Seen bool } }
		}
	}
	if err := json.Unmarshal([]byte(w.Want(t, http.StatusOK, http.MethodGet, domain+"/configurations", nil).Body), &doc); err != nil {
		t.Fatal(err)
	}
	for _, r := range doc.Data {
		if r.Attributes.Type == "CNAME" {
			alias = r.Attributes.Value
		}
		if !r.Meta.Record.Seen {
			missing = append(missing, r.Attributes.Type+" "+r.Attributes.Name)
		}
	}
	return missing, alias
}

// order asks for a certificate and returns it as its issuing ended.
func (w *World) order(t *testing.T, domain string, how map[string]any) panel.Answer {
	t.Helper()
	c := w.Want(t, http.StatusAccepted, http.MethodPost, domain+"/certificates", map[string]any{"type": "letsencrypt", "letsencrypt": how}).Data
	a, _ := w.Until(t, 5*time.Minute, domain+"/certificates/"+c.ID, "issued or failed", func(a panel.Answer) bool {
		return a.Data.Text("status") == "installed" && a.Data.Attributes["active"] == true || a.Data.Text("status") == "failed" ||
			a.Data.Operation().State == "failed"
	})
	return a
}

// Wildcards are proven through a real nameserver: where one CNAME delegates to, and through a provider of the organization's.
func TestCertificatesThroughDNS(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	if err := practice.BuildImage(ctx, logTo{t}, dnsImage, "base", "bind9", "bind9-dnsutils"); err != nil {
		t.Fatal(err)
	}
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image, dnsImage), hosts.Fresh())
	ns := newNameserver(t, bed.Host(2))
	ca := &authority{pebble.Start(t, pebble.Config{Nameserver: ns.address()})}
	zone := map[string]string{"provider": "rfc2136", "nameserver": ns.IP, "key": "hostler", "algorithm": "hmac-sha256", "secret": updateKey}
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--acme-directory", ca.Directory, "--acme-ca-file", ca.Roots, "--nameserver", ns.address(),
		"--challenge-zone", "acme.example.net", "--challenge-dns-file", writeFile(t, "dns.json", zone))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	w := &World{Panel: p, Bed: bed, Servers: []panel.Server{p.Add(t, bed.Host(1), "web")}}
	p.Ready(t, w.Servers...)
	web := w.Server(1)

	r := site(t, w, web, map[string]any{"name": "wild.example.com", "type": "static-html", "allow_wildcard_subdomains": true})
	domain := w.first(t, web.Path("/sites/"+r.ID)+"/domains")
	missing, alias := w.records(t, domain)
	if len(missing) < 3 || !strings.HasSuffix(alias, ".acme.example.net") {
		t.Errorf("before anything is set, missing is %v, the alias leads to %s", missing, alias)
	}
	a := w.order(t, domain, nil)
	if reason := a.Data.Operation().Reason; a.Data.Text("status") != "failed" ||
		!strings.Contains(reason, "_acme-challenge.wild.example.com") || !strings.Contains(reason, alias) {
		t.Errorf("without the alias the certificate is %s: %s", a.Data.Text("status"), reason)
	}
	t.Logf("without the alias: %s", a.Data.Operation().Reason)

	ns.set(t, "example.com", "add wild.example.com. 1 A "+web.Host.IP, "add *.wild.example.com. 1 A "+web.Host.IP,
		"add www.wild.example.com. 1 A "+web.Host.IP, "add _acme-challenge.wild.example.com. 1 CNAME "+alias+".")
	w.Until(t, time.Minute, domain+"/configurations", "shown by the DNS", func(panel.Answer) bool { missing, _ = w.records(t, domain); return len(missing) == 0 })
	began := time.Now()
	if a = w.order(t, domain, nil); a.Data.Text("status") != "installed" {
		t.Fatalf("the certificate is %s: %+v\n%s", a.Data.Text("status"), a.Data.Operation(), w.Output(t, web, a.Data.Operation().EventID))
	}
	t.Logf("a wildcard was issued and served after %v", time.Since(began))
	served := func(name string) string {
		t.Helper()
		res, leaf := ca.get(t, web.Host, "https", name, "/")
		if res.StatusCode != http.StatusOK {
			t.Errorf("https://%s answers %d", name, res.StatusCode)
		}
		return leaf.SerialNumber.String()
	}
	first := served("wild.example.com")
	if served("any.wild.example.com") != first {
		t.Error("below the wildcard another certificate is served")
	}
	if left := ns.texts(t, "acme.example.net"); left != "" {
		t.Errorf("texts are left in the zone: %s", left)
	}
	w.renew(t)
	w.Until(t, 2*time.Minute, domain+"/certificates/active", "renewed", func(a panel.Answer) bool {
		return a.Data.Text("status") == "installed" && served("any.wild.example.com") != first
	})

	t.Run("a provider of the organization's", func(t *testing.T) {
		r := site(t, w, web, map[string]any{"name": "own.example.org", "type": "static-html", "allow_wildcard_subdomains": true})
		domain := w.first(t, web.Path("/sites/"+r.ID)+"/domains")
		provider := map[string]any{"name": "BIND", "provider": "rfc2136", "nameserver": ns.IP, "key": "hostler", "secret": anotherKey}
		id := w.Want(t, http.StatusCreated, http.MethodPost, "/dns-providers", provider).Data.ID
		a := w.order(t, domain, map[string]any{"dns_provider_id": number(id)})
		if a.Data.Text("status") != "failed" || !strings.Contains(a.Data.Operation().Reason, ns.IP) || strings.Contains(a.Data.Operation().Reason, anotherKey) {
			t.Errorf("with a wrong key the certificate is %s: %+v", a.Data.Text("status"), a.Data.Operation())
		}
		t.Logf("with a wrong key: %s", a.Data.Operation().Reason)
		w.Want(t, http.StatusOK, http.MethodPut, "/dns-providers/"+id, map[string]any{"secret": updateKey})
		if a = w.order(t, domain, map[string]any{"dns_provider_id": number(id)}); a.Data.Text("status") != "installed" {
			t.Fatalf("the certificate is %s: %+v", a.Data.Text("status"), a.Data.Operation())
		}
		served("deep.own.example.org")
		w.Want(t, http.StatusConflict, http.MethodDelete, "/dns-providers/"+id, nil)
		if left := ns.texts(t, "own.example.org"); left != "" {
			t.Errorf("texts are left in the zone: %s", left)
		}
	})
}
