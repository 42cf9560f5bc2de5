package edge

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// printed runs the examples of a page unchanged, in sequence, in a shell that stops at the first failure.
func printed(t *testing.T, page string, env ...string) []string {
	t.Helper()
	for _, tool := range []string{"sh", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	guide, err := os.ReadFile("../../docs/" + page)
	if err != nil {
		t.Fatal(err)
	}
	script := "set -eu\n"
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(string(guide), -1) {
		script += block[1] + "echo ---\n"
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", script)
	shell.Dir = t.TempDir()
	shell.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	shell.Stderr = &stderr
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.String())
	}
	return strings.Split(strings.TrimSuffix(string(out), "---\n"), "---\n")
}

func wantPrinted(t *testing.T, parts, want []string) {
	t.Helper()
	if len(parts) != len(want) {
		t.Fatalf("%d examples, want %d", len(parts), len(want))
	}
	for i, part := range want {
		if !strings.Contains(parts[i], part) {
			t.Errorf("example %d does not print what it should:\n%s", i, cmp.Diff(part, parts[i]))
		}
	}
}

// The examples of the API's guide work.
func TestExamplesOfTheGuide(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	user := e.User("reader")
	e.Organization("main", user)
	token, _ := e.Token(user, Everything(), nil)
	wantPrinted(t, printed(t, "api.md", "HOSTLER_URL="+e.URL+"/api", "HOSTLER_TOKEN="+token), []string{
		"",
		`"slug": "main"`,
		"/bootstrap/1/script",
		"{\n  \"status\": \"installing\",\n  \"work\": \"pending\"\n}\n",
		"\"port\": 8080,\n  \"weight\": 1,",
		"pending\tInstalling site www.example.com\n",
		"\nremoving\n",
		"{\n  \"rows\": [\n    \"app-1\"\n  ],\n  \"next\": null\n}\n{\n  \"included\": [\n    \"lb-1\"\n  ],\n  \"tags\": 0\n}\n",
		`"balancing.0.server_id": [`,
		"true\n",
	})
}

// The examples of the page about access work.
func TestExamplesOfAccess(t *testing.T) {
	t.Parallel()
	e := NewWith(t, db.SQLite, func(c *app.Config) { c.RateLimit = api.DefaultRateLimit })
	user := e.User("reader")
	e.WithPassword(user.ID)
	e.Organization("main", user)
	wantPrinted(t, printed(t, "access.md", "HOSTLER_URL="+e.URL, "EMAIL=reader@example.com", "PASSWORD="+password), []string{
		"reader@example.com\n",
		"hostler_pat_ main 120\n",
		"dev@example.com\n",
		"The selected role_id has permissions that you don't have: organization:delete.\n",
		"[\"S256\",\"code\"]\nhostler_ocs_\n",
		"/oauth/device?user_code=…\n",
		"{\"requests_per_minute\":90,\"default\":600,\"minimum\":60,\"maximum\":6000}\nX-Ratelimit-Limit: 90\n",
		"[\"organizations.rate-limit.update\",null,90]\n",
	})
}

// The guide's table of empty values is true.
func TestEmptyValues(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	balanced := w.owner.Get("/orgs/acme/sites/"+w.mine.balancerSite).Want(t, 200)
	for _, name := range []string{"php_version", "web_directory", "user", "deployment_url", "deployment_status"} {
		if got := balanced.At("data", "attributes", name); got != "" {
			t.Errorf("%s of a site on a load balancer is %v", name, got)
		}
	}
	bare := w.owner.Post("/orgs/acme/servers/"+w.mine.server+"/sites", map[string]any{"type": "static-html", "name": "bare.example.com"}).Want(t, 202).ID()
	site := w.owner.Get("/orgs/acme/sites/"+bare).Want(t, 200)
	for _, name := range []string{"php_version", "deployment_url", "deployment_status"} {
		if got := site.At("data", "attributes", name); got != "" {
			t.Errorf("%s of a site is %v", name, got)
		}
	}
	if got := site.At("data", "attributes", "repository", "provider"); got != "" {
		t.Errorf("repository.provider is %v", got)
	}
	server := w.owner.Get(servers+"/"+w.mine.server).Want(t, 200)
	for _, name := range []string{"size", "region"} {
		if got := server.At("data", "attributes", name); got != "custom" {
			t.Errorf("%s of a server is %v", name, got)
		}
	}
}

// The examples of the page about sites work.
func TestExamplesOfSites(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	token, _ := w.Token(w.users["owner"], Everything(), nil)
	wantPrinted(t, printed(t, "sites.md", "API="+w.URL+"/api", "TOKEN="+token, "SERVER="+w.mine.server, "SITE="+w.mine.site,
		"DOMAIN="+w.mine.domain), []string{"dns-01\n"})
}
