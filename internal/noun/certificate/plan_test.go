package certificate

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	d := query.Domain{ID: 7, SiteID: 12, Name: "shop.example.com"}
	spec := func(active bool, chain string) Specification {
		return Specification{SiteID: 12, DomainID: 7, Active: active, Chain: chain, Key: []byte("sealed")}
	}
	want := func(id int64, s Specification) ledger.Wish {
		t.Helper()
		w, err := certificates.Want(id, s)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	other := spec(true, "other\n")
	other.DomainID = 8
	applied := ledger.NewView(query.Server{ID: 1}, want(1, spec(true, "first\n")), want(2, spec(false, "second\n")), want(3, other), want(4, spec(false, "")))
	for name, tt := range map[string]struct {
		view ledger.View
		gone bool
	}{
		"nothing": {view: applied},
		"enable":  {view: applied.On(want(2, spec(true, "second\n")), want(1, spec(false, "first\n")))},
		"disable": {view: applied.On(want(1, spec(false, "first\n")))},
		"install": {view: applied.On(want(1, spec(true, "renewed\n")))},
		"delete":  {view: applied.On(certificates.Remove(1))},
		"none":    {view: ledger.NewView(query.Server{ID: 1})},
		"gone":    {view: applied, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tls, steps, late, err := Part{}.TLS(tt.view, d, tt.gone)
			if err != nil {
				t.Fatal(err)
			}
			served := "plain HTTP"
			if tls != nil {
				served = tls.Certificate.String()
			}
			jobtest.Golden(t, name, []job.Stage{{Name: "served with " + served, Change: wire.Change{Steps: steps}}, {Name: "once nginx has let go", Change: wire.Change{Steps: late}}})
		})
	}
}
