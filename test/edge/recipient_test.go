package edge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/noun/backup"
	"github.com/hostlerhq/hostler/internal/noun/monitor"
	"github.com/hostlerhq/hostler/internal/noun/notification"
)

// confirmed lets an organization notify an address.
func (w *world) confirmed(organization int64, email string) {
	w.T.Helper()
	w.executes("INSERT INTO recipients (organization_id, email, token_hash, asked_at, confirmed_at) VALUES ($1, $2, '', 0, 1)", organization, email)
}

// withRecipient asks an address, and stores the token of its link.
func withRecipient(w *world, _ things) {
	const to = "asked@example.com"
	body := monitorBody()
	body["notify"] = to
	w.owner.Post(w.monitors(w.mine.engine), body).Want(w.T, 202)
	w.link = w.Mail.Token(w.T, to)
}

// notifiers are the nouns that notify an address that a member enters. Each makes a resource that notifies it, returns where it is read, and what sends.
var notifiers = map[string]func(w *world, email string) (at string, send func()){
	"organizations.servers.monitors.store notify": func(w *world, email string) (string, func()) {
		body := monitorBody()
		body["notify"] = email
		id := w.owner.Post(w.monitors(w.mine.server), body).Want(w.T, 202).ID()
		return w.monitors(w.mine.server) + "/" + id, func() {
			w.mustPut(mail.Message{Organization: w.org.ID, To: email, Subject: "alert", About: mail.About{Kind: monitor.MailChange, ID: number(id)}})
		}
	},
	"organizations.servers.database.backups.update notification_email": func(w *world, email string) (string, func()) {
		at := "/orgs/acme/servers/" + w.mine.engine + "/database/backups/" + w.mine.configuration
		body := backupBody(w.mine)
		body["notification_email"] = email
		w.owner.Put(at, body).Want(w.T, 202)
		w.executes("UPDATE backup_configurations SET alarm = 'It failed.' WHERE id = $1", number(w.mine.configuration))
		return at, func() {
			w.mustPut(mail.Message{Organization: w.org.ID, To: email, Subject: "backup", About: mail.About{Kind: backup.MailAlarm, ID: number(w.mine.configuration)}})
		}
	},
	"organizations.notification-channels.store address": func(w *world, email string) (string, func()) {
		const path = "/orgs/acme/notification-channels"
		id := w.owner.Post(path, map[string]any{"name": "ops", "type": "mail", "events": []string{"drift.found"}, "address": email}).Want(w.T, 201).ID()
		return path + "/" + id, func() {
			d := w.owner.Post(path+"/"+id+"/deliveries", nil).Want(w.T, 202).ID()
			row, err := db.All[query.Delivery](w.T.Context(), w.App.DB.Reader(), "deliveries", db.Equal("id", number(d)))
			if err != nil || len(row) != 1 {
				w.T.Fatal(row, err)
			}
			s := notification.Sender{DB: w.App.DB, Vault: notification.Vault{Box: w.App.Box}, Mail: w.Mail}
			if _, err := s.Send(w.T.Context(), row[0]); err != nil {
				w.T.Fatal(err)
			}
		}
	},
}

// An address that a member enters gets one mail, which asks, and nothing else until its owner has confirmed it.
func TestUnconfirmedAddressesGetOneMail(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		for name, make := range notifiers {
			email := fmt.Sprintf("Stranger.%d@example.com", len(name))
			to := strings.ToLower(email)
			confirmed := func(at string) bool {
				t.Helper()
				return w.owner.Get(at).Want(t, 200).At("data", "meta", "recipient", "confirmed") == true
			}
			waits := func() bool {
				t.Helper()
				return strings.Contains(string(w.owner.Get("/orgs/acme/attention").Want(t, 200).Body), `"text":"`+email+" is not notified until its owner opens the link")
			}
			at, send := make(w, email)
			send()
			link := w.Mail.Token(t, to)
			if n := w.Mail.Count(to) + w.Mail.Count(email); n != 1 || confirmed(at) || !waits() {
				t.Errorf("%s: before it is confirmed, %d mails were sent, and attention has %q", name, n, attentionOf(w.owner, t, "acme"))
			}
			if n := w.Mail.Count(to); n != 1 {
				t.Errorf("%s: entered again, it gets %d mails", name, n)
			}
			wantFields(t, w.As("").Post("/recipients/confirm", map[string]any{"token": "wrong"}), "token")
			w.executes("UPDATE recipients SET confirmed_at = 1 WHERE organization_id = $1", w.otherOrg.ID) // another's confirmation is not this one's
			if confirmed(at) {
				t.Errorf("%s: it is confirmed by another organization's link", name)
			}
			for range 2 { // people click twice
				w.As("").Post("/recipients/confirm", map[string]any{"token": link}).Want(t, 204)
			}
			send()
			if w.Mail.Last(t, email); w.Mail.Count(email) != 1 || !confirmed(at) || waits() {
				t.Errorf("%s: once it is confirmed, %d mails were sent, and attention has %q", name, w.Mail.Count(email), attentionOf(w.owner, t, "acme"))
			}
		}
	})
}

// A member is notified without a question as long as they are one, and an expired link confirms nothing.
func TestMembersAreNotifiedWithoutAQuestion(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	at, send := notifiers["organizations.servers.monitors.store notify"](w, w.users["viewer"].Email)
	gets := func(want int) {
		t.Helper()
		send()
		if w.Mail.Last(t, w.users["viewer"].Email); w.Mail.Count(w.users["viewer"].Email) != want {
			t.Errorf("the member got %d mails, want %d", w.Mail.Count(w.users["viewer"].Email), want)
		}
	}
	gets(1)
	if a := w.owner.Get(at).Want(t, 200); a.At("data", "meta", "recipient", "confirmed") != true {
		t.Errorf("the monitor is %s", a.Body)
	}
	w.executes("DELETE FROM memberships WHERE user_id = $1", w.users["viewer"].ID)
	gets(1)
	if got := attentionOf(w.owner, t, "acme"); !slices.Contains(got, "recipient-waiting one") {
		t.Errorf("needing attention: %q", got)
	}

	body := monitorBody()
	body["notify"] = "late@example.com"
	w.owner.Post(w.monitors(w.mine.server), body).Want(t, 202)
	link := w.Mail.Token(t, "late@example.com")
	w.Clock.Move(7*24*time.Hour + time.Minute)
	wantFields(t, w.As("").Post("/recipients/confirm", map[string]any{"token": link}), "token")
	w.owner.Post(w.monitors(w.mine.server), body).Want(t, 202)
	second := w.Mail.Token(t, "late@example.com")
	if second == link || w.Mail.Count("late@example.com") != 2 {
		t.Errorf("entered again after the link expired, it got %d mails", w.Mail.Count("late@example.com"))
	}
	w.As("").Post("/recipients/confirm", map[string]any{"token": second}).Want(t, 204)
	for i := range 100 {
		body["notify"] = fmt.Sprintf("flood%d@example.com", i)
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.AskRecipient(ctx, query.AskRecipientParams{OrganizationID: w.org.ID, Email: body["notify"].(string), AskedAt: tx.Micros()})
			return err
		})
	}
	body["notify"] = "one-more@example.com"
	wantFields(t, w.owner.Post(w.monitors(w.mine.server), body), "notify")
	if w.Mail.Last(t, "one-more@example.com") != nil {
		t.Error("an organization asks any number of addresses")
	}
}

// Each field of a request that takes an email address is one of a noun that asks, or says why not.
func TestEveryAddressOfRequestsIsKnown(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	known := map[string]string{
		"auth.login email": "an account", "auth.sign-up email": "an account", "auth.setup email": "an account", "auth.password.forgot email": "an account",
		"organizations.invites.store email": "the mail is the question", "organizations.teams.invites.store email": "the mail is the question",
		"organizations.teams.store email":                                 "the mail is the question",
		"organizations.servers.sites.store wordpress_email":               "written to the site; Hostler sends nothing to it",
		"organizations.servers.database.backups.store notification_email": "as for an update",
		"organizations.notification-channels.update address":              "as for a new one",
		"organizations.servers.monitors.update notify":                    "as for a new one",
		"organizations.recipes.runs.store email":                          "whether the caller gets the output",
		"forge-recipes.runs.store email":                                  "whether the caller gets the output",
		"organizations.servers.sites.store statamic_super_user_email":     "written to the site; Hostler sends nothing to it",
	}
	for name := range notifiers {
		known[name] = "asks"
	}
	seen := map[string]bool{}
	d := describe(t, w.App.Router)
	for _, methods := range d.Paths {
		for _, op := range methods {
			for _, content := range op.RequestBody.Content {
				for _, path := range d.paths(content.Schema, "") {
					last := path[strings.LastIndexByte(path, '.')+1:]
					if !strings.Contains(last, "email") && !strings.Contains(last, "notify") && last != "address" {
						continue
					}
					key := op.ID + " " + last
					seen[key] = true
					if known[key] == "" {
						t.Errorf("nothing says whether %s is notified", key)
					}
				}
			}
		}
	}
	for key := range notifiers {
		if !seen[key] {
			t.Errorf("no request has %s", key)
		}
	}
}
