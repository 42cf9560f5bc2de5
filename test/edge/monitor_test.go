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
		"type": {nil, "inodes", 1}, "operator": {nil, "eq"}, "threshold": {nil, "90", -1, 100.1}, "minutes": {0, 61, 1.5}, "notify": {nil, "", "ops", "Ops <ops@example.com>", "a@example.com\nBcc: b@example.com"},
	} {
		for _, value := range values {
			body := monitorBody()
			body[field] = value
			wantFields(t, w.owner.Post(w.monitors(w.mine.server), body), field)
		}
	}
	w.unchangedSince(before)
}

// alarms records what people are notified of beside mail.
type alarms []string

func (a *alarms) MonitorChanged(_ context.Context, _ *db.Tx, srv query.Server, what string, alert bool, _ string) error {
	*a = append(*a, srv.Name+" "+what+map[bool]string{true: " alerts", false: " recovered"}[alert])
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
		if diff := cmp.Diff(alarms{"one disk space alerts", "one disk space recovered", "one disk space alerts"}, beside); diff != "" {
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
