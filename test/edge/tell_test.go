package edge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// What another organization, or another account, already has makes no difference to an answer: neither its status nor its errors tell that it is there.
func TestAnswersDoNotTellOfOthers(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	servers := "/orgs/acme/servers"
	others := w.stranger.Get("/orgs/other/servers/"+w.foreign.server).Want(t, 200).Text("data", "attributes", "ip_address")
	key := publicKey(t)
	w.stranger.Post("/orgs/other/servers/"+w.foreign.server+"/ssh-keys", map[string]any{"name": "shared", "key": key}).Want(t, 202)
	w.openRegistration()
	at := func(ip string) any { return map[string]any{"ip_address": ip} }
	site := servers + "/" + w.mine.server + "/sites"
	for what, c := range map[string]struct {
		client       *Client
		path         string
		body         map[string]any
		field        string
		taken, other any
	}{
		"the address of a server": {
			w.owner, servers,
			map[string]any{"name": "new", "provider": "custom", "type": "app"}, "custom", at(others), at(address()),
		},
		"the name of a server": {w.owner, servers + "?force=true", serverBody("", "app"), "name", "three", "unheard"},
		"the name of a site": {
			w.owner, site,
			map[string]any{"type": "static-html"}, "name", "three.example.com", "unheard.example.com",
		},
		"a second name of a site": {
			w.owner, site + "/" + w.mine.site + "/domains",
			map[string]any{"www_redirect_type": "none", "allow_wildcard_subdomains": false}, "name", "three-too.example.com", "unheard-too.example.com",
		},
		"an SSH key": {
			w.owner, servers + "/" + w.mine.server + "/ssh-keys",
			map[string]any{"name": "new"}, "key", key, publicKey(t),
		},
		"a team": {w.owner, "/orgs/acme/teams", map[string]any{}, "name", "team three", "unheard"},
		"a role": {
			w.owner, "/orgs/acme/roles",
			map[string]any{"permissions": []string{"server:view"}}, "name", "role three", "unheard",
		},
		"a recipe": {
			w.owner, "/orgs/acme/recipes",
			map[string]any{"user": "root", "script": "uptime"}, "name", "three", "unheard",
		},
		"an account at a provider": {
			w.owner, "/orgs/acme/server-credentials",
			map[string]any{"name": "new", "provider": "hetzner"}, "secret", "s3cret-three", "s3cret-unheard",
		},
		"a directory of a storage": {w.owner, "/orgs/acme/storage-providers", storageBody("new"), "directory", "three", "unheard"},
		"a DNS provider":           {w.owner, "/orgs/acme/dns-providers", dnsProviderBody(""), "name", "three", "unheard"},
		"a nginx template": {
			w.owner, servers + "/" + w.mine.server + "/nginx/templates",
			map[string]any{"content": "server {\n    server_name {{DOMAINS}};\n}\n"}, "name", "three", "unheard",
		},
		"a repository's credential": {
			w.owner, site + "/" + w.mine.site + "/composer/credentials",
			map[string]any{"username": "anna", "password": "x"}, "repository", "three.example.com", "unheard.example.com",
		},
		"an invited account": {
			w.owner, "/orgs/acme/invites",
			map[string]any{"role_id": 4}, "email", w.users["stranger"].Email, "unheard@example.com",
		},
		"an invited address": {
			w.owner, "/orgs/acme/invites",
			map[string]any{"role_id": 4}, "email", "three@invited.example.com", "unheard2@example.com",
		},
		"a notified account": {w.owner, w.monitors(w.mine.server), monitorBody(), "notify", w.users["stranger"].Email, "unheard@example.com"},
		"an account that signs up": {
			w.As(""), "/auth/sign-up",
			map[string]any{"name": "new", "password": password}, "email", w.users["stranger"].Email, "unheard3@example.com",
		},
		"a forgotten password": {
			w.As(""), "/auth/password/forgot",
			map[string]any{}, "email", w.users["stranger"].Email, "unheard@example.com",
		},
	} {
		ask := func(v any) string {
			body := map[string]any{}
			for k, v := range c.body {
				body[k] = v
			}
			body[c.field] = v
			a := c.client.Post(c.path, body)
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
}
