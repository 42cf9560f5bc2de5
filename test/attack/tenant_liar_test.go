package attack_test

import (
	"context"
	_ "embed"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

//go:embed testdata/liar.py
var liar string

// A compromised server answers with endless output, ends of others' runs, hostile facts, events and logs, and damages agents. The
// panel stays up and small, another server's work continues meanwhile, and no other organization, server or event contains a word
// of it. When the owner has the server back, its work continues.
func TestServerThatLies(t *testing.T) {
	w := tenantWorld(t)
	h, other := w.MariaDB, w.Postgres
	before := w.Want(t, http.StatusOK, http.MethodGet, other.Path(""), nil).Data
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	plain := &World{Panel: w.Panel}
	beside := plain.follow(ctx, t, w.BesideToken, w.BesideOrg, "0")
	word := "lied" + random(t)
	again := func() { // the agent's session is root's; what it is asked after this is asked of the next one
		_, _ = h.Host.TryExec("sh", "-c", `for p in $(pgrep -x hostler-agent); do grep -q sshd "/proc/$(ps -o ppid= -p "$p" | tr -d ' ')/comm" && kill -9 "$p"; done
loginctl terminate-user root`)
	}
	restore := func() {
		_, _ = h.Host.TryExec("sh", "-c",
			"for f in /var/lib/hostler/agent/*/hostler-agent.own; do mv $f ${f%.own}; done; [ ! -e /root/sha256sum ] || mv /root/sha256sum /usr/bin/sha256sum; "+
				"rm -f /root/lie")
		again()
	}
	defer restore()

	for i, how := range tenth(t, []string{"hostile", "forged", "broken", "endless", "damaged"}) {
		h.root(t, "sh", "-c", `printf '%s %s' "$1" "$2" >/root/lie; for f in /var/lib/hostler/agent/*/hostler-agent; do mv $f $f.own; done`, "sh", how, word)
		if how == "damaged" {
			h.root(t, "sh", "-c", `cp -p /usr/bin/sha256sum /root/sha256sum; printf '#!/bin/sh\necho `+
				`0000000000000000000000000000000000000000000000000000000000000000 -\n' >/usr/bin/sha256sum`)
		} else {
			for _, f := range strings.Fields(h.root(t, "sh", "-c", "ls /var/lib/hostler/agent/*/hostler-agent.own")) {
				h.Host.WriteFile(t, strings.TrimSuffix(f, ".own"), []byte(liar), 0o755)
			}
		}
		again()
		rule := plain.rule(t, h.Server, itoa(48400+i))
		path := h.Path("/firewall-rules/" + rule.ID)
		answer, _ := w.Until(t, 2*time.Minute, path, "an end or a reason", func(a panel.Answer) bool {
			op := a.Data.Operation()
			return op.Reason != "" && op.Reason != "Waiting for a worker." || op.State != "pending" && op.State != "running"
		})
		op := answer.Data.Operation()
		t.Logf("%s: %s %.200q", how, op.State, op.Reason)
		if op.State == "succeeded" {
			t.Errorf("%s: the rule is %s", how, answer.Data.Text("status"))
		}

		// Meanwhile another server's work continues, with its own output.
		theirs := plain.rule(t, other.Server, itoa(48400+i))
		got := w.Settled(t, time.Minute, other.Path("/firewall-rules/"+theirs.ID))
		if got.Text("status") != "installed" || strings.Contains(w.Output(t, other.Server, got.Operation().EventID), word) {
			t.Errorf("%s: the rule of another server is %s: %+v", how, got.Text("status"), got.Operation())
		}
		for _, path := range []string{
			"/servers", h.Path(""), h.Path("/firewall-rules"), h.Path("/events?page[size]=100"),
			h.Path("/events/" + op.EventID), h.Path("/events/" + op.EventID + "/output"), "/attention", h.Path("/sites"), h.Path("/background-processes"),
		} {
			a, err := w.Do(http.MethodGet, path, nil)
			if err != nil || a.Code != http.StatusOK {
				t.Errorf("%s: GET %s: %d %v %.300s", how, path, a.Code, err, a.Body)
				continue
			}
			data(t, how+": "+path, a.Body)
		}
		for _, path := range []string{
			h.Path("/drift"), h.Path("/logs/auth"), h.Path("/logs/nginx-error"),
			h.Path("/sites/" + h.Alice.Site.ID + "/environment"), h.Path("/sites/" + h.Alice.Site.ID + "/logs/application"),
		} {
			a, err := w.Do(http.MethodGet, path, nil)
			if err != nil || a.Code == http.StatusInternalServerError {
				t.Errorf("%s: GET %s: %d %v %.300s", how, path, a.Code, err, a.Body)
				continue
			}
			data(t, how+": "+path, a.Body)
		}
		// Back in its owner's hands.
		restore()
		got = w.Settled(t, 2*time.Minute, path)
		if got.Text("status") != "installed" {
			w.Retry(t, h.Server, got.Operation())
			got = w.Settled(t, 2*time.Minute, path)
		}
		if got.Text("status") != "installed" {
			t.Errorf("%s: with its own agent back the rule is %s: %+v", how, got.Text("status"), got.Operation())
		}
	}
	if rss := panelMemory(t, plain); rss > 600<<10 {
		t.Errorf("the panel holds %d KiB", rss)
	}
	if n := w.Count(t, "SELECT count(*) FROM event_outputs o JOIN events e ON e.id = o.event_id WHERE o.content LIKE '%"+word+"%' AND e.server_id <> "+
		h.ID); n != 0 {
		t.Errorf("%d outputs of other servers have its words", n)
	}
	if n := w.Count(t, "SELECT count(*) FROM operations WHERE reason LIKE '%"+word+"%' AND server_id <> "+h.ID); n != 0 {
		t.Errorf("%d operations of other servers have its words", n)
	}
	after := w.Want(t, http.StatusOK, http.MethodGet, other.Path(""), nil).Data
	for _, name := range []string{"ip_address", "ssh_port", "name", "type", "connection_status", "timezone", "php_version", "database_type"} {
		if before.Attributes[name] != after.Attributes[name] {
			t.Errorf("%s of another server was %v and is %v", name, before.Attributes[name], after.Attributes[name])
		}
	}
	for _, line := range drain(beside, time.Second) {
		if strings.HasPrefix(line, "data: ") {
			t.Errorf("the stream of another organization has %.300s", line)
		}
	}
	for _, path := range []string{"/servers", "/events", "/attention", "/sites"} {
		code, body := plain.as(t, w.BesideToken, http.MethodGet, "/orgs/"+w.BesideOrg+path, "")
		if code != http.StatusOK || strings.Contains(body, word) {
			t.Errorf("GET %s of another organization: %d %.300s", path, code, body)
		}
	}
	hosts.Eventually(t, time.Minute, "the server is connected", func() error { return statusIs(w.Panel, t, h.Path(""), "connected") })
	w.Want(t, http.StatusAccepted, http.MethodPut, h.Path("/sites/"+h.Alice.Site.ID), map[string]any{"directory": "/public"})
	if got := w.Settled(t, time.Minute, "/sites/"+h.Alice.Site.ID); got.Operation().State == "failed" {
		t.Errorf("with its own agent back a site is %+v", got.Operation())
	}
	w.unharmed(t)
}

func statusIs(p *panel.Panel, t testing.TB, path, want string) error {
	t.Helper()
	if got := p.Get(t, path).Text("connection_status"); got != want {
		time.Sleep(200 * time.Millisecond) // asking costs the panel something
		return fmt.Errorf("it is %q", got)
	}
	return nil
}
