package e2e_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// The runbook for a changed name: after a restart with another base URL, tokens still sign in, new links have the new name, and links from before are answered
// for as long as the old name leads to the panel.
func TestPanelChangesItsAddress(t *testing.T) {
	t.Parallel()
	p, err := panel.New(panel.Program(t, "hostler"), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	server := p.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name": "web", "provider": "custom", "type": "web",
		"custom": map[string]any{"ip_address": "192.0.2.1"},
	}).Data.ID
	site := "/servers/" + server + "/sites/" + p.Want(t, http.StatusAccepted, http.MethodPost, "/servers/"+server+"/sites",
		map[string]any{"name": "shop.example.com", "type": "php"}).Data.ID
	beat := site + "/heartbeats/" + p.Want(t, http.StatusOK, http.MethodPost, site+"/heartbeats",
		map[string]any{"name": "minute", "frequency": 1, "grace_period": 1}).Data.ID
	before := p.Get(t, beat).Text("ping_url")
	if !strings.HasPrefix(before, p.URL+"/") {
		t.Fatalf("the address to call is %q", before)
	}

	p.Stop()
	const moved = "https://moved.example.com"
	p.Flags("--base-url", moved)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	if after := p.Get(t, beat).Text("ping_url"); after != moved+strings.TrimPrefix(before, p.URL) {
		t.Errorf("the address to call was %q, and is %q", before, after)
	}
	line := p.Want(t, http.StatusOK, http.MethodPost, "/servers/"+server+"/line", nil).Data.Meta.Bootstrap.Command
	if !strings.Contains(line, moved+"/bootstrap/") || strings.Contains(line, p.URL) {
		t.Errorf("the line for a new server is %s", line)
	}
	res, err := http.Post(before, "", nil) //nolint:gosec,noctx // an address of ours
	if err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK || p.Get(t, beat).Text("status") != "beating" {
		t.Errorf("a call at the old address: %s %s, the heartbeat is %q", res.Status, said, p.Get(t, beat).Text("status"))
	}
}
