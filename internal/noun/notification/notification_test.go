package notification

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/clock/clocktest"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

type noJobs struct{}

func (noJobs) Insert(context.Context, *db.Tx, job.Args) error { return nil }

// bench is an organization with a server, a site and a channel that wants to know everything but one thing.
type bench struct {
	t        *testing.T
	db       *db.DB
	clock    *clocktest.Clock
	notifier *Notifier
	org      query.Organization
	server   query.Server
	site     query.Site
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, clock: clocktest.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	var err error
	if b.db, err = dbtest.Open(t.Context(), db.Config{Dir: t.TempDir(), Clock: b.clock}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.db.Close() })
	b.notifier = &Notifier{Deliveries: &delivery.Queue{DB: b.db, Jobs: noJobs{}}, Page: func(path string) string { return "https://panel.example.com" + path }}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		if b.org, err = tx.InsertOrganization(ctx, "acme", "acme", 1, 1); err != nil {
			return err
		}
		if b.server, err = tx.InsertServer(ctx, query.InsertServerParams{
			OrganizationID: b.org.ID, Name: "web", Slug: "web", Type: "app", Provider: "custom", Status: "ready", SSHPort: 22,
			SSHUser: "root", Timezone: "UTC",
		}); err != nil {
			return err
		}
		if _, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET is_ready = TRUE"); err != nil {
			return err
		}
		if b.site, err = tx.InsertSite(ctx, query.InsertSiteParams{
			OrganizationID: b.org.ID, ServerID: b.server.ID, Type: "php", Name: "shop.example.com", Status: "installed",
			UnixUser: "forge",
		}); err != nil {
			return err
		}
		for _, c := range []query.InsertNotificationChannelParams{
			{Name: "all but good news", Events: strings.Join(events()[1:], " "), Enabled: true},
			{Name: "switched off", Events: strings.Join(events(), " ")},
			{Name: "nothing", Enabled: true},
		} {
			c.OrganizationID, c.Type, c.Settings = b.org.ID, Mail, []byte{}
			if _, err := tx.InsertNotificationChannel(ctx, c); err != nil {
				return err
			}
		}
		other, err := tx.InsertOrganization(ctx, "other", "other", 1, 1)
		if err != nil {
			return err
		}
		_, err = tx.InsertNotificationChannel(ctx, query.InsertNotificationChannelParams{
			OrganizationID: other.ID, Name: "somebody else", Type: Mail, Events: strings.Join(events(), " "), Enabled: true,
			Settings: []byte{},
		})
		return err
	})
	return b
}

func (b *bench) tx(f func(ctx context.Context, tx *db.Tx) error) {
	b.t.Helper()
	if err := b.db.Tx(b.t.Context(), f); err != nil {
		b.t.Fatal(err)
	}
}

// told returns the messages stored since the last call, all of which must be for the one channel that wants them.
func (b *bench) told() []Message {
	b.t.Helper()
	rows, err := db.All[query.Delivery](b.t.Context(), b.db.Reader(), "deliveries")
	if err != nil {
		b.t.Fatal(err)
	}
	var out []Message
	for _, row := range rows {
		if row.ChannelID == nil || *row.ChannelID != 1 {
			b.t.Errorf("the channel %v was told of %s", row.ChannelID, row.Event)
		}
		var m Message
		if err := json.Unmarshal([]byte(row.Payload), &m); err != nil {
			b.t.Fatal(err)
		}
		out = append(out, m)
	}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "DELETE FROM deliveries")
		return err
	})
	return out
}

func (b *bench) wantOne(event, title, text, url string) {
	b.t.Helper()
	got := b.told()
	if len(got) != 1 || got[0].Event != event || got[0].Title != title || !strings.Contains(got[0].Text, text) ||
		got[0].URL != "https://panel.example.com/orgs/acme"+url || got[0].Organization != "acme" {
		b.t.Errorf("told %+v, want %s %q with %q", got, event, title, text)
	}
}

func TestWhatIsTold(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	deployment := func(good bool, message string) {
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			op, err := tx.InsertOperation(ctx, query.InsertOperationParams{
				OrganizationID: b.org.ID, ServerID: b.server.ID, Aspect: "deployment/1", ResourceType: "deployments",
				ResourceID: 1, Action: "create",
			})
			if err != nil {
				return err
			}
			if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: "failed", Reason: "The script ended with 1."}); err != nil {
				return err
			}
			return b.notifier.DeploymentEnded(ctx, tx, query.Deployment{
				ID: 1, OrganizationID: b.org.ID, SiteID: b.site.ID, OperationID: &op.ID, CommitHash: new(strings.Repeat("ab", 20)),
				CommitMessage: &message,
			}, good)
		})
	}
	deployment(true, "x")
	if got := b.told(); len(got) != 0 {
		t.Errorf("told %+v of what nobody wants to know", got)
	}
	deployment(false, "Fix\x1b[31m the\u202e shop\nand more")
	b.wantOne(DeploymentFailed, "Deployment of shop.example.com failed", "The script ended with 1.\nServer web", "/sites/1/deployments/1")
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		return b.notifier.RenewalFailed(ctx, tx, query.Certificate{
			ID: 1, SiteID: b.site.ID, ExpiresAt: new(b.clock.Now().AddDate(0, 0, 20).UnixMicro()),
		}, "The authority refused.")
	})
	b.wantOne(CertificateRenewalFailed, "The certificate of shop.example.com could not be renewed",
		"The authority refused.\nThe certificate that is there is served still.\nIt expires on 2026-03-21.", "/sites/1")
	for event, unproven := range map[string]bool{BackupFailed: false, BackupUnproven: true} {
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			return b.notifier.BackupAlarm(ctx, tx, query.BackupConfiguration{
				ID: 1, OrganizationID: b.org.ID, ServerID: b.server.ID, Name: "nightly",
			}, "Nothing was stored.", unproven)
		})
		b.wantOne(event, map[bool]string{
			false: "Backup nightly on web failed", true: "Backup nightly on web could not be verified",
		}[unproven], "Nothing was stored.", "/servers/1")
	}
	b.tx(func(ctx context.Context, tx *db.Tx) error {

		found := []wire.Difference{
			{Step: "nginx", Path: "/etc/nginx/nginx.conf", What: "content", Diff: "-secret"}, {Step: "nginx", What: "inactive"},
		}
		for range 5 {
			found = append(found, wire.Difference{Path: "/etc/motd", What: "mode"})
		}
		return b.notifier.Drifted(ctx, tx, b.server, found)
	})
	b.wantOne(DriftFound, "Drift found on web", "The server differs from what is planned:\n/etc/nginx/nginx.conf: content\nnginx: inactive\n"+
		strings.Repeat("/etc/motd: mode\n", 3)+"and 2 more", "/servers/1")
}

// The message of a deployment says what was planned, who applied it, and how it was verified.
func TestDeploymentIsTold(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ended := func(checks string, d query.Deployment) Message {
		t.Helper()
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			if _, err := tx.SQL.ExecContext(ctx, "UPDATE notification_channels SET events = $1 WHERE id = 1", DeploymentSucceeded); err != nil {
				return err
			}
			event, err := tx.InsertEvent(ctx, query.InsertEventParams{OrganizationID: b.org.ID, ServerID: &b.server.ID, Description: "Deploy"})
			if err != nil {
				return err
			}
			op, err := tx.InsertOperation(ctx, query.InsertOperationParams{
				OrganizationID: b.org.ID, ServerID: b.server.ID, Aspect: "deployment/1", ResourceType: "deployments", ResourceID: 1, Action: "create",
				EventID: &event.ID,
			})
			if err != nil {
				return err
			}
			if checks != "" {
				if err := job.Say(ctx, tx, event.ID, job.Piece{Kind: "checked", Step: "http", Content: checks}); err != nil {
					return err
				}
			}
			d.ID, d.OrganizationID, d.SiteID, d.OperationID = 1, b.org.ID, b.site.ID, &op.ID
			return b.notifier.DeploymentEnded(ctx, tx, d, true)
		})
		got := b.told()
		if len(got) != 1 {
			t.Fatalf("told %+v", got)
		}
		return got[0]
	}
	at := b.clock.Now().UTC().Format("2 January 2006 15:04 MST")
	got := ended("GET / answered 200\nGET / answered 200\n", query.Deployment{
		Type: "push", CommitHash: new(strings.Repeat("ab", 20)), CommitBranch: new("main"), CommitAuthor: new("Ada"),
		CommitMessage: new("Fix\x1b[31m the\u202e shop\nand more"),
	})
	want := "Server web\nPlanned: Commit abababababab of main\n  Fix[31m the shop\n  Written by Ada\nApplied: " + at +
		", by a push\nVerified: 1 check passed\n  GET / answered 200"
	if got.Text != "Server web" || got.whole().Text != want {
		t.Errorf("told %+v, as text %q, want %q", got, got.whole().Text, want)
	}
	got = ended("", query.Deployment{Type: "restart"})
	want = "Server web\nApplied: " + at + ", by Hostler\nNot verified: This work has no check of its own."
	if got.whole().Text != want {
		t.Errorf("without a check it is told as %q, want %q", got.whole().Text, want)
	}
}

// A server that is unreachable for long is reported once, and so is its return; a restart is not reported.
func TestAway(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	w := &Watcher{DB: b.db, Notifier: b.notifier}
	look := func(status string, after time.Duration) {
		t.Helper()
		b.clock.Move(after)
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			return tx.SetServerConnection(ctx, b.server.ID, &status, tx.Micros())
		})
		if err := w.Watch(t.Context(), Watch{}); err != nil {
			t.Fatal(err)
		}
	}
	look("disconnected", 0)
	look("disconnected", awayFor-time.Second)
	look("connected", time.Minute)
	if got := b.told(); len(got) != 0 {
		t.Errorf("a restart was told: %+v", got)
	}
	look("disconnected", time.Minute)
	look("disconnected", awayFor)
	b.wantOne(ServerUnreachable, "web can't be reached", "Since 2026-03-01T12:06:59Z.", "/servers/1")
	look("disconnected", time.Hour)
	if got := b.told(); len(got) != 0 {
		t.Errorf("told again: %+v", got)
	}
	look("connected", time.Minute)
	b.wantOne(ServerReachable, "web can be reached again", "about 1h6m0s", "/servers/1")
	look("host-key-changed", time.Minute)
	look("host-key-changed", awayFor)
	b.wantOne(ServerUnreachable, "web shows another host key", "another machine", "/servers/1")
}

// The stored message is what the sender of the channel's type sends, whatever happened to the rows meanwhile.
func TestWrittenAndSent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	box := secrettest.Box(t)
	vault := Vault{Box: box}
	world := newServices(t)
	s := sender(world)
	s.DB, s.Vault, s.Mail = b.db, vault, &posted{}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx,
			"INSERT INTO recipients (organization_id, email, token_hash, asked_at, confirmed_at) VALUES ($1, 'ops@example.com', '', 0, 1)", b.org.ID)
		return err
	})
	for kind, set := range map[string]settings{
		Mail:     {Address: "ops@example.com"},
		Webhook:  {URL: "https://app.example.com/written", Key: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
		Slack:    {URL: "https://hooks.slack.com/services/T00000009/B00000009/abcdefghijklmnopqrstuvwx", Token: "T00000009/B00000009/abcdefghijklmnopqrstuvwx"},
		Discord:  {URL: "https://discord.com/api/webhooks/123456789/abcdefghijklmnopqrstuvwxyz", Token: "123456789/abcdefghijklmnopqrstuvwxyz"},
		Telegram: {Token: "1234569:ABC-DEF1234ghIkl-zyx57W2v1u123ew11", Chat: "1"},
		Ntfy:     {URL: "https://ntfy.sh", Topic: "written-ntfy"},
		Teams:    {URL: "https://x.webhook.office.com/written-teams"},
	} {
		var d query.Delivery
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			c, err := tx.InsertNotificationChannel(ctx, query.InsertNotificationChannelParams{OrganizationID: b.org.ID, Name: kind, Type: kind, Settings: []byte{}})
			if err != nil {
				return err
			}
			sealed, err := vault.seal(c.ID, set)
			if err != nil {
				return err
			}
			if c, err = tx.UpdateNotificationChannel(ctx, query.UpdateNotificationChannelParams{ID: c.ID, Name: kind, Settings: sealed}); err != nil {
				return err
			}
			d, err = b.notifier.put(ctx, tx, c, Message{Event: test, Title: "A test", Text: "Of " + kind, Organization: "acme", URL: "/servers"})
			return err
		})
		if out, err := s.Send(t.Context(), d); err != nil || out.Failure != "" {
			t.Errorf("%s: %+v, %v", kind, out, err)
		}
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.DeleteNotificationChannel(ctx, *d.ChannelID)
			return err
		})
		if out, err := s.Send(t.Context(), d); err != nil || !out.Lasting {
			t.Errorf("%s, deleted: %+v, %v", kind, out, err)
		}
	}
	got := world.one(t, "/written")
	if want, _ := delivery.Sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", got.header.Get("Webhook-Id"), b.clock.Now(),
		[]byte(got.body)); got.header.Get("Webhook-Signature") != want || !strings.Contains(got.body, `"organization":"acme"`) {
		t.Errorf("the webhook got %v %s", got.header, got.body)
	}
}
