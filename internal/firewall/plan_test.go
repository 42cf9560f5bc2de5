package firewall_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/firewall"
	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/job/jobtest"
)

func TestChangeGolden(t *testing.T) {
	t.Parallel()
	port, ports, from := "22", "8000:8010", "10.0.0.0/8,2001:db8::/32"
	rules := []query.FirewallRule{
		{ID: 1, Type: firewall.Allow, Port: &port, Status: firewall.StatusInstalled},
		{ID: 2, Type: firewall.Allow, Port: &ports, IPAddress: &from, Status: firewall.StatusInstalled},
		{ID: 3, Type: firewall.Deny, IPAddress: &from, Status: firewall.StatusInstalled},
		{ID: 4, Type: firewall.Deny, Port: &port, IPAddress: &from, Status: firewall.StatusInstalling},
	}
	change, err := firewall.Change(query.Server{ID: 1, SSHPort: 22, ControlAddresses: "192.0.2.1"}, rules)
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Golden(t, "rules", []job.Stage{{Name: "firewall", Change: change, Confirm: host.ConfirmReachable}})
}
