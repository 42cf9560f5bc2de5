package e2e_test

import (
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// passwordLogins are the servers that the doctor says take passwords.
func passwordLogins(t *testing.T, w *World) string {
	t.Helper()
	out, _ := exec.Command(panel.Program(t, "hostler"), append([]string{"doctor", "--security"}, w.Where()...)...).CombinedOutput() // an error is a finding
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "log in with keys only") {
			return line
		}
	}
	t.Fatalf("the doctor does not look for passwords:\n%s", out)
	return ""
}

// What was stopped, masked, or changed without telling systemd or nginx is shown although every file is as planned, each once, and one repair puts it in force.
func TestWhatIsInForceIsComparedAndRepaired(t *testing.T) {
	if os.Getenv("HOSTLER_E2E") != "full" {
		t.Skip("HOSTLER_E2E=full compares what is in force")
	}
	w := world(t)
	l := live(t, w, w.Server(3), "in-force.example.com")
	h := l.s.Host
	differ := func() (out []string) {
		for _, d := range drift(t, w, l.s) {
			m, _ := d.(map[string]any)
			path, _ := m["path"].(string)
			what, _ := m["what"].(string)
			out = append(out, path+" "+what)
		}
		slices.Sort(out)
		return out
	}
	if d := differ(); len(d) > 0 {
		t.Fatalf("the server differs already: %v", drift(t, w, l.s))
	}
	unit := "hostler-process-" + l.process + "@1.service"
	const sshd = "/etc/ssh/sshd_config.d/00-a.conf" // before 00-hostler.conf
	h.WriteFile(t, sshd, []byte("PasswordAuthentication yes\n"), 0o644)
	defer h.Exec(t, "rm", "-f", sshd)
	overridden := "/etc/ssh/sshd_config.d/00-hostler.conf overridden"
	if line := passwordLogins(t, w); strings.Contains(line, h.Name) {
		t.Errorf("before the server was looked at the doctor says %s", line)
	}
	const more = "/etc/systemd/system/nginx.service.d/90-by-hand.conf"
	h.Exec(t, "systemctl", "stop", unit)
	h.Exec(t, "systemctl", "mask", "--now", "cron.service")
	h.Exec(t, "sh", "-ec",
		"echo '# by hand' >>/etc/nginx/nginx.conf; systemctl stop hostler-ports.service; for f in /etc/php/*/fpm/php-fpm.conf; do echo '; by hand' >>$f; done")
	var masters []string // of PHP, which the site's version is among
	for _, v := range strings.Fields(h.Exec(t, "ls", "/etc/php")) {
		masters = append(masters, "php"+v+"-fpm.service")
	}
	const few, byHand = "/etc/systemd/system/nginx.service.d/95-few.conf", "/run/systemd/system.control/"
	h.WriteFile(t, few, []byte("[Service]\nLimitNOFILE=1024\n"), 0o644)
	defer h.Exec(t, "rm", "-f", few)
	h.Exec(t, "sh", "-ec", "systemctl daemon-reload; systemctl set-property --runtime "+unit+" MemoryMax=64M")
	defer h.Exec(t, "systemctl", "revert", unit)
	limits := []string{few + " overridden", byHand + unit + ".d/50-MemoryMax.conf overridden"}
	want := []string{overridden, unit + " inactive", "cron.service masked", "hostler-ports.service inactive", "nginx.service outdated"}
	want = append(want, limits...)
	for _, m := range masters {
		want = append(want, m+" outdated")
	}
	slices.Sort(want)
	if d := differ(); !slices.Equal(d, want) {
		t.Errorf("different is %q, want %q", d, want)
	}
	h.WriteFile(t, more, []byte("[Service]\nNice=1\n"), 0o644) // which systemd has not read
	defer h.Exec(t, "rm", "-f", more)
	if d := differ(); !slices.Equal(d, want) {
		t.Errorf("with a file that systemd has not read, different is %q, want %q", d, want)
	}
	plan := w.Want(t, http.StatusOK, http.MethodPost, l.s.Path("/repairs?dry_run=true"), nil)
	for _, text := range []string{"unmask and start cron.service", "load the files of nginx.service", "start " + unit} {
		if !strings.Contains(plan.Body, text) {
			t.Errorf("the plan does not say %q: %s", text, plan.Body)
		}
	}
	repair := func() {
		t.Helper()
		op := w.Want(t, http.StatusAccepted, http.MethodPost, l.s.Path("/repairs"), nil).Data.Operation()
		w.Until(t, 3*time.Minute, l.s.Path(""), "repaired", func(a panel.Answer) bool {
			now := a.Data.Operation()
			return now.ID == op.ID && now.State != "pending" && now.State != "running"
		})
		if now := w.Get(t, l.s.Path("")).Operation(); now.State != "succeeded" {
			t.Fatalf("the repair: %+v\n%s", now, w.Output(t, l.s, op.EventID))
		}
	}
	repair()
	left := append(slices.Clone(limits), overridden) // whose files are not Hostler's
	slices.Sort(left)
	if d := differ(); !slices.Equal(d, left) {
		t.Errorf("after the repair different is %q, want %q", d, left)
	}
	h.Exec(t, "sh", "-ec", "rm -rf "+few+" "+byHand+unit+".d; systemctl daemon-reload")
	if line := passwordLogins(t, w); !strings.Contains(line, h.Name) {
		t.Errorf("sshd takes passwords, but the doctor says %s", line)
	}
	h.Exec(t, "rm", sshd)
	repair()
	if d := differ(); len(d) > 0 {
		t.Errorf("without that file different is %q", d)
	}
	if line := passwordLogins(t, w); strings.Contains(line, h.Name) {
		t.Errorf("sshd takes keys only, but the doctor says %s", line)
	}
	for _, u := range []string{unit, "cron.service", "hostler-ports.service", "nginx.service"} {
		h.Exec(t, "systemctl", "is-active", u)
	}
	w.Status(t, time.Minute, l.s.Path("/background-processes/"+l.process), "running")
}
