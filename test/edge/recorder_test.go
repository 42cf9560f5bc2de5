package edge

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// The recorder knows what was sent and shown, and finds it in every form, in both databases.
func TestRecorderFindsSecrets(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site
		ping := w.owner.Get(at+"/heartbeats/"+w.mine.heartbeat).Want(t, 200).Text("data", "attributes", "ping_url")
		token := ping[strings.LastIndexByte(ping, '/')+1:]
		w.owner.Post("/orgs/acme/server-credentials", map[string]any{"name": "the account", "provider": "hetzner", "secret": `qu"ot?ed&t0k3n`}).Want(t, 201)
		known := w.Secrets.all()
		for _, s := range []string{ping, token, "s3cret-one", `qu"ot?ed&t0k3n`, w.owner.Token} {
			if known[s] == "" {
				t.Errorf("%q was not noted", s)
			}
		}
		if known["the account"] != "" {
			t.Error("a name was taken for a secret")
		}
		for name, text := range map[string]string{
			"raw":    token,
			"base64": base64.StdEncoding.EncodeToString([]byte(token)),
			"URL":    url.QueryEscape(`qu"ot?ed&t0k3n`),
			"JSON":   `qu\"ot?ed\u0026t0k3n`,
		} {
			w.Tx(func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "leak", "x"+text+"y") })
			found := false
			for _, raw := range databaseBytes(t, w.App.DB, w.App.Config.DataDir) {
				found = found || len(w.Secrets.find(raw)) > 0
			}
			if !found {
				t.Errorf("%s: the leak was not found", name)
			}
		}
		// What was put there is removed again, from the log as well, for the check at the end.
		w.Tx(func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "leak", "") })
		if w.App.DB.Dialect == db.SQLite {
			if _, err := w.App.DB.SQLDB().ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// NeighbourReadsTheAuditLog: who reads who did what learns no address that deploys a site or silences an alarm, and no webhook's.
func TestAuditReaderGetsNoAddress(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site
		hook := w.owner.Put(at+"/deployments/deploy-hook", nil).Want(t, 200).Text("data", "attributes", "url")
		again := w.owner.Put(at+"/deployments/deploy-hook", nil).Want(t, 200).Text("data", "attributes", "url")
		ping := w.owner.Get(at+"/heartbeats/"+w.mine.heartbeat).Want(t, 200).Text("data", "attributes", "ping_url")
		w.owner.Put(at+"/heartbeats/"+w.mine.heartbeat, map[string]any{"name": "Weekly", "frequency": 60, "grace_period": 5}).Want(t, 200)
		const webhook = "https://hooks.example.com/services/T0/B0/pAtHs3cr3t"
		id := w.owner.Post(at+"/webhooks", map[string]any{"url": webhook}).Want(t, 202).ID()
		w.owner.Put("/orgs/acme/servers/"+w.mine.server, map[string]any{"name": "web", "private_ip_address": "10.7.7.7"}).Want(t, 200)
		log := string(w.owner.Get("/orgs/acme/audit?page[size]=200").Want(t, 200).Body) + string(w.owner.Get("/orgs/acme/audit/export").Want(t, 200).Body)
		for _, address := range []string{hook, again, ping, webhook} {
			if len(address) < 20 || strings.Contains(log, address) {
				t.Errorf("the audit log holds %q", address)
			}
		}
		if !strings.Contains(log, `"url":"[redacted]"`) || !strings.Contains(log, `"ping_url":"[redacted]"`) || !strings.Contains(log, "10.7.7.7") {
			t.Errorf("the audit log does not say that addresses were left out, or leaves out what is none: %s", log)
		}
		// A caller who can view but not manage sees a webhook's host, not its address.
		if got := w.viewer.Get(at + "/webhooks/" + id); got.Status == http.StatusOK && got.Text("data", "attributes", "url") != "https://hooks.example.com" {
			t.Errorf("a viewer is shown %s", got.Body)
		}
		if got := w.owner.Get(at+"/webhooks/"+id).Want(t, 200).Text("data", "attributes", "url"); got != webhook {
			t.Errorf("the owner is shown %q", got)
		}
	})
}

// An answer that is repeated for its Idempotency-Key shows no secret: the right to it may be gone since.
func TestRepeatedAnswerShowsNoSecret(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site + "/heartbeats"
		body, key := map[string]any{"name": "Again", "frequency": 60, "grace_period": 5}, Header("Idempotency-Key", "once")
		first := w.owner.Post(at, body, key).Want(t, 200)
		second := w.owner.Post(at, body, key).Want(t, 200)
		if ping := second.Text("data", "attributes", "ping_url"); first.ID() != second.ID() || ping != "[redacted]" ||
			second.At("data", "meta", "secret_shown") != true {
			t.Errorf("repeated: %s", second.Body)
		}
		// The digest of a request is sealed as well: short passwords could be found by trying it.
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		w.Secrets.Note("the digest of a request", digestOf("", raw))
		w.owner.Post(at, map[string]any{"name": "Other", "frequency": 60, "grace_period": 5}, key).Want(t, 409)
	})
}

// digestOf returns the digest that an Idempotency-Key's request is known by.
func digestOf(query string, body []byte) string {
	sum := sha256.Sum256(append([]byte(query+"\n"), body...))
	return hex.EncodeToString(sum[:])
}
