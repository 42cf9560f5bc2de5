package edge

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

var update = flag.Bool("update", false, "rewrite the table of powers in docs/security.md")

// marker is a word in every text of a caller that a host may run or read, planted one in every secret that a caller may want to read.
const marker, planted = "c4nary", "pl4nted"

// probes are requests that ask for the most that an operation can do, in place of those that merely succeed.
var probes = map[string]func(w *world, n int64) any{
	"organization.recipes.store": func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("%s %d", marker, n), "user": "root", "script": "touch /" + marker}
	},
	"organizations.recipes.update": func(*world, int64) any { return map[string]any{"user": "root", "script": "touch /" + marker} },
	"organizations.servers.scheduled-jobs.store": func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("Job %d", n), "command": "touch /" + marker, "user": "root", "frequency": "nightly"}
	},
	"organizations.servers.sites.scheduled-jobs.store": func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("Job %d", n), "command": "touch /" + marker, "user": "root", "frequency": "nightly"}
	},
	"organizations.servers.background-processes.store": func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("worker %d", n), "command": "touch /" + marker, "user": "root", "processes": 1}
	},
	"organizations.servers.background-processes.update": func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("worker %d", n), "config": "command=touch /" + marker}
	},
	"organizations.servers.ssh-keys.store": func(w *world, n int64) any {
		return map[string]any{"name": fmt.Sprint(n), "key": publicKey(w.T), "user": "root"}
	},
	"organizations.servers.php.versions.configs.fpm.update": func(*world, int64) any { return map[string]any{"config": "disable_functions = " + marker} },
	"organizations.servers.php.versions.configs.cli.update": func(*world, int64) any { return map[string]any{"config": "disable_functions = " + marker} },
	"organizations.servers.php.versions.configs.pool.update": func(*world, int64) any {
		return map[string]any{"config": "php_admin_value[disable_functions] = " + marker}
	},
	"organizations.servers.network.update":       peerOf,
	"organizations.servers.sites.commands.store": func(*world, int64) any { return map[string]any{"command": "touch /" + marker} },
	"organizations.servers.sites.deployments.script.update": func(*world, int64) any {
		return map[string]any{"content": "touch /" + marker + "\n", "auto_source": true}
	},
	"organizations.servers.sites.environment.update": func(*world, int64) any { return map[string]any{"environment": "A=" + marker + "\n"} },
	"organizations.servers.sites.nginx.update":       nginxProbe,
	"organizations.servers.nginx.templates.store":    templateProbe,
	"organizations.servers.nginx.templates.update":   templateProbe,
	"organizations.servers.sites.git.update": func(*world, int64) any {
		return map[string]any{"source_control_provider": "custom", "repository": "git@git.example.com:" + marker + "/b.git", "branch": "main"}
	},
	"organizations.servers.sites.store": func(_ *world, n int64) any {
		return map[string]any{
			"type":       "static-html",
			"name":       fmt.Sprintf("site-%d.example.org", n),
			"repository": "git@git.example.com:" + marker + "/b.git",
			"branch":     "main",
		}
	},
}

func templateProbe(_ *world, n int64) any {
	return map[string]any{
		"name":    fmt.Sprint(n),
		"content": "server {\n    listen 80;\n    server_name {{DOMAINS}};\n    root {{ROOT_PATH}};\n    add_header X-Name " + marker + ";\n}\n",
	}
}

// nginxProbe returns a configuration for the site with a line.
func nginxProbe(w *world, _ int64) any {
	text := w.owner.Get("/orgs/acme/servers/"+w.mine.server+"/sites/"+w.mine.site+"/nginx").Want(w.T, 200).Text("data", "attributes", "content")
	if !strings.Contains(text, "}") {
		text = "server {\n    listen 80;\n    server_name one.example.com;\n}\n"
	}
	end := strings.LastIndex(text, "}")
	return map[string]any{"config": text[:end] + "    add_header X-Name " + marker + ";\n" + text[end:]}
}

// TestPowers tries every permission alone, and combined with those of a viewer, as a role and as a token, and derives from the
// plans of the work that it can start what it amounts to on a host. The table is for people, and is in docs/security.md; -update
// rewrites it.
func TestPowers(t *testing.T) {
	const page, begin, end = "../../docs/security.md", "<!-- powers -->\n", "<!-- /powers -->"
	viewer, _ := access.PermissionsOf(access.RoleViewer)
	every := access.All()
	rows, ops := make([]string, len(every)), New(t, db.SQLite).App.Router.Operations()
	t.Run("each", func(t *testing.T) {
		for i, p := range every {
			t.Run(string(p), func(t *testing.T) {
				t.Parallel()
				alone, more := powersOf(t, ops, p, access.SetOf(p)), powersOf(t, ops, p, viewer.Add(p))
				if strings.Contains(cell(more), "**root**") && !strings.Contains(p.Describe(), "as root") {
					t.Errorf("it amounts to root, and its description does not say so: %q", p.Describe())
				}
				rows[i] = fmt.Sprintf("| `%s` | %s | %s | %s |\n", p, cell(alone), cell(slices.DeleteFunc(slices.Clone(more), func(power string) bool {
					return slices.Contains(alone, power)
				})), cell(neighbourly(t, ops, p, alone)))
			})
		}
	})
	got := "| permission | alone | with those of a viewer, besides | neighbour's isolated account |\n|---|---|---|---|\n" + strings.Join(rows, "")
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), begin)
	was, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s has no place for the table", page)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+got+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(was, got); diff != "" {
		t.Errorf("what permissions amount to has changed: read it, and rewrite the table with -update (-page +got):\n%s", diff)
	}
}

func cell(powers []string) string {
	if len(powers) == 0 {
		return "–"
	}
	return strings.Join(powers, "; ")
}

// powersOf returns the powers that p gives a role with these permissions, which are those that it gives a token with them.
func powersOf(t *testing.T, ops []api.Operation, p access.Permission, set access.Set) []string {
	t.Helper()
	set = set.Add(access.OrganizationView).Add(access.UserView) // which every role has
	if !slices.ContainsFunc(ops, func(op api.Operation) bool { return slices.Contains(op.Permissions, p) && set.Has(op.Permissions...) }) {
		return nil
	}
	w := powerWorld(t)
	role := w.powers(w.as(set.List()...), p, set, probes)
	w = powerWorld(t)
	token, _ := w.Token(w.users["owner"], set, nil)
	powers := w.powers(w.As(token), p, set, probes)
	// of what the owner sees besides
	powers = slices.DeleteFunc(powers, func(power string) bool { return strings.HasPrefix(power, "changes") && !slices.Contains(role, power) })
	if diff := gocmp.Diff(role, powers); diff != "" {
		t.Errorf("a role and a token with %v differ (-role +token):\n%s", set.List(), diff)
	}
	return role
}

// atNeighbour are requests that aim at alice, the isolated account of a site that is there already.
var atNeighbour = map[string]func(w *world, n int64) any{
	"organization.recipes.store": func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("%s %d", marker, n), "user": "alice", "script": "touch /" + marker}
	},
	"organizations.recipes.update": func(*world, int64) any { return map[string]any{"user": "alice", "script": "touch /" + marker} },
	"organizations.servers.scheduled-jobs.store": func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("Job %d", n), "command": "touch /" + marker, "user": "alice", "frequency": "nightly"}
	},
	"organizations.servers.sites.scheduled-jobs.store": func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("Job %d", n), "command": "touch /" + marker, "user": "alice", "frequency": "nightly"}
	},
	"organizations.servers.background-processes.store": func(_ *world, n int64) any {
		return map[string]any{"name": fmt.Sprintf("worker %d", n), "command": "touch /" + marker, "user": "alice", "processes": 1}
	},
	"organizations.servers.ssh-keys.store": func(w *world, n int64) any {
		return map[string]any{"name": fmt.Sprint(n), "key": publicKey(w.T), "user": "alice"}
	},
	"organizations.servers.sites.store": func(_ *world, n int64) any {
		return map[string]any{
			"type": "static-html", "name": fmt.Sprintf("site-%d.example.org", n), "is_isolated": true, "isolated_user": "alice",
			"repository": "git@git.example.com:" + marker + "/b.git", "branch": "main",
		}
	},
	"organizations.servers.sites.update": func(*world, int64) any { return map[string]any{"directory": "/storage"} },
}

// publishes reports whether an update of a site has its logs and dumps served.
func publishes(body any) bool {
	fields, _ := body.(map[string]any)
	return fields["directory"] == "/storage"
}

// neighbourly returns what p alone amounts to for the isolated account of a site that is there already.
func neighbourly(t *testing.T, ops []api.Operation, p access.Permission, alone []string) []string {
	t.Helper()
	set := access.SetOf(p, access.OrganizationView, access.UserView)
	if !slices.ContainsFunc(ops, func(op api.Operation) bool { return slices.Contains(op.Permissions, p) && set.Has(op.Permissions...) }) {
		return nil
	}
	w, aimed := powerWorld(t), maps.Clone(probes)
	maps.Copy(aimed, atNeighbour)
	var out []string
	if slices.ContainsFunc(alone, func(power string) bool { return strings.HasPrefix(power, "**root**:") }) { // on its own server, and not on one that it connects
		out = append(out, "everything, as root")
	}
	for _, power := range w.powers(w.as(set.List()...), p, set, aimed) {
		switch {
		case strings.HasPrefix(power, "**root**"):
			continue
		case strings.Contains(power, "as the site's account"):
			power = strings.ReplaceAll(power, "as the site's account", "as it")
		case !strings.Contains(power, "the site's") && // backups have a site's files
			!strings.Contains(power, "a site's") && !slices.Contains([]string{"reads backups", "reads logs of sites", "reads deploy scripts"}, power):
			continue
		}
		if !slices.Contains(out, power) {
			out = append(out, power)
		}
	}
	return out
}

// powerWorld returns a world whose servers are set up, so that work on them is planned as it would be run. The site is isolated,
// and its account is alice.
func powerWorld(t *testing.T) *world {
	t.Helper()
	w := World(t, db.SQLite)
	facts := must(json.Marshal(wire.Facts{
		OS: "debian", OSVersion: "12", Arch: "amd64",
		Packages: map[string]string{"nginx": "1.22.1-9+deb12u2", "php8.2-fpm": "8.2.29"},
	}))
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		if err := w.settled(ctx, tx, job.StateSucceeded, w.mine.engine); err != nil {
			return err
		}
		pending, err := db.All[query.Operation](ctx, tx.SQL, "operations", db.Equal("state", job.StatePending))
		if err != nil {
			return err
		}
		for _, op := range pending {
			if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: job.StateSucceeded, UpdatedAt: tx.Micros()}); err != nil {
				return err
			}
			if err := w.App.Ledger.Settle(ctx, tx, op, true); err != nil {
				return err
			}
		}
		for _, statement := range []string{
			"UPDATE servers SET status = 'ready', connection_status = 'connected', is_ready = TRUE, ip_address = '127.0.0.1', ssh_port = 1, php_version = " +
				"'php82', facts = '" + string(facts) + "'",
			"UPDATE operations SET state = 'succeeded'", "UPDATE sites SET status = 'installed'",
			"UPDATE sites SET isolated = TRUE, unix_user = 'alice' WHERE id = " + w.mine.site,
			`UPDATE applied SET specification = REPLACE(specification, '"user":"forge"', '"user":"alice","isolated":true') WHERE kind = 'sites' AND id = ` + w.mine.site,
			"INSERT INTO unix_accounts (server_id, name, slot, made, created_at) VALUES (" + w.mine.server + ", 'alice', 0, TRUE, 1)",
		} {
			if _, err := tx.SQL.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
	at := "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site
	w.owner.Put(at+"/environment", map[string]any{"environment": "A=" + planted + "\n"}).Want(t, 202)
	w.owner.Put("/orgs/acme/recipes/"+w.mine.recipe, map[string]any{"script": "echo " + planted}).Want(t, 200)
	w.owner.Put(at+"/deployments/script", map[string]any{"content": "echo " + planted + "\n"}).Want(t, 200)
	command := w.owner.Post(at+"/commands", map[string]any{"command": "echo " + planted}).Want(t, 202)
	w.mine.command, w.mine.event = command.ID(), command.Header.Get("X-Hostler-Event")
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET prints = TRUE WHERE event_id = $1", number(w.mine.event)); err != nil {
			return err
		}
		return tx.AppendOutput(ctx, query.AppendOutputParams{
			EventID: number(w.mine.event), Kind: "output", Step: "command", Content: planted, CreatedAt: tx.Micros(),
		})
	})
	w.mine.webhook = w.owner.Post(at+"/webhooks", map[string]any{"url": "https://" + planted + ".example.com/hook"}).Want(t, 202).ID()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET state = 'succeeded'")
		return err
	})
	return w
}

var (
	hookAddress = regexp.MustCompile(`/deploy/[A-Za-z0-9_-]{20,}`)
	hostOutput  = map[string]string{
		"organizations.servers.logs.show": "logs of the server", "organizations.servers.sites.logs.application.show": "logs of sites",
		"organizations.servers.background-processes.log.show": "what background processes print",
		"organizations.servers.scheduled-jobs.outputs.show":   "what scheduled jobs print",
	}
	shownOnce = map[string]string{
		"organizations.backup-keys.export.store": "the keys of backups", "organizations.servers.database.backups.instances.downloads.store": "backups",
	}
)

// powers calls every operation that needs p and that has covers, and returns the results.
func (w *world) powers(c *Client, p access.Permission, has access.Set, probes map[string]func(*world, int64) any) []string {
	w.T.Helper()
	found := map[string]bool{}
	for i, op := range deletesLast(w.App.Router.Operations()) {
		s := scenarioOf(op.ID)
		if op.Public || op.Personal || s.self || !has.Has(op.Permissions...) ||
			!slices.Contains(append(slices.Clone(op.Permissions), s.further...), p) || strings.HasSuffix(op.ID, ".stream") {
			continue
		}
		var body any
		if probe := probes[op.ID]; probe != nil {
			body = probe(w, int64(1000+i))
		} else if s.body != nil {
			body = s.body(w, int64(1000+i))
		}
		if s.before != nil && has.Has(s.further...) {
			s.before(w, w.mine)
		}
		last := w.lastOperation()
		a, err := c.Try(op.Method, fill(w.T, op.Path, s.at(w.mine)), body)
		if err != nil {
			w.T.Fatal(err)
		}
		if op.Method == http.MethodGet {
			if secret := w.read(op.ID, a); secret != "" {
				found["reads "+secret] = true
			}
			continue
		}
		if what := shownOnce[op.ID]; what != "" && a.Status < 300 {
			found["reads "+what] = true
		}
		w.planned(last, "", found)
		w.followUp(op.ID, a, found)
		if op.ID == "organizations.servers.sites.update" && a.Status < 300 && publishes(body) {
			found["serves another of the site's directories"] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func deletesLast(ops []api.Operation) []api.Operation {
	last := func(op api.Operation) int {
		if op.Method != http.MethodDelete {
			return 0
		}
		return 1000 - len(op.Path)
	}
	slices.SortStableFunc(ops, func(a, b api.Operation) int { return last(a) - last(b) })
	return ops
}

func (w *world) lastOperation() int64 {
	w.T.Helper()
	var id int64
	if err := w.App.DB.SQLDB().QueryRowContext(context.Background(), "SELECT COALESCE(MAX(id), 0) FROM operations").Scan(&id); err != nil {
		w.T.Fatal(err)
	}
	return id
}

// read names the secret in an answer, empty for none.
func (w *world) read(id string, a Answer) string {
	w.T.Helper()
	if what := hostOutput[id]; what != "" && (a.Status == 200 || a.Status == 409) {
		return what
	}
	if a.Status != 200 {
		return ""
	}
	text := string(a.Body)
	if !strings.Contains(text, planted) && !hookAddress.MatchString(text) {
		return ""
	}
	switch {
	case strings.Contains(id, ".environment."):
		return "a site's .env"
	case strings.HasSuffix(id, ".deploy-hook.show"):
		return "the deploy hook"
	case strings.HasSuffix(id, "events.output.show"), strings.HasSuffix(id, "commands.output.show"):
		return "what commands print"
	case strings.HasSuffix(id, ".script.show"):
		return "deploy scripts"
	case strings.Contains(id, ".webhooks."):
		return "addresses of webhooks"
	case strings.Contains(id, "recipes."):
		return "recipes"
	case strings.Contains(id, ".commands."):
		return "what was run as a command"
	case strings.HasPrefix(id, "sites.") || strings.Contains(id, ".sites.show") || strings.Contains(id, "sites.index"):
		return "deploy scripts"
	case strings.Contains(id, "audit."):
		return "the log of changes"
	}
	w.T.Errorf("%s answers with something secret that the table has no name for: %s", id, text)
	return ""
}

// followUp lets another user perform what brings a text that a caller left behind to a host.
func (w *world) followUp(id string, a Answer, found map[string]bool) {
	w.T.Helper()
	if a.Status >= 300 { // refused: nothing is left behind
		return
	}
	at, last := "/orgs/acme/servers/"+w.mine.server, w.lastOperation()
	switch id {
	case "organization.recipes.store", "organizations.recipes.update":
		w.owner.Post("/orgs/acme/recipes/"+a.ID()+"/runs", map[string]any{"servers": []any{number(w.mine.server)}}).Want(w.T, 202)
		w.planned(last, ", when it is run", found)
	case "organizations.servers.nginx.templates.store", "organizations.servers.nginx.templates.update":
		w.owner.Post(at+"/sites", static(fmt.Sprintf("from-%s.example.org", a.ID()+id[len(id)-1:]), "nginx_template_id", number(a.ID()))).Want(w.T, 202)
		w.planned(last, ", when a site is made from it", found)
	case "organizations.servers.sites.store":
		w.owner.Post(at+"/sites/"+a.ID()+"/deployments", nil).Want(w.T, 202)
		w.planned(last, ", when a deployment runs", found)
	case "organizations.servers.sites.deployments.script.update", "organizations.servers.sites.git.update":
		w.owner.Post(at+"/sites/"+w.mine.site+"/deployments", nil).Want(w.T, 202)
		w.planned(last, ", when a deployment runs", found)
	}
}

// planned adds the powers in the plans of the work since an operation.
func (w *world) planned(last int64, when string, found map[string]bool) {
	w.T.Helper()
	rows, err := db.All[query.Operation](context.Background(), w.App.DB.Reader(), "operations", db.Cond{SQL: "id > ?", Args: []any{last}})
	if err != nil {
		w.T.Fatal(err)
	}
	for _, row := range rows {
		stages, err := w.App.Stages(context.Background(), row)
		powers := w.powersIn(row, stages)
		if err != nil { // what the host would be queried for: its aspect is sufficient
			powers = fixed(row)
		}
		for _, power := range powers {
			if strings.HasPrefix(power, "**") || strings.HasPrefix(power, "runs") || strings.HasPrefix(power, "writes its text") {
				power += when
			} else if when != "" {
				continue // another user's own work
			}
			found[power] = true
		}
	}
}

// accounts are how the table calls the accounts on the host.
var accounts = map[string]string{
	"root": "**root**: runs its text", "forge": "runs its text as the account of all sites",
	"alice": "runs its text as the site's account",
}

func (w *world) powersIn(op query.Operation, stages []job.Stage) []string {
	var out []string
	for _, s := range stages {
		if s.Script != nil && strings.Contains(string(must(json.Marshal(s.Script))), marker) {
			out = append(out, accounts[s.Script.User])
		}
		if s.Script != nil && strings.Contains(string(s.Script.Files[release.EnvironmentFile]), marker) {
			out = append(out, "writes its text into the site's .env")
		}
		for _, step := range s.Change.Steps {
			switch {
			case step.Exec != nil && strings.Contains(string(must(json.Marshal(step.Exec))), marker):
				out = append(out, "**root**: runs its text")
			case step.Lines != nil && step.Lines.Owner == "root" && len(step.Lines.Add) > 0:
				out = append(out, "**root**: lets a key log in")
			case step.Lines != nil && step.Lines.Owner == "alice" && len(step.Lines.Add) > 0:
				out = append(out, "lets a key log in as the site's account")
			case step.File == nil || !strings.Contains(string(step.File.Content), marker):
			case strings.HasSuffix(step.File.Path, "/command"):
				out = append(out, accounts[cmp.Or(step.File.Group, "root")]) // the account that it is run as reads it
			case strings.HasSuffix(step.File.Path, "/.env"):
				out = append(out, "writes its text into the site's .env")
			case strings.HasPrefix(step.File.Path, "/etc/php/"):
				out = append(out, "writes its text into PHP's configuration, in checked settings")
			case strings.HasPrefix(step.File.Path, "/etc/nginx/"):
				out = append(out, "writes its text into nginx's configuration")
			default:
				out = append(out, "writes its text into "+step.File.Path)
			}
		}
	}
	if len(out) == 0 {
		return fixed(op)
	}
	return out
}

// fixed returns work whose programs and files are the service's own: a caller chooses among values that are checked.
func fixed(op query.Operation) []string {
	base, _, _ := strings.Cut(op.Aspect, "/")
	switch {
	case base == "database" && (op.ResourceType == "databases" || op.ResourceType == "databaseUsers"):
		if op.Action == "delete" {
			return []string{"databases: deletes any, and their accounts"}
		}
		return []string{"databases: signs in to any, as an account that it makes or gives another password"}
	case base == "database" && op.ResourceType == "databaseSynchronizations":
		return []string{"databases: reads their names"}
	case op.ResourceType == "backupRestores":
		return []string{"databases: writes what is in them"}
	case base == "backup" && op.Action == "create":
		return []string{"databases: copies what is in them to the storage"}
	case base == "backup":
		return []string{"deletes backups"}
	case base == "deployment":
		return []string{"runs the site's deployment"}
	case base == "provision":
		return []string{"**root** on servers that it connects"}
	case base == "remove":
		return []string{"takes servers out of management"}
	case base == "firewall":
		return []string{"opens and closes ports"}
	case base == "log":
		return []string{"empties logs"}
	case base == "services":
		return []string{"stops and starts services"}
	case base == "recipe":
		return []string{"**root**: runs scripts that come with Hostler"}
	case base == "repair":
		return []string{"makes what is applied on servers so again"}
	case base == "upgrade":
		return []string{"upgrades packages"}
	case base == "reboot":
		return []string{"reboots servers"}
	default:
		return []string{"changes " + map[string]string{
			"web":         "what nginx serves, in checked values",
			"certificate": "certificates",
			"packages":    "the site's credentials for packages",
			"process":     "background processes that are there",
			"schedule":    "scheduled jobs that are there",
			"keys":        "which keys log in",
			"php":         "versions of PHP and their settings",
			"monitors":    "what is watched, and who is notified",
			"environment": "the site's .env",
			"command":     "commands",
		}[base]}
	}
}
