package edge

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// publicKey makes a new public key as people paste it.
func publicKey(t testing.TB) string {
	t.Helper()
	_, public, _, err := host.NewKey("me@laptop")
	if err != nil {
		t.Fatal(err)
	}
	return public
}

func (w *world) keys(server string) string { return "/orgs/acme/servers/" + server + "/ssh-keys" }

func TestKeyIsAdded(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := w.keys(w.mine.server)
		key := publicKey(t)
		a := w.owner.Post(path, map[string]any{"name": " work ", "key": key}).Want(t, 202)
		want := map[string]any{
			"name": "work", "user": "forge", "status": "installing", "created_by": a.At("data", "attributes", "created_by"),
			"created_at": "2026-03-01T12:00:00.123456Z", "updated_at": "2026-03-01T12:00:00.123456Z",
		}
		if diff := cmp.Diff(want, a.At("data", "attributes")); diff != "" || want["created_by"] == nil {
			t.Errorf("attributes (-want +got):\n%s", diff)
		}
		if got := w.owner.Get(path+"/"+a.ID()).Want(t, 200); cmp.Diff(a.At("data"), got.At("data")) != "" {
			t.Errorf("read later: %s", cmp.Diff(a.At("data"), got.At("data")))
		}
		wantFields(t, w.owner.Post(path, map[string]any{"name": "twice", "key": key + "-other-comment"}), "key")
		w.owner.Post(path, map[string]any{"name": "root", "key": key, "user": "root"}).Want(t, 202)
		if got := w.owner.Get(path+"?filter[user]=root").Want(t, 200).IDs(); len(got) != 1 {
			t.Errorf("%d keys of root", len(got))
		}
		w.owner.Delete(path+"/"+a.ID()).Want(t, 202)
		if got := w.owner.Get(path+"/"+a.ID()).Want(t, 200).Text("data", "attributes", "status"); got != "removing" {
			t.Errorf("a key that is removed is %s", got)
		}
		before := w.counts()
		w.owner.Delete(path+"/"+a.ID()).Want(t, 202)
		w.unchangedSince(before)
	})
}

// Options are for administrators of the organization: with the permission to add keys alone they are refused.
func TestKeyIsRestricted(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := w.keys(w.mine.server)
		body := func(options any) map[string]any {
			return map[string]any{"name": "backup", "key": publicKey(t), "options": options}
		}
		a := w.owner.Post(path, body(`Restrict,expiry-time="20301231Z",from="10.0.0.0/8"`)).Want(t, 202)
		const want = `restrict,from="10.0.0.0/8",expiry-time="20301231Z"`
		for _, got := range []string{
			a.Text("data", "meta", "ssh_key", "options"),
			w.owner.Get(path+"/"+a.ID()).Want(t, 200).Text("data", "meta", "ssh_key", "options"),
			w.owner.Get("/orgs/acme/ssh-keys?filter%5Bname%5D=backup").Want(t, 200).Text("data", 0, "attributes", "options"),
		} {
			if got != want {
				t.Errorf("the options are %q, want %q", got, want)
			}
		}
		before := w.counts()
		w.developer.Post(path, body("restrict")).Want(t, 403)
		w.unchangedSince(before)
		// OpenSSH 8.9 refuses a key with an option that it can't read.
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			return tx.SetServerFacts(ctx, query.SetServerFactsParams{ID: number(w.mine.server), Facts: `{"os":"ubuntu","os_version":"22.04"}`})
		})
		wantFields(t, w.owner.Post(path, body(`expiry-time="20301231Z"`)), "options")
		w.owner.Post(path, body(`expiry-time="20301231"`)).Want(t, 202)
		wantFields(t, w.developer.Post(path, body("cert-authority")), "options") // before the permission that valid ones need
		w.developer.Post(path, body("restrict")).Want(t, 403)
		w.developer.Post(path, body("")).Want(t, 202)
		w.developer.Post(path, body(nil)).Want(t, 202)
	})
}

// A removal closes sessions if it is asked to, which the operation keeps for the server.
func TestKeyIsRemovedWithItsSessions(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := w.keys(w.mine.server)
		for query, want := range map[string]string{"": "{}", "?close_sessions=false": "{}", "?close_sessions=true": `{"close_sessions":true}`} {
			id := w.owner.Post(path, map[string]any{"name": "lost", "key": publicKey(t)}).Want(t, 202).ID()
			wantFields(t, w.owner.Delete(path+"/"+id+"?close_sessions=yes"), "close_sessions")
			w.owner.Delete(path+"/"+id+query).Want(t, 202)
			got := ""
			const asked = "SELECT request FROM operations WHERE resource_type = 'keys' AND action = 'delete' AND resource_id = "
			if err := w.App.DB.Reader().QueryRowContext(t.Context(), asked+id).Scan(&got); err != nil || got != want {
				t.Errorf("removed with %q, the operation has %s, %v; want %s", query, got, err, want)
			}
		}
	})
}

// The keys of all servers are one list, in which a key has the same fingerprint wherever it is.
func TestKeysOfAllServers(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		const path = "/orgs/acme/ssh-keys"
		key := "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIHqAFbMJuNJuYSbjiMHuMSIK3RJ1fm6qtjYHNHaEOYN me@laptop"
		const fingerprint = "SHA256:7nM0FpBq2ebGTYJQ8FFigV7/guQ1YivDEl2/Fkuexfs" // as ssh-keygen -l says
		ids := map[string]string{}
		for server, user := range map[string]string{w.mine.server: "root", w.mine.engine: "forge"} {
			ids[server] = w.owner.Post(w.keys(server), map[string]any{"name": "everywhere", "key": key, "user": user}).Want(t, 202).ID()
		}
		a := w.owner.Get(path+"?filter[name]=everywhere").Want(t, 200)
		if got := a.IDs(); len(got) != 2 {
			t.Fatalf("%d keys of all servers: %s", len(got), a.Body)
		}
		for _, one := range a.At("data").([]any) {
			r := one.(map[string]any)
			at := r["attributes"].(map[string]any)
			server := fmt.Sprint(at["server_id"])
			name := w.owner.Get("/orgs/acme/servers/"+server).Text("data", "attributes", "name")
			want := map[string]any{
				"name": "everywhere", "user": map[string]string{w.mine.server: "root", w.mine.engine: "forge"}[server], "status": "installing",
				"options": "", "created_by": at["created_by"], "created_at": "2026-03-01T12:00:00.123456Z", "updated_at": "2026-03-01T12:00:00.123456Z",
				"fingerprint": fingerprint, "server_id": float64(number(server)), "server_name": name,
			}
			if diff := cmp.Diff(want, at); diff != "" || r["id"] != ids[server] || r["type"] != "accessKeys" {
				t.Errorf("key %v on %s (-want +got):\n%s", r["id"], server, diff)
			}
			if self := fmt.Sprint(r["links"]); !strings.Contains(self, w.keys(server)+"/"+ids[server]) {
				t.Errorf("its link is %s", self)
			}
		}
		got := w.owner.Get(path+"?filter[name]=everywhere&filter[server_id]="+w.mine.server).Want(t, 200).IDs()
		if cmp.Diff([]string{ids[w.mine.server]}, got) != "" {
			t.Errorf("keys of one server are %v", got)
		}
		for _, one := range w.stranger.Get("/orgs/other/ssh-keys?page[size]=200").Want(t, 200).IDs() {
			if one == ids[w.mine.server] || one == ids[w.mine.engine] {
				t.Errorf("another organization sees key %s", one)
			}
		}
	})
}

// Of a server that is shared with a team, the keys are listed for its members alone.
func TestKeysOfSharedServers(t *testing.T) {
	t.Parallel()
	s := newShared(New(t, db.SQLite))
	for _, server := range []string{s.mine, s.theirs, s.open} {
		s.owner.Post("/orgs/acme/servers/"+server+"/ssh-keys", map[string]any{"name": "a", "key": publicKey(t)}).Want(t, 202)
	}
	for name, tc := range map[string]struct {
		client *Client
		sees   int
	}{"owner": {s.owner, 3}, "insider": {s.insider, 2}, "outsider": {s.outsider, 1}, "guest": {s.guest, 1}} {
		if got := tc.client.Get("/orgs/acme/ssh-keys").Want(t, 200).IDs(); len(got) != tc.sees {
			t.Errorf("%s sees %v", name, got)
		}
	}
}

func TestKeyIsRefused(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	key := publicKey(t)
	private, _, _, err := host.NewKey("")
	if err != nil {
		t.Fatal(err)
	}
	own := w.owner.Get("/orgs/acme/servers/"+w.mine.server+"/key").Want(t, 200).Text("data", "attributes", "public_key")
	before := w.counts()
	for name, c := range map[string]struct {
		body   any
		fields []string
	}{
		"nothing":               {map[string]any{}, []string{"name", "key"}},
		"an empty name":         {map[string]any{"name": " ", "key": key}, []string{"name"}},
		"two lines":             {map[string]any{"name": "a\nb", "key": key}, []string{"name"}},
		"no key":                {map[string]any{"name": "a", "key": "hello"}, []string{"key"}},
		"options":               {map[string]any{"name": "a", "key": `command="id" ` + key}, []string{"key"}},
		"a private key":         {map[string]any{"name": "a", "key": string(private)}, []string{"key"}},
		"an option that widens": {map[string]any{"name": "a", "key": key, "options": "cert-authority"}, []string{"options"}},
		"a line in an option":   {map[string]any{"name": "a", "key": key, "options": "from=\"10.0.0.1\nssh-ed25519 AAAA\""}, []string{"options"}},
		"a command":             {map[string]any{"name": "a", "key": key, "options": `command="id"`}, []string{"options"}},
		"a time that is over":   {map[string]any{"name": "a", "key": key, "options": `expiry-time="20200101"`}, []string{"options"}},
		"a key in the options":  {map[string]any{"name": "a", "key": key, "options": "restrict " + key}, []string{"options"}},
		"a second key":          {map[string]any{"name": "a", "key": key + "\n" + key}, []string{"key"}},
		"Hostler's own":         {map[string]any{"name": "a", "key": own}, []string{"key"}},
		"no account":            {map[string]any{"name": "a", "key": key, "user": "www-data"}, []string{"user"}},
		"a path as a user":      {map[string]any{"name": "a", "key": key, "user": "../root"}, []string{"user"}},
	} {
		t.Run(name, func(t *testing.T) { wantFields(t, w.owner.Post(w.keys(w.mine.server), c.body), c.fields...) })
	}
	w.unchangedSince(before)
	if log := w.owner.Get("/orgs/acme/audit?page[size]=200"); strings.Contains(string(log.Body), "PRIVATE KEY") {
		t.Error("a private key stands in the audit log")
	}
}
