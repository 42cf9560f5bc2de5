package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// sources makes two package sources on a host, one of them of security updates, whose packages are newer than what is installed; one is on hold. The
// sources of the system are set aside: what they have is not known here.
const sources = `set -eu
mkdir -p /root/aside; mv /etc/apt/sources.list /etc/apt/sources.list.d/* /root/aside/ 2>/dev/null || true
package() {
  d=$(mktemp -d); mkdir -p "$d/DEBIAN" "/srv/$3"; chmod 755 "$d"
  printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: Tests <tests@example.com>\nDescription: for a test\n' "$1" "$2" > "$d/DEBIAN/control"
  dpkg-deb -b "$d" "/srv/$3/$1_$2_all.deb" > /dev/null
}
index() {
  cd "/srv/$1"; : > Packages
  for f in *.deb; do
    dpkg-deb -f "$f" >> Packages
    printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "$f" "$(stat -c %s "$f")" "$(sha256sum "$f" | cut -d' ' -f1)" >> Packages
  done
  printf 'Label: %s\nSuite: %s\nDate: %s\nSHA256:\n %s %s Packages\n' "$2" "$3" \
  	"$(date -Ru)" "$(sha256sum Packages | cut -d' ' -f1)" "$(stat -c %s Packages)" > Release
  echo "deb [trusted=yes] file:/srv/$1 ./" > "/etc/apt/sources.list.d/$1.list"
}
for p in plain secure held; do package "sample-$p" 1.0 old; done
dpkg -i /srv/old/*.deb
apt-mark hold sample-held
package sample-plain 2.0 plain; package sample-held 2.0 plain; package sample-secure 2.0 secure
index plain Tests stable; index secure Debian-Security stable-security
apt-get -q update`

// Pending updates are counted, those for security are installed alone, then the rest, and a reboot happens only where it is asked for.
func TestPackagesAreUpgraded(t *testing.T) {
	r := newRoom(t)
	r.server.Host.Exec(t, "sh", "-c", sources)
	r.Until(t, 5*time.Minute, r.server.Path(""), "with two updates, one for security", func(a panel.Answer) bool {
		return strings.Contains(a.Body, `"updates":{"pending":2,"security":1,`)
	})
	boot := func() string { return r.server.Host.Exec(t, "cat", "/proc/sys/kernel/random/boot_id") }
	began := boot()
	upgrade := func(body map[string]any, want string) string {
		t.Helper()
		event := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/upgrades"), body).Header.Get("X-Hostler-Event")
		r.Until(t, 10*time.Minute, r.server.Path(""), "upgraded", func(a panel.Answer) bool {
			op := a.Data.Operation()
			return op.EventID == event && op.State == "succeeded" || op.Action == "reboot"
		})
		versions := r.server.Host.Exec(t, "dpkg-query", "-W", "-f=${Package} ${Version}\n", "sample-held", "sample-plain", "sample-secure")
		if got := strings.Join(strings.Fields(versions), " "); got != want {
			t.Errorf("after %v there are %s, want %s", body, got, want)
		}
		return r.Output(t, r.server, event)
	}
	if log := upgrade(map[string]any{"security_only": true}, "sample-held 1.0 sample-plain 1.0 sample-secure 2.0"); !strings.Contains(log,
		"Setting up sample-secure (2.0)") {
		t.Errorf("its log is\n%s", log)
	}
	const all = "sample-held 1.0 sample-plain 2.0 sample-secure 2.0"
	r.server.Host.Exec(t, "touch", "/run/reboot-required")
	upgrade(map[string]any{}, all)
	if log := upgrade(map[string]any{}, all); strings.Contains(log, "Setting up") {
		t.Errorf("a second time it installs\n%s", log)
	}
	if now := boot(); now != began {
		t.Error("the server was rebooted without a request")
	}
	r.Until(t, 2*time.Minute, r.server.Path(""), "up to date, and in need of a reboot", func(a panel.Answer) bool {
		return strings.Contains(a.Body, `"updates":{"pending":0,"security":0,"reboot_needed":true}`)
	})
	upgrade(map[string]any{"reboot": true}, all)
	r.Until(t, 5*time.Minute, r.server.Path(""), "rebooted", func(a panel.Answer) bool {
		op := a.Data.Operation()
		return op.Action == "reboot" && op.State == "succeeded"
	})
	if now := boot(); now == began {
		t.Error("the server was not rebooted")
	}
}
