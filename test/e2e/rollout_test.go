package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// A release that sets something of nginx up differently is put on one server, and then on the two others. It is not reported as drift.
func TestNewerReleaseIsRolledOut(t *testing.T) {
	if os.Getenv("HOSTLER_E2E") != "full" {
		t.Skip("HOSTLER_E2E=full rolls a release out")
	}
	panel.BuildImage(t)
	const plan, setting, newer = "internal/noun/server/provision.go", "LimitNOFILE=65536", "LimitNOFILE=131072"
	dir := t.TempDir()
	raw, err := os.ReadFile(filepath.Join("../..", plan))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(raw), setting, newer, 1)
	if changed == string(raw) {
		t.Fatalf("%s does not say %s", plan, setting)
	}
	other := filepath.Join(dir, "provision.go")
	if err := os.WriteFile(other, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	program, next := filepath.Join(dir, "hostler"), filepath.Join(dir, "next")
	panel.Release(t, "v1.0.0", "", program)
	panel.Release(t, "v1.1.0", "", next, panel.File{In: plan, From: other})

	bed := hosts.Shared(t, 3, hosts.Image(panel.Image), hosts.Apart("rollout"))
	p, err := panel.New(program, bed.Gateway)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	var servers []panel.Server
	for i := range 3 {
		servers = append(servers, p.Add(t, bed.Host(i+1), "web"))
	}
	p.ReadyWithin(t, 10*time.Minute, servers...)
	p.Stop()
	if err := os.Rename(next, program); err != nil {
		t.Fatal(err)
	}
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	about := func(a panel.Answer) (out []string) {
		for _, r := range a.List {
			if kind := r.Text("kind"); kind == "server-outdated" || kind == "drift" {
				out = append(out, kind+" "+r.Text("subject")+": "+r.Text("text"))
			}
		}
		return out
	}
	p.Until(t, 4*time.Minute, "/attention?page[size]=100", "a server that lacks something", func(a panel.Answer) bool {
		found := strings.Join(about(a), "\n")
		return strings.Contains(found, "Hostler v1.1.0 sets this server up differently (1 difference). It is applied with group 2 of 2.")
	})
	p.Until(t, 6*time.Minute, "/attention?page[size]=100", "all servers are up to date", func(a panel.Answer) bool { return len(about(a)) == 0 })
	for _, s := range servers {
		p.Until(t, 3*time.Minute, s.Path(""), "repaired", func(a panel.Answer) bool { return a.Data.Operation().State == "succeeded" })
		if text := s.Host.Exec(t, "sh", "-c", "cat /etc/systemd/system/nginx.service.d/50-hostler.conf"); !strings.Contains(text, newer) {
			t.Errorf("%s has\n%s", s.Host.Name, text)
		}
		if d := p.Want(t, http.StatusOK, http.MethodGet, s.Path("/drift"), nil); strings.Contains(d.Body, "50-hostler") {
			t.Errorf("%s differs: %s", s.Host.Name, d.Body)
		}
	}
	first := p.Rows(t, "SELECT server_id, finished_at FROM operations WHERE action = 'repair' ORDER BY id")
	if len(first) != 3 || p.Count(t,
		"SELECT COUNT(*) FROM operations WHERE action = 'repair' AND created_at < (SELECT MIN(finished_at) FROM operations WHERE action = 'repair')") != 1 {
		t.Errorf("the repairs are %v, and more than one began before the first had ended", first)
	}
	if n := p.Count(t, "SELECT COUNT(*) FROM events WHERE description LIKE 'Drift found%'"); n != 0 {
		t.Errorf("drift was reported %d times", n)
	}
}
