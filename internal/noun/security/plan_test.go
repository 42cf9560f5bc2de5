package security_test

import (
	"slices"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/security"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	rule := func(id, site int64, name, path string) ledger.Wish {
		t.Helper()
		s := security.Specification{SiteID: site, Name: name, Users: []byte("sealed")}
		if err := s.Path.Scan(path); err != nil {
			t.Fatal(err)
		}
		w, err := security.Rules.Want(id, s)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	had := ledger.NewView(query.Server{ID: 1}, rule(1, 12, "All", ""), rule(2, 12, `Admins "only" $x`, "/admin"),
		rule(3, 12, "Deep", "/admin/deep"), rule(4, 13, "Elsewhere", ""))
	for name, c := range map[string]struct {
		view ledger.View
		gone bool
	}{
		"nothing":     {view: ledger.NewView(query.Server{ID: 1})},
		"whole-site":  {view: ledger.NewView(query.Server{ID: 1}, rule(1, 12, "All", ""))},
		"several":     {view: had},
		"updated":     {view: had.On(rule(2, 12, "Staff", "/internal"))},
		"deleted":     {view: had.On(security.Rules.Removal(2))},
		"all-deleted": {view: had.On(security.Rules.Removal(1), security.Rules.Removal(2), security.Rules.Removal(3))},
		"site-gone":   {view: had.On(security.Rules.Removal(3)), gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, late, err := security.Include{}.Steps(c.view, vhost.Desired{Site: query.Site{ID: 12, Name: "shop.example.com"}, Gone: c.gone})
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, name, []job.Stage{{Name: "sites", Change: wire.Change{Steps: slices.Concat(steps, late)}}})
		})
	}
}
