package attack_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// peepers read /proc until a file is removed and print each text once: of root, all command lines, which any account can read; of a tenant, also the
// environments and files of processes that it may.
const peeper = `
my ($stop, $env) = @ARGV; my %seen;
while (-e $stop) {
	opendir(my $d, "/proc") or die; my @pids = grep { /^\d+$/ } readdir $d; closedir $d;
	for my $p (@pids) {
		for my $f ($env ? ("cmdline", "environ") : ("cmdline")) {
			open(my $h, "<", "/proc/$p/$f") or next; local $/; my $t = <$h>; close $h;
			next if !defined $t || $seen{$t}++; $t =~ tr/\0/ /; print "$f $t\n";
		}
	}
	select(undef, undef, undef, 0.005);
}
`

// A neighbour who watches the processes of the host while accounts, variables, certificates, rules and credentials of a tenant
// are created, a private repository is deployed and a database is backed up and restored, sees none of their secrets, and finds
// none in files or logs afterwards; the panel's own files contain none in clear.
func TestNeighbourWatchesProcesses(t *testing.T) {
	drawn(t)
	w := tenantWorld(t)
	t.Run("hosts", func(t *testing.T) { // in parallel: most of it is waiting
		for _, h := range w.Hosts() {
			t.Run(h.Engine, func(t *testing.T) {
				t.Parallel()
				h.watched(t)
			})
		}
	})
	w.unharmed(t)
}

func (h *TenantHost) watched(t *testing.T) {
	w, alice, bob := h.world, h.Alice, h.Bob
	const stop = "/tmp/peep-on"
	h.Host.WriteFile(t, stop, nil, 0o644)
	defer func() { _, _ = h.Host.TryExec("rm", "-f", stop) }()
	var mu sync.Mutex
	seen, wait := map[string]string{}, sync.WaitGroup{}
	watch := func(who, env string, run func(argv ...string) (string, error)) {
		wait.Go(func() {
			out, err := run("perl", "-e", peeper, stop, env)
			mu.Lock()
			defer mu.Unlock()
			if seen[who] = out; err != nil {
				t.Errorf("%s could not watch: %v", who, err)
			}
		})
	}
	watch("everybody", "", h.Host.TryExec)
	watch("bob", "1", bob.try)

	// User actions, each with its own secret.
	secrets := map[string]string{}
	secret := func(name string) string {
		secrets[name] = "sEcReT" + name + random(t)
		return secrets[name]
	}
	site := h.Path("/sites/" + alice.Site.ID)
	settle := func(path string) {
		if r := w.Settled(t, 2*time.Minute, path); r.Operation() != (panel.Operation{}) && r.Operation().State != "succeeded" {
			t.Errorf("%s: %+v\n%s", path, r.Operation(), w.Output(t, h.Server, r.Operation().EventID))
		}
	}
	accepted := func(method, path string, body map[string]any) string {
		return w.Want(t, http.StatusAccepted, method, path, body).Data.ID
	}
	account := accepted(http.MethodPost, h.Path("/database/users"), map[string]any{"name": "peeped", "password": secret("account"), "database_ids": []any{}})
	settle(h.Path("/database/users/" + account))
	accepted(http.MethodPut, h.Path("/database/users/"+account), map[string]any{"password": secret("changed"), "database_ids": []any{}})
	settle(h.Path("/database/users/" + account))
	accepted(http.MethodPut, site+"/environment", map[string]any{"environment": "SECRET=" + alice.Secret + "\nTOKEN=" + secret("variable") + "\n"})
	rule := accepted(http.MethodPost, site+"/security-rules", map[string]any{
		"name": "Peep", "path": "/peep",
		"credentials": []any{map[string]any{"username": "anna", "password": secret("rule")}},
	})
	settle(site + "/security-rules/" + rule)
	composer := accepted(http.MethodPost, site+"/composer/credentials", map[string]any{
		"repository": "peep.example.com", "username": "anna", "password": secret("composer"),
	})
	npm := accepted(http.MethodPost, site+"/npm/credentials", map[string]any{"registry": "npm.example.com", "token": secret("npm"), "scopes": []string{"@peep"}})
	settle(site + "/composer/credentials/" + composer)
	settle(site + "/npm/credentials/" + npm)
	job := accepted(http.MethodPost, site+"/scheduled-jobs", map[string]any{
		"name":      "peep",
		"command":   "true",
		"user":      alice.User,
		"frequency": "hourly",
		"heartbeat": true,
	})
	settle(site + "/scheduled-jobs/" + job)
	beats := w.Want(t, http.StatusOK, http.MethodGet, site+"/heartbeats", nil).List
	if len(beats) != 1 {
		t.Fatalf("%d heartbeats", len(beats))
	}
	ping := beats[0].Text("ping_url")
	secrets["heartbeat"] = ping[strings.LastIndexByte(ping, '/')+1:]
	// as cron does, at once
	h.Host.Exec(t, "sh", "-c", `sh -c "$(sed -n 's/^[0-9*@][^ ]* [^ ]* [^ ]* [^ ]* [^ ]* root //p' "/etc/cron.d/hostler-job-$1")"`, "sh", job)
	w.Status(t, 2*time.Minute, site+"/heartbeats/"+beats[0].ID, "beating") // the job ran, and called it
	for _, more := range []map[string]string{h.privateRepository(t), h.broughtCertificate(t, alice), h.backedUp(t, alice)} {
		maps.Copy(secrets, more)
	}
	hosts.Eventually(t, time.Minute, "the variables are written", func() error {
		text, err := h.Host.TryExec("cat", alice.Base+"/.env") // no secret among its arguments, which are watched
		if err == nil && !strings.Contains(text, secrets["variable"]) {
			err = errors.New("not yet")
		}
		return err
	})

	h.Host.Exec(t, "rm", "-f", stop)
	wait.Wait()
	if !strings.Contains(seen["everybody"], "hostler") && !strings.Contains(seen["everybody"], "sshd") {
		t.Errorf("nothing was watched: %.300s", seen["everybody"])
	}
	for who, text := range seen {
		wantNone(t, h.Engine+": what "+who+" saw of processes", text, secrets)
	}
	// The remains: nothing that bob can read, and nothing in clear in the agent's directories and the system's logs.
	patterns := []string{}
	for _, s := range secrets {
		patterns = append(patterns, "-e", s)
	}
	out, _ := bob.try(append([]string{"grep", "-rIlsF", "--exclude-dir=proc", "--exclude-dir=sys", "--exclude-dir=dev", "--exclude-dir=usr"},
		append(patterns, "/")...)...)
	if out = strings.TrimSpace(out); out != "" {
		t.Errorf("%s: bob reads secrets of alice in %s", h.Engine, out)
	}
	out, _ = h.Host.TryExec(append([]string{"grep", "-rlsF", "--exclude-dir=journal"},
		append(patterns, "/var/lib/hostler/runs", "/var/log", "/tmp", "/run/log")...)...)
	if out = strings.TrimSpace(out); out != "" {
		t.Errorf("%s: secrets are left in %s", h.Engine, out)
	}
	// The journal keeps the arguments of who writes to it: this test becomes bob with runuser, whose arguments are what it looks for.
	logs, _ := h.Host.TryExec("journalctl", "--no-pager", "-o", "json")
	var journal strings.Builder
	for line := range strings.Lines(logs) {
		if !strings.Contains(line, `"_COMM":"runuser"`) {
			journal.WriteString(line)
		}
	}
	if journal.Len() == 0 {
		t.Error("the journal is empty")
	}
	wantNone(t, h.Engine+": the journal", journal.String(), secrets)
	// The panel: its files, its log, the outputs of events.
	files, err := filepath.Glob(filepath.Join(w.Dir, "data", "hostler.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the panel's database: %v, %v", files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		wantNone(t, filepath.Base(file), string(raw), secrets)
	}
	wantNone(t, "the panel's log", w.Log(), secrets)
	for _, event := range w.Want(t, http.StatusOK, http.MethodGet, h.Path("/events?page[size]=50"), nil).List {
		wantNone(t, "the output of event "+event.ID, w.Output(t, h.Server, event.ID), secrets)
	}
	// What was created is removed.
	for _, path := range []string{
		h.Path("/database/users/" + account), site + "/security-rules/" + rule,
		site + "/composer/credentials/" + composer, site + "/npm/credentials/" + npm, site + "/scheduled-jobs/" + job,
	} {
		accepted(http.MethodDelete, path, nil)
		w.Gone(t, 2*time.Minute, path)
	}
	accepted(http.MethodPut, site+"/environment", map[string]any{"environment": "SECRET=" + alice.Secret + "\n"})
}

// wantNone fails the test if a text contains a secret, literally or escaped.
func wantNone(t testing.TB, where, text string, secrets map[string]string) {
	t.Helper()
	for name, s := range secrets {
		quoted, _ := json.Marshal(s)
		for _, form := range []string{
			s, strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(s)), "="), url.QueryEscape(s),
			strings.Trim(string(quoted), `"`),
		} {
			if at := strings.Index(text, form); at >= 0 {
				t.Errorf("%s holds the secret of %s: …%s…", where, name, text[max(0, at-80):min(len(text), at+len(form)+20)])
				break
			}
		}
	}
}
