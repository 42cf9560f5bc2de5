package edge

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
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
		want := map[string]any{"type": "cpu_load", "operator": "lte", "threshold": 250.5, "minutes": nil, "notify": "ops@example.com", "status": "installing", "state": "UNKNOWN", "state_changed_at": nil,
			"created_at": "2026-03-01T12:00:00.123456Z", "updated_at": "2026-03-01T12:00:00.123456Z"}
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
		"type": {nil, "fans", 1}, "operator": {nil, "eq"}, "threshold": {nil, "90", -1, 100.1}, "minutes": {0, 61, 1.5},
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
	for _, c := range []struct {
		kind, operator string
		threshold      float64
		state          string
		value          float64
		subject, text  string
	}{
		{"inodes", "gte", 90, "ALERT", 90.5, "inode usage of one-db crossed its threshold", "It measured 90.5% at"},
		{"inodes", "gte", 90, "OK", 12, "inode usage of one-db is back to normal", "at or above 90%"},
		{"reboot_required", "gte", 1, "ALERT", 1, "updates of one-db wait for a reboot", "Updates waited for a reboot at"},
		{"reboot_required", "gte", 1, "OK", 0, "updates of one-db no longer wait for a reboot", "No updates waited"},
		{"certificate_days", "lte", 14, "ALERT", 13.96, "a certificate of one-db is about to end", "had 13.96 days left at"},
		{"certificate_days", "lte", 14, "ALERT", -2, "a certificate of one-db is about to end", "had ended 2 days before"},
		{"certificate_days", "lte", 14, "OK", wire.NoCertificate, "no certificate of one-db is about to end", "No certificate was served at"},
	} {
		body := monitorBody()
		body["type"], body["operator"], body["threshold"], body["notify"] = c.kind, c.operator, c.threshold, c.kind+"@example.com"
		id := w.owner.Post(w.monitors(w.mine.engine), body).Want(t, 202).ID()
		minute++
		before := map[string]string{"OK": "ALERT", "ALERT": "OK"}[c.state]
		facts := must(json.Marshal(wire.Facts{OS: "debian", Monitors: []wire.MonitorChange{
			{ID: number(id), State: before, At: 2 * minute, Value: 1}, {ID: number(id), State: c.state, At: 2*minute + 1, Value: c.value}}}))
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET facts = $2 WHERE id = $1", number(w.mine.engine), string(facts))
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
		if diff := cmp.Diff(alarms{"alert: Disk space of one crossed its threshold", "recovered: Disk space of one is back to normal",
			"alert: Disk space of one crossed its threshold"}, beside); diff != "" {
			t.Errorf("notified of (-want +got):\n%s", diff)
		}
		m := w.Mail.Last(t, "ops@example.com")
		if m.Subject != "Hostler: disk space of one crossed its threshold" || !strings.Contains(m.Text, "91%") || !strings.Contains(m.Text, "at or above 90% for 5 minutes") {
			t.Errorf("the mail is %+v", m)
		}
		n := 0
		for _, m := range w.Mail.all {
			if m.To == "ops@example.com" {
				n++
			}
		}
		if n != 3 {
			t.Errorf("%d mails of 3 changes", n)
		}
		if row := must(w.App.DB.Read().Ungranted().GetMonitorByID(t.Context(), number(w.foreign.monitor))); row.State != "UNKNOWN" {
			t.Errorf("another server's monitor is %s", row.State)
		}
	})
}
