package e2e_test

import (
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// A server goes to another organization while its site is visited: no visitor notices, its hook and its sealed keys work there, and the host does what the
// other organization asks of it, and nothing that the first one does.
func TestServerIsTransferredUnderLoad(t *testing.T) {
	r := newRoom(t)
	out, err := exec.Command(panel.Program(t, "hostler"), "org", "create", "second", "--owner", "owner@example.com", "--data-dir",
		filepath.Join(r.Dir, "data")).CombinedOutput()
	if err != nil {
		t.Fatalf("another organization: %v\n%s", err, out)
	}
	const name = "page.example.com"
	page := r.repository(t, "page", map[string]string{"dist/index.html": "page 1"})
	site := r.site(t, map[string]any{"type": "static-html", "name": name, "repository": page, "branch": "main", "web_directory": "/dist"})
	r.deployed(t, site)
	hook := r.Get(t, site+"/deployments/deploy-hook").Text("url")
	r.Until(t, 2*time.Minute, r.server.Path("/transfer?to=second"), "without open work",
		func(a panel.Answer) bool { return a.Data.Attributes["possible"] == true })

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var visits sync.WaitGroup
	seen := &tally{byNode: map[string]int{}}
	for range 4 {
		visits.Go(func() {
			for v := newVisitor(r.server.Host.IP, name, false); ctx.Err() == nil; {
				seen.add(v.get(context.WithoutCancel(ctx)))
			}
		})
	}
	r.Want(t, http.StatusOK, http.MethodPost, r.server.Path("/transfer"), map[string]any{"to": "second"})
	const second = "/api/orgs/second"
	r.Want(t, http.StatusNotFound, http.MethodGet, r.server.Path(""), nil)
	r.Want(t, http.StatusNotFound, http.MethodPost, site+"/deployments", nil)
	r.Want(t, http.StatusNotFound, http.MethodPost, r.server.Path("/firewall-rules"), map[string]any{"name": "late", "port": "8131", "type": "allow"})

	r.commit(t, "page", "Second", map[string]string{"dist/index.html": "page 2"})
	r.deployed(t, second+site)
	if got := r.serves(t, name, "/"); got != "200 page 2" {
		t.Errorf("the other organization's deployment serves %q", got)
	}
	rule := r.Want(t, http.StatusAccepted, http.MethodPost, second+r.server.Path("/firewall-rules"),
		map[string]any{"name": "theirs", "port": "8132", "type": "allow"}).Data
	r.Status(t, time.Minute, second+r.server.Path("/firewall-rules/"+rule.ID), "installed")
	if rules := r.server.Host.Exec(t, "nft", "list", "ruleset"); !strings.Contains(rules, "8132") || strings.Contains(rules, "8131") {
		t.Errorf("the host has the rules\n%s", rules)
	}
	r.commit(t, "page", "Third", map[string]string{"dist/index.html": "page 3"})
	if resp, err := http.Post(hook, "text/plain", nil); err != nil || resp.StatusCode >= 300 {
		t.Fatalf("the hook answers %v %v", resp, err)
	}
	r.Until(t, 2*time.Minute, second+site+"/deployments?sort=-created_at", "deployed by the hook", func(a panel.Answer) bool {
		return len(a.List) == 3 && a.List[0].Text("status") == "finished"
	})
	stop()
	visits.Wait()
	if got := r.serves(t, name, "/"); got != "200 page 3" {
		t.Errorf("the hook's deployment serves %q", got)
	}
	if len(seen.failed) > 0 || seen.total < 100 {
		t.Errorf("%d of %d visits failed: %.5q", len(seen.failed), seen.total, seen.failed)
	}
	r.Until(t, time.Minute, second+r.server.Path("/drift"), "as it was applied", func(a panel.Answer) bool {
		differences, _ := a.Data.Attributes["differences"].([]any)
		return a.Code == http.StatusOK && len(differences) == 0
	})
}
