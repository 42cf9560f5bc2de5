package job_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// setUpHosts is a fleet whose servers differ from what the newest version sets up, until they are repaired.
type setUpHosts struct {
	*fleet
	of     sync.Mutex
	differ map[int64][]wire.Difference
	edited map[int64][]string // own files that were changed by hand
}

func (h *setUpHosts) Edited(_ context.Context, t host.Target) ([]string, error) {
	h.of.Lock()
	defer h.of.Unlock()
	return h.edited[t.ServerID], nil
}

func (h *setUpHosts) Drift(_ context.Context, t host.Target, _ wire.Change) (wire.Drift, error) {
	h.of.Lock()
	defer h.of.Unlock()
	return wire.Drift{Differences: slices.Clone(h.differ[t.ServerID])}, nil
}

// rollout is a bench with servers that are repaired by an aspect of the test.
type rollout struct {
	*bench
	hosts   *setUpHosts
	servers []query.Server
	mu      sync.Mutex
	begun   []string
	blocked map[string]chan bool // whether the repair of a server succeeds, by its name
}

func newRollout(t *testing.T, servers int) *rollout {
	t.Helper()
	r := &rollout{blocked: map[string]chan bool{}}
	r.bench = newBenchWith(t, func(*bench) map[string]job.Aspect {
		return map[string]job.Aspect{"mend": {Plan: r.plan, Write: r.write}}
	})
	r.hosts = &setUpHosts{fleet: r.fleet, differ: map[int64][]wire.Difference{}, edited: map[int64][]string{}}
	r.fleet.say(func(run wire.Run) (wire.Result, error) {
		name := strings.TrimPrefix(run.Change.Steps[0].File.Path, "/etc/new-")
		r.mu.Lock()
		blocked := r.blocked[name]
		r.mu.Unlock()
		if blocked != nil && !<-blocked {
			return wire.Result{ID: run.ID, State: wire.StateFailed, Reason: "nginx refuses it"}, nil
		}
		return done(run)
	})
	for i := 2; i <= servers; i++ {
		r.add(r.grant.OrganizationID, fmt.Sprintf("web%d", i))
	}
	r.read()
	return r
}

// add makes a connected server of an organization.
func (r *rollout) add(organization int64, name string) {
	r.t.Helper()
	connected := "connected"
	r.tx(func(ctx context.Context, tx *db.Tx) error {
		s, err := tx.InsertServer(ctx, query.InsertServerParams{
			OrganizationID: organization, Name: name, Slug: name, Type: "web", Provider: "custom", Status: "ready", SSHPort: 22, SSHUser: "root", Timezone: "UTC",
		})
		if err == nil {
			err = tx.SetServerIdentity(ctx, query.SetServerIdentityParams{ID: s.ID, HostKeys: name, SSHPort: 22, Facts: "{}"})
		}
		if err == nil {
			err = tx.SetServerStatus(ctx, query.SetServerStatusParams{ID: s.ID, Status: "ready", ConnectionStatus: &connected, IsReady: true})
		}
		return err
	})
}

func (r *rollout) read() {
	r.t.Helper()
	var err error
	if r.servers, err = db.All[query.Server](r.t.Context(), r.db.Reader(), "servers"); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rollout) plan(_ context.Context, _ *query.Queries, s query.Server, included []query.Operation) ([]job.Stage, error) {
	if len(included) == 0 {
		return nil, nil
	}
	return []job.Stage{{Name: "set up", Change: wire.Change{Steps: []wire.Step{{Name: "new", File: &wire.File{Path: "/etc/new-" + s.Name}}}}}}, nil
}

func (r *rollout) write(ctx context.Context, tx *db.Tx, op query.Operation, at job.State) error {
	if !at.Done() {
		return nil
	}
	r.hosts.of.Lock()
	delete(r.hosts.differ, op.ServerID)
	r.hosts.of.Unlock()
	return job.RolledOut(ctx, tx, op)
}

func (r *rollout) repair(ctx context.Context, tx *db.Tx, s query.Server, description string) (int64, error) {
	r.mu.Lock()
	r.begun = append(r.begun, s.Name)
	r.mu.Unlock()
	grant := r.grant
	grant.OrganizationID = s.OrganizationID
	a, err := r.queue.Begin(ctx, tx, job.Work{
		Grant: grant, ServerID: s.ID, Ready: true, Aspect: "mend", Resource: "servers", ResourceID: s.ID, Action: "repair", Description: description,
		RanAs: "root", Within: time.Minute,
	})
	return a.OperationID, err
}

// program returns the engine of a version of the program.
func (r *rollout) program(version string, hold bool) *job.Engine {
	whole := *r.whole
	whole.Fleet = r.hosts
	whole.Aspects = maps.Clone(r.whole.Aspects)
	return job.NewEngine(job.EngineConfig{
		Whole: &whole, Box: r.box, Queue: r.queue, Log: slog.New(slog.DiscardHandler), Rollout: job.Rollout{Version: version, Hold: hold, Repair: r.repair},
	})
}

// round rolls out, and returns whose repair began in it.
func (r *rollout) round(e *job.Engine) []string {
	r.t.Helper()
	r.mu.Lock()
	r.begun = nil
	r.mu.Unlock()
	if err := e.RollOut(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.begun)
}

func (r *rollout) wants(when string, got []string, want ...string) {
	r.t.Helper()
	if !slices.Equal(got, want) {
		r.t.Errorf("%s: the repairs of %q began, want %q", when, got, want)
	}
}

// ended waits until no repair is open.
func (r *rollout) ended() {
	r.t.Helper()
	r.until("the repairs end", func() bool {
		open, err := db.All[query.Operation](r.t.Context(), r.db.Reader(), "operations", db.Equal("state", job.StatePending, job.StateRunning))
		return err == nil && len(open) == 0
	})
}

// block makes the repair of a server wait for its result.
func (r *rollout) block(name string) chan bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.blocked[name] = make(chan bool, 1)
	return r.blocked[name]
}

func (r *rollout) named(name string) query.Server {
	return r.servers[slices.IndexFunc(r.servers, func(s query.Server) bool { return s.Name == name })]
}

func (r *rollout) text(name string) string {
	r.t.Helper()
	texts, _, err := job.Outdated(r.t.Context(), r.db.Reader(), r.db.Read(), r.named(name).OrganizationID)
	if err != nil {
		r.t.Fatal(err)
	}
	return texts[r.named(name).ID]
}

// newer makes all servers differ from what a newer version sets up.
func (r *rollout) newer() {
	r.hosts.of.Lock()
	defer r.hosts.of.Unlock()
	for _, s := range r.servers {
		r.hosts.differ[s.ID] = []wire.Difference{{Step: "set up", Path: "/etc/new", What: "missing"}}
	}
}

// What a newer program sets up is put on one server, then on two, then on four; the first failure stops it until that server is repaired. None of it is
// reported as drift.
func TestNewerVersionIsRolledOut(t *testing.T) {
	t.Parallel()
	r := newRollout(t, 8)
	r.wants("servers that the version set up itself", r.round(r.program("v1.0.0", false)))
	r.newer()
	by := wire.Difference{Step: "set up", Path: "/etc/old", What: "content", Diff: "-by hand\n"}
	changed, away := r.servers[7], r.servers[6]
	disconnected := "disconnected"
	r.tx(func(ctx context.Context, tx *db.Tx) error {
		if err := tx.PutSetting(ctx, fmt.Sprintf("drift:%d", changed.ID), "told"); err != nil {
			return err
		}
		return tx.SetServerStatus(ctx, query.SetServerStatusParams{ID: away.ID, Status: "ready", ConnectionStatus: &disconnected, IsReady: true})
	})
	e := r.program("v1.1.0", false)
	if err := e.LookForDrift(t.Context()); err != nil {
		t.Fatal(err)
	}
	first, second := r.block("web"), r.block("web3")
	r.wants("the first group", r.round(e), "web")
	r.wants("while it is open", r.round(e))
	if got := r.text("web2"); !strings.Contains(got, "(1 difference)") || !strings.Contains(got, "group 2 of 3") {
		t.Errorf("web2: %q", got)
	}
	if got := r.text("web8"); !strings.Contains(got, "until someone repairs") {
		t.Errorf("a server that was changed by hand: %q", got)
	}
	first <- true
	r.ended()
	r.wants("the second group", r.round(e), "web2", "web3")
	second <- false
	r.ended()
	r.wants("after a failure", r.round(e))
	if got := r.text("web3"); !strings.Contains(got, "failed") {
		t.Errorf("the server that failed: %q", got)
	}
	if got := r.text("web4"); !strings.Contains(got, "failed on another server") {
		t.Errorf("a server that waits: %q", got)
	}
	r.hosts.of.Lock()
	waiting := r.servers[3].ID
	r.hosts.differ[waiting] = append(r.hosts.differ[waiting], by)
	r.hosts.of.Unlock()
	for range 2 {
		if err := e.LookForDrift(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	events, err := db.All[query.Event](t.Context(), r.db.Reader(), "events", db.Cond{SQL: "description LIKE 'Drift found on %'"})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, ev := range events {
		if names = append(names, ev.Description); *ev.ServerID == waiting &&
			(strings.Contains(r.output(ev.ID), "/etc/new") || !strings.Contains(r.output(ev.ID), "/etc/old")) {
			t.Errorf("%s: the event says %q", ev.Description, r.output(ev.ID))
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"Drift found on web4", "Drift found on web8"}) {
		t.Errorf("told: %q", names)
	}
	r.mu.Lock()
	delete(r.blocked, "web3")
	r.mu.Unlock()
	r.tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := r.repair(ctx, tx, r.servers[2], "Repairing web3")
		return err
	})
	r.ended()
	r.wants("the third group", r.round(e), "web4", "web5", "web6")
	r.ended()
	r.wants("at the end", r.round(e))
	r.wants("of a version before, which is still running as a replica", r.round(r.program("v1.0.0", false)))
}

// Held, it begins nothing, and says so; a repair that someone asks for is enough for its server.
func TestRolloutIsHeld(t *testing.T) {
	t.Parallel()
	r := newRollout(t, 2)
	r.round(r.program("v1.0.0", false))
	r.newer()
	e := r.program("v1.1.0", true)
	r.wants("held", r.round(e))
	if got := r.text("web2"); !strings.Contains(got, "hold-rollout") {
		t.Errorf("web2: %q", got)
	}
	r.tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := r.repair(ctx, tx, r.servers[1], "Repairing web2")
		return err
	})
	r.ended()
	if got := r.text("web2"); got != "" {
		t.Errorf("after its repair: %q", got)
	}
	r.wants("no longer held", r.round(r.program("v1.1.0", false)), "web")
	r.wants("a program that is no release", r.round(r.program("dev", false)))
}

// A file that was changed by hand a moment before an update is no difference of the update's: its server is left to a person.
func TestRolloutLeavesWhatWasChangedByHand(t *testing.T) {
	t.Parallel()
	r := newRollout(t, 2)
	r.round(r.program("v1.0.0", false))
	r.newer()
	r.hosts.of.Lock()
	r.hosts.edited[r.named("web").ID] = []string{"/etc/new"}
	r.hosts.of.Unlock()
	r.wants("the first group", r.round(r.program("v1.1.0", false)), "web2")
	if got := r.text("web"); !strings.Contains(got, "until someone repairs") {
		t.Errorf("web: %q", got)
	}
}

// A server that fails holds up those of its organization, and no others.
func TestRolloutOfAnOrganizationStopsNoOther(t *testing.T) {
	t.Parallel()
	r := newRollout(t, 2)
	var other query.Organization
	r.tx(func(ctx context.Context, tx *db.Tx) (err error) {
		other, err = tx.InsertOrganization(ctx, "Other", "other", 1, 1)
		return err
	})
	r.add(other.ID, "other1")
	r.add(other.ID, "other2")
	r.read()
	r.round(r.program("v1.0.0", false))
	r.newer()
	e := r.program("v1.1.0", false)
	blocked := r.block("web")
	begun := r.round(e)
	slices.Sort(begun)
	r.wants("the first of each", begun, "other1", "web")
	blocked <- false
	r.ended()
	r.wants("after the failure of the one", r.round(e), "other2")
}
