package edge

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/noun/heartbeat"
)

// beats is a heartbeat of the world's site with what watches it.
type beats struct {
	*world
	t     *testing.T
	watch *heartbeat.Watch
	path  string
	url   string
}

func newBeats(t *testing.T, e *Env, body map[string]any) *beats {
	w := newWorld(e)
	b := &beats{world: w, t: t, watch: e.App.Heartbeats}
	many := "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site + "/heartbeats"
	a := w.owner.Post(many, body).Want(t, 200)
	b.path, b.url = many+"/"+a.ID(), fmt.Sprint(a.At("data", "attributes", "ping_url"))
	b.tick(0)
	return b
}

// call makes a request outside of the API.
func call(t *testing.T, method, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

func (b *beats) ping() {
	b.t.Helper()
	if code, text := call(b.t, http.MethodGet, b.url); code != 200 || text != "ok\n" {
		b.t.Fatalf("a call is answered %d %q", code, text)
	}
}

// tick moves the clock and looks for silence.
func (b *beats) tick(d time.Duration) {
	b.t.Helper()
	b.Clock.Move(d)
	if err := b.watch.Tick(context.Background(), heartbeat.Tick{}); err != nil {
		b.t.Fatal(err)
	}
}

// listen is tick repeatedly, as a program that runs all the time does it.
func (b *beats) listen(d time.Duration) {
	b.t.Helper()
	for ; d > 0; d -= time.Minute {
		b.tick(min(d, time.Minute))
	}
}

func (b *beats) want(status any) {
	b.t.Helper()
	if got := b.owner.Get(b.path).Want(b.t, 200).At("data", "attributes", "status"); got != status {
		b.t.Errorf("the heartbeat is %v, want %v", got, status)
	}
}

// told counts the events whose description contains a text.
func (b *beats) told(text string) (n int) {
	b.t.Helper()
	for _, e := range b.owner.Get("/orgs/acme/servers/"+b.mine.server+"/events?page[size]=200").Want(b.t, 200).At("data").([]any) {
		if strings.Contains(fmt.Sprint(e), text) {
			n++
		}
	}
	return n
}

// A heartbeat that falls silent is reported once, after its grace period, and so is its return.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		b := newBeats(t, e, map[string]any{"name": "Backup", "frequency": 10, "grace_period": 5})
		b.listen(time.Hour)
		b.want("pending") // nothing is expected before the first call
		b.ping()
		b.want("beating")
		b.listen(9 * time.Minute)
		b.ping()
		b.listen(14 * time.Minute)
		b.want("beating")
		b.listen(2 * time.Minute)
		b.want("missing")
		b.listen(time.Hour)
		if n := b.told("Heartbeat Backup is missing"); n != 1 {
			t.Errorf("silence is told %d times", n)
		}
		b.ping()
		b.want("beating")
		if n := b.told("Heartbeat Backup recovered"); n != 1 {
			t.Errorf("the end of silence is told %d times", n)
		}
	})
}

// Owners get a mail of a heartbeat that is missing, and channels that want it a message; so of its beating again.
func TestHeartbeatAlarms(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		b := newBeats(t, e, map[string]any{"name": "Backup", "frequency": 1, "grace_period": 1})
		const channels = "/orgs/acme/notification-channels"
		made := map[string]string{}
		for _, event := range []string{"heartbeat.missing", "heartbeat.beating", "drift.found"} {
			made[event] = b.owner.Post(channels, map[string]any{
				"name":    event,
				"type":    "mail",
				"address": "ops@example.com",
				"events":  []string{event},
			}).Want(t, 201).ID()
		}
		mails := func() (texts []string) {
			t.Helper()
			e.Mail.Last(t, "owner@example.com")
			for _, m := range e.Mail.all {
				if strings.Contains(m.Subject, "heartbeat Backup") {
					texts = append(texts, m.To+": "+m.Subject)
				}
			}
			return texts
		}
		messages := func(event string) int {
			t.Helper()
			return len(b.owner.Get(channels+"/"+made[event]+"/deliveries").Want(t, 200).IDs())
		}
		b.ping()
		b.listen(time.Hour)
		told := []string{"owner@example.com: Hostler: heartbeat Backup is missing", "second-owner@example.com: Hostler: heartbeat Backup is missing"}
		if diff := cmp.Diff(told, mails()); diff != "" {
			t.Errorf("mails after an hour of silence (-want +got):\n%s", diff)
		}
		if m := e.Mail.Last(t, "owner@example.com"); !strings.Contains(m.Text, "one-too.example.com") &&
			!strings.Contains(m.Text, "one.example.com") || !strings.Contains(m.Text, "The last call was at ") {
			t.Errorf("the mail is %q", m.Text)
		}
		b.ping()
		told = append(told, "owner@example.com: Hostler: heartbeat Backup recovered", "second-owner@example.com: Hostler: heartbeat Backup recovered")
		if diff := cmp.Diff(told, mails()); diff != "" {
			t.Errorf("mails after it recovered (-want +got):\n%s", diff)
		}
		for event, want := range map[string]int{"heartbeat.missing": 1, "heartbeat.beating": 1, "drift.found": 0} {
			if n := messages(event); n != want {
				t.Errorf("a channel for %s got %d messages", event, n)
			}
		}
	})
}

// A call that was due while Hostler was down is unknown; the next one is expected, and missing only then.
func TestHeartbeatWhileDown(t *testing.T) {
	t.Parallel()
	b := newBeats(t, New(t, db.SQLite), map[string]any{"name": "Backup", "frequency": 60, "grace_period": 5})
	b.ping()
	b.listen(30 * time.Minute)
	b.tick(2 * time.Hour) // down in between
	b.want(nil)
	if n := b.told("is missing"); n != 0 {
		t.Errorf("a silence that nobody could hear is told %d times", n)
	}
	b.listen(64 * time.Minute)
	b.want(nil)
	b.listen(2 * time.Minute)
	b.want("missing")

	// One that was silent for too long before is missing all the same, and one that is due later is not touched.
	b = newBeats(t, New(t, db.SQLite), map[string]any{"name": "Backup", "frequency": 60, "grace_period": 5})
	b.ping()
	b.listen(10 * time.Minute)
	b.tick(20 * time.Minute)
	b.want("beating")
	b.listen(36 * time.Minute)
	b.want("missing")
}

// Cron expressions are read by the clock of the server, and a call that comes a little early is the one that was expected.
func TestHeartbeatCron(t *testing.T) {
	t.Parallel()
	b := newBeats(t, New(t, db.SQLite), map[string]any{"name": "Nightly", "frequency": -1, "custom_frequency": "0  3 * * *", "grace_period": 10})
	a := b.owner.Get(b.path).Want(t, 200)
	if got := a.At("data", "attributes", "custom_frequency"); got != "0 3 * * *" {
		t.Errorf("the expression is %v", got)
	}
	now := b.Clock.Now()
	night := time.Date(now.Year(), now.Month(), now.Day()+1, 2, 59, 50, 0, time.UTC)
	b.Clock.Move(night.Sub(now))
	b.ping()
	due := fmt.Sprint(b.owner.Get(b.path).Want(t, 200).At("data", "meta", "heartbeat", "due_at"))
	if want := night.Add(24*time.Hour + 10*time.Second).Format("2006-01-02T15:04:05"); !strings.HasPrefix(due, want) {
		t.Errorf("after a call at %v the next one is due at %s, want %s", night, due, want)
	}
	for field, body := range map[string]map[string]any{
		"custom_frequency": {"name": "x", "frequency": -1, "custom_frequency": "", "grace_period": 1},
		"frequency":        {"name": "x", "frequency": 7, "grace_period": 1},
		"grace_period":     {"name": "x", "frequency": 5, "grace_period": 3},
	} {
		if a := b.owner.Put(b.path, body).Want(t, 422); a.At("errors", field) == nil {
			t.Errorf("%v: the answer does not name %s: %s", body, field, a.Body)
		}
	}
	b.owner.Put(b.path, map[string]any{"name": "x", "frequency": -1, "custom_frequency": "* * * * *; id", "grace_period": 1}).Want(t, 422)
}

// The address is a secret of those who manage heartbeats, its answers are the same whatever the state, and a deleted one is gone.
func TestHeartbeatAddress(t *testing.T) {
	t.Parallel()
	b := newBeats(t, New(t, db.SQLite), map[string]any{"name": "Backup", "frequency": 1, "grace_period": 1})
	if got := b.viewer.Get(b.path).Want(t, 200).At("data", "attributes", "ping_url"); got != nil {
		t.Errorf("a viewer sees the address %v", got)
	}
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodHead} {
		if code, _ := call(t, method, b.url); code != 200 {
			t.Errorf("%s is answered %d", method, code)
		}
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete} {
		if code, _ := call(t, method, b.url); code != 405 {
			t.Errorf("%s is answered %d", method, code)
		}
	}
	var said string
	for _, token := range []string{
		"x", strings.Repeat("x", 32), strings.Repeat("x", 200), "..%2f" + strings.Repeat("x", 32),
		b.url[strings.LastIndex(b.url, "/")+1:] + "x",
	} {
		code, text := call(t, http.MethodGet, b.url[:strings.LastIndex(b.url, "/")+1]+token)
		if said == "" {
			said = text
		}
		if code != 404 || text != said {
			t.Errorf("%q is answered %d %q, others %q", token, code, text, said)
		}
	}
	b.owner.Delete(b.path).Want(t, 204)
	if code, text := call(t, http.MethodGet, b.url); code != 404 || text != said {
		t.Errorf("a deleted one is answered %d %q", code, text)
	}
	if strings.Contains(b.Log.String(), b.url[strings.LastIndex(b.url, "/")+1:]) {
		t.Error("the address stands in the log")
	}
}

// What a site shows to repositories is in no answer, no audit log and no event.
func TestPackageSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	at := "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site
	const needle = "n33dle-in-a-h4ystack"
	for path, body := range map[string]map[string]any{
		"/composer/credentials": {"repository": "secret.example.com", "username": "anna", "password": needle},
		"/npm/credentials":      {"registry": "secret.example.com", "token": needle},
	} {
		made := w.owner.Post(at+path, body).Want(t, 202)
		one := at + path + "/secret.example.com"
		changed := w.owner.Put(one, body).Want(t, 202)
		for _, a := range []Answer{
			made, changed, w.owner.Get(one).Want(t, 200), w.owner.Get(at+path).Want(t, 200),
			w.owner.Get("/orgs/acme/events").Want(t, 200), w.owner.Get("/orgs/acme/audit").Want(t, 200),
		} {
			if strings.Contains(string(a.Body), needle) {
				t.Errorf("%s: an answer has the secret: %s", path, a.Body)
			}
		}
		w.owner.Delete(one).Want(t, 202)
	}
	if strings.Contains(w.Log.String(), needle) {
		t.Error("the log has the secret")
	}
}
