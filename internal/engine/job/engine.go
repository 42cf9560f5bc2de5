package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/tracing"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Engine makes hosts match rows. Its jobs are level-triggered: each loads what is pending, plans, applies and records; one that
// finds nothing to do ends. After a crash it attaches to the run that was recorded before it started, and never starts a second
// one.
type Engine struct {
	whole   *Whole
	db      *db.DB
	box     *secret.Box
	queue   *Queue
	fleet   Fleet
	targets Targets
	log     *slog.Logger
	aspects map[string]Aspect
	lanes   *lanes
	look    func(ctx context.Context, server query.Server) error
	drifted func(ctx context.Context, tx *db.Tx, server query.Server, found []wire.Difference) error
	rights  Rights
	rollout Rollout
	// elsewhere is EngineConfig.Elsewhere.
	elsewhere func(ctx context.Context, rows query.DBTX, op query.Operation) ([]string, error)
	// back is when the sweeps began, or began again after a sleep, in microseconds.
	back atomic.Int64
	idle idle
	// setting finds out when the clock is set.
	settingMu sync.Mutex
	setting   clock.Setting

	stop context.CancelFunc
	wg   sync.WaitGroup
}

// EngineConfig is what an Engine needs.
type EngineConfig struct {
	Box   *secret.Box
	Queue *Queue
	Log   *slog.Logger
	// Whole has the aspects of servers. Menders are further ones, by name, which are planned from the whole.
	Whole   *Whole
	Menders map[string]Aspect
	// Look reads and stores a server's facts, which also monitors connections. Nil disables it.
	Look func(ctx context.Context, server query.Server) error
	// Drifted is called with drift in the transaction that records it. Nil disables it.
	Drifted func(ctx context.Context, tx *db.Tx, server query.Server, found []wire.Difference) error
	// Elsewhere lists what work leads to that is not on its server, for the actions of its plan. Nil disables it.
	Elsewhere func(ctx context.Context, rows query.DBTX, op query.Operation) ([]string, error)
	// Rights are checked before work begins. Nil disables it.
	Rights Rights
	// Rollout puts what a newer program sets up on servers.
	Rollout Rollout
	// RenewEvery is how often the lease of a lane is renewed, 0 for a quarter of its time.
	RenewEvery time.Duration
}

// NewEngine makes an engine; give it to Workers, and Start it.
func NewEngine(c EngineConfig) *Engine {
	aspects := maps.Clone(c.Whole.Aspects)
	maps.Copy(aspects, c.Menders)
	return &Engine{
		whole: c.Whole, db: c.Whole.DB, box: c.Box, queue: c.Queue, fleet: c.Whole.Fleet, targets: c.Whole.Targets, log: c.Log, aspects: aspects,
		look: c.Look, drifted: c.Drifted, elsewhere: c.Elsewhere,
		rights: c.Rights, rollout: c.Rollout, setting: clock.Setting{Clock: c.Whole.DB.Clock}, lanes: newLanes(c.Whole.DB, c.RenewEvery),
	}
}

// Work adds the engine's jobs to the workers.
func (e *Engine) Work(w *Workers) {
	Handle(w, e.converge)
	w.stopped = append(w.stopped, e.lanes.releaseAll)
}

// Intervals and limits of the engine.
const (
	attemptFor   = 30 * time.Second // how long one attempt tries to reach a host
	againBusy    = time.Second
	againAway    = 3 * time.Second  // between attempts at an unreachable host
	againDoubt   = 10 * time.Second // between queries to a host about a run that no open operation waits for
	againFailed  = 2 * time.Second  // after a failure of the panel itself
	maxBatch     = 200
	sweepEvery   = 2 * time.Second
	driftEvery   = 6 * time.Hour
	watchEvery   = time.Minute
	orphanedFor  = time.Minute
	awayAfter    = 30 * time.Second // without a sweep: the process was stopped, or its machine slept
	askFor       = 30 * time.Second // how long hosts are asked for the end of work whose time was up meanwhile
	afterReadyIn = 15 * time.Minute
)

// converge is the job: it works until nothing is pending, or the host can't be reached.
func (e *Engine) converge(ctx context.Context, args Converge) error {
	aspect, ok := e.aspects[baseOf(args.Aspect)]
	if !ok {
		return fmt.Errorf("unknown aspect %q", args.Aspect)
	}
	lane, release, err := e.lanes.take(ctx, args)
	if errors.Is(err, errCovered) {
		return nil
	}
	if errors.Is(err, errLaneTaken) {
		return forOthers()
	}
	if err != nil {
		return err
	}
	goesOn := false
	defer func() { release(goesOn) }()
	tracing.Of(ctx).SetAttributes(tracing.ServerID.Int64(args.ServerID), tracing.Aspect.String(args.Aspect), tracing.Lane.String(lane.name))
	for {
		more, err := e.step(ctx, args, aspect, lane.fence)
		if away := (*awayError)(nil); errors.As(err, &away) {
			if e.handOver(ctx, args, lane) {
				return forOthers()
			}
			goesOn = !lane.borrowed // another replica may reach it by now
			if away.doubt {
				return Again(againDoubt)
			}
			return Again(cmp.Or(away.after, againAway))
		}
		if errors.Is(err, errGivesWay) {
			return Again(0)
		}
		if ctx.Err() != nil { // shutting down: the next process continues at once
			return Again(0)
		}
		if err != nil { // the panel's own failure: accepted work waits until it is fixed
			e.log.ErrorContext(ctx, "converging failed", "server", args.ServerID, "aspect", args.Aspect, "error", err)
			return Again(againFailed)
		}
		if !more {
			return nil
		}
	}
}

// forOthers gives a job back that another replica should do, after a second or so. Each replica polls once in a second: after exactly that this one would
// be the first to see it again, time after time.
func forOthers() error { return Again(againBusy/2 + rand.N(againBusy)) }

// handOver gives a lane up where its host can't be reached for long, and reports whether it did.
func (e *Engine) handOver(ctx context.Context, args Converge, lane *lane) bool {
	done, err := e.lanes.handOver(ctx, lane)
	switch {
	case err != nil && ctx.Err() == nil:
		e.log.ErrorContext(ctx, "handing a lane over failed", "server", args.ServerID, "aspect", args.Aspect, "error", err)
	case done:
		e.log.WarnContext(ctx, "the server was not heard of for two minutes: other replicas may do its work", "server", args.ServerID, "aspect", args.Aspect)
	}
	return done
}

// awayError ends an attempt because the host can't be reached; what is pending stays so.
type awayError struct {
	reason string
	// after is how long it is waited, 0 for againAway.
	after time.Duration
	// doubt is set if only the end of a run is awaited, whose operations have ended.
	doubt bool
}

func (e *awayError) Error() string { return e.reason }

// step does one piece of work: it finishes what was begun, or begins with what is pending. more reports whether there may be more.
func (e *Engine) step(ctx context.Context, args Converge, aspect Aspect, fence int64) (more bool, err error) {
	server, err := e.db.Read().Ungranted().GetServer(ctx, args.ServerID)
	if errors.Is(err, db.ErrNotFound) {
		return false, e.abandon(ctx, args)
	}
	if err != nil {
		return false, fmt.Errorf("converge server %d: %w", args.ServerID, err)
	}
	open, err := e.db.Read().Ungranted().ListOpenRuns(ctx, args.ServerID, args.Aspect)
	if err != nil {
		return false, fmt.Errorf("converge server %d: %w", args.ServerID, err)
	}
	if server.Revoked && (args.Aspect != e.whole.Last || len(open) > 0) {
		return args.Aspect == e.whole.Last, e.giveUp(ctx, args, aspect, open)
	}
	if len(open) > 0 {
		ctx, span := traceWork(ctx, args, open[0].Operations)
		defer func() { endWork(span, err) }()
		return true, e.resume(ctx, server, aspect, open[0], fence)
	}
	pending, err := e.db.Read().Ungranted().ListPendingOperations(ctx, args.ServerID, args.Aspect)
	if err != nil {
		return false, fmt.Errorf("converge server %d: %w", args.ServerID, err)
	}
	if i := slices.IndexFunc(pending, func(op query.Operation) bool { return op.Cancelled }); i >= 0 {
		return true, e.settle(ctx, aspect, pending[i:i+1], outcome{state: StateCancelled, reason: beforeItBegan})
	}
	if len(pending) == 0 || !e.due(server, args.Aspect) {
		return false, nil
	}
	if pending, err = e.ready(ctx, server, aspect, pending); err != nil {
		return false, err
	}
	if len(pending) == 0 { // tried again later
		return false, &awayError{reason: "other work comes first"}
	}
	// work that has begun is completed
	revoked, err := e.revoked(ctx, slices.DeleteFunc(slices.Clone(pending), func(op query.Operation) bool { return op.State != StatePending }))
	if err != nil {
		return false, err
	}
	if revoked != nil {
		return true, e.settle(ctx, aspect, []query.Operation{*revoked}, outcome{state: StateCancelled, reason: noLongerAllowed})
	}
	most := maxBatch
	if isBeside(args.Aspect) || aspect.OneByOne {
		most = 1
	}
	a := e.attempt(server, aspect, pending[:min(len(pending), most)], fence)
	ctx, span := traceWork(ctx, args, idsOf(a.batch))
	defer func() { endWork(span, err) }()
	if !isBeside(args.Aspect) { // what is beside the server's own work has happened only for itself
		if ended, err := a.overwrite(ctx); err != nil || ended {
			return true, err
		}
	}
	return true, a.run(ctx)
}

// due reports whether an aspect's turn has come: everything but the first waits until the server is set up, unless it says otherwise.
func (e *Engine) due(server query.Server, aspect string) bool {
	if early := e.aspects[baseOf(aspect)].Early; early != nil {
		return early(server)
	}
	switch aspect {
	case e.whole.First:
		return server.HostKeys != ""
	case e.whole.Last:
		return true
	default:
		return server.IsReady
	}
}

// abandon ends the work on a deleted server.
func (e *Engine) abandon(ctx context.Context, args Converge) error {
	return e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		pending, err := tx.Ungranted().ListPendingOperations(ctx, args.ServerID, args.Aspect)
		if err != nil {
			return err
		}
		for _, op := range pending {
			if _, err := endOperation(ctx, tx, op, outcome{state: StateCancelled, reason: because(codeDeleted, "The server was deleted.")}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Start starts the sweep of deadlines.
func (e *Engine) Start(ctx context.Context) {
	ctx, e.stop = context.WithCancel(ctx)
	e.back.Store(e.db.Clock.Now().UnixMicro())
	e.wg.Go(func() { e.sweepAlways(ctx) })
	e.wg.Go(func() { e.every(ctx, driftEvery, "looking for drift", e.LookForDrift) })
	e.wg.Go(func() { e.every(ctx, rolloutEvery, "rolling out", e.RollOut) })
	if e.look != nil {
		e.wg.Go(func() { e.every(ctx, watchEvery, "looking after connections", e.Watch) })
	}
}

// Stop stops the sweep.
func (e *Engine) Stop() {
	if e.stop != nil {
		e.stop()
	}
	e.wg.Wait()
}

// every runs f repeatedly, at different times in each process.
func (e *Engine) every(ctx context.Context, period time.Duration, what string, f func(context.Context) error) {
	for {
		jitter := time.Duration(rand.Int64N(int64(period / 4)))
		select {
		case <-ctx.Done():
			return
		case <-time.After(period - period/8 + jitter):
		}
		if err := f(ctx); err != nil && ctx.Err() == nil {
			e.log.ErrorContext(ctx, what+" failed", "error", err)
		}
	}
}

func (e *Engine) sweepAlways(ctx context.Context) {
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	last := e.db.Clock.Now()
	for {
		now := e.db.Clock.Now()
		if now.Sub(last) > awayAfter {
			e.back.Store(now.UnixMicro())
		}
		last = now
		if err := e.Sweep(ctx); err != nil && ctx.Err() == nil {
			e.log.ErrorContext(ctx, "sweeping deadlines failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-sweep.C:
		}
	}
}

// Sweep ends work that is past its deadline with its true state, asks hosts that came back about runs of unknown result, says what other work waits for, and
// wakes work that lost its job.
// Every process can do it: it changes nothing that another has ended. If the deadline passed while no process was running, the host is asked first for the
// outcome of the work.
func (e *Engine) Sweep(ctx context.Context) error {
	if err := e.followClock(ctx); err != nil {
		return err
	}
	overdue, err := e.db.Read().Ungranted().ListOverdueOperations(ctx, e.db.Clock.Now().UnixMicro())
	if err != nil {
		return fmt.Errorf("list overdue operations: %w", err)
	}
	for _, op := range overdue {
		aspect, ok := e.aspects[baseOf(op.Aspect)]
		if !ok {
			continue
		}
		doubt, err := e.inDoubt(ctx, op)
		if err != nil {
			return err
		}
		if back := e.back.Load(); doubt && op.Deadline < back && e.db.Clock.Now().UnixMicro() < back+askFor.Microseconds() {
			continue
		}
		how := TimedOut
		if doubt {
			how = InDoubt
		}
		if err := e.settle(ctx, aspect,
			[]query.Operation{op}, outcome{state: StateFailed, step: op.Step, reason: passed(op, doubt), how: how, overdue: true}); err != nil {
			return err
		}
	}
	if err := e.explain(ctx); err != nil {
		return err
	}
	stale, err := e.db.Read().Ungranted().ListStalePending(ctx, e.db.Clock.Now().Add(-orphanedFor).UnixMicro())
	if err != nil {
		return fmt.Errorf("list waiting operations: %w", err)
	}
	if len(stale) == 0 {
		return nil
	}
	return e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := db.LockServersOf(ctx, tx, stale, func(s query.ListStalePendingRow) int64 { return s.ServerID }); err != nil {
			return err
		}
		for _, s := range stale {
			if err := tx.TouchPending(ctx, s.ServerID, s.Aspect, tx.Micros()); err != nil {
				return err
			}
			if err := e.queue.Insert(ctx, tx, Converge{ServerID: s.ServerID, Aspect: s.Aspect}); err != nil {
				return err
			}
		}
		return nil
	})
}
