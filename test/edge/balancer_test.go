package edge

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/noun/loadbalancer"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

func (w *world) balancerPath(server string) string {
	return "/orgs/acme/servers/" + server + "/sites/balancer"
}

// wantFieldsOrState is wantFields for an answer of which no field is wrong if none is named, but the state is in the way.
func wantFieldsOrState(t *testing.T, a Answer, fields ...string) {
	t.Helper()
	if fields == nil {
		a.Want(t, 409)
		return
	}
	wantFields(t, a, fields...)
}

// wantFields fails unless a 422 speaks of exactly these fields.
func wantFields(t *testing.T, a Answer, fields ...string) {
	t.Helper()
	a.Want(t, 422)
	slices.Sort(fields)
	if diff := cmp.Diff(fields, a.Fields()); diff != "" {
		t.Errorf("fields (-want +got):\n%s%s", diff, a.Body)
	}
	var first string
	if errs, ok := a.At("errors").(map[string]any); ok && len(fields) > 0 && errs[fields[0]] != nil {
		first = a.Text("errors", fields[0], 0)
	}
	if message := a.Text("message"); first == "" || !strings.HasPrefix(message, first) {
		t.Errorf("message is %q, want it to begin with the first failure %q", message, first)
	}
}

func TestBalancerDefaults(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		a := w.owner.Post(w.balancerPath(w.mine.balancer), fmt.Sprintf(`{"domain":"WWW.Münch.Example","balancing":[{"server_id":%s}]}`, w.mine.server)).Want(t, 202)
		if got := a.Header.Get("Content-Type"); got != "application/vnd.api+json" {
			t.Errorf("content type is %q", got)
		}
		self := e.URL + "/api/orgs/acme/sites/" + a.ID()
		if got := a.Header.Get("Location"); got != self || a.Text("data", "links", "self", "href") != self {
			t.Errorf("Location is %q, self %q, want %q", got, a.Text("data", "links", "self", "href"), self)
		}
		attributes, _ := a.At("data", "attributes").(map[string]any)
		want := map[string]any{
			"name": "www.xn--mnch-0ra.example", "status": "installing", "url": "http://www.xn--mnch-0ra.example", "user": "",
			"https": false, "web_directory": "", "root_directory": nil,
			"aliases": []any{}, "php_version": "", "deployment_status": "", "quick_deploy": nil, "isolated": false, "shared_paths": map[string]any{},
			"repository": map[string]any{"provider": "", "url": nil, "branch": nil, "status": nil}, "database": nil,
			"maintenance_mode":          map[string]any{"enabled": false, "status": nil},
			"zero_downtime_deployments": false, "deployment_retention": nil, "deployment_script": nil, "wildcards": false, "app_type": "Custom", "uses_envoyer": false,
			"deployment_url": "", "healthcheck_url": nil, "created_at": "2026-03-01T12:00:00.123456Z", "updated_at": "2026-03-01T12:00:00.123456Z",
		}
		if diff := cmp.Diff(want, attributes); diff != "" {
			t.Errorf("attributes (-want +got):\n%s", diff)
		}
		none := map[string]any{"data": []any{}}
		relationships := map[string]any{
			"server":           map[string]any{"data": map[string]any{"type": "servers", "id": w.mine.balancer}},
			"tags":             none,
			"latestDeployment": map[string]any{"data": nil},
			"securityRules":    none,
			"redirectRules":    none,
		}
		if diff := cmp.Diff(relationships, a.At("data", "relationships")); diff != "" {
			t.Errorf("relationships (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]any{"method": "round_robin", "keepalive_max_connections": 0.0}, a.At("data", "meta", "balancer")); diff != "" {
			t.Errorf("meta.balancer (-want +got):\n%s", diff)
		}
		operation := map[string]any{
			"id":         a.Text("data", "meta", "operation", "id"),
			"state":      "pending",
			"action":     "create",
			"step":       nil,
			"reason":     nil,
			"attempt":    0.0,
			"deadline":   "2026-03-08T12:00:00.123456Z",
			"reversible": true,
			"event_id":   a.Header.Get("X-Hostler-Event"),
		}
		if diff := cmp.Diff(operation, a.At("data", "meta", "operation")); diff != "" {
			t.Errorf("meta.operation (-want +got):\n%s", diff)
		}
		nodes := w.nodes(a.ID())
		if diff := cmp.Diff([]any{map[string]any{
			"server_id": float64(number(w.mine.server)),
			"port":      80.0,
			"weight":    1.0,
			"backup":    false,
			"down":      false,
		}}, nodes); diff != "" {
			t.Errorf("nodes (-want +got):\n%s", diff)
		}
		event := w.owner.Get("/orgs/acme/servers/"+w.mine.balancer+"/events/"+a.Header.Get("X-Hostler-Event")).Want(t, 200)
		if got, want := event.Text("data", "attributes", "description"), "Installing site www.xn--mnch-0ra.example"; got != want {
			t.Errorf("the event says %q, want %q", got, want)
		}
		read := w.owner.Get("/orgs/acme/sites/"+a.ID()).Want(t, 200)
		if diff := cmp.Diff(a.At("data"), read.At("data")); diff != "" {
			t.Errorf("read later (-accepted +read):\n%s", diff)
		}
	})
}

// nodes returns the attributes of a balanced site's nodes.
func (w *world) nodes(site string) []any {
	w.T.Helper()
	a := w.owner.Get("/orgs/acme/servers/"+w.mine.balancer+"/sites/"+site+"/load-balancing-nodes").Want(w.T, 200)
	out := []any{}
	for i := range a.IDs() {
		out = append(out, a.At("data", i, "attributes"))
	}
	return out
}

func TestBalancerAccepts(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	second := w.other.server
	one, two := "{{one}}", "{{two}}"
	greatest := strconv.Itoa(render.MaxWeight)
	for i, tt := range []struct{ name, rest string }{
		{"nothing else: it answers 503 until nodes are set", ``},
		{"the least numbers", `"balancer_keepalive_max_connections":0,"balancing":[{"server_id":` + one + `,"port":1,"weight":1}]`},
		{"the greatest numbers", `"balancer_keepalive_max_connections":256,"balancing":[{"server_id":` + one + `,"port":65535,"weight":` + greatest + `}]`},
		{"integers in other words", `"balancer_keepalive_max_connections":1.6e1,"balancing":[{"server_id":` + one + `.0,"port":80.0,"weight":1e3}]`},
		{"round_robin", `"balancer_method":"round_robin"`},
		{"least_conn", `"balancer_method":"least_conn"`},
		{"ip_hash", `"balancer_method":"ip_hash","balancing":[{"server_id":` + one + `,"backup":false}]`},
		{"a wildcard", `"allow_wildcard_subdomains":true`},
		{"all nodes down", `"balancing":[{"server_id":` + one + `,"down":true},{"server_id":` + two + `,"down":true}]`},
		{"a backup beside a primary", `"balancing":[{"server_id":` + one + `},{"server_id":` + two + `,"backup":true}]`},
		{"one server on two ports", `"balancing":[{"server_id":` + one + `,"port":80},{"server_id":` + one + `,"port":81}]`},
		{"null is like nothing", `"allow_wildcard_subdomains":null,"balancer_method":null,"balancer_keepalive_max_connections":null,"balancing":null`},
		{"null is like nothing in a node", `"balancing":[{"server_id":` + one + `,"port":null,"weight":null,"backup":null,"down":null}]`},
		{"fields that nobody knows", `"nickname":"x","huge":1e999,"balancing":[{"server_id":` + one + `,"color":"red"}]`},
		{"a server without nginx", `"balancing":[{"server_id":{{database}}}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rest := tt.rest
			if strings.Contains(rest, "{{database}}") {
				rest = strings.ReplaceAll(rest, "{{database}}", w.server(w.owner, "acme", "db", "database"))
			}
			rest = strings.NewReplacer(one, w.mine.server, two, second).Replace(rest)
			body := fmt.Sprintf(`{"domain":"ok-%d.example.net"`, i)
			if rest != "" {
				body += "," + rest
			}
			w.owner.Post(w.balancerPath(w.mine.balancer)+"?dry_run=true", body+"}").Want(t, 200) // nginx's text can be written
			a := w.owner.Post(w.balancerPath(w.mine.balancer), body+"}").Want(t, 202)
			if got, want := len(w.nodes(a.ID())), strings.Count(body, "server_id"); got != want {
				t.Errorf("%d nodes, want %d", got, want)
			}
			if got := a.At("data", "attributes", "wildcards"); got != strings.Contains(body, `"allow_wildcard_subdomains":true`) {
				t.Errorf("wildcards is %v", got)
			}
		})
	}
}

func TestBalancerRefuses(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		before := w.counts()
		mine, other := w.mine.server, w.other.server
		for _, tt := range []struct {
			name, body string
			fields     []string
		}{
			{"domain missing", `{}`, []string{"domain"}},
			{"domain null", `{"domain":null}`, []string{"domain"}},
			{"domain empty", `{"domain":""}`, []string{"domain"}},
			{"domain a number", `{"domain":5}`, []string{"domain"}},
			{"domain without a dot", `{"domain":"localhost"}`, []string{"domain"}},
			{"domain an address", `{"domain":"192.0.2.1"}`, []string{"domain"}},
			{"domain a wildcard", `{"domain":"*.example.com"}`, []string{"domain"}},
			{"domain with a blank", `{"domain":"a b.example.com"}`, []string{"domain"}},
			{"domain for nginx", `{"domain":"a.example.com;}server{"}`, []string{"domain"}},
			{"domain too long", `{"domain":"` + strings.Repeat("a.", 126) + `example"}`, []string{"domain"}},
			{"domain in use", `{"domain":"one.example.com"}`, []string{"domain"}},
			{"domain in use in other letters", `{"domain":"ONE.example.com"}`, []string{"domain"}},
			{"wildcard of a number", `{"domain":"x.example.com","allow_wildcard_subdomains":2}`, []string{"allow_wildcard_subdomains"}},
			{"method unknown", `{"domain":"x.example.com","balancer_method":"random"}`, []string{"balancer_method"}},
			{"a field's name in other letters", `{"Domain":"x.example.com"}`, []string{"domain"}},
			{"keepalive below", `{"domain":"x.example.com","balancer_keepalive_max_connections":-1}`, []string{"balancer_keepalive_max_connections"}},
			{"keepalive above", `{"domain":"x.example.com","balancer_keepalive_max_connections":257}`, []string{"balancer_keepalive_max_connections"}},
			{"keepalive a fraction", `{"domain":"x.example.com","balancer_keepalive_max_connections":1.5}`, []string{"balancer_keepalive_max_connections"}},
			{"keepalive a text", `{"domain":"x.example.com","balancer_keepalive_max_connections":"five"}`, []string{"balancer_keepalive_max_connections"}},
			{"keepalive beyond numbers", `{"domain":"x.example.com","balancer_keepalive_max_connections":1e300}`, []string{"balancer_keepalive_max_connections"}},
			{"balancing empty", `{"domain":"x.example.com","balancing":[]}`, []string{"balancing"}},
			{"balancing an object", `{"domain":"x.example.com","balancing":{}}`, []string{"balancing"}},
			{"a node null", `{"domain":"x.example.com","balancing":[null]}`, []string{"balancing.0", "balancing.0.server_id"}},
			{"a node a number", `{"domain":"x.example.com","balancing":[7]}`, []string{"balancing.0", "balancing.0.server_id"}},
			{"a node of nothing", `{"domain":"x.example.com","balancing":[{}]}`, []string{"balancing.0.server_id"}},
			{"server_id missing in the second", `{"domain":"x.example.com","balancing":[{"server_id":` + mine + `},{"port":81}]}`, []string{"balancing.1.server_id"}},
			{"server_id a text", `{"domain":"x.example.com","balancing":[{"server_id":"x` + mine + `"}]}`, []string{"balancing.0.server_id"}},
			{"server_id null", `{"domain":"x.example.com","balancing":[{"server_id":null}]}`, []string{"balancing.0.server_id"}},
			{"server_id of no server", `{"domain":"x.example.com","balancing":[{"server_id":999999}]}`, []string{"balancing.0.server_id"}},
			{"server_id of somebody else's", `{"domain":"x.example.com","balancing":[{"server_id":` + w.foreign.server + `}]}`, []string{"balancing.0.server_id"}},
			{"server_id zero", `{"domain":"x.example.com","balancing":[{"server_id":0}]}`, []string{"balancing.0.server_id"}},
			{"server_id below", `{"domain":"x.example.com","balancing":[{"server_id":-1}]}`, []string{"balancing.0.server_id"}},
			{
				"server_id beyond integers", `{"domain":"x.example.com","balancing":[{"server_id":` + mine + `},{"server_id":99999999999999999999}]}`,
				[]string{"balancing.1.server_id"},
			},
			{
				"server_id and port beyond integers", `{"domain":"x.example.com","balancing":[{"server_id":1e30,"weight":1e30}]}`,
				[]string{"balancing.0.server_id", "balancing.0.weight"},
			},
			{"server_id the balancer itself", `{"domain":"x.example.com","balancing":[{"server_id":` + w.mine.balancer + `}]}`, []string{"balancing.0.server_id"}},
			{"port zero", `{"domain":"x.example.com","balancing":[{"server_id":` + mine + `,"port":0}]}`, []string{"balancing.0.port"}},
			{"port above", `{"domain":"x.example.com","balancing":[{"server_id":` + mine + `,"port":65536}]}`, []string{"balancing.0.port"}},
			{"port a fraction", `{"domain":"x.example.com","balancing":[{"server_id":` + mine + `,"port":80.5}]}`, []string{"balancing.0.port"}},
			{"weight zero", `{"domain":"x.example.com","balancing":[{"server_id":` + mine + `,"weight":0}]}`, []string{"balancing.0.weight"}},
			{
				"weight above", `{"domain":"x.example.com","balancing":[{"server_id":` + mine + `,"weight":` + strconv.Itoa(render.MaxWeight+1) + `}]}`,
				[]string{"balancing.0.weight"},
			},
			{"backup a text", `{"domain":"x.example.com","balancing":[{"server_id":` + mine + `,"backup":"no"}]}`, []string{"balancing.0.backup"}},
			{"down a number", `{"domain":"x.example.com","balancing":[{"server_id":` + mine + `,"down":2}]}`, []string{"balancing.0.down"}},
			{"only backups", `{"domain":"x.example.com","balancing":[{"server_id":` + mine + `,"backup":true},{"server_id":` + other +
				`,"backup":true}]}`, []string{"balancing"}},
			{"ip_hash with a backup", `{"domain":"x.example.com","balancer_method":"ip_hash","balancing":[{"server_id":` + mine + `},{"server_id":` +
				other + `,"backup":true}]}`, []string{"balancing.1.backup"}},
			{"the same server and port twice", `{"domain":"x.example.com","balancing":[{"server_id":` + mine + `},{"server_id":` + other +
				`},{"server_id":` + mine + `,"port":80,"weight":2}]}`, []string{"balancing.2.server_id"}},
			{
				"all at once", `{"allow_wildcard_subdomains":"x","balancer_method":"x","balancer_keepalive_max_connections":300,` +
					`"balancing":[{"server_id":"x","port":0,"weight":0,"backup":"x","down":"x"},{"server_id":` + w.foreign.server + `,"port":70000}]}`,
				[]string{
					"domain", "allow_wildcard_subdomains", "balancer_method", "balancer_keepalive_max_connections",
					"balancing.0.server_id", "balancing.0.port", "balancing.0.weight", "balancing.0.backup", "balancing.0.down", "balancing.1.server_id", "balancing.1.port",
				},
			},
		} {
			t.Run(tt.name, func(t *testing.T) {
				wantFields(t, w.owner.Post(w.balancerPath(w.mine.balancer), tt.body), tt.fields...)
			})
		}
		t.Run("the server is no balancer", func(t *testing.T) {
			w.owner.Post(w.balancerPath(mine), `{"domain":"x.example.com"}`).Want(t, 409)
			wantFields(t, w.owner.Post(w.balancerPath(mine), `{"balancing":[]}`), "domain", "balancing") // the state after the fields
		})
		w.unchangedSince(before)
		t.Run("the message counts", func(t *testing.T) {
			for body, want := range map[string]string{
				`{}`:                                     "The domain field is required.",
				`{"balancing":[]}`:                       "The balancing field must have at least 1 items. (and 1 more error)",
				`{"balancer_method":"x","balancing":[]}`: "The balancer_method field must be one of round_robin, least_conn, ip_hash. (and 2 more errors)",
			} {
				if got := w.owner.Post(w.balancerPath(w.mine.balancer), body).Want(t, 422).Text("message"); got != want {
					t.Errorf("message is %q, want %q", got, want)
				}
			}
		})
	})
}

// Fields that name a server must not reveal whether a foreign one exists.
func TestForeignNodesLookMissing(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	body := func(id string) string { return `{"domain":"x.example.com","balancing":[{"server_id":` + id + `}]}` }
	foreign, missing := w.owner.Post(w.balancerPath(w.mine.balancer), body(w.foreign.server)), w.owner.Post(w.balancerPath(w.mine.balancer), body("999999"))
	if string(foreign.Body) != string(missing.Body) {
		t.Errorf("foreign: %s\nmissing: %s", foreign.Body, missing.Body)
	}
}

func TestBalancerNodesAreReplaced(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := "/orgs/acme/servers/" + w.mine.balancer + "/sites/" + w.mine.balancerSite + "/load-balancing-nodes"
		body := fmt.Sprintf(`{"balancer_method":"least_conn","balancer_keepalive_max_connections":16,"balancing":[{"server_id":%s,"weight":3,`+
			`"port":81},{"server_id":%s,"weight":1,"backup":true,"port":null}]}`, w.other.server, w.mine.server)
		a := w.owner.Put(path, body).Want(t, 202)
		if a.ID() != w.mine.balancerSite || a.Header.Get("X-Hostler-Event") == "" || a.Text("data", "meta", "operation", "action") != "update" {
			t.Errorf("the answer is not the site's update: %s", a.Body)
		}
		want := []any{
			map[string]any{"server_id": float64(number(w.other.server)), "port": 81.0, "weight": 3.0, "backup": false, "down": false},
			map[string]any{"server_id": float64(number(w.mine.server)), "port": 80.0, "weight": 1.0, "backup": true, "down": false},
		}
		if diff := cmp.Diff(want, w.nodes(w.mine.balancerSite)); diff != "" {
			t.Errorf("nodes (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]any{"method": "least_conn", "keepalive_max_connections": 16.0}, a.At("data", "meta", "balancer")); diff != "" {
			t.Errorf("meta.balancer (-want +got):\n%s", diff)
		}
		a = w.owner.Put(path, fmt.Sprintf(`{"balancer_method":"ip_hash","balancing":[{"server_id":%s,"weight":1}]}`, w.other.server)).Want(t, 202)
		if got := a.Text("data", "meta", "balancer", "keepalive_max_connections"); got != "16" {
			t.Errorf("keepalive that was not named is %s, want it to stay 16", got)
		}
		before, nodes := w.counts(), w.nodes(w.mine.balancerSite)
		wantFields(t, w.owner.Put(path, `{}`), "balancer_method", "balancing")
		wantFields(t, w.owner.Put(path, `{"balancer_method":"least_conn","balancing":[]}`), "balancing")
		wantFields(t, w.owner.Put(path, fmt.Sprintf(`{"balancer_method":"least_conn","balancing":[{"server_id":%s}]}`, w.mine.server)), "balancing.0.weight")
		wantFields(t, w.owner.Put(path, fmt.Sprintf(`{"balancer_method":"least_conn","balancing":[{"server_id":%s,"weight":1}]}`, w.foreign.server)),
			"balancing.0.server_id")
		wantFields(t, w.owner.Put(path, fmt.Sprintf(`{"balancer_method":"ip_hash","balancing":[{"server_id":%s,"weight":1,"backup":true}]}`,
			w.mine.server)), "balancing", "balancing.0.backup")
		site := "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site
		w.owner.Put(site+"/load-balancing-nodes",
			fmt.Sprintf(`{"balancer_method":"least_conn","balancing":[{"server_id":%s,"weight":1}]}`, w.other.server)).Want(t, 409)
		w.unchangedSince(before)
		if diff := cmp.Diff(nodes, w.nodes(w.mine.balancerSite)); diff != "" {
			t.Errorf("refused updates changed nodes (-want +got):\n%s", diff)
		}
		w.owner.Delete("/orgs/acme/servers/"+w.mine.balancer+"/sites/"+w.mine.balancerSite).Want(t, 202)
		w.owner.Put(path, body).Want(t, 409)
	})
}

// A node whose server is not set up gets no traffic, and comes in by a change of its own once it is.
func TestNodeComesInWhenItIsSetUp(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		node := w.owner.Post(servers, serverBody("node", "web")).Want(t, 202).ID()
		a := w.owner.Post(w.balancerPath(w.mine.balancer), map[string]any{
			"domain": "spread.example.org", "balancing": []any{map[string]any{"server_id": number(node)}},
		}).Want(t, 202)
		id := number(a.ID())
		waits := func() bool {
			t.Helper()
			row, err := site.Sites.Row(t.Context(), w.App.DB.Read(), id)
			if err != nil || row.Specification.Balancer == nil || len(row.Specification.Balancer.Nodes) != 1 {
				t.Fatalf("%+v %v", row, err)
			}
			return row.Specification.Balancer.Nodes[0].Waits
		}
		if !waits() {
			t.Error("a server that was never contacted gets traffic")
		}
		w.ended("/orgs/acme/sites/"+a.ID(), true)
		p := &server.Provisioner{DB: w.App.DB, Ledger: w.App.Ledger, Balancers: loadbalancer.Follower{Ledger: w.App.Ledger}}
		op := number(w.owner.Get(servers+"/"+node).Want(t, 200).Text("data", "meta", "operation", "id"))
		w.settlesOperation(p, op, job.StateSucceeded)
		if waits() {
			t.Error("a server that is set up gets no traffic")
		}
		now := w.owner.Get("/orgs/acme/sites/"+a.ID()).Want(t, 200)
		if now.Text("data", "meta", "operation", "state") != "pending" || now.Text("data", "meta", "operation", "action") != "update" {
			t.Errorf("the change is %s", now.Body)
		}
	})
}

// A node that becomes ready while a request names it is not left out: the request waits for that, and sees it.
func TestNodeBecomesReadyMeanwhile(t *testing.T) {
	t.Parallel()
	w := World(t, db.PostgreSQL) // on SQLite only one transaction writes at a time
	made := w.owner.Post(w.balancerPath(w.mine.balancer), map[string]any{"domain": "updated.example.org"}).Want(t, 202).ID()
	for method, path := range map[string]string{
		"POST": w.balancerPath(w.mine.balancer),
		"PUT":  "/orgs/acme/servers/" + w.mine.balancer + "/sites/" + made + "/load-balancing-nodes",
	} {
		node := number(w.owner.Post(servers, serverBody("node-"+strings.ToLower(method), "web")).Want(t, 202).ID())
		body := map[string]any{"balancer_method": "round_robin", "balancing": []any{map[string]any{"server_id": node, "weight": 1}}}
		if method == "POST" {
			body["domain"] = "stored.example.org"
		}
		var a Answer
		var failed error
		answered := make(chan struct{})
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			if _, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET is_ready = TRUE WHERE id = $1", node); err != nil {
				return err
			}
			go func() {
				defer close(answered)
				a, failed = w.owner.Try(method, path, body)
			}()
			for {
				select {
				case <-answered:
					t.Errorf("%s did not wait: %d %s %v", method, a.Status, a.Body, failed)
					return nil
				default:
				}
				var waiting int
				const query = "SELECT COUNT(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
				if err := tx.SQL.QueryRowContext(ctx, query).Scan(&waiting); err != nil || waiting > 0 {
					return err
				}
			}
		})
		<-answered
		if failed != nil {
			t.Fatal(failed)
		}
		row, err := site.Sites.Row(t.Context(), w.App.DB.Read(), number(a.Want(t, 202).ID()))
		if err != nil || row.Specification.Balancer == nil || len(row.Specification.Balancer.Nodes) != 1 {
			t.Fatalf("%+v %v", row, err)
		}
		if row.Specification.Balancer.Nodes[0].Waits {
			t.Errorf("%s leaves out a node that is ready", method)
		}
	}
}
