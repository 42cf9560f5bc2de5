package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// What a server says of itself while it is set up, and what a site with releases says and has: all of it is so on the host.
func TestWhatIsSaidIsSo(t *testing.T) {
	panel.BuildImage(t)
	bed := hosts.Shared(t, 3, hosts.Image(panel.Image), hosts.Fresh())
	p := panel.Start(t, bed)
	r := &room{Panel: p, git: bed.Host(2)}

	balancer := p.Add(t, bed.Host(3), "loadbalancer")
	p.Ready(t, balancer)

	// The newest line is the one that works. The node gets no traffic before it is set up.
	server, line := p.Create(t, bed.Host(1), "web")
	r.server = server
	spread := p.Want(t, http.StatusAccepted, http.MethodPost, balancer.Path("/sites/balancer"), map[string]any{
		"domain": "spread.example.com", "balancing": []any{map[string]any{"server_id": number(server.ID)}},
	}).Data
	if got := p.Settled(t, time.Minute, "/sites/"+spread.ID); got.Text("status") != "installed" {
		t.Fatalf("the balanced site is %s: %+v", got.Text("status"), got.Operation())
	}
	node := func() string {
		out := balancer.Host.Exec(t, "sh", "-c", "cat /etc/nginx/conf.d/40-site-*-nodes.conf")
		for l := range strings.Lines(out) {
			if strings.Contains(l, bed.Host(1).IP+":80") {
				return strings.TrimSpace(l)
			}
		}
		t.Fatalf("the node is not in\n%s", out)
		return ""
	}
	if got := node(); !strings.Contains(got, "down") {
		t.Errorf("a server that was never contacted gets traffic: %s", got)
	}
	again := p.Want(t, http.StatusOK, http.MethodPost, server.Path("/line"), nil).Data.Meta.Bootstrap.Command
	if out, err := bed.Host(1).TryExec("sh", "-c", line); err == nil {
		t.Errorf("the line from before works: %s", out)
	}
	if out, err := bed.Host(1).TryExec("sh", "-c", again); err != nil || !strings.Contains(out, "Asking for") {
		t.Fatalf("the new line: %v\n%s", err, out)
	}
	p.Until(t, 3*time.Minute, server.Path(""), "set up", func(a panel.Answer) bool {
		if step := a.Data.Operation().Step; step != "" && step != "look at the server" && a.Data.Text("connection_status") != "connected" {
			t.Errorf("it is %s at %q", a.Data.Text("connection_status"), step)
		}
		return a.Data.Attributes["is_ready"] == true || a.Data.Operation().State == "failed"
	})
	p.Ready(t, server)
	hosts.Eventually(t, time.Minute, "the balancer takes the node in", func() error {
		if got := node(); strings.Contains(got, "down") {
			return fmt.Errorf("%s", got)
		}
		return nil
	})

	r.prepareGit(t)
	repo := r.repository(t, "shop", map[string]string{
		"public/index.php": "<?php echo 'shop 1 ', trim(@file_get_contents(__DIR__.'/../.env'));",
		"artisan":          "<?php exit(is_file(__DIR__.'/bad') ? 1 : 0);",
	})
	site := r.site(t, map[string]any{
		"type":          "php",
		"name":          "shop.example.com",
		"repository":    repo,
		"branch":        "main",
		"is_isolated":   true,
		"isolated_user": "shop",
	})
	id := site[strings.LastIndex(site, "/")+1:]
	says := func(status, tried string) {
		t.Helper()
		if a := r.Get(t, "/sites/"+id); a.Text("status") != status || a.Text("deployment_status") != tried {
			t.Errorf("the site is %q and %q, want %q and %q", a.Text("status"), a.Text("deployment_status"), status, tried)
		}
	}
	says("installed", "")
	r.deployed(t, site)
	says("deployed", "finished")
	r.script(t, site, "$CREATE_RELEASE()\nexit 1\n")
	if d := r.deploy(t, site); d.Text("status") != "failed" {
		t.Fatalf("a script that fails is %s", d.Text("status"))
	}
	says("deployed", "failed")

	// The first .env: the live release has it, and commands that were asked for after it.
	r.Want(t, http.StatusAccepted, http.MethodPut, site+"/environment", map[string]any{"environment": "COLOR=blue\n"})
	c := r.Want(t, http.StatusAccepted, http.MethodPost, site+"/commands", map[string]any{"command": "cat .env"})
	cmd := r.Settled(t, time.Minute, site+"/commands/"+c.Data.ID)
	if out := r.Get(t, site+"/commands/"+c.Data.ID+"/output").Text("output"); cmd.Text("status") != "finished" || !strings.Contains(out, "COLOR=blue") {
		t.Errorf("a command after the first .env: %v %q", cmd.Attributes, out)
	}
	r.eventually(t, "shop.example.com", "200 shop 1 COLOR=blue")
	if mode := strings.TrimSpace(r.server.Host.Exec(t, "stat", "-c", "%a %U", "/home/shop/shop.example.com/.env")); mode != "600 shop" {
		t.Errorf(".env is %s", mode)
	}

	// One that the application can't be notified of is missing, and not shown.
	r.server.Host.Exec(t, "runuser", "-u", "shop", "--", "touch", "/home/shop/shop.example.com/current/bad")
	r.Want(t, http.StatusAccepted, http.MethodPut, site+"/environment", map[string]any{"environment": "COLOR=red\n", "cache": true})
	a, _ := r.Until(t, time.Minute, site+"/environment", "failed", func(a panel.Answer) bool { return a.Data.Operation().State == "failed" })
	if got := r.server.Host.Exec(t, "cat", "/home/shop/shop.example.com/.env"); got != "COLOR=blue\n" || a.Data.Text("content") != got {
		t.Errorf("after one that failed the host has %q, and %q is shown", got, a.Data.Text("content"))
	}
}
