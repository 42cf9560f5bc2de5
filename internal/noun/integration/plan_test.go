package integration_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/integration"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

func mustWant(t *testing.T, id, siteID int64, kind string, port int64) ledger.Wish {
	t.Helper()
	w, err := integration.Integrations.Want(id, integration.Specification{SiteID: siteID, Kind: kind, Settings: integration.Settings{Port: port}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestPartGolden(t *testing.T) {
	t.Parallel()
	app := query.Site{ID: 3, Name: "app.example.com", Type: sitetype.Laravel}
	on := ledger.NewView(query.Server{ID: 1}, mustWant(t, 1, 3, "octane", 8000), mustWant(t, 2, 3, "reverb", 8080), mustWant(t, 3, 4, "reverb", 8081))
	for _, c := range []struct {
		name string
		view ledger.View
		site vhost.Desired
	}{
		{"create", on, vhost.Desired{Site: app}},
		{"update", on.On(mustWant(t, 2, 3, "reverb", 9090)), vhost.Desired{Site: app}},
		{"delete", on.On(integration.Integrations.Removal(2)), vhost.Desired{Site: app}},
		{"site-deleted", on, vhost.Desired{Site: app, Gone: true}},
		{"nothing", on, vhost.Desired{Site: query.Site{ID: 4, Name: "docs.example.com", Type: sitetype.StaticHTML}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			steps, late, err := integration.Include{}.Steps(c.view, c.site)
			if err != nil || len(late) > 0 {
				t.Fatal(late, err)
			}
			jobtest.Golden(t, c.name, []job.Stage{{Name: "sites", Change: wire.Change{Steps: steps}}})
		})
	}
}

// A port that two sites were given belongs to the first of them; a database's port belongs to neither.
func TestPorts(t *testing.T) {
	t.Parallel()
	v := ledger.NewView(query.Server{ID: 1}, mustWant(t, 1, 3, "octane", 8000), mustWant(t, 2, 3, "reverb", 8080),
		mustWant(t, 3, 4, "reverb", 8080), mustWant(t, 4, 4, "octane", 3306))
	ports, err := integration.Ports(v)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[int64][]int64{3: {8000, 8080}}, ports); diff != "" {
		t.Errorf("ports (-want +got):\n%s", diff)
	}
	for siteID, want := range map[int64]int64{3: 8000, 5: 0} {
		if got, err := integration.OctanePort(v, siteID); got != want || err != nil {
			t.Errorf("Octane of site %d listens on %d (%v), want %d", siteID, got, err, want)
		}
	}
	if got, err := integration.OctanePort(v.On(integration.Integrations.Removal(1)), 3); got != 0 || err != nil {
		t.Errorf("removed, it listens on %d (%v)", got, err)
	}
}
