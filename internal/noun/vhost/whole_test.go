package vhost_test

import (
	"encoding/json"
	"net/netip"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/integration"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/redirect"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
	"github.com/hostlerhq/hostler/internal/noun/security"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// planner is the one of the product: sites with all that other nouns add to them.
var planner = vhost.Planner{
	Domains:  domain.Include{Certificates: certificate.Include{}},
	Includes: []vhost.Include{redirect.Include{}, security.Include{}, process.Include{}, schedule.Include{}, integration.Include{}},
	Octane:   integration.OctanePort,
	Ports:    integration.Ports,
	Runtimes: map[string]vhost.Source{
		"node": {Mirror: "https://mirror.example.com/dist", Keys: []byte("keys")},
		"bun":  {Mirror: "https://mirror.example.com/bun", Keys: []byte("others")},
	},
	Restart: deployment.RestartScript,
}

// id is the site's in every case.
const id = int64(12)

// whole makes the wishes of a site and of all that it has.
type whole struct{ t *testing.T }

func (w whole) wish(wish ledger.Wish, err error) ledger.Wish {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	return wish
}

func (w whole) site(kind string, change func(*site.Specification)) ledger.Wish {
	w.t.Helper()
	s := site.Specification{Name: "shop.example.com", Type: kind, User: "forge", WebDirectory: "/public", Enclosed: true}
	if change != nil {
		change(&s)
	}
	return w.wish(site.Sites.Want(id, s))
}

// parts are a primary domain with a certificate, an alias, rules, programs and a job.
func (w whole) parts() []ledger.Wish {
	w.t.Helper()
	siteID := id
	admin, err := value.ParseURLPath("/admin")
	if err != nil {
		w.t.Fatal(err)
	}
	return []ledger.Wish{
		w.domain(1, "shop.example.com", true),
		w.domain(2, "shop.example.org", false),
		w.wish(certificate.Noun(nil).Want(3, certificate.Specification{SiteID: id, DomainID: 1, Active: true, Chain: "-- chain --\n", Key: []byte("sealed")})),
		w.wish(redirect.Rules.Want(4, redirect.Specification{SiteID: id, From: "^/old$", To: "/new", Type: redirect.Permanent})),
		w.wish(security.Rules.Want(5, security.Specification{SiteID: id, Name: "Staff", Path: admin, Users: []byte("sealed")})),
		w.wish(process.Processes.Want(6, process.Specification{
			Name: "worker", Command: "sleep 1000", User: "forge", SiteID: &siteID, Processes: 1, Startsecs: 1, Stopwaitsecs: 10, Stopsignal: "TERM",
		})),
		w.wish(schedule.Jobs.Want(7, schedule.Specification{Command: "true", User: "forge", Frequency: "hourly", Cron: "0 * * * *", SiteID: &siteID})),
	}
}

func (w whole) domain(domainID int64, name string, first bool) ledger.Wish {
	w.t.Helper()
	return w.wish(domain.Domains.Want(domainID, domain.Specification{
		SiteID: id, Name: name, Primary: first, First: first, WWWRedirectType: "none", NginxRule: vhost.NginxJudged,
	}))
}

// view is of a web server, or of a balancer, with these wishes.
func (w whole) view(kind string, wishes ...ledger.Wish) ledger.View {
	w.t.Helper()
	facts, srv := web()
	raw, err := json.Marshal(facts)
	if err != nil {
		w.t.Fatal(err)
	}
	srv.Type, srv.Facts = kind, string(raw)
	v := ledger.NewView(srv)
	v.Facts = vhost.Facts{Made: map[string]bool{"shop": true}, Claimed: []int64{20000, 20001}}
	return v.On(wishes...)
}

// The whole effect of a site on its host: all stages of a plan, with what domains, certificates, rules, programs and jobs add to them.
func TestWholePlanGolden(t *testing.T) {
	t.Parallel()
	w := whole{t}
	releases := func(s *site.Specification) {
		s.Code = &site.Code{URL: "https://git.example.com/shop", Branch: "main", Releases: true, SharedPaths: "storage"}
	}
	inPlace := func(s *site.Specification) { s.Code = &site.Code{URL: "https://git.example.com/shop"} }
	second := site.Node{ServerID: 2, Address: "10.0.0.2", Port: 80, Weight: 1}
	isolated := func(s *site.Specification) { s.User, s.Isolated, s.Slot = "shop", true, new(int64(3)) }
	enclosed := func(s *site.Specification) { s.Enclosed = true }
	version := func(name string) func(*site.Specification) {
		return func(s *site.Specification) { s.PHPVersion = name }
	}
	node := func(s *site.Specification) {
		releases(s)
		s.Port, s.SparePort = new(int64(20000)), new(int64(20001))
	}
	runs := func(version string) func(*site.Specification) {
		return func(s *site.Specification) {
			s.Runtime = &site.Runtime{Name: "node", Wanted: version, Version: version}
		}
	}
	limited := func(l render.Limits) func(*site.Specification) {
		return func(s *site.Specification) { s.Limits = &l }
	}
	small := limited(render.Limits{
		MemoryHigh: 384, MemoryMax: 512, CPUWeight: 50, CPUQuota: 150, TasksMax: 256, IOWeight: 20,
		OpenFiles: 4096, Connections: 200, DiskMax: 2000,
	})
	both := func(of ...func(*site.Specification)) func(*site.Specification) {
		return func(s *site.Specification) {
			for _, f := range of {
				f(s)
			}
		}
	}
	live := func(v ledger.View) ledger.View {
		v.Facts = vhost.Facts{Live: map[int64]query.Project{id: {SiteID: id, ZeroDowntime: true, LiveRelease: "7"}}}
		return v
	}
	balancer := func(nodes ...site.Node) func(*site.Specification) {
		return func(s *site.Specification) {
			s.User, s.WebDirectory, s.Balancer = "", "/", &site.Balancer{Method: "round_robin", Nodes: nodes}
		}
	}
	php, parts := w.site(sitetype.PHP, nil), w.parts()
	everything := append([]ledger.Wish{php}, parts...)
	// The last site of an isolated account, with a process, a job and a key of the account that are not the site's.
	tenant := []ledger.Wish{
		w.site(sitetype.PHP, isolated), parts[0],
		w.wish(process.Processes.Want(31, process.Specification{Name: "leftover", Command: "sleep 1", User: "shop", Processes: 1})),
		w.wish(schedule.Jobs.Want(32, schedule.Specification{Name: new("leftover"), Command: "sleep 1", User: "shop", Frequency: "hourly"})),
	}
	stays := w.wish(process.Processes.Want(33, process.Specification{Name: "stays", Command: "sleep 1", User: "forge", Processes: 1}))
	octane := w.wish(integration.Integrations.Want(8, integration.Specification{SiteID: id, Kind: "octane", Settings: integration.Settings{Port: 8100}}))
	web := func(wishes ...ledger.Wish) ledger.View { return w.view("web", wishes...) }
	behind := func(v ledger.View) ledger.View {
		v.Facts = vhost.Facts{Made: map[string]bool{"shop": true}, Balancers: map[int64][]netip.Addr{id: {netip.MustParseAddr("10.0.0.9"),
			netip.MustParseAddr("192.0.2.9")}}}
		return v
	}
	for name, v := range map[string]ledger.View{
		"php":               web(php, parts[0]),
		"php-with-all":      web(everything...),
		"php-releases":      web(w.site(sitetype.PHP, releases), parts[0]),
		"php-into-releases": web(w.site(sitetype.PHP, inPlace), parts[0]).On(w.site(sitetype.PHP, releases)),
		"php-placed": live(web(w.site(sitetype.PHP, both(releases, func(s *site.Specification) { s.WebDirectory = "/web" })), parts[0]).
			On(w.site(sitetype.PHP, releases))),
		"php-isolated": web(w.site(sitetype.PHP, isolated), parts[0]),
		"php-moved":    web(w.site(sitetype.PHP, version("php82")), parts[0]).On(w.site(sitetype.PHP, version("php84"))),
		"php-isolated-moved": web(w.site(sitetype.PHP, func(s *site.Specification) { isolated(s); s.PHPVersion = "php82" }), parts[0]).
			On(w.site(sitetype.PHP, func(s *site.Specification) { isolated(s); s.PHPVersion = "php84" })),
		"laravel-octane": web(w.site(sitetype.Laravel, releases), parts[0], octane),
		"node":           web(w.site(sitetype.Next, node), parts[0]),
		"node-isolated":  web(w.site(sitetype.Next, func(s *site.Specification) { node(s); isolated(s) }), parts[0]),
		"node-chosen":    web(w.site(sitetype.Next, func(s *site.Specification) { node(s); runs("22.11.0")(s) }), parts[0]),
		"node-renewed": live(web(append([]ledger.Wish{w.site(sitetype.Next, func(s *site.Specification) { node(s); runs("22.11.0")(s) })}, parts...)...).
			On(w.site(sitetype.Next, func(s *site.Specification) { node(s); runs("24.1.0")(s) }))),
		"node-isolated-renewed": live(web(w.site(sitetype.Next, both(node, both(isolated, runs("22.11.0")))), parts[0]).
			On(w.site(sitetype.Next, both(node, both(isolated, runs("24.1.0")))))),
		"node-isolated-left": live(web(w.site(sitetype.Next, both(node, both(isolated, runs("22.11.0")))), parts[0]).
			On(w.site(sitetype.Next, both(node, isolated)))),
		"python": web(w.site(sitetype.Custom, func(s *site.Specification) {
			node(s)
			s.Runtime, s.StartCommand = &site.Runtime{Name: site.RuntimePython}, ".venv/bin/gunicorn --bind 127.0.0.1:$PORT app"
		}), parts[0]),
		"php-with-node":      web(everything...).On(w.site(sitetype.PHP, runs("22.11.0"))),
		"php-moved-with-all": web(append([]ledger.Wish{w.site(sitetype.PHP, version("php82"))}, parts...)...).On(w.site(sitetype.PHP, version("php84"))),
		"node-left":          web(append([]ledger.Wish{w.site(sitetype.PHP, runs("22.11.0"))}, parts...)...).On(php),
		"limited":            web(w.site(sitetype.PHP, small), parts[0]),
		"limits-given":       web(everything...).On(w.site(sitetype.PHP, small)),
		"limits-changed": web(append([]ledger.Wish{w.site(sitetype.PHP, small)}, parts...)...).On(w.site(sitetype.PHP,
			limited(render.Limits{OpenFiles: 4096, TasksMax: 100}))),
		"limits-taken":          web(w.site(sitetype.PHP, limited(render.Limits{MemoryMax: 512})), parts[0]).On(w.site(sitetype.PHP, limited(render.Limits{}))),
		"limits-given-isolated": web(w.site(sitetype.PHP, both(isolated, enclosed)), parts[0]).On(w.site(sitetype.PHP, both(isolated, enclosed, small))),
		"limits-given-program":  live(web(w.site(sitetype.Next, node), parts[0]).On(w.site(sitetype.Next, both(node, small)))),
		"limited-deleted":       web(w.site(sitetype.PHP, small), parts[0]).On(removed([]ledger.Wish{w.site(sitetype.PHP, small), parts[0]})...),
		"static":                web(w.site(sitetype.StaticHTML, nil), parts[0]),
		"static-with-all":       web(append([]ledger.Wish{w.site(sitetype.StaticHTML, nil)}, parts...)...),
		"balancer":              w.view("loadbalancer", w.site(sitetype.Balancer, balancer(second)), parts[0], parts[2]),
		"balancer-empty":        w.view("loadbalancer", w.site(sitetype.Balancer, balancer()), parts[0]),
		"deleted":               web(everything...).On(removed(everything)...),
		"account-deleted":       web(append([]ledger.Wish{stays}, tenant...)...).On(removed(tenant)...),
		"domain-deleted":        web(everything...).On(domain.Domains.Removal(2), php),
		"redirect-added":        web(php, parts[0]).On(php, parts[3]),
		"security-deleted":      web(everything...).On(security.Rules.Removal(5), php),
		"certificate-off":       web(everything...).On(certificate.Noun(nil).Removal(3), php),
		"drift":                 web(everything...).On(),
		"php-balanced":          behind(web(everything...)),
		"node-balanced":         behind(web(w.site(sitetype.Next, node), parts[0], parts[2])),
		"balanced-deleted":      behind(web(everything...).On(removed(everything)...)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stages, err := planner.Plan(v)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, "whole/"+name, stages)
		})
	}
}

// removed are wishes that what others asked for goes.
func removed(wishes []ledger.Wish) []ledger.Wish {
	out := make([]ledger.Wish, len(wishes))
	for i, w := range wishes {
		out[i] = ledger.Wish{Kind: w.Kind, ID: w.ID, Version: w.Version}
	}
	return out
}
