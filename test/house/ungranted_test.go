package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The reasons why something reads without a grant.
const (
	identifies = "identifies the caller: before it there is no grant"
	secretly   = "a secret from outside names the row: a token, a code, a hook, a signed link"
	accepted   = "works on what was accepted, for whoever asked for it"
	due        = "does what is due at a time, or what a host reported"
	folds      = "writes the row of what the ledger folds"
	mails      = "checks that a mail still says what is true before it is sent"
	installed  = "reads the installation, which belongs to no organization"
	planned    = "computes a plan from rows that were loaded: a ledger is read whole"
)

// ungranted lists everything in nouns, in the edge and in the wiring that reads without a grant: files that no caller reaches, and functions. A file
// that has a function which takes a caller, or a request, can't be listed whole.
var ungranted = map[string]string{
	"app/key.go changeKeys":               installed,
	"app/page.go operationStates.Collect": installed,
	"app/selfbackup.go SelfBackup.bucket": installed,
	"edge/api/transact.go Router.claim":   "the key is named by the caller's own credential",

	"noun/account/account.go FindUser":                   installed,
	"noun/account/authenticate.go":                       identifies,
	"noun/account/authenticate.go Authenticator.Session": identifies,
	"noun/account/mail.go":                               mails,
	"noun/account/setup.go":                              installed,
	"noun/account/setup.go Setup.setup":                  secretly,
	"noun/account/sign.go":                               identifies,
	"noun/account/password_reset.go Sign.forgot":         identifies,
	"noun/account/password_reset.go Sign.reset":          secretly,
	"noun/account/sign.go Sign.signUp":                   identifies,
	"noun/account/throttle.go":                           identifies,
	"noun/oauth/oauth.go":                                secretly,
	"noun/oauth/page.go Provider.consent":                "shows who asks for the consent: a client of any organization",
	"noun/oauth/page.go Provider.device":                 secretly,
	"noun/oauth/page.go Provider.serveDevice":            secretly,
	"noun/oauth/page.go Provider.who":                    identifies,
	"noun/oauth/server.go server.DeviceToken":            secretly,
	"noun/oauth/server.go server.Introspect":             secretly,
	"noun/organization/invitation.go find":               secretly,
	"noun/organization/create.go Store.MayCreate":        "the installation's setting of who can make an account",
	"noun/organization/opened.go Operations.described":   secretly,
	"noun/organization/organization.go GrantOf":          "makes the grant of a member for whom work was accepted",
	"noun/deployment/hook.go Hooks.hook":                 secretly,
	"noun/deployment/push.go Hooks.push":                 secretly,
	"noun/heartbeat/ping.go":                             due,
	"noun/heartbeat/ping.go Watch.ping":                  secretly,
	"noun/server/bootstrap.go Bootstrap.load":            secretly,
	"noun/server/bootstrap.go Bootstrap.enter":           secretly,
	"noun/server/bootstrap.go Bootstrap.reopen":          secretly,
	"noun/storage/relay.go Relay.open":                   secretly,

	"noun/server/parts.go Parts.Read": "the parent is a path that was loaded; it gives the query its id",
	"noun/server/reach.go checkMachine": "counts the servers of the installation that are one machine, after a login to it, " +
		"and shows none",
	"noun/backup/http_configuration.go Operations.configurations": "makes the granted queries of the caller's transaction",
	"noun/loadbalancer/follow.go Follower.follow": "a server's new address goes to the balancers that have it as a node, seen by the " +
		"caller or not",
	"noun/loadbalancer/follow.go behind":     "the sites of a node that the caller named, with the domain of a site that the caller changes",
	"noun/event/stream.go Operations.stream": "the newest position in the output, and no row",
	"noun/event/stream.go news.join":         "the newest position in the output, and no row",
	"noun/event/stream.go news.look":         "says which organizations have new output, to wake their readers",

	"noun/backup/create.go":                             accepted,
	"noun/backup/dump.go":                               accepted,
	"noun/backup/object.go":                             accepted,
	"noun/backup/remove.go":                             accepted,
	"noun/backup/restore.go Runner.another":             accepted,
	"noun/backup/restore.go Runner.restored":            accepted,
	"noun/backup/runner.go Runner.ended":                accepted,
	"noun/certificate/issuer.go":                        accepted,
	"noun/certificate/work.go":                          accepted,
	"noun/firewall/converger.go Converger.sameMachines": accepted,
	"noun/firewall/peer.go Network.Leave":               "a server that leaves is let in by none of its peers, seen by the caller or not",
	"noun/notification/notification.go Notifier.Notify": accepted,
	"noun/notification/notification.go startedBy":       accepted,
	"noun/notification/send.go":                         accepted,
	"noun/recipe/job.go":                                accepted,
	"noun/server/job.go":                                accepted,
	"noun/server/rekey.go Rekeyer.write":                accepted,
	"noun/server/repair.go Repairer.write":              accepted,
	"noun/server/upgrade.go Upgrader.write":             accepted,
	"noun/sourcecontrol/link.go":                        accepted,
	"noun/webhook/webhook.go":                           accepted,

	"noun/backup/schedule.go":                due,
	"noun/certificate/accounts.go":           due,
	"noun/certificate/order.go":              due,
	"noun/certificate/renew.go":              due,
	"noun/nginx/kept.go":                     due,
	"noun/schedule/look.go":                  due,
	"noun/notification/watch.go":             due,
	"noun/backup/mail.go":                    mails,
	"noun/certificate/mail.go":               mails,
	"noun/dnsrecord/gather.go Store.holder":  "says no more of another site than that it is one of the organization's",
	"noun/dnsrecord/gather.go Store.find":    accepted,
	"noun/dnsrecord/job.go Task.agreed":      accepted,
	"noun/dnsrecord/watch.go Watcher.follow": due,
	"noun/dnsrecord/watch.go Watcher.looks":  due,
	"noun/dnsrecord/watch.go Watcher.remove": due,
	"noun/dnsrecord/watch.go Store.look":     "looks at a domain that was loaded, or that is due",
	"noun/heartbeat/mail.go":                 mails,
	"noun/monitor/watch.go CheckMail":        mails,
	"noun/monitor/url.go":                    due,
	"noun/recipe/mail.go":                    mails,

	"noun/database/drift.go":                    planned,
	"noun/database/found.go":                    planned,
	"noun/vhost/nginx.go Converger.NginxBounds": planned,
	"noun/vhost/vhost.go Converger.VhostText":   planned,

	"noun/certificate/noun.go installed":   folds,
	"noun/certificate/noun.go write":       folds,
	"noun/integration/noun.go claim":       folds,
	"noun/integration/noun.go write":       folds,
	"noun/php/php.go writeSettings":        folds,
	"noun/process/process.go write":        folds,
	"noun/redirect/redirect.go alone":      folds,
	"noun/redirect/redirect.go claim":      folds,
	"noun/schedule/schedule.go lead":       folds,
	"noun/schedule/schedule.go write":      folds,
	"noun/security/security.go claim":      folds,
	"noun/sftpuser/sftpuser.go claim":      folds,
	"noun/sftpuser/sftpuser.go write":      folds,
	"noun/site/balancer.go writeNodes":     folds,
	"noun/site/specification.go writeCode": folds,
}

// What the edge and the nouns read takes a grant, or a row that was read with one; the rest is listed.
func TestUngranted(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for _, file := range sources(t, "internal/app", "internal/edge", "internal/noun") {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, filepath.Join(root, file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		file = strings.TrimPrefix(file, "internal/")
		for _, decl := range f.Decls {
			if !readsAll(decl) {
				continue
			}
			name := nameOf(decl)
			switch d, _ := decl.(*ast.FuncDecl); {
			case ungranted[file+" "+name] != "":
				found[file+" "+name] = true
			case ungranted[file] == "":
				t.Errorf("%s: %s reads without a grant, and is not listed with a reason", file, name)
			case d != nil && takesCaller(d):
				t.Errorf("%s: %s has a caller and reads without the grant: list it by its name, with its own reason", file, name)
			default:
				found[file] = true
			}
		}
	}
	for at := range ungranted {
		if !found[at] {
			t.Errorf("%s is listed, and does not read without a grant", at)
		}
	}
}

// readsAll reports whether a declaration asks for all queries.
func readsAll(decl ast.Decl) (reads bool) {
	ast.Inspect(decl, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			of, _ := s.X.(*ast.Ident)
			reads = reads || s.Sel.Name == "Ungranted" || s.Sel.Name == "New" && of != nil && of.Name == "query"
		}
		return true
	})
	return reads
}

// takesCaller reports whether a function is given a caller: a call, a grant, an actor, or an HTTP request.
func takesCaller(d *ast.FuncDecl) bool {
	return slices.ContainsFunc(d.Type.Params.List, func(p *ast.Field) bool {
		text := types.ExprString(p.Type)
		return strings.Contains(text, "api.Call") || strings.Contains(text, "access.Grant") || strings.Contains(text, "access.Actor") ||
			strings.Contains(text, "api.PathValues") || strings.Contains(text, "http.Request")
	})
}

// nameOf returns the name of a declaration, after that of its receiver.
func nameOf(decl ast.Decl) string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return d.Name.Name
		}
		of := strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*")
		of, _, _ = strings.Cut(of, "[")
		return of + "." + d.Name.Name
	case *ast.GenDecl:
		if spec, ok := d.Specs[0].(*ast.ValueSpec); ok {
			return spec.Names[0].Name
		}
	}
	return fmt.Sprintf("%T", decl)
}

// sources lists the Go files below directories that are no tests.
func sources(t *testing.T, dirs ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", root, "ls-files", "--cached", "--others", "--exclude-standard", "--"}, dirs...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Fields(string(out)), func(file string) bool { return !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") })
}
