package edge

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/backup"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/heartbeat"
	"github.com/hostlerhq/hostler/internal/noun/monitor"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/recipe"
)

// mustPut writes a mail down as a feature does.
func (w *world) mustPut(m mail.Message) {
	w.T.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error { return w.App.Outbox.Put(ctx, tx, m) })
}

// Queued mail is sent only if it is still true.
func TestMailIsCheckedWhenItIsSent(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		invites := "/orgs/acme/invites"
		invite := func(email string) string {
			t.Helper()
			return w.owner.Post(invites, map[string]any{"email": email, "role_id": 4}).Want(t, 200).ID()
		}
		invite("stays@example.com")
		w.owner.Delete(invites+"/"+invite("withdrawn@example.com")).Want(t, 204)
		first := invite("twice@example.com")
		if invite("twice@example.com") == first {
			t.Fatal("the invitation was not replaced")
		}
		forget := func() {
			w.As("").Post("/auth/password/forgot", map[string]any{"email": w.users["viewer"].Email}).Want(t, 204)
		}
		forget()
		forget()
		if err := w.App.Outbox.Deliver(t.Context()); err != nil {
			t.Fatal(err)
		}
		for to, want := range map[string]int{"stays@example.com": 1, "withdrawn@example.com": 0, "twice@example.com": 1, w.users["viewer"].Email: 1} {
			if got := w.Mail.Count(to); got != want {
				t.Errorf("%d mails were sent to %s, want %d", got, to, want)
			}
		}
		var left int
		if err := w.App.DB.SQLDB().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM mails").Scan(&left); err != nil || left != 0 {
			t.Errorf("%d mails that are not sent are kept: %v", left, err)
		}
	})
}

// Each kind of mail is checked: none is sent about something that is gone.
func TestMailOfEachKindIsChecked(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	// Whom a mail of each kind goes to. One that a member entered has to be confirmed first (TestUnconfirmedAddressesGetOneMail).
	to := map[string]string{
		organization.MailInvitation: "an address that is invited: the mail is the question",
		account.MailLink:            "an account", account.MailKnown: "an account",
		certificate.MailExpiry: "owners", heartbeat.MailChange: "owners", recipe.MailOutput: "the account that ran it",
		monitor.MailChange: "confirmed", backup.MailAlarm: "confirmed",
		recipient.MailLink: "an address that is entered: the mail is the question",
	}
	for kind := range w.App.Outbox.Checks {
		if to[kind] == "" {
			t.Errorf("nothing says whom mail of the kind %s goes to", kind)
		}
	}
	for kind := range w.App.Outbox.Checks {
		w.mustPut(mail.Message{To: "gone@example.com", Subject: kind, Link: w.URL + "/x#unknown", About: mail.About{Kind: kind, ID: 999_999, State: "reset"}})
	}
	w.mustPut(mail.Message{To: w.users["owner"].Email, Subject: "known", About: mail.About{Kind: account.MailKnown}})
	if got := w.Mail.Last(t, "gone@example.com"); got != nil {
		t.Errorf("a mail about nothing was sent: %s", got.Subject)
	}
	if w.Mail.Last(t, w.users["owner"].Email) == nil {
		t.Error("a mail that holds was not sent")
	}
	err := w.App.DB.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		return w.App.Outbox.Put(ctx, tx, mail.Message{To: "a@example.com", About: mail.About{Kind: "made up"}})
	})
	if err == nil {
		t.Error("mail that nothing checks is taken")
	}
}

// refusing is a mail server that takes no mail.
type refusing struct{}

func (refusing) Send(context.Context, mail.Message) error {
	return fmt.Errorf("%w: 550 no such user", mail.ErrRefused)
}

// Mail that could not be sent is listed for three days, to those who manage the organization that it is of; of mail about accounts
// only the number is listed.
func TestFailedMailNeedsAttention(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		text := func(c *Client, organization string) string {
			t.Helper()
			list, _ := c.Get("/orgs/"+organization+"/attention").Want(t, 200).At("data").([]any)
			for _, item := range list {
				if at := item.(map[string]any)["attributes"].(map[string]any); at["kind"] == "mail-failed" {
					return at["text"].(string)
				}
			}
			return ""
		}
		if got := text(w.owner, "acme"); got != "" {
			t.Errorf("attention has %q", got)
		}
		if err := w.App.Outbox.Deliver(t.Context()); err != nil { // what the world has written
			t.Fatal(err)
		}
		w.App.Outbox.Sender = refusing{}
		for _, to := range []string{"one@example.com", "two@example.com"} {
			w.owner.Post("/orgs/acme/invites", map[string]any{"email": to, "role_id": 4}).Want(t, 200)
		}
		if err := w.App.Outbox.Deliver(t.Context()); err != nil {
			t.Fatal(err)
		}
		want := `2 emails not delivered. The last one, "You're invited to acme": the mail server refused the mail: 550 no such user`
		if got := text(w.owner, "acme"); got != want {
			t.Errorf("attention has %q", got)
		}
		if got := text(w.stranger, "other"); got != "" {
			t.Errorf("another organization's attention has %q", got)
		}
		if got := text(w.viewer, "acme"); got != "" {
			t.Errorf("a viewer's attention has %q", got)
		}
		w.mustPut(mail.Message{To: w.users["owner"].Email, Subject: "known", About: mail.About{Kind: account.MailKnown}})
		if err := w.App.Outbox.Deliver(t.Context()); err != nil {
			t.Fatal(err)
		}
		accounts := "1 email about accounts, such as a password reset, not delivered. The reason is in Hostler's log"
		if got := text(w.owner, "acme"); got != want+". "+accounts {
			t.Errorf("attention has %q", got)
		}
		if got := text(w.stranger, "other"); got != accounts {
			t.Errorf("another organization's attention has %q", got)
		}
		w.Log.Reset() // that mail could not be sent
		w.Clock.Move(mail.KeepFailed)
		if got := text(w.owner, "acme"); got != "" {
			t.Errorf("three days later attention has %q", got)
		}
	})
}

// An invitation says what became of its email: nothing yet, that the mail server took it and when, or why it did not.
// Inviting again starts over.
// Elsewhere it was "sent" without a mail server (gitroomhq/postiz-app#606), and a 550 was seen in a log only (Scille/parsec-cloud#1751).
func TestInvitationSaysWhetherItWasMailed(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		deliver := func() {
			t.Helper()
			if err := w.App.Outbox.Deliver(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		body := map[string]any{"email": "dev@example.com", "role_id": 4}
		mailed := func(c *Client, id string) (at, failure any) {
			t.Helper()
			a := c.Get("/orgs/acme/invites/"+id).Want(t, 200)
			return a.At("data", "meta", "mailed_at"), a.At("data", "meta", "mail_failure")
		}
		id := w.owner.Post("/orgs/acme/invites", body).Want(t, 200).ID()
		if at, failure := mailed(w.owner, id); at != nil || failure != nil {
			t.Errorf("before it is sent: at %v, failure %v", at, failure)
		}
		deliver()
		if at, failure := mailed(w.owner, id); at != "2026-03-01T12:00:00.123456Z" || failure != nil {
			t.Errorf("sent: at %v, failure %v", at, failure)
		}
		w.App.Outbox.Sender = refusing{}
		id = w.owner.Post("/orgs/acme/invites", body).Want(t, 200).ID()
		deliver()
		if at, failure := mailed(w.owner, id); at != nil || failure != "the mail server refused the mail: 550 no such user" {
			t.Errorf("refused: at %v, failure %v", at, failure)
		}
		if _, failure := mailed(w.viewer, id); failure != "the mail server did not take it" {
			t.Errorf("a viewer reads %v", failure)
		}
		none, err := mail.NewSender(mail.SMTP{})
		if err != nil {
			t.Fatal(err)
		}
		w.App.Outbox.Sender = none
		id = w.owner.Post("/orgs/acme/invites", body).Want(t, 200).ID()
		deliver()
		if at, failure := mailed(w.owner, id); at != nil || failure != nil {
			t.Errorf("without a mail server: at %v, failure %v", at, failure)
		}
		w.Log.Reset() // it has the refusal, and the link to hand on
	})
}

// Without a mail server, no answer claims that a link was mailed, and the log has it.
func TestNoMailServer(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	body := map[string]any{"email": "dev@example.com", "role_id": 4}
	if a := w.owner.Post("/orgs/acme/invites", body).Want(t, 200); a.Text("data", "meta", "delivery") != "mail" || strings.Contains(string(a.Body), "shown_once") {
		t.Errorf("an invitation that is mailed is %s", a.Body)
	}
	none, err := mail.NewSender(mail.SMTP{})
	if err != nil {
		t.Fatal(err)
	}
	delivery := func() string { return w.owner.Get("/orgs/acme").Want(t, 200).Text("data", "meta", "delivery") }
	if got := delivery(); got != "mail" {
		t.Errorf("an organization's emails go by %q", got)
	}
	w.App.Outbox.Sender = none
	if got := delivery(); got != "log" {
		t.Errorf("without a mail server an organization's emails go by %q", got)
	}
	invited := w.owner.Post("/orgs/acme/invites", body, key("invite")).Want(t, 200)
	id, link := invited.ID(), invited.Text("data", "meta", "shown_once", "url")
	if !strings.HasPrefix(link, w.URL+"/invitation#") {
		t.Errorf("the link to hand on is %q", link)
	}
	for _, a := range []Answer{w.owner.Post("/orgs/acme/invites", body, key("invite")), w.owner.Get("/orgs/acme/invites/" + id), w.owner.Get("/orgs/acme/audit")} {
		if strings.Contains(string(a.Want(t, 200).Body), link) {
			t.Errorf("the link is shown again: %s", a.Body)
		}
	}
	team := map[string]any{"name": "shop", "invites": []any{map[string]any{"email": "One@example.com"}, map[string]any{"email": "two@example.com"}}}
	made := w.owner.Post("/orgs/acme/teams", team, key("team")).Want(t, 200)
	for i, to := range []string{"one@example.com", "two@example.com"} {
		email, url := made.Text("data", "meta", "shown_once", "invitations", i, "email"), made.Text("data", "meta", "shown_once", "invitations", i, "url")
		if email != to || !strings.HasPrefix(url, w.URL+"/invitation#") {
			t.Errorf("the link of an invitation made together with a team is %s", made.Body)
		}
		for _, a := range []Answer{w.owner.Post("/orgs/acme/teams", team, key("team")), w.owner.Get("/orgs/acme/audit")} {
			if strings.Contains(string(a.Want(t, 200).Body), url) {
				t.Errorf("the link is shown again: %s", a.Body)
			}
		}
	}
	team = map[string]any{"name": "twice", "invites": []any{map[string]any{"email": "one@example.com"}, map[string]any{"email": "ONE@example.com"}}}
	w.owner.Post("/orgs/acme/teams", team).Want(t, 422)
	if got := w.owner.Get("/orgs/acme/invites/"+id).Want(t, 200).Text("data", "meta", "delivery"); got != "log" {
		t.Errorf("without a mail server an invitation goes by %q", got)
	}
	if err := w.App.Outbox.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	if log := w.Log.String(); strings.Count(log, "to=dev@example.com") != 1 || !strings.Contains(log, link) {
		t.Errorf("the log has no link to hand on: %s", log)
	}
	w.mustPut(mail.Message{To: w.users["owner"].Email, Subject: "known", Text: "A sign-in.\n\ns3cret output", About: mail.About{Kind: account.MailKnown}})
	if err := w.App.Outbox.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	if log := w.Log.String(); !strings.Contains(log, "this mail is not sent") || !strings.Contains(log, "A sign-in.") || strings.Contains(log, "s3cret") {
		t.Errorf("the log does not have a mail without a link, or all its text: %s", log)
	}
	w.Log.Reset()
}
