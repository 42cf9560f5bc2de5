package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/webhook"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

const (
	key  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	hash = "0123456789012345678901234567890123456789"
)

// received is a message as a receiver has it.
type received struct {
	header http.Header
	body   string
}

// bench is a site with a webhook whose receiver is real, and a queue that works.
type bench struct {
	t        *testing.T
	db       *db.DB
	deployer *deployment.Task
	site     query.Site
	messages chan received
}

func newBench(t *testing.T, dialect db.Dialect) *bench {
	t.Helper()
	b := &bench{t: t, messages: make(chan received, 10)}
	config := db.Config{Dir: t.TempDir(), Clock: clock.System{}}
	if dialect == db.PostgreSQL {
		config.URL = dbtest.URL(t)
	}
	var err error
	if b.db, err = dbtest.Open(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.db.Close() })
	box := secrettest.Box(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		b.messages <- received{req.Header, string(body)}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(server.Close)
	sender := &webhook.Sender{DB: b.db, Vault: webhook.Vault{Box: box}, Client: outbound.Guard{AllowPrivate: true}.Client()}
	log := slog.New(slog.DiscardHandler)
	jobs, err := job.NewQueue(b.db, log)
	if err != nil {
		t.Fatal(err)
	}
	deliveries := &delivery.Queue{DB: b.db, Jobs: jobs, Webhooks: sender}
	workers := job.NewWorkers(jobs, job.WorkersConfig{Log: log})
	deliveries.Work(workers)
	b.deployer = &deployment.Task{Projects: &project.Store{Box: box}, Listeners: []deployment.Listener{&webhook.Publisher{Deliveries: deliveries}}}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		org, err := tx.InsertOrganization(ctx, "acme", "acme", 1, 1)
		if err != nil {
			return err
		}
		srv, err := tx.InsertServer(ctx, query.InsertServerParams{
			OrganizationID: org.ID, Name: "web", Slug: "web", Type: "app", Provider: "custom", Status: "ready", SSHPort: 22,
			SSHUser: "root", Timezone: "UTC",
		})
		if err != nil {
			return err
		}
		if b.site, err = tx.InsertSite(ctx, query.InsertSiteParams{
			OrganizationID: org.ID, ServerID: srv.ID, Type: "php", Name: "shop.example.com", Status: "installed",
			UnixUser: "forge",
		}); err != nil {
			return err
		}
		if _, err := tx.InsertProject(ctx, query.InsertProjectParams{
			SiteID: b.site.ID, Provider: "github", Repository: "team/shop", URL: "git@github.com:team/shop.git", Branch: "main",
			HookHash: "x", HookToken: []byte{}, SharedPaths: "{}",
		}); err != nil {
			return err
		}
		hook, err := tx.InsertDeploymentWebhook(ctx, b.site.ID, server.URL, []byte{}, tx.Micros())
		if err != nil {
			return err
		}
		if err := (webhook.Vault{Box: box}).Keep(ctx, tx, &hook, secret.String(server.URL+"/hook?a=b")); err != nil {
			return err
		}
		sealed, err := box.Seal(secret.Place{Table: "deployment_webhooks", Row: "1", Column: "secret"}, []byte(key))
		if err != nil {
			return err
		}
		return tx.SetDeploymentWebhookSecret(ctx, hook.ID, sealed, tx.Micros())
	})
	if err := workers.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = workers.Stop(context.Background()) })
	return b
}

func (b *bench) tx(f func(ctx context.Context, tx *db.Tx) error) {
	b.t.Helper()
	if err := b.db.Tx(b.t.Context(), f); err != nil {
		b.t.Fatal(err)
	}
}

// end ends a deployment the way that the engine does.
func (b *bench) end(state string) query.Deployment {
	b.t.Helper()
	var d query.Deployment
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		var err error
		d, err = tx.InsertDeployment(ctx, query.InsertDeploymentParams{
			OrganizationID: b.site.OrganizationID, ServerID: b.site.ServerID, SiteID: b.site.ID, Type: "push",
			Status: "deploying", CommitHash: new(hash), CommitAuthor: new("Ada"),
			CommitMessage: new("Fix \"the\" shop\n</script>"), CommitBranch: new("main"), CreatedAt: tx.Micros(),
		})
		if err != nil {
			return err
		}
		op, err := tx.InsertOperation(ctx, query.InsertOperationParams{
			OrganizationID: b.site.OrganizationID, ServerID: b.site.ServerID, Aspect: "deployment/1",
			ResourceType: "deployments", ResourceID: d.ID, Action: "create", CreatedAt: tx.Micros(),
		})
		if err != nil {
			return err
		}
		if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: state, UpdatedAt: tx.Micros()}); err != nil {
			return err
		}
		return b.deployer.Aspect().Write(ctx, tx, op, job.State(state))
	})
	return d
}

// signature returns what a receiver computes for itself.
func signature(m received) string {
	raw, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(key, "whsec_"))
	mac := hmac.New(sha256.New, raw)
	mac.Write([]byte(m.header.Get("webhook-id") + "." + m.header.Get("webhook-timestamp") + "." + m.body))
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// The end of a deployment, successful or not, is sent to the site's webhook, signed; a cancelled one is not.
func TestDeploymentIsTold(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			b := newBench(t, dialect)
			b.end(job.StateCancelled)
			for state, want := range map[string]string{job.StateSucceeded: "success", job.StateFailed: "failed"} {
				d := b.end(state)
				m := <-b.messages
				if got := m.header.Get("webhook-signature"); got != signature(m) {
					t.Errorf("signed %s, want %s", got, signature(m))
				}
				var body struct {
					Status       string
					Server, Site struct {
						ID   int64
						Name string
					}
					CommitHash    string `json:"commit_hash"`
					CommitURL     string `json:"commit_url"`
					CommitAuthor  string `json:"commit_author"`
					CommitMessage string `json:"commit_message"`
					Deployment    struct {
						ID     int64
						Status string
					}
				}
				if err := json.Unmarshal([]byte(m.body), &body); err != nil {
					t.Fatalf("%v: %s", err, m.body)
				}
				if body.Status != want || body.Server.Name != "web" || body.Site.ID != b.site.ID ||
					body.Site.Name != "shop.example.com" || body.CommitHash != hash || body.CommitAuthor != "Ada" ||
					body.CommitURL != "https://github.com/team/shop/commit/"+hash || body.CommitMessage != "Fix \"the\" shop\n</script>" || body.Deployment.ID != d.ID {
					t.Errorf("told %s", m.body)
				}
				if m.header.Get("Content-Type") != "application/json" || m.header.Get("X-Hostler-Event") != "deployment.ended" ||
					!strings.HasPrefix(m.header.Get("webhook-id"), "msg_") {
					t.Errorf("the headers are %v", m.header)
				}
			}
			select {
			case m := <-b.messages:
				t.Errorf("one more was told: %s", m.body)
			default:
			}
		})
	}
}
