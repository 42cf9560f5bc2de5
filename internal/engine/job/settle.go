package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// settle writes the end of operations: their state, their resources and their output, in one transaction. What another has ended
// stays, except that a host's later report of success overrules a deadline.
func (e *Engine) settle(ctx context.Context, aspect Aspect, batch []query.Operation, end outcome) error {
	var settled []int64
	err := e.on(ctx, batch, func(ctx context.Context, tx *db.Tx) error {
		if err := appendOutput(ctx, tx, batch, end.output); err != nil {
			return err
		}
		if err := end.run.close(ctx, tx); err != nil {
			return err
		}
		for _, op := range batch {
			if end.overdue {
				now, err := tx.Ungranted().GetOperation(ctx, op.ID)
				if err != nil {
					return err
				}
				if now.Deadline > tx.Micros() { // retried since the sweep read it
					continue
				}
			}
			n, err := endOperation(ctx, tx, op, end)
			if err != nil {
				return err
			}
			if n == 0 && end.ok() {
				if n, err = tx.LateSuccess(ctx, op.ID, "The server had already completed the work.", string(codeLateSuccess), tx.Micros()); err != nil {
					return err
				}
			}
			if n == 0 {
				if err := lateFailure(ctx, tx, aspect, op, end); err != nil {
					return err
				}
				continue
			}
			settled = append(settled, op.ID)
			// The subject of the operation may have been deleted with its site: the operation ends nevertheless.
			if err := aspect.write(ctx, tx, op, end.end()); err != nil && !errors.Is(err, db.ErrNotFound) {
				return err
			}
			if err := closeEvent(ctx, tx, op, end); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("settle %d operations: %w", len(batch), err)
	}
	traceSettled(ctx, settled, end.state)
	return nil
}

// endOperation ends an operation, and returns 0 if another has.
func endOperation(ctx context.Context, tx *db.Tx, op query.Operation, end outcome) (int64, error) {
	return tx.EndOperation(ctx, query.EndOperationParams{
		ID: op.ID, State: end.state, Step: end.step, Reason: end.reason.Text, ReasonCode: string(end.reason.Code), ReasonParams: end.reason.params(),
		UpdatedAt: tx.Micros(),
	})
}

// on runs a transaction that writes operations of one server. It locks the server first, as requests do: what it reads of others' work stays true.
func (e *Engine) on(ctx context.Context, batch []query.Operation, f func(context.Context, *db.Tx) error) error {
	return e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if len(batch) > 0 {
			if err := tx.LockServer(ctx, batch[0].ServerID); err != nil {
				return err
			}
		}
		return f(ctx, tx)
	})
}

// lateFailure says of work that ended in doubt what its server told of it.
func lateFailure(ctx context.Context, tx *db.Tx, aspect Aspect, op query.Operation, end outcome) error {
	if end.ok() || end.run == nil { // not of a host
		return nil
	}
	now, err := tx.Ungranted().GetOperation(ctx, op.ID)
	if err != nil || now.State != StateFailed {
		return err
	}
	told := "The server says that it failed. " + end.reason.Text
	why, doubted := late(now, told)
	if !doubted {
		return nil
	}
	if _, err := tx.LateFailure(ctx, op.ID, why.Text, string(why.Code), tx.Micros()); err != nil {
		return err
	}
	if op.EventID != nil {
		if err := Say(ctx, tx, *op.EventID, Piece{Kind: pieceEnd, Step: now.State, Content: "Failed. " + strings.TrimSpace(told) + "\n"}); err != nil {
			return err
		}
	}
	if !aspect.Doubts {
		return nil
	}
	if err := aspect.write(ctx, tx, op, end.end()); !errors.Is(err, db.ErrNotFound) {
		return err
	}
	return nil
}

// stateReplan is the outcome of work of which some operations have ended: the remaining ones are planned again.
const stateReplan = "replan"

// settleCancelled ends the cancelled operations of a batch. The run left nothing on the host, so the others are pending again.
func (e *Engine) settleCancelled(ctx context.Context, aspect Aspect, batch []query.Operation, end outcome) error {
	now, err := e.reread(ctx, batch)
	if err != nil {
		return err
	}
	var asked, rest []query.Operation
	for _, op := range now {
		switch {
		case !unsettled(op):
		case op.Cancelled:
			asked = append(asked, op)
		default:
			rest = append(rest, op)
		}
	}
	if end.state == StateCancelled && len(rest) == len(batch) { // the host ended the run without a request
		return e.settle(ctx, aspect, batch, end)
	}
	run := end.run
	if len(rest) > 0 {
		end.run = nil // closed below: until then a restart finds it, and comes here again
	}
	if end.state = StateCancelled; end.reason.Text == "" {
		end.reason = beforeItBegan
	}
	if len(asked) > 0 || len(rest) == 0 {
		if err := e.settle(ctx, aspect, asked, end); err != nil {
			return err
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return e.write(ctx, rest, nil, func(ctx context.Context, tx *db.Tx) error { return reopen(ctx, tx, rest, run) })
}

// reopen makes running operations pending again, and closes the run that left no trace of them on the host.
func reopen(ctx context.Context, tx *db.Tx, batch []query.Operation, run *ended) error {
	for _, op := range batch {
		if err := tx.ReopenOperation(ctx, op.ID, tx.Micros()); err != nil {
			return err
		}
	}
	return run.close(ctx, tx)
}

// openRuns returns the runs of an operation whose end is not known.
func openRuns(ctx context.Context, q *query.Queries, op query.Operation) ([]query.Run, error) {
	open, err := q.ListOpenRuns(ctx, op.ServerID, op.Aspect)
	if err != nil {
		return nil, fmt.Errorf("list open runs: %w", err)
	}
	return slices.DeleteFunc(open, func(run query.Run) bool { return !slices.Contains(run.Operations, op.ID) }), nil
}

// inDoubt reports whether an operation has a run that its host may have received, and whose result is unknown.
func (e *Engine) inDoubt(ctx context.Context, op query.Operation) (bool, error) {
	open, err := openRuns(ctx, e.db.Read().Ungranted(), op)
	return slices.ContainsFunc(open, func(run query.Run) bool { return run.Sent }), err
}

// Supersede ends an operation that has not begun, because a newer one asks for everything that it did.
func Supersede(ctx context.Context, tx *db.Tx, op query.Operation, by int64) error {
	_, err := endUnbegun(ctx, tx, op, aboutOperation(codeSuperseded, fmt.Sprintf("Superseded by operation %d.", by), by))
	return err
}

// EndUnbegun ends an operation that has not begun, as newer work has taken its place, with its event, and reports whether it did.
func EndUnbegun(ctx context.Context, tx *db.Tx, op query.Operation, reason string) (bool, error) {
	return endUnbegun(ctx, tx, op, because(codeSuperseded, reason))
}

func endUnbegun(ctx context.Context, tx *db.Tx, op query.Operation, reason Reason) (bool, error) {
	if err := tx.LockServer(ctx, op.ServerID); err != nil {
		return false, err
	}
	n, err := tx.SupersedeOperation(ctx, query.SupersedeOperationParams{
		ID: op.ID, Reason: reason.Text, ReasonCode: string(reason.Code), ReasonParams: reason.params(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return false, fmt.Errorf("supersede operation %d: %w", op.ID, err)
	}
	if n == 0 {
		return false, nil
	}
	return true, closeEvent(ctx, tx, op, outcome{state: StateCancelled, reason: reason})
}

func closeEvent(ctx context.Context, tx *db.Tx, op query.Operation, end outcome) error {
	if op.EventID == nil {
		return nil
	}
	said := "Done.\n"
	if !end.ok() {
		said = strings.TrimSpace(text.Sentence(end.state)+" "+end.reason.Text) + "\n"
	}
	return Say(ctx, tx, *op.EventID, Piece{Kind: pieceEnd, Step: end.state, Content: said})
}

func appendOutput(ctx context.Context, tx *db.Tx, batch []query.Operation, pieces []Piece) error {
	if len(pieces) == 0 {
		return nil
	}
	for _, op := range batch {
		if op.EventID == nil {
			continue
		}
		if err := Say(ctx, tx, *op.EventID, pieces...); err != nil {
			return err
		}
	}
	return nil
}

// write stores output, and with it what run updates of its run.
func (e *Engine) write(ctx context.Context, batch []query.Operation, pieces []Piece, run func(context.Context, *db.Tx) error) error {
	err := e.on(ctx, batch, func(ctx context.Context, tx *db.Tx) error {
		if err := appendOutput(ctx, tx, batch, pieces); err != nil {
			return err
		}
		return run(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("keep output: %w", err)
	}
	return nil
}

// keep writes the output of a stage that another follows; its run stays open until that one begins.
func (e *Engine) keep(ctx context.Context, batch []query.Operation, end *outcome) error {
	if len(end.output) == 0 {
		return nil
	}
	if err := e.write(ctx, batch, end.output, end.run.note); err != nil {
		return err
	}
	end.output = nil
	return nil
}

// recorder records the output of a run. It writes twice a second while the run continues, so that a quick one needs no separate write.
type recorder struct {
	e      *Engine
	batch  []query.Operation
	run    query.Run
	lane   *lane
	server query.Server
	step   string // what the run is of the plan

	writing sync.Mutex // held while pieces are written, which keeps them in order
	mu      sync.Mutex
	pieces  []Piece
	size    int // of pieces, in bytes
	lastSeq int64
	seen    bool    // the host may have seen the run
	reached bool    // the host was reached, which is not noted yet
	waits   *string // what the host waits for, "" once it goes on; nil when that is written
	waited  bool
	lost    *string // why the host can't be reached, "" once it can be again; nil when that is written
}

const (
	recordEvery = 500 * time.Millisecond
	// recordAt is how much output is kept in memory. More of it waits until that is written, and the host waits with it.
	recordAt = 1 << 20
)

func newRecorder(a *attempt, run query.Run, step string, seen bool) *recorder {
	return &recorder{
		e: a.e, batch: a.batch, server: a.server, step: step, run: run, lane: a.e.lanes.of(Converge{ServerID: run.ServerID, Aspect: run.Aspect}),
		lastSeq: run.LastSeq, seen: seen,
	}
}

func (r *recorder) event(ctx context.Context, ev wire.Event) {
	if r.note(ev) < recordAt {
		return
	}
	if err := r.flush(ctx); err != nil && ctx.Err() == nil {
		r.e.log.ErrorContext(ctx, "keeping output failed", "run", r.run.ID, "error", err)
	}
}

// note records an event, and returns how much output is to be written.
func (r *recorder) note(ev wire.Event) (size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch ev.Kind {
	case host.Sent:
		r.seen, r.reached = true, true
		return r.size
	case host.Lost:
		if r.lost = &ev.Text; ev.Text == "" {
			r.e.lanes.meet(r.lane)
		} else {
			r.e.lanes.lose(r.lane)
		}
		return r.size
	}
	r.e.lanes.meet(r.lane)
	if ev.Seq <= r.lastSeq { // recorded before a restart
		return r.size
	}
	r.lastSeq = ev.Seq
	if ev.Kind == wire.EventStep && r.waited { // it goes on
		r.waits = new("")
	}
	p := Piece{Kind: string(ev.Kind), Step: ev.Step, Content: ev.Text}
	switch ev.Kind {
	case wire.EventStep:
		if ev.State == "started" || ev.State == "unchanged" { // most steps of most changes find nothing to do: no row for them
			return r.size
		}
		p.Content = fmt.Sprintf("%s: %s\n", ev.Step, ev.State)
		if ev.Text != "" && ev.Text != ev.State {
			p.Content = fmt.Sprintf("%s: %s (%s)\n", ev.Step, ev.State, strings.TrimSpace(ev.Text))
		}
	case wire.EventWaiting:
		if ev.State == wire.WaitsForPackages || ev.State == "lane" {
			r.waits = new("Waiting for " + strings.TrimSpace(ev.Text))
		}
		p.Content = "Waiting: " + strings.TrimSpace(ev.Text) + "\n"
		if by, err := time.Parse(time.RFC3339Nano, ev.Text); err == nil { // for the panel to reach it still
			p.Content = "Waiting to be reached after the change, until " + by.UTC().Format("15:04:05 UTC") + "\n"
		}
	}
	r.size += len(p.Content)
	if n := len(r.pieces); n > 0 && r.pieces[n-1].Kind == p.Kind && r.pieces[n-1].Step == p.Step && len(r.pieces[n-1].Content) < 16<<10 {
		r.pieces[n-1].Content += p.Content
		return r.size
	}
	r.pieces = append(r.pieces, p)
	return r.size
}

// sent reports whether the host may have received the run, in this attempt or before it.
func (r *recorder) sent() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen
}

// rest returns what is not written yet, and its last number.
func (r *recorder) rest() (pieces []Piece, lastSeq int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pieces, r.pieces, r.size = r.pieces, nil, 0
	return pieces, r.lastSeq
}

// flushLost records on the operations why nothing happens, and that it continues.
func (r *recorder) flushLost(ctx context.Context) error {
	r.mu.Lock()
	lost, reached, waits := r.lost, r.reached, r.waits
	r.lost, r.reached, r.waits = nil, false, nil
	if waits != nil {
		r.waited = *waits != ""
	}
	r.mu.Unlock()
	if waits != nil && (lost == nil || *lost == "") {
		if err := r.e.note(ctx, r.batch, r.step, maybe(codeWaiting, *waits)); err != nil {
			return err
		}
	}
	if lost == nil {
		if reached { // a long run says nothing for long: its server is connected all the same
			return r.e.learn(ctx, r.server, answered)
		}
		return nil
	}
	of := answered
	if *lost != "" {
		of = silent
	}
	err := r.e.learn(ctx, r.server, of)
	if err == nil {
		err = r.e.note(ctx, r.batch, r.step, maybe(codeUnreachable, *lost))
	}
	return err
}

// watch writes while a run goes on, and cancels it when that was asked for. giveUp ends the attempt of work that ended meanwhile (its time was up), and where
// another replica should try.
func (r *recorder) watch(ctx context.Context, target host.Target, runID string, giveUp context.CancelCauseFunc) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(recordEvery)
		defer tick.Stop()
		asked := false
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if err := r.flush(ctx); err != nil && ctx.Err() == nil {
				r.e.log.ErrorContext(ctx, "keeping output failed", "run", runID, "error", err)
			}
			if err := r.flushLost(ctx); err != nil && ctx.Err() == nil {
				r.e.log.ErrorContext(ctx, "recording a lost connection failed", "run", runID, "error", err)
			}
			ended, cancelled := r.state(ctx)
			if ended && slices.ContainsFunc(r.batch, unsettled) || cancelled && !r.sent() || r.e.lanes.lostForLong(r.lane) {
				giveUp(context.DeadlineExceeded)
				return
			}
			if cancelled && !asked {
				asked = r.e.fleet.Cancel(ctx, target, runID) == nil
			}
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

func (r *recorder) state(ctx context.Context) (ended, cancelled bool) {
	ended = true
	for _, op := range r.batch {
		now, err := r.e.db.Read().Ungranted().GetOperation(ctx, op.ID)
		if err != nil {
			return false, false
		}
		ended = ended && now.State != StatePending && now.State != StateRunning
		cancelled = cancelled || now.Cancelled
	}
	return ended, cancelled
}

// flush writes what is not written yet.
func (r *recorder) flush(ctx context.Context) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	r.mu.Lock()
	pieces, size, seq := r.pieces, r.size, r.lastSeq
	r.pieces, r.size = nil, 0
	r.mu.Unlock()
	if len(pieces) == 0 {
		return nil
	}
	err := r.e.on(ctx, r.batch, func(ctx context.Context, tx *db.Tx) error {
		if err := appendOutput(ctx, tx, r.batch, pieces); err != nil {
			return err
		}
		return tx.NoteRun(ctx, r.run.ID, seq)
	})
	if err != nil {
		r.mu.Lock()
		r.pieces, r.size = append(pieces, r.pieces...), size+r.size
		r.mu.Unlock()
	}
	return err
}
