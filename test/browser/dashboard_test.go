package browser_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// TestDashboard is what needs no servers: the first account and the steps to a first site, one event stream for all tabs of a browser, a
// session that ends, every list at the widths of tablets and small laptops, orders at two stand-ins for providers, and plots of a fleet.
func TestDashboard(t *testing.T) {
	t.Parallel()
	require(t)
	clouds := map[string]*cloudtest.Cloud{cloud.Hetzner: cloudtest.New(cloud.Hetzner), cloud.AWS: cloudtest.New(cloud.AWS)}
	args := []string{"--allow-local-servers", "--cloud-every", "200ms"}
	for name, c := range clouds {
		t.Cleanup(c.Close)
		args = append(args, "--cloud-endpoint", name+"="+c.URL)
	}
	clouds[cloud.Hetzner].Boot = func(m cloudtest.Machine) string { // those at AWS boot for a long time
		go func() { _, _ = cloudtest.FirstBoot(t.Context(), m) }()
		return ""
	}
	p, err := panel.Empty(panel.Program(t, "hostler"), "127.0.0.1", args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	s := &stage{panel: p, db: p.DB(t), shots: shots(t), clouds: clouds}
	for _, script := range []string{"setup.mjs", "tabs.mjs", "again.mjs", "lists.mjs", "find.mjs", "order.mjs", "fleet.mjs"} {
		if s.run(t, script); t.Failed() {
			return
		}
	}
}
