package edge

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// The reasons why scenarios of the suite don't apply. It expects the tools, resources and prompts of an example.
const (
	ofExample   = "calls a tool of the example"
	noResources = "there are no resources"
	noPrompts   = "there are no prompts"
)

// unfit are the scenarios of the conformance suite that don't apply, each with its reason.
var unfit = map[string]string{
	"logging-set-level": "the panel sends no log messages", "completion-complete": "there are no prompts and resources to complete",
	"server-sse-polling":     "there are no sessions to resume",
	"tools-call-simple-text": ofExample, "tools-call-image": ofExample, "tools-call-audio": ofExample, "tools-call-embedded-resource": ofExample,
	"tools-call-mixed-content": ofExample, "tools-call-with-logging": ofExample, "tools-call-error": ofExample, "tools-call-with-progress": ofExample,
	"tools-call-sampling": ofExample, "tools-call-elicitation": ofExample, "json-schema-2020-12": ofExample, "elicitation-sep1034-defaults": ofExample,
	"elicitation-sep1330-enums": ofExample,
	"resources-list":            noResources, "resources-read-text": noResources, "resources-read-binary": noResources, "resources-templates-read": noResources,
	"resources-subscribe": noResources, "resources-unsubscribe": noResources,
	"prompts-list": noPrompts, "prompts-get-simple": noPrompts, "prompts-get-with-args": noPrompts, "prompts-get-embedded-resource": noPrompts,
	"prompts-get-with-image": noPrompts,
}

var scenarioName = regexp.MustCompile(`(?m)^ +- ([a-z0-9-]+) \[`)

// The protocol's own suite (npm @modelcontextprotocol/conformance 0.1.16) passes. HOSTLER_MCP_CONFORMANCE is a directory that it was installed in, with a
// node of version 22 or newer in HOSTLER_NODE, default node: make mcp-conformance installs both.
func TestMCPConformance(t *testing.T) {
	t.Parallel()
	suite := filepath.Join(os.Getenv("HOSTLER_MCP_CONFORMANCE"), "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	if _, err := os.Stat(suite); err != nil {
		t.Skip("HOSTLER_MCP_CONFORMANCE names no directory with the suite of the Model Context Protocol: make mcp-conformance")
	}
	node := os.Getenv("HOSTLER_NODE")
	if node == "" {
		node = "node"
	}
	var to *httputil.ReverseProxy
	var token string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // the suite has no token
		r.Header.Set("Authorization", "Bearer "+token)
		to.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	base := strings.Replace(proxy.URL, "127.0.0.1", "localhost", 1)
	w := WorldWith(t, db.SQLite, func(c *app.Config) { c.BaseURL = base })
	at, err := url.Parse(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	to, token = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(at); r.Out.Host = r.In.Host }, FlushInterval: -1}, w.owner.Token

	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		cmd := exec.CommandContext(t.Context(), node, append([]string{suite}, args...)...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = t.TempDir(), &out, &out
		err := cmd.Run()
		return out.String(), err
	}
	list, err := run("list", "--server")
	if err != nil {
		t.Fatalf("%v: %s", err, list)
	}
	tried := 0
	found := map[string]bool{}
	for _, m := range scenarioName.FindAllStringSubmatch(list, -1) {
		found[m[1]] = true
		if unfit[m[1]] != "" {
			continue
		}
		tried++
		if said, err := run("server", "--url", base+"/mcp", "--scenario", m[1]); err != nil {
			t.Errorf("%s: %v\n%s", m[1], err, said)
		}
	}
	for name := range unfit {
		if !found[name] {
			t.Errorf("%s is listed, and is no scenario", name)
		}
	}
	if tried < 4 {
		t.Errorf("only %d scenarios were tried: %s", tried, list)
	}
	t.Logf("%d scenarios pass, %d don't apply", tried, len(unfit))
}
