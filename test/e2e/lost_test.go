package e2e_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// A panel whose master key is lost does not start. Its server goes on, is added to a new panel, and serves its site all the while; the site is created
// again there, with its files.
func TestMasterKeyIsLost(t *testing.T) {
	panel.BuildImage(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image), hosts.Fresh())
	p := panel.Start(t, bed)
	old := &World{Panel: p, Bed: bed, Servers: []panel.Server{p.Add(t, bed.Host(1), "web")}}
	p.Ready(t, old.Servers...)
	attributes := map[string]any{"name": "kept.example.com", "type": "php"}
	site(t, old, old.Server(1), attributes)
	h := bed.Host(1)
	h.WriteFile(t, "/home/forge/kept.example.com/public/index.php", []byte("<?php echo 'kept';"), 0o644)
	served := func(when string) {
		t.Helper()
		if got := h.Exec(t, "curl", "-fsS", "-m", "20", "-H", "Host: kept.example.com", "http://127.0.0.1/"); got != "kept" {
			t.Errorf("%s the site says %q", when, got)
		}
	}
	served("at first")

	p.Stop()
	if err := os.Remove(p.Dir + "/data/master.key"); err != nil {
		t.Fatal(err)
	}
	if err := p.Up(); err == nil || !strings.Contains(p.Log(), "master.key") {
		t.Errorf("a panel without its master key starts, or does not say why not: %v", err)
	}
	served("without a panel")

	q := panel.Start(t, bed)
	again := &World{Panel: q, Bed: bed, Servers: []panel.Server{q.Add(t, h, "web")}}
	q.Ready(t, again.Servers...)
	served("with a new panel")
	site(t, again, again.Server(1), attributes)
	served("after the site was created again,")
}
