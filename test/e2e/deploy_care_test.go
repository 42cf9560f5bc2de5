package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// status of a deployment, once it has it.
func (r *room) becomes(t testing.TB, site, id, status string) {
	t.Helper()
	r.Status(t, 2*time.Minute, site+"/deployments/"+id, status)
}

func (r *room) script(t testing.TB, site, content string) {
	t.Helper()
	r.Want(t, http.StatusOK, http.MethodPut, site+"/deployments/script", map[string]any{"content": content})
}

// left returns the processes of an account on the web server, except for PHP's own.
func (r *room) left(t testing.TB, user string) string {
	t.Helper()
	out, _ := r.server.Host.TryExec("sh", "-c", "ps -u "+user+" -o args= | grep -vE 'php-fpm|redis-server|memcached'") // the account has them for its sites
	return strings.TrimSpace(out)
}

// What can go wrong around a deployment: an unhealthy release, a cancel, a killed panel; and what goes with it: rollback, environment, commands, hook.
func TestDeployWithCare(t *testing.T) {
	r := newRoom(t)
	repo := r.repository(t, "shop", map[string]string{
		"public/index.php": "<?php echo 'shop 1 ', trim(@file_get_contents(__DIR__.'/../.env'));",
		"public/up.php":    "<?php echo 'up';",
	})
	site := r.site(t, map[string]any{
		"type":          "php",
		"name":          "shop.example.com",
		"repository":    repo,
		"branch":        "main",
		"is_isolated":   true,
		"isolated_user": "shop",
	})

	r.Want(t, http.StatusAccepted, http.MethodPut, site+"/environment", map[string]any{"environment": "COLOR=blue $(id) `id`\n"})
	r.Until(t, time.Minute, site+"/environment", "written", func(a panel.Answer) bool { return a.Data.Operation().State == "succeeded" })
	if mode := strings.TrimSpace(r.server.Host.Exec(t, "stat", "-c", "%a %U", "/home/shop/shop.example.com/.env")); mode != "600 shop" {
		t.Errorf(".env is %s", mode)
	}
	first := r.deployed(t, site)
	if got := r.serves(t, "shop.example.com", "/"); got != "200 shop 1 COLOR=blue $(id) `id`" {
		t.Errorf("the first deployment serves %q", got)
	}

	// A release that does not answer well is taken back.
	r.Want(t, http.StatusNoContent, http.MethodPut, site+"/healthcheck", map[string]any{"healthcheck_endpoint": "http://shop.example.com/up.php"})
	r.commit(t, "shop", "Broken", map[string]string{"public/index.php": "<?php echo 'shop 2';", "public/up.php": "<?php http_response_code(500);"})
	d := r.deploy(t, site)
	if d.Text("status") != "failed" || !strings.Contains(d.Operation().Reason, "500") {
		t.Errorf("an unhealthy release: %s %+v\n%s", d.Text("status"), d.Operation(), r.deployLog(t, site, d.ID))
	}
	if got := r.serves(t, "shop.example.com", "/"); !strings.HasPrefix(got, "200 shop 1") {
		t.Errorf("after an unhealthy release: %q", got)
	}

	// Back to the first, after a second that is well.
	r.commit(t, "shop", "Third", map[string]string{"public/index.php": "<?php echo 'shop 3';", "public/up.php": "<?php echo 'up';"})
	third := r.deployed(t, site)
	record := string(r.Want(t, http.StatusOK, http.MethodGet, r.server.Path("/events/"+third.Operation().EventID), nil).Body)
	if !strings.Contains(record, `"proof":{"result":"passed"`) || !strings.Contains(record, `"evidence":"http://shop.example.com/up.php on port 80 answers 200"`) {
		t.Errorf("the deployment was verified by its health check, and its event says %s", record)
	}
	a := r.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments/"+first.ID+"/rollback", nil)
	r.becomes(t, site, a.Data.ID, "finished")
	if got := r.serves(t, "shop.example.com", "/"); !strings.HasPrefix(got, "200 shop 1") {
		t.Errorf("after a rollback: %q", got)
	}
	a = r.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments/"+third.ID+"/redeploy", nil)
	r.becomes(t, site, a.Data.ID, "finished")
	if got := r.serves(t, "shop.example.com", "/"); got != "200 shop 3" {
		t.Errorf("after a redeployment: %q", got)
	}

	// Commands.
	c := r.Want(t, http.StatusAccepted, http.MethodPost, site+"/commands", map[string]any{"command": "whoami; pwd; exit 3"})
	cmd := r.Settled(t, time.Minute, site+"/commands/"+c.Data.ID)
	if out := r.Get(t, site+"/commands/"+c.Data.ID+"/output").Text("output"); cmd.Text("status") != "failed" ||
		fmt.Sprint(cmd.Attributes["exit_code"]) != "3" || !strings.HasPrefix(out, "shop\n/home/shop/shop.example.com/") {
		t.Errorf("command %v: %q", cmd.Attributes, out)
	}

	// Cancel leaves no process and no release, whatever hides from its group.
	r.script(t, site, "$CREATE_RELEASE()\nsetsid sleep 1000 &\n(sleep 1001 &)\necho waiting\nsleep 1002\n$ACTIVATE_RELEASE()\n")
	a = r.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments", nil)
	r.Until(t, time.Minute, site+"/deployments/"+a.Data.ID+"/log", "waiting",
		func(l panel.Answer) bool { return strings.Contains(l.Data.Text("output"), "waiting") })
	r.Want(t, http.StatusAccepted, http.MethodDelete, site+"/deployments/status", nil)
	r.becomes(t, site, a.Data.ID, "cancelled")
	if left := r.left(t, "shop"); left != "" {
		t.Errorf("left after a cancel: %s", left)
	}
	if dirs := r.server.Host.Exec(t, "ls", "/home/shop/shop.example.com/releases"); strings.Contains(" "+strings.ReplaceAll(dirs,
		"\n", " ")+" ", " "+a.Data.ID+" ") {
		t.Errorf("the cancelled release is left: %s", dirs)
	}

	// A panel that is killed midway attaches to the same run: the log continues where it was, and nothing is done twice.
	r.script(t, site, "$CREATE_RELEASE()\nfor i in 1 2 3 4 5 6; do echo line $i; sleep 1; done\n$ACTIVATE_RELEASE()\n")
	a = r.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments", nil)
	r.Until(t, time.Minute, site+"/deployments/"+a.Data.ID+"/log", "begun", func(l panel.Answer) bool { return strings.Contains(l.Data.Text("output"), "line 2") })
	r.Kill()
	if err := r.Up(); err != nil {
		t.Fatal(err)
	}
	r.becomes(t, site, a.Data.ID, "finished")
	log := r.deployLog(t, site, a.Data.ID)
	for i := 1; i <= 6; i++ {
		if n := strings.Count(log, fmt.Sprintf("line %d\n", i)); n != 1 {
			t.Errorf("line %d stands %d times in the log:\n%s", i, n, log)
		}
	}

	// Links of the site's user lead root nowhere.
	r.server.Host.Exec(t, "sh", "-c",
		"rm -f /home/shop/shop.example.com/.env && ln -s /etc/shadow /home/shop/shop.example.com/.env && chown -h shop:shop /home/shop/shop.example.com/.env")
	before := r.server.Host.Exec(t, "stat", "-c", "%a %U %s", "/etc/shadow")
	r.Want(t, http.StatusAccepted, http.MethodPut, site+"/environment", map[string]any{"environment": "COLOR=red\n"})
	r.Until(t, time.Minute, site+"/environment", "settled", func(a panel.Answer) bool { s := a.Data.Operation().State; return s == "succeeded" || s == "failed" })
	if after := r.server.Host.Exec(t, "stat", "-c", "%a %U %s", "/etc/shadow"); after != before {
		t.Errorf("/etc/shadow was %s and is %s", before, after)
	}

	// The hook.
	url := r.Get(t, site+"/deployments/deploy-hook").Text("url")
	resp, err := http.Post(url, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		t.Errorf("hook: %s", resp.Status)
	}
	r.Until(t, time.Minute, site+"/deployments/status", "finished", func(a panel.Answer) bool { return a.Data.Text("status") == "finished" })
}
