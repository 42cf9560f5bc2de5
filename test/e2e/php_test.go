package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// phpWork requests a change of PHP, waits for its end, and returns its state with what its event says.
func phpWork(t *testing.T, w *panel.Panel, s panel.Server, method, path string, body map[string]any) (state, output string) {
	t.Helper()
	a, err := w.Do(method, s.Path("/php/"+path), body)
	if err != nil || a.Code != http.StatusAccepted && a.Code != http.StatusNoContent {
		t.Fatalf("%s %s: %d %s %v", method, path, a.Code, a.Body, err)
	}
	event := a.Header.Get("X-Hostler-Event")
	defer func() {
		if state == "" {
			out, _ := s.Host.TryExec("ps", "axf")
			t.Logf("%s %s has not ended:\n%s\n%s", method, path, w.Output(t, s, event), out)
		}
	}()
	got, _ := w.Until(t, 15*time.Minute, s.Path("/events/"+event), "ended", func(a panel.Answer) bool {
		now := a.Data.Operation().State
		return now == "succeeded" || now == "failed"
	})
	return got.Data.Operation().State, got.Data.Operation().Reason + "\n" + w.Output(t, s, event)
}

// A configuration that FPM refuses fails with FPM's own words and leaves the old one, and one that it takes is in force: visitors notice neither.
func TestPHPConfiguration(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	list := w.Want(t, http.StatusOK, http.MethodGet, s.Path("/php/versions"), nil).List
	if len(list) == 0 {
		t.Fatal("the server is said to have no PHP")
	}
	version, id := list[0].Text("version"), list[0].ID
	for _, name := range []string{"cli-version", "site-version"} {
		if got := w.Get(t, s.Path("/php/"+name)).Text("version"); got != version {
			t.Errorf("%s is %s, not %s", name, got, version)
		}
	}
	names := map[string]map[string]any{
		"php-shared.example.com": {"type": "php"},
		"php-alone.example.com":  {"type": "php", "is_isolated": true, "isolated_user": "phpalone"},
	}
	stops := map[string]func() *tally{}
	for name, body := range names {
		body["name"] = name
		made := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"), body).Data.ID
		path, shown := s.Path("/sites/"+made), "/sites/"+made
		w.Status(t, 3*time.Minute, shown, "installed")
		t.Cleanup(func() {
			w.Want(t, http.StatusAccepted, http.MethodDelete, path, nil)
			w.Gone(t, 3*time.Minute, shown)
		})
	}
	for name := range names {
		stops[name] = pressureOf(t, s.Host.Addr(80), name, false, 1)
	}
	at := "versions/" + id + "/configs/"
	t.Cleanup(func() {
		for _, config := range []string{"fpm", "cli", "pool"} {
			phpWork(t, w.Panel, s, http.MethodPut, at+config, map[string]any{"config": ""})
		}
		phpWork(t, w.Panel, s, http.MethodPut, "max-upload-size", map[string]any{"max_upload_size": nil})
		phpWork(t, w.Panel, s, http.MethodPut, "max-execution-time", map[string]any{"max_execution_time": nil})
		phpWork(t, w.Panel, s, http.MethodPost, "opcache", nil)
	})
	own := "/etc/php/" + version + "/fpm/conf.d/95-hostler.ini"
	setting := func(program, name string) string {
		out, _ := s.Host.TryExec(program, "-i")
		for line := range strings.Lines(out) {
			if strings.HasPrefix(line, name+" => ") {
				return strings.Fields(line)[2]
			}
		}
		return out
	}
	for config, text := range map[string]string{"fpm": "memory_limit = 333M\n", "cli": "memory_limit = 444M\n", "pool": "pm.max_children = 7\n"} {
		if state, said := phpWork(t, w.Panel, s, http.MethodPut, at+config, map[string]any{"config": text}); state != "succeeded" {
			t.Fatalf("the %s configuration has %s: %s", config, state, said)
		}
	}
	if fpm, cli := setting("php-fpm"+version, "memory_limit"), setting("php"+version, "memory_limit"); fpm != "333M" || cli != "444M" {
		t.Errorf("FPM has a limit of %s, the command line one of %s", fpm, cli)
	}
	before := s.Host.Exec(t, "sh", "-c", "cat /etc/php/*/fpm/pool.d/hostler-*.conf "+own)
	if !strings.Contains(before, "pm.max_children = 7") {
		t.Errorf("the pools have no lines of their own: %s", before)
	}
	for _, broken := range []struct {
		config, text, user, says string
	}{
		{"pool", "pm = dynamic\npm.max_children = 2\npm.start_servers = 9\npm.min_spare_servers = 1\npm.max_spare_servers = 2\n", "", "start_servers"},
		{"pool", "pm = dynamic\npm.max_children = 2\npm.start_servers = 9\npm.min_spare_servers = 1\npm.max_spare_servers = 2\n", "phpalone", "start_servers"},
		{"fpm", "date.timezone = Nowhere/Atall\n", "", "Nowhere/Atall"},
	} {
		body := map[string]any{"config": broken.text}
		if broken.user != "" {
			body["user"] = broken.user
		}
		if state, said := phpWork(t, w.Panel, s, http.MethodPut, at+broken.config, body); state != "failed" || !strings.Contains(said, broken.says) {
			t.Errorf("a broken %s configuration of %q has %s: %s", broken.config, broken.user, state, said)
		}
		if got := w.Get(t, s.Path("/php/"+at+broken.config)).Text("configuration"); strings.Contains(got, broken.says) {
			t.Errorf("the refused configuration is shown: %s", got)
		}
	}
	if after := s.Host.Exec(t, "sh", "-c", "cat /etc/php/*/fpm/pool.d/hostler-*.conf "+own); after != before {
		t.Errorf("what was refused is left on the server:\n%s\nbefore:\n%s", after, before)
	}
	for path, body := range map[string]map[string]any{"max-upload-size": {"max_upload_size": 64}, "max-execution-time": {"max_execution_time": 120}} {
		if state, said := phpWork(t, w.Panel, s, http.MethodPut, path, body); state != "succeeded" {
			t.Errorf("%s has %s: %s", path, state, said)
		}
	}
	if state, said := phpWork(t, w.Panel, s, http.MethodDelete, "opcache", nil); state != "succeeded" || setting("php-fpm"+version, "opcache.enable") != "Off" {
		t.Errorf("turning OPcache off has %s, it is %s: %s", state, setting("php-fpm"+version, "opcache.enable"), said)
	}
	if got := setting("php-fpm"+version, "upload_max_filesize"); got != "64M" {
		t.Errorf("uploads may have %s", got)
	}
	if state, said := phpWork(t, w.Panel, s, http.MethodPut, "cli-version", map[string]any{"php_version": version}); state != "succeeded" {
		t.Errorf("the version of the command line has %s: %s", state, said)
	}
	w.Want(t, http.StatusConflict, http.MethodDelete, s.Path("/php/versions/"+id), nil)
	for name, stop := range stops {
		if y := stop(); len(y.failed) > 0 || y.total < 50 {
			t.Errorf("%s: %d of %d requests failed: %.3v", name, len(y.failed), y.total, y.failed)
		}
	}
}
