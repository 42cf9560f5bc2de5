package redirect_test

import (
	"slices"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/redirect"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	want := func(w ledger.Wish, err error) ledger.Wish {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	rule := func(id, site int64, from, to, kind string) ledger.Wish {
		return want(redirect.Rules.Want(id, redirect.Specification{SiteID: site, From: from, To: to, Type: kind}))
	}
	order := func(ids ...int64) ledger.Wish {
		return want(redirect.Orders.Want(12, redirect.Order{SiteID: 12, Rules: ids}))
	}
	had := ledger.NewView(query.Server{ID: 1}, rule(1, 12, "^/old$", "/new", redirect.Permanent),
		rule(2, 12, "^/a/(.*)$", "https://example.com/$1", redirect.Temporary),
		rule(3, 12, `^/b "quoted";$`, "/c?d=e", redirect.Temporary), rule(4, 13, "^/elsewhere$", "/x", redirect.Permanent))
	for name, c := range map[string]struct {
		view ledger.View
		gone bool
	}{
		"nothing":        {view: ledger.NewView(query.Server{ID: 1})},
		"one":            {view: ledger.NewView(query.Server{ID: 1}, rule(1, 12, "^/old$", "/new", redirect.Permanent))},
		"several":        {view: had},
		"deleted":        {view: had.On(redirect.Rules.Removal(2))},
		"all-deleted":    {view: had.On(redirect.Rules.Removal(1), redirect.Rules.Removal(2), redirect.Rules.Removal(3))},
		"ordered":        {view: had.On(order(3, 1, 2))},
		"ordered-before": {view: had.On(order(3, 99, 1)).On(rule(5, 12, "^/later$", "/z", redirect.Permanent))},
		"replaced": {view: had.On(rule(5, 12, "^/only$", "/one", redirect.Temporary), redirect.Rules.Removal(1),
			redirect.Rules.Removal(2), redirect.Rules.Removal(3))},
		"site-gone": {view: had, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			steps, late, err := redirect.Include{}.Steps(c.view, vhost.Desired{Site: query.Site{ID: 12, Name: "shop.example.com"}, Gone: c.gone})
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, name, []job.Stage{{Name: "sites", Change: wire.Change{Steps: slices.Concat(steps, late)}}})
		})
	}
}
