package edge

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Two servers of an organization are reached at one address and port only if that is forced. Behind NAT they share the address.
func TestServersAreApart(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := func(custom map[string]any) map[string]any {
			body := serverBody("again", "worker")
			body["custom"] = custom
			return body
		}
		first := w.owner.Post(servers, at(map[string]any{"ip_address": "192.0.2.77"})).Want(t, 202).ID()
		before := w.counts()
		for name, custom := range map[string]map[string]any{
			"the same":                     {"ip_address": "192.0.2.77"},
			"in other words":               {"ip_address": "::ffff:192.0.2.77", "ssh_port": 22},
			"with another private address": {"ip_address": "192.0.2.77", "private_ip_address": "10.0.0.8"},
			"behind NAT, at the same port": {"ip_address": "192.0.2.77", "ssh_port": 2222, "behind_nat": true, "nat_ssh_port": 22},
		} {
			if a := w.owner.Post(servers, at(custom)); a.Status != 409 || !strings.Contains(string(a.Body), "already a server with this address") {
				t.Errorf("%s: %d %s", name, a.Status, a.Body)
			}
		}
		w.unchangedSince(before)
		w.owner.Post(servers, at(map[string]any{"ip_address": "192.0.2.77", "ssh_port": 2222})).Want(t, 202)
		w.owner.Post(servers, at(map[string]any{"ip_address": "192.0.2.77", "behind_nat": true, "nat_ssh_port": 2201})).Want(t, 202)
		nat := w.owner.Post(servers, at(map[string]any{"ip_address": "192.0.2.77", "behind_nat": true, "nat_ssh_port": 2202})).Want(t, 202).ID()
		other := w.owner.Post(servers, at(map[string]any{"ip_address": "192.0.2.78"})).Want(t, 202).ID()
		w.owner.Put(servers+"/"+other, map[string]any{"ip_address": "192.0.2.77"}).Want(t, 409)
		w.owner.Put(servers+"/"+first, map[string]any{"ip_address": "192.0.2.77", "name": "same"}).Want(t, 200)
		w.owner.Put(servers+"/"+nat, map[string]any{"ip_address": "192.0.2.78"}).Want(t, 200)

		body := at(map[string]any{"ip_address": "192.0.2.79"})
		got := atOnce(t, 4, func(int) (Answer, error) { return w.owner.Try("POST", servers, body) })
		if n := statuses(got); n[202] != 1 || n[409] != 3 {
			t.Errorf("four at once: %v", n)
		}
		w.owner.Post(servers+"?force=true", body).Want(t, 202)
		w.owner.Post(servers+"?force=maybe", body).Want(t, 422)
		w.owner.Put(servers+"/"+other+"?force=true", map[string]any{"ip_address": "192.0.2.77"}).Want(t, 200)
	})
}

// An address that a stranger claims, and can't prove, neither hinders nor shows anything: a server is added, moved and reconnected at it as at any other.
func TestAStrangersClaimBindsNobody(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		add := func(c *Client, slug, address string) Answer {
			body := serverBody("again", "worker")
			body["custom"] = map[string]any{"ip_address": address}
			return c.Post("/orgs/"+slug+"/servers", body)
		}
		add(w.stranger, "other", "192.0.2.77").Want(t, 202)
		claimed, free := add(w.owner, "acme", "192.0.2.77"), add(w.owner, "acme", "192.0.2.78")
		if claimed.Status != 202 || claimed.Status != free.Status {
			t.Errorf("at an address that a stranger claims: %d %s; at another: %d", claimed.Status, claimed.Body, free.Status)
		}
		add(w.stranger, "other", "192.0.2.79").Want(t, 202)
		w.owner.Put(servers+"/"+free.Want(t, 202).ID(), map[string]any{"ip_address": "192.0.2.79"}).Want(t, 200)
		if status, text := w.report(claimed, publicKey(t), "22"); status != 200 {
			t.Errorf("its line: %d %s", status, text)
		}
	})
}

// A machine is known by its host keys once Hostler has logged in to it: a second server of it, in whatever organization and at whatever address, is refused in
// its operation, and the first stays. Until then no server has it.
func TestOneMachineIsLoggedInToAsOneServer(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		p := &server.Provisioner{
			DB: w.App.DB, Keys: &server.Keys{Box: w.App.Box}, PHP: php.Finder{Ledger: w.App.Ledger},
			Facts: answers{wire.Facts{OS: "debian", OSVersion: "12", SSHClient: "192.0.2.1"}},
		}
		key := publicKey(t)
		look := func(made Answer) error {
			return p.Refresh(t.Context(), must(w.App.DB.Read().Ungranted().GetServer(t.Context(), number(made.ID()))))
		}
		claim := w.stranger.Post("/orgs/other/servers", serverBody("claim", "worker")).Want(t, 202)
		mine := w.owner.Post(servers, serverBody("mine", "worker")).Want(t, 202)
		for _, made := range []Answer{claim, mine} { // host keys are public: the stranger reports mine first
			if status, text := w.report(made, key, "22"); status != 200 {
				t.Fatalf("the line: %d %s", status, text)
			}
		}
		if err := look(mine); err != nil {
			t.Errorf("the first login: %v", err)
		}
		if err := look(mine); err != nil {
			t.Errorf("the next look: %v", err)
		}
		var refused *job.StageError
		if err := look(claim); !errors.As(err, &refused) || !strings.Contains(refused.Reason, "already manages this machine") {
			t.Errorf("the second server of the machine: %v", err)
		}
		other := w.stranger.Post("/orgs/other/servers", serverBody("other", "worker")).Want(t, 202)
		if status, text := w.report(other, publicKey(t), "22"); status != 200 {
			t.Fatalf("the line: %d %s", status, text)
		}
		if err := look(other); err != nil {
			t.Errorf("another machine: %v", err)
		}
	})
}

// A server that reports another port than it was given is refused where another server is reached at that one, and waits on.
func TestReportIsOfAServerApart(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := func(port int) Answer {
			body := serverBody("reports", "worker")
			body["custom"] = map[string]any{"ip_address": "192.0.2.77", "ssh_port": port}
			return w.owner.Post(servers, body).Want(t, 202)
		}
		at(22)
		second := at(2222)
		key := publicKey(t)
		report := func(port string) (int, string) { return w.report(second, key, port) }
		if status, text := report("22"); status != 409 || !strings.Contains(text, "has the same address and SSH port") {
			t.Errorf("a report from the port of another server: %d %s", status, text)
		}
		now := w.owner.Get(servers+"/"+second.ID()).Want(t, 200)
		if now.Text("data", "meta", "provisioning") != "connecting" || now.At("data", "attributes", "ssh_port") != 2222.0 {
			t.Errorf("the server that was refused: %s", now.Body)
		}
		if status, text := report("2223"); status != 200 {
			t.Errorf("a report from a port of its own: %d %s", status, text)
		}
	})
}

// Hostler's own machine is recognized by its host keys: the ports that Hostler listens on there get rules, and nginx is refused where it has the ports of
// sites. Other machines are not affected.
func TestOwnMachine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		listen, plain, kind string
		other               bool
		status              int
		rules               []string
	}{
		"behind nginx":                  {"127.0.0.1:8080", "", "web", false, 200, []string{"22", "80", "443"}},
		"on a port of its own":          {":8080", "", "web", false, 200, []string{"22", "80", "443", "8080"}},
		"on the port of sites":          {":443", ":80", "web", false, 409, nil},
		"on one of them, a balancer":    {"0.0.0.0:443", "", "loadbalancer", false, 409, nil},
		"on the port of sites, without": {":443", ":80", "worker", false, 200, []string{"22", "80", "443"}},
		"another machine":               {":8443", "", "web", true, 200, []string{"22", "80", "443"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, own := t.TempDir(), publicKey(t)
			if err := os.WriteFile(filepath.Join(keys, "ssh_host_ed25519_key.pub"), []byte(own+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			w := WorldWith(t, db.SQLite, func(c *app.Config) { c.Listen, c.HTTPListen, c.HostKeys = tt.listen, tt.plain, keys })
			body := serverBody("own", tt.kind)
			body["custom"] = map[string]any{"ip_address": "192.0.2.77", "ssh_port": 22}
			a := w.owner.Post(servers, body).Want(t, 202)
			key := own
			if tt.other {
				key = publicKey(t)
			}
			status, text := w.report(a, key, "22")
			if status != tt.status || status == 409 && !strings.Contains(text, "This is Hostler's own machine, and Hostler listens on port") {
				t.Errorf("it is answered %d %s", status, text)
			}
			if tt.rules == nil {
				if now := w.owner.Get(servers+"/"+a.ID()).Want(t, 200); now.Text("data", "meta", "provisioning") != "connecting" {
					t.Errorf("the server that was refused: %s", now.Body)
				}
				return
			}
			var rules []string
			list := w.owner.Get(servers+"/"+a.ID()+"/firewall-rules").Want(t, 200)
			for i := range list.At("data").([]any) {
				rules = append(rules, list.Text("data", i, "attributes", "port"))
			}
			if diff := cmp.Diff(tt.rules, rules, cmpopts.SortSlices(strings.Compare)); diff != "" {
				t.Errorf("its rules (-want +got):\n%s", diff)
			}
		})
	}
}

// report sends the report of a server that runs its line, and returns the answer.
func (w *world) report(created Answer, key, port string) (int, string) {
	w.T.Helper()
	_, after, _ := strings.Cut(created.Text("data", "meta", "bootstrap", "command"), "HOSTLER_SECRET=")
	code, _, _ := strings.Cut(after, " ")
	text := "host-key " + strings.Join(strings.Fields(key)[:2], " ") + "\nssh-port " + port +
		"\nos debian\nos-version 12\nos-name Debian\narch amd64\nhostname h1\nmemory-kb 1000000\ndisk-kb 1000000\n"
	mac := hmac.New(sha256.New, must(hex.DecodeString(code)))
	mac.Write([]byte(text))
	req := must(http.NewRequest(http.MethodPost, w.URL+"/bootstrap/"+created.ID(), strings.NewReader(text)))
	req.Header.Set("X-Hostler-Signature", hex.EncodeToString(mac.Sum(nil)))
	res := must(http.DefaultClient.Do(req))
	defer func() { _ = res.Body.Close() }()
	return res.StatusCode, string(must(io.ReadAll(res.Body)))
}

// Whatever the line of a new server calls, it says so first, and gives up after a while.
func TestLineSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	a := w.owner.Post(servers, serverBody("waits", "worker")).Want(t, 202)
	_, script := plain(t, "GET", w.URL+"/bootstrap/"+a.ID()+"/script", "")
	calls := 0
	for name, lines := range map[string][]string{
		"the line":   strings.Split(a.Text("data", "meta", "bootstrap", "command"), " && "),
		"its script": strings.Split(script, "\n"),
	} {
		for i, line := range lines {
			if !strings.Contains(line, "curl -") {
				continue
			}
			calls++
			if !strings.Contains(line, "--connect-timeout 10 --max-time 60") {
				t.Errorf("%s has no end: %s", name, line)
			}
			if i == 0 || !strings.HasPrefix(lines[i-1], "echo ") || !strings.Contains(lines[i-1], "for up to 10 seconds") {
				t.Errorf("%s does not say what it waits for: %s", name, lines[max(0, i-1)])
			}
		}
	}
	if calls != 2 {
		t.Errorf("%d calls were found, want one of the line and one of its script", calls)
	}
}

// The line for a new server can be asked for again: it is another one, works for a week from then on, and brings work back that was given up.
func TestServerGetsAnotherLine(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		made := w.owner.Post(servers, serverBody("waits", "worker")).Want(t, 202)
		path := servers + "/" + made.ID()
		secretOf := func(a Answer) string {
			_, after, _ := strings.Cut(a.Text("data", "meta", "bootstrap", "command"), "HOSTLER_SECRET=")
			code, _, _ := strings.Cut(after, " ")
			return code
		}
		w.Clock.Move(6 * 24 * time.Hour)
		second := w.owner.Post(path+"/line", nil).Want(t, 200)
		third := w.owner.Post(path+"/line", nil).Want(t, 200)
		codes := map[string]bool{secretOf(made): true, secretOf(second): true, secretOf(third): true}
		if len(codes) != 3 || codes[""] || third.Text("data", "id") != made.ID() {
			t.Errorf("secrets %v of %s", codes, third.Body)
		}
		if got := third.Text("data", "meta", "bootstrap", "expires_at"); got != "2026-03-14T12:00:00.123456Z" {
			t.Errorf("it works until %s", got)
		}
		if a := w.owner.Get(path).Want(t, 200); strings.Contains(string(a.Body), "HOSTLER_SECRET") ||
			a.Text("data", "meta", "operation", "deadline") != "2026-03-14T12:00:00.123456Z" {
			t.Errorf("read later: %s", a.Body)
		}
		// A line is dead after a week, and the work on the server was given up.
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			id := number(made.Text("data", "meta", "operation", "id"))
			if _, err := tx.EndOperation(ctx, query.EndOperationParams{
				ID: id, State: job.StateFailed, Reason: "The deadline passed.", UpdatedAt: tx.Micros(),
			}); err != nil {
				return err
			}
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET status = 'failed' WHERE id = $1", number(made.ID()))
			return err
		})
		a := w.owner.Post(path+"/line", nil).Want(t, 200)
		if a.Text("data", "meta", "provisioning") != "connecting" || a.Text("data", "meta", "operation", "state") != "pending" {
			t.Errorf("a line for a server that was given up: %s", a.Body)
		}
		w.with("server:view").Post(path+"/line", nil).Want(t, 403)
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET host_keys = 'known' WHERE id = $1", number(made.ID()))
			return err
		})
		w.owner.Post(path+"/line", nil).Want(t, 409)
	})
}

// A server that runs its line after the work of setting it up was cancelled, or given up, is set up: the line works for a week. Work that is tried again
// waits for the line as long.
func TestServerCallsAfterItsWorkEnded(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		made := w.owner.Post(servers, serverBody("waits", "worker")).Want(t, 202)
		id := number(made.Text("data", "meta", "operation", "id"))
		end := func(state string) {
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: id, State: state, UpdatedAt: tx.Micros()}); err != nil {
					return err
				}
				_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET status = 'failed' WHERE id = $1", number(made.ID()))
				return err
			})
		}
		end(job.StateFailed)
		w.owner.Post(servers+"/"+made.ID()+"/events/"+made.Header.Get("X-Hostler-Event")+"/retry", nil).Want(t, 202)
		now := w.owner.Get(servers+"/"+made.ID()).Want(t, 200)
		if got, want := now.Text("data", "meta", "operation", "deadline"), made.Text("data", "meta", "bootstrap", "expires_at"); got != want {
			t.Errorf("tried again it waits until %s, its line works until %s", got, want)
		}
		end(job.StateCancelled)
		if status, text := w.report(made, publicKey(t), "22"); status != 200 {
			t.Fatalf("the line: %d %s", status, text)
		}
		now = w.owner.Get(servers+"/"+made.ID()).Want(t, 200)
		if now.Text("data", "meta", "provisioning") != "provisioning" || now.Text("data", "meta", "operation", "state") != "pending" {
			t.Errorf("the server that called: %s", now.Body)
		}
	})
}

type answers struct{ facts wire.Facts }

func (a answers) Facts(context.Context, host.Target) (wire.Facts, error) { return a.facts, nil }

// A server that answered is connected from then on, not only when its first packages are installed.
func TestServerIsConnectedOnceItAnswers(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	id := w.owner.Post(servers, serverBody("new", "worker")).Want(t, 202).ID()
	row := must(w.App.DB.Read().Ungranted().GetServer(t.Context(), number(id)))
	p := &server.Provisioner{
		DB: w.App.DB, Keys: &server.Keys{Box: w.App.Box}, Facts: answers{wire.Facts{OS: "debian", OSVersion: "12"}},
		PHP: php.Finder{Ledger: w.App.Ledger},
	}
	if err := p.Refresh(t.Context(), row); err != nil {
		t.Fatal(err)
	}
	if got := w.owner.Get(servers+"/"+id).Want(t, 200).Text("data", "attributes", "connection_status"); got != "connected" {
		t.Errorf("connection_status is %q", got)
	}
}
