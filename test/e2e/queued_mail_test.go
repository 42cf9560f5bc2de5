package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/hosts"
)

// What an isolated account has in the queue of the server's mail program goes with its last site; mail of others stays.
func TestQueuedMailGoesWithItsAccount(t *testing.T) {
	if os.Getenv("HOSTLER_E2E") != "full" {
		t.Skip("HOSTLER_E2E=full installs mail programs")
	}
	w := world(t)
	s := w.Server(4)
	h := s.Host
	for _, c := range []struct{ program, install, send, queue string }{
		{"postfix", "postfix", "sendmail someone@example.invalid", "postqueue -p"},
		{"exim4", "exim4-daemon-light", "sendmail -odq someone@example.invalid", "exim4 -bp"},
	} {
		t.Run(c.program, func(t *testing.T) {
			h.Exec(t, "sh", "-ec", `apt-get -q update; echo "postfix postfix/main_mailer_type select Local only" | debconf-set-selections
DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install `+c.install)
			t.Cleanup(func() {
				h.Exec(t, "sh", "-ec",
					"DEBIAN_FRONTEND=noninteractive apt-get -q -y purge "+c.install+" exim4-config exim4-base; rm -rf /var/spool/postfix /var/spool/exim4")
			})
			if c.program == "postfix" {
				h.Exec(t, "sh", "-ec", "postconf -e 'defer_transports = smtp' 'default_transport = smtp' 'inet_interfaces = loopback-only'; systemctl restart postfix")
			}
			name := "mail-" + c.program + ".example.com"
			site := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"), map[string]any{
				"name": name, "type": "php", "is_isolated": true, "isolated_user": "sender",
			}).Data.ID
			w.Status(t, time.Minute, "/sites/"+site, "installed")
			send := func(as, word string) {
				t.Helper()
				h.Exec(t, "runuser", "--user", as, "--", "sh", "-c", `printf 'Subject: `+word+`\n\ntext\n' | `+c.send)
			}
			send("sender", "of the tenant")
			send("sender", "of the tenant too")
			send("root", "of root")
			queued := func() int {
				t.Helper()
				return strings.Count(h.Exec(t, "sh", "-c", c.queue), "@example.invalid")
			}
			hosts.Eventually(t, 30*time.Second, "three mails wait", func() error {
				if n := queued(); n != 3 {
					return fmt.Errorf("%d wait", n)
				}
				return nil
			})
			w.Want(t, http.StatusAccepted, http.MethodDelete, s.Path("/sites/"+site), nil)
			w.Gone(t, 2*time.Minute, "/sites/"+site)
			if n := queued(); n != 1 {
				t.Errorf("after the last site of the account %d mails wait, want that of root:\n%s", n, h.Exec(t, "sh", "-c", c.queue))
			}
		})
	}
}
