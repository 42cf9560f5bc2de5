package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// room is a panel with one web server and a third-party Git server.
type room struct {
	*panel.Panel
	server panel.Server
	git    *hosts.Host
}

func newRoom(t testing.TB) *room {
	t.Helper()
	panel.BuildImage(t)
	return newRoomOf(t, panel.Image)
}

func newRoomOf(t testing.TB, image string) *room {
	t.Helper()
	return roomOn(t, hosts.Shared(t, 2, hosts.Image(image), hosts.Fresh()))
}

// roomOn returns a room on the first two hosts of a bed.
func roomOn(t testing.TB, bed *hosts.Bed) *room {
	t.Helper()
	p := panel.Start(t, bed)
	r := &room{Panel: p, git: bed.Host(2)}
	r.server = p.Add(t, bed.Host(1), "web")
	p.Ready(t, r.server)
	r.prepareGit(t)
	return r
}

// prepareGit makes the second host a Git server.
func (r *room) prepareGit(t testing.TB) {
	t.Helper()
	r.git.ServeGit(t)
}

// installed waits until a site is installed, packages and all.
func (r *room) installed(t testing.TB, id string) {
	t.Helper()
	s := r.Settled(t, 15*time.Minute, "/sites/"+id)
	if s.Operation().State != "succeeded" {
		t.Fatalf("the site is %s: %+v\n%s", s.Text("status"), s.Operation(), r.Output(t, r.server, s.Operation().EventID))
	}
}

// repository makes a repository on the Git server with these files; commit adds to it.
func (r *room) repository(t testing.TB, name string, files map[string]string) string {
	t.Helper()
	r.git.Exec(t, "sh", "-c", fmt.Sprintf("git init -q --bare /home/git/%s.git && git clone -q /home/git/%s.git /root/%s", name, name, name))
	r.commit(t, name, "First", files)
	return fmt.Sprintf("ssh://git@%s/home/git/%s.git", r.git.IP, name)
}

func (r *room) commit(t testing.TB, name, message string, files map[string]string) {
	t.Helper()
	for path, content := range files {
		full := "/root/" + name + "/" + path
		r.git.Exec(t, "mkdir", "-p", full[:strings.LastIndex(full, "/")])
		r.git.WriteFile(t, full, []byte(content), 0o644)
	}
	r.git.Exec(t, "sh", "-c",
		fmt.Sprintf("cd /root/%s && git add -A && git commit -q -m '%s' && git push -q origin HEAD:main && chown -R git:git /home/git/%s.git", name, message, name))
}

// site creates a site and waits until it is installed; the Git server accepts its deploy key.
func (r *room) site(t testing.TB, body map[string]any) string {
	t.Helper()
	a := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), body)
	path := r.server.Path("/sites/" + a.Data.ID)
	s := r.Settled(t, 2*time.Minute, "/sites/"+a.Data.ID)
	if s.Text("status") != "installed" {
		t.Fatalf("the site is %s: %+v\n%s", s.Text("status"), s.Operation(), r.Output(t, r.server, s.Operation().EventID))
	}
	r.letIn(t, path)
	return path
}

// letIn lets a site's deploy key in to the Git server.
func (r *room) letIn(t testing.TB, site string) {
	t.Helper()
	key := r.Get(t, site+"/deploy-key").Text("key")
	if !strings.HasPrefix(key, "ssh-ed25519 ") {
		t.Fatalf("deploy key %q", key)
	}
	r.git.Exec(t, "sh", "-c",
		fmt.Sprintf("echo '%s' >> /home/git/.ssh/authorized_keys && chown git:git /home/git/.ssh/authorized_keys && chmod 600 /home/git/.ssh/authorized_keys", key))
}

// deploy deploys a site and returns the deployment as it ended.
func (r *room) deploy(t testing.TB, site string) panel.Resource {
	t.Helper()
	return r.deployWithin(t, site, 2*time.Minute)
}

func (r *room) deployWithin(t testing.TB, site string, within time.Duration) panel.Resource {
	t.Helper()
	a := r.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments", nil)
	if a.Data.Text("status") != "queued" {
		t.Errorf("accepted as %q", a.Data.Text("status"))
	}
	return r.Settled(t, within, site+"/deployments/"+a.Data.ID)
}

func (r *room) deployed(t testing.TB, site string) panel.Resource {
	t.Helper()
	d := r.deploy(t, site)
	if d.Text("status") != "finished" {
		t.Fatalf("the deployment is %s: %+v\n%s", d.Text("status"), d.Operation(), r.deployLog(t, site, d.ID))
	}
	return d
}

func (r *room) deployLog(t testing.TB, site, id string) string {
	t.Helper()
	return r.Get(t, site+"/deployments/"+id+"/log").Text("output")
}

// serves asks the web server for a page of a site.
func (r *room) serves(t testing.TB, name, path string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+r.server.Host.IP+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = name
	resp, err := (&http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var b strings.Builder
	if _, err := fmt.Fprintf(&b, "%d ", resp.StatusCode); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	for {
		n, err := resp.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return strings.TrimSpace(b.String())
		}
	}
}

// A PHP site and a static one come from a Git server over SSH, are deployed, pushed to and deployed again, and served.
func TestDeployOverSSH(t *testing.T) {
	r := newRoom(t)
	keep := os.Getenv("HOSTLER_KEEP") != ""
	t.Cleanup(func() {
		if keep && t.Failed() {
			time.Sleep(10 * time.Minute)
		}
	})
	php := r.repository(t, "shop", map[string]string{"public/index.php": "<?php echo 'shop 1 as ', posix_getpwuid(posix_geteuid())['name'];"})
	site := r.site(t, map[string]any{
		"type":                    "php",
		"name":                    "shop.example.com",
		"repository":              php,
		"branch":                  "main",
		"source_control_provider": "custom",
		"is_isolated":             true,
		"isolated_user":           "shop",
	})
	if got := r.serves(t, "shop.example.com", "/"); !strings.HasPrefix(got, "200 Ready") {
		t.Errorf("before the first deployment: %q", got)
	}
	d := r.deployed(t, site)
	if got := r.serves(t, "shop.example.com", "/"); got != "200 shop 1 as shop" {
		t.Errorf("the first deployment serves %q", got)
	}
	commit := d.Attributes["commit"].(map[string]any)
	if commit["message"] != "First" || commit["author"] != "Ada Author" || commit["branch"] != "main" || len(fmt.Sprint(commit["hash"])) != 40 {
		t.Errorf("commit %v", commit)
	}
	r.commit(t, "shop", "Second", map[string]string{"public/index.php": "<?php echo 'shop 2';"})
	r.deployed(t, site)
	if got := r.serves(t, "shop.example.com", "/"); got != "200 shop 2" {
		t.Errorf("the second deployment serves %q", got)
	}

	static := r.repository(t, "page", map[string]string{"dist/index.html": "page 1"})
	page := r.site(t, map[string]any{"type": "static-html", "name": "page.example.com", "repository": static, "branch": "main", "web_directory": "/dist"})
	r.deployed(t, page)
	if got := r.serves(t, "page.example.com", "/"); got != "200 page 1" {
		t.Errorf("the static site serves %q", got)
	}

	// In place.
	place := r.site(t, map[string]any{
		"type":                      "static-html",
		"name":                      "place.example.com",
		"repository":                static,
		"branch":                    "main",
		"web_directory":             "/dist",
		"zero_downtime_deployments": false,
	})
	r.deployed(t, place)
	if got := r.serves(t, "place.example.com", "/"); got != "200 page 1" {
		t.Errorf("the site in place serves %q", got)
	}
	r.commit(t, "page", "Second", map[string]string{"dist/index.html": "page 2"})
	r.deployed(t, place)
	if got := r.serves(t, "place.example.com", "/"); got != "200 page 2" {
		t.Errorf("the site in place serves %q", got)
	}

	// A script that fails leaves the live release, and reports why.
	r.Want(t, http.StatusOK, http.MethodPut, site+"/deployments/script",
		map[string]any{"content": "$CREATE_RELEASE()\ncd $FORGE_RELEASE_DIRECTORY\necho begin\nfalse\necho never\n$ACTIVATE_RELEASE()\n"})
	r.commit(t, "shop", "Third", map[string]string{"public/index.php": "<?php echo 'shop 3';"})
	failed := r.deploy(t, site)
	if log := r.deployLog(t, site, failed.ID); failed.Text("status") != "failed" || !strings.Contains(log, "begin") || strings.Contains(log, "never") {
		t.Errorf("a failing script: %s %+v\n%s", failed.Text("status"), failed.Operation(), log)
	}
	if got := r.serves(t, "shop.example.com", "/"); got != "200 shop 2" {
		t.Errorf("after a failed deployment: %q", got)
	}
	if left := r.server.Host.Exec(t, "ls", "/home/shop/shop.example.com/releases"); strings.Contains(left, failed.ID) {
		t.Errorf("the failed release is left: %s", left)
	}
	if secrets, _ := r.server.Host.TryExec("sh", "-c", "ls /var/lib/hostler/scripts; grep -rl 'PRIVATE KEY' /var/lib/hostler /home/shop /home/forge "+
		"--exclude=hostler-agent 2>/dev/null"); strings.TrimSpace(secrets) != "" {
		t.Errorf("left on the host: %s", secrets)
	}
	// Another server in place of the Git server is not talked to.
	r.git.Exec(t, "sh", "-c", "rm /etc/ssh/ssh_host_* && ssh-keygen -A && systemctl restart ssh")
	if d := r.deploy(t, page); d.Text("status") != "failed" || !strings.Contains(r.deployLog(t, page, d.ID), "Host key verification failed") {
		t.Errorf("with other host keys: %s\n%s", d.Text("status"), r.deployLog(t, page, d.ID))
	}
}
