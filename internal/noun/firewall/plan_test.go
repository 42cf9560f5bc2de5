package firewall_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
)

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	port, ports, from := must(value.ParsePortSpec("22")), must(value.ParsePortSpec("8000:8010")), must(value.ParseIPSet("10.0.0.0/8,2001:db8::/32"))
	var wishes []ledger.Wish
	for i, s := range []firewall.Specification{
		{Name: "SSH", Type: firewall.Allow, Port: port},
		{Name: "office", Type: firewall.Allow, Port: ports, IPAddress: from},
		{Name: "no office", Type: firewall.Deny, IPAddress: from},
		{Name: "no SSH", Type: firewall.Deny, Port: port, IPAddress: from},
	} {
		w, err := firewall.Rules.Want(int64(i+1), s)
		if err != nil {
			t.Fatal(err)
		}
		wishes = append(wishes, w)
	}
	network, err := firewall.Networks.Want(1, firewall.NetworkSpecification{
		Address: "10.0.0.1", Peers: []firewall.Peer{{ServerID: 7, Address: "10.0.0.7"}, {ServerID: 8, Address: "10.0.0.8"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := query.Server{ID: 1, Provider: "custom", SSHPort: 22, ControlAddresses: "192.0.2.1"}
	ordered := srv
	ordered.Provider = "hetzner"
	rules := ledger.NewView(srv, wishes...)
	for name, v := range map[string]ledger.View{
		"none":       ledger.NewView(srv),
		"rules":      rules.On(network),
		"no-network": rules,
		"ordered":    ledger.NewView(ordered),
		"deleted":    rules.On(network, firewall.Rules.Removal(1), firewall.Rules.Removal(4), firewall.Networks.Removal(1)),
		"other-port": ledger.NewView(query.Server{ID: 1, Provider: "custom", SSHPort: 2222}, wishes[:1]...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stages, err := firewall.Plan(v)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, name, stages)
		})
	}
}

// A rule that an older release accepted refuses the plan, not the list that it is in.
func TestOddRuleIsNotPlanned(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"name":"odd","type":"allow","port":"80;drop"}`, `{"name":"odd","type":"deny","ip_address":"10.0.0.5/8"}`} {
		wish := ledger.Wish{Kind: firewall.Rules.Kind, ID: 1, Version: 1, Specification: json.RawMessage(text)}
		if _, err := firewall.Plan(ledger.NewView(query.Server{ID: 1, SSHPort: 22, ControlAddresses: "192.0.2.1"}, wish)); !errors.As(err, new(value.Error)) {
			t.Errorf("%s is planned: %v", text, err)
		}
	}
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
