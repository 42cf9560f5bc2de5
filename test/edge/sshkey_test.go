package edge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
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
		want := map[string]any{"name": "work", "user": "forge", "status": "installing", "created_by": a.At("data", "attributes", "created_by"),
			"created_at": "2026-03-01T12:00:00.123456Z", "updated_at": "2026-03-01T12:00:00.123456Z"}
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
		"nothing":          {map[string]any{}, []string{"name", "key"}},
		"an empty name":    {map[string]any{"name": " ", "key": key}, []string{"name"}},
		"two lines":        {map[string]any{"name": "a\nb", "key": key}, []string{"name"}},
		"no key":           {map[string]any{"name": "a", "key": "hello"}, []string{"key"}},
		"options":          {map[string]any{"name": "a", "key": `command="id" ` + key}, []string{"key"}},
		"a private key":    {map[string]any{"name": "a", "key": string(private)}, []string{"key"}},
		"a second key":     {map[string]any{"name": "a", "key": key + "\n" + key}, []string{"key"}},
		"Hostler's own":    {map[string]any{"name": "a", "key": own}, []string{"key"}},
		"no account":       {map[string]any{"name": "a", "key": key, "user": "www-data"}, []string{"user"}},
		"a path as a user": {map[string]any{"name": "a", "key": key, "user": "../root"}, []string{"user"}},
	} {
		t.Run(name, func(t *testing.T) { wantFields(t, w.owner.Post(w.keys(w.mine.server), c.body), c.fields...) })
	}
	w.unchangedSince(before)
	if log := w.owner.Get("/orgs/acme/audit?page[size]=200"); strings.Contains(string(log.Body), "PRIVATE KEY") {
		t.Error("a private key stands in the audit log")
	}
}
