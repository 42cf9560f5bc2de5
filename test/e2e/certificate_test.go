package e2e_test

import (
	"crypto/x509"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/pebble"
)

// Certificates are issued, served and renewed on a web server and on a load balancer; failures change nothing and are explained.
func TestCertificates(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image))
	ca := &authority{pebble.Start(t, pebble.Config{})}
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--acme-directory", ca.Directory, "--acme-ca-file", ca.Roots, "--nameserver", ca.DNS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	w := &World{Panel: p, Bed: bed, Servers: []panel.Server{p.Add(t, bed.Host(1), "web"), p.Add(t, bed.Host(2), "loadbalancer")}}
	p.Ready(t, w.Servers...)
	web, lb := w.Server(1), w.Server(2)

	r := site(t, w, web, map[string]any{"name": "shop.example.com", "type": "static-html"})
	at := web.Path("/sites/" + r.ID)
	primary := w.first(t, at+"/domains")

	t.Run("redirects and security rules are served", func(t *testing.T) { w.rules(t, ca, web, at) })

	t.Run("http-01", func(t *testing.T) {
		ca.Leads(t, "shop.example.com", web.Host.IP)
		ca.Leads(t, "www.shop.example.com", web.Host.IP) // which it answers to later
		w.issued(t, web, primary)
		res, leaf := ca.get(t, web.Host, "https", "shop.example.com", "/")
		if res.StatusCode != 200 || leaf.VerifyHostname("shop.example.com") != nil {
			t.Errorf("HTTPS answers %d with a certificate for %v", res.StatusCode, leaf.DNSNames)
		}
		if res, _ := ca.get(t, web.Host, "http", "shop.example.com", "/x"); res.StatusCode != 301 || res.Header.Get("Location") != "https://shop.example.com/x" {
			t.Errorf("plain HTTP answers %d %s", res.StatusCode, res.Header.Get("Location"))
		}
		if out := web.Host.Exec(t, "find", "/var/lib/hostler/acme-challenge", "-type", "f"); strings.TrimSpace(out) != "" {
			t.Errorf("challenges are left: %s", out)
		}
	})

	t.Run("a configuration that a user writes", func(t *testing.T) { w.configuration(t, ca, web, primary) })

	t.Run("a domain that leads elsewhere", func(t *testing.T) {
		alias := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/domains", map[string]any{
			"name": "away.example.com", "www_redirect_type": "none", "allow_wildcard_subdomains": false,
		}).Data
		if got := w.Settled(t, time.Minute, at+"/domains/"+alias.ID); got.Text("status") != "enabled" {
			t.Fatalf("the domain is %s: %+v", got.Text("status"), got.Operation())
		}
		c := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/domains/"+alias.ID+"/certificates", map[string]any{"type": "letsencrypt"}).Data
		got := w.Settled(t, 2*time.Minute, at+"/domains/"+alias.ID+"/certificates/"+c.ID)
		if got.Text("status") != "failed" || got.Attributes["active"] != false || !strings.Contains(got.Operation().Reason, "away.example.com") {
			t.Errorf("the certificate is %s: %+v", got.Text("status"), got.Operation())
		}
		t.Logf("the reason: %s", got.Operation().Reason)
		if res, _ := ca.get(t, web.Host, "http", "away.example.com", "/"); res.StatusCode != 200 {
			t.Errorf("the domain answers %d", res.StatusCode)
		}
	})

	t.Run("asked for together with its domain", func(t *testing.T) {
		ca.Leads(t, "soon.example.com", web.Host.IP)
		alias := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/domains", map[string]any{
			"name": "soon.example.com", "www_redirect_type": "none", "allow_wildcard_subdomains": false,
		}).Data
		c := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/domains/"+alias.ID+"/certificates", map[string]any{"type": "letsencrypt"}).Data
		got := w.Settled(t, 2*time.Minute, at+"/domains/"+alias.ID+"/certificates/"+c.ID)
		if _, leaf := ca.get(t, web.Host, "https", "soon.example.com", "/"); got.Text("status") != "installed" || leaf.VerifyHostname("soon.example.com") != nil {
			t.Errorf("the certificate is %s, %+v, and is for %v", got.Text("status"), got.Operation(), leaf.DNSNames)
		}
	})

	t.Run("renewal", func(t *testing.T) {
		_, before := ca.get(t, web.Host, "https", "shop.example.com", "/")
		w.renew(t)
		w.Until(t, time.Minute, primary+"/certificates/active", "renewed", func(a panel.Answer) bool {
			_, now := ca.get(t, web.Host, "https", "shop.example.com", "/")
			return a.Data.Text("status") == "installed" && now.SerialNumber.Cmp(before.SerialNumber) != 0
		})
	})

	t.Run("on a load balancer", func(t *testing.T) {
		b := site(t, w, lb, map[string]any{"domain": "balanced.example.com", "balancing": []any{map[string]any{"server_id": number(web.ID)}}})
		ca.Leads(t, "balanced.example.com", lb.Host.IP)
		w.issued(t, lb, w.first(t, lb.Path("/sites/"+b.ID)+"/domains"))
		if _, leaf := ca.get(t, lb.Host, "https", "balanced.example.com", "/"); leaf.VerifyHostname("balanced.example.com") != nil {
			t.Errorf("the balancer's certificate is for %v", leaf.DNSNames)
		}
	})

	t.Run("brought along, signed elsewhere, cloned", func(t *testing.T) { w.kinds(t) })

	t.Run("renewal as the authority wants it", func(t *testing.T) { w.advised(t, ca, web, primary) })

	t.Run("a renewal that fails", func(t *testing.T) {
		_, before := ca.get(t, web.Host, "https", "shop.example.com", "/")
		root := ca.Trusted(t)
		ca.Down()
		if reason := w.notRenewedOf(t, root, web, primary, before); !strings.Contains(reason, "The authority can't be reached") {
			t.Errorf("the reason is %s", reason)
		}
		// The authority is back, and has forgotten us and all that it issued.
		ca.Up(t)
		w.renewed(t, ca, web, primary, before)
	})

	t.Run("a renewal of which one name leads elsewhere", func(t *testing.T) {
		_, before := ca.get(t, web.Host, "https", "shop.example.com", "/")
		if err := before.VerifyHostname("www.shop.example.com"); err != nil {
			t.Fatalf("www is not among the names: %v", err)
		}
		ca.Leads(t, "www.shop.example.com", lb.Host.IP)
		reason := w.notRenewed(t, ca, web, primary, before)
		for _, want := range []string{"could not verify www.shop.example.com", "leads www.shop.example.com to " + lb.Host.IP, "this server is " + web.Host.IP} {
			if !strings.Contains(reason, want) {
				t.Errorf("the reason does not say %q: %s", want, reason)
			}
		}
		ca.Leads(t, "www.shop.example.com", web.Host.IP)
		w.renewed(t, ca, web, primary, before)
	})

	t.Run("an order that the authority takes back", func(t *testing.T) {
		var revoke atomic.Pointer[string] // where the authority's mind changes
		_, before := ca.get(t, web.Host, "https", "shop.example.com", "/")
		root := ca.Trusted(t)
		ca.Down()
		ca.UpBehind(t, func(path string, document map[string]any) {
			switch at := revoke.Load(); {
			case at == nil || !strings.HasPrefix(path, *at):
			case *at == "/authZ/" && document["status"] == "valid":
				document["status"] = "revoked"
			case *at == "/finalize-order/" && document["status"] != nil:
				document["status"] = "invalid"
				delete(document, "certificate")
			}
		})
		for _, at := range []string{"/authZ/", "/finalize-order/"} {
			revoke.Store(&at)
			if reason := w.notRenewedOf(t, root, web, primary, before); !strings.Contains(reason, "The authority withdrew the order") {
				t.Errorf("%s: the reason is %s", at, reason)
			}
		}
		revoke.Store(nil)
		w.renewed(t, ca, web, primary, before)
	})

	t.Run("an account that the authority closed", func(t *testing.T) {
		_, before := ca.get(t, web.Host, "https", "shop.example.com", "/")
		var asked atomic.Bool // for the account
		root := ca.Trusted(t)
		ca.Down()
		w.notRenewedOf(t, root, web, primary, before)
		ca.UpBehind(t, func(path string, document map[string]any) {
			switch {
			case path == "/order-plz" && !asked.Load():
				clear(document)
				document["type"], document["status"] = "urn:ietf:params:acme:error:unauthorized", http.StatusForbidden
				document["detail"] = `Account is not valid, has status "deactivated"`
			case path == "/sign-me-up" && !asked.Swap(true):
				document["status"] = "deactivated"
			}
		})
		had := w.Rows(t, "SELECT location FROM organization_acme_accounts")
		w.renewed(t, ca, web, primary, before)
		if now := w.Rows(t, "SELECT location FROM organization_acme_accounts"); !asked.Load() || len(now) != 1 || now[0][0] == had[0][0] {
			t.Errorf("the accounts were %v and are %v", had, now)
		}
	})

	t.Run("another account, which did not order what is renewed", func(t *testing.T) {
		_, before := ca.get(t, web.Host, "https", "shop.example.com", "/")
		w.SQL(t, "DELETE FROM organization_acme_accounts")
		w.renewed(t, ca, web, primary, before)
		if n := w.Count(t, "SELECT COUNT(*) FROM organization_acme_accounts"); n != 1 {
			t.Errorf("there are %d accounts", n)
		}
	})
}

// renewed renews all, and returns when a domain is served with another certificate than before.
func (w *World) renewed(t *testing.T, ca *authority, s panel.Server, domain string, before *x509.Certificate) {
	t.Helper()
	w.renew(t)
	w.Until(t, 2*time.Minute, domain+"/certificates/active", "renewed", func(a panel.Answer) bool {
		if a.Data.Operation().State != "succeeded" || a.Data.Text("status") != "installed" {
			return false
		}
		_, now := ca.get(t, s.Host, "https", "shop.example.com", "/")
		return now.SerialNumber.Cmp(before.SerialNumber) != 0
	})
}

// notRenewed makes renewals fail with a reason; the old certificate must still be served.
func (w *World) notRenewed(t *testing.T, ca *authority, s panel.Server, domain string, before *x509.Certificate) string {
	t.Helper()
	return w.notRenewedOf(t, ca.Trusted(t), s, domain, before)
}

// notRenewedOf returns notRenewed with the roots that the certificate from before is of.
func (w *World) notRenewedOf(t *testing.T, roots *x509.CertPool, s panel.Server, domain string, before *x509.Certificate) string {
	t.Helper()
	had := w.Want(t, http.StatusOK, http.MethodGet, domain+"/certificates/active", nil).Data.Operation().ID
	w.renew(t)
	a, _ := w.Until(t, 5*time.Minute, domain+"/certificates/active", "failed", func(a panel.Answer) bool {
		return a.Data.Operation().ID != had && a.Data.Operation().State == "failed"
	})
	if a.Data.Text("status") != "installed" || a.Data.Attributes["active"] != true || about(t, a).Failure != a.Data.Operation().Reason {
		t.Errorf("the certificate is %v, its failure %q", a.Data.Attributes, about(t, a).Failure)
	}
	t.Logf("the reason: %s", a.Data.Operation().Reason)
	if _, now := visit(t, s.Host, roots, "https", "shop.example.com", "/"); now.SerialNumber.Cmp(before.SerialNumber) != 0 {
		t.Error("another certificate is served")
	}
	return a.Data.Operation().Reason
}

// first returns the path of the first of a list.
func (w *World) first(t *testing.T, path string) string {
	t.Helper()
	a := w.Want(t, http.StatusOK, http.MethodGet, path, nil)
	var list struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(a.Body), &list); err != nil || len(list.Data) == 0 {
		t.Fatalf("%s is %s", path, a.Body)
	}
	return path + "/" + list.Data[0].ID
}

func (w *World) issued(t *testing.T, s panel.Server, domain string) {
	t.Helper()
	began := time.Now()
	c := w.Want(t, http.StatusAccepted, http.MethodPost, domain+"/certificates", map[string]any{"type": "letsencrypt"}).Data
	a, _ := w.Until(t, 2*time.Minute, domain+"/certificates/"+c.ID, "installed", func(a panel.Answer) bool {
		return a.Data.Text("status") == "installed" || a.Data.Text("status") == "failed" || a.Data.Operation().State == "failed"
	})
	if a.Data.Text("status") != "installed" || a.Data.Attributes["active"] != true {
		t.Fatalf("the certificate is %v: %+v\n%s", a.Data.Attributes, a.Data.Operation(), w.Output(t, s, a.Data.Operation().EventID))
	}
	t.Logf("issued and served after %v", time.Since(began))
}

// renew makes every renewal due, and the panel look for them.
func (w *World) renew(t *testing.T) {
	t.Helper()
	w.SQL(t, "UPDATE certificates SET renew_at = 1 WHERE renew_at IS NOT NULL")
	w.look(t)
}

// rules tries the rules of a site from outside, one that nginx refuses among them.
func (w *World) rules(t *testing.T, ca *authority, s panel.Server, at string) {
	t.Helper()
	redirect := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/redirect-rules", map[string]any{"from": "^/old$", "to": "/new", "type": "permanent"}).Data
	if got := w.Settled(t, time.Minute, at+"/redirect-rules/"+redirect.ID); got.Text("status") != "installed" {
		t.Fatalf("the redirect is %s: %+v\n%s", got.Text("status"), got.Operation(), w.Output(t, s, got.Operation().EventID))
	}
	if res, _ := ca.get(t, s.Host, "http", "shop.example.com", "/old"); res.StatusCode != 301 || !strings.HasSuffix(res.Header.Get("Location"), "/new") {
		t.Errorf("the redirect answers %d %s", res.StatusCode, res.Header.Get("Location"))
	}
	bad := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/redirect-rules", map[string]any{"from": "^/(?<=a+)b$", "to": "/c", "type": "redirect"}).Data
	w.Gone(t, time.Minute, at+"/redirect-rules/"+bad.ID)
	t.Logf("a redirect that nginx refuses: %s", w.Output(t, s, bad.Operation().EventID))
	rule := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/security-rules", map[string]any{
		"name": "Admins", "path": "/admin", "credentials": []any{map[string]any{"username": "anna", "password": "geheim"}},
	}).Data
	if got := w.Settled(t, time.Minute, at+"/security-rules/"+rule.ID); got.Text("status") != "installed" {
		t.Fatalf("the security rule is %s: %+v\n%s", got.Text("status"), got.Operation(), w.Output(t, s, got.Operation().EventID))
	}
	for path, want := range map[string]int{
		"http://shop.example.com/admin/x":             401,
		"http://anna:wrong@shop.example.com/admin/x":  401,
		"http://anna:geheim@shop.example.com/admin/x": 404,
		"http://shop.example.com/":                    200,
	} {
		rest := strings.TrimPrefix(path, "http://")
		name, tail, _ := strings.Cut(rest, "/")
		if res, _ := ca.get(t, s.Host, "http", name, "/"+tail); res.StatusCode != want {
			t.Errorf("%s answers %d, want %d", path, res.StatusCode, want)
		}
	}
	w.Want(t, http.StatusAccepted, http.MethodDelete, at+"/security-rules/"+rule.ID, nil)
	w.Gone(t, time.Minute, at+"/security-rules/"+rule.ID)
	if res, _ := ca.get(t, s.Host, "http", "shop.example.com", "/admin/x"); res.StatusCode != 404 {
		t.Errorf("without the rule /admin answers %d", res.StatusCode)
	}
}

// configuration writes the file of a domain: one that works, one that nginx refuses, and one while it was changed manually.
func (w *World) configuration(t *testing.T, ca *authority, s panel.Server, domain string) {
	t.Helper()
	const header = "X-Own"
	ours := w.Get(t, domain+"/nginx").Text("content")
	put := func(text string) panel.Resource {
		w.Want(t, http.StatusAccepted, http.MethodPut, domain+"/nginx", map[string]any{"config": text})
		return w.Settled(t, time.Minute, domain)
	}
	with := func(line string) string {
		return strings.Replace(ours, "    include /etc/nginx/hostler-conf/", line+"\n    include /etc/nginx/hostler-conf/", 1)
	}
	served := func() string {
		res, _ := ca.get(t, s.Host, "https", "shop.example.com", "/")
		return res.Header.Get(header)
	}
	if got := put(with("    add_header X-Own one;")); got.Operation().State != "succeeded" || served() != "one" {
		t.Fatalf("a good configuration: %+v, the header is %q", got.Operation(), served())
	}
	if got := put(with("    add_header X-Own two; send_timeout nonsense;")); got.Operation().State != "failed" ||
		got.Text("status") != "enabled" || !strings.Contains(got.Operation().Reason, "send_timeout") || served() != "one" {
		t.Errorf("a bad configuration: %s %+v, the header is %q", got.Text("status"), got.Operation(), served())
	}
	if got := w.Get(t, domain+"/nginx").Text("content"); !strings.Contains(got, "X-Own one") || strings.Contains(got, "nonsense") {
		t.Errorf("after the bad one the configuration is\n%s", got)
	}
	// What changes in ours goes into theirs.
	w.Want(t, http.StatusOK, http.MethodPatch, domain, map[string]any{"www_redirect_type": "from-www"})
	if got := w.Settled(t, time.Minute, domain); got.Operation().State != "succeeded" || served() != "one" {
		t.Errorf("a new policy: %+v, the header is %q", got.Operation(), served())
	}
	if res, _ := ca.get(t, s.Host, "http", "www.shop.example.com", "/"); res.StatusCode != 301 {
		t.Errorf("www answers %d", res.StatusCode)
	}
	file := strings.TrimSpace(s.Host.Exec(t, "grep", "-rl", "X-Own", "/etc/nginx/conf.d"))
	before := s.Host.Exec(t, "cat", file)
	s.Host.WriteFile(t, file, []byte(before+"# by hand\n"), 0o644)
	a := w.Want(t, http.StatusOK, http.MethodGet, domain+"/nginx?drift=true", nil)
	if !strings.Contains(a.Body, "# by hand") {
		t.Errorf("the change by hand is not shown: %s", a.Body)
	}
	if got := put(with("    add_header X-Own three;")); got.Operation().State != "failed" || !strings.Contains(s.Host.Exec(t, "cat", file), "# by hand") {
		t.Errorf("over a change by hand: %+v", got.Operation())
	}
	s.Host.WriteFile(t, file, []byte(before), 0o644)
	if got := put(""); got.Operation().State != "succeeded" || served() != "" {
		t.Errorf("ours again: %+v, the header is %q", got.Operation(), served())
	}
}
