package vhost_test

import (
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

func web() (wire.Facts, query.Server) {
	php := "php82"
	return wire.Facts{
		OS: "debian", OSVersion: "12",
		Packages: map[string]string{"nginx": "1.22.1-9+deb12u2", "php8.2-fpm": "8.2.29", "redis-server": "5:7.0.15-1", "memcached": "1.6.18-1"},
	}, query.Server{ID: 1, Type: "web", PHPVersion: &php}
}

func TestChangeGolden(t *testing.T) {
	t.Parallel()
	method, keepalive := "least_conn", int64(16)
	plain := query.Site{ID: 12, Name: "shop.example.com", UnixUser: "forge", WebDirectory: "/", WWWRedirectType: "none"}
	for name, d := range map[string]vhost.Desired{
		"static":          {Site: with(plain, func(s *query.Site) { s.Type = sitetype.StaticHTML })},
		"php":             {Site: with(plain, func(s *query.Site) { s.Type, s.WebDirectory, s.WWWRedirectType = sitetype.PHP, "/public", "from-www" })},
		"deep":            {Site: with(plain, func(s *query.Site) { s.Type, s.WebDirectory = sitetype.StaticHTML, "/app/web/public" })},
		"isolated-before": {Fresh: true, Site: with(plain, func(s *query.Site) { s.Type, s.UnixUser, s.Isolated = sitetype.PHP, "shop", true })},
		"isolated":        {Site: with(plain, func(s *query.Site) { s.Type, s.UnixUser, s.Isolated = sitetype.PHP, "shop", true })},
		"balancer": {Site: with(plain, func(s *query.Site) {
			s.Type, s.Wildcards, s.BalancerMethod, s.BalancerKeepalive = sitetype.Balancer, true, &method, &keepalive
		}), Balancer: &site.Balancer{
			Method: method, Keepalive: keepalive,
			Nodes: []site.Node{
				{ServerID: 2, Address: "10.0.0.2", Port: 80, Weight: 3},
				{ServerID: 3, Address: "10.0.0.3", Port: 81, Weight: 1, Down: true},
				{ServerID: 4, Address: "10.0.0.4", Port: 80, Weight: 1, Waits: true},
			},
		}},
		"balancer-without-nodes": {
			Site:     with(plain, func(s *query.Site) { s.Type, s.BalancerMethod = sitetype.Balancer, &method }),
			Balancer: &site.Balancer{Method: method},
		},
		"program": {Site: with(plain, func(s *query.Site) {
			s.Type, s.UnixUser, s.Isolated, s.Port, s.SparePort = sitetype.Other, "shop", true, new(int64(20000)), new(int64(20001))
		}), Account: &query.UnixAccount{Name: "shop", Slot: 3, Made: true}, Caches: true, Code: &site.Code{URL: "https://github.com/a/b", Releases: true}},
		"program-gone": {Site: with(plain, func(s *query.Site) { s.Type, s.Port, s.SparePort = sitetype.Next, new(int64(3000)), new(int64(20001)) }), Gone: true},
		"octane":       {Site: with(plain, func(s *query.Site) { s.Type = sitetype.PHP }), Octane: 8100, Ports: []int64{8100}},
		"isolated-gone": {
			Site:    with(plain, func(s *query.Site) { s.Type, s.UnixUser, s.Isolated = sitetype.PHP, "shop", true }),
			Account: &query.UnixAccount{Name: "shop", Slot: 3, Made: true}, Caches: true, Alone: true, Gone: true,
		},
		"gone": {Site: with(plain, func(s *query.Site) { s.Type = sitetype.PHP }), Gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts, srv := web()
			change, err := vhost.ChangeOf(facts, srv, []vhost.Desired{d})
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, name, []job.Stage{{Name: "sites", Change: change}})
		})
	}
}

func with(s query.Site, change func(*query.Site)) query.Site {
	change(&s)
	return s
}

func TestChangeRefuses(t *testing.T) {
	t.Parallel()
	facts, srv := web()
	php := vhost.Desired{Site: query.Site{ID: 1, Name: "a.example.com", Type: sitetype.PHP, UnixUser: "forge", WebDirectory: "/"}}
	noPHP := srv
	noPHP.PHPVersion = nil
	if _, err := vhost.ChangeOf(facts, noPHP, []vhost.Desired{php}); err == nil || !strings.Contains(err.Error(), "a.example.com: the server has no PHP") {
		t.Errorf("a PHP site on a server without PHP: %v", err)
	}
	if _, err := vhost.ChangeOf(wire.Facts{}, srv, []vhost.Desired{php}); err == nil || !strings.Contains(err.Error(), "nginx is not installed") {
		t.Errorf("a site on a server without nginx: %v", err)
	}
}
