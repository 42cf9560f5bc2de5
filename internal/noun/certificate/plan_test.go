package certificate

import (
	"slices"
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
		"delete":  {view: applied.On(certificates.Removal(1))},
		"none":    {view: ledger.NewView(query.Server{ID: 1})},
		"gone":    {view: applied, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tls, steps, late, err := Include{}.TLS(tt.view, d, tt.gone)
			if err != nil {
				t.Fatal(err)
			}
			served := "plain HTTP"
			if tls != nil {
				served = tls.Certificate.String()
			}
			jobtest.Golden(t, name, []job.Stage{
				{Name: "served with " + served, Change: wire.Change{Steps: steps}},
				{Name: "once nginx has let go", Change: wire.Change{Steps: late}},
			})
		})
	}
}

// An order changes nothing on its host: the control plane talks to the authority.
func TestOrderGolden(t *testing.T) {
	t.Parallel()
	stages, err := (&Issuer{}).steps(t.Context(), nil, query.Server{ID: 1},
		query.Operation{ID: 1, ResourceType: resource, ResourceID: 2, Action: "create"}, query.Certificate{ID: 2})
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Golden(t, "order", stages)
}

// The names of an order are those of its domain that its method can prove.
func TestWanted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		domain query.Domain
		method string
		want   []string
	}{
		"without www":            {query.Domain{WWWRedirectType: "none"}, HTTP01, []string{"example.com"}},
		"with www":               {query.Domain{WWWRedirectType: "from-www"}, HTTP01, []string{"example.com", "www.example.com"}},
		"a wildcard":             {query.Domain{WWWRedirectType: "from-www", Wildcard: true}, DNS01, []string{"example.com", "*.example.com"}},
		"a wildcard, by http-01": {query.Domain{WWWRedirectType: "from-www", Wildcard: true}, HTTP01, []string{"example.com", "www.example.com"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.domain.Name = "example.com"
			if got := wanted(c.domain, c.method); !slices.Equal(got, c.want) {
				t.Errorf("ordered are %v, want %v", got, c.want)
			}
		})
	}
}
