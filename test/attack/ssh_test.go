package attack_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// logins returns what sshd logged since a time: successful logins, and password attempts.
func logins(t testing.TB, h *hosts.Host, since string) (accepted, passwords int) {
	t.Helper()
	out := h.Exec(t, "sh", "-c", `journalctl -t sshd -t sshd-session -o cat --no-pager --since "$1"`, "sh", since)
	return strings.Count(out, "Accepted "), strings.Count(strings.ToLower(out), "password")
}

func (w *World) rule(t testing.TB, s panel.Server, port string) panel.Resource {
	t.Helper()
	return w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/firewall-rules"), map[string]any{"name": "ssh test", "port": port, "type": "allow"}).Data
}

// now returns the host's clock as journalctl takes it.
func now(t testing.TB, h *hosts.Host) string {
	t.Helper()
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // journalctl counts whole seconds here
	return strings.TrimSpace(h.Exec(t, "date", "+%Y-%m-%d %H:%M:%S"))
}

// A host that presents another key gets no connection: work fails with the reason, the alarm is on, and there is no login and no
// password attempt, not even by a retry. With its own key back, a retry works.
func TestChangedHostKey(t *testing.T) {
	w := world(t)
	h := w.Web.Host
	rules := h.Exec(t, "cat", "/etc/hostler/firewall.nft")
	h.Exec(t, "sh", "-c", "mkdir -p /root/keys && mv /etc/ssh/ssh_host_* /root/keys/ && ssh-keygen -A")
	restore := func() {
		h.Exec(t, "sh", "-c",
			"[ ! -d /root/keys ] || { rm -f /etc/ssh/ssh_host_*; mv /root/keys/ssh_host_* /etc/ssh/ && rmdir /root/keys && systemctl restart ssh; }")
	}
	defer restore()
	h.Exec(t, "sh", "-c", "systemctl restart ssh; loginctl terminate-user root; true")
	since := now(t, h)

	r := w.rule(t, w.Web, "48301")
	got := w.Settled(t, time.Minute, w.Web.Path("/firewall-rules/"+r.ID))
	op := got.Operation()
	if op.State != "failed" || !strings.Contains(op.Reason, "host key") || got.Text("status") != "failed" {
		t.Fatalf("with another host key the rule is %s: %+v", got.Text("status"), op)
	}
	if out := w.Output(t, w.Web, op.EventID); !strings.Contains(out, "host key") {
		t.Errorf("the event does not say why: %q", out)
	}
	alarm := func() {
		t.Helper()
		if got := w.Get(t, w.Web.Path("")).Text("connection_status"); got != "host-key-changed" {
			t.Errorf("connection_status is %q", got)
		}
	}
	alarm()
	w.Retry(t, w.Web, op) // a person may be wrong
	if got := w.Settled(t, time.Minute, w.Web.Path("/firewall-rules/"+r.ID)); got.Operation().State != "failed" ||
		!strings.Contains(got.Operation().Reason, "host key") {
		t.Errorf("a retry with another host key: %+v", got.Operation())
	}
	for range 3 {
		s := w.Settled(t, time.Minute, "/sites/"+w.Want(t, http.StatusAccepted, http.MethodPost, w.Web.Path("/sites"),
			map[string]any{"name": "key" + random(t) + ".example.com", "type": "static-html"}).Data.ID)
		if s.Text("status") != "failed" || !strings.Contains(s.Operation().Reason, "host key") {
			t.Errorf("a site on a host with another key is %s: %+v", s.Text("status"), s.Operation())
		}
	}
	if a, err := w.Do(http.MethodGet, w.Web.Path("/drift"), nil); err != nil || a.Code != http.StatusConflict {
		t.Errorf("reading drift of a host with another key: %d %v %s", a.Code, err, a.Body)
	}
	alarm()
	if accepted, passwords := logins(t, h, since); accepted > 0 || passwords > 0 {
		t.Errorf("%d logins and %d passwords at a host with another key", accepted, passwords)
	}
	if after := h.Exec(t, "cat", "/etc/hostler/firewall.nft"); after != rules {
		t.Errorf("the rules changed:\n%s", after)
	}
	if err := get(w.Balancer.Host, witnessName); err != nil {
		t.Errorf("the site behind the balancer: %v", err)
	}

	keys := w.Want(t, http.StatusOK, http.MethodGet, w.Web.Path("/host-keys"), nil).Data.Attributes
	var presented []string
	for _, k := range keys["presented"].([]any) {
		presented = append(presented, k.(map[string]any)["public_key"].(string))
	}
	if len(presented) == 0 || keys["changed"] != true {
		t.Fatalf("the host keys are %v", keys)
	}
	w.Want(t, http.StatusOK, http.MethodPut, w.Web.Path("/host-keys"), map[string]any{"host_keys": presented})
	w.Retry(t, w.Web, op)
	if got := w.Settled(t, time.Minute, w.Web.Path("/firewall-rules/"+r.ID)); got.Text("status") != "installed" {
		t.Errorf("with its new keys confirmed the rule is %s: %+v", got.Text("status"), got.Operation())
	}
	confirmed := w.Want(t, http.StatusOK, http.MethodGet, w.Web.Path("/host-keys"), nil)
	if confirmed.Data.Attributes["changed"] != false {
		t.Errorf("the host keys are %s", confirmed.Body)
	}

	restore()
	h.Exec(t, "sh", "-c", "loginctl terminate-user root; true")
	var own []string
	for _, k := range keys["confirmed"].([]any) {
		own = append(own, k.(map[string]any)["public_key"].(string))
	}
	w.Want(t, http.StatusOK, http.MethodPut, w.Web.Path("/host-keys"), map[string]any{"host_keys": own})
	r = w.rule(t, w.Web, "48302")
	if got := w.Settled(t, time.Minute, w.Web.Path("/firewall-rules/"+r.ID)); got.Text("status") != "installed" {
		t.Errorf("with its own key back the rule is %s: %+v", got.Text("status"), got.Operation())
	}
	if got := w.Get(t, w.Web.Path("")).Text("connection_status"); got != "connected" {
		t.Errorf("connection_status is %q", got)
	}
	w.unharmed(t, w.trusted(t))
}

// A server on the SSH port that talks endlessly, says nothing, or hangs up delays neither other work nor the API; waiting work
// continues when sshd is back.
func TestHostileSSHServer(t *testing.T) {
	w := world(t)
	h := w.Web.Host
	for i, c := range []struct{ name, program string }{
		{"endless banner", "exec yes SSH-"},
		{"endless line", "exec tr '\\0' a </dev/zero"},
		{"silent", "exec sleep 600"},
		{"banner and silence", "echo SSH-2.0-OpenSSH_9.2; exec sleep 600"},
		{"banner and noise", "echo SSH-2.0-OpenSSH_9.2; exec cat /dev/urandom"},
		{"hangs up", "exit 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			restore := func() {
				_, _ = h.TryExec("systemctl", "stop", "hostile-ssh")
				h.Exec(t, "systemctl", "start", "ssh")
			}
			defer restore()
			h.Exec(t, "sh", "-c", "systemctl stop ssh.socket ssh 2>/dev/null; loginctl terminate-user root; true")
			h.Exec(t, "systemd-run", "--quiet", "--collect", "--unit", "hostile-ssh", "systemd-socket-activate", "--accept",
				"--inetd", "--listen", itoa(h.Port), "sh", "-c", c.program)
			r := w.rule(t, w.Web, itoa(48310+i))
			path := w.Web.Path("/firewall-rules/" + r.ID)
			waits, took := w.Until(t, 40*time.Second, path, "waiting with a reason", func(a panel.Answer) bool {
				op := a.Data.Operation()
				return op.Reason != "" && op.Reason != "Waiting for a worker." || op.State == "failed"
			})
			op := waits.Data.Operation()
			t.Logf("after %v: %s, %q", took.Round(time.Millisecond), op.State, op.Reason)
			if op.State == "failed" {
				t.Errorf("the work is given up: %+v", op)
			}
			// Meanwhile another server is worked on, and the API answers.
			began := time.Now()
			other := w.rule(t, w.Balancer, itoa(48310+i))
			if got := w.Settled(t, 30*time.Second, w.Balancer.Path("/firewall-rules/"+other.ID)); got.Text("status") != "installed" {
				t.Errorf("the rule of another server is %s: %+v", got.Text("status"), got.Operation())
			}
			t.Logf("another server's rule took %v", time.Since(began).Round(time.Millisecond))
			if got := w.Get(t, w.Web.Path("")).Text("connection_status"); got == "connected" {
				t.Errorf("connection_status is %q", got)
			}
			restore()
			if got := w.Settled(t, time.Minute, path); got.Text("status") != "installed" {
				t.Errorf("with sshd back the rule is %s: %+v", got.Text("status"), got.Operation())
			}
		})
		if i == 1 && !full() {
			t.Log("the other programs are tried under HOSTLER_ATTACK=full")
			break
		}
	}
	if rss := panelMemory(t, w); rss > 600<<10 {
		t.Errorf("the panel holds %d KiB", rss)
	}
}

func panelMemory(t testing.TB, w *World) int {
	t.Helper()
	var kib int
	out := strings.TrimSpace(shell(t, "ps -eo rss,args | grep -F -- "+w.Dir+" | grep -v grep | sort -n | tail -n 1"))
	if _, err := fmt.Sscan(out, &kib); err != nil {
		t.Fatalf("no panel in %q", out)
	}
	t.Logf("the panel holds %d MiB", kib>>10)
	return kib
}
