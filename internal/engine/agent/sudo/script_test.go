package sudo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/agent/sudo"
)

// Every way in which people's scripts reload PHP reaches the caller's own; nothing else is another command than what the script has.
func TestScriptsReloadAsTheyDidElsewhere(t *testing.T) {
	t.Parallel()
	const php, all, nginx, test, same = "-n service php8.3-fpm reload", "-n supervisorctl restart all", sudo.NginxIsReloaded, sudo.NginxIsTested, ""
	for line, want := range map[string]string{
		"-S service php8.3-fpm reload":                      php,
		"-S /usr/sbin/service php8.3-fpm reload":            php,
		"-n /sbin/service php8.3-fpm restart":               php,
		"service php8.3-fpm force-reload":                   php,
		"systemctl reload php8.3-fpm":                       php,
		"systemctl restart php8.3-fpm.service":              php,
		"-S -- /bin/systemctl reload-or-restart php8.3-fpm": php,
		"-n -H /usr/bin/systemctl try-restart php8.3-fpm":   php,
		"/etc/init.d/php8.3-fpm reload":                     php,
		"service nginx reload":                              nginx,
		"-S /usr/sbin/service nginx restart":                nginx,
		"systemctl reload nginx.service":                    nginx,
		"nginx -s reload":                                   nginx,
		"/etc/init.d/nginx force-reload":                    nginx,
		"service supervisor restart":                        all,
		"-S systemctl restart supervisor.service":           all,
		"/etc/init.d/supervisor reload":                     all,
		"service supervisor stop":                           same,
		"systemctl stop nginx":                              same,
		"systemctl reload php8.3-fpm nginx":                 php,
		"-S systemctl restart nginx.service php8.3-fpm":     php,
		"systemctl restart php8.3-fpm mysql":                same,
		"systemctl restart nginx nginx":                     same,
		"systemctl stop php8.3-fpm nginx":                   same,
		"nginx -t":                                          test,
		"-S /usr/sbin/nginx -tq":                            test,
		"service nginx configtest":                          test,
		"nginx -t -c /tmp/nginx.conf":                       same,
		"nginx":                                             same,
		"systemctl reload --now php8.3-fpm":                 same,
		"systemctl --root=/tmp reload php8.3-fpm":           same,
		"systemctl reload hostler-php8.3-site-3":            same,
		"/tmp/service php8.3-fpm reload":                    same,
		"/usr/sbin/../../tmp/service php8.3-fpm reload":     same,
		"-u tenant service php8.3-fpm reload":               same,
		"-S supervisorctl restart all":                      same,
		"-S apt-get install service php8.3-fpm reload":      same,
		"-k":                   same,
		"":                     same,
		"service --status-all": same,
		"/etc/init.d/../../tmp/php8.3-fpm reload":               same,
		"systemctl reload php8.3-fpm;id":                        same,
		"-S service php8.3-fpm reload reload":                   same,
		"nginx -s reload -c /tmp/nginx.conf":                    same,
		"systemctl daemon-reload":                               same,
		"-E PHP=1 /usr/sbin/service php8.3-fpm reload":          same,
		"--preserve-env=PATH /usr/sbin/service php8.3-fpm stop": same,
	} {
		args := strings.Fields(line)
		to, said := sudo.Rewrite(args, func([]string) bool { return false })
		switch {
		case (want == nginx || want == test) && said == want:
		case want == same && said == "" && slices.Equal(to, args):
		case (want == php || want == all) && said == "" && strings.Join(to, " ") == want:
		default:
			t.Errorf("sudo %s: %q, said %q", line, to, said)
		}
		if to, said = sudo.Rewrite(args, func([]string) bool { return true }); want != php && (said != "" || !slices.Equal(to, args)) {
			t.Errorf("sudo %s, which another rule allows: %q, said %q", line, to, said)
		}
	}
}

// A script that asks for its own account needs no right; nothing else is taken for that.
func TestScriptsMayBeWhoTheyAre(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"-u forge -H php artisan migrate": "php artisan migrate",
		"-n --user=forge composer -V":     "composer -V",
		"-H -u forge bash -c x":           "bash -c x",
		"-u tenant php -v":                "",
		"-u forge -u root php -v":         "",
		"--user=root -u www-data php":     "",
		"-u forge":                        "",
		"-u":                              "",
		"-u forge -i php":                 "",
		"-u forge PATH=/tmp php":          "",
		"-u root php -u forge":            "",
		"php -u forge":                    "",
		"":                                "",
	} {
		if got := strings.Join(sudo.Own(strings.Fields(line), "forge"), " "); got != want {
			t.Errorf("sudo %s: %q, want %q", line, got, want)
		}
		if got := sudo.Own(strings.Fields(line), ""); got != nil {
			t.Errorf("sudo %s, of an account without a name: %q", line, got)
		}
	}
}

// What a background process wrote is shown to its own account.
func TestLogsOfProcessesAreTheirOwn(t *testing.T) {
	t.Parallel()
	h, _, out := host(t, "forge")
	for line, want := range map[string]string{
		"tail daemon-5":        "first\nlast\n",
		"tail -5 daemon-5":     "last\n",
		"tail daemon-5 stderr": "first\nlast\n",
		"tail worker-6":        "", // has written nothing yet
	} {
		out.Reset()
		if err := h.Supervisor(strings.Fields(line)); err != nil || out.String() != want {
			t.Errorf("%s: %v %q, want %q", line, err, out, want)
		}
	}
	for _, line := range []string{
		"tail daemon-7", "tail daemon-7 stdout", "tail -99999999 worker-7", "tail", "tail all", "tail -0 daemon-5",
		"tail -5x daemon-5",
	} {
		out.Reset()
		if err := h.Supervisor(strings.Fields(line)); err == nil || strings.Contains(out.String(), "shop") {
			t.Errorf("%s: %v %q", line, err, out)
		}
	}
}
