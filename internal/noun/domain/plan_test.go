package domain

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	facts := wire.Facts{OS: "debian", OSVersion: "12", Packages: map[string]string{"nginx": "1.22.1-9+deb12u2"}}
	srv := query.Server{ID: 1, Type: "web"}
	row := query.Site{ID: 12, Name: "shop.example.com", Type: sitetype.StaticHTML, UnixUser: "forge", WebDirectory: "/", WWWRedirectType: "none"}
	first := Specification{SiteID: 12, Name: "shop.example.com", Primary: true, First: true, WWWRedirectType: "none", NginxRule: vhost.NginxJudged}
	alias := Specification{SiteID: 12, Name: "shop.example.org", WWWRedirectType: "none", NginxRule: vhost.NginxJudged}
	elsewhere := Specification{SiteID: 13, Name: "other.example.org", First: true, WWWRedirectType: "none", NginxRule: vhost.NginxJudged}
	with := func(s Specification, change func(*Specification)) Specification {
		change(&s)
		return s
	}
	want := func(id int64, s Specification) ledger.Wish {
		t.Helper()
		w, err := Domains.Want(id, s)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	applied := ledger.NewView(srv, want(1, first), want(2, alias), want(3, elsewhere))
	text, base := "# All mine.\n", ""
	for name, tt := range map[string]struct {
		view ledger.View
		gone bool
	}{
		"nothing": {view: applied},
		"create":  {view: applied.On(want(4, with(alias, func(s *Specification) { s.Name, s.WWWRedirectType = "new.example.org", "to-www" })))},
		"update":  {view: applied.On(want(2, with(alias, func(s *Specification) { s.Wildcard = true })))},
		"disable": {view: applied.On(want(2, with(alias, func(s *Specification) { s.Disabled = true })))},
		"delete":  {view: applied.On(Domains.Removal(2))},
		"primary": {view: applied.On(want(2, with(alias, func(s *Specification) { s.Primary = true })),
			want(1, with(first, func(s *Specification) { s.Primary = false })))},
		"gone":     {view: applied, gone: true},
		"all-gone": {view: applied.On(Domains.Removal(1), Domains.Removal(2)), gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, name, facts, srv, row, tt.view, tt.gone)
		})
	}
	t.Run("nginx", func(t *testing.T) { // a text that was made from the one of ours that is written now
		t.Parallel()
		base = ours(t, facts, srv, row, applied)
		text = base + text
		golden(t, "nginx", facts, srv, row, applied.On(want(2, with(alias, func(s *Specification) {
			s.Nginx, s.NginxBase, s.NginxRule = &text, &base,
				vhost.NginxRoot
		}))), false)
	})
}

func golden(t *testing.T, name string, facts wire.Facts, srv query.Server, row query.Site, v ledger.View, gone bool) {
	t.Helper()
	jobtest.Golden(t, name, []job.Stage{{Name: "sites", Change: changeOf(t, facts, srv, row, v, gone)}})
}

func changeOf(t *testing.T, facts wire.Facts, srv query.Server, row query.Site, v ledger.View, gone bool) wire.Change {
	t.Helper()
	vhosts, _, _, err := Include{}.Vhosts(v, row, gone)
	if err != nil {
		t.Fatal(err)
	}
	change, err := vhost.ChangeOf(facts, srv, []vhost.Desired{{Site: row, Vhosts: vhosts, Gone: gone}})
	if err != nil {
		t.Fatal(err)
	}
	return change
}

// ours returns the vhost of the alias as it is written for a user who wrote none.
func ours(t *testing.T, facts wire.Facts, srv query.Server, row query.Site, v ledger.View) string {
	t.Helper()
	for _, step := range changeOf(t, facts, srv, row, v, false).Steps {
		if step.File != nil && step.File.Path == vhost.DomainFile(query.Domain{ID: 2, SiteID: row.ID}) {
			return string(step.File.Content)
		}
	}
	t.Fatal("no vhost is written")
	return ""
}
