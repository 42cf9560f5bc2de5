package edge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/test/githost"
)

// What another organization, or another account, already has makes no difference to an answer: neither its status nor its errors tell that it is there.
func TestAnswersDoNotTellOfOthers(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	servers := "/orgs/acme/servers"
	others := w.stranger.Get("/orgs/other/servers/"+w.foreign.server).Want(t, 200).Text("data", "attributes", "ip_address")
	key := publicKey(t)
	w.stranger.Post("/orgs/other/servers/"+w.foreign.server+"/ssh-keys", map[string]any{"name": "shared", "key": key}).Want(t, 202)
	w.executes("INSERT INTO recipients (organization_id, email, token_hash, asked_at, confirmed_at) VALUES ($1, 'theirs@example.com', '', 0, 1)", w.otherOrg.ID)
	w.stranger.Post("/orgs/other/roles", map[string]any{"name": "role of others", "permissions": []string{"server:view"}}).Want(t, 200)
	w.openRegistration()
	at := func(ip string) any { return map[string]any{"ip_address": ip} }
	site := servers + "/" + w.mine.server + "/sites"
	for what, c := range map[string]struct {
		client       *Client
		path         string // of a POST, or after its method
		body         map[string]any
		field        string
		taken, other any
	}{
		"the address of a server": {
			w.owner, servers,
			map[string]any{"name": "new", "provider": "custom", "type": "app"},
			"custom", at(others), at(address()),
		},
		"the name of a server": {w.owner, servers + "?force=true", serverBody("", "app"), "name", "three", "unheard"},
		"the name of a site": {
			w.owner, site,
			map[string]any{"type": "static-html"},
			"name", "three.example.com", "unheard.example.com",
		},
		"a second name of a site": {
			w.owner, site + "/" + w.mine.site + "/domains",
			map[string]any{"www_redirect_type": "none", "allow_wildcard_subdomains": false},
			"name", "three-too.example.com", "unheard-too.example.com",
		},
		"an SSH key": {
			w.owner, servers + "/" + w.mine.server + "/ssh-keys",
			map[string]any{"name": "new"},
			"key", key, publicKey(t),
		},
		"a team": {w.owner, "/orgs/acme/teams", map[string]any{}, "name", "team three", "unheard"},
		"a role": {
			w.owner, "/orgs/acme/roles",
			map[string]any{"permissions": []string{"server:view"}},
			"name", "role three", "unheard",
		},
		"a recipe": {
			w.owner, "/orgs/acme/recipes",
			map[string]any{"user": "root", "script": "uptime"},
			"name", "three", "unheard",
		},
		"an account at a provider": {
			w.owner, "/orgs/acme/server-credentials",
			map[string]any{"name": "new", "provider": "hetzner"},
			"secret", "s3cret-three", "s3cret-unheard",
		},
		"a directory of a storage": {w.owner, "/orgs/acme/storage-providers", storageBody("new"), "directory", "three", "unheard"},
		"a DNS provider":           {w.owner, "/orgs/acme/dns-providers", dnsProviderBody(""), "name", "three", "unheard"},
		"a nginx template": {
			w.owner, servers + "/" + w.mine.server + "/nginx/templates",
			map[string]any{"content": "server {\n    server_name {{DOMAINS}};\n}\n"},
			"name", "three", "unheard",
		},
		"a repository's credential": {
			w.owner, site + "/" + w.mine.site + "/composer/credentials",
			map[string]any{"username": "anna", "password": "x"},
			"repository", "three.example.com", "unheard.example.com",
		},
		"an invited account": {
			w.owner, "/orgs/acme/invites",
			map[string]any{"role_id": 4},
			"email", w.users["stranger"].Email, "unheard@example.com",
		},
		"an invited address": {
			w.owner, "/orgs/acme/invites",
			map[string]any{"role_id": 4},
			"email", "three@invited.example.com", "unheard2@example.com",
		},
		"the address of a webhook": {
			w.owner, site + "/" + w.mine.site + "/webhooks",
			map[string]any{},
			"url", "https://three.example.com/hook", "https://unheard.example.com/hook",
		},
		"the address of a channel": {
			w.owner, "/orgs/acme/notification-channels",
			map[string]any{"name": "new", "type": "mail", "events": []string{"backup.failed"}},
			"address", "theirs@example.com", "unheard4@example.com",
		},
		"an account at a Git provider": {
			w.owner, "/orgs/acme/source-control-providers",
			map[string]any{"provider": "github", "token": githost.Token},
			"name", "three", "unheard",
		},
		"a program": {
			w.owner, "/orgs/acme/oauth-clients",
			map[string]any{
				"name":   "new",
				"scopes": []string{"server:view"},
			},
			"redirect_uris",
			[]string{"https://app.example.com/back"},
			[]string{"https://unheard.example.com/back"},
		},
		"the new name of a role": {
			w.owner, "PUT /orgs/acme/roles/" + w.mine.role,
			map[string]any{"permissions": []string{"server:view"}},
			"name", "role of others", "unheard too",
		},
		"the new name of a recipe": {
			w.owner, "PUT /orgs/acme/recipes/" + w.mine.recipe,
			map[string]any{"user": "root", "script": "uptime"},
			"name", "three", "unheard too",
		},
		"the new name of an account at a provider": {
			w.owner, "PUT /orgs/acme/server-credentials/" + w.mine.credential,
			map[string]any{},
			"name", "three", "unheard too",
		},
		"the new name of an account at a Git provider": {
			w.owner, "PUT /orgs/acme/source-control-providers/" + w.mine.source,
			map[string]any{},
			"name", "three", "unheard too",
		},
		"the new address of a channel": {
			w.owner, "PUT /orgs/acme/notification-channels/" + w.mine.channel,
			map[string]any{"name": "new", "events": []string{"backup.failed"}, "enabled": true},
			"address", "theirs@example.com", "unheard5@example.com",
		},
		"a notified account": {w.owner, w.monitors(w.mine.server), monitorBody(), "notify", w.users["stranger"].Email, "unheard@example.com"},
		"an account that signs up": {
			w.As(""), "/auth/sign-up",
			map[string]any{"name": "new", "password": password},
			"email", w.users["stranger"].Email, "unheard3@example.com",
		},
		"a forgotten password": {
			w.As(""), "/auth/password/forgot",
			map[string]any{},
			"email", w.users["stranger"].Email, "unheard@example.com",
		},
	} {
		ask := func(v any) string {
			body := map[string]any{}
			for k, v := range c.body {
				body[k] = v
			}
			body[c.field] = v
			method, path, put := strings.Cut(c.path, " ")
			if !put {
				method, path = "POST", c.path
			}
			a := c.client.Call(method, path, body)
			if a.Status >= 500 {
				t.Errorf("%s: it is answered with %d", what, a.Status)
			}
			return fmt.Sprint(a.Status, " ", a.At("message"), " ", a.At("errors"), " ", a.At("data", "meta", "recipient"))
		}
		taken, free := ask(c.taken), ask(c.other)
		if taken != free {
			t.Errorf("%s: of what another organization has the answer is %s; of what none has it is %s", what, taken, free)
		}
		if !strings.HasPrefix(free, "20") {
			t.Errorf("%s: a value that no one has is answered with %s", what, free)
		}
	}

	// What is claimed at an address of its own: a certificate of a name that the other has one for, and a port that the other has a rule for.
	domain := map[string]any{"www_redirect_type": "none", "allow_wildcard_subdomains": false}
	claim := func(c *Client, at, name string) string {
		domain["name"] = name
		d := at + "/domains/" + c.Post(at+"/domains", domain).Want(t, 202).ID()
		a := c.Post(d+"/certificates", map[string]any{"type": "letsencrypt"})
		return fmt.Sprint(a.Status, " ", a.At("message"), " ", a.At("errors"), " ", a.At("data", "meta", "operation", "reason"))
	}
	theirs := "/orgs/other/servers/" + w.foreign.server
	claim(w.stranger, theirs+"/sites/"+w.foreign.site, "claimed.example.net")
	mine := site + "/" + w.mine.site
	if taken, free := claim(w.owner, mine, "claimed.example.net"), claim(w.owner, mine, "unclaimed.example.net"); taken != free ||
		!strings.HasPrefix(free, "202") {
		t.Errorf("a certificate of a name that another organization has one for is answered with %s, of a free one with %s", taken, free)
	}
	rule := func(c *Client, at, port string) string {
		a := c.Post(at+"/firewall-rules", map[string]any{"name": "port " + port, "port": port, "type": "allow"})
		return fmt.Sprint(a.Status, " ", a.At("message"), " ", a.At("errors"))
	}
	rule(w.stranger, theirs, "8125")
	if taken, free := rule(w.owner, servers+"/"+w.mine.server, "8125"), rule(w.owner, servers+"/"+w.mine.server, "8126"); taken != free ||
		!strings.HasPrefix(free, "202") {
		t.Errorf("a port that another organization has a rule for is answered with %s, a free one with %s", taken, free)
	}
}
