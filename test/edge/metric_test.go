package edge

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/metric"
)

// measured is a host that has measured itself, and where it is.
type measured struct {
	samples []wire.Sample
	asked   []int64
	// sites is what its sites were asked, and askedSites after which minutes that was read.
	sites      []wire.SiteSample
	askedSites []int64
}

func (m *measured) Target(query.Server) (host.Target, error) { return host.Target{}, nil }

func (m *measured) Samples(_ context.Context, _ host.Target, after int64) ([]wire.Sample, error) {
	m.asked = append(m.asked, after)
	return m.samples, nil
}

func (m *measured) SiteSamples(_ context.Context, _ host.Target, after int64) ([]wire.SiteSample, error) {
	m.askedSites = append(m.askedSites, after)
	return m.sites, nil
}

// metrics is a server whose metrics are read.
type metrics struct {
	*world
	host  measured
	watch *metric.Observer
}

func newMetrics(w *world) *metrics {
	m := &metrics{world: w}
	m.watch = &metric.Observer{DB: w.App.DB, Hosts: &m.host, Targets: &m.host}
	return m
}

// now is the minute that it is on the server.
func (m *metrics) now() int64 { return m.Clock.Now().Unix() / 60 }

// look has the panel look at a server that measured these.
func (m *metrics) look(samples ...wire.Sample) {
	m.T.Helper()
	m.lookAt(m.mine.server, samples...)
}

func (m *metrics) lookAt(server string, samples ...wire.Sample) {
	m.T.Helper()
	m.host.samples = samples
	if err := m.watch.Watch(m.T.Context(), query.Server{ID: number(server)}); err != nil {
		m.T.Fatal(err)
	}
}

// list returns an attribute of a range as texts.
func (m *metrics) list(span, name string) []string {
	m.T.Helper()
	var out []string
	for _, v := range m.owner.Get("/orgs/acme/servers/"+m.mine.server+"/metrics?range="+span).Want(m.T, 200).At("data", "attributes", name).([]any) {
		out = append(out, fmt.Sprint(v))
	}
	return out
}

// known returns the places and values of a list that are not null.
func known(list []string) map[int]string {
	out := map[int]string{}
	for i, v := range list {
		if v != "<nil>" {
			out[i] = v
		}
	}
	return out
}

func sampleAt(minute int64, cpu float32) wire.Sample {
	return wire.Sample{Minute: minute, Values: [wire.Metrics]float32{
		wire.MetricCPU: cpu, wire.MetricLoad: 2 * cpu, wire.MetricMemory: 40, wire.MetricDisk: 12.34,
		wire.MetricReceived: 1000, wire.MetricSent: wire.Unknown,
	}}
}

func TestMetricsAreAveraged(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		m := newMetrics(w)
		now := m.now() // noon: the last step of each range began just now
		var samples []wire.Sample
		for i := int64(0); i < 3*60; i++ {
			if i >= 60 && i < 120 {
				continue // the host was off
			}
			samples = append(samples, sampleAt(now-i, float32(i)))
		}
		for i, j := 0, len(samples)-1; i < j; i, j = i+1, j-1 {
			samples[i], samples[j] = samples[j], samples[i]
		}
		m.look(samples...)
		for name, want := range map[string]int{"1h": 60, "24h": 288, "7d": 336, "30d": 360} {
			if got := len(m.list(name, "cpu")); got != want {
				t.Errorf("%s has %d steps, want %d", name, got, want)
			}
		}
		hour := m.list("1h", "cpu")
		if hour[59] != "0" || hour[0] != "59" || len(known(hour)) != 60 {
			t.Errorf("the last hour is %v", hour)
		}
		day := known(m.list("24h", "cpu"))
		want := map[int]string{287: "0", 286: "3", 285: "8", 284: "13"} // minutes 1 to 5 ago are one step
		for i, v := range want {
			if day[i] != v {
				t.Errorf("step %d of a day is %s, want %s", i, day[i], v)
			}
		}
		if _, ok := day[287-20]; ok || len(day) != 26 {
			t.Errorf("a day has %v", day)
		}
		if diff := cmp.Diff(map[int]string{335: "0", 334: "15.5", 333: "45", 331: "120", 330: "135.5", 329: "165"}, known(m.list("7d", "cpu"))); diff != "" {
			t.Errorf("a week (-want +got):\n%s", diff)
		}
		a := m.owner.Get("/orgs/acme/servers/"+m.mine.server+"/metrics").Want(t, 200)
		for name, want := range map[string]string{"range": "24h", "from": "2026-02-28T12:05:00.000000Z", "until": "2026-03-01T12:05:00.000000Z"} {
			if got := a.Text("data", "attributes", name); got != want {
				t.Errorf("%s is %s, want %s", name, got, want)
			}
		}
		if got := known(m.list("1h", "network_sent")); len(got) != 0 {
			t.Errorf("what was never measured is %v", got)
		}
		if got := m.list("1h", "disk")[0]; got != "12.34" {
			t.Errorf("the disk is %s", got)
		}
	})
}

// What was measured while Hostler was away is there afterwards, each look asks for what is new only, and a host can't invent time.
func TestMetricsOfAnAbsenceAreKept(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		m := newMetrics(w)
		began := m.now()
		m.look(sampleAt(began-1, 10), sampleAt(began, 20))
		m.look(sampleAt(began-1, 99), sampleAt(began, 99)) // what is known is not written again
		if got := known(m.list("1h", "cpu")); got[58] != "10" || got[59] != "20" {
			t.Errorf("two minutes are %v", got)
		}
		w.Clock.Move(40 * time.Minute)
		var away []wire.Sample
		for i := int64(1); i <= 40; i++ {
			away = append(away, sampleAt(began+i, 50))
		}
		future := append(away, sampleAt(began+1000, 1), sampleAt(began+41, -7))
		m.look(future...)
		if got := known(m.list("1h", "cpu")); len(got) != 42 || got[19] != "20" || got[20] != "50" || got[59] != "50" {
			t.Errorf("after 40 minutes away there are %d minutes: %v", len(got), got)
		}
		w.Clock.Move(5 * 24 * time.Hour)
		now := m.now()
		// By now retention has deleted the minutes: the averages go on where they ended.
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "DELETE FROM metrics WHERE step = 1")
			return err
		})
		before := known(m.list("7d", "cpu"))
		m.look(append(away[29:], sampleAt(now-60, 70), sampleAt(now-59, 90))...)
		if diff := cmp.Diff([]int64{began - wire.RingMinutes, began, began, began + 29}, m.host.asked); diff != "" {
			t.Errorf("asked for what came after (-want +got):\n%s", diff)
		}
		after := known(m.list("7d", "cpu"))
		for step, v := range before {
			if after[step] != v {
				t.Errorf("step %d was %s and is %s", step, v, after[step])
			}
		}
		if len(after) != len(before)+1 {
			t.Errorf("a week had %v and has %v", before, after)
		}
	})
}

func TestMetricsAreRefused(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	for _, span := range []string{"2h", "30D", "1h,24h", "-1", "%27"} {
		wantFields(t, w.owner.Get("/orgs/acme/servers/"+w.mine.server+"/metrics?range="+span), "range")
	}
	m := newMetrics(w)
	w.Tx(func(ctx context.Context, tx *db.Tx) error { // archived while it was asked
		_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET revoked = TRUE WHERE id = $1", number(w.mine.server))
		return err
	})
	m.look(sampleAt(m.now(), 1))
	if got := known(m.list("1h", "cpu")); len(got) != 0 {
		t.Errorf("an archived server measured %v", got)
	}
}

// happened inserts the event of an operation that ended some time ago, or of a finding of drift.
func (w *world) happened(server, site, description string, ago time.Duration, kind, resource string) (id int64) {
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		at := w.Clock.Now().Add(-ago).UnixMicro()
		srv := number(server)
		var on *int64
		if site != "" {
			on = new(number(site))
		}
		var organization int64
		if err := tx.SQL.QueryRowContext(ctx, "SELECT organization_id FROM servers WHERE id = $1", srv).Scan(&organization); err != nil {
			return err
		}
		row, err := tx.InsertEvent(ctx, query.InsertEventParams{
			OrganizationID: organization, ServerID: &srv, SiteID: on, Description: description, CreatedAt: at,
			UpdatedAt: at,
		})
		if err != nil {
			return err
		}
		id = row.ID
		if kind == "drift" {
			return job.Say(ctx, tx, id, job.Piece{Kind: "drift", Step: "x", Content: "y"})
		}
		var op int64
		err = tx.SQL.QueryRowContext(ctx, `INSERT INTO operations (organization_id, server_id, aspect, resource_type, resource_id, action, description, request,
			state, step, reason, attempt, cancelled, deadline, event_id, needs, created_at, updated_at)
			VALUES ($1, $2, $3, $4, 1, 'create', $5, '{}', 'succeeded', '', '', 1, FALSE, $6, $7, '', $6, $6) RETURNING id`,
			organization, srv, kind, resource, description, at, id).Scan(&op)
		if err != nil {
			return err
		}
		_, err = tx.SQL.ExecContext(ctx, "UPDATE events SET operation_id = $2 WHERE id = $1", id, op)
		return err
	})
	return id
}

// Deployments, reboots and findings of drift are marks, those of this server and this time.
func TestMetricsHaveMarks(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		mine := w.mine.server
		event := func(server, description string, ago time.Duration, kind, resource string) int64 {
			return w.happened(server, "", description, ago, kind, resource)
		}
		event(mine, "Deploying long ago", 3*time.Hour, "deployment:1", "deployments")
		event(w.mine.engine, "Rebooting another", time.Minute, "reboot", "servers")
		event(mine, "Updating firewall rule", time.Minute, "firewall", "firewallRules")
		drift := event(mine, "Drift found on one", 30*time.Minute, "drift", "")
		deployed := event(mine, "Deploying x.example.com", 20*time.Minute, "deployment:1", "deployments")
		rebooted := event(mine, "Rebooting one", 10*time.Minute, "reboot", "servers")
		got := w.owner.Get("/orgs/acme/servers/"+mine+"/metrics?range=1h").Want(t, 200).At("data", "attributes", "marks")
		want := []any{
			map[string]any{"kind": "drift", "at": "2026-03-01T11:30:00.123456Z", "event_id": float64(drift), "description": "Drift found on one"},
			map[string]any{"kind": "deployment", "at": "2026-03-01T11:40:00.123456Z", "event_id": float64(deployed), "description": "Deploying x.example.com"},
			map[string]any{"kind": "reboot", "at": "2026-03-01T11:50:00.123456Z", "event_id": float64(rebooted), "description": "Rebooting one"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("marks (-want +got):\n%s", diff)
		}
	})
}

// The fleet is averaged over the servers that the caller sees; bytes are added up.
func TestFleetMetrics(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		m := newMetrics(w)
		const path = "/orgs/acme/servers/metrics"
		empty := w.owner.Get(path).Want(t, 200)
		if got := empty.At("data", "attributes", "servers").([]any); len(got) != 0 {
			t.Errorf("servers without metrics are %v", got)
		}
		if got := empty.At("data", "attributes", "cpu").([]any); len(got) != 48 || got[47] != nil {
			t.Errorf("nothing is %v", got)
		}
		now := m.now()
		m.look(sampleAt(now-1, 10), sampleAt(now, 20))
		m.lookAt(w.mine.engine, sampleAt(now-1, 50), sampleAt(now, 50))
		for span, want := range map[string]struct{ steps, step, known int }{"": {48, 1800, 2}, "1h": {30, 120, 2}, "7d": {42, 14400, 2}, "30d": {60, 43200, 2}} {
			a := w.owner.Get(path+"?range="+span).Want(t, 200)
			at := func(name string) []any { return a.At("data", "attributes", name).([]any) }
			if len(at("cpu")) != want.steps || a.At("data", "attributes", "step") != float64(want.step) {
				t.Errorf("%q has %d steps of %v", span, len(at("cpu")), a.At("data", "attributes", "step"))
			}
			if got := len(at("servers")); got != want.known {
				t.Errorf("%q has %d servers", span, got)
			}
		}
		a := w.owner.Get(path+"?range=30d").Want(t, 200)
		last := func(name string) any { list := a.At("data", "attributes", name).([]any); return list[len(list)-1] }
		if last("cpu") != 35.0 || last("network_received") != 2000.0 || last("network_sent") != nil {
			t.Errorf("the last step has %v %v %v", last("cpu"), last("network_received"), last("network_sent"))
		}
		wantFields(t, w.owner.Get(path+"?range=2h"), "range")
		for _, s := range w.stranger.Get("/orgs/other/servers/metrics").Want(t, 200).At("data", "attributes", "servers").([]any) {
			t.Errorf("another organization sees %v", s)
		}
	})
}

// What is shared with a team alone is in the fleet of its members alone.
func TestFleetMetricsOfTeams(t *testing.T) {
	t.Parallel()
	s := newShared(New(t, db.SQLite))
	at := s.Clock.Now().UnixMicro() / 60e6
	packed := make([]byte, 48*wire.Metrics*4) // all zero: measured, and idle
	s.Tx(func(ctx context.Context, tx *db.Tx) error {
		for _, id := range []string{s.mine, s.theirs, s.open} {
			if err := tx.PutMetric(ctx, number(id), 30, (at-at%1440)*60e6, packed); err != nil {
				return err
			}
		}
		return nil
	})
	for name, tc := range map[string]struct {
		client *Client
		sees   int
	}{"owner": {s.owner, 3}, "insider": {s.insider, 2}, "outsider": {s.outsider, 1}, "guest": {s.guest, 1}} {
		if got := tc.client.Get("/orgs/acme/servers/metrics").Want(t, 200).At("data", "attributes", "servers").([]any); len(got) != tc.sees {
			t.Errorf("%s sees %v", name, got)
		}
	}
}

func asked(site string, minute int64, counts ...uint32) wire.SiteSample {
	return wire.SiteSample{Site: number(site), Minute: minute, Counts: counts}
}

// lookAtSites has the panel look at a server whose sites were asked this.
func (m *metrics) lookAtSites(samples ...wire.SiteSample) {
	m.T.Helper()
	m.host.samples, m.host.sites = nil, samples
	if err := m.watch.Watch(m.T.Context(), query.Server{ID: number(m.mine.server)}); err != nil {
		m.T.Fatal(err)
	}
}

func (m *metrics) sitePath(site string) string {
	return "/orgs/acme/servers/" + m.mine.server + "/sites/" + site + "/metrics"
}

// requests returns a list of a site's metrics as texts, at their places.
func (m *metrics) requests(site, span, name string) map[int]string {
	m.T.Helper()
	var out []string
	for _, v := range m.owner.Get(m.sitePath(site)+"?range="+span).Want(m.T, 200).At("data", "attributes", name).([]any) {
		out = append(out, fmt.Sprint(v))
	}
	return known(out)
}

// What a site was asked is read with what its server measured, what is new of it only, and averaged to requests a minute.
func TestRequestsOfSitesAreAveraged(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		m := newMetrics(w)
		now, site := m.now(), w.mine.site
		m.lookAtSites(asked(site, now-1, 100, 7, 1, 64, 150, 12), asked(site, now, 4, 0, 0))
		for name, want := range map[string]map[int]string{
			"requests": {58: "100", 59: "4"}, "client_errors": {58: "7", 59: "0"},
			"server_errors": {58: "1", 59: "0"}, "memory": {58: "64"}, "cpu": {58: "150"}, "tasks": {58: "12"},
		} {
			if diff := cmp.Diff(want, m.requests(site, "1h", name)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		w.Clock.Move(10 * time.Minute)
		m.lookAtSites(asked(site, now, 99, 99, 99), asked(site, now+1, 10, 10, 0), asked(site, now+10, 0, 0, 0), asked(site, now+60, 9, 9, 9))
		if diff := cmp.Diff(map[int]string{48: "100", 49: "4", 50: "10", 59: "0"}, m.requests(site, "1h", "requests")); diff != "" {
			t.Errorf("after ten minutes (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[int]string{334: "100", 335: "4.67"}, m.requests(site, "7d", "requests")); diff != "" {
			t.Errorf("a week (-want +got):\n%s", diff)
		}
		m.lookAtSites()
		if diff := cmp.Diff([]int64{now - wire.RingMinutes, now, now + 10}, m.host.askedSites); diff != "" {
			t.Errorf("asked for what came after (-want +got):\n%s", diff)
		}
		a := w.owner.Get(m.sitePath(site)+"?range=30d").Want(t, 200)
		if a.ID() != site || a.At("data", "type") != "siteMetrics" || len(a.At("data", "attributes", "server_errors").([]any)) != 360 {
			t.Errorf("a month of site %s is %v", site, a.At("data", "type"))
		}
		for _, span := range []string{"2h", "%27"} {
			wantFields(t, w.owner.Get(m.sitePath(site)+"?range="+span), "range")
		}
		w.Clock.Move(3 * 24 * time.Hour) // retention deletes minutes; what is kept by half hours goes on
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "DELETE FROM site_metrics WHERE step = 1")
			return err
		})
		m.lookAtSites()
		if got := m.host.askedSites[3]; got != now-1 {
			t.Errorf("asked for what came after %d, want %d", got-now, -1)
		}
		if diff := cmp.Diff(map[int]string{335 - 3*48 - 1: "100", 335 - 3*48: "4.67"}, m.requests(site, "7d", "requests")); diff != "" {
			t.Errorf("a week, three days later (-want +got):\n%s", diff)
		}
	})
}

// A server reports requests of its own sites only. A site's metrics are deleted with it.
func TestServersCountOnlyTheirSites(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		m := newMetrics(w)
		now := m.now()
		m.lookAtSites(asked(w.mine.site, now, 1, 0, 0), asked(w.other.site, now, 2, 0, 0), asked(w.foreign.site, now, 3, 0, 0), asked("999999", now, 4, 0, 0),
			asked("0", now, 5, 0, 0), wire.SiteSample{Site: -1, Minute: now})
		if diff := cmp.Diff(map[int]string{59: "1"}, m.requests(w.mine.site, "1h", "requests")); diff != "" {
			t.Errorf("its own site (-want +got):\n%s", diff)
		}
		rows := func() (n int) {
			if err := w.App.DB.SQLDB().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM site_metrics").Scan(&n); err != nil {
				t.Fatal(err)
			}
			return n
		}
		if n := rows(); n != 2 {
			t.Errorf("%d rows are kept of one site", n)
		}
		w.owner.Get("/orgs/acme/servers/"+w.other.server+"/sites/"+w.mine.site+"/metrics").Want(t, 404)
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET revoked = TRUE WHERE id = $1", number(w.mine.server))
			return err
		})
		w.Clock.Move(time.Minute)
		m.lookAtSites(asked(w.mine.site, now+1, 9, 9, 9)) // archived while it was asked
		if diff := cmp.Diff(map[int]string{58: "1"}, m.requests(w.mine.site, "1h", "requests")); diff != "" {
			t.Errorf("of an archived server (-want +got):\n%s", diff)
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.DeleteSite(ctx, number(w.mine.site))
			return err
		})
		if n := rows(); n != 0 {
			t.Errorf("%d rows are kept of a site that is gone", n)
		}
	})
}

// Deployments of the site and reboots of its server are marks, and not those of its neighbours.
func TestMetricsOfSitesHaveMarks(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		mine := w.mine.server
		w.happened(mine, w.mine.site, "Deploying long ago", 3*time.Hour, "deployment:1", "deployments")
		w.happened(mine, w.mine.balancerSite, "Deploying another", 2*time.Minute, "deployment:2", "deployments")
		w.happened(mine, w.mine.site, "Adding a domain", 2*time.Minute, "site:1", "domains")
		w.happened(mine, "", "Drift found on one", 2*time.Minute, "drift", "")
		w.happened(w.mine.engine, "", "Rebooting another", 2*time.Minute, "reboot", "servers")
		deployed := w.happened(mine, w.mine.site, "Deploying x.example.com", 20*time.Minute, "deployment:1", "deployments")
		rebooted := w.happened(mine, "", "Rebooting one", 10*time.Minute, "reboot", "servers")
		got := w.owner.Get((&metrics{world: w}).sitePath(w.mine.site)+"?range=1h").Want(t, 200).At("data", "attributes", "marks")
		want := []any{
			map[string]any{"kind": "deployment", "at": "2026-03-01T11:40:00.123456Z", "event_id": float64(deployed), "description": "Deploying x.example.com"},
			map[string]any{"kind": "reboot", "at": "2026-03-01T11:50:00.123456Z", "event_id": float64(rebooted), "description": "Rebooting one"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("marks (-want +got):\n%s", diff)
		}
	})
}
