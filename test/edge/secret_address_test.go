package edge

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// kept is an update that can leave a sealed secret out.
type kept struct {
	// path and body are an update that changes nothing; secret is the field that is left out, and typed a value for it.
	path, secret string
	body         map[string]any
	typed        any
	// address are the fields that say where the secret is sent, each with another value; others says of the rest why they don't.
	address map[string]any
	others  map[string]string
}

// A secret goes only to the place that it was entered for: who may change the address of a credential, a channel or a storage may not know its secret, and
// could have it sent to a server of their own.
func TestASecretGoesOnlyWhereItWasTypedFor(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	onSite := "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site
	ntfy := w.owner.Post("/orgs/acme/notification-channels", map[string]any{
		"name": "ours", "type": "ntfy", "url": "https://ntfy.example.com", "topic": "alerts", "token": "tk_geheim", "events": []string{"drift.found"},
	}).Want(t, 201).ID()
	telegram := w.owner.Post("/orgs/acme/notification-channels", map[string]any{
		"name": "bot", "type": "telegram", "token": "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11", "chat": "@acme_ops", "events": []string{"drift.found"},
	}).Want(t, 201).ID()
	const label, never = "a name that Hostler shows", "the secret is checked against what others send, and never sent"
	const account = "the secret is for an account on the organization's own server, which Hostler finds by its pinned host key"
	all := map[string][]kept{
		"organizations.servers.sites.composer.credentials.update": {{
			path: onSite + "/composer/credentials/" + w.mine.composer, secret: "password", typed: "another", body: map[string]any{
				"repository": w.mine.composer, "username": "anna", "password": "",
			},
			address: map[string]any{"repository": "evil.example.net", "username": "eve"},
		}},
		"organizations.servers.sites.npm.credentials.update": {{
			path: onSite + "/npm/credentials/" + w.mine.npm, secret: "token", typed: "another", body: map[string]any{
				"registry": w.mine.npm, "token": "", "scopes": []string{"@acme"},
			},
			address: map[string]any{"registry": "evil.example.net", "scopes": []string{"@acme", "@other"}},
		}},
		"organizations.dns-providers.update": {{
			path: "/orgs/acme/dns-providers/" + w.mine.dnsProvider, secret: "secret", body: map[string]any{},
			address: map[string]any{"nameserver": "203.0.113.66", "key": "eve."},
			others:  map[string]string{"name": label, "algorithm": "how the key signs, and not for whom"},
		}},
		"organizations.notification-channels.update": {
			{
				path: "/orgs/acme/notification-channels/" + ntfy, secret: "token", typed: "tk_another", body: map[string]any{},
				address: map[string]any{"url": "https://evil.example.net", "topic": "evil"},
				others:  map[string]string{"name": label, "events": "what is reported, and not to whom", "enabled": "whether anything is sent"},
			},
			{
				path: "/orgs/acme/notification-channels/" + telegram, secret: "token", typed: "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew12", body: map[string]any{},
				address: map[string]any{"chat": "@evil"},
				others:  map[string]string{"address": "of mail, which has no secret"},
			},
		},
		"organizations.server-credentials.update": {{
			path: "/orgs/acme/server-credentials/" + w.mine.credential, secret: "secret", body: map[string]any{},
			address: map[string]any{"key": "another"}, others: map[string]string{"name": label},
		}},
		"organizations.source-control-providers.update": {{
			path: "/orgs/acme/source-control-providers/" + w.mine.source, secret: "token", body: map[string]any{},
			address: map[string]any{"username": "eve"}, others: map[string]string{"name": label},
		}},
		"organizations.storage-providers.update": {{
			path: "/orgs/acme/storage-providers/" + w.mine.storage, secret: "secret_key", typed: "s3cret",
			body: map[string]any{"name": "storage one", "provider": "custom"},
			address: map[string]any{
				"endpoint": "https://evil.example.net", "bucket": "evil", "access_key": "evil",
				"host_key": nil, "provider": nil, "region": nil, // of SFTP and of known providers: below
			},
			others: map[string]string{
				"name": label, "directory": "a part of the same bucket", "assume_role": "refused always", "use_ec2_assumed_role": "refused always",
			},
		}},
		"organizations.servers.database.password.update":   {{others: map[string]string{"database": account, "username": account}}},
		"organizations.servers.database.users.update":      {{others: map[string]string{"database_ids": account, "read_only": account}}},
		"organizations.servers.sites.environment.update":   {{others: map[string]string{"cache": account, "queues": account}}},
		"organizations.servers.sites.files.content.update": {{others: map[string]string{"path": account, "revision": account}}},
		"organizations.servers.sites.git.update": {{others: map[string]string{
			"source_control_provider": "a deploy key signs, and is never sent", "source_control_provider_id": "the connection's token goes to the connection's address",
			"repository": "below the address of the connection, or reached with a deploy key, which is never sent", "branch": "of the repository",
			"per_account_public_key": "the other half of the key",
		}}},
		"organizations.servers.sites.security-rules.update": {{others: map[string]string{"name": label, "path": never, "credentials": never}}},
		"organizations.servers.sites.webhooks.update":       {{}}, // the address is the secret itself
		"user.password.update":                              {{others: map[string]string{"end_sessions": never, "revoke_tokens": never}}},
	}
	asked := w.secretUpdates()
	if missing := slices.Sorted(maps.Keys(asked)); !slices.Equal(missing, slices.Sorted(maps.Keys(all))) {
		t.Errorf("updates with secrets are %v, and known are %v", missing, slices.Sorted(maps.Keys(all)))
	}
	for operation, fields := range asked {
		answered := map[string]bool{}
		for _, k := range all[operation] {
			for field, value := range k.address {
				answered[field] = true
				if value == nil {
					continue
				}
				wantTyped(t, w, k, map[string]any{field: value})
			}
			for field := range k.others {
				answered[field] = true
			}
			if k.typed != nil { // what changes nothing needs no secret, and with it the address can change
				w.put(k.path, k.body)
			}
		}
		for field, secret := range fields {
			if !secret && !answered[field] {
				t.Errorf("%s: does %s change where the secret is sent?", operation, field)
			}
		}
	}
	storage := all["organizations.storage-providers.update"][0]
	wantTyped(t, w, storage, map[string]any{"provider": "hetzner", "region": "fsn1"})
	for _, k := range slices.Concat(all["organizations.servers.sites.npm.credentials.update"], all["organizations.notification-channels.update"]) {
		body := maps.Clone(k.body)
		maps.Copy(body, k.address)
		body[k.secret] = k.typed
		w.put(k.path, body)
	}
}

// wantTyped tries a change that leaves the secret out.
func wantTyped(t *testing.T, w *world, k kept, change map[string]any) {
	t.Helper()
	body := maps.Clone(k.body)
	maps.Copy(body, change)
	a := w.owner.Put(k.path, body)
	said, _ := a.At("errors", k.secret, 0).(string)
	if a.Status != 422 || !strings.Contains(said, "is required because the ") {
		t.Errorf("PUT %s %v: %d %s", k.path, body, a.Status, a.Body)
	}
}

// secretUpdates returns the fields of updates whose requests have secrets, and which of them are secrets alone.
func (w *world) secretUpdates() map[string]map[string]bool {
	w.T.Helper()
	var d struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(w.owner.Get("/openapi.json").Want(w.T, 200).Body, &d); err != nil {
		w.T.Fatal(err)
	}
	type schema struct {
		Properties map[string]json.RawMessage
	}
	// secret reports whether a value is a secret, or has one in it.
	var secret func(raw json.RawMessage) (is, has bool)
	secret = func(raw json.RawMessage) (is, has bool) {
		var s map[string]json.RawMessage
		if json.Unmarshal(raw, &s) != nil {
			return false, false
		}
		if string(s[api.SecretExtension]) == "true" {
			return true, true
		}
		if ref, ok := s["$ref"]; ok {
			_, name, _ := strings.Cut(strings.Trim(string(ref), `"`), "schemas/")
			return secret(d.Components.Schemas[name])
		}
		var of schema
		_ = json.Unmarshal(raw, &of)
		parts := slices.Collect(maps.Values(of.Properties))
		if items, ok := s["items"]; ok {
			parts = append(parts, items)
		}
		for _, part := range parts {
			if _, inside := secret(part); inside {
				return false, true
			}
		}
		return false, false
	}
	out := map[string]map[string]bool{}
	for _, item := range d.Paths {
		for _, method := range []string{"put", "patch"} {
			var op struct {
				ID   string `json:"operationId"`
				Body struct {
					Content map[string]struct{ Schema json.RawMessage }
				} `json:"requestBody"`
			}
			if item[method] == nil || json.Unmarshal(item[method], &op) != nil {
				continue
			}
			for _, c := range op.Body.Content {
				if _, has := secret(c.Schema); !has {
					continue
				}
				var at struct {
					Ref string `json:"$ref"`
					schema
				}
				_ = json.Unmarshal(c.Schema, &at)
				if name, ok := strings.CutPrefix(at.Ref, "#/components/schemas/"); ok {
					_ = json.Unmarshal(d.Components.Schemas[name], &at.schema)
				}
				fields := map[string]bool{}
				for name, raw := range at.Properties {
					fields[name], _ = secret(raw)
				}
				out[op.ID] = fields
			}
		}
	}
	return out
}
