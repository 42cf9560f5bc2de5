package edge

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// deploySite makes a site with a repository and returns its path and the address of its hook.
func (w *world) deploySite(t *testing.T, name string, more ...any) (path, hook string) {
	t.Helper()
	at := "/orgs/acme/servers/" + w.mine.server + "/sites/"
	path = at + w.owner.Post(w.sites(w.mine.server), static(name,
		append([]any{"repository", "git@git.example.com:team/app.git", "branch", "main", "push_to_deploy", true}, more...)...)).Want(t, 202).ID()
	hook = w.owner.Get(path+"/deployments/deploy-hook").Want(t, 200).At("data", "attributes", "url").(string)
	return path, hook
}

// plain calls an address anonymously, and returns the code and the body.
func plain(t *testing.T, method, url, body string, header ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// deployments returns the types and states of a site's deployments, the oldest first.
func (w *world) deployments(t *testing.T, path string) string {
	t.Helper()
	var out []string
	list, _ := w.owner.Get(path+"/deployments").Want(t, 200).At("data").([]any)
	for _, d := range list {
		a := d.(map[string]any)["attributes"].(map[string]any)
		out = append(out, a["type"].(string)+" "+a["status"].(string))
	}
	return strings.Join(out, ", ")
}

func TestSiteWithRepository(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path, _ := w.deploySite(t, "shop.example.org", "shared_paths", []any{map[string]any{"from": "uploads", "to": "public/uploads"}})
		shown := "/orgs/acme/sites/" + path[strings.LastIndex(path, "/")+1:]
		a := w.owner.Get(shown).Want(t, 200)
		if got := a.At("data", "attributes", "repository", "url"); got != "git@git.example.com:team/app.git" {
			t.Errorf("repository %v", got)
		}
		if a.At("data", "attributes", "zero_downtime_deployments") != true || a.At("data", "attributes", "quick_deploy") != true ||
			a.At("data", "attributes", "shared_paths", "uploads") != "public/uploads" {
			t.Errorf("attributes %s", a.Body)
		}
		t.Run("shared paths are replaced", func(t *testing.T) {
			shared := func(body ...any) any {
				list := []any{}
				for i := 0; i < len(body); i += 2 {
					list = append(list, map[string]any{"from": body[i], "to": body[i+1]})
				}
				w.owner.Put(path, map[string]any{"shared_paths": list}).Want(t, 202)
				return w.owner.Get(shown).Want(t, 200).At("data", "attributes", "shared_paths")
			}
			want := map[string]any{"uploads/": "public/uploads", "data": "data"}
			if got := shared("uploads/", "public/uploads", "data", "data"); !reflect.DeepEqual(got, want) {
				t.Errorf("shared paths %v, not %v", got, want)
			}
			for _, to := range []string{"public/uploads", "/public//uploads/"} {
				moved := []any{map[string]any{"from": "data", "to": "data"}, map[string]any{"from": "elsewhere", "to": to}}
				a := w.owner.Put(path, map[string]any{"shared_paths": moved}).Want(t, 422)
				if !strings.Contains(string(a.Body), `"shared_paths.1.from"`) {
					t.Errorf("moved %s: %s", to, a.Body)
				}
			}
			w.owner.Put(path, map[string]any{"shared_paths": []any{map[string]any{"from": "../out", "to": ".env"}}}).Want(t, 422)
			w.owner.Put(path, map[string]any{"directory": "/web"}).Want(t, 202)
			if got := w.owner.Get(shown).At("data", "attributes", "shared_paths", "data"); got != "data" {
				t.Errorf("another update changed what is shared: %v", got)
			}
			if got := shared(); !reflect.DeepEqual(got, map[string]any{}) {
				t.Errorf("shared paths %v, not none", got)
			}
		})
		if key, _ := w.owner.Get(path+"/deploy-key").Want(t, 200).At("data", "attributes", "key").(string); !strings.HasPrefix(key, "ssh-ed25519 ") {
			t.Errorf("deploy key %q", key)
		}
		if strings.Contains(string(a.Body), "PRIVATE") {
			t.Error("the answer holds the private key")
		}
		if a := w.owner.Get(path+"/deployments/status").Want(t, 200); a.At("data", "attributes", "status") != nil {
			t.Errorf("status before any deployment: %s", a.Body)
		}
		first := w.owner.Post(path+"/deployments", nil).Want(t, 202)
		if first.At("data", "attributes", "status") != "queued" || first.At("data", "attributes", "started_at") != nil {
			t.Errorf("accepted as %s", first.Body)
		}
		w.owner.Post(path+"/deployments", nil).Want(t, 202)
		if got := w.deployments(t, path); got != "manual cancelled, manual queued" {
			t.Errorf("two at once are %q: the newer takes the place of the one that waits", got)
		}
		w.owner.Delete(path+"/deployments/status").Want(t, 202)
		w.owner.Post(path+"/deployments/"+first.ID()+"/rollback", nil).Want(t, 409)
	})
}

// The deploy script that a site began with follows its root directory; one that a person has changed stays.
func TestScriptFollowsTheRootDirectory(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path, _ := w.deploySite(t, "shop.example.org")
		script := func() string {
			return w.owner.Get(path+"/deployments/script").Want(t, 200).At("data", "attributes", "content").(string)
		}
		began := script()
		w.owner.Put(path, map[string]any{"root_path": "/backend"}).Want(t, 202)
		if got := script(); !strings.Contains(got, "/backend\n") {
			t.Errorf("the script is still\n%s", got)
		}
		w.owner.Put(path, map[string]any{"root_path": ""}).Want(t, 202)
		if got := script(); got != began {
			t.Errorf("back at the top the script is\n%s", got)
		}
		w.owner.Put(path+"/deployments/script", map[string]any{"content": began + "echo mine\n"}).Want(t, 200)
		w.owner.Put(path, map[string]any{"root_path": "/backend"}).Want(t, 202)
		if got := script(); got != began+"echo mine\n" {
			t.Errorf("a person's own script became\n%s", got)
		}
	})
}

// A check of a repository is of one repository, branch and key: of another it says nothing.
func TestRepositoryCheck(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path, _ := w.deploySite(t, "shop.example.org")
		state := func() any { return w.owner.Get(path+"/git/check").Want(t, 200).At("data", "attributes", "state") }
		if got := state(); got != nil {
			t.Errorf("a check that nobody asked for is %v", got)
		}
		for i, begins := range []bool{true, false} { // the second is the first
			a := w.owner.Post(path+"/git/check", nil).Want(t, 202)
			if got := a.At("data", "attributes", "state"); got != "pending" || (a.Header.Get("X-Hostler-Event") != "") != begins {
				t.Errorf("check %d that is asked for is %v, with the event %q", i+1, got, a.Header.Get("X-Hostler-Event"))
			}
		}
		// A new host key of the Git server is confirmed by its fingerprint, once no other check runs.
		const key = "SHA256:HvkOXIaIyXi9ULkuGKWd8V7sR8HmrJ9EN1ht0QfMGRU"
		wantFields(t, w.owner.Post(path+"/git/check", map[string]any{"host_key": "the new one"}), "host_key")
		w.owner.Post(path+"/git/check", map[string]any{"host_key": key}).Want(t, 409)
		w.viewer.Get(path+"/git/check").Want(t, 403)
		w.viewer.Post(path+"/git/check", nil).Want(t, 403)
		w.owner.Put(path+"/git", map[string]any{"source_control_provider": "custom", "repository": "git@git.example.com:team/app.git", "branch": "next"}).Want(t, 202)
		if got := state(); got != nil {
			t.Errorf("of another branch, the check is %v", got)
		}
		w.owner.Post(path+"/git/check", map[string]any{"host_key": " " + key + "= "}).Want(t, 202)
		for _, address := range []string{"https://git.example.com/team/app.git", "git@github.com:team/app.git"} {
			w.owner.Put(path+"/git", map[string]any{"source_control_provider": "custom", "repository": address, "branch": "next"}).Want(t, 202)
			wantFields(t, w.owner.Post(path+"/git/check", map[string]any{"host_key": key}), "host_key")
		}
		plain := w.owner.Post(w.sites(w.mine.server), static("plain.example.org")).Want(t, 202).ID()
		w.owner.Post(w.sites(w.mine.server)+"/"+plain+"/git/check", nil).Want(t, 409)
	})
}

// A deploy hook is its own secret: anyone who has it can deploy, and others learn nothing.
func TestDeployHook(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path, hook := w.deploySite(t, "shop.example.org")
		base := hook[:strings.LastIndex(hook, "/")+1]
		before := w.counts()
		_, wrong := plain(t, "GET", base+strings.Repeat("a", 64), "")
		for _, token := range []string{"a", strings.Repeat("0", 64), strings.ToUpper(hook[len(base):]), hook[len(base):] + "0", "%00", strings.Repeat("a", 5000)} {
			if code, body := plain(t, "POST", base+token, ""); code != 404 || body != wrong {
				t.Errorf("token %.70q: %d %s", token, code, body)
			}
		}
		for _, method := range []string{"HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"} {
			if code, _ := plain(t, method, hook, ""); code != 405 {
				t.Errorf("%s: %d", method, code)
			}
		}
		if code, body := plain(t, "GET", hook+"?forge_deploy_branch=other", ""); code != 200 {
			t.Errorf("another branch: %d %s", code, body)
		}
		if code, body := plain(t, "POST", hook, "{}", "X-GitHub-Event", "ping"); code != 200 {
			t.Errorf("a test of the webhook: %d %s", code, body)
		}
		w.unchangedSince(before)
		if code, body := plain(t, "GET",
			hook+"?forge_deploy_branch=main&forge_deploy_commit=abc&forge_deploy_message=why&x=1&utm-source=a.b&payload="+strings.Repeat("x", 2000), ""); code != 202 {
			t.Errorf("GET: %d %s", code, body)
		}
		if got := w.deployments(t, path); got != "hook queued" {
			t.Errorf("deployments %q", got)
		}
		if code, body := plain(t, "POST", hook, "hostler_deploy_branch=main", "Content-Type", "application/x-www-form-urlencoded"); code != 202 {
			t.Errorf("POST: %d %s", code, body)
		}
		fresh := w.owner.Put(path+"/deployments/deploy-hook", nil).Want(t, 200).At("data", "attributes", "url").(string)
		if code, body := plain(t, "GET", hook, ""); fresh == hook || code != 404 || body != wrong {
			t.Errorf("the old hook: %d %s", code, body)
		}
		if code, _ := plain(t, "GET", fresh, ""); code != 202 {
			t.Errorf("the new hook: %d", code)
		}
		w.viewer.Get(path+"/deployments/deploy-hook").Want(t, 403)
	})
}

func sign(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// Guessing at hooks, and excessive use of one, are limited after a while.
func TestHooksAreLimited(t *testing.T) {
	t.Parallel()
	e := NewWith(t, db.SQLite, func(c *app.Config) { c.RateLimit = 300 })
	w := newWorld(e)
	_, hook := w.deploySite(t, "shop.example.org")
	for i := range 60 {
		if code, body := plain(t, "POST", hook, ""); code != 202 {
			t.Fatalf("call %d: %d %s", i+1, code, body)
		}
	}
	if code, body := plain(t, "POST", hook, ""); code != 429 || !strings.Contains(body, "Too Many Attempts.") {
		t.Errorf("one too many for a site: %d %s", code, body)
	}
	for range 239 {
		if code, _ := plain(t, "GET", e.URL+"/deploy/aaaaaaaaaaaaaaaaaaaaaaaa", ""); code != 404 {
			t.Fatalf("a guess: %d", code)
		}
	}
	for _, path := range []string{"/deploy/aaaaaaaaaaaaaaaaaaaaaaaa", "/push/1"} {
		if code, _ := plain(t, "POST", e.URL+path, ""); code != 429 {
			t.Errorf("one too many for an address at %s: %d", path, code)
		}
	}
	e.Clock.Move(time.Minute)
	if code, body := plain(t, "POST", hook, ""); code != 202 {
		t.Errorf("a minute later: %d %s", code, body)
	}
}

// Nothing is believed of a push, and nothing changes, before its signature was checked.
func TestPush(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		path, hook := w.deploySite(t, "shop.example.org", "source_control_provider", "github")
		id, secret := path[strings.LastIndex(path, "/")+1:], hook[strings.LastIndex(hook, "/")+1:]
		url := e.URL + "/push/" + id
		const body = `{"ref":"refs/heads/main","after":"0123456789012345678901234567890123456789",` +
			`"head_commit":{"id":"0123456789012345678901234567890123456789","message":"Fix","author":{"name":"Ada"}}}`
		before := w.counts()
		_, unknown := plain(t, "POST", e.URL+"/push/999999", body, "X-GitHub-Event", "push", "X-Hub-Signature-256", sign(secret, body))
		for name, header := range map[string][]string{
			"none":                {},
			"empty":               {"X-Hub-Signature-256", ""},
			"empty digest":        {"X-Hub-Signature-256", "sha256="},
			"another secret":      {"X-Hub-Signature-256", sign("x", body)},
			"over another body":   {"X-Hub-Signature-256", sign(secret, body+" ")},
			"another provider's":  {"X-Gitlab-Token", secret, "X-Gitlab-Event", "Push Hook"},
			"the older algorithm": {"X-Hub-Signature", "sha1=" + strings.Repeat("0", 40)},
			"bare":                {"X-Hub-Signature-256", strings.TrimPrefix(sign(secret, body), "sha256=")},
		} {
			if code, got := plain(t, "POST", url, body, append(header, "X-GitHub-Event", "push")...); code != 404 || got != unknown {
				t.Errorf("signature %s: %d %s", name, code, got)
			}
		}
		if code, _ := plain(t, "POST", url, strings.Repeat("a", 25<<20+1)); code != 413 {
			t.Errorf("more than 25 MiB: %d", code)
		}
		if got := brokenOff(t, url); !strings.HasPrefix(got, "HTTP/1.1 408 ") {
			t.Errorf("a body that breaks off: %s", got)
		}
		for name, other := range map[string]string{
			"a tag":                         `{"ref":"refs/tags/main"}`,
			"another branch":                `{"ref":"refs/heads/other"}`,
			"a branch with its name inside": `{"ref":"refs/heads/x/refs/heads/main"}`,
			"deleted":                       `{"ref":"refs/heads/main","deleted":true}`,
			"no JSON":                       `ref=refs/heads/main`,
			"null":                          `null`,
		} {
			if code, got := plain(t, "POST", url, other, "X-GitHub-Event", "push", "X-Hub-Signature-256", sign(secret, other)); code != 200 {
				t.Errorf("%s: %d %s", name, code, got)
			}
		}
		if code, _ := plain(t, "POST", url, body, "X-GitHub-Event", "pull_request", "X-Hub-Signature-256", sign(secret, body)); code != 200 {
			t.Errorf("a pull request: %d", code)
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error { // what came is listed, and that is all
			_, err := tx.SQL.ExecContext(ctx, "DELETE FROM push_deliveries")
			return err
		})
		w.unchangedSince(before)
		if code, got := plain(t, "POST", url, body, "X-GitHub-Event", "push", "X-Hub-Signature-256", sign(secret, body)); code != 202 {
			t.Errorf("a push: %d %s", code, got)
		}
		if code, got := plain(t, "POST", url, body, "X-GitHub-Event", "push", "X-Hub-Signature-256", sign(secret, body)); code != 200 {
			t.Errorf("the same again: %d %s", code, got)
		}
		if got := w.deployments(t, path); got != "push queued" {
			t.Errorf("deployments %q", got)
		}
		w.owner.Delete(path+"/deployments/push-to-deploy").Want(t, 202)
		off := body + " "
		if code, _ := plain(t, "POST", url, off, "X-GitHub-Event", "push", "X-Hub-Signature-256", sign(secret, off)); code != 200 ||
			w.deployments(t, path) != "push queued" {
			t.Errorf("a push that is not to be deployed: %d, %q", code, w.deployments(t, path))
		}
	})
}

func TestEnvironmentAndCommands(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		path, _ := w.deploySite(t, "shop.example.org")
		const content = "KEY='a $b `c` \"d\"'\nOTHER=#x\n"
		w.owner.Put(path+"/environment", map[string]any{"environment": content, "encryption_key": "base64:k3y"}).Want(t, 202)
		if a := w.owner.Get(path+"/environment").Want(t, 200); a.At("data", "attributes", "content") != content || strings.Contains(string(a.Body), "k3y") {
			t.Errorf("environment %s", a.Body)
		}
		wantFields(t, w.owner.Put(path+"/environment", map[string]any{"environment": "a\x00b"}), "environment")
		w.owner.Put(path+"/environment", map[string]any{"environment": strings.Replace(content, "#x", "y", 1)}).Want(t, 202)
		versions := w.owner.Get(path+"/environment/versions?sort=-created_at").Want(t, 200)
		if ids := versions.IDs(); len(ids) != 2 || versions.At("data", 0, "attributes", "content") != nil {
			t.Fatalf("versions %s", versions.Body)
		} else if a := w.owner.Get(path+"/environment/versions/"+ids[0]).Want(t, 200); a.At("data", "attributes", "diff") !=
			"@@ -1,2 +1,2 @@\n KEY='a $b `c` \"d\"'\n-OTHER=#x\n+OTHER=y\n" {
			t.Errorf("version %s", a.Body)
		}
		for range 101 { // old versions go, and never what was accepted and is not written yet
			w.owner.Put(path+"/environment", map[string]any{"environment": content}).Want(t, 202)
		}
		if all, err := db.All[query.Environment](t.Context(), e.App.DB.Reader(), "environments", db.Equal("status", "writing")); err != nil || len(all) != 103 {
			t.Errorf("%d versions wait to be written, want 103: %v", len(all), err)
		}
		c := w.owner.Post(path+"/commands", map[string]any{"command": "id; $(id)"}).Want(t, 202)
		if a := w.owner.Get(path+"/commands/"+c.ID()).Want(t, 200); a.At("data", "attributes", "status") != "waiting" ||
			a.At("data", "attributes", "command") != "id; $(id)" {
			t.Errorf("command %s", a.Body)
		}
		wantFields(t, w.owner.Post(path+"/commands", map[string]any{"command": " "}), "command")
		wantFields(t, w.owner.Put(path+"/healthcheck", map[string]any{"healthcheck_endpoint": "http://169.254.169.254/"}), "healthcheck_endpoint")
		wantFields(t, w.owner.Put(path+"/healthcheck", map[string]any{"healthcheck_endpoint": "http://shop.example.org:8080/"}), "healthcheck_endpoint")
		w.owner.Put(path+"/healthcheck", map[string]any{"healthcheck_endpoint": "https://shop.example.org/up?x=1"}).Want(t, 204)
		w.owner.Put(path+"/git", map[string]any{"source_control_provider": "github", "repository": "acme/app", "branch": "next"}).Want(t, 202)
		wantFields(t, w.owner.Put(path+"/git", map[string]any{
			"source_control_provider": "custom", "repository": "ext::sh", "branch": "a..b",
		}), "repository", "branch")
	})
}

// A push of GitHub's default content type deploys; each delivery is listed with what came of it, and a wrong signature only once.
func TestPushesAreListed(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path, hook := w.deploySite(t, "shop.example.org")
		url, secret := w.URL+"/push/"+path[strings.LastIndex(path, "/")+1:], hook[strings.LastIndex(hook, "/")+1:]
		sign := func(body string) string {
			mac := hmac.New(sha256.New, []byte(secret))
			mac.Write([]byte(body))
			return hex.EncodeToString(mac.Sum(nil))
		}
		const form = "application/x-www-form-urlencoded"
		body := "payload=%7B%22ref%22%3A+%22refs%2Fheads%2Fmain%22%2C+%22after%22%3A+%22bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb%22%2C+%22deleted%22%3A+false%2C+" +
			"%22head_commit%22%3A+%7B%22id%22%3A+%22bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb%22%2C+%22message%22%3A+%22Fix+the+shop%22%7D%7D"
		for range 2 {
			if code, got := plain(t, "POST", url, body, "X-GitHub-Event", "push", "Content-Type", form, "X-Hub-Signature-256",
				"sha256="+strings.Repeat("0", 64)); code != 404 {
				t.Errorf("a wrong signature: %d %s", code, got)
			}
		}
		if code, got := plain(t, "POST", url, body, "X-GitHub-Event", "push", "Content-Type", form, "X-Hub-Signature-256", "sha256="+sign(body)); code != 202 {
			t.Errorf("a form: %d %s", code, got)
		}
		if code, got := plain(t, "POST", url, body, "X-GitHub-Event", "push", "Content-Type", form, "X-Hub-Signature-256", "sha256="+sign(body)); code != 200 {
			t.Errorf("the same again: %d %s", code, got)
		}
		gone := `{"ref":"refs/heads/main","after":"0000000000000000000000000000000000000000","head_commit":null}`
		if code, got := plain(t, "POST", url, gone, "X-Gitea-Event", "push", "X-Gitea-Signature", sign(gone)); code != 200 ||
			!strings.Contains(got, "branch was deleted") {
			t.Errorf("a deleted branch: %d %s", code, got)
		}
		hash := strings.Repeat("c", 40)
		lab := `{"object_kind":"push","ref":"refs/heads/other","after":"` + hash + `","checkout_sha":"` + hash + `"}`
		if code, got := plain(t, "POST", url, lab, "X-Gitlab-Event", "Push Hook", "X-Gitlab-Token", secret); code != 200 {
			t.Errorf("GitLab: %d %s", code, got)
		}
		if got := w.deployments(t, path); got != "push queued" {
			t.Errorf("deployments %q", got)
		}
		list := w.viewer.Get(path+"/deployments/pushes?sort=created_at").Want(t, 200)
		var got []string
		for i := range list.IDs() {
			of := func(name string) string { return list.Text("data", i, "attributes", name) }
			got = append(got, of("sender")+" "+of("verdict")+" "+of("reason"))
		}
		want := "github refused The signature is wrong. The webhook's secret (at GitLab its secret token, at Gitee its password) " +
			"is the last part of the site's deploy hook. GitLab's signing token is shown with the deploy hook.\n" +
			"github deployed \ngithub ignored This push was already received.\ngitea ignored The branch was deleted.\ngitlab ignored The site deploys another branch."
		if strings.Join(got, "\n") != want {
			t.Errorf("listed are\n%s", strings.Join(got, "\n"))
		}
	})
}

// brokenOff sends a request whose body ends before its length, and returns the answer.
func brokenOff(t *testing.T, to string) string {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Length: 100\r\n\r\n{", u.RequestURI(), u.Host); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
