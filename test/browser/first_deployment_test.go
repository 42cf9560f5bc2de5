package browser_test

import (
	"testing"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/pebble"
	"github.com/hostlerhq/hostler/test/smtp"
)

// TestFirstDeployment goes the way of a site from its repository to HTTPS by the card on its page: the key, the check of the repository, a
// deployment that fails and one that does not, the domain and the certificate.
func TestFirstDeployment(t *testing.T) {
	require(t)
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image, panel.Image))
	ca, post := pebble.Start(t, pebble.Config{}), smtp.Start(t)
	p, err := panel.Empty(panel.Program(t, "hostler"), bed.Gateway, "--smtp-url", post.URL(), "--smtp-from", "hostler@example.com",
		"--acme-directory", ca.Directory, "--acme-ca-file", ca.Roots, "--nameserver", ca.DNS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	s := &stage{panel: p, bed: bed, mail: post, db: p.DB(t), count: 2, shots: shots(t), leads: func(name, address string) { ca.Leads(t, name, address) }}
	s.more = map[string]any{"git": map[string]any{"host": 2, "url": s.repository(t, 2, "app")}}
	s.run(t, "card.mjs")
}
