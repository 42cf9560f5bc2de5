package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// A server with ufw is not set up until the user decides whose rules count; then ufw's rules are the server's own, and ufw is disabled.
func TestFirewallIsTakenOver(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image), hosts.Fresh())
	p := panel.Start(t, bed)
	h := bed.Host(1)
	h.Exec(t, "sh", "-ec",
		"ufw limit 22/tcp; ufw allow 8080; ufw deny from 192.0.2.0/24 to any port 8080; ufw insert 1 deny from 198.51.100.7; ufw --force enable")

	s := p.Add(t, h, "cache")
	a, _ := p.Until(t, 3*time.Minute, s.Path(""), "refused", func(a panel.Answer) bool { return a.Data.Operation().State == "failed" })
	if reason := a.Data.Operation().Reason; !strings.Contains(reason, "Ufw is active") || !strings.Contains(reason, "take_over") {
		t.Errorf("the reason is %q", reason)
	}
	p.Want(t, http.StatusOK, http.MethodPut, s.Path(""), map[string]any{"take_over": true})
	p.Retry(t, s, a.Data.Operation())
	a, _ = p.Until(t, 3*time.Minute, s.Path(""), "refused again", func(a panel.Answer) bool { return a.Data.Operation().State == "failed" })
	if reason := a.Data.Operation().Reason; !strings.Contains(reason, "denies stand above allows") {
		t.Errorf("the reason is %q", reason)
	}
	if out := h.Exec(t, "ufw", "status"); !strings.Contains(out, "Status: active") {
		t.Errorf("ufw is %s", out)
	}

	h.Exec(t, "sh", "-ec", "ufw delete deny from 192.0.2.0/24 to any port 8080; ufw insert 1 deny from 192.0.2.0/24 to any port 8080")
	p.Retry(t, s, a.Data.Operation())
	p.Ready(t, s)
	var rules []string
	for _, r := range p.Want(t, http.StatusOK, http.MethodGet, s.Path("/firewall-rules"), nil).List {
		rules = append(rules, strings.Join([]string{r.Text("type"), r.Text("port"), r.Text("ip_address"), r.Text("status")}, " "))
	}
	want := []string{"deny 8080 192.0.2.0/24 installed", "deny  198.51.100.7 installed", "allow 22  installed", "allow 8080  installed"}
	if slices.Sort(want); !slices.Equal(slices.Sorted(slices.Values(rules)), want) {
		t.Errorf("the rules are %q", rules)
	}
	if out := h.Exec(t, "ufw", "status"); !strings.Contains(out, "Status: inactive") {
		t.Errorf("ufw is %s", out)
	}
	if out := h.Exec(t, "sh", "-c", "nft list table inet hostler; iptables -S 2>&1 | grep -c ufw; true"); !strings.Contains(out,
		"dport 8080 accept") || strings.Contains(out, "dport 80 ") || strings.Contains(out, "dport 443") {
		t.Errorf("the rules on the host are\n%s", out)
	}
}
