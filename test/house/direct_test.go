package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const (
	command  = "a command of whoever runs the installation, for no caller"
	given    = "its condition is its callers', which are read here too"
	ofOwn    = "the condition names rows of what was loaded"
	identity = "signs in, or ends a session"
	bySecret = "the secret in the path is what authorizes"
	open     = "the same for everyone, and nothing of an organization"
)

// direct lists what nouns, the edge and the wiring read from tables themselves without a condition that names a caller, or rows that were read for one:
// files and functions, with what authorizes them.
var direct = map[string]string{
	"app/archive.go mustBeEmpty":                                  command,
	"app/doctor_security.go":                                      command,
	"app/revoke.go":                                               command,
	"app/sealed.go":                                               command,
	"app/selfbackup.go":                                           installed,
	"edge/api/list.go Paged":                                      given,
	"noun/audit/http.go Export":                                   given,
	"noun/deployment/http.go Operations.page":                     given,
	"noun/event/http.go Operations.page":                          given,
	"noun/site/read.go Operations.page":                           given,
	"noun/server/parts.go Parts.Index":                            "the id of the parent, which was loaded",
	"noun/schedule/http.go Operations.index":                      ofOwn,
	"noun/dnsrecord/concern.go Elsewhere":                         "of what a caller deletes: its work was accepted in the same transaction",
	"noun/monitor/concern.go Concerns":                            ofOwn,
	"noun/team/invitation.go Operations.invites":                  ofOwn,
	"noun/team/team.go Operations.index":                          ofOwn,
	"noun/backup/http_configuration.go Operations.configurations": ofOwn,
	"noun/database/site.go Store.accountFor":                      ofOwn,
	"noun/integration/resource.go checkPort":                      ofOwn,
	"noun/php/http_settings.go smaller":                           "the domains of the caller's server: their names, and whether a limit of their own is smaller",
	"noun/organization/rights.go readRights":                      "the caller's own memberships of teams, by their account",
	"noun/organization/invitation.go CloseInvitations":            ofOwn,
	"noun/server/transfer.go give":                                ofOwn,
	"noun/site/http.go Operations.mayShare":                       "counts the sites of an account of the caller's server, and shows none",
	"noun/role/http.go Operations.predefinedIndex":                "reads no table",
}

// routes lists every path that is served outside of the router's operations, with what authorizes it.
var routes = map[string]string{
	`app/serve.go "/api/"`:                                         "the router's operations; TestOperationsAreAuthorized lists them",
	`app/serve.go "GET /healthz"`:                                  open,
	`app/serve.go "GET /readyz"`:                                   open,
	`app/serve.go "GET /metrics"`:                                  "a token, or a caller of this machine",
	`app/serve.go "/bootstrap/"`:                                   bySecret,
	`app/serve.go storage.RelayPath`:                               bySecret,
	`app/serve.go deployment.HookPath`:                             bySecret,
	`app/serve.go deployment.PushPath`:                             "the signature of the site's secret",
	`app/serve.go heartbeat.PingPath`:                              bySecret,
	`app/serve.go "GET " + api.Reference`:                          open,
	`app/serve.go "GET " + docs.Path`:                              open,
	`app/serve.go "GET " + strings.TrimSuffix(api.Reference, "/")`: open,
	`app/serve.go "/oauth/"`:                                       identity,
	`app/serve.go "GET /.well-known/oauth-authorization-server"`:   open,
	`app/serve.go mcp.Path`:                                        "the API, which a tool calls with the token of the request",
	`app/serve.go mcp.Metadata`:                                    open,
	`app/serve.go mcp.Metadata + mcp.Path`:                         open,
	`app/serve.go "/"`:                                             open,
	`edge/api/router.go nowhere`:                                   open,
	`edge/api/router.go op.Method + " " + Root + op.Path`:          "the operation's permissions",
	`edge/api/router.go method + " " + path`:                       open,
	`edge/api/viewer.go "GET " + prefix + "viewer.css"`:            open,
	`edge/api/viewer.go "GET " + prefix + "{$}"`:                   open,
	`noun/deployment/hook.go HookPath + "{token}"`:                 bySecret,
	`noun/deployment/hook.go "POST " + PushPath + "{site}"`:        "the signature of the site's secret",
	`noun/heartbeat/ping.go PingPath + "{token}"`:                  bySecret,
	`noun/oauth/server.go path`:                                    "the secret of a client, or proof of its code",
	`noun/oauth/server.go "GET /oauth/page.css"`:                   open,
	`noun/oauth/server.go pathAuthorize`:                           "a session, and a consent",
	`noun/oauth/server.go pathSignIn`:                              identity,
	`noun/oauth/server.go pathDevice`:                              "a session, and the code that a device shows",
	`noun/oauth/server.go "GET " + pathMetadata`:                   open,
	`noun/server/bootstrap.go "GET /bootstrap/{server}/script"`:    bySecret,
	`noun/server/bootstrap.go "POST /bootstrap/{server}"`:          bySecret,
}

var (
	// ofCaller matches conditions that limit rows to what a caller sees, or that name a row that was loaded with the caller's grant.
	ofCaller = regexp.MustCompile(`\b(Grant|g|Visible|VisibleOf|Attended|AttendedOf|visibleWith|visibleMembers|visible|c\.Parent|p\.Team|l\.Here|` +
		`l\.OnSites|l\.Server)\b`)
	// ofRows matches conditions on ids of rows that were read before.
	ofRows = regexp.MustCompile(`db\.Equal\("(\w+_)?id", .*\.\.\.\)|^db\.Held\(`)
	// reads are the functions that read a table by its name.
	reads = regexp.MustCompile(`^db\.(All|Select|Held|Column)\b|^transfer\.List\b|\.List\.Of$|\.(QueryContext|QueryRowContext)$`)
)

// What is read from tables past the queries that take a grant is limited by one, or by rows that were read with one; the rest is listed.
func TestDirectReads(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, file := range sources(t, "internal/app", "internal/edge", "internal/noun") {
		source, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, source, 0)
		if err != nil {
			t.Fatal(err)
		}
		file = strings.TrimPrefix(file, "internal/")
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok || !reads.MatchString(types.ExprString(call.Fun)) {
					return true
				}
				text := string(source[set.Position(call.Pos()).Offset:set.Position(call.End()).Offset])
				if ofCaller.MatchString(text) || ofRows.MatchString(text) {
					return true
				}
				at := file + " " + nameOf(d)
				if _, whole := direct[file]; whole {
					at = file
				}
				if direct[at] == "" {
					t.Errorf("%s reads %s without a condition of a caller, and is not listed with a reason", at, text)
				}
				found[at] = true
				return true
			})
		}
	}
	for at := range direct {
		if !found[at] {
			t.Errorf("%s is listed, and reads nothing past the queries", at)
		}
	}
}

// Every path that is served outside of the router's operations is listed with what authorizes its requests.
func TestRoutesOutsideTheRouter(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, file := range sources(t, "internal/app", "internal/edge", "internal/noun") {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		file = strings.TrimPrefix(file, "internal/")
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 2 {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || s.Sel.Name != "Handle" && s.Sel.Name != "HandleFunc" || !strings.HasSuffix(types.ExprString(s.X), "mux") {
				return true
			}
			at := file + " " + types.ExprString(call.Args[0])
			if routes[at] == "" {
				t.Errorf("%s is served, and is not listed with what authorizes it", at)
			}
			found[at] = true
			return true
		})
	}
	for at := range routes {
		if !found[at] {
			t.Errorf("%s is listed, and is not served", at)
		}
	}
}
