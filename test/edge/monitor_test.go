package edge

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/monitor"
)

func (w *world) monitors(server string) string { return "/orgs/acme/servers/" + server + "/monitors" }

func monitorBody() map[string]any {
	return map[string]any{"type": "disk", "operator": "gte", "threshold": 90, "minutes": 5, "notify": "ops@example.com"}
}

func TestMonitorIsCreated(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := w.monitors(w.mine.engine)
		a := w.owner.Post(path, map[string]any{"type": "cpu_load", "operator": "lte", "threshold": 250.5, "notify": "ops@example.com"}).Want(t, 202)
		want := map[string]any{
			"type": "cpu_load", "operator": "lte", "threshold": 250.5, "minutes": nil, "notify": "ops@example.com", "status": "installing", "state": "UNKNOWN",
			"state_changed_at": nil,
			"created_at":       "2026-03-01T12:00:00.123456Z", "updated_at": "2026-03-01T12:00:00.123456Z",
		}
		if diff := cmp.Diff(want, a.At("data", "attributes")); diff != "" {
			t.Errorf("attributes (-want +got):\n%s", diff)
		}
		other := w.owner.Post(path, monitorBody()).Want(t, 202).ID()
		for filter, want := range map[string]string{"type": "cpu_load", "state": "UNKNOWN", "notify": "ops@example.com", "status": "installing"} {
			got := w.owner.Get(path+"?sort=-created_at&filter["+filter+"]="+want).Want(t, 200).IDs()
			if filter == "type" && strings.Join(got, " ") != a.ID() || filter != "type" && len(got) != 2 {
				t.Errorf("with the %s %s there are %v", filter, want, got)
			}
		}
		w.owner.Delete(path+"/"+other).Want(t, 202)
		if got := w.owner.Get(path+"/"+other).Want(t, 200).Text("data", "attributes", "status"); got != "removing" {
			t.Errorf("a monitor that is removed is %s", got)
		}
	})
}

func TestMonitorIsRefused(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	before := w.counts()
	for field, values := range map[string][]any{
		"type": {nil, "fans", 1}, "operator": {nil, "eq"}, "threshold": {nil, "ninety", -1, 100.1}, "minutes": {0, 61, 1.5},
		"notify": {nil, "", "ops", "Ops <ops@example.com>", "a@example.com\nBcc: b@example.com"},
	} {
		for _, value := range values {
			body := monitorBody()
			body[field] = value
			wantFields(t, w.owner.Post(w.monitors(w.mine.server), body), field)
		}
	}
	for _, c := range []struct {
		kind, operator string
		threshold      float64
		field          string
	}{
		{"inodes", "gte", 101, "threshold"},
		{"reboot_required", "lte", 1, "operator"},
		{"reboot_required", "gte", 2, "threshold"},
		{"certificate_days", "gte", 14, "operator"},
		{"certificate_days", "lte", 731, "threshold"},
	} {
		body := monitorBody()
		body["type"], body["operator"], body["threshold"] = c.kind, c.operator, c.threshold
		wantFields(t, w.owner.Post(w.monitors(w.mine.server), body), c.field)
	}
	w.unchangedSince(before)
}

// What is no share of something has words of its own, in mail and on the page of what needs attention.
func TestMonitorsSayWhatTheyMeasure(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	o := &monitor.Observer{DB: w.App.DB, Mail: w.App.Outbox, Alarm: new(alarms)}
	minute := int64(0)
	for _, kind := range []string{"inodes", "reboot_required", "certificate_days"} {
		w.confirmed(w.org.ID, kind+"@example.com")
	}
	for _, c := range []struct {
		kind, operator string
		threshold      float64
		state          string
		value          float64
		subject, text  string
	}{
		{"inodes", "gte", 90, "ALERT", 90.5, "inode usage of one-db crossed its threshold", "It was 90.5% at"},
		{"inodes", "gte", 90, "OK", 12, "inode usage of one-db is back to normal", "at or above 90%"},
		{"reboot_required", "gte", 1, "ALERT", 1, "updates of one-db wait for a reboot", "Updates waited for a reboot at"},
		{"reboot_required", "gte", 1, "OK", 0, "updates of one-db no longer wait for a reboot", "No updates waited"},
		{"certificate_days", "lte", 14, "ALERT", 13.96, "a certificate of one-db is about to end", "had 13.96 days left at"},
		{"certificate_days", "lte", 14, "ALERT", -2, "a certificate of one-db is about to end", "had expired 2 days before"},
		{"certificate_days", "lte", 14, "OK", wire.NoCertificate, "no certificate of one-db is about to end", "No certificate was served at"},
	} {
		body := monitorBody()
		body["type"], body["operator"], body["threshold"], body["notify"] = c.kind, c.operator, c.threshold, c.kind+"@example.com"
		id := w.owner.Post(w.monitors(w.mine.engine), body).Want(t, 202).ID()
		minute++
		facts := must(json.Marshal(wire.Facts{OS: "debian", Monitors: []wire.MonitorChange{
			{ID: number(id), State: c.state, At: 2*minute + 1, Value: c.value},
		}}))
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET facts = $2 WHERE id = $1", number(w.mine.engine), string(facts))
			if err == nil && c.state == "OK" { // it was alerting, which was reported long ago
				_, err = tx.SQL.ExecContext(ctx, "UPDATE monitors SET state = 'ALERT', notified = 'ALERT', notified_at = 1 WHERE id = $1", number(id))
			}
			return err
		})
		if err := o.Watch(t.Context(), query.Server{ID: number(w.mine.engine)}); err != nil {
			t.Fatal(err)
		}
		if m := w.Mail.Last(t, c.kind+"@example.com"); m.Subject != "Hostler: "+c.subject || !strings.Contains(m.Text, c.text) {
			t.Errorf("%s that is %s: the mail is %+v", c.kind, c.state, m)
		}
	}
}

// alarms records what people are notified of beside mail.
type alarms []string

func (a *alarms) MonitorChanged(_ context.Context, _ *db.Tx, _ query.Server, title string, alert bool, _ string) error {
	*a = append(*a, map[bool]string{true: "alert: ", false: "recovered: "}[alert]+title)
	return nil
}

// Each change that a server reports is recorded and mailed once, however often it is read, and also those from a time without a look.
func TestMonitorChangesAreToldOnce(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		id := number(w.mine.monitor)
		var beside alarms
		o := &monitor.Observer{DB: w.App.DB, Mail: w.App.Outbox, Alarm: &beside}
		looks := func(changes ...wire.MonitorChange) {
			t.Helper()
			facts := must(json.Marshal(wire.Facts{OS: "debian", Monitors: changes}))
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET facts = $2 WHERE id = $1", number(w.mine.server), string(facts))
				return err
			})
			for range 2 {
				if err := o.Watch(t.Context(), query.Server{ID: number(w.mine.server)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		began := w.Clock.Now().Add(-time.Hour)
		at := func(minutes int) int64 { return began.Add(time.Duration(minutes) * time.Minute).UnixMicro() }
		is := func(state, since string) {
			t.Helper()
			a := w.owner.Get(w.monitors(w.mine.server)+"/"+w.mine.monitor).Want(t, 200)
			if got, when := a.Text("data", "attributes", "state"), a.Text("data", "attributes", "state_changed_at"); got != state || when != since {
				t.Errorf("it is %s since %s, want %s since %s", got, when, state, since)
			}
		}
		ok := wire.MonitorChange{ID: id, State: wire.MonitorOK, At: at(1), Value: 40}
		alert := wire.MonitorChange{ID: id, State: wire.MonitorAlert, At: at(5), Value: 93.25}
		back := wire.MonitorChange{ID: id, State: wire.MonitorOK, At: at(20), Value: 50}
		again := wire.MonitorChange{ID: id, State: wire.MonitorAlert, At: w.Clock.Now().Add(24 * time.Hour).UnixMicro(), Value: 91}
		strange := wire.MonitorChange{ID: number(w.foreign.monitor), State: wire.MonitorAlert, At: at(2)}
		looks(strange, wire.MonitorChange{ID: id, State: "FINE", At: at(0)}, ok)
		is("OK", "2026-03-01T11:01:00.123456Z")
		if len(beside) != 0 {
			t.Errorf("notified of %v before anything was wrong", beside)
		}
		looks(ok, alert, back, again) // after two hours without a look
		is("ALERT", "2026-03-01T12:00:00.123456Z")
		looks(ok, alert, back, again)
		told := alarms{"alert: Disk space of one crossed its threshold"} // by which it has been all right and is not again
		if diff := cmp.Diff(told, beside); diff != "" {
			t.Errorf("notified of (-want +got):\n%s", diff)
		}
		m := w.Mail.Last(t, "ops@example.com")
		if m.Subject != "Hostler: disk space of one crossed its threshold" || !strings.Contains(m.Text, "93.25%") ||
			!strings.Contains(m.Text, "at or above 90% for 5 minutes") {
			t.Errorf("the mail is %+v", m)
		}
		mails := func(want int) {
			t.Helper()
			n := 0
			for _, m := range w.Mail.all {
				if m.To == "ops@example.com" {
					n++
				}
			}
			if n != want {
				t.Errorf("%d mails, want %d", n, want)
			}
		}
		mails(1)
		// A server that lies has people notified once in ten minutes, and of what is then.
		changes := []wire.MonitorChange{}
		for i := range int64(100) {
			changes = append(changes, wire.MonitorChange{ID: id, State: []string{wire.MonitorOK, wire.MonitorAlert}[i%2], At: again.At + 1 + i})
		}
		changes = append(changes, wire.MonitorChange{ID: id, State: wire.MonitorOK, At: again.At + 200})
		looks(changes...)
		w.Mail.Last(t, "ops@example.com")
		mails(1)
		w.Clock.Move(11 * time.Minute)
		looks(changes...)
		if diff := cmp.Diff(append(told, "recovered: Disk space of one is back to normal"), beside); diff != "" {
			t.Errorf("ten minutes later notified of (-want +got):\n%s", diff)
		}
		if row := must(w.App.DB.Read().Ungranted().GetMonitorByID(t.Context(), number(w.foreign.monitor))); row.State != "UNKNOWN" {
			t.Errorf("another server's monitor is %s", row.State)
		}
	})
}

func urlBody(url string) map[string]any {
	return map[string]any{"type": "url", "operator": "gte", "threshold": 1, "notify": "ops@example.com", "url": url}
}

func TestURLMonitorIsRefused(t *testing.T) {
	t.Parallel()
	w := WorldWith(t, db.SQLite, func(c *app.Config) { c.AllowPrivateEndpoints = false })
	before := w.counts()
	path := w.monitors(w.mine.server)
	for _, url := range []any{
		nil, "", 1, "example.com", "//example.com", "ftp://example.com/", "file:///etc/passwd", "javascript:alert(1)",
		"https://user@example.com/",
		"https://user:secret@example.com/", "https://example.com/#top", "https://example.com/\r\nHost: x", "https://example.com/ x", "https://",
		"https://" + strings.Repeat("a", 2000) + ".com/",
		"http://127.0.0.1/", "http://localhost:8080/", "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://10.0.0.1/", "http://192.168.1.1/", "http://2130706433/",
		"http://0x7f.1/", "http://0177.0.0.1/", "http://0/", "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://metadata.localhost/",
	} {
		body := urlBody("")
		body["url"] = url
		wantFields(t, w.owner.Post(path, body), "url")
	}
	missing := urlBody("")
	delete(missing, "url")
	wantFields(t, w.owner.Post(path, missing), "url")
	other := monitorBody()
	other["url"] = "https://example.com/"
	wantFields(t, w.owner.Post(path, other), "url")
	for field, value := range map[string]any{"operator": "lte", "threshold": 2} {
		body := urlBody("https://example.com/")
		body[field] = value
		wantFields(t, w.owner.Post(path, body), field)
	}
	w.unchangedSince(before)
	for range 20 {
		w.owner.Post(path, urlBody("https://example.com/")).Want(t, 202)
	}
	wantFields(t, w.owner.Post(path, urlBody("https://example.com/")), "type")
}

// webSite is a web server that monitors ask.
type webSite struct {
	*httptest.Server
	status, asked int
}

func newWebSite(t *testing.T) *webSite {
	t.Helper()
	s := &webSite{status: 200}
	s.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		s.asked++
		rw.WriteHeader(s.status)
	}))
	t.Cleanup(s.Close)
	return s
}

// urlMonitor is a monitor that asks a site.
type urlMonitor struct {
	*world
	id     string
	asker  *monitor.Asker
	beside alarms
}

func newURLMonitor(w *world, url string, minutes int) *urlMonitor {
	w.T.Helper()
	m := &urlMonitor{world: w}
	body := urlBody("https://example.com/up?key=secret")
	body["minutes"] = minutes
	a := w.owner.Post(w.monitors(w.mine.engine), body).Want(w.T, 202)
	if got := a.Text("data", "meta", "monitor", "url"); got != "https://example.com/up?key=secret" {
		w.T.Errorf("its URL is %q", got)
	}
	m.id = a.ID()
	w.Tx(func(ctx context.Context, tx *db.Tx) error { // as it is once it is accepted, of a site on this machine
		_, err := tx.SQL.ExecContext(ctx, "UPDATE monitors SET status = 'installed', url = $2 WHERE id = $1", number(m.id), url)
		return err
	})
	m.asker = &monitor.Asker{
		Observer: monitor.Observer{DB: w.App.DB, Mail: w.App.Outbox, Alarm: &m.beside}, Guard: outbound.Guard{AllowPrivate: true},
		Online: func(context.Context, string) bool { return true },
	}
	return m
}

// minutes has some minutes pass, in each of which the URLs are asked.
func (m *urlMonitor) minutes(n int) {
	m.T.Helper()
	for range n {
		m.Clock.Move(time.Minute)
		if err := m.asker.AskURLs(m.T.Context(), monitor.AskURLs{}); err != nil {
			m.T.Fatal(err)
		}
	}
}

func (m *urlMonitor) is(state string) {
	m.T.Helper()
	if got := m.owner.Get(m.monitors(m.mine.engine)+"/"+m.id).Want(m.T, 200).Text("data", "attributes", "state"); got != state {
		m.T.Errorf("it is %s, want %s", got, state)
	}
}

// A URL that fails for its minutes alerts once, and its recovery is reported once.
func TestURLMonitorAlertsOnce(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		s := newWebSite(t)
		m := newURLMonitor(w, s.URL+"/up?key=secret", 3)
		m.minutes(2)
		m.is("UNKNOWN")
		m.minutes(1)
		m.is("OK")
		s.status = 503
		m.minutes(2)
		m.is("OK")
		s.status = 200
		m.minutes(1)
		s.status = 500
		m.minutes(2)
		m.is("OK") // it failed for three minutes, but not in succession
		if len(m.beside) != 0 {
			t.Errorf("notified of %v", m.beside)
		}
		m.minutes(1)
		m.is("ALERT")
		m.minutes(10)
		mail := w.Mail.Last(t, "ops@example.com")
		if mail.Subject != "Hostler: 127.0.0.1 on one-db is down" || !strings.Contains(mail.Text,
			s.URL+"/up was asked at 2026-03-01T12:09:00Z. It answered with 500.\n") ||
			!strings.Contains(mail.Text, "for 3 minutes") || strings.Contains(mail.Text, "secret") {
			t.Errorf("the mail is %+v", mail)
		}
		s.status = 204
		m.minutes(2)
		m.is("ALERT")
		m.minutes(5)
		m.is("OK")
		if diff := cmp.Diff(alarms{"alert: 127.0.0.1 on one-db is down", "recovered: 127.0.0.1 on one-db is up again"}, m.beside); diff != "" {
			t.Errorf("notified of (-want +got):\n%s", diff)
		}
		asked := s.asked
		if err := m.asker.AskURLs(t.Context(), monitor.AskURLs{}); err != nil || s.asked != asked { // another process, in the same minute
			t.Errorf("asked %d times in a minute, %v", s.asked-asked, err)
		}
	})
}

// What Hostler did not see, or could not because it had no network, is no failure.
func TestURLMonitorSendsNoFalseAlarms(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		s := newWebSite(t)
		m := newURLMonitor(w, s.URL, 3)
		m.minutes(3)
		m.is("OK")
		s.status = 500
		m.minutes(2)
		w.Clock.Move(20 * time.Minute) // Hostler was away
		m.minutes(2)
		m.is("OK")
		s.status = 200
		m.minutes(3)

		online := false
		m.asker.Online = func(context.Context, string) bool { return online }
		silent := must(net.Listen("tcp", "127.0.0.1:0")) // connections are made, and nothing comes back
		t.Cleanup(func() { _ = silent.Close() })
		m.asker.Timeout = 20 * time.Millisecond
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE monitors SET url = $2 WHERE id = $1", number(m.id), "http://"+silent.Addr().String()+"/")
			return err
		})
		m.minutes(10)
		m.is("OK")
		if len(m.beside) != 0 {
			t.Errorf("without a network it was notified of %v", m.beside)
		}
		online = true
		m.minutes(2)
		m.is("OK")
		m.minutes(1)
		m.is("ALERT")
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE monitors SET url = $2 WHERE id = $1", number(m.id), s.URL)
			return err
		})
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET revoked = TRUE WHERE id = $1", number(w.mine.engine))
			return err
		})
		asked := s.asked
		m.minutes(5)
		if s.asked != asked {
			t.Errorf("a URL of an archived server was asked %d times", s.asked-asked)
		}
	})
}

// A server says nothing of URLs: Hostler asks them.
func TestServersDoNotJudgeURLs(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	m := newURLMonitor(w, "https://example.com/", 1)
	facts := must(json.Marshal(wire.Facts{OS: "debian", Monitors: []wire.MonitorChange{{ID: number(m.id), State: wire.MonitorAlert, At: 5, Value: 1}}}))
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET facts = $2 WHERE id = $1", number(w.mine.engine), string(facts))
		return err
	})
	if err := m.asker.Watch(t.Context(), query.Server{ID: number(w.mine.engine)}); err != nil {
		t.Fatal(err)
	}
	m.is("UNKNOWN")
}
