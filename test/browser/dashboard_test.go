package browser_test

import (
	"testing"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// TestDashboard is what needs no servers: the first account and the steps to a first site, one event stream for all tabs of a browser, and every list at
// the widths of tablets and small laptops.
func TestDashboard(t *testing.T) {
	t.Parallel()
	require(t)
	p, err := panel.Empty(panel.Program(t, "hostler"), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	s := &stage{panel: p, db: p.DB(t), shots: shots(t)}
	for _, script := range []string{"setup.mjs", "tabs.mjs", "lists.mjs"} {
		if s.run(t, script, nil); t.Failed() {
			return
		}
	}
}
