package edge

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

const servers = "/orgs/acme/servers"

func custom(more map[string]any) map[string]any {
	m := map[string]any{"ip_address": address()}
	for k, v := range more {
		m[k] = v
	}
	return m
}

func TestServerIsCreated(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		before := w.counts()
		a := w.owner.Post(servers, map[string]any{
			"name":                      "Web 1.eu",
			"provider":                  "custom",
			"type":                      "app",
			"ubuntu_version":            "24.04",
			"php_version":               "php84",
			"database_type":             "mariadb114",
			"custom":                    map[string]any{"ip_address": "::ffff:192.0.2.7", "private_ip_address": "10.0.0.7", "ssh_port": 2222},
			"tags":                      []string{"blue", "green", "blue"},
			"add_key_to_source_control": false,
		}).Want(t, 202)
		if got, want := a.Header.Get("Location"), e.URL+"/api"+servers+"/"+a.ID(); got != want {
			t.Errorf("Location is %q, want %q", got, want)
		}
		attributes, _ := a.At("data", "attributes").(map[string]any)
		key, _ := attributes["local_public_key"].(string)
		if !strings.HasPrefix(key, "ssh-ed25519 ") {
			t.Errorf("local_public_key is %q", key)
		}
		want := map[string]any{
			"id":                 float64(number(a.ID())),
			"credential_id":      nil,
			"name":               "Web 1.eu",
			"slug":               "web-1-eu",
			"type":               "app",
			"ubuntu_version":     "24.04",
			"ssh_port":           2222.0,
			"provider":           "custom",
			"identifier":         nil,
			"size":               "custom",
			"region":             "custom",
			"php_version":        "php84",
			"php_cli_version":    nil,
			"opcache_status":     nil,
			"database_type":      "mariadb114",
			"db_status":          nil,
			"redis_status":       nil,
			"ip_address":         "192.0.2.7",
			"private_ip_address": "10.0.0.7",
			"revoked":            false,
			"created_at":         "2026-03-01T12:00:00.123456Z",
			"updated_at":         "2026-03-01T12:00:00.123456Z",
			"connection_status":  "connecting",
			"timezone":           "UTC",
			"local_public_key":   key,
			"is_ready":           false,
		}
		if diff := cmp.Diff(want, attributes); diff != "" {
			t.Errorf("attributes (-want +got):\n%s", diff)
		}
		command := a.Text("data", "meta", "bootstrap", "command")
		if !regexp.MustCompile(`^f=\$\(mktemp\) && echo '[^']+' && curl -fsS --connect-timeout 10 --max-time 60 '`+regexp.QuoteMeta(e.URL)+
			`/bootstrap/\d+/script' .* sha256sum -c --quiet && HOSTLER_SECRET=[0-9a-f]{48} sh `).MatchString(command) ||
			a.Text("data", "meta", "bootstrap", "expires_at") != "2026-03-08T12:00:00.123456Z" {
			t.Errorf("meta.bootstrap is %v", a.At("data", "meta", "bootstrap"))
		}
		if got := len(a.At("data", "relationships", "tags", "data").([]any)); got != 2 || fmt.Sprint(a.At("data", "meta", "tags")) != "[blue green]" {
			t.Errorf("%d tags, want 2", got)
		}
		read := w.owner.Get(servers+"/"+a.ID()).Want(t, 200)
		if read.At("data", "meta", "bootstrap") != nil || strings.Contains(string(read.Body), "PRIVATE") {
			t.Errorf("a read shows what is shown once: %s", read.Body)
		}
		after := w.counts()
		for table, n := range map[string]int64{
			"servers": 1, "firewall_rules": 3, "events": 2, "operations": 2,
			"river_job": 2 /* of the server, and of its engine */, "tags": 2, "server_tags": 2,
		} {
			if got := after[table] - before[table]; got != n {
				t.Errorf("%d new rows in %s, want %d", got, table, n)
			}
		}
		var row query.Server
		e.Tx(func(ctx context.Context, tx *db.Tx) (err error) {
			row, err = tx.Ungranted().GetServer(ctx, number(a.ID()))
			return err
		})
		code := command[strings.LastIndex(command, " ")+1:]
		for name, sealed := range map[string][]byte{"private_key": row.PrivateKey, "bootstrap_secret": row.BootstrapSecret} {
			if len(sealed) == 0 || strings.Contains(string(sealed), "PRIVATE") || strings.Contains(string(sealed), code) {
				t.Errorf("%s is not sealed", name)
			}
		}
		signer, err := (&server.Keys{Box: e.App.Box}).Signer(row)
		if err != nil || !strings.HasPrefix(key, signer.PublicKey().Type()) {
			t.Errorf("the sealed key: %v", err)
		}
	})
}

func TestServerTypes(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	for _, kind := range []string{"app", "web", "loadbalancer", "database", "cache", "worker"} {
		w.owner.Post(servers, serverBody("a-"+kind, kind)).Want(t, 202)
	}
	for _, address := range []string{"10.1.2.3", "2001:db8::1", "fd12::1", "192.0.2.10"} { // private ones too
		body := serverBody("again", "worker")
		body["custom"] = map[string]any{"ip_address": address}
		w.owner.Post(servers, body).Want(t, 202)
	}
}

// Hostler opens no SSH connections to its own machine, or to the metadata service of its cloud, even if they are named as a server.
func TestServerIsHostlersOwnMachine(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	for _, address := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "fe80::1", "64:ff9b::7f00:1"} {
		body := serverBody("local", "worker")
		body["custom"] = map[string]any{"ip_address": address, "private_ip_address": address}
		wantFields(t, w.owner.Post(servers, body), "custom.ip_address", "custom.private_ip_address")
		wantFields(t, w.owner.Put(servers+"/"+w.mine.server, map[string]any{"ip_address": address, "private_ip_address": address}),
			"ip_address", "private_ip_address")
	}
}

func TestServerIsRefused(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		before := w.counts()
		for _, tt := range []struct {
			name   string
			change map[string]any
			fields []string
		}{
			{"a name missing", map[string]any{"name": nil}, []string{"name"}},
			{"a name too long", map[string]any{"name": strings.Repeat("a", 31)}, []string{"name"}},
			{"a name for a shell", map[string]any{"name": "$(reboot)"}, []string{"name"}},
			{"a name of a blank", map[string]any{"name": " "}, []string{"name"}},
			{"a type unknown", map[string]any{"type": "toaster"}, []string{"type"}},
			{"a type that can't be provisioned", map[string]any{"type": "openclaw"}, []string{"type"}},
			{"PHP on a Meilisearch server", map[string]any{"type": "meilisearch", "php_version": "php83"}, []string{"php_version"}},
			{
				"a cloud without an account or a size",
				map[string]any{"provider": "hetzner", "hetzner": map[string]any{"region_id": "1"}},
				[]string{"credential_id", "hetzner.size_id"},
			},
			{"no custom", map[string]any{"custom": nil}, []string{"custom"}},
			{"custom of nothing", map[string]any{"custom": map[string]any{}}, []string{"custom.ip_address"}},
			{"an address that is none", map[string]any{"custom": custom(map[string]any{"ip_address": "example.com"})}, []string{"custom.ip_address"}},
			{"a multicast address", map[string]any{"custom": custom(map[string]any{"ip_address": "224.0.0.1"})}, []string{"custom.ip_address"}},
			{"no address in particular", map[string]any{"custom": custom(map[string]any{"ip_address": "::"})}, []string{"custom.ip_address"}},
			{"the broadcast address", map[string]any{"custom": custom(map[string]any{"ip_address": "255.255.255.255"})}, []string{"custom.ip_address"}},
			{"an address with a zone", map[string]any{"custom": custom(map[string]any{"ip_address": "fe80::1%eth0"})}, []string{"custom.ip_address"}},
			{"a private address wrong", map[string]any{"custom": custom(map[string]any{"private_ip_address": "10.0.0.0/8"})}, []string{"custom.private_ip_address"}},
			{"ports wrong", map[string]any{"custom": custom(map[string]any{"ssh_port": 65536, "nat_ssh_port": -1})}, []string{"custom.ssh_port", "custom.nat_ssh_port"}},
			{"a port of text", map[string]any{"custom": custom(map[string]any{"ssh_port": "ssh"})}, []string{"custom.ssh_port"}},
			{"PHP on a cache", map[string]any{"type": "cache", "php_version": "php84"}, []string{"php_version"}},
			{"a PHP unknown", map[string]any{"php_version": "php99"}, []string{"php_version"}},
			{"a database on a worker", map[string]any{"type": "worker", "database_type": "mariadb114"}, []string{"database_type"}},
			{"an Ubuntu unknown", map[string]any{"ubuntu_version": "12.04"}, []string{"ubuntu_version"}},
			{"a credential, a team, a recipe", map[string]any{"credential_id": 1, "team_id": 999999, "recipe_id": 1}, []string{"credential_id", "team_id", "recipe_id"}},
			{"a database to begin with", map[string]any{"database": "shop"}, []string{"database"}},
			{"tags of all kinds", map[string]any{"tags": []any{"ok", "", strings.Repeat("x", 300)}}, []string{"tags.1", "tags.2"}},
			{"tags that are no texts", map[string]any{"tags": []any{true}}, []string{"tags.0"}},
			{"much at once", map[string]any{
				"name":        "",
				"type":        "x",
				"custom":      map[string]any{"ip_address": "x", "ssh_port": 70000},
				"php_version": "x",
			}, []string{"name", "type", "custom.ip_address", "custom.ssh_port", "php_version"}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				body := serverBody("fine", "app")
				for k, v := range tt.change {
					body[k] = v
					if v == nil {
						delete(body, k)
					}
				}
				wantFields(t, w.owner.Post(servers, body), tt.fields...)
			})
		}
		wantFields(t, w.owner.Post(servers, nil), "name", "provider", "type")
		w.unchangedSince(before)
	})
}

func TestServerIsUpdated(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		path := servers + "/" + w.mine.server
		first := w.owner.Get(path).Want(t, 200)
		want, _ := first.At("data", "attributes").(map[string]any)
		e.Clock.Move(1e9)
		a := w.owner.Put(path, map[string]any{
			"name":               "New Name",
			"ip_address":         "2001:DB8::7",
			"private_ip_address": "10.0.0.9",
			"timezone":           "Europe/Berlin",
			"tags":               []string{"a", "b"},
		}).Want(t, 200)
		for k, v := range map[string]any{
			"name":               "New Name",
			"slug":               "new-name",
			"ip_address":         "2001:db8::7",
			"private_ip_address": "10.0.0.9",
			"timezone":           "Europe/Berlin",
			"updated_at":         "2026-03-01T12:00:01.123456Z",
		} {
			want[k] = v
		}
		if diff := cmp.Diff(want, a.At("data", "attributes")); diff != "" {
			t.Errorf("attributes (-want +got):\n%s", diff)
		}
		a = w.owner.Put(path, map[string]any{"private_ip_address": "", "tags": []string{"b"}}).Want(t, 200)
		if got := a.At("data", "attributes", "private_ip_address"); got != nil {
			t.Errorf("the private address is %v after it was emptied", got)
		}
		if got := len(a.At("data", "relationships", "tags", "data").([]any)); got != 1 || fmt.Sprint(a.At("data", "meta", "tags")) != "[b]" {
			t.Errorf("%d tags, want 1: %s", got, a.Body)
		}
		a = w.owner.Put(path, nil).Want(t, 200) // nothing asked, nothing changed
		if got := len(a.At("data", "relationships", "tags", "data").([]any)); got != 1 || a.Text("data", "attributes", "name") != "New Name" {
			t.Errorf("an empty update changed the server: %s", a.Body)
		}
		a = w.owner.Put(path, map[string]any{"tags": []string{}}).Want(t, 200)
		if got := len(a.At("data", "relationships", "tags", "data").([]any)); got != 0 {
			t.Errorf("%d tags after they were emptied", got)
		}
		before := w.counts()
		wantFields(t, w.owner.Put(path, map[string]any{
			"name":               "",
			"ip_address":         "",
			"private_ip_address": "x",
			"timezone":           "Mars/Olympus",
			"tags":               []string{""},
		}), "name", "ip_address", "private_ip_address", "timezone", "tags.0")
		wantFields(t, w.owner.Put(path, map[string]any{"name": true, "timezone": true, "tags": "x"}), "name", "timezone", "tags")
		w.unchangedSince(before)
	})
}

// Updates of different fields at once all stay.
func TestServerUpdatesAtOnce(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := servers + "/" + w.mine.server
		for round := range 10 {
			want := map[string]any{
				"name":               fmt.Sprintf("name-%d", round),
				"ip_address":         fmt.Sprintf("192.0.2.%d", round),
				"private_ip_address": fmt.Sprintf("10.0.0.%d", round),
				"timezone":           []string{"UTC", "Europe/Berlin"}[round%2],
			}
			names := []string{"name", "ip_address", "private_ip_address", "timezone"}
			atOnce(t, len(names), func(i int) (Answer, error) { return w.owner.Try("PUT", path, map[string]any{names[i]: want[names[i]]}) })
			a := w.owner.Get(path).Want(t, 200)
			for _, name := range names {
				if got := a.At("data", "attributes", name); got != want[name] {
					t.Fatalf("round %d: %s is %v, want %v", round, name, got, want[name])
				}
			}
		}
	})
}

func TestServerIsDeleted(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		before := w.counts()
		w.owner.Delete(servers+"/"+w.mine.server).Want(t, 409) // a node of the balancer
		w.unchangedSince(before)
		path := servers + "/" + w.mine.balancer
		got := atOnce(t, 8, func(int) (Answer, error) { return w.owner.Try("DELETE", path+"?preserve_at_provider=true", nil) })
		if diff := cmp.Diff(map[int]int{202: 8}, statuses(got)); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		after := w.counts()
		if n := after["operations"] - before["operations"]; n != 1 || after["servers"] != before["servers"] {
			t.Errorf("%d new operations, %d servers of %d", n, after["servers"], before["servers"])
		}
		a := w.owner.Get(path).Want(t, 200)
		if a.Text("data", "meta", "provisioning") != "deleting" || a.Text("data", "meta", "operation", "action") != "delete" ||
			a.At("data", "attributes", "is_ready") != false {
			t.Errorf("the server is not being deleted: %s", a.Body)
		}
		wantFields(t, w.owner.Post(w.balancerPath(w.mine.balancer), map[string]any{
			"domain": "late.example.com", "balancing": []any{map[string]any{"server_id": number(w.mine.balancer)}},
		}), "balancing.0.server_id")
	})
}

func TestServerKey(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := servers + "/" + w.mine.server + "/key"
		first := w.owner.Get(path).Want(t, 200)
		if got := first.Text("data", "attributes", "fingerprint"); !strings.HasPrefix(got, "SHA256:") {
			t.Errorf("fingerprint is %s", got)
		}
		second := w.owner.Put(path, nil).Want(t, 200)
		if first.Text("data", "attributes", "public_key") == second.Text("data", "attributes", "public_key") {
			t.Error("the key was not replaced")
		}
		// The line to paste can be created again, is shown once, and is different each time.
		third := w.owner.Put(path, nil).Want(t, 200)
		line, other := second.Text("data", "meta", "bootstrap", "command"), third.Text("data", "meta", "bootstrap", "command")
		if !strings.Contains(line, "HOSTLER_SECRET=") || line == other {
			t.Errorf("lines %q and %q", line, other)
		}
		got := w.owner.Get(path).Want(t, 200)
		if got.Text("data", "attributes", "public_key") != third.Text("data", "attributes", "public_key") || strings.Contains(string(got.Body), "HOSTLER_SECRET") {
			t.Errorf("read later: %s, answered: %s", got.Body, third.Body)
		}
		second = third
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET host_keys = 'known' WHERE id = $1", number(w.mine.server))
			return err
		})
		// A connected server shows the key that opens it until a login with the new one has worked.
		for range 2 { // asked again it is not done twice
			a := w.owner.Put(path, nil).Want(t, 200)
			if a.Text("data", "attributes", "public_key") != second.Text("data", "attributes", "public_key") ||
				a.Text("data", "meta", "operation", "state") != "pending" {
				t.Errorf("answered: %s", a.Body)
			}
		}
		replacements := func() int {
			events := w.owner.Get(servers+"/"+w.mine.server+"/events").Want(t, 200)
			return strings.Count(string(events.Body), "Replacing the key of")
		}
		if n := replacements(); n != 1 {
			t.Errorf("the key is replaced %d times", n)
		}
		// A replacement that failed can be asked for again. The server may have its key and report so later, so it is the one that is tried again.
		next := func() (key string) {
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				return tx.SQL.QueryRowContext(ctx, "SELECT next_public_key FROM servers WHERE id = $1", number(w.mine.server)).Scan(&key)
			})
			return key
		}
		tried := next()
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET state = 'failed' WHERE aspect = 'key'")
			return err
		})
		if a := w.owner.Put(path, nil).Want(t, 200); a.Text("data", "meta", "operation", "state") != "pending" || replacements() != 2 {
			t.Errorf("after a failure it answers %s", a.Body)
		}
		if now := next(); now != tried || now == "" {
			t.Errorf("after a failure the next key is %q, it was %q", now, tried)
		}
	})
}

// The system found on a server is in meta.os; the requested one is not shown as if it were true (decision 6).
func TestServerFacts(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	path := servers + "/" + w.mine.server
	facts := func(text string) {
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET facts = $1, ubuntu_version = '24.04' WHERE id = $2", text, number(w.mine.server))
			return err
		})
	}
	facts(`{}`)
	if a := w.owner.Get(path).Want(t, 200); a.At("data", "meta", "os") != nil || a.At("data", "attributes", "ubuntu_version") != "24.04" {
		t.Errorf("nothing is known: %s", a.Body)
	}
	facts(`{"os":"debian","os_version":"12","os_name":"Debian GNU/Linux 12 (bookworm)","arch":"amd64"}`)
	if a := w.owner.Get(path).Want(t, 200); a.At("data", "meta", "os", "id") != "debian" || a.At("data", "attributes", "ubuntu_version") != nil {
		t.Errorf("Debian: %s", a.Body)
	}
	facts(`{"os":"ubuntu","os_version":"26.04","os_name":"Ubuntu 26.04 LTS","arch":"arm64"}`)
	if a := w.owner.Get(path).Want(t, 200); a.At("data", "meta", "os", "arch") != "arm64" || a.At("data", "attributes", "ubuntu_version") != "26.04" {
		t.Errorf("Ubuntu: %s", a.Body)
	}
}
