package e2e_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// A server that is ordered boots with its user data, calls and is set up; its provider switches it off and on, and destroys it. The providers are
// stand-ins whose servers are practice hosts: of one that refuses a second server of a name, and of one that does not.
func TestOrderedServer(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	for _, provider := range []string{cloud.Hetzner, cloud.DigitalOcean} {
		t.Run(provider, func(t *testing.T) { orderedServer(t, provider) })
	}
}

func orderedServer(t *testing.T, provider string) {
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image), hosts.Fresh())
	h := bed.Host(1)
	fake := cloudtest.New(provider)
	t.Cleanup(fake.Close)
	destroyed := make(chan string, 10)
	fake.Boot = func(m cloudtest.Machine) string {
		h.WriteFile(t, "/root/first-boot", []byte(m.UserData), 0o700)
		h.Exec(t, "systemd-run", "--no-block", "--unit=first-boot", "/root/first-boot")
		return h.IP
	}
	fake.Gone = func(m cloudtest.Machine) { destroyed <- m.ID }
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--cloud-endpoint", provider+"="+fake.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})

	const token = "token-of-the-account"
	account, err := strconv.Atoi(p.Want(t, http.StatusCreated, http.MethodPost, "/server-credentials", fake.Credential(token)).Data.ID)
	if err != nil {
		t.Fatal(err)
	}
	place := fake.Place()
	a := p.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name": "ordered", "type": "web", "provider": provider,
		"credential_id": account, provider: place,
	})
	if a.Data.Meta.Bootstrap != nil {
		t.Errorf("there is a line to run by hand: %s", a.Body)
	}
	s := panel.Server{ID: a.Data.ID, Type: "web", Host: h}
	p.Ready(t, s)
	if machines := fake.Machines(token); len(machines) != 1 || fake.Ordered(token) != 1 {
		t.Errorf("the account has %+v", machines)
	}
	if got := p.Get(t, s.Path("")); got.Text("ip_address") != h.IP || got.Text("size") != place["size_id"] || got.Text("region") != fake.Region() {
		t.Errorf("the server is %+v", got.Attributes)
	}
	if out := h.Exec(t, "nft", "list", "table", "inet", "hostler"); !strings.Contains(out, "dport 443") {
		t.Errorf("its rules are\n%s", out)
	}
	// What anything on the server can read of its first boot is worth nothing any more.
	if out, err := h.TryExec("sh", "-c",
		`sed -n 's/^until { \(.*\); }; do$/\1/p' /root/first-boot >/root/line && test -s /root/line && ! sh /root/line`); err != nil {
		t.Errorf("the line of the first boot is accepted again:\n%s", out)
	}

	h.Exec(t, "ip", "address", "add", "169.254.169.254/32", "dev", "lo") // where nginx answers
	const ask = "curl --silent --output /dev/null --max-time 10 --write-out %{http_code} http://169.254.169.254/"
	if out, err := h.TryExec("sh", "-c", ask+"; test $? -ne 7"); err != nil {
		t.Errorf("root does not reach the metadata service: %v %s", err, out)
	}
	if out, err := h.TryExec("runuser", "-u", "forge", "--", "sh", "-c", ask+"; test $? -eq 7"); err != nil {
		t.Errorf("an account of a site reaches the metadata service: %v %s", err, out)
	}

	p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/actions"), map[string]any{"action": "power-cycle"})
	hosts.Eventually(t, time.Minute, "the provider switches it off and on", func() error {
		if n := fake.Machines(token)[0].Cycles; n != 1 {
			return fmt.Errorf("it did so %d times", n)
		}
		return nil
	})
	h.Reboot(t)
	p.Until(t, 3*time.Minute, s.Path(""), "switched off and on", func(a panel.Answer) bool {
		return a.Data.Operation().State == "succeeded" && a.Data.Attributes["connection_status"] == "connected"
	})
	if n := fake.Machines(token)[0].Cycles; n != 1 {
		t.Errorf("it was switched off and on %d times", n)
	}

	one := fake.Machines(token)[0].ID
	p.Want(t, http.StatusAccepted, http.MethodDelete, s.Path(""), nil)
	p.Gone(t, time.Minute, s.Path(""))
	if id := <-destroyed; id != one || len(fake.Machines(token)) != 0 {
		t.Errorf("%s was destroyed, and %+v is left", id, fake.Machines(token))
	}
}
