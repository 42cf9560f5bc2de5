package sudo_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/agent/sudo"
)

// host has PHP 8.4 for two sites of forge and an own master for that of shop, with processes of both; PHP 8.3 is another tenant's alone.
func host(t *testing.T, caller string) (h sudo.Host, asked *[]string, out *strings.Builder) {
	t.Helper()
	root := t.TempDir()
	for path, text := range map[string]string{
		"etc/php/8.4/fpm/pool.d/hostler-1.conf":                                   "[hostler-1]\nuser = forge\ngroup = forge\n",
		"etc/php/8.4/fpm/pool.d/hostler-default.conf":                             "[hostler-default]\nuser = forge\n",
		"etc/php/8.3/fpm/pool.d/hostler-8.conf":                                   "[hostler-8]\nuser = tenant\n",
		"etc/hostler/php/8.4/3/fpm.conf":                                          "[global]\nerror_log = x\n[hostler-3]\nuser = shop\n",
		"etc/systemd/system/hostler-process-5@.service":                           "[Service]\nUser=forge\nGroup=forge\n",
		"etc/systemd/system/hostler-process-50@.service":                          "[Service]\nUser=tenant\n",
		"etc/systemd/system/hostler-process-6@.service":                           "[Service]\nUser=forge\n",
		"etc/systemd/system/hostler-process-7@.service":                           "[Service]\nUser=shop\n",
		"etc/systemd/system/multi-user.target.wants/hostler-process-5@1.service":  "",
		"etc/systemd/system/multi-user.target.wants/hostler-process-5@2.service":  "",
		"etc/systemd/system/multi-user.target.wants/hostler-process-50@1.service": "",
		"etc/systemd/system/multi-user.target.wants/hostler-process-7@1.service":  "",
		"var/log/hostler-processes/5/output.log":                                  "first\nlast\n",
		"var/log/hostler-processes/7/output.log":                                  "of shop\n",
	} {
		file := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	asked, out = new([]string), new(strings.Builder)
	return sudo.Host{Root: root, Caller: caller, Out: out, Systemctl: func(args ...string) (string, error) {
		*asked = append(*asked, strings.Join(args, " "))
		return "active", nil
	}}, asked, out
}

// Lines of deploy scripts reload and restart what is the caller's, and nothing of anyone else's.
func TestDeployScriptsReloadTheirOwn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		caller, line string
		want         []string // what systemctl is asked; nil for a refusal
	}{
		{"forge", "service php8.4-fpm reload", []string{"reload -- php8.4-fpm.service"}},
		{"forge", "service php8.4-fpm restart", []string{"reload -- php8.4-fpm.service"}},
		{"shop", "service php8.4-fpm reload", []string{"reload -- hostler-php8.4-site-3.service"}},
		{"forge", "service php8.2-fpm reload", []string{"reload -- php8.4-fpm.service"}}, // from before an upgrade
		{"forge", "service php8.3-fpm reload", []string{"reload -- php8.4-fpm.service"}},
		{"forge", "service hostler-php8.4-site-3 reload", nil},
		{"other", "service php8.4-fpm reload", nil},
		{"forge", "service php8.4-fpm stop", nil},
		{"forge", "service php8.4-fpm", nil},
		{"forge", "service nginx reload", nil},
		{"forge", "service ssh restart", nil},
		{"forge", "service --status-all", nil},
		{"forge", "service php8.4-fpm/../ssh reload", nil},
		{"forge", "service php8.4-fpm reload --now", nil},
		{"forge", "supervisorctl restart daemon-5:*", []string{"restart -- hostler-process-5@1.service", "restart -- hostler-process-5@2.service"}},
		{"forge", "supervisorctl stop daemon-5", []string{"stop -- hostler-process-5@1.service", "stop -- hostler-process-5@2.service"}},
		{"forge", "supervisorctl start daemon-5:daemon-5_00", []string{"start -- hostler-process-5@1.service", "start -- hostler-process-5@2.service"}},
		{"shop", "supervisorctl restart all", []string{"restart -- hostler-process-7@1.service"}},
		{"shop", "supervisorctl restart worker-7:*", []string{"restart -- hostler-process-7@1.service"}},
		{"forge", "supervisorctl restart daemon-7:*", nil},  // another tenant's
		{"forge", "supervisorctl restart daemon-50:*", nil}, // and one that begins alike
		{"forge", "supervisorctl restart daemon-99:*", nil}, // and one that is not there
		{"forge", "supervisorctl restart daemon-6", nil},    // stopped in the panel
		{"forge", "supervisorctl restart daemon-5:daemon-7_00", nil},
		{"forge", "supervisorctl restart daemon-*", nil},
		{"forge", "supervisorctl restart ../daemon-5", nil},
		{"forge", "supervisorctl restart", nil},
		{"forge", "supervisorctl shutdown", nil},
		{"forge", "supervisorctl -c /tmp/x restart all", nil},
		{"forge", "supervisorctl tail daemon-7", nil}, // what it says is another tenant's too
		{"forge", "supervisorctl tail ../process-7", nil},
		{"forge", "supervisorctl tail -f daemon-5", nil},
		{"forge", "supervisorctl reread", []string{}},
		{"forge", "supervisorctl update", []string{}},
	} {
		t.Run(c.caller+" "+strings.NewReplacer("/", "-", "*", "any").Replace(c.line), func(t *testing.T) {
			t.Parallel()
			h, asked, out := host(t, c.caller)
			args := strings.Fields(c.line)
			do := h.Supervisor
			if args[0] == "service" {
				do = h.Service
			}
			err := do(args[1:])
			if (err == nil) != (c.want != nil) || !slices.Equal(*asked, c.want) {
				t.Errorf("%v: systemctl was asked %q, want %q\n%s", err, *asked, c.want, out)
			}
		})
	}
}

// A process of another tenant is answered for like one that does not exist, and is in no list.
func TestProcessesOfOthersDoNotExist(t *testing.T) {
	t.Parallel()
	h, _, out := host(t, "forge")
	_, _ = h.Supervisor([]string{"restart", "daemon-7"}), h.Supervisor([]string{"restart", "daemon-9"})
	lines := strings.Split(out.String(), "\n")
	if len(lines) < 2 || lines[0] != strings.Replace(lines[1], "-9", "-7", 1) {
		t.Errorf("answers differ:\n%s", out)
	}
	out.Reset()
	if err := h.Supervisor([]string{"status"}); err != nil || strings.Contains(out.String(), "daemon-7") ||
		strings.Contains(out.String(), "daemon-50") || !strings.Contains(out.String(), "RUNNING") {
		t.Errorf("%v\n%s", err, out)
	}
	out.Reset()
	if err := h.Supervisor([]string{"--help"}); err != nil || !strings.Contains(out.String(), "daemon-ID") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Whatever bytes are given: only units of the caller's own are asked for, by whole arguments.
func FuzzArguments(f *testing.F) {
	f.Add("php8.4-fpm", "reload")
	f.Add("restart", "daemon-5:*")
	f.Add("restart", "daemon-7:daemon-5_00")
	f.Add("status", "--host=root@elsewhere")
	f.Fuzz(func(t *testing.T, first, second string) {
		h, asked, _ := host(t, "forge")
		_, _ = h.Service([]string{first, second}), h.Supervisor([]string{first, second})
		for _, line := range *asked {
			_, unit, _ := strings.Cut(line, " -- ")
			if unit != "php8.4-fpm.service" && unit != "hostler-process-5@1.service" && unit != "hostler-process-5@2.service" {
				t.Errorf("%q %q: %s", first, second, line)
			}
		}
	})
}
