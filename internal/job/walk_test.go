package job_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/clock"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/firewall"
	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/ledger"
	"github.com/hostlerhq/hostler/internal/secret"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// line is what connects the panel with a host in a walk.
type line int

const (
	up         line = iota
	cut             // the host can't be reached
	lostBefore      // the request may have arrived, but did not
	lostAfter       // the host did it, and its answer was lost
	slow            // the host works until it is told to stop, or the line is up again
)

// modelHost is a host that keeps one file, refuses what is poisoned, and remembers its runs.
type modelHost struct {
	mu      sync.Mutex
	line    line
	changed chan struct{} // closed when the line changes
	content string
	ended   map[string]wire.Result
	starts  map[string]int
	stop    map[string]chan struct{}
}

// poisoned is in the port of every rule that the host refuses.
const poisoned = "666"

func (h *modelHost) Forget(int64) {}

func (h *modelHost) set(l line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.line = l
	close(h.changed)
	h.changed = make(chan struct{})
}

var errLine = &host.Error{Kind: host.ErrUnreachable, Reason: "the server does not answer"}

func (h *modelHost) RunConfirmed(ctx context.Context, _ host.Target, run wire.Run, _ host.Check, on func(wire.Event)) (wire.Result, error) {
	h.mu.Lock()
	now := h.line
	h.mu.Unlock()
	if now == cut {
		return wire.Result{}, fmt.Errorf("%w: %w", host.ErrNotSent, errLine)
	}
	on(wire.Event{Kind: host.Sent})
	if now == lostBefore {
		return wire.Result{}, errLine
	}
	result := h.begin(ctx, run, now)
	if now == lostAfter || ctx.Err() != nil {
		return wire.Result{}, errLine
	}
	return result, nil
}

// begin does the work of a run once, whoever asks for it how often.
func (h *modelHost) begin(ctx context.Context, run wire.Run, l line) wire.Result {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l == slow && h.line == slow {
		if r, ok := h.ended[run.ID]; ok {
			return r
		}
		stop, ok := h.stop[run.ID]
		if !ok {
			stop = make(chan struct{})
			h.stop[run.ID] = stop
		}
		changed := h.changed
		h.mu.Unlock()
		select {
		case <-changed:
		case <-stop:
			h.mu.Lock()
			h.ended[run.ID] = wire.Result{ID: run.ID, State: wire.StateCancelled, Restored: true}
			return h.ended[run.ID]
		case <-ctx.Done():
			h.mu.Lock()
			return wire.Result{}
		}
		h.mu.Lock()
	}
	if r, ok := h.ended[run.ID]; ok {
		return r
	}
	h.starts[run.ID]++
	r := wire.Result{ID: run.ID, State: wire.StateSucceeded, Changed: true}
	if text := rules(run); strings.Contains(text, poisoned) {
		r = wire.Result{ID: run.ID, State: wire.StateFailed, FailedStep: "check firewall rules", Reason: "exit 1", Restored: true}
	} else {
		h.content = text
	}
	h.ended[run.ID] = r
	return r
}

func (h *modelHost) Drift(_ context.Context, _ host.Target, change wire.Change) (wire.Drift, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if got := rules(wire.Run{Change: &change}); got != h.content {
		return wire.Drift{Differences: []wire.Difference{{What: "content", Diff: got + "\n--- on the host\n" + h.content}}}, nil
	}
	return wire.Drift{}, nil
}

func (h *modelHost) Cancel(_ context.Context, _ host.Target, id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.line == cut {
		return errLine
	}
	stop, ok := h.stop[id]
	if !ok {
		return errors.New("no such run")
	}
	select {
	case <-stop:
	default:
		close(stop)
	}
	return nil
}

// A move is one step of a walk. Which of the resources or operations at hand it is about, n says, whatever their number.
type move struct {
	what string
	n    int
}

var moves = []string{"create", "create", "create", "poison", "batch", "delete", "delete", "cancel", "cancel", "retry", "deadline", "cut", "lost before", "lost after", "slow", "heal", "heal", "kill", "quiet"}

func (m move) String() string { return fmt.Sprintf("{%q, %d}", m.what, m.n) }

// walker is a panel, a host and what was asked of them.
type walker struct {
	ctx    context.Context
	db     *db.DB
	box    *secret.Box
	host   *modelHost
	queue  *job.Queue
	engine *job.Engine
	ledger *ledger.Ledger
	server query.Server
	grant  access.Grant
	port   int
}

func (w *walker) start() error {
	log := slog.New(slog.DiscardHandler)
	w.ledger = ledger.New(firewall.Rules)
	w.engine = job.NewEngine(job.EngineConfig{DB: w.db, Box: w.box, Fleet: w.host, Targets: targets{}, Log: log, First: "provision", Last: "remove",
		Aspects: map[string]job.Aspect{firewall.Aspect: ledger.Aspect{Ledger: w.ledger, Plans: firewall.Plan}}})
	workers := job.NewWorkers()
	w.engine.Work(workers)
	var err error
	if w.queue, err = job.NewQueue(job.Config{DB: w.db, Log: log, Workers: workers, Parallel: 4}); err != nil {
		return err
	}
	w.engine.Bind(w.queue)
	w.ledger.Bind(w.queue)
	return w.queue.Start(context.WithoutCancel(w.ctx))
}

func (w *walker) stop() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), 30*time.Second)
	defer cancel()
	w.engine.Stop()
	return w.queue.Stop(ctx)
}

func (w *walker) work(id int64, action string) job.Work {
	return job.Work{Grant: w.grant, ServerID: w.server.ID, Ready: true, Aspect: firewall.Aspect, Resource: "rules", ResourceID: id, Action: action, Description: action, RanAs: "root", Within: 10 * time.Minute}
}

func (w *walker) create(ctx context.Context, tx *db.Tx, port string) error {
	row, err := tx.InsertFirewallRule(ctx, query.InsertFirewallRuleParams{ServerID: w.server.ID, Name: port, Port: &port, Type: firewall.Allow, Status: firewall.StatusInstalling})
	if err != nil {
		return err
	}
	wish, err := firewall.Rules.Want(row.ID, firewall.Specification{Name: port, Port: &port, Type: firewall.Allow})
	if err != nil {
		return err
	}
	_, err = w.ledger.Accept(ctx, tx, w.work(row.ID, "create"), wish)
	return err
}

func (w *walker) next() string {
	w.port++
	return strconv.Itoa(20000 + w.port)
}

// operations are those in one of these states.
func (w *walker) operations(states ...string) ([]query.Operation, error) {
	values := make([]any, len(states))
	for i, s := range states {
		values[i] = s
	}
	return db.All[query.Operation](w.ctx, w.db.Reader(), "operations", db.Equal("state", values...))
}

// take does one move.
func (w *walker) take(m move) error {
	tx := func(f func(ctx context.Context, tx *db.Tx) error) error { return w.db.Tx(w.ctx, f) }
	switch m.what {
	case "create":
		return tx(func(ctx context.Context, tx *db.Tx) error { return w.create(ctx, tx, w.next()) })
	case "poison":
		return tx(func(ctx context.Context, tx *db.Tx) error { return w.create(ctx, tx, poisoned+strconv.Itoa(m.n%10)) })
	case "batch":
		return tx(func(ctx context.Context, tx *db.Tx) error {
			for range 2 + m.n%3 {
				if err := w.create(ctx, tx, w.next()); err != nil {
					return err
				}
			}
			return nil
		})
	case "delete":
		rows, err := w.db.Read().ListFirewallRules(w.ctx, w.server.ID)
		if err != nil || len(rows) == 0 {
			return err
		}
		row := rows[m.n%len(rows)]
		if row.Status == firewall.StatusRemoving {
			return nil
		}
		return tx(func(ctx context.Context, tx *db.Tx) error {
			if _, err := tx.GetFirewallRule(ctx, w.server.ID, row.ID); err != nil {
				return nil // gone meanwhile
			}
			_, err := w.ledger.Accept(ctx, tx, w.work(row.ID, "delete"), firewall.Rules.Remove(row.ID))
			return err
		})
	case "cancel", "retry":
		states, act := []string{job.StatePending, job.StateRunning}, w.queue.Cancel
		if m.what == "retry" {
			states, act = []string{job.StateFailed, job.StateCancelled}, func(ctx context.Context, tx *db.Tx, id int64) error { return w.queue.Retry(ctx, tx, id, 0) }
		}
		ops, err := w.operations(states...)
		if err != nil || len(ops) == 0 {
			return err
		}
		err = tx(func(ctx context.Context, tx *db.Tx) error { return act(ctx, tx, ops[m.n%len(ops)].ID) })
		if errors.Is(err, job.ErrEnded) || errors.Is(err, job.ErrNotFailed) || err != nil && strings.Contains(err.Error(), "newer operation") {
			err = nil
		}
		return err
	case "deadline":
		err := tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET deadline = 1 WHERE state IN ('pending', 'running')")
			return err
		})
		if err != nil {
			return err
		}
		return w.engine.Sweep(w.ctx)
	case "kill":
		if err := w.stop(); err != nil {
			return err
		}
		return w.start()
	case "quiet":
		return w.quiet()
	}
	w.host.set(map[string]line{"cut": cut, "lost before": lostBefore, "lost after": lostAfter, "slow": slow, "heal": up}[m.what])
	return nil
}

// quiet heals the line, waits until all work has ended and no run is in doubt, and compares rows, operations, drift and the host.
func (w *walker) quiet() error {
	w.host.set(up)
	deadline := time.Now().Add(2 * time.Minute)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ops, err := w.operations(job.StatePending, job.StateRunning)
		if err != nil {
			return err
		}
		runs, err := w.db.Read().ListOpenRuns(w.ctx, w.server.ID, firewall.Aspect)
		if err != nil {
			return err
		}
		if len(ops) == 0 && len(runs) == 0 {
			return w.compare()
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("two minutes after the host could be reached again, %d operations are open and %d runs are in doubt: %+v %+v", len(ops), len(runs), ops, runs)
		}
		select {
		case <-tick.C:
		case <-w.ctx.Done():
			return w.ctx.Err()
		}
	}
}

func (w *walker) compare() error {
	ops, err := w.operations(job.StateSucceeded, job.StateFailed, job.StateCancelled)
	if err != nil {
		return err
	}
	rows, err := w.db.Read().ListFirewallRules(w.ctx, w.server.ID)
	if err != nil {
		return err
	}
	created, deleted := map[int64]bool{}, map[int64]bool{}
	for _, op := range ops {
		if op.State == job.StateSucceeded {
			created[op.ResourceID] = created[op.ResourceID] || op.Action == "create"
			deleted[op.ResourceID] = deleted[op.ResourceID] || op.Action == "delete"
		}
		if op.Attempt > 9 {
			return fmt.Errorf("operation %d says that it was tried %d times", op.ID, op.Attempt)
		}
	}
	w.host.mu.Lock()
	content := w.host.content
	for id, n := range w.host.starts {
		if n > 1 {
			w.host.mu.Unlock()
			return fmt.Errorf("run %s was started %d times", id, n)
		}
	}
	w.host.mu.Unlock()
	left := map[int64]bool{}
	for _, r := range rows {
		left[r.ID] = true
		want := firewall.StatusFailed
		if created[r.ID] {
			want = firewall.StatusInstalled
		}
		if deleted[r.ID] {
			want = "gone"
		}
		if r.Status != want {
			return fmt.Errorf("rule %s is %s, want %s", r.Name, r.Status, want)
		}
		if live := strings.Contains(content, "dport "+*r.Port+" "); live != (want == firewall.StatusInstalled) {
			return fmt.Errorf("rule %s is %s, and on the host: %v\n%s", r.Name, r.Status, live, content)
		}
	}
	for _, op := range ops {
		if op.Action == "create" && !left[op.ResourceID] && !deleted[op.ResourceID] {
			return fmt.Errorf("the rule of operation %d (%s) has no row, and no deletion succeeded", op.ID, op.State)
		}
	}
	if content == "" { // nothing was ever applied
		return nil
	}
	found, err := w.engine.Drift(w.ctx, w.server)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("the host is not what is applied:\n%s", found[0].Diff)
	}
	return nil
}

// walk does moves on a fresh panel and host, then one unrelated change, and compares once more.
func walk(ctx context.Context, c db.Config, walked []move) (err error) {
	d, err := db.Open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	key, err := secret.NewKey()
	if err != nil {
		return err
	}
	w := &walker{ctx: ctx, db: d, host: &modelHost{changed: make(chan struct{}), ended: map[string]wire.Result{}, starts: map[string]int{}, stop: map[string]chan struct{}{}}}
	if w.box, err = secret.NewBox(key); err != nil {
		return err
	}
	err = d.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		org, err := tx.InsertOrganization(ctx, "main", "main", 1, 1)
		if err != nil {
			return err
		}
		w.grant = access.Grant{OrganizationID: org.ID, Slug: "main"}
		if w.server, err = tx.InsertServer(ctx, query.InsertServerParams{OrganizationID: org.ID, Name: "web", Slug: "web", Type: "web", Provider: "custom", Status: "ready", SSHPort: 22, SSHUser: "root", Timezone: "UTC"}); err != nil {
			return err
		}
		if err := tx.SetServerIdentity(ctx, query.SetServerIdentityParams{ID: w.server.ID, HostKeys: "known", SSHPort: 22, Facts: "{}"}); err != nil {
			return err
		}
		if err := tx.SetServerStatus(ctx, query.SetServerStatusParams{ID: w.server.ID, Status: "ready", IsReady: true}); err != nil {
			return err
		}
		w.server, err = tx.GetServer(ctx, w.server.ID)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.stop()) }()
	for i, m := range append(slices.Clone(walked), move{"quiet", 0}, move{"create", 0}, move{"quiet", 0}) {
		if err := w.take(m); err != nil {
			return fmt.Errorf("move %d %v: %w", i, m, err)
		}
	}
	return nil
}

// shrink leaves out the moves without which a walk fails as well.
func shrink(walked []move, fails func([]move) bool) []move {
	for i := 0; i < len(walked); {
		if less := slices.Delete(slices.Clone(walked), i, i+1); fails(less) {
			walked = less
		} else {
			i++
		}
	}
	return walked
}

// After any walk of creations, deletions, cancellations, retries, deadlines, lines that are cut at any moment, refusals by the host and kills of the
// panel, rows, operations, drift and the host agree once all is quiet. HOSTLER_WALKS says how many walks, HOSTLER_WALK_SEED repeats them, and
// HOSTLER_WALK_POSTGRES takes all of them to PostgreSQL, where one in eight goes otherwise.
func TestRandomWalk(t *testing.T) {
	t.Parallel()
	count, seed := 24, uint64(time.Now().UnixNano())
	if text := os.Getenv("HOSTLER_WALKS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	}
	if text := os.Getenv("HOSTLER_WALK_SEED"); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("HOSTLER_WALK_SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	beside := make(chan struct{}, 12)
	var wg sync.WaitGroup
	for n := range count {
		postgres := n%8 == 7 || os.Getenv("HOSTLER_WALK_POSTGRES") != ""
		walked := make([]move, 20)
		for i := range walked {
			walked[i] = move{moves[random.IntN(len(moves))], random.IntN(1000)}
			if postgres && walked[i].what == "kill" { // pgx v5.12.0 panics now and then when statements are cancelled on a busy machine
				walked[i].what = "create"
			}
		}
		beside <- struct{}{}
		wg.Go(func() {
			defer func() { <-beside }()
			fresh := func() db.Config {
				c := db.Config{Dir: t.TempDir(), Clock: clock.System{}}
				if postgres {
					c.URL = pgtest.Database(t, "walk", nil)
				}
				return c
			}
			err := walk(t.Context(), fresh(), walked)
			if err == nil || t.Context().Err() != nil {
				return
			}
			least := shrink(walked, func(less []move) bool { return walk(t.Context(), fresh(), less) != nil })
			t.Errorf("walk %d of seed %d: %v\nthe shortest that fails: %v", n, seed, err, least)
		})
	}
	wg.Wait()
}
