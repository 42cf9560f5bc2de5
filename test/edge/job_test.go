package edge

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
)

// cronHost answers queries about the cron of a server.
type cronHost struct {
	started, active bool
	journal         string
	err             error
	asked           int
}

func (h *cronHost) Log(_ context.Context, _ host.Target, q wire.LogQuery) (wire.LogPage, error) {
	h.asked++
	if q.Unit != "" {
		return wire.LogPage{Content: []byte(h.journal)}, h.err
	}
	if h.started {
		return wire.LogPage{Path: q.Files.Paths[0], Content: []byte("2026-01-01T00:00:00Z\n")}, h.err
	}
	return wire.LogPage{}, h.err
}

func (h *cronHost) Units(context.Context, host.Target, []string) ([]wire.UnitState, error) {
	return []wire.UnitState{{Name: "cron.service", Active: map[bool]string{true: "active", false: "failed"}[h.active]}}, h.err
}

func (*cronHost) Target(query.Server) (host.Target, error) { return host.Target{}, nil }

// A job that was due for the first time is looked at: what cron did not start says why, until it starts it.
func TestJobThatCronDoesNotStart(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	h := &cronHost{active: true}
	l := &schedule.Looker{DB: w.App.DB, Hosts: h, Targets: h}
	w.ready(w.mine.server)
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET connection_status = 'connected' WHERE id = $1", number(w.mine.server))
		return err
	})
	a := w.owner.Post(servers+"/"+w.mine.server+"/scheduled-jobs", map[string]any{
		"name": "report", "command": "true", "user": "root", "frequency": "custom", "cron": "*/10 * * * *",
	}).Want(t, 202)
	at := servers + "/" + w.mine.server + "/scheduled-jobs/" + a.ID()
	minutes := func(n int) {
		t.Helper()
		w.Clock.Move(time.Duration(n) * time.Minute)
		if err := l.LookAtJobs(t.Context(), schedule.LookAtJobs{}); err != nil {
			t.Fatal(err)
		}
	}
	wants := func(when, why string) {
		t.Helper()
		got := w.owner.Get(at).Want(t, 200).Text("data", "meta", "job", "unstarted")
		listed := strings.Contains(strings.Join(attention(t, w.owner), "\n"), "job-not-started report")
		if (why == "") != (got == "") || !strings.Contains(got, why) || listed != (why != "") {
			t.Errorf("%s: %q, listed %t; want %q", when, got, listed, why)
		}
	}
	minutes(30)
	if h.asked > 0 {
		t.Error("the server was asked about a job that is not installed")
	}
	w.ended(at, true)
	minutes(1)
	if wants("before it is due", ""); h.asked > 0 {
		t.Error("the server was asked before the job was due")
	}
	h.err = &host.Error{Kind: host.ErrUnreachable, Reason: "it does not answer"}
	minutes(15)
	wants("while the server does not answer", "")
	h.err = nil
	h.journal = "Jan 01 00:00:01 web cron[7]: Error: bad minute; while reading /etc/cron.d/hostler-job-" + a.ID() +
		"\nJan 01 00:00:01 web cron[7]: (*system*hostler-job-" + a.ID() + "0) WRONG FILE OWNER\n"
	minutes(15)
	wants("once it was due", "has not started. The server's cron says: Error: bad minute; while reading /etc/cron.d/hostler-job-")
	h.journal = "Jan 01 00:10:01 web CRON[9]: (root) CMD (/var/lib/hostler/bin/hostler-agent job " + a.ID() + ")\n"
	minutes(15)
	wants("with an agent that does nothing", "Hostler's agent, which did not run it")
	h.active = false
	minutes(15)
	wants("without cron", "cron is not running")
	h.started = true
	minutes(15)
	wants("once it was started", "")
	n := h.asked
	minutes(60)
	if h.asked != n {
		t.Error("the server is asked about a job that has started")
	}
}
