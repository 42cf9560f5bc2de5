// Package cases_test drives inputs from public bug reports through the real program on practice hosts: one script a case, in testdata, by family.
package cases_test

import (
	"database/sql"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
	"github.com/hostlerhq/hostler/test/githost"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/pebble"
	"github.com/hostlerhq/hostler/test/s3"
)

func TestMain(m *testing.M) { pgtest.Main(m, panel.Clean) }

// family is a directory of cases, which share what start makes: a panel, and servers that are set up.
type family struct {
	name  string
	host  bool // needs practice hosts
	start func(t *testing.T) *ground
}

// families are the directories of testdata, which has no others.
var families = []family{
	{"api", false, startPanel},
	{"web", true, startWeb},
	{"database", true, startDatabase},
	{"postgres", true, startPostgres},
	{"balancer", true, startBalancer},
	{"authority", true, startAuthority},
	{"older-mariadb", true, startOlderMariaDB},
	{"older-postgres", true, startOlderPostgres},
	{wholeSite, true, startDemo},
}

// wholeSite is the family that runs only with all of them.
const wholeSite = "demo"

// TestCases runs every case. Those with hosts are a seeded tenth, at least one of each family, unless HOSTLER_CASES is "all"; HOSTLER_CASES_SEED repeats a
// choice. -run '^TestCases$/^web$/^name$' with HOSTLER_CASES=all runs one.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, f := range families {
		files, err := filepath.Glob(filepath.Join("testdata", f.name, "*.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		if f.host && os.Getenv("HOSTLER_CASES") != "all" {
			if f.name == wholeSite {
				continue
			}
			files = tenth(t, files)
		}
		if len(files) == 0 {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			if f.host {
				hosts.Require(t)
			}
			g := f.start(t)
			testscript.Run(t, testscript.Params{
				Files: files, Cmds: commands, Setup: g.setup, RequireExplicitExec: true, RequireUniqueNames: true,
			})
		})
	}
}

// tenth draws one in ten of the cases, at least one.
func tenth(t *testing.T, files []string) []string {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("HOSTLER_CASES_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("HOSTLER_CASES_SEED: %v", err)
		}
	}
	t.Logf("HOSTLER_CASES_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	return files[:min(len(files), len(files)/10+1)]
}

var head = regexp.MustCompile(`(?m)\A# source: \S.*\n(?:#.*\n)*# right: \S`)

// Each case says where it comes from and what is right, and stands in a family.
func TestCasesSaySource(t *testing.T) {
	t.Parallel()
	known := []string{}
	for _, f := range families {
		known = append(known, f.name)
	}
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !head.Match(raw) {
			t.Errorf("%s does not begin with the lines # source: and # right:", name)
		}
		if f := filepath.Base(filepath.Dir(name)); !slices.Contains(known, f) {
			t.Errorf("%s: %s is not a family", name, f)
		}
	}
}

// ground is what the cases of a family share.
type ground struct {
	*panel.Panel
	server   panel.Server // the one that cases use; without a host, one that never connects
	other    panel.Server // another app server, with an older engine
	ca       *pebble.Authority
	balancer panel.Server // the load balancer, if there is one
	git      *hosts.Host  // nil without hosts
	db       *sql.DB      // that of the panel, with an authority
	storage  string       // the id of a storage for backups, "" without one
	lfs      *githost.LFS // large files of the repositories, nil without
}

// startPanel serves a panel with a server that never connects.
func startPanel(t *testing.T) *ground {
	t.Helper()
	p, err := panel.New(panel.Program(t, "hostler"), "127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	a := p.Want(t, 202, "POST", "/servers", map[string]any{
		"name": "waits", "provider": "custom", "type": "app", "custom": map[string]any{"ip_address": "203.0.113.9"},
	})
	return &ground{Panel: p, server: panel.Server{ID: a.Data.ID, Type: "app"}}
}

// startWeb serves a panel with a web server and a Git server.
func startWeb(t *testing.T) *ground {
	t.Helper()
	panel.BuildImage(t)
	return startOn(t, panel.Image, map[string]any{"type": "web"})
}

// startDatabase serves a panel with an app server, which has MariaDB, and a Git server.
func startDatabase(t *testing.T) *ground {
	t.Helper()
	return startEngine(t, "mariadb1011")
}

// startPostgres is startDatabase with PostgreSQL.
func startPostgres(t *testing.T) *ground {
	t.Helper()
	return startEngine(t, "postgres15")
}

// startEngine serves a panel with an app server, which has a database engine, a storage for backups, and a Git server.
func startEngine(t *testing.T, engine string) *ground {
	t.Helper()
	panel.BuildTenantImage(t)
	g := startOn(t, panel.TenantImage, map[string]any{"type": "app", "database_type": engine})
	storage := s3.Start(t, "archive")
	g.storage = g.Want(t, 201, "POST", "/storage-providers", storage.Provider(g.server.Host.Bed().Gateway, "archive", "cases")).Data.ID
	return g
}

// startBalancer is startWeb with a load balancer.
func startBalancer(t *testing.T) *ground {
	t.Helper()
	panel.BuildImage(t)
	return startOn(t, panel.Image, map[string]any{"type": "web"}, map[string]any{"type": "loadbalancer"})
}

// startAuthority is startWeb with an authority that issues certificates, and DNS in which names lead where cases set them.
func startAuthority(t *testing.T) *ground {
	t.Helper()
	panel.BuildImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image), hosts.Fresh())
	ca := pebble.Start(t, pebble.Config{})
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--acme-directory", ca.Directory, "--acme-ca-file", ca.Roots, "--nameserver", ca.DNS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	g := startIn(t, bed, p, map[string]any{"type": "web"})
	g.ca, g.db = ca, g.DB(t)
	return g
}

// startOlderMariaDB serves a panel with two app servers: that of cases has MariaDB of Debian 13, the other that of Debian 12.
func startOlderMariaDB(t *testing.T) *ground {
	t.Helper()
	return startOlder(t, "", "mariadb1011")
}

// startOlderPostgres is startOlderMariaDB with PostgreSQL.
func startOlderPostgres(t *testing.T) *ground {
	t.Helper()
	return startOlder(t, "postgres17", "postgres15")
}

func startOlder(t *testing.T, newer, older string) *ground {
	t.Helper()
	panel.BuildTenantImage(t)
	panel.BuildTenantImage13(t)
	bed := hosts.Shared(t, 3, hosts.Image(panel.TenantImage13, panel.TenantImage), hosts.Fresh())
	first := map[string]any{"type": "database", "database_type": newer}
	if newer == "" { // what the system has
		delete(first, "database_type")
	}
	g := startIn(t, bed, panel.Start(t, bed), first, map[string]any{"type": "database", "database_type": older})
	g.other, g.balancer = g.balancer, panel.Server{}
	storage := s3.Start(t, "archive")
	g.storage = g.Want(t, 201, "POST", "/storage-providers", storage.Provider(bed.Gateway, "archive", "cases")).Data.ID
	return g
}

// startDemo is startDatabase with a load balancer and a server of Git LFS.
func startDemo(t *testing.T) *ground {
	t.Helper()
	panel.BuildTenantImage(t)
	g := startOn(t, panel.TenantImage, map[string]any{"type": "app", "database_type": "mariadb1011"}, map[string]any{"type": "loadbalancer"})
	gateway := g.server.Host.Bed().Gateway
	storage := s3.Start(t, "archive")
	g.storage = g.Want(t, 201, "POST", "/storage-providers", storage.Provider(gateway, "archive", "cases")).Data.ID
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", net.JoinHostPort(gateway, "0"))
	if err != nil {
		t.Fatal(err)
	}
	lfs, stop := githost.NewLFS()
	t.Cleanup(stop)
	lfs.URL = "http://" + listener.Addr().String()
	server := &http.Server{Handler: lfs.Handler, ReadHeaderTimeout: time.Minute}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-served
	})
	g.lfs = lfs
	if err := put(g.git, "/home/git/git-shell-commands/git-lfs-authenticate", []byte("#!/bin/sh\necho '"+lfs.Authenticated()+"'\n")); err != nil {
		t.Fatal(err)
	}
	g.git.Exec(t, "chmod", "-R", "755", "/home/git/git-shell-commands")
	return g
}

// startOn serves a panel with a Git server and servers of these fields. Cases use the first.
func startOn(t *testing.T, image string, fields ...map[string]any) *ground {
	t.Helper()
	bed := hosts.Shared(t, 1+len(fields), hosts.Image(image), hosts.Fresh())
	return startIn(t, bed, panel.Start(t, bed), fields...)
}

// startIn adds servers of these fields to a panel, and a Git server.
func startIn(t *testing.T, bed *hosts.Bed, p *panel.Panel, fields ...map[string]any) *ground {
	t.Helper()
	g := &ground{Panel: p}
	var servers []panel.Server
	for i, f := range fields {
		servers = append(servers, g.Add(t, bed.Host(i+1), f["type"].(string), f))
	}
	g.Ready(t, servers...)
	g.server = servers[0]
	if len(servers) > 1 {
		g.balancer = servers[1]
	}
	g.serveGit(t, bed.Host(1+len(fields)))
	return g
}

// serveGit makes a host a Git server over SSH.
func (g *ground) serveGit(t *testing.T, h *hosts.Host) {
	t.Helper()
	g.git = h
	h.ServeGit(t)
}

type groundKey struct{}

type caseKey struct{}

// one is what a single case has made.
type one struct {
	name   string // of its site, repository and domain: a word
	site   string // its path, "" before there is one
	last   panel.Answer
	domain string
}

// setup gives a case its names.
func (g *ground) setup(env *testscript.Env) error {
	base := filepath.Base(env.WorkDir)
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(base))
	c := &one{name: fmt.Sprintf("c%08x", sum.Sum32())}
	c.domain = c.name + ".example.com"
	env.Values[groundKey{}], env.Values[caseKey{}] = g, c
	env.Setenv("NAME", c.name)
	env.Setenv("DOMAIN", c.domain)
	env.Setenv("SERVER", "/servers/"+g.server.ID)
	if g.server.Host != nil {
		env.Setenv("IP", g.server.Host.IP)
		env.Setenv("GIT", g.git.IP)
		env.Setenv("REPO", "ssh://git@"+g.git.IP+"/home/git/"+c.name+".git")
	}
	env.Setenv("SERVER_ID", g.server.ID)
	if g.balancer.Host != nil {
		env.Setenv("BALANCER", g.balancer.Path(""))
		env.Setenv("BALANCER_IP", g.balancer.Host.IP)
	}
	if g.other.Host != nil {
		env.Setenv("OTHER", g.other.Path(""))
		env.Setenv("OTHER_ID", g.other.ID)
	}
	env.Setenv("STORAGE", g.storage)
	env.Setenv("URL", g.URL)
	return nil
}

// placeholder is how a body names a variable: @{NAME}, so that dollars stay as they are.
var placeholder = regexp.MustCompile(`@\{(\w+)\}`)

func expand(ts *testscript.TestScript, text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string { return ts.Getenv(strings.Trim(m, "@{}")) })
}
