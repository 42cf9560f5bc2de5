package e2e_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
	"github.com/hostlerhq/hostler/test/hosts"
)

// A host has other SSH host keys for a while, as if another machine had its address or a backup of it was restored, and then its own again. A script that was
// running at that time has run once and is finished, not failed. Refused work can be retried, and no key has to be confirmed.
func TestHostWithItsOldKeysIsTakenUpAgain(t *testing.T) {
	for name, start := range map[string]func(t *testing.T, bed *hosts.Bed) *panel.Panel{
		"SQLite": func(t *testing.T, bed *hosts.Bed) *panel.Panel { t.Helper(); return panel.Start(t, bed) },
		"PostgreSQL": func(t *testing.T, bed *hosts.Bed) *panel.Panel {
			t.Helper()
			return panel.StartReplicas(t, bed, pgtest.Database(t, "empty", nil), 2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			panel.BuildImage(t)
			bed := hosts.Shared(t, 1, hosts.Image(panel.Image), hosts.Fresh())
			w := &World{Panel: start(t, bed), Bed: bed}
			s := w.Add(t, bed.Host(1), "loadbalancer")
			w.Servers = []panel.Server{s}
			w.Ready(t, s)
			h := s.Host

			recipe := w.Want(t, http.StatusOK, http.MethodPost, "/recipes", map[string]any{
				"name": "long", "user": "root", "script": "echo begun >>/root/long\nwhile [ ! -e /root/go ]; do sleep 0.1; done\necho ended >>/root/long\n",
			}).Data
			runs := "/recipes/" + recipe.ID + "/runs"
			w.Want(t, http.StatusAccepted, http.MethodPost, runs, map[string]any{"servers": []any{number(s.ID)}})
			run := runs + "/" + w.Want(t, http.StatusOK, http.MethodGet, runs, nil).List[0].ID
			hosts.Eventually(t, time.Minute, "the script runs", func() error {
				_, err := h.TryExec("test", "-e", "/root/long")
				return err
			})

			connection := func(want string) {
				t.Helper()
				w.Until(t, 3*time.Minute, s.Path(""), want, func(a panel.Answer) bool { return a.Data.Text("connection_status") == want })
			}
			h.Exec(t, "sh", "-ec", "mkdir /root/keys; mv /etc/ssh/ssh_host_* /root/keys/; ssh-keygen -A; systemctl restart ssh; loginctl terminate-user root || true")
			connection("host-key-changed")
			attends(t, w, s, "server-host-key-changed", true)
			refused := addRule(t, w, s, map[string]any{"name": "with other keys", "port": "8301", "type": "allow"})
			got := w.Settled(t, time.Minute, rulePath(s, refused))
			if op := got.Operation(); op.State != "failed" || !strings.Contains(op.Reason, "host key") {
				t.Fatalf("with other keys a rule is %s: %+v", got.Text("status"), op)
			}
			h.Exec(t, "touch", "/root/go")
			hosts.Eventually(t, time.Minute, "the script ends", func() error {
				if out := h.Exec(t, "cat", "/root/long"); out != "begun\nended\n" {
					return errors.New(out)
				}
				return nil
			})
			if status := w.Get(t, run).Text("status"); status == "failed" || status == "finished" {
				t.Errorf("while the host can't be reached, the script is %s", status)
			}

			h.Exec(t, "sh", "-ec", "rm /etc/ssh/ssh_host_*; mv /root/keys/ssh_host_* /etc/ssh/; systemctl restart ssh")
			connection("connected")
			attends(t, w, s, "server-host-key-changed", false)
			ended := func(a panel.Answer) bool {
				return a.Data.Text("status") == "finished" || a.Data.Text("status") == "failed"
			}
			if a, _ := w.Until(t, 3*time.Minute, run, "ended", ended); a.Data.Text("status") != "finished" {
				t.Errorf("the script that the host completed is %s: %s", a.Data.Text("status"), a.Body)
			}
			if out := h.Exec(t, "cat", "/root/long"); out != "begun\nended\n" {
				t.Errorf("the script did %q", out)
			}
			w.Retry(t, s, got.Operation())
			if got := w.Settled(t, time.Minute, rulePath(s, refused)); got.Text("status") != "installed" {
				t.Errorf("tried again with its own keys the rule is %s: %+v", got.Text("status"), got.Operation())
			}
			removeRule(t, w, s, refused)
		})
	}
}
