package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// artisan is a program with the verbs of Laravel's, as far as a server has to do with them: the real one can't be fetched in a test.
const artisan = `#!/usr/bin/env php
<?php
$verb = $argv[1] ?? '';
$rest = implode(' ', array_slice($argv, 2));
$release = basename(getcwd());
$stop = __DIR__ . '/storage/stop';
switch ($verb) {
case 'down': file_put_contents(__DIR__ . '/storage/down', $rest); break;
case 'up': unlink(__DIR__ . '/storage/down'); break;
case 'horizon':
    pcntl_async_signals(true);
    pcntl_signal(SIGTERM, function () { echo "horizon ends\n"; exit(0); });
    $told = @filemtime($stop);
    echo "horizon of ", trim(file_get_contents('version')), "\n";
    while (true) { usleep(100000); clearstatcache(); if (@filemtime($stop) !== $told) { echo "horizon begins anew\n"; exit(0); } }
case 'horizon:terminate': touch($stop, time() + mt_rand(1, 100000)); break;
case 'schedule:run': echo "scheduled as ", posix_getpwuid(posix_geteuid())['name'], "\n"; break;
case 'octane:start':
    preg_match('/--port=(\d+)/', $rest, $m);
    pcntl_exec(PHP_BINARY, ['-S', "127.0.0.1:$m[1]", __DIR__ . '/octane.php']);
}
`

func laravelFiles(version string) map[string]string {
	return map[string]string{
		"artisan": artisan, "version": version + "\n", "storage/logs/.keep": "",
		"octane.php": "<?php echo 'octane ', trim(file_get_contents(__DIR__ . '/version'));",
		"public/index.php": "<?php file_put_contents(__DIR__ . '/../storage/logs/laravel.log', \"asked $_SERVER[REQUEST_URI]\\n\", FILE_APPEND); echo 'fpm " +
			"', trim(file_get_contents(__DIR__ . '/../version'));",
		"composer.lock": `{"packages": [{"name": "laravel/framework", "version": "v12.1.0"}, {"name": "laravel/horizon", "version": "v5.30.1"}, ` +
			`{"name": "laravel/octane", "version": "v2.8.1"}, {"name": "laravel/reverb", "version": "v1.4.0"}]}`,
	}
}

// event is the state of the work that an answer began.
func (r *room) event(t *testing.T, a panel.Answer) {
	t.Helper()
	path := r.server.Path("/events/" + a.Header.Get("X-Hostler-Event"))
	if got := r.Settled(t, 2*time.Minute, path); got.Operation().State != "succeeded" {
		t.Fatalf("%s is %s: %s\n%s", path, got.Operation().State, got.Operation().Reason, r.Output(t, r.server, got.ID))
	}
}

func (r *room) wantHost(t *testing.T, want string, argv ...string) {
	t.Helper()
	if out, err := r.server.Host.TryExec(argv...); strings.TrimSpace(out) != want {
		t.Errorf("%s says %q (%v), want %q", strings.Join(argv, " "), strings.TrimSpace(out), err, want)
	}
}

// A site with Laravel's shape gets its integrations on its server: a background program, a job of every minute, a maintenance
// page, its own server instead of PHP-FPM; and loses them again.
func TestIntegrations(t *testing.T) {
	r := newRoom(t)
	repo := r.repository(t, "app", laravelFiles("one"))
	site := r.site(t, map[string]any{
		"type":                    "laravel",
		"name":                    "app.example.com",
		"repository":              repo,
		"branch":                  "main",
		"source_control_provider": "custom",
		"is_isolated":             true,
		"isolated_user":           "app",
	})
	at := site + "/integrations/"
	if got := r.Get(t, at+"horizon"); got.Attributes["horizon_installed"] != false || got.Text("enabled") != "false" {
		t.Errorf("before anything is deployed: %v", got.Attributes)
	}
	r.Want(t, http.StatusBadRequest, http.MethodPost, at+"horizon", nil)
	r.deployed(t, site)
	if got := r.Get(t, at+"horizon"); got.Attributes["horizon_installed"] != true {
		t.Fatalf("composer.lock has Horizon: %v", got.Attributes)
	}
	r.Want(t, http.StatusBadRequest, http.MethodPost, at+"pulse", nil)

	t.Run("horizon", func(t *testing.T) { r.horizon(t, site) })
	t.Run("scheduler", func(t *testing.T) { r.scheduler(t, site) })
	t.Run("maintenance", func(t *testing.T) {
		r.event(t, r.Want(t, http.StatusAccepted, http.MethodPost, at+"laravel-maintenance",
			map[string]any{"status": 503, "secret": "let-me-in", "redirect": "/soon"}))
		r.wantHost(t, "--status=503 --secret=let-me-in --redirect=/soon", "cat", "/home/app/app.example.com/storage/down")
		if got := r.Get(t, at+"laravel-maintenance"); got.Attributes["enabled"] != true || got.Attributes["status"] != nil {
			t.Errorf("the page is up: %v", got.Attributes)
		}
		r.event(t, r.Want(t, http.StatusAccepted, http.MethodDelete, at+"laravel-maintenance", nil))
		r.wantHost(t, "no", "sh", "-c", "test -e /home/app/app.example.com/storage/down && echo yes || echo no")
		if got := r.Get(t, at+"laravel-maintenance"); got.Attributes["enabled"] != false {
			t.Errorf("the page is down: %v", got.Attributes)
		}
	})
	t.Run("octane", func(t *testing.T) {
		if got := r.serves(t, "app.example.com", "/"); !strings.HasPrefix(got, "200 fpm") {
			t.Errorf("before Octane: %q", got)
		}
		r.Want(t, http.StatusUnprocessableEntity, http.MethodPost, at+"octane", map[string]any{"port": "80", "server": "swoole"})
		r.event(t, r.Want(t, http.StatusAccepted, http.MethodPost, at+"octane", map[string]any{"port": "8100", "server": "swoole"}))
		r.served(t, "200 octane")
		r.event(t, r.Want(t, http.StatusAccepted, http.MethodDelete, at+"octane", nil))
		r.served(t, "200 fpm")
	})
	t.Run("logs", func(t *testing.T) { r.logs(t, site) })
	t.Run("credentials", func(t *testing.T) { r.credentials(t, site) })

	r.Want(t, http.StatusAccepted, http.MethodDelete, site, nil)
	r.Gone(t, 2*time.Minute, site[strings.Index(site, "/sites/"):])
	r.wantHost(t, "", "sh", "-c", "ls /etc/systemd/system /etc/systemd/system/multi-user.target.wants /etc/cron.d | grep -e hostler-process -e "+
		"hostler-job; systemctl list-units --no-legend --all 'hostler-process*'")
}

// served waits until the site gives this answer: nginx and the program are changed by separate work.
func (r *room) served(t *testing.T, want string) {
	t.Helper()
	got := ""
	for range 600 {
		if got = r.serves(t, "app.example.com", "/"); strings.HasPrefix(got, want) {
			return
		}
		r.Get(t, r.server.Path("")) // takes a moment
	}
	t.Errorf("the site answers %q, want %q", got, want)
}

func (r *room) horizon(t *testing.T, site string) {
	a := r.Want(t, http.StatusAccepted, http.MethodPost, site+"/integrations/horizon", nil)
	r.event(t, a)
	list := r.Want(t, http.StatusOK, http.MethodGet, r.server.Path("/background-processes"), nil).List
	if len(list) != 1 || list[0].Text("command") != "php artisan horizon" || list[0].Text("user") != "app" {
		t.Fatalf("the processes are %v", list)
	}
	path := r.server.Path("/background-processes/" + list[0].ID)
	r.Status(t, time.Minute, path, "running")
	unit := "hostler-process-" + list[0].ID + "@1.service"
	r.wantHost(t, "active", "systemctl", "is-active", unit)
	r.wantHost(t, "app", "sh", "-c", "ps -o user= -p $(systemctl show -p MainPID --value "+unit+")")
	r.until(t, path+"/log", "content", "horizon of one")
	if script := r.Get(t, site+"/deployments/script").Text("content"); !strings.Contains(script, "artisan horizon:terminate\n") {
		t.Errorf("the deploy script does not tell Horizon: %q", script)
	}
	// A deployment restarts it, in the new release.
	r.commit(t, "app", "Second", map[string]string{"version": "two\n"})
	r.deployed(t, site)
	r.until(t, path+"/log", "content", "horizon of two")
	// A process that dies is started again, one that is stopped stays so.
	r.server.Host.Exec(t, "systemctl", "kill", "--signal=KILL", unit)
	r.until(t, path+"/log", "content", "horizon of two\nhorizon of two")
	for _, step := range []struct{ action, status, unit string }{
		{"stop", "stopped", "inactive"},
		{"start", "running", "active"},
		{"restart", "running", "active"},
	} {
		r.event(t, r.Want(t, http.StatusAccepted, http.MethodPost, path+"/actions", map[string]any{"action": step.action}))
		r.Status(t, time.Minute, path, step.status)
		r.wantHost(t, step.unit, "systemctl", "is-active", unit)
	}
	r.event(t, r.Want(t, http.StatusAccepted, http.MethodPut, path, map[string]any{"name": "Horizon", "config": "command=php artisan horizon\nnumprocs=2\n"}))
	r.wantHost(t, "active\nactive", "systemctl", "is-active", unit, strings.Replace(unit, "@1", "@2", 1))
	r.Want(t, http.StatusConflict, http.MethodDelete, path, nil)
	r.event(t, r.Want(t, http.StatusAccepted, http.MethodDelete, site+"/integrations/horizon", nil))
	r.Gone(t, time.Minute, path)
	r.wantHost(t, "", "sh", "-c", "ls /etc/systemd/system | grep hostler-process; ls /var/lib/hostler/processes")
	if script := r.Get(t, site+"/deployments/script").Text("content"); strings.Contains(script, "horizon") {
		t.Errorf("the deploy script still tells Horizon: %q", script)
	}
	// What can't be started is reported.
	bad := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/background-processes"), map[string]any{
		"name":      "bad",
		"command":   "true",
		"user":      "forge",
		"directory": "/nowhere",
		"processes": 1,
	}).Data.ID
	r.Status(t, time.Minute, r.server.Path("/background-processes/"+bad), "backoff")
	r.Want(t, http.StatusAccepted, http.MethodDelete, r.server.Path("/background-processes/"+bad), nil)
	r.Gone(t, time.Minute, r.server.Path("/background-processes/"+bad))
}

// until waits for a text in an attribute of what is asked of the server.
func (r *room) until(t *testing.T, path, name, want string) {
	t.Helper()
	r.Until(t, 2*time.Minute, path, "with "+want, func(a panel.Answer) bool { return strings.Contains(a.Data.Text(name), want) })
}

func (r *room) scheduler(t *testing.T, site string) {
	r.event(t, r.Want(t, http.StatusAccepted, http.MethodPost, site+"/integrations/laravel-scheduler", nil))
	jobs := r.Want(t, http.StatusOK, http.MethodGet, site+"/scheduled-jobs", nil).List
	if len(jobs) != 1 || jobs[0].Text("cron") != "* * * * *" || jobs[0].Text("status") != "installed" {
		t.Fatalf("the jobs are %v", jobs)
	}
	output := site + "/scheduled-jobs/" + jobs[0].ID + "/output"
	r.until(t, output, "output", "scheduled as app\n")
	if text := r.Get(t, output).Text("output"); !strings.Contains(text, " exit 0 after ") {
		t.Errorf("the output is %q", text)
	}
	// A heartbeat is called by its job.
	r.Want(t, http.StatusAccepted, http.MethodPost, site+"/scheduled-jobs", map[string]any{
		"command":   "exit 0 # 100% fine",
		"user":      "app",
		"frequency": "minutely",
		"heartbeat": true,
	})
	beats := r.Want(t, http.StatusOK, http.MethodGet, site+"/heartbeats", nil).List
	if len(beats) != 1 || beats[0].Text("status") != "pending" {
		t.Fatalf("the heartbeats are %v", beats)
	}
	r.Status(t, 2*time.Minute, site+"/heartbeats/"+beats[0].ID, "beating")
	r.event(t, r.Want(t, http.StatusAccepted, http.MethodDelete, site+"/integrations/laravel-scheduler", nil))
	r.Gone(t, time.Minute, site+"/scheduled-jobs/"+jobs[0].ID)
	r.wantHost(t, "no", "sh", "-c", "test -e /etc/cron.d/hostler-job-"+jobs[0].ID+" && echo yes || echo no")
}

func (r *room) logs(t *testing.T, site string) {
	for kind, want := range map[string]string{"nginx-access": "GET /page-2 HTTP/1.1", "application": "asked /page-2\n"} {
		path := site + "/logs/" + kind
		r.event(t, r.Want(t, http.StatusAccepted, http.MethodDelete, path, nil)) // the other turn's requests are in it
		for i := range 3 {
			r.serves(t, "app.example.com", fmt.Sprintf("/page-%d", i))
		}
		r.until(t, path, "content", want)
		r.until(t, path, "content", "page-1")
		if got := r.Get(t, path+"?search=PAGE-1").Text("content"); strings.Count(got, "\n") != 1 || !strings.Contains(got, "page-1") {
			t.Errorf("searching in %s finds %q", kind, got)
		}
		// nginx logs requests once they are over, those of two workers in any order.
		all := r.Get(t, path).Text("content")
		if got := r.Get(t, path+"?lines=1").Text("content"); strings.Count(got, "\n") != 1 || !strings.HasSuffix(all, got) {
			t.Errorf("the last line of %s is %q, of all of it %q", kind, got, all)
		}
		r.event(t, r.Want(t, http.StatusAccepted, http.MethodDelete, path, nil))
		if got := r.Get(t, path).Text("content"); got != "" {
			t.Errorf("emptied, %s is %q", kind, got)
		}
		r.serves(t, "app.example.com", "/again")
		r.until(t, path, "content", "/again")
	}
	// The site's user makes its log a link to a foreign file: nothing is shown, and nothing is emptied.
	log := "/home/app/app.example.com/storage/logs/laravel.log"
	before := r.server.Host.Exec(t, "sha256sum", "/etc/shadow")
	for _, plant := range []string{"ln -sf /etc/shadow " + log, "rm -f " + log + " && ln /etc/shadow " + log, "rm -rf " + log + " && mkfifo " + log} {
		r.server.Host.Exec(t, "sh", "-c", plant+" && chown -h app:app "+log+" || true")
		r.server.Host.Exec(t, "chown", "root:shadow", "/etc/shadow") // a hard link shares its owner
		a, err := r.Do(http.MethodGet, site+"/logs/application", nil)
		if err != nil || strings.Contains(a.Body, "root:") {
			t.Errorf("%s: shows %s (%v)", plant, a.Body, err)
		}
		cleared := r.Want(t, http.StatusAccepted, http.MethodDelete, site+"/logs/application", nil)
		r.Settled(t, time.Minute, r.server.Path("/events/"+cleared.Header.Get("X-Hostler-Event")))
		if after := r.server.Host.Exec(t, "sha256sum", "/etc/shadow"); after != before {
			t.Fatalf("%s: /etc/shadow was changed", plant)
		}
	}
	r.server.Host.Exec(t, "rm", "-f", log)
	if got := r.Get(t, r.server.Path("/logs/nginx-error")); got.Type != "serverLogs" {
		t.Errorf("the server's log is %v", got)
	}
	r.until(t, r.server.Path("/logs/system?lines=50"), "content", "\n")
}

func (r *room) credentials(t *testing.T, site string) {
	const base = "/home/app/app.example.com"
	r.event(t, r.Want(t, http.StatusAccepted, http.MethodPost, site+"/composer/credentials", map[string]any{
		"repository": "https://packages.example.com/acme", "username": "anna", "password": `ge"heim`,
	}))
	r.wantHost(t, "600 app app", "stat", "-c", "%a %U %G", base+"/auth.json")
	if text := string(r.server.Host.ReadFile(t, base+"/auth.json")); !strings.Contains(text, `"packages.example.com": {`) ||
		!strings.Contains(text, `"password": "ge\"heim"`) {
		t.Errorf("auth.json is %q", text)
	}
	one := site + "/composer/credentials/packages.example.com"
	if got := r.Get(t, one); got.Text("username") != "anna" || got.Text("password") != "" {
		t.Errorf("the credential is shown as %v", got.Attributes)
	}
	r.event(t, r.Want(t, http.StatusAccepted, http.MethodPut, one, map[string]any{"repository": "packages.example.com", "username": "bert", "password": ""}))
	if text := string(r.server.Host.ReadFile(t, base+"/auth.json")); !strings.Contains(text, `"bert"`) || !strings.Contains(text, `"password": "ge\"heim"`) {
		t.Errorf("auth.json is %q", text)
	}
	r.event(t, r.Want(t, http.StatusAccepted, http.MethodDelete, one, nil))
	r.Gone(t, time.Minute, one)
	r.wantHost(t, "no", "sh", "-c", "test -e "+base+"/auth.json && echo yes || echo no")

	r.event(t, r.Want(t, http.StatusAccepted, http.MethodPost, site+"/npm/credentials", map[string]any{
		"registry": "https://npm.example.com/acme/", "token": "npm_abc", "scopes": []string{"@acme"},
	}))
	r.wantHost(t, "600 app app", "stat", "-c", "%a %U %G", base+"/.npmrc.hostler")
	if text := string(r.server.Host.ReadFile(t, base+"/.npmrc.hostler")); !strings.HasSuffix(text,
		"@acme:registry=https://npm.example.com/acme/\n//npm.example.com/acme/:_authToken=npm_abc\n") {
		t.Errorf("npm's file is %q", text)
	}
	// Deployments get its address.
	script := r.Get(t, site+"/deployments/script").Text("content")
	r.Want(t, http.StatusOK, http.MethodPut, site+"/deployments/script", map[string]any{"content": script + "echo \"npm reads $NPM_CONFIG_USERCONFIG\"\n"})
	d := r.deployed(t, site)
	if text := r.deployLog(t, site, d.ID); !strings.Contains(text, "npm reads "+base+"/.npmrc.hostler") {
		t.Errorf("the deployment says %q", text)
	}
	two := site + "/npm/credentials/npm.example.com%2Facme"
	r.Get(t, two)
	r.event(t, r.Want(t, http.StatusAccepted, http.MethodDelete, two, nil))
	r.Gone(t, time.Minute, two)
	r.wantHost(t, "no", "sh", "-c", "test -e "+base+"/.npmrc.hostler && echo yes || echo no")
}
