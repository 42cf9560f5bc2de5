package edge

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/php"
)

// foundPHP records PHP 8.3 and 8.4 on a server, as if they had been found there, 8.4 as the default, and returns the id of 8.3.
func (w *world) foundPHP(server string) string {
	w.T.Helper()
	var id int64
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		srv, err := tx.Ungranted().GetServer(ctx, number(server))
		if err != nil {
			return err
		}
		found := wire.Facts{Packages: map[string]string{"php8.3-fpm": "8.3.1", "php8.4-fpm": "8.4.1"}}
		if err := (php.Finder{Ledger: w.App.Ledger}).Found(ctx, tx, srv, found); err != nil {
			return err
		}
		if _, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET php_version = 'php84', php_cli_version = 'php84' WHERE id = $1", srv.ID); err != nil {
			return err
		}
		rows, err := tx.ListPHPVersions(ctx, srv)
		for _, r := range rows {
			if r.Version == "8.3" {
				id = r.ID
			}
		}
		return err
	})
	return strconv.FormatInt(id, 10)
}

func withoutPHP74(w *world, t things) {
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "DELETE FROM php_versions WHERE version = '7.4' AND server_id = $1", number(t.server))
		return err
	})
}

// phpDefaults sets the version of new sites and of the command line, nil for none.
func (w *world) phpDefaults(version any) {
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET php_version = $1, php_cli_version = $1 WHERE id = $2", version, number(w.mine.server))
		return err
	})
}

func (w *world) php(rest string) string {
	return "/orgs/acme/servers/" + w.mine.server + "/php/" + rest
}

// settlePHP ends all work on PHP.
func (w *world) settlePHP(state string) {
	w.T.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		ops, err := tx.Ungranted().ListPendingOperations(ctx, number(w.mine.server), php.Aspect)
		if err != nil {
			return err
		}
		aspect := php.NewConverger(w.App.Ledger, nil)
		for _, op := range ops {
			if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: state, UpdatedAt: tx.Micros()}); err != nil {
				return err
			}
			if err := aspect.Write(ctx, tx, op, job.State(state)); err != nil {
				return err
			}
		}
		return nil
	})
}

// A version is installed, becomes the defaults that were asked for, and is refused for what it can't be.
func TestPHPVersions(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		if got := w.owner.Get(w.php("versions?sort=-version")).Want(t, 200); len(got.IDs()) != 2 || got.Text("data", 0, "attributes", "version") != "8.4" {
			t.Errorf("the versions are %s", got.Body)
		}
		show := w.owner.Get(w.php("versions/"+w.mine.php)).Want(t, 200)
		if show.Text("data", "attributes", "version") != "8.3" || show.Text("data", "attributes", "binary_name") != "php8.3" ||
			show.Text("data", "attributes", "status") != "installed" {
			t.Errorf("the version is %s", show.Body)
		}
		wantFields(t, w.owner.Post(w.php("versions"), map[string]any{"version": "php83"}), "version")
		wantFields(t, w.owner.Post(w.php("versions"), map[string]any{"version": "php5"}), "version")
		wantFields(t, w.owner.Post("/orgs/acme/servers/"+w.mine.balancer+"/php/versions", map[string]any{"version": "php83"}), "version")
		wantFields(t, w.owner.Put(w.php("cli-version"), map[string]any{"php_version": "8.2"}), "php_version")
		wantFields(t, w.owner.Put(w.php("site-version"), map[string]any{"php_version": "8.2"}), "php_version")
		w.phpDefaults(nil)
		w.owner.Get(w.php("cli-version")).Want(t, 404)

		w.owner.Post(w.php("versions"), map[string]any{"version": "php82", "cli_default": true, "site_default": true}).Want(t, 202)
		wantFields(t, w.owner.Put(w.php("cli-version"), map[string]any{"php_version": "8.2"}), "php_version") // it is installing
		w.settlePHP(job.StateSucceeded)
		for _, name := range []string{"cli-version", "site-version"} {
			if got := w.owner.Get(w.php(name)).Want(t, 200).Text("data", "attributes", "version"); got != "8.2" {
				t.Errorf("%s is %s", name, got)
			}
			w.owner.Put(w.php(name), map[string]any{"php_version": "8.4"}).Want(t, 204)
		}
		if got := w.owner.Get("/orgs/acme/servers/"+w.mine.server).Want(t, 200).Text("data", "attributes", "php_version"); got != "php84" {
			t.Errorf("the server's version is %s", got)
		}
		w.settlePHP(job.StateFailed) // the command line keeps what it had
		if got := w.owner.Get(w.php("cli-version")).Want(t, 200).Text("data", "attributes", "version"); got != "8.2" {
			t.Errorf("the version of the command line is %s", got)
		}
	})
}

// A version that is in use is not removed, and the answer says what uses it.
func TestPHPVersionIsInUse(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := w.php("versions/" + w.mine.php)
		says := func(what string) {
			t.Helper()
			if a := w.owner.Delete(path).Want(t, 409); !strings.Contains(string(a.Body), what) {
				t.Errorf("the answer is %s, want %q", a.Body, what)
			}
		}
		w.phpDefaults("php83")
		site := w.owner.Post("/orgs/acme/servers/"+w.mine.server+"/sites", map[string]any{"type": "php", "name": "uses-php.example.org"}).Want(t, 202).ID()
		says("uses-php.example.org")
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "DELETE FROM wishes WHERE kind = 'sites' AND id = $1", number(site))
			return err
		})
		says("command line")
		w.owner.Put(w.php("cli-version"), map[string]any{"php_version": "8.4"}).Want(t, 204)
		says("new sites")
		w.owner.Put(w.php("site-version"), map[string]any{"php_version": "8.4"}).Want(t, 204)
		w.owner.Delete(path).Want(t, 202)
		w.settlePHP(job.StateSucceeded)
		w.owner.Get(path).Want(t, 404)
		other := w.owner.Get(w.php("versions")).Want(t, 200).IDs()
		path = w.php("versions/" + other[0])
		says("only version")
	})
}

// Configurations are checked line by line, and what was not applied is not shown.
func TestPHPConfigurations(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := "versions/" + w.mine.php + "/configs/"
		before := w.counts()
		for name, c := range map[string]struct {
			config string
			body   map[string]any
			field  string
		}{
			"no text":            {"fpm", map[string]any{}, "config"},
			"code":               {"fpm", map[string]any{"config": "memory_limit = 1G\nextension = /tmp/x.so"}, "config"},
			"code for root":      {"cli", map[string]any{"config": "auto_prepend_file = /tmp/x.php"}, "config"},
			"another account":    {"pool", map[string]any{"config": "user = root"}, "config"},
			"an unknown account": {"pool", map[string]any{"config": "pm = static", "user": "nobody"}, "user"},
		} {
			t.Run(name, func(t *testing.T) { wantFields(t, w.owner.Put(w.php(at+c.config), c.body), c.field) })
		}
		w.unchangedSince(before)
		if a := w.owner.Put(w.php(at+"fpm"), map[string]any{"config": "\nextension = x"}).Want(t, 422); !strings.Contains(string(a.Body), "line 2: extension") {
			t.Errorf("the answer does not name the line: %s", a.Body)
		}
		shown := func(config string) string {
			t.Helper()
			return w.owner.Get(w.php(at+config)).Want(t, 200).Text("data", "attributes", "configuration")
		}
		for config, text := range map[string]string{"fpm": "memory_limit = 300M\n", "cli": "memory_limit = 2G\n", "pool": "pm = static\n"} {
			w.owner.Put(w.php(at+config), map[string]any{"config": text}).Want(t, 202)
			w.settlePHP(job.StateSucceeded)
			w.owner.Put(w.php(at+config), map[string]any{"config": ""}).Want(t, 202)
			w.settlePHP(job.StateFailed)
			if got := shown(config); got != text {
				t.Errorf("the %s configuration is %q, want %q", config, got, text)
			}
		}
		if got := shown("pool?user=alice"); got != "" {
			t.Errorf("the pools of another account have %q", got)
		}
	})
}

// Settings of all versions are shown as they are to be, and as they were once their work fails.
func TestPHPSettings(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		limit := func() any {
			t.Helper()
			return w.owner.Get(w.php("max-upload-size")).Want(t, 200).At("data", "attributes", "max_upload_size")
		}
		w.owner.Put(w.php("max-upload-size"), map[string]any{"max_upload_size": 32}).Want(t, 202)
		w.settlePHP(job.StateFailed)
		w.owner.Put(w.php("max-upload-size"), nil).Want(t, 202)
		if got := limit(); got != nil {
			t.Errorf("a limit that the server never had is kept: %v", got)
		}
		w.settlePHP(job.StateSucceeded)
		for name, field := range map[string]string{"max-upload-size": "max_upload_size", "max-execution-time": "max_execution_time"} {
			wantFields(t, w.owner.Put(w.php(name), map[string]any{field: -1}), field)
			wantFields(t, w.owner.Put(w.php(name), map[string]any{field: 1_000_000}), field)
			// Either operation takes all settings, and leaves those that it is not given.
			w.owner.Put(w.php(name), map[string]any{"max_upload_size": 48, "max_execution_time": 90, "opcache": true}).Want(t, 202)
			w.settlePHP(job.StateSucceeded)
			if a, b := w.owner.Get(w.php("max-upload-size")), w.owner.Get(w.php("max-execution-time")); a.At("data", "attributes", "max_upload_size") != 48.0 ||
				b.At("data", "attributes", "max_execution_time") != 90.0 {
				t.Errorf("%s set %s %s", name, a.Body, b.Body)
			}
			w.owner.Put(w.php(name), map[string]any{field: 64}).Want(t, 202)
			if got := w.owner.Get(w.php(name)).Want(t, 200).At("data", "attributes", field); got != 64.0 {
				t.Errorf("%s is %v", name, got)
			}
			w.settlePHP(job.StateSucceeded)
			w.owner.Put(w.php(name), map[string]any{field: nil}).Want(t, 202)
			if got := w.owner.Get(w.php(name)).Want(t, 200).At("data", "attributes", field); got != nil {
				t.Errorf("%s is %v", name, got)
			}
			w.settlePHP(job.StateFailed)
			if got := w.owner.Get(w.php(name)).Want(t, 200).At("data", "attributes", field); got != 64.0 {
				t.Errorf("%s is %v after its work failed", name, got)
			}
		}
		opcache := func() any {
			t.Helper()
			return w.owner.Get(w.php("opcache")).Want(t, 200).At("data", "attributes", "opcache_enabled")
		}
		if opcache() != true {
			t.Error("OPcache is off at first")
		}
		w.owner.Delete(w.php("opcache")).Want(t, 202)
		got := w.owner.Get("/orgs/acme/servers/"+w.mine.server).Want(t, 200).Text("data", "attributes", "opcache_status")
		if opcache() != false || got != "disabled" {
			t.Errorf("OPcache is %v, of the server %q", opcache(), got)
		}
		w.owner.Post(w.php("opcache"), nil).Want(t, 202)
		if opcache() != true {
			t.Error("OPcache stays off")
		}
	})
}

// A server that has lost its last PHP can't serve a site that needs one; that is said at once, not by work that fails later.
func TestPHPSiteOnServerWithoutPHP(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		w.ready(w.mine.server)
		w.phpDefaults(nil)
		body := map[string]any{"type": "php", "name": "php.example.org"}
		wantFields(t, w.owner.Post(w.sites(w.mine.server), body), "php_version")
		w.owner.Post(w.sites(w.mine.server), static("static.example.org")).Want(t, 202)
		w.phpDefaults("php84")
		w.owner.Post(w.sites(w.mine.server), body).Want(t, 202)
	})
}
