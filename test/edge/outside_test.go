package edge

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/test/githost"
)

// A webhook's secret is shown once, its address is checked and can be changed, and what it was sent can be looked at and sent again.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site + "/webhooks"
		made := w.owner.Post(path, map[string]any{"url": "https://app.example.com/hook?a=b"}).Want(t, 202)
		key, _ := made.At("data", "meta", "shown_once", "secret").(string)
		if !strings.HasPrefix(key, "whsec_") || made.At("data", "attributes", "url") != "https://app.example.com/hook?a=b" {
			t.Errorf("made %s", made.Body)
		}
		at := path + "/" + made.ID()
		if a := w.owner.Get(at).Want(t, 200); strings.Contains(string(a.Body), "whsec_") || strings.Contains(string(w.owner.Get(path).Want(t, 200).Body), "whsec_") {
			t.Errorf("the secret is shown again: %s", a.Body)
		}
		fresh, _ := w.owner.Put(at+"/secret", nil).Want(t, 200).At("data", "meta", "shown_once", "secret").(string)
		if fresh == key || !strings.HasPrefix(fresh, "whsec_") {
			t.Errorf("the new secret is %q", fresh)
		}
		if a := w.owner.Put(at, map[string]any{"url": "https://moved.example.org/hook?c=d"}).Want(t, 200); a.At("data", "attributes", "url") !=
			"https://moved.example.org/hook?c=d" || strings.Contains(string(a.Body), "whsec_") {
			t.Errorf("changed %s", a.Body)
		}
		if a := w.owner.Get(at).Want(t, 200); a.At("data", "attributes", "url") != "https://moved.example.org/hook?c=d" {
			t.Errorf("after the change %s", a.Body)
		}
		if a := w.viewer.Get(path); a.Status == 200 && strings.Contains(string(a.Body), "hook") {
			t.Errorf("a viewer sees more than the host: %s", a.Body)
		}
		w.viewer.Put(at, map[string]any{"url": "https://moved.example.org/"}).Want(t, 403)
		for _, bad := range []string{
			"", "x", "ftp://app.example.com", "http://169.254.169.254/latest/meta-data",
			"https://user:pass@app.example.com/", "http://2130706433/", "http://0x7f.1/", "gopher://app.example.com/_x", "https://app.example.com/#x",
		} {
			wantFields(t, w.owner.Post(path, map[string]any{"url": bad}), "url")
			wantFields(t, w.owner.Put(at, map[string]any{"url": bad}), "url")
		}
		first := w.owner.Post(at+"/deliveries", nil).Want(t, 202)
		if first.At("data", "attributes", "state") != "pending" || first.At("data", "attributes", "event") != "test" ||
			!strings.Contains(first.At("data", "attributes", "payload").(string), `"status":"success"`) {
			t.Errorf("the test is %s", first.Body)
		}
		again := w.owner.Post(at+"/deliveries/"+first.ID()+"/redeliver", nil).Want(t, 202)
		if again.ID() == first.ID() || again.At("data", "attributes", "message_id") != first.At("data", "attributes", "message_id") {
			t.Errorf("sent again: %s", again.Body)
		}
		if ids := w.owner.Get(at+"/deliveries?sort=-created_at").Want(t, 200).IDs(); len(ids) != 2 {
			t.Errorf("deliveries %v", ids)
		}
		w.owner.Get(path+"/"+w.mine.webhook+"/deliveries/"+first.ID()).Want(t, 404) // of another webhook
		w.viewer.Get(at).Want(t, 403)                                               // an address often contains a secret
		w.viewer.Get(at+"/deliveries").Want(t, 403)
		w.owner.Delete(at).Want(t, 202)
		w.owner.Get(at).Want(t, 404)
		w.owner.Delete(at).Want(t, 404)
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			if _, err := tx.Ungranted().GetDelivery(ctx, number(first.ID())); err == nil {
				t.Error("a delivery outlives its webhook")
			}
			return nil
		})
	})
}

// Where private addresses are not allowed, none is taken.
func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	e := NewWith(t, db.SQLite, func(c *app.Config) { c.AllowPrivateEndpoints = false })
	owner := e.User("owner")
	e.Organization("acme", owner)
	c := e.Of(owner)
	for _, u := range []string{"http://127.0.0.1/", "http://localhost:8080/", "http://10.0.0.1/", "http://[::1]/", "http://[::ffff:192.168.0.1]/"} {
		wantFields(t, c.Post("/orgs/acme/notification-channels", map[string]any{"name": "x", "type": "webhook", "url": u, "events": []string{"drift.found"}}), "url")
		wantFields(t, c.Post("/orgs/acme/source-control-providers", map[string]any{"name": "x", "provider": "gitlab-custom", "url": u, "token": "x"}), "url")
	}
	// A name that is one of this machine's is seen when it is called; the fake provider is on this machine too.
	wantFields(t, c.Post("/orgs/acme/source-control-providers", map[string]any{"name": "x", "provider": "github", "token": githost.Token}), "provider")
}

func TestNotificationChannels(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		const path = "/orgs/acme/notification-channels"
		const bot = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"
		for kind, fields := range map[string]map[string]any{
			"mail":     {"address": "ops@example.com"},
			"webhook":  {"url": "https://app.example.com/hook?token=s3cret"},
			"slack":    {"url": "https://hooks.slack.com/services/T00000001/B00000001/s3cretfghijklmnopqrstuvwx"},
			"discord":  {"url": "https://discord.com/api/webhooks/1234567890/s3cretfghijklmnopqrstuvwxyz"},
			"telegram": {"token": bot, "chat": "@acme_ops"},
			"ntfy":     {"topic": "s3cret-topic"},
			"teams":    {"url": "https://prod-1.westeurope.logic.azure.com/workflows/abc?sig=s3cret"},
		} {
			body := map[string]any{"name": "our " + kind, "type": kind, "events": []string{"server.unreachable", "deployment.failed"}}
			for k, v := range fields {
				body[k] = v
			}
			made := w.owner.Post(path, body).Want(t, 201)
			shown, _ := made.At("data", "meta", "shown_once", "secret").(string)
			if text := strings.ReplaceAll(string(made.Body), shown, ""); strings.Contains(text, "s3cret") ||
				strings.Contains(text, bot) || (shown != "") != (kind == "webhook") {
				t.Errorf("%s: made %s", kind, made.Body)
			}
			at := path + "/" + made.ID()
			if a := w.owner.Put(at, map[string]any{
				"name": "renamed", "events": []string{"drift.found"}, "enabled": false,
			}).Want(t, 200); a.At("data", "attributes", "name") != "renamed" || a.At("data", "attributes", "enabled") != false ||
				a.At("data", "attributes", "target") != made.At("data", "attributes", "target") || strings.Contains(string(a.Body), "s3cret") {
				t.Errorf("%s: changed %s", kind, a.Body)
			}
			told := w.owner.Post(at+"/deliveries", nil).Want(t, 202)
			if told.At("data", "attributes", "event") != "test" || strings.Contains(string(told.Body), "s3cret") {
				t.Errorf("%s: the test is %s", kind, told.Body)
			}
		}
		wantFields(t, w.owner.Post(path, map[string]any{"name": " ", "type": "mail", "address": "x", "events": []string{}}), "name", "address", "events")
		wantFields(t, w.owner.Post(path, map[string]any{"name": "x", "type": "ntfy", "events": []string{"drift.found"}}), "topic")
		if log := e.Log.String(); strings.Contains(log, "s3cret") {
			t.Errorf("the log has secrets: %s", log)
		}
	})
}

// A connection is tested before it is stored, its token is never returned, and a site is created through it.
func TestSourceControlProviders(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		const path = "/orgs/acme/source-control-providers"
		wantFields(t, w.owner.Post(path, map[string]any{"name": "x", "provider": "github", "token": "wrong"}), "token")
		wantFields(t, w.owner.Post(path, map[string]any{"name": "x", "provider": "gitlab-custom", "token": "x"}), "url")
		wantFields(t, w.owner.Post(path, map[string]any{"name": "x", "provider": "github", "token": "a\r\nX: y", "url": "https://git.example.com"}), "token", "url")
		own := githost.Start(t, githost.GitLab)
		own.Add("group/team/shop", map[string]string{"main": strings.Repeat("c", 40)})
		made := w.owner.Post(path, map[string]any{
			"name":       "ours",
			"provider":   "gitlab-custom",
			"url":        strings.TrimSuffix(own.URL, "/api/v4"),
			"clone_host": "git.example.com:2222",
			"token":      githost.Token,
		}).Want(t, 201)
		if strings.Contains(string(made.Body), githost.Token) || made.At("data", "attributes", "clone_host") != "git.example.com:2222" {
			t.Errorf("made %s", made.Body)
		}
		at := path + "/" + made.ID()
		wantFields(t, w.owner.Put(at, map[string]any{"token": "wrong"}), "token")
		w.owner.Put(at, map[string]any{"name": "renamed"}).Want(t, 200)

		sites, id := w.sites(w.mine.server), number(made.ID())
		wantFields(t, w.owner.Post(sites, static("a.example.org", "repository", "group/team/none", "source_control_provider_id", id)), "repository")
		wantFields(t, w.owner.Post(sites, static("a.example.org", "repository", "group/team/shop", "branch", "gone", "source_control_provider_id", id)), "branch")
		wantFields(t, w.owner.Post(sites, static("a.example.org", "repository", "group/team/shop", "source_control_provider", "github",
			"source_control_provider_id", id)), "source_control_provider_id")
		wantFields(t, w.owner.Post(sites, static("a.example.org", "repository", "../../user", "source_control_provider_id", id)), "repository")
		site := w.owner.Post(sites, static("shop.example.org", "repository", "group/team/shop", "source_control_provider_id", id,
			"push_to_deploy", true)).Want(t, 202)
		if site.At("data", "attributes", "repository", "url") != "group/team/shop" || site.At("data", "attributes", "repository", "provider") != "gitlab-custom" {
			t.Errorf("the site is %s", site.Body)
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			p, err := tx.Ungranted().GetProject(ctx, number(site.ID()))
			if err == nil && p.URL != "ssh://git@git.example.com:2222/group/team/shop.git" {
				t.Errorf("it is cloned from %s", p.URL)
			}
			return err
		})
		link := "/orgs/acme/servers/" + w.mine.server + "/sites/" + site.ID() + "/source-control"
		if a := w.owner.Get(link).Want(t, 200); a.At("data", "attributes", "state") != "pending" || a.At("data", "attributes", "webhook") != false {
			t.Errorf("the link is %s", a.Body)
		}
		w.owner.Post(link+"/synchronizations", nil).Want(t, 202)
		if a := w.owner.Get(at).Want(t, 200); a.At("data", "attributes", "in_use") != true {
			t.Errorf("in use: %s", a.Body)
		}
		w.owner.Delete(at).Want(t, 409)
		w.owner.Put("/orgs/acme/servers/"+w.mine.server+"/sites/"+site.ID()+"/git", map[string]any{
			"source_control_provider":    "github",
			"source_control_provider_id": number(w.mine.source),
			"repository":                 "team/shop",
			"branch":                     "main",
		}).Want(t, 202)
		w.owner.Delete(at).Want(t, 409)                         // the key and the webhook there are still to be removed
		own.Next(githost.Answer{Status: http.StatusBadGateway}) // unreachable: the site is created nevertheless, and its deployment will report it
		w.owner.Post(sites, static("b.example.org", "repository", "group/team/shop", "source_control_provider_id", id)).Want(t, 202)
		if log := e.Log.String(); strings.Contains(log, githost.Token) {
			t.Errorf("the log has the token: %s", log)
		}
	})
}

// Pushes of all three providers deploy, once, when they are signed and of the branch; what another provider would send does not.
func TestPushesOfProviders(t *testing.T) {
	t.Parallel()
	for _, dialect := range []string{githost.GitHub, githost.GitLab, githost.Bitbucket} {
		t.Run(dialect, func(t *testing.T) {
			t.Parallel()
			w := World(t, db.SQLite)
			path, hook := w.deploySite(t, "shop.example.org", "source_control_provider", dialect)
			url, key := w.URL+"/push/"+path[strings.LastIndex(path, "/")+1:], hook[strings.LastIndex(hook, "/")+1:]
			send := func(name string, req *http.Request, want int) {
				t.Helper()
				resp, err := http.DefaultClient.Do(req)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if resp.StatusCode != want {
					t.Errorf("%s: %d %s, want %d", name, resp.StatusCode, body, want)
				}
			}
			h := githost.Hook{URL: url, Secret: key}
			of := func(dialect, secret, branch string) *http.Request {
				s := githost.Start(t, dialect)
				return s.Push(githost.Hook{URL: url, Secret: secret}, "team/app", branch, strings.Repeat("a", 40))
			}
			before := w.counts()
			if dialect != githost.GitLab { // which sends the secret itself
				send("as "+githost.GitLab, of(githost.GitLab, key, "main"), 404)
			}
			for _, secret := range []string{"", "x", strings.ToUpper(key), key + "0", key[:len(key)-1]} {
				send("with another secret", of(dialect, secret, "main"), 404)
			}
			unsigned := of(dialect, key, "main")
			for name := range unsigned.Header {
				if slices.Contains([]string{"X-Hub-Signature", "X-Hub-Signature-256", "X-Gitlab-Token"}, name) {
					unsigned.Header.Del(name)
				}
			}
			send("unsigned", unsigned, 404)
			send("another branch", of(dialect, key, "another"), 200)
			w.Tx(func(ctx context.Context, tx *db.Tx) error { // what came is listed, and that is all
				_, err := tx.SQL.ExecContext(ctx, "DELETE FROM push_deliveries")
				return err
			})
			w.unchangedSince(before)
			s := githost.Start(t, dialect)
			send("a push", s.Push(h, "team/app", "main", strings.Repeat("a", 40)), 202)
			send("the same again", s.Push(h, "team/app", "main", strings.Repeat("a", 40)), 200)
			if got := w.deployments(t, path); got != "push queued" {
				t.Errorf("deployments %q", got)
			}
			w.owner.Put(path+"/deployments/deploy-hook", nil).Want(t, 200)
			send("with the old secret", s.Push(h, "team/app", "main", strings.Repeat("b", 40)), 404)
		})
	}
}
