package job_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
	"github.com/hostlerhq/hostler/test/walk"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// A driver asks for resources of one noun in a walk.
type driver struct {
	// kind is the noun's, aspect the part of a server that it belongs to.
	kind, aspect string
	// noun is for the ledger; aspects are what the engine needs, nil if another driver provides them.
	noun    ledger.Kind
	aspects func(w *walker) map[string]job.Aspect
	// includes is what it adds to the plan of a site, as its row in internal/app has it.
	includes []vhost.Include
	// prepare creates what its resources need, once per walk; nil for nothing.
	prepare func(ctx context.Context, tx *db.Tx, w *walker) error
	// mark turns a number of five digits into what is seen of a resource on the host, and nowhere else.
	mark func(number string) string
	// create makes the row of a resource with a mark and what asks for it; update asks for another mark. update is nil for a noun without updates.
	create func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error)
	update func(ctx context.Context, tx *db.Tx, w *walker, id int64, mark string) (ledger.Wish, error)
	// with makes what a creation asks for besides the resource: what belongs to it from the beginning. Nil for nothing.
	with func(ctx context.Context, tx *db.Tx, w *walker, id int64) ([]ledger.Wish, error)
	// remove is nil for what a server or a site always has.
	remove func(id int64) ledger.Wish
	// status is that of the row, "" if there is none.
	status func(ctx context.Context, w *walker, id int64) (string, error)
	// holds returns the mark that the ledger says the host has, "" for none, of a noun whose work can't be put back; nil for others.
	holds func(ctx context.Context, w *walker, id int64) (string, error)
	// applied and failed are the statuses of a resource that the host has, and of one that could not be created ("" if its row is deleted).
	applied, failed string
}

// drivers are those of all nouns in the ledger.
var drivers = []*driver{
	firewallDriver,
	networkDriver,
	sshkeyDriver,
	monitorDriver,
	phpDriver,
	phpSettingsDriver,
	siteDriver,
	redirectDriver,
	orderDriver,
	securityDriver,
	processDriver,
	scheduleDriver,
	sftpDriver,
	integrationDriver,
	databaseDriver,
	accountDriver,
	domainDriver,
	certificateDriver,
}

// walker is a panel, a host and what was asked of them.
type walker struct {
	ctx     context.Context
	db      *db.DB
	box     *secret.Box
	host    *modelHost
	queue   *job.Queue
	whole   *job.Whole
	workers *job.Workers
	engine  *job.Engine
	ledger  *ledger.Ledger
	server  query.Server
	grant   access.Grant
	nouns   []*driver
	number  int
	asked   map[int64]walk.Asked // by operation
	// doubts are the operations that ended before their end on the host was known.
	doubts map[int64]bool
	// made are the rows that a driver's prepare made for it; under the name of an aspect, or of a kind with an id, the site that its work is on.
	made map[string]int64
	// homes are the sites of parts.
	homes map[walk.Resource]int64
}

func (w *walker) start() error {
	log := slog.New(slog.DiscardHandler)
	var kinds []ledger.Kind
	for _, d := range w.nouns {
		kinds = append(kinds, d.noun)
	}
	var err error
	if w.queue, err = job.NewQueue(w.db, log); err != nil {
		return err
	}
	w.ledger = ledger.New(w.queue, kinds...)
	aspects := map[string]job.Aspect{}
	for _, d := range w.nouns {
		if d.aspects != nil {
			maps.Copy(aspects, d.aspects(w))
		}
	}
	if err := w.furnish(aspects); err != nil {
		return err
	}
	w.whole = &job.Whole{DB: w.db, Fleet: w.host, Targets: targets{}, First: "provision", Last: "remove", Aspects: aspects}
	w.engine = job.NewEngine(job.EngineConfig{Whole: w.whole, Box: w.box, Queue: w.queue, Log: log})
	w.workers = job.NewWorkers(w.queue, job.WorkersConfig{Log: log, Parallel: 4})
	w.engine.Work(w.workers)
	return w.workers.Start(context.WithoutCancel(w.ctx))
}

// furnish gives a new host its initial state.
func (w *walker) furnish(aspects map[string]job.Aspect) error {
	if len(w.host.files) > 0 {
		return nil
	}
	return w.planned(aspects)
}

// planned gives the host all that the plans of what is applied have.
func (w *walker) planned(aspects map[string]job.Aspect) error {
	for name, aspect := range aspects {
		stages, err := aspect.Plan(w.ctx, w.db.Read().Ungranted(), w.server, nil)
		if err != nil {
			return fmt.Errorf("plan %s of the host: %w", name, err)
		}
		for _, stage := range stages {
			files, refused := w.host.changedBy(wire.Run{Change: &stage.Change})
			if refused != "" {
				return fmt.Errorf("%s of the host: it refuses to %s", name, refused)
			}
			w.host.files = files
		}
	}
	return nil
}

func (w *walker) stop() error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), 30*time.Second)
	defer cancel()
	w.engine.Stop()
	return w.workers.Stop(ctx)
}

// accept accepts a wish of a driver's noun.
func (w *walker) accept(ctx context.Context, tx *db.Tx, d *driver, action, mark string, wishes ...ledger.Wish) error {
	wish := wishes[0]
	siteID := cmp.Or(w.homes[walk.Resource{Kind: d.kind, ID: wish.ID}], w.made[d.kind+strconv.FormatInt(wish.ID, 10)], w.made[d.aspect])
	a, err := w.ledger.Accept(ctx, tx, job.Work{
		Grant: w.grant, ServerID: w.server.ID, SiteID: siteID, Ready: true, Aspect: d.aspect, Resource: d.kind, ResourceID: wish.ID, Action: action,
		Description: action,
		RanAs:       "root", Within: 10 * time.Minute,
	}, wishes...)
	asked := walk.Asked{Resource: walk.Resource{Kind: d.kind, ID: wish.ID}, Mark: mark}
	for part, home := range w.homes {
		if d == siteDriver && home == wish.ID && mark == "" {
			asked.Parts = append(asked.Parts, part)
		}
	}
	w.asked[a.OperationID] = asked
	return err
}

// home returns the site of a new part: often one that was asked for in the walk and may not be made yet, else the one that was there before.
func (w *walker) home(ctx context.Context, tx *db.Tx) (int64, error) {
	first := w.made[site.Aspect]
	if !slices.Contains(w.nouns, siteDriver) {
		return first, nil
	}
	ids, err := w.alive(siteDriver)
	if err != nil {
		return 0, err
	}
	at := []int64{first}
	for _, id := range ids {
		row, err := site.Sites.Row(ctx, tx.Granted, id)
		if err != nil {
			return 0, err
		}
		if row.Phase != ledger.Failed && row.Phase != ledger.Gone {
			at = append(at, id)
		}
	}
	return at[w.number%len(at)], nil
}

func (w *walker) create(ctx context.Context, tx *db.Tx, d *driver, mark string) error {
	wish, err := d.create(ctx, tx, w, mark)
	wishes := []ledger.Wish{wish}
	if err == nil && d.with != nil {
		var more []ledger.Wish
		more, err = d.with(ctx, tx, w, wish.ID)
		wishes = append(wishes, more...)
	}
	if err != nil {
		return err
	}
	return w.accept(ctx, tx, d, "create", mark, wishes...)
}

// next returns an unused mark; the host refuses a poisoned one.
func (w *walker) next(d *driver, refused bool) string {
	w.number++
	if refused {
		return d.mark(poisoned + fmt.Sprintf("%02d", w.number%100))
	}
	return d.mark(strconv.Itoa(20000 + w.number))
}

// operations returns the operations in one of these states.
func (w *walker) operations(states ...string) ([]query.Operation, error) {
	values := make([]any, len(states))
	for i, s := range states {
		values[i] = s
	}
	return db.All[query.Operation](w.ctx, w.db.Reader(), "operations", db.Equal("state", values...))
}

// alive returns the resources of a driver that have a row and are not being removed, by their ids.
func (w *walker) alive(d *driver) ([]int64, error) {
	removed, err := w.operations(job.StatePending, job.StateRunning, job.StateSucceeded)
	if err != nil {
		return nil, err
	}
	gone := map[int64]bool{}
	for _, op := range removed {
		gone[op.ResourceID] = gone[op.ResourceID] || op.ResourceType == d.kind && op.Action == "delete"
	}
	var ids []int64
	for _, a := range w.asked {
		if a.Kind != d.kind || gone[a.ID] || slices.Contains(ids, a.ID) {
			continue
		}
		status, err := d.status(w.ctx, w, a.ID)
		if err != nil {
			return nil, err
		}
		if status != "" {
			ids = append(ids, a.ID)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// modelMoves are the moves over a host that is a model: the panel is also asked what everything waits for.
var modelMoves = append(slices.Clone(walk.Moves), "look", "look")

// take does one move.
func (w *walker) take(m walk.Move) error {
	tx := func(f func(ctx context.Context, tx *db.Tx) error) error { return w.db.Tx(w.ctx, f) }
	d, n := w.nouns[m.N%len(w.nouns)], m.N/len(w.nouns)
	switch m.What {
	case "create", "poison":
		return tx(func(ctx context.Context, tx *db.Tx) error { return w.create(ctx, tx, d, w.next(d, m.What == "poison")) })
	case "batch":
		return tx(func(ctx context.Context, tx *db.Tx) error {
			for i := range 2 + n%3 {
				d := w.nouns[(m.N+i)%len(w.nouns)]
				if err := w.create(ctx, tx, d, w.next(d, false)); err != nil {
					return err
				}
			}
			return nil
		})
	case "update", "poison update", "delete":
		ids, err := w.alive(d)
		if err != nil || len(ids) == 0 || m.What != "delete" && d.update == nil || m.What == "delete" && d.remove == nil {
			return err
		}
		id := ids[n%len(ids)]
		return tx(func(ctx context.Context, tx *db.Tx) error {
			if m.What == "delete" {
				return w.accept(ctx, tx, d, "delete", "", d.remove(id))
			}
			mark := w.next(d, m.What == "poison update")
			wish, err := d.update(ctx, tx, w, id, mark)
			if errors.Is(err, db.ErrNotFound) { // it could not be created, and was removed meanwhile
				return nil
			}
			if err != nil {
				return err
			}
			return w.accept(ctx, tx, d, "update", mark, wish)
		})
	case "cancel", "retry":
		states, act := []string{job.StatePending, job.StateRunning}, w.queue.Cancel
		if m.What == "retry" {
			states, act = []string{job.StateFailed, job.StateCancelled}, func(ctx context.Context, tx *db.Tx, id int64) error { return w.engine.Retry(ctx, tx, id, 0) }
		}
		ops, err := w.operations(states...)
		if err != nil || len(ops) == 0 {
			return err
		}
		err = tx(func(ctx context.Context, tx *db.Tx) error { return act(ctx, tx, ops[m.N%len(ops)].ID) })
		if conflict := (*api.Error)(nil); errors.Is(err, job.ErrEnded) || errors.Is(err, job.ErrNotFailed) || errors.As(err, &conflict) {
			err = nil
		}
		return err
	case "deadline":
		err := tx(func(ctx context.Context, tx *db.Tx) error {
			if err := tx.LockServer(ctx, w.server.ID); err != nil {
				return err
			}
			_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET deadline = 1 WHERE state IN ('pending', 'running')")
			return err
		})
		if err != nil {
			return err
		}
		if err := w.engine.Sweep(w.ctx); err != nil {
			return err
		}
		failed, err := w.operations(job.StateFailed)
		for _, op := range failed {
			if strings.Contains(op.Reason, walk.Doubt) {
				w.doubts[op.ID] = true
			}
		}
		return err
	case "kill":
		if err := w.stop(); err != nil {
			return err
		}
		return w.start()
	case "look":
		return w.explained()
	case "quiet":
		return w.quiet()
	}
	w.host.set(map[string]line{"cut": cut, "lost before": lostBefore, "lost after": lostAfter, "slow": slow, "heal": up}[m.What])
	return nil
}

// stillFor is how long nothing may happen to open work while the host can be reached. Of a wait between two looks, most of turn counts: a machine with too much
// to do gives this process its turns later.
const (
	stillFor = 45 * time.Second
	turn     = 200 * time.Millisecond
)

// explained is an error if an operation that has not begun does not say what it waits for.
func (w *walker) explained() error {
	before, err := w.operations(job.StatePending)
	if err != nil {
		return err
	}
	if err := w.engine.Sweep(w.ctx); err != nil {
		return err
	}
	after, err := w.operations(job.StatePending)
	if err != nil {
		return err
	}
	for _, op := range after {
		same := func(was query.Operation) bool {
			return was.ID == op.ID && was.UpdatedAt == op.UpdatedAt && was.Attempt == op.Attempt
		}
		if op.Reason == "" && !op.Cancelled && slices.ContainsFunc(before, same) {
			return fmt.Errorf("operation %d (%s %s %d) does not say what it waits for", op.ID, op.Action, op.ResourceType, op.ResourceID)
		}
	}
	return nil
}

// quiet heals the line, waits until all work has ended, and compares rows, operations, drift and the host.
func (w *walker) quiet() error {
	w.host.set(up)
	if err := w.ended(); err != nil {
		return err
	}
	if err := w.agree(); err != nil {
		return err
	}
	return w.undrifted()
}

// ended waits until all work has ended and no run is in doubt. Meanwhile something happens all the time.
func (w *walker) ended() error {
	deadline, still, last, looked := time.Now().Add(10*time.Minute), time.Duration(0), "", time.Now()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ops, err := w.operations(job.StatePending, job.StateRunning)
		if err != nil {
			return err
		}
		runs, err := db.All[query.Run](w.ctx, w.db.Reader(), "runs", db.Equal("state", "running"))
		if err != nil {
			return err
		}
		if len(ops) == 0 && len(runs) == 0 {
			return nil
		}
		now := fmt.Sprint(len(runs))
		for _, op := range ops {
			now += fmt.Sprintf(" %d %s %s %d", op.ID, op.State, op.Step, op.Attempt)
		}
		still += min(time.Since(looked), turn)
		if looked = time.Now(); now != last {
			still, last = 0, now
		}
		if still > stillFor {
			return fmt.Errorf("nothing has happened for %s, though the host can be reached: %d operations are open and %d runs are in doubt: %+v", stillFor, len(ops),
				len(runs), ops)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("ten minutes after the host could be reached again, %d operations are open and %d runs are in doubt: %+v %+v", len(ops), len(runs), ops,
				runs)
		}
		select {
		case <-tick.C:
		case <-w.ctx.Done():
			return w.ctx.Err()
		}
	}
}

// agree holds rows, operations and the host to each other.
func (w *walker) agree() error {
	ops, err := w.operations(job.StateSucceeded, job.StateFailed, job.StateCancelled)
	if err != nil {
		return err
	}
	ends := make([]walk.End, len(ops))
	for i, op := range ops {
		ends[i] = walk.End{Operation: op.ID, State: op.State}
		if op.Attempt > 9 {
			return fmt.Errorf("operation %d says that it was tried %d times", op.ID, op.Attempt)
		}
	}
	truths, marks := walk.Reckon(w.asked, ends)
	if err := w.host.startedTwice(); err != nil {
		return err
	}
	for r, truth := range truths {
		d := w.driver(r.Kind)
		status, err := d.status(w.ctx, w, r.ID)
		if err != nil {
			return err
		}
		if d.holds != nil {
			mark, err := d.holds(w.ctx, w, r.ID)
			if err != nil {
				return err
			}
			if mark != truth.Mark && !truth.Unsure {
				return fmt.Errorf("%s %d holds %q, and %q was applied last", r.Kind, r.ID, mark, truth.Mark)
			}
			truth.Deleted = mark == "" && (truth.Deleted || truth.Mark != "") // its deletion failed once it was done
			truth.Mark = mark
			truths[r] = truth
		}
		if want := truth.Status(d.applied, d.failed); status != want {
			return fmt.Errorf("%s %d is %q, want %q", r.Kind, r.ID, status, want)
		}
	}
	live := w.host.live(marks)
	if err := walk.Live(truths, marks, func(mark string) bool { return live[mark] }); err != nil {
		return fmt.Errorf("%w\n%v", err, w.host.files)
	}
	return nil
}

// undrifted is an error if the host is not what is applied.
func (w *walker) undrifted() error {
	found, err := w.whole.Drift(w.ctx, w.server)
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("the host is not what is applied: %s: %s", found[0].Step, found[0].Diff)
	}
	return nil
}

// driver is that of a kind.
func (w *walker) driver(kind string) *driver {
	return w.nouns[slices.IndexFunc(w.nouns, func(d *driver) bool { return d.kind == kind })]
}

// walked does moves on a fresh panel and host, then one unrelated change of each noun, and compares once more.
func walked(ctx context.Context, c db.Config, nouns []*driver, doubts *atomic.Int64, moves []walk.Move) (err error) {
	d, err := dbtest.Open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	key, err := secret.NewKey()
	if err != nil {
		return err
	}
	w := &walker{
		ctx: ctx, db: d, host: newModelHost(), nouns: nouns, asked: map[int64]walk.Asked{}, doubts: map[int64]bool{}, made: map[string]int64{},
		homes: map[walk.Resource]int64{},
	}
	if w.box, err = secret.NewBox(key); err != nil {
		return err
	}
	if err := d.Tx(ctx, w.prepare); err != nil {
		return err
	}
	if err := w.start(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.stop()) }()
	moves = append(slices.Clone(moves), walk.Move{What: "quiet"})
	for i := range nouns {
		moves = append(moves, walk.Move{What: "create", N: i})
	}
	defer func() { doubts.Add(int64(len(w.doubts))) }()
	for i, m := range append(moves, walk.Move{What: "quiet"}) {
		if err := w.take(m); err != nil {
			return fmt.Errorf("move %d %v: %w", i, m, err)
		}
	}
	return nil
}

// prepare makes an organization with a server that is ready, and what the nouns need.
func (w *walker) prepare(ctx context.Context, tx *db.Tx) error {
	org, err := tx.InsertOrganization(ctx, "main", "main", 1, 1)
	if err != nil {
		return err
	}
	w.grant = access.Grant{OrganizationID: org.ID, Slug: "main"}
	if w.server, err = tx.InsertServer(ctx, query.InsertServerParams{
		OrganizationID: org.ID, Name: "web", Slug: "web", Type: "web",
		Provider: "custom", Status: "ready", SSHPort: 22, SSHUser: "root", Timezone: "UTC",
	}); err != nil {
		return err
	}
	if err := tx.SetServerIdentity(ctx, query.SetServerIdentityParams{
		ID: w.server.ID, HostKeys: "known", SSHPort: 22,
		Facts: `{"os":"debian","os_version":"12","packages":{"nginx":"1.22.1-9+deb12u2","php8.2-fpm":"8.2.29"}}`,
	}); err != nil {
		return err
	}
	if err := tx.SetServerStatus(ctx, query.SetServerStatusParams{ID: w.server.ID, Status: "ready", IsReady: true}); err != nil {
		return err
	}
	if w.server, err = tx.Ungranted().GetServer(ctx, w.server.ID); err != nil {
		return err
	}
	for _, d := range w.nouns {
		if d.prepare != nil {
			if err := d.prepare(ctx, tx, w); err != nil {
				return fmt.Errorf("prepare %s: %w", d.kind, err)
			}
		}
	}
	return nil
}

// After any walk of creations, deletions, cancellations, retries, deadlines, lines that are cut at any moment, refusals by the host and kills of the
// panel, rows, operations, drift and the host agree once all is quiet, for every noun in the ledger at once. HOSTLER_WALKS says how many walks,
// HOSTLER_WALK_SEED repeats them, HOSTLER_WALK_NOUNS keeps to some kinds of resources ("rules,redirect-rules"), and HOSTLER_WALK_POSTGRES takes all of
// them to PostgreSQL, where one in eight goes otherwise.
func TestRandomWalk(t *testing.T) {
	t.Parallel()
	settings := walk.Read(t, "HOSTLER_WALKS", 24)
	nouns := slices.DeleteFunc(slices.Clone(drivers), func(d *driver) bool { return !settings.Has(d.kind) })
	random := rand.New(rand.NewPCG(settings.Seed, 0))
	beside := make(chan struct{}, 8*runtime.GOMAXPROCS(0)) // more of them wait for each other, and call that two minutes without an end
	var wg sync.WaitGroup
	var doubts atomic.Int64
	for n := range settings.Count {
		postgres := n%8 == 7 || os.Getenv("HOSTLER_WALK_POSTGRES") != ""
		moves := walk.Draw(random, modelMoves, 20)
		beside <- struct{}{}
		wg.Go(func() {
			defer func() { <-beside }()
			fresh := func() db.Config {
				c := db.Config{Dir: t.TempDir(), Clock: clock.System{}}
				if postgres {
					c.URL = dbtest.URL(t)
				}
				return c
			}
			err := walked(t.Context(), fresh(), nouns, &doubts, moves)
			if err == nil || t.Context().Err() != nil {
				return
			}
			t.Logf("walk %d of seed %d fails, the shortest like it is looked for: %v", n, settings.Seed, err)
			least := walk.Shrink(moves, 10*time.Minute, func(less []walk.Move) bool { return walked(t.Context(), fresh(), nouns, &doubts, less) != nil })
			t.Errorf("walk %d of seed %d: %v\nthe shortest that fails: %v", n, settings.Seed, err, least)
		})
	}
	wg.Wait()
	t.Logf("%d walks; %d operations ended before it was known what their host had done", settings.Count, doubts.Load())
}
