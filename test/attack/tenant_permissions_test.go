package attack_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// colleague has one permission in two ways: as a member whose role has only it, and as a token of the owner's with only it. Both
// reach all servers of the organization.
type colleague struct {
	*bait
	member, token *panel.Panel
}

// bait is what colleagues want on the hosts of the tenants.
type bait struct {
	w *TenantWorld
	h *TenantHost // where it is, unless it runs
	// recipe runs as root. It printed word and failed, in event; when it runs again, for any caller, it creates the canary.
	recipe, event, word string
	// running is an event of the other host in which a recipe sleeps as root.
	running string
	// spare is a server that is not set up: nothing is lost with it.
	spare string
	role  string
}

func newBait(t *testing.T, w *TenantWorld) *bait {
	t.Helper()
	b := &bait{w: w, h: w.MariaDB, word: "word" + random(t)}
	b.spare = w.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name":     "spare",
		"provider": "custom",
		"type":     "web",
		"custom":   map[string]any{"ip_address": "192.0.2.9"},
	}).Data.ID
	b.role = w.Want(t, http.StatusOK, http.MethodPost, "/roles", map[string]any{"name": "one " + random(t), "permissions": []string{}}).Data.ID
	b.recipe = w.Want(t, http.StatusOK, http.MethodPost, "/recipes", map[string]any{
		"name": "bait", "user": "root",
		"script": "echo " + b.word + "; if test -e /root/armed; then touch " + b.h.RootCanary + "-recipe; fi; exit 1",
	}).Data.ID
	sleeps := w.Want(t, http.StatusOK, http.MethodPost, "/recipes", map[string]any{"name": "sleeps", "user": "root", "script": "sleep infinity"}).Data.ID
	b.run(t, b.recipe, b.h)
	b.event, _ = b.last(t)
	b.settled(t, b.event)
	b.run(t, sleeps, w.Postgres)
	b.running, _ = b.last(t)
	b.h.root(t, "touch", "/root/armed")
	t.Cleanup(func() {
		b.h.root(t, "rm", "-f", "/root/armed")
		if state := b.state(t, b.running); state != "pending" && state != "running" {
			t.Errorf("the owner's recipe was %s", state)
		}
		w.Want(t, http.StatusAccepted, http.MethodPost, w.Postgres.Path("/events/"+b.running+"/cancel"), nil)
		b.settled(t, b.running)
	})
	return b
}

// run has the owner run a recipe on a host.
func (b *bait) run(t testing.TB, recipe string, h *TenantHost) {
	t.Helper()
	b.w.Want(t, http.StatusAccepted, http.MethodPost, "/recipes/"+recipe+"/runs", map[string]any{"servers": []int{integer(t, h.ID)}})
}

// last returns the event of the newest work of the panel, and its state.
func (b *bait) last(t testing.TB) (event, state string) {
	t.Helper()
	row := b.w.Rows(t, "SELECT event_id, state FROM operations WHERE event_id IS NOT NULL ORDER BY id DESC LIMIT 1")
	return row[0][0], row[0][1]
}

func (b *bait) state(t testing.TB, event string) string {
	t.Helper()
	return b.w.Rows(t, "SELECT state FROM operations WHERE event_id = ? ORDER BY id DESC LIMIT 1", event)[0][0]
}

// settled waits for the work of an event, and returns how it ended.
func (b *bait) settled(t testing.TB, event string) string {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		state := b.state(t, event)
		if state != "pending" && state != "running" {
			return state
		}
		if time.Now().After(deadline) {
			t.Fatalf("event %s is %s", event, state)
		}
	}
}

// hire gives the member's role only this permission, and creates a token with only it.
func (b *bait) hire(t testing.TB, member string, p access.Permission) *colleague {
	t.Helper()
	b.w.Want(t, http.StatusOK, http.MethodPut, "/roles/"+b.role, map[string]any{"name": "one " + random(t), "permissions": []access.Permission{p}})
	return &colleague{bait: b, member: b.w.With(member), token: b.w.With(b.hostler(t, "token", "create", "--user", owner, "--scope", string(p)))}
}

// member makes an account with the role, and a token of it that narrows nothing.
func (b *bait) member(t testing.TB) string {
	t.Helper()
	mail := "one" + random(t) + "@example.com"
	b.hostler(t, "user", "create", "--email", mail, "--password-stdin")
	b.w.SQL(t, "INSERT INTO memberships (organization_id, user_id, role_id, created_at, updated_at) SELECT o.id, u.id, ?, 1, 1 FROM organizations o, "+
		"users u WHERE o.slug = ? AND u.email = ?", integer(t, b.role), panel.Org, mail)
	return b.hostler(t, "token", "create", "--user", mail, "--scope", "*")
}

func (b *bait) hostler(t testing.TB, args ...string) string {
	t.Helper()
	cmd := exec.Command(panel.Program(t, "hostler"), append(args, "--data-dir", filepath.Join(b.w.Dir, "data"))...)
	cmd.Stdin = strings.NewReader(password + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("hostler %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// reach is a request that does something to a host, or reads something of one, and the permissions that it takes.
type reach struct {
	needs, method, path string
	body                map[string]any
}

// reaches returns those that colleagues without the permissions try. Each would be noticed: by the canary, a secret in the answer, or work in the panel.
func (b *bait) reaches(t testing.TB) []reach {
	h, touch := b.h, "touch "+b.h.RootCanary+"-reach"
	site, bob := h.Path("/sites/"+h.Alice.Site.ID), h.Path("/sites/"+h.Bob.Site.ID)
	user, other, spare := h.Path("/database/users/"+h.Bob.Account.ID), b.w.Postgres, "/servers/"+b.spare
	return []reach{
		{"recipe:view", "GET", "/recipes/" + b.recipe, nil},
		{"recipe:view recipe:manage", "POST", "/recipes/" + b.recipe + "/runs", map[string]any{"servers": []int{integer(t, h.ID)}}},
		{"recipe:manage", "POST", "/recipes", map[string]any{"name": "mine", "user": "root", "script": touch}},
		{"recipe:manage", "PUT", "/recipes/" + b.recipe, map[string]any{"script": touch}},
		{"server:view recipe:manage", "POST", h.Path("/events/" + b.event + "/retry"), nil},
		{"server:view recipe:manage", "GET", h.Path("/events/" + b.event + "/output"), nil},
		{"server:view recipe:manage", "POST", other.Path("/events/" + b.running + "/cancel"), nil},
		{"server:view site:manage-environment", "GET", bob + "/environment", nil},
		{"server:view site:manage-environment", "GET", bob + "/environment/versions", nil},
		{"site:manage-environment", "PUT", bob + "/environment", map[string]any{"environment": "A=" + b.word + "\n"}},
		{"server:view site:manage-deploys", "GET", bob + "/deployments/deploy-hook", nil},
		{"server:view", "GET", site + "/deployments/script", nil},
		{"site:manage-deploys", "PUT", bob + "/deployments/script", map[string]any{"content": touch + "\n", "auto_source": true}},
		{"site:manage-deploys", "POST", bob + "/deployments", nil},
		{"site:manage-project", "PUT", bob + "/git", map[string]any{
			"source_control_provider": "custom", "repository": "git@git.example.com:a/b.git", "branch": "main",
		}},
		{"site:manage-commands", "POST", bob + "/commands", map[string]any{"command": touch}},
		{"site:manage-commands", "GET", bob + "/files", nil},
		{"site:manage-commands", "GET", bob + "/files/content?path=.env", nil},
		{"site:manage-commands", "GET", bob + "/files/download?path=.env", nil},
		{"site:manage-commands", "PUT", bob + "/files/content", map[string]any{"path": "/x.php", "content": b.word}},
		{"site:manage-commands", "DELETE", bob + "/files/entry?path=/index.html", nil},
		{"site:manage-nginx", "PUT", bob + "/nginx", map[string]any{"config": "server {}"}},
		{"site:manage-nginx recipe:manage", "PUT", bob + "/domains/1/nginx/root", map[string]any{"config": "server {}"}},
		{"server:manage-nginx-templates", "POST", h.Path("/nginx/templates"), map[string]any{"name": "mine", "content": "server { server_name {{SITE}}; }"}},
		{"site:manage-redirects", "POST", bob + "/redirect-rules", map[string]any{"from": "/a", "to": "/b", "type": "redirect"}},
		{"site:manage-security", "POST", bob + "/security-rules", map[string]any{
			"name": "mine", "path": "/", "credentials": []any{map[string]any{"username": "a", "password": "geheim"}},
		}},
		{"site:meta", "POST", bob + "/domains", map[string]any{"name": "mine.example.com", "www_redirect_type": "none", "allow_wildcard_subdomains": false}},
		{"site:create", "POST", h.Path("/sites"), map[string]any{"name": "mine.example.com", "type": "static-html"}},
		{"site:create", "PUT", bob, map[string]any{"directory": "/"}},
		{"site:delete", "DELETE", bob, nil},
		{"server:create-schedulers", "POST", h.Path("/scheduled-jobs"), map[string]any{"name": "mine", "command": touch, "user": "root", "frequency": "minutely"}},
		{"server:create-schedulers", "POST", bob + "/scheduled-jobs", map[string]any{"name": "mine", "command": touch, "user": "root", "frequency": "minutely"}},
		{"server:create-daemons", "POST", h.Path("/background-processes"), map[string]any{"name": "mine", "command": touch, "user": "root", "processes": 1}},
		{"server:create-databases", "PUT", user, map[string]any{"password": b.word}},
		{"server:create-databases", "POST", h.Path("/database/users"), map[string]any{
			"name": "mine", "password": b.word, "database_ids": []int{integer(t, h.Bob.Schema.ID)},
		}},
		{"server:create-databases", "POST", h.Path("/database/schemas/synchronizations"), nil},
		{"server:delete-databases", "DELETE", user, nil},
		{"server:create-backups", "POST", h.Path("/database/backups"), map[string]any{
			"storage_provider_id": 1,
			"frequency":           "daily",
			"time":                "02:00",
			"database_ids":        []int{integer(t, h.Bob.Schema.ID)},
			"retention":           5,
		}},
		{"server:manage-services", "PUT", h.Path("/database/password"), map[string]any{"password": b.word}},
		{"server:manage-services", "POST", h.Path("/services/mysql/actions"), map[string]any{"action": "stop"}},
		{"server:manage-services", "POST", h.Path("/actions"), map[string]any{"action": "reboot"}},
		{"server:manage-logs", "GET", h.Path("/logs/system"), nil},
		{"server:manage-logs", "DELETE", bob + "/logs/nginx-access", nil},
		{"server:manage-php", "PUT", h.Path("/php/max-upload-size"), map[string]any{"max_upload_size": 64}},
		{"server:manage-network", "POST", h.Path("/firewall-rules"), map[string]any{"name": "mine", "port": "9000", "type": "allow"}},
		{"server:manage-packages", "POST", bob + "/composer/credentials", map[string]any{"repository": "mine.example.com", "username": "a", "password": "b"}},
		{"server:manage-meta", "PUT", spare, map[string]any{"name": "mine"}},
		{"server:create", "POST", "/servers", map[string]any{
			"name":     "mine",
			"provider": "custom",
			"type":     "web",
			"custom":   map[string]any{"ip_address": h.Host.IP, "ssh_port": 2222},
		}},
		{"server:delete", "DELETE", spare, nil},
		{"server:manage-services", "POST", h.Path("/upgrades"), map[string]any{"security_only": true}},
		{"server:transfer", "POST", h.Path("/transfer"), map[string]any{"to": panel.Org, "force": true}},
		{"server:archive", "POST", "/servers/archives", map[string]any{"server_id": integer(t, h.ID)}},
		{"server:create-monitors", "POST", h.Path("/monitors"), map[string]any{"type": "disk", "operator": "gte", "threshold": 90, "notify": "a@example.com"}},
		{"organization:manage", "POST", "/backup-keys/export", map[string]any{"password": password}},
	}
}

// refused tries everything that the permission does not suffice for, in both ways. What it suffices for is a separate case.
func (c *colleague) refused(t testing.TB, p access.Permission) {
	t.Helper()
	before, _ := c.last(t)
	for _, r := range c.reaches(t) {
		if r.needs == string(p) {
			continue
		}
		for who, as := range map[string]*panel.Panel{"member": c.member, "token": c.token} {
			var body any
			if r.body != nil {
				body = r.body
			}
			var a panel.Answer
			hosts.Eventually(t, 2*time.Minute, "the limit of an organization's requests lets one through", func() (err error) {
				if a, err = as.Do(r.method, r.path, body); err == nil && a.Code == http.StatusTooManyRequests {
					err = errors.New("too many attempts")
				}
				return err
			})
			if a.Code != http.StatusForbidden && a.Code != http.StatusNotFound {
				t.Errorf("a %s with %s alone, without %s: %s %s answers %d %.300s", who, p, r.needs, r.method, r.path, a.Code, a.Body)
			}
			if strings.Contains(a.Body, c.word) || strings.Contains(a.Body, c.h.Bob.Secret) {
				t.Errorf("a %s with %s alone reads a secret by %s %s: %s", who, p, r.method, r.path, a.Body)
			}
		}
	}
	if after, _ := c.last(t); after != before && !t.Failed() {
		t.Errorf("with %s alone work was begun: event %s", p, after)
	}
}

// canaries returns those that root made; they are removed.
func (c *colleague) canaries(t testing.TB) string {
	t.Helper()
	return strings.TrimSpace(c.h.root(t, "sh", "-c", `ls -l "$1"* 2>/dev/null; rm -f "$1"*`, "sh", c.h.RootCanary))
}

// does asks as the member for what the permission is for, and waits until it is done.
func (c *colleague) does(t testing.TB, method, path string, body any) panel.Answer {
	t.Helper()
	a, err := c.member.Do(method, path, body)
	if err != nil || a.Code != http.StatusAccepted && a.Code != http.StatusOK && a.Code != http.StatusNoContent {
		t.Fatalf("%s %s: %v %d %s", method, path, err, a.Code, a.Body)
	}
	event := a.Header.Get("X-Hostler-Event")
	if event == "" {
		event, _ = c.last(t)
	}
	if state := c.settled(t, event); state != "succeeded" {
		t.Errorf("%s %s of the member %s", method, path, state)
	}
	return a
}

// owner returns the owner's client, for setup and cleanup.
func (c *colleague) owner(t testing.TB, method, path string, body any) panel.Answer {
	t.Helper()
	return (&colleague{bait: c.bait, member: c.w.Panel}).does(t, method, path, body)
}

// denied asks in both ways for what the permission is named for but does not include.
func (c *colleague) denied(t testing.TB, method, path string, body any) {
	t.Helper()
	for who, as := range map[string]*panel.Panel{"member": c.member, "token": c.token} {
		a, err := as.Do(method, path, body)
		if err != nil {
			t.Fatal(err)
		}
		if a.Code != http.StatusUnprocessableEntity && a.Code != http.StatusForbidden && a.Code != http.StatusNotFound {
			t.Errorf("the %s: %s %s with %v answers %d %.300s", who, method, path, body, a.Code, a.Body)
		}
	}
}

// table returns what docs/security.md lists for each permission alone.
func table(t testing.TB) map[access.Permission]string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(raw), "<!-- powers -->\n")
	rest, _, _ = strings.Cut(rest, "<!-- /powers -->")
	out := map[access.Permission]string{}
	for line := range strings.Lines(rest) {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| `") && len(cells) == 4 {
			out[access.Permission(strings.Trim(cells[0], "|` "))] = cells[1]
		}
	}
	return out
}

// Each permission that reaches a host, alone: a member with it can do there what docs/security.md says, and nothing else; it is
// root exactly where the table says so. Permissions that reach no host are refused everything.
func TestMemberWithOnePermission(t *testing.T) {
	w := tenantWorld(t)
	b := newBait(t, w)
	member, says := b.member(t), table(t)
	tried := map[access.Permission]bool{}
	for _, tt := range powers {
		tried[tt.permission] = true
	}
	for _, tt := range tenth(t, powers) {
		t.Run(fmt.Sprint(tt.permission, " wants ", tt.wants), func(t *testing.T) {
			began, c := time.Now(), b.hire(t, member, tt.permission)
			c.refused(t, tt.permission)
			if made := c.canaries(t); made != "" {
				t.Errorf("with %s alone root was made to act by what was refused: %s", tt.permission, made)
			}
			if tt.try != nil {
				tt.try(c, t)
			}
			made := c.canaries(t)
			// which is root on servers that are not there yet
			if root := strings.Contains(says[tt.permission], "**root**"); root != (made != "") && tt.permission != access.ServerCreate {
				t.Errorf("docs/security.md says %q of %s; root made %q", says[tt.permission], tt.permission, made)
			}
			t.Logf("after %v", time.Since(began).Round(time.Millisecond))
		})
	}
	t.Run("what reaches no host wants everything", func(t *testing.T) {
		for _, p := range access.All() {
			if tried[p] || says[p] == "" {
				continue
			}
			if says[p] != "–" {
				t.Errorf("docs/security.md says %q of %s alone, and no case tries it", says[p], p)
			}
			b.hire(t, member, p).refused(t, p)
		}
	})
	if len(says) != len(access.All()) || !slices.Contains(access.All(), powers[0].permission) {
		t.Errorf("the table has %d of %d permissions", len(says), len(access.All()))
	}
	w.unharmed(t)
}
