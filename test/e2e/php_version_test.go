package e2e_test

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// secondPHP makes a source of packages on a host: those of its PHP, as 8.3.
//
//go:embed second_php.sh
var secondPHP string

// slowBody is the body of an upload over a slow line: some bytes, and more of them for a while.
type slowBody struct{ until time.Time }

func (b slowBody) Read(p []byte) (int, error) {
	if time.Now().After(b.until) {
		return 0, io.EOF
	}
	time.Sleep(50 * time.Millisecond) // the line is slow
	return copy(p, "some of it "), nil
}

// slowly requests a page of a site with an upload that takes this long, and returns what became of it.
func slowly(t *testing.T, address, name string, takes time.Duration) func() (string, error) {
	t.Helper()
	var wg sync.WaitGroup
	var text string
	var err error
	req, rerr := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/", slowBody{time.Now().Add(takes)})
	if rerr != nil {
		t.Fatal(rerr)
	}
	req.Host = name
	wg.Go(func() {
		resp, rerr := (&http.Client{Timeout: takes + time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
		if err = rerr; err != nil {
			return
		}
		defer resp.Body.Close()
		raw, rerr := io.ReadAll(resp.Body)
		if text, err = string(raw), rerr; err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
	})
	return func() (string, error) { wg.Wait(); return text, err }
}

// A second version of PHP is installed from a source of the server's own; sites move to it and back while they are visited, and the version that no site
// uses any more is removed. No visitor notices any of that, neither do those whose uploads are on their way.
func TestSecondPHPVersion(t *testing.T) {
	panel.BuildImage(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image), hosts.Fresh())
	bed.Host(1).Exec(t, "sh", "-ec", secondPHP)
	w := newWorld(t, panel.Start(t, bed), bed, "web")
	s := w.Server(1)
	const first, second = "8.2", "8.3"
	code := map[string]string{first: "php82", second: "php83"}
	ids := func() map[string]string {
		out := map[string]string{}
		for _, r := range w.Want(t, http.StatusOK, http.MethodGet, s.Path("/php/versions"), nil).List {
			out[r.Text("version")] = r.ID
		}
		return out
	}
	if got := ids(); got[first] == "" || len(got) != 1 {
		t.Fatalf("the server has %v, not %s", got, first)
	}
	sites := map[string]string{} // their ids, by their names
	create := func(name string, body map[string]any) {
		body["name"], body["type"] = name, "php"
		sites[name] = w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"), body).Data.ID
		w.Status(t, 5*time.Minute, "/sites/"+sites[name], "installed")
	}
	create("shared.example.com", map[string]any{})
	create("alone.example.com", map[string]any{"is_isolated": true, "isolated_user": "alone"})
	// What runs for long is started again with the site's version.
	worker := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/background-processes"), map[string]any{
		"name": "worker", "user": "forge", "site_id": json.Number(sites["shared.example.com"]), "processes": 1,
		"command": `exec php -r 'file_put_contents("/tmp/worker", PHP_VERSION); sleep(100000);'`,
	}).Data.ID
	w.Status(t, time.Minute, s.Path("/background-processes/"+worker), "running")
	calls := func(version string) {
		t.Helper()
		if out, err := s.Host.TryExec("sh", "-c", `for i in $(seq 100); do grep "^$1[.]" /tmp/worker && exit; sleep 0.1; done; cat /tmp/worker; exit 1`,
			"sh", version); err != nil {
			t.Errorf("the worker runs with %s, not with PHP %s", out, version)
		}
	}
	answers := func(name string) string {
		_, text, err := newVisitor(s.Host.Addr(80), name, false).get(t.Context())
		if err != nil {
			return err.Error()
		}
		return strings.TrimSpace(text)
	}
	served := func(version string) {
		t.Helper()
		for name := range sites {
			if got := answers(name); !strings.Contains(got, "PHP "+version+".") {
				t.Errorf("%s answers %q, not with PHP %s", name, got, version)
			}
		}
	}
	commandLine := func() string { return strings.TrimSpace(s.Host.Exec(t, "php", "-r", "echo PHP_VERSION;")) }
	work := func(method, path string, body map[string]any) {
		t.Helper()
		if state, said := phpWork(t, w.Panel, s, method, path, body); state != "succeeded" {
			t.Fatalf("%s %s has %s: %s", method, path, state, said)
		}
	}
	var stops []func()
	for name := range sites {
		stop := pressureOf(t, s.Host.Addr(80), name, name == "alone.example.com", 1)
		stops = append(stops, func() {
			if y := stop(); len(y.failed) > 0 || y.total < 200 {
				t.Errorf("%s: %d of %d requests failed: %.3v", name, len(y.failed), y.total, y.failed)
			} else {
				t.Logf("%s: %d requests", name, y.total)
			}
		})
	}

	work(http.MethodPost, "versions", map[string]any{"version": code[second]})
	if got := ids(); got[second] == "" || len(got) != 2 {
		t.Fatalf("the server has %v", got)
	}
	if got := commandLine(); !strings.HasPrefix(got, first) {
		t.Errorf("installing another version made %s that of the command line", got)
	}
	served(first)
	w.Want(t, http.StatusUnprocessableEntity, http.MethodPost, s.Path("/php/versions"), map[string]any{"version": code[second]})

	move := func(version string) {
		t.Helper()
		for name, id := range sites {
			upload := slowly(t, s.Host.Addr(80), name, 6*time.Second)
			w.Want(t, http.StatusAccepted, http.MethodPut, s.Path("/sites/"+id), map[string]any{"php_version": code[version]})
			if got := w.Settled(t, 3*time.Minute, "/sites/"+id); got.Operation().State != "succeeded" || got.Text("php_version") != code[version] {
				t.Fatalf("moving %s to %s has %s: %+v", name, version, got.Text("status"), got.Operation())
			}
			if text, err := upload(); err != nil {
				t.Errorf("an upload to %s while it moved to %s: %v: %.200s", name, version, err, text)
			}
		}
		served(version)
		calls(version)
	}
	calls(first)
	move(second)
	if got := s.Host.Exec(t, "sh", "-c", "ls /etc/php/"+first+"/fpm/pool.d /run/php"); strings.Contains(got, "hostler-") && strings.Contains(got, "-php"+first) {
		t.Errorf("what sites had of %s is left:\n%s", first, got)
	}

	for _, broken := range []struct{ config, text, says string }{
		{"fpm", "date.timezone = Nowhere/Atall\n", "Nowhere/Atall"},
		{"pool", "pm = dynamic\npm.max_children = 2\npm.start_servers = 9\npm.min_spare_servers = 1\npm.max_spare_servers = 2\n", "start_servers"},
	} {
		path := "versions/" + ids()[second] + "/configs/" + broken.config
		state, said := phpWork(t, w.Panel, s, http.MethodPut, path, map[string]any{"config": broken.text})
		if state != "failed" || !strings.Contains(said, broken.says) {
			t.Errorf("a broken %s configuration has %s: %s", broken.config, state, said)
		}
		a := w.Want(t, http.StatusUnprocessableEntity, http.MethodPut, s.Path("/php/"+path), map[string]any{"config": "; mine\n\nnonsense = 1\n"})
		if !strings.Contains(a.Body, "line 3: nonsense") {
			t.Errorf("a %s configuration with an error is answered with %s", broken.config, a.Body)
		}
		if got := w.Get(t, s.Path("/php/"+path)).Text("configuration"); got != "" {
			t.Errorf("the refused %s configuration is shown: %s", broken.config, got)
		}
	}
	served(second)
	work(http.MethodPut, "versions/"+ids()[second]+"/configs/fpm", map[string]any{"config": "memory_limit = 333M\n"})

	move(first)
	refused := func(version, says string) {
		t.Helper()
		if a := w.Want(t, http.StatusConflict, http.MethodDelete, s.Path("/php/versions/"+ids()[version]), nil); !strings.Contains(a.Body, says) {
			t.Errorf("removing %s is refused with %s", version, a.Body)
		}
	}
	refused(first, "used by alone.example.com, shared.example.com")
	move(second)
	refused(second, "used by alone.example.com, shared.example.com")
	refused(first, "the default version of the command line")
	work(http.MethodPut, "cli-version", map[string]any{"php_version": second})
	if got := commandLine(); !strings.HasPrefix(got, second) {
		t.Errorf("the command line has %s", got)
	}
	refused(first, "the default version of new sites")
	w.Want(t, http.StatusNoContent, http.MethodPut, s.Path("/php/site-version"), map[string]any{"php_version": second})
	create("new.example.com", map[string]any{})
	served(second)
	work(http.MethodDelete, "versions/"+ids()[first], nil)
	if got := ids(); len(got) != 1 {
		t.Errorf("after the removal the server has %v", got)
	}
	left := "dpkg-query -W -f='${Package} ${db:Status-Status}\n' 'php" + first + "-*' | grep -w installed; ls -d /etc/php/" + first + "; true"
	if got := s.Host.Exec(t, "sh", "-c", left); got != "" {
		t.Errorf("the removed version left:\n%s", got)
	}
	served(second)
	work(http.MethodPost, "versions", map[string]any{"version": code[first]})
	served(second)
	if got := commandLine(); !strings.HasPrefix(got, second) {
		t.Errorf("the command line has %s", got)
	}
	for _, stop := range stops {
		stop()
	}
}
