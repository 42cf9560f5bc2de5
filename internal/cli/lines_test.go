package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client/login"
)

// things are what the stand-in for a panel has: lists by their paths, each resource with its name or another attribute.
var things = map[string]string{
	"/orgs/acme/servers": `[{"id":"1","attributes":{"id":1,"name":"web-1","connection_status":"connected"},"meta":{"operation":{"event_id":"12",` +
		`"state":"failed"}}},{"id":"2","attributes":{"id":2,"name":"lb"}}]`,
	"/orgs/acme/servers/1": `{"id":"1","attributes":{"id":1,"name":"web-1"}}`,
	"/orgs/acme/sites/7": `{"id":"7","attributes":{"name":"a.example","repository":{"provider":"github","url":"acme/a","branch":"main"}},` +
		`"relationships":{"server":{"data":{"id":"1"}}}}`,
	"/orgs/acme/servers/1/sites/7/files/download": `[]`,
	"/orgs/acme/servers/1/metrics": `{"id":"1","attributes":{"cpu":[1],"cpu_load":[],"used_memory":[],"disk":[],` +
		`"network_received":[],"network_sent":[]}}`,
	"/orgs/acme/servers/metrics": `{"id":"1","attributes":{"cpu":[1],"cpu_load":[],"used_memory":[],"disk":[],` +
		`"network_received":[],"network_sent":[]}}`,
	"/orgs/acme/servers/1/sites/7/metrics":         `{"id":"7","attributes":{"requests":[],"client_errors":[],"server_errors":[]}}`,
	"/orgs/acme/servers/1/background-processes":    `[{"id":"11","attributes":{"command":"work"}}]`,
	"/orgs/acme/servers/1/background-processes/11": `{"id":"11","attributes":{"command":"work"}}`,
	"/orgs/acme/servers/1/sites/7/domains":         `[{"id":"13","attributes":{"name":"b.example"}}]`,
	"/orgs/acme/servers/1/sites/7/domains/13":      `{"id":"13","attributes":{"name":"b.example"}}`,
	"/orgs":                       `[{"id":"1","attributes":{"slug":"acme"}},{"id":"2","attributes":{"slug":"other"}}]`,
	"/orgs/acme/servers/archives": `[{"id":"3","attributes":{"id":3,"name":"old"}}]`,
	"/orgs/acme/sites": `[{"id":"7","attributes":{"name":"a.example","repository":{"provider":"github","url":"acme/a","branch":"main"}},` +
		`"relationships":{"server":{"data":{"id":"1"}}}}]`,
	"/orgs/acme/servers/1/sites":            `[]`,
	"/orgs/acme/servers/1/database/backups": `[{"id":"4","attributes":{"name":"nightly"}}]`,
	"/orgs/acme/servers/1/database/schemas": `[{"id":"5","attributes":{"name":"shop"}}]`,
	"/orgs/acme/server-credentials":         `[{"id":"6","attributes":{"name":"cloud"}}]`,
	"/orgs/acme/recipes":                    `[{"id":"8","attributes":{"name":"df"},"links":{"self":{"href":"/api/orgs/acme/recipes/8"}}}]`,
	"/orgs/acme/recipes/8":                  `{"id":"8","attributes":{"name":"df"},"links":{"self":{"href":"/api/orgs/acme/recipes/8"}}}`,
	"/orgs/acme/recipes/8/runs":             `[]`,
	"/orgs/acme/ssh-keys": `[{"id":"9","attributes":{"name":"ada","fingerprint":"SHA256:x","server_id":1,` +
		`"server_name":"web-1","user":"forge"}}]`,
	"/orgs/acme/servers/1/host-keys": `{"id":"1","attributes":{"presented":[{"public_key":"ssh-ed25519 AAAA","fingerprint":"SHA256:y"}]}}`,
	"/orgs/acme/servers/1/drift": `{"id":"1","attributes":{"differences":[{"step":"nginx","path":"/etc/nginx/nginx.conf",` +
		`"what":"changed","diff":"-a\n+b"}]}}`,
	"/orgs/acme/events": `[{"id":"12","attributes":{},"links":{"self":{"href":"/api/orgs/acme/servers/1/events/12"}}}]`,
	"/orgs/acme/servers/1/events/12": `{"id":"12","attributes":{"description":"Reboot"},"meta":{"operation":{"state":"failed",` +
		`"reason":"why"}}}`,
	"/orgs/acme/servers/1/events/12/output":              `{"id":"12","attributes":{"output":"line\n"}}`,
	"/orgs/acme/servers/1/sites/7/files/content":         `{"id":"7","attributes":{"content":"User-agent: *\n"}}`,
	"/orgs/acme/rate-limit":                              `{"id":"1","attributes":{"requests_per_minute":900}}`,
	"/orgs/acme":                                         `{"id":"1","attributes":{"slug":"acme"}}`,
	"/orgs/acme/audit":                                   `[]`,
	"/orgs/acme/servers/1/sites/7/logs/nginx-access":     `{"id":"7","attributes":{"content":"GET /\n"}}`,
	"/orgs/acme/servers/1/sites/7/load-balancing-nodes":  `[{"id":"1","attributes":{"server_id":1,"port":80}}]`,
	"/orgs/acme/servers/1/database/backups/4/instances":  `[]`,
	"/orgs/acme/servers/1/database/backups/4/instances/": `[]`,
}

// called runs a command line against the stand-in. It returns the requests that change something, each with its body, what was printed, and the exit status.
func called(t *testing.T, in string, words ...string) (changes []string, out string, code int) {
	t.Helper()
	panel := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		path := strings.TrimPrefix(req.URL.Path, "/api")
		w.Header().Set("Content-Type", "application/vnd.api+json")
		data, known := things[path]
		if req.Method == http.MethodGet && !known {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"message":"There is no such thing."}`)
			return
		}
		if req.Method != http.MethodGet || req.URL.RawQuery != "" && !strings.Contains(req.URL.RawQuery, "filter") && !strings.Contains(req.URL.RawQuery, "page") {
			body, err := io.ReadAll(req.Body)
			if err != nil {
				t.Error(err)
			}
			line := req.Method + " " + strings.TrimPrefix(req.URL.RequestURI(), "/api/orgs/acme")
			if len(body) > 0 {
				line += " " + string(body)
			}
			changes = append(changes, line)
		}
		if req.Method != http.MethodGet {
			if strings.Contains(changes[len(changes)-1], "protocol") {
				w.Header().Set("X-Hostler-Ignored", "protocol")
			}
			data = `{"id":"1","attributes":{"name":"made"}}`
		}
		_, _ = io.WriteString(w, `{"data":`+data+`}`)
	}))
	defer panel.Close()
	g := &globals{config: login.File(filepath.Join(t.TempDir(), "config.json"))}
	environment := map[string]string{"HOSTLER_URL": panel.URL, "HOSTLER_TOKEN": "token", "HOSTLER_ORG": "acme"}
	g.getenv = func(name string) string { return environment[name] }
	root := &cobra.Command{Use: "hostler", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(g.commands(words[:1])...)
	Usage(root)
	var printed, errs bytes.Buffer
	root.SetIn(strings.NewReader(in))
	root.SetOut(&printed)
	root.SetErr(&errs)
	root.SetArgs(words)
	code = ExitCode(root.ExecuteContext(t.Context()), &errs)
	return changes, printed.String() + errs.String(), code
}

// Each line has a command, and the request that it sends.
func TestCommandLinesBecomeRequests(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key.pub")
	if err := os.WriteFile(key, []byte("ssh-ed25519 AAAA ada@laptop\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line, in, want string
	}{
		// Fields of one provider among those of several, and what a caller most likely means.
		{line: "servers create web-2 --ip-address 10.0.0.5 --ssh-port 2222 --tags blue,green",
			want: `POST /servers {"custom":{"ip_address":"10.0.0.5","ssh_port":2222},` +
				`"name":"web-2","provider":"custom","tags":["blue","green"],"type":"app"}`},
		{line: "servers create web-2 --provider hetzner --credential cloud --region-id fsn1 --size-id cx22 --network-id 2",
			want: `POST /servers {"credential_id":6,` +
				`"hetzner":{"network_id":2,"region_id":"fsn1","size_id":"cx22"},"name":"web-2","provider":"hetzner","type":"app"}`},
		{line: "servers create web-2 --provider vultr --network-id abc",
			want: `POST /servers {"name":"web-2","provider":"vultr","type":"app","vultr":{"network_id":"abc"}}`},
		{line: "servers add web-2 --address 10.0.0.5 --php php84", want: `POST /servers {"custom":{"ip_address":"10.0.0.5"},"name":"web-2","php_version":"php84",` +
			`"provider":"custom","type":"app"}`},
		// The resource that a call is about stands without a name, whether the path has it or the body.
		{line: "servers reboot web-1 --yes", want: `POST /servers/1/actions {"action":"reboot"}`},
		{line: "servers archive web-1", in: "web-1\n", want: `POST /servers/archives {"server_id":1}`},
		{line: "servers reconnect old", want: `DELETE /servers/archives/3; POST /servers/3/line`},
		{line: "servers update web-1 --timezone Europe/Berlin", want: `PUT /servers/1 {"timezone":"Europe/Berlin"}`},
		{line: "servers delete web-1 --yes --preserve-at-provider", want: `DELETE /servers/1?preserve_at_provider=true`},
		{line: "servers transfer web-1 --to other --force --yes", want: `POST /servers/1/transfer {"force":true,"to":"other"}`},
		{line: "servers host-keys web-1 --confirm SHA256:y", want: `PUT /servers/1/host-keys {"host_keys":["ssh-ed25519 AAAA"]}`},
		// Objects of lists, with the ids of what they name.
		{line: "sites create-balancer lb a.example --balancing server=web-1 --balancing server=lb,port=8080,weight=3,backup",
			want: `POST /servers/2/sites/balancer {"balancer_method":"round_robin","balancing":[{"server_id":1,"weight":1},{"backup":true,"port":8080,` +
				`"server_id":2,"weight":3}],` +
				`"domain":"a.example"}`},
		{line: `nodes update a.example --balancer-method ip_hash --balancing [{"server_id":2}]`,
			want: `PUT /servers/1/sites/7/load-balancing-nodes {"balancer_method":"ip_hash","balancing":[{"server_id":2}]}`},
		// What follows from the rest of a site.
		{line: "sites create web-1 b.example --type laravel --repository acme/b --isolated-user b --limits-memory-max 512",
			want: `POST /servers/1/sites {"install_composer_dependencies":true,"is_isolated":true,"isolated_user":"b","limits":{"memory_max":512},"name":"b.example",` +
				`"repository":"acme/b","type":"laravel"}`},
		{line: "sites create web-1 b.example", want: `POST /servers/1/sites {"name":"b.example","type":"php"}`},
		{line: "sites repository a.example --branch next",
			want: `PUT /servers/1/sites/7/git {"branch":"next","repository":"acme/a","source_control_provider":"github"}`},
		{line: "sites update a.example --body -", in: `{"limits": {}}`, want: `PUT /servers/1/sites/7 {"limits":{}}`},
		{line: "backups run web-1 nightly", want: `POST /servers/1/database/backups/4/instances`},
		{line: "backups restore web-1 nightly 12 --database shop --as copy --on lb --site a.example",
			want: `POST /servers/1/database/backups/4/instances/12/restores {"database_id":5,"name":"copy","server_id":2,"site_id":7}`},
		{line: "backups restore web-1 nightly 12 --database shop", in: "shop\n", want: `POST /servers/1/database/backups/4/instances/12/restores {"database_id":5}`},
		{line: "recipes run df --server web-1 --server lb", want: `POST /recipes/8/runs {"email":false,"servers":[1,2]}`},
		{line: "keys rotate web-1 --yes", want: `PUT /servers/1/key`},
		{line: "ssh-keys add " + key +
			" --server web-1 --server lb", want: `POST /servers/1/ssh-keys {"key":"ssh-ed25519 AAAA ada@laptop","name":"ada@laptop","user":"forge"}; ` +
			`POST /servers/2/ssh-keys {"key":"ssh-ed25519 AAAA ada@laptop","name":"ada@laptop","user":"forge"}`},
		{line: "ssh-keys delete ada --yes --close-sessions", want: `DELETE /servers/1/ssh-keys/9?close_sessions=true`},
		// Null is a value, also of a required field.
		{line: "rate-limit update --requests-per-minute null", want: `PUT /rate-limit {"requests_per_minute":null}`},
		{line: "events retry 12", want: `POST /servers/1/events/12/retry`},
		{line: "servers retry web-1", want: `POST /servers/1/events/12/retry`},
		// What interrupts something asks first; the action that is asked about may be an argument, a flag or the verb.
		{line: "services nginx web-1 stop", in: "web-1\n", want: `POST /servers/1/services/nginx/actions {"action":"stop"}`},
		{line: "services nginx web-1 reboot", want: `POST /servers/1/services/nginx/actions {"action":"reboot"}`},
		{line: "services mysql web-1 stop --yes", want: `POST /servers/1/services/mysql/actions {"action":"stop"}`},
		{line: "processes stop web-1 work", in: "work\n", want: `POST /servers/1/background-processes/11/actions {"action":"stop"}`},
		{line: "processes restart web-1 work", want: `POST /servers/1/background-processes/11/actions {"action":"restart"}`},
		{line: "domains enable a.example b.example", want: `POST /servers/1/sites/7/domains/13/actions {"action":"enable"}`},
		{line: "services php web-1 php84 --action reload", want: `POST /servers/1/services/php/actions {"action":"reload","version":"php84"}`},
		{line: "access-log show a.example --lines 5 --search GET", want: `GET /servers/1/sites/7/logs/nginx-access?lines=5&search=GET`},
		{line: "files print a.example /robots.txt", want: `GET /servers/1/sites/7/files/content?path=%2Frobots.txt`},
		{line: "files download a.example /robots.txt --to -", want: `GET /servers/1/sites/7/files/download?path=%2Frobots.txt`},
		{line: "files upload a.example " + key + " /keys/ --replace", want: `PUT /servers/1/sites/7/files/upload?path=%2Fkeys%2Fkey.pub&replace=true ` +
			"ssh-ed25519 AAAA ada@laptop\n"},
		{line: "servers metrics web-1 --range 7d", want: `GET /servers/1/metrics?range=7d`},
		{line: "servers metrics", want: `GET /servers/metrics?range=24h`},
		{line: "sites metrics a.example", want: `GET /servers/1/sites/7/metrics?range=24h`},
		{line: "deploy a.example --no-wait", want: `POST /servers/1/sites/7/deployments`},
		{line: "backups key", want: `POST /backup-keys/export`},
		{line: "backups download web-1 nightly 12", want: `POST /servers/1/database/backups/4/instances/12/downloads`},
		{line: "sites of-server web-1 --tag blue", want: ``},
		{line: "retention update --audit 30", want: `PUT /retention {"audit_days":30}`},
		{line: "audit list --status 403", want: ``},
		{line: "api POST /orgs/{org}/recipes -f name=x -f user.id=3", want: `POST /recipes {"name":"x","user":{"id":3}}`},
	} {
		changes, out, code := called(t, c.in, strings.Fields(c.line)...)
		if got := strings.Join(changes, "; "); got != c.want {
			t.Errorf("hostler %s:\n%s\nends with %d: %s", c.line, cmp.Diff(c.want, got), code, out)
		}
	}
}

// What is wrong with a line is said before anything is sent.
func TestCommandLinesAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line, in, want string
		code           int
	}{
		{line: "servers create web-2 --region-id fsn1", want: "--region-id can't be used with the provider custom", code: CodeUsage},
		{line: "servers create web-2 --provider hetzner --network-id backend", want: `--network-id must be a whole number, not "backend"`, code: CodeUsage},
		{line: "servers create web-2 --provider hetzner --ssh root@10.0.0.5", want: "--ssh is for servers that exist already", code: CodeUsage},
		{line: "servers update web-1", want: "nothing to update", code: CodeUsage},
		{line: "servers repair web-1", in: "lb\n", want: "This repairs the server web-1. Files changed outside Hostler are overwritten.", code: CodeUsage},
		{line: "servers power-cycle web-1", want: "This power-cycles the server web-1.", code: CodeUsage},
		{line: "services nginx web-1 stop", want: "This stops nginx of the server web-1. The server's sites are offline until it is restarted.", code: CodeUsage},
		{line: "services postgres web-1 stop", in: "lb\n", want: "Sites that use it fail until it is restarted.", code: CodeUsage},
		{line: "processes stop web-1 11", want: "This stops the background process work.", code: CodeUsage},
		{line: "domains disable a.example b.example", want: "The site does not respond at it until it is enabled again.", code: CodeUsage},
		{line: "deploy-hook update a.example", want: "This updates the deploy hook of the site a.example. The current URL and secret", code: CodeUsage},
		{line: "access-log clear a.example", want: "This clears the access log of the site a.example.", code: CodeUsage},
		{line: "reverb disable a.example", want: "This disables the reverb of the site a.example.", code: CodeUsage},
		{line: "servers reboot web-1 --yes --query .[", want: `invalid argument ".[" for "--query" flag: no query of jq`, code: CodeUsage},
		{line: "logs site a.example access --lines 5", want: "hostler logs site is called otherwise now: hostler access-log show SITE", code: CodeUsage},
		{line: "servers order web-2 --credential cloud --region fsn1", want: "hostler servers order is called otherwise now: hostler servers create NAME",
			code: CodeUsage},
		{line: "nodes update a.example --node web-1:8080,weight=2", want: `"web-1:8080" is none of backup,down,port=PORT,server=SERVER`, code: CodeUsage},
		{line: "servers retry lb", want: "no work on the server lb can be retried", code: CodeError},
		{line: "servers delete 1", in: "1\n", want: "This deletes the server web-1.", code: CodeUsage},
		{line: "servers host-keys web-1 --confirm SHA256:z", want: "no key with the fingerprint SHA256:z", code: CodeUsage},
		{line: "servers drift web-1", want: "1 differences", code: CodeFailed},
		{line: "servers show nothing", want: `no server named "nothing"`, code: CodeNotFound},
		{line: "nodes update a.example --balancing web-1", want: `"web-1" is none of backup,down,port=PORT,server=SERVER,weight=WEIGHT`, code: CodeUsage},
		{line: "nodes update a.example --balancing server=web-1,port=high", want: `port must be a whole number, not "high"`, code: CodeUsage},
		{line: "nodes update a.example --balancing {", want: "is no JSON", code: CodeUsage},
		{line: "nodes update a.example --balancer-method ip_hash --balancing server=nothing", want: `no server named "nothing"`, code: CodeNotFound},
		{line: "nodes update a.example", want: "nothing to update", code: CodeUsage},
		{line: "sites repository a.example", want: "at least one of the flags", code: CodeUsage},
		{line: "backups restore web-1 nightly 12", want: "--database is required", code: CodeUsage},
		{line: "backups download web-1 nightly newest", want: `"newest" is not a backup ID`, code: CodeUsage},
		{line: "backups restore web-1 nightly 12 --database shop", in: "no\n", want: "This replaces the database shop.", code: CodeUsage},
		{line: "ssh-keys delete nobody --yes", want: `no SSH key "nobody"`, code: CodeNotFound},
		{line: "ssh-keys add none.pub", want: `required flag(s) "server" not set`, code: CodeUsage},
		{line: "events follow 12", want: "failed: why", code: CodeFailed},
		{line: "events output 99", want: `no event "99"`, code: CodeNotFound},
		{line: "deploy a.example --timeout soon", want: `invalid argument "soon" for "--timeout"`, code: CodeUsage},
		{line: "servers create web-2 --ssh root@10.0.0.5:ssh", want: "invalid port", code: CodeUsage},
		{line: "servers create web-2 --ssh ro ot@10.0.0.5", want: "accepts 1 arg(s), received 2", code: CodeUsage},
		{line: "servers create web-2 --provider custom --size-id x", want: "--size-id can't be used with the provider custom", code: CodeUsage},
		{line: "orgs switch acme", want: "no login for", code: CodeUsage},
		{line: "login http://127.0.0.1 --token-stdin", want: "no token provided", code: CodeUsage},
		{line: "login http://192.0.2.1 --token-stdin", in: "hostler_x", want: "use https", code: CodeUsage},
		{line: "login https://panel.example --token --token-stdin", want: "none of the others can be", code: CodeUsage},
		{line: "join https://panel.example/invitation --name x", want: "invalid link", code: CodeUsage},
		{line: "join https://panel.example/invitation#x", want: "at least one of the flags", code: CodeUsage},
		{line: "keys rotate nothing --yes", want: `no server named "nothing"`, code: CodeNotFound},
		{line: "check-host --type none", want: "--type must be app", code: CodeUsage},
		{line: "check-host --script --ssh x", want: "none of the others can be", code: CodeUsage},
		{line: "files download a.example /", want: "is no file", code: CodeUsage},
		{line: "mcp now", want: "unknown command", code: CodeUsage},
		{line: "recipes run df", want: `required flag(s) "server" not set`, code: CodeUsage},
		{line: "api GET / --paginate --field", want: "flag needs an argument", code: CodeUsage},
	} {
		changes, out, code := called(t, c.in, strings.Fields(c.line)...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("hostler %s ends with %d: %s", c.line, code, out)
		}
		if len(changes) > 0 {
			t.Errorf("hostler %s sends %v", c.line, changes)
		}
	}
}

// A resource is shown with all it says; its objects are taken apart.
func TestAllOfAResourceIsShown(t *testing.T) {
	t.Parallel()
	_, out, code := called(t, "", "sites", "show", "a.example")
	if code != 0 {
		t.Fatalf("it ends with %d: %s", code, out)
	}
	for _, want := range []string{"name                 a.example", "repository url       acme/a", "repository branch    main", "server               1"} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q in\n%s", want, out)
		}
	}
	if _, out, _ = called(t, "", "orgs", "list"); !strings.Contains(out, "*  1") || strings.Count(out, "*") != 1 {
		t.Errorf("the current organization is not marked in\n%s", out)
	}
	if _, out, _ = called(t, "", "servers", "list", "--query", ".[].attributes.name"); out != "web-1\nlb\n" {
		t.Errorf("the names of servers are %q", out)
	}
	if _, out, _ = called(t, "", "events", "output", "12"); out != "line\n" {
		t.Errorf("the output of an event is %q", out)
	}
	if _, out, _ = called(t, "", "servers", "list", "--limit", "1", "-o", "json"); !json.Valid([]byte(out)) || strings.Contains(out, "lb") {
		t.Errorf("one server is %s", out)
	}
}

// A field that the operation does not know is named: what it was to limit is not limited.
func TestIgnoredFieldsAreSaid(t *testing.T) {
	t.Parallel()
	_, out, code := called(t, "", "api", "POST", "/orgs/{org}/servers/1/firewall-rules", "-f", "name=dns", "-f", "port=53", "-f", "protocol=udp")
	if want := "Warning: the operation does not know protocol: ignored."; code != 0 || !strings.Contains(out, want) {
		t.Errorf("%d: %s", code, out)
	}
}
