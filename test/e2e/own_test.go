package e2e_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/pebble"
)

// The package on a machine that Hostler then manages as well, by the documented steps: reached over SSH at first, and in the end as a site of that machine,
// with a certificate of its own. Its port and its site survive changes, and a reboot.
func TestPanelOnItsOwnServer(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Up(t, 1, hosts.Image(panel.Image))
	h := bed.Host(1)
	i := &packaged{
		host: h, ca: pebble.Start(t, pebble.Config{Listen: bed.Gateway}), docs: steps(t, "../../docs/install.md"),
		releases: newReleases(t, bed.Gateway),
	}
	i.ca.Leads(t, panelName, h.IP)
	bringPackage(t, h, i.releases.build(t, "v1.0.0"), "1.0.0")
	t.Cleanup(func() {
		if t.Failed() {
			out, _ := h.TryExec("journalctl", "--no-pager", "-n", "60", "-u", "hostler")
			t.Logf("the panel's journal:\n%s", out)
		}
	})
	i.step(t, "The Debian package", "apt-get install")
	h.WriteFile(t, "/etc/hostler/pebble.pem", read(t, i.ca.Roots), 0o644)
	h.Exec(t, "sh", "-ec",
		"printf '%s\n' 'acme-directory: "+i.ca.Directory+"' 'acme-ca-file: /etc/hostler/pebble.pem' >>/etc/hostler/hostler.yml; systemctl restart hostler")
	h.Exec(t, "sh", "-c", "echo correct horse battery staple | runuser -u hostler-panel -- hostler user create --email me@example.com --password-stdin")
	h.Exec(t, "runuser", "-u", "hostler-panel", "--", "hostler", "org", "create", panel.Org, "--owner", "me@example.com")
	token := strings.TrimSpace(i.step(t, "The Debian package", "token create"))

	tunnel := h.Dial(t)
	w := &World{Bed: bed, Panel: panel.Elsewhere("http://127.0.0.1:8080", token, &http.Client{
		Timeout: 20 * time.Second,
		Transport: &http.Transport{DialContext: func(_ context.Context, network, address string) (net.Conn, error) {
			return tunnel.Dial(network, address)
		}},
	})}
	s := w.Add(t, h, "web")
	w.Servers = []panel.Server{s}
	w.Ready(t, s)
	_ = site(t, w, s, map[string]any{"name": "shop.example.com", "type": "php"})
	own := site(t, w, s, map[string]any{"name": panelName, "type": "static-html"})
	domain := w.first(t, s.Path("/sites/"+own.ID)+"/domains")
	w.issued(t, s, domain)
	text := w.Get(t, domain+"/nginx").Text("content")
	block := strings.TrimSpace(i.block(t, "TLS", "proxy_pass"))
	served := regexp.MustCompile(`(?s)location / \{[^}]*\}`).ReplaceAllLiteralString(text, block)
	if served == text {
		t.Fatalf("the site's configuration has no location /:\n%s", text)
	}
	w.Want(t, http.StatusAccepted, http.MethodPut, domain+"/nginx/root", map[string]any{"config": served})
	if got := w.Settled(t, time.Minute, domain); got.Operation().State != "succeeded" {
		t.Fatalf("the configuration with the proxy: %+v", got.Operation())
	}

	var settings strings.Builder // the block belongs to an item of a list
	for line := range strings.Lines(i.block(t, "On a server that Hostler also manages", "trusted-proxy")) {
		settings.WriteString(strings.TrimSpace(line) + "\n")
	}
	h.WriteFile(t, "/root/proxy", []byte(settings.String()), 0o600)
	h.Exec(t, "sh", "-ec", "cat /root/proxy >>/etc/hostler/hostler.yml; systemctl restart hostler")
	w.Panel = panel.Elsewhere("https://"+panelName, token, &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{RootCAs: i.ca.Trusted(t)},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(h.IP, port))
		},
	}})
	answers := func(within time.Duration) {
		t.Helper()
		hosts.Eventually(t, within, "the panel answers as a site", func() error {
			a, err := w.Do(http.MethodGet, "/servers", nil)
			if err == nil && a.Code != http.StatusOK {
				err = fmt.Errorf("%d %s", a.Code, a.Body)
			}
			return err
		})
	}
	answers(time.Minute)
	res, _ := visit(t, h, i.ca.Trusted(t), "https", panelName, "/metrics")
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("metrics are answered with %s to anyone who asks the site", res.Status)
	}

	// Changes of the server, of its sites and of its firewall are made by the panel that stands behind them.
	r := allow(t, w, s, map[string]any{"name": "by the panel beside", "port": "8123", "type": "allow"})
	removeRule(t, w, s, r)
	removeSite(t, w, s, site(t, w, s, map[string]any{"name": "later.example.com", "type": "php"}))
	if d := drift(t, w, s); len(d) > 0 {
		t.Errorf("the server differs: %v", d)
	}
	h.Reboot(t)
	answers(2 * time.Minute)
	wantSite(t, h)
	r = allow(t, w, s, map[string]any{"name": "after a reboot", "port": "8124", "type": "allow"})
	removeRule(t, w, s, r)
	if out := h.Exec(t, "runuser", "-u", "hostler-panel", "--", "hostler", "doctor"); strings.Contains(out, "FAIL") {
		t.Errorf("the doctor finds:\n%s", out)
	}
}
