package edge

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/db"
)

// The examples of the API's guide are run as they stand, one after the other, by a shell that stops at the first that fails.
func TestExamplesOfTheGuide(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"sh", "curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	guide, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(string(guide), -1)
	if len(blocks) < 10 {
		t.Fatalf("the guide has only %d examples", len(blocks))
	}
	script := "set -eu\n"
	for _, block := range blocks {
		script += block[1] + "echo ---\n"
	}
	e := New(t, db.SQLite)
	user := e.User("reader")
	e.Organization("main", user)
	token, _ := e.Token(user, Everything(), nil)
	shell := exec.CommandContext(t.Context(), "sh", "-c", script)
	shell.Dir = t.TempDir()
	shell.Env = append(os.Environ(), "HOSTLER_URL="+e.URL+"/api", "HOSTLER_TOKEN="+token)
	var stderr strings.Builder
	shell.Stderr = &stderr
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.String())
	}
	parts := strings.Split(string(out), "---\n")
	want := []string{
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
	}
	for i, part := range want {
		if !strings.Contains(parts[i], part) {
			t.Errorf("example %d does not print what it should:\n%s", i, cmp.Diff(part, parts[i]))
		}
	}
}

// The guide's table of empty values is true.
func TestEmptyValues(t *testing.T) {
	t.Parallel()
	w := newWorld(New(t, db.SQLite))
	balanced := w.owner.Get("/orgs/acme/sites/"+w.mine.balancerSite).Want(t, 200)
	for _, name := range []string{"php_version", "web_directory", "user", "deployment_url", "deployment_status"} {
		if got := balanced.At("data", "attributes", name); got != "" {
			t.Errorf("%s of a site on a load balancer is %v", name, got)
		}
	}
	site := w.owner.Get("/orgs/acme/sites/"+w.mine.site).Want(t, 200)
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
