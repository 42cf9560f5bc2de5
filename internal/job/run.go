package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/secret"
)

// outcome is how a batch of operations ended.
type outcome struct {
	state  string
	step   string
	reason string
	output []piece
	run    *ended
}

func (o outcome) ok() bool { return o.state == StateSucceeded }

// ended is a run whose result is known. Its row stays open until what followed from it is written in the same transaction: a process that is
// killed in between finds the run again, and never starts a second one for the same work.
type ended struct {
	id, state string
	lastSeq   int64 // of what it said
}

// close ends its row; where there is no run, there is nothing to end.
func (r *ended) close(ctx context.Context, tx *db.Tx) error {
	if r == nil {
		return nil
	}
	now := tx.Micros()
	return tx.EndRun(ctx, r.id, r.state, &now)
}

// note remembers how far what it said is written.
func (r *ended) note(ctx context.Context, tx *db.Tx) error {
	if r == nil {
		return nil
	}
	return tx.NoteRun(ctx, r.id, r.lastSeq)
}

// errReplan rolls the start of a run back: some of its operations have ended since it was planned.
var errReplan = errors.New("operations have ended since the plan was made")

// piece is output on its way to the events.
type piece struct{ kind, step, content string }

// stages runs the stages of a batch's plan, from one on, and says how they ended; nothing is settled yet. before is the run of the stage before.
func (e *Engine) stages(ctx context.Context, server query.Server, aspect Aspect, batch, held []query.Operation, fence int64, from int, before *ended) (outcome, error) {
	end := outcome{state: StateSucceeded, run: before}
	for i := from; ; i++ {
		stages, err := plan(ctx, aspect, e.db.Read(), server, Pending{Included: batch, Held: held})
		if refused := (*PlanError)(nil); errors.As(err, &refused) {
			end = outcome{state: StateFailed, reason: sentence(refused.Error()), run: end.run}
			break
		}
		if err != nil { // of the panel's own, a failed read for instance: the work goes on when it is mended
			return end, fmt.Errorf("plan for server %d: %w", server.ID, err)
		}
		if i >= len(stages) {
			break
		}
		if end, err = e.runStage(ctx, server, batch, stages[i], fence, end.run); err != nil {
			return end, err
		}
		if !end.ok() {
			break
		}
		failed, err := e.after(ctx, server, batch, stages[i])
		if err != nil {
			return end, err
		}
		if failed != nil {
			failed.output, failed.run = end.output, end.run
			end = *failed
			break
		}
		if server, err = e.db.Read().GetServer(ctx, server.ID); err != nil {
			return end, fmt.Errorf("read server: %w", err)
		}
		if i+1 < len(stages) { // the last stage's output is kept with its settling
			if err := e.keep(ctx, batch, &end); err != nil {
				return end, err
			}
		}
	}
	return end, nil
}

// after does what a stage asks for once it is done. The outcome is set where that ends the work.
func (e *Engine) after(ctx context.Context, server query.Server, batch []query.Operation, stage Stage) (*outcome, error) {
	if stage.After == nil {
		return nil, nil
	}
	err := stage.After(ctx, server)
	if reason := host.Reason(err); reason != "" {
		return nil, e.away(ctx, server, batch, stage.Name, reason)
	}
	var end *StageError
	var later *LaterError
	switch {
	case errors.As(err, &end):
		return &outcome{state: StateFailed, step: stage.Name, reason: sentence(end.Reason)}, nil
	case errors.As(err, &later):
		if err := e.note(ctx, batch, stage.Name, later.Reason); err != nil {
			return nil, err
		}
		return nil, &awayError{reason: later.Reason}
	}
	return nil, err
}

// runStage writes the run down, in place of the one before, then starts it. A stage that changes nothing is not run at all.
func (e *Engine) runStage(ctx context.Context, server query.Server, batch []query.Operation, stage Stage, fence int64, before *ended) (outcome, error) {
	if !stage.task(&wire.Run{}) {
		return outcome{state: StateSucceeded, run: before}, e.started(ctx, batch, stage)
	}
	within := stage.Within
	if within == 0 {
		within = defaultStage
	}
	deadline := e.db.Clock.Now().Add(within)
	for _, op := range batch {
		if d := time.UnixMicro(op.Deadline).UTC(); d.Before(deadline) {
			deadline = d
		}
	}
	aspect := batch[0].Aspect
	run := wire.Run{ID: strings.ToLower(baseOf(aspect)) + "-" + secret.Random(8), Lane: hostLane(aspect), Fence: fence, Deadline: deadline, Detach: stage.Detach}
	stage.task(&run)
	raw, err := json.Marshal(run)
	if err != nil {
		return outcome{}, fmt.Errorf("write run: %w", err)
	}
	sealed, err := e.box.Seal(runPlace(run.ID), raw)
	if err != nil {
		return outcome{}, err
	}
	ids := make([]int64, len(batch))
	for i, op := range batch {
		ids[i] = op.ID
	}
	list, err := json.Marshal(ids)
	if err != nil {
		return outcome{}, fmt.Errorf("write run: %w", err)
	}
	row := query.Run{ID: run.ID, ServerID: server.ID, Aspect: batch[0].Aspect, Operations: string(list), StageName: stage.Name, Run: sealed, Confirm: confirmName(stage.Confirm)}
	err = e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range batch {
			n, err := tx.StartOperation(ctx, op.ID, stage.Name, "", tx.Micros())
			if err != nil {
				return err
			}
			if n == 0 { // it was cancelled, superseded or too late since the plan was made, so the plan asks for too much
				return errReplan
			}
			if f, ok := e.aspects[baseOf(aspect)].(Follower); ok {
				if err := f.Begun(ctx, tx, op); err != nil {
					return err
				}
			}
		}
		if err := before.close(ctx, tx); err != nil {
			return err
		}
		return tx.InsertRun(ctx, query.InsertRunParams{ID: row.ID, ServerID: row.ServerID, Aspect: row.Aspect, Operations: row.Operations, StageName: row.StageName, Run: row.Run, Confirm: row.Confirm, CreatedAt: tx.Micros()})
	})
	if errors.Is(err, errReplan) {
		return outcome{state: stateReplan, run: before}, nil
	}
	if err != nil {
		return outcome{}, fmt.Errorf("write run: %w", err)
	}
	return e.follow(ctx, server, batch, row, run, stage.Name, false)
}

// started tells of a stage without a run that it goes on.
func (e *Engine) started(ctx context.Context, batch []query.Operation, stage Stage) error {
	if stage.After == nil {
		return nil
	}
	err := e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range batch {
			if _, err := tx.StartOperation(ctx, op.ID, stage.Name, "", tx.Micros()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("begin stage: %w", err)
	}
	return nil
}

func runPlace(id string) secret.Place { return secret.Place{Table: "runs", Row: id, Column: "run"} }

func confirmName(kind host.ConfirmKind) string {
	if kind == host.ConfirmLogin {
		return "login"
	}
	return "reachable"
}

func confirmKind(name string) host.ConfirmKind {
	if name == "login" {
		return host.ConfirmLogin
	}
	return host.ConfirmReachable
}

// follow starts a run, or attaches to it, and stays until it ended or the host can't be reached. seen reports whether the host may have seen it before.
func (e *Engine) follow(ctx context.Context, server query.Server, batch []query.Operation, row query.Run, task wire.Run, step string, seen bool) (outcome, error) {
	target, err := e.targets.Target(server)
	if err != nil {
		return outcome{}, err
	}
	late := e.db.Clock.Now().After(task.Deadline)
	rec := newRecorder(e, batch, row, seen)
	attempt, cancel := context.WithTimeout(ctx, max(attemptFor, time.Until(task.Deadline)+5*time.Second))
	defer cancel()
	attempt, giveUp := context.WithCancelCause(attempt)
	defer giveUp(nil)
	stop := rec.watch(attempt, server, target, task.ID, step, giveUp)
	result, err := e.fleet.RunConfirmed(attempt, target, task, host.Check{Kind: confirmKind(row.Confirm)}, rec.event)
	stop()
	pieces, lastSeq := rec.rest()
	if err != nil {
		soFar := outcome{output: pieces, run: &ended{id: row.ID, lastSeq: lastSeq}}
		if rec.sent() || !errors.Is(err, host.ErrNotSent) || ctx.Err() != nil {
			return e.notRun(ctx, server, batch, row, step, soFar, err)
		}
		return e.notSent(ctx, server, batch, row, step, soFar, err)
	}
	if err := e.setConnection(ctx, server, connected); err != nil {
		return outcome{}, err
	}
	run := &ended{id: row.ID, state: string(result.State), lastSeq: lastSeq}
	if err := e.tell(ctx, batch, result); err != nil {
		return outcome{}, err
	}
	// Nothing of a lost run is left on the host, and one that came too late was not begun: both are tried again while there is time.
	_, once := e.aspects[baseOf(row.Aspect)].(Once)
	lost := result.State == wire.StateLost && !once
	if lost || late && result.State == wire.StateTimedOut && (task.Change != nil || !result.Changed) {
		err := e.write(ctx, batch, pieces, func(ctx context.Context, tx *db.Tx) error { return reopen(ctx, tx, batch, run) })
		if err != nil {
			return outcome{}, err
		}
		return outcome{}, e.away(ctx, server, batch, step, map[bool]string{true: "The server could not be reached in time.",
			false: "The server or its agent stopped in the middle; what was begun was put back."}[late])
	}
	end := outcomeOf(result, pieces)
	end.run = run
	return end, nil
}

// notSent is an attempt that ended before the host could see the run: it did not begin, so a cancelled operation ends at once.
func (e *Engine) notSent(ctx context.Context, server query.Server, batch []query.Operation, row query.Run, step string, soFar outcome, err error) (outcome, error) {
	if err := e.setSent(ctx, row.ID, false); err != nil {
		return outcome{}, err
	}
	now, rerr := e.reread(ctx, batch)
	if rerr != nil {
		return outcome{}, rerr
	}
	if slices.ContainsFunc(now, func(op query.Operation) bool { return op.Cancelled || !unsettled(op) }) {
		return outcome{state: StateCancelled, reason: beforeItBegan, output: soFar.output, run: &ended{id: row.ID, state: "unsent", lastSeq: soFar.run.lastSeq}}, nil
	}
	return e.notRun(ctx, server, batch, row, step, soFar, err)
}

const beforeItBegan = "Cancelled before it began."

func (e *Engine) setSent(ctx context.Context, id string, sent bool) error {
	err := e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.SetRunSent(ctx, id, sent) })
	if err != nil {
		return fmt.Errorf("note whether run %s was sent: %w", id, err)
	}
	return nil
}

// reread returns operations as they are now.
func (e *Engine) reread(ctx context.Context, batch []query.Operation) ([]query.Operation, error) {
	out := make([]query.Operation, 0, len(batch))
	for _, op := range batch {
		now, err := e.db.Read().GetOperation(ctx, op.ID)
		if errors.Is(err, db.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read operation %d: %w", op.ID, err)
		}
		out = append(out, now)
	}
	return out, nil
}

// notRun decides what an attempt without a result means: another attempt later, or the end. soFar is what was heard of the run.
func (e *Engine) notRun(ctx context.Context, server query.Server, batch []query.Operation, row query.Run, step string, soFar outcome, err error) (outcome, error) {
	if ctx.Err() != nil { // we are shutting down; the run goes on, and we attach to it when we are back
		return outcome{}, ctx.Err()
	}
	if werr := e.keep(ctx, batch, &soFar); werr != nil {
		return outcome{}, werr
	}
	reason := host.Reason(err)
	var refused *wire.Error
	switch {
	case errors.Is(err, host.ErrHostKeyChanged):
		if err := e.setConnection(ctx, server, keyChanged); err != nil {
			return outcome{}, err
		}
		return outcome{state: StateFailed, step: step, reason: sentence(reason)}, e.endRun(ctx, row.ID, "unknown")
	case errors.As(err, &refused) && (refused.Code == wire.ErrFenced || refused.Code == wire.ErrBusy):
		if err := e.endRun(ctx, row.ID, "refused"); err != nil {
			return outcome{}, err
		}
		reason = refused.Message
	case errors.As(err, &refused):
		return outcome{state: StateFailed, step: step, reason: sentence(refused.Message)}, e.endRun(ctx, row.ID, "refused")
	case reason == "" && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
		return outcome{}, err
	case reason == "":
		reason = "The server did not answer in time."
	}
	return outcome{}, e.away(ctx, server, batch, step, reason)
}

// away notes why nothing happens, where people look for it.
func (e *Engine) away(ctx context.Context, server query.Server, batch []query.Operation, step, reason string) error {
	if err := e.setConnection(ctx, server, disconnected); err != nil {
		return err
	}
	if err := e.note(ctx, batch, step, reason); err != nil {
		return err
	}
	return &awayError{reason: reason}
}

func (e *Engine) note(ctx context.Context, batch []query.Operation, step, reason string) error {
	err := e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range batch {
			if err := tx.NoteOperation(ctx, op.ID, step, sentence(reason), tx.Micros()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note why a server is waited for: %w", err)
	}
	return nil
}

// resumeRun goes on with a run that was written down before: it is attached to, or started if it never was.
func (e *Engine) resumeRun(ctx context.Context, server query.Server, aspect Aspect, row query.Run) error {
	raw, err := e.box.Open(runPlace(row.ID), row.Run)
	if err != nil {
		return err
	}
	var run wire.Run
	if err := json.Unmarshal(raw, &run); err != nil {
		return fmt.Errorf("read run %s: %w", row.ID, err)
	}
	var ids []int64
	if err := json.Unmarshal([]byte(row.Operations), &ids); err != nil {
		return fmt.Errorf("read run %s: %w", row.ID, err)
	}
	batch := make([]query.Operation, len(ids))
	for i, id := range ids {
		batch[i].ID = id
	}
	if batch, err = e.reread(ctx, batch); err != nil {
		return err
	}
	if len(batch) == 0 {
		return e.endRun(ctx, row.ID, "abandoned")
	}
	held, err := e.heldBeside(ctx, row, ids)
	if err != nil {
		return err
	}
	if gone := func(op query.Operation) bool { return op.Cancelled || !unsettled(op) }; !row.Sent && slices.ContainsFunc(batch, gone) {
		return e.conclude(ctx, server, aspect, batch, held, run.Fence, outcome{state: StateCancelled, reason: beforeItBegan, run: &ended{id: row.ID, state: "unsent", lastSeq: row.LastSeq}})
	}
	if !row.Sent { // from here on the host may see it
		if err := e.setSent(ctx, row.ID, true); err != nil {
			return err
		}
	}
	end, err := e.follow(ctx, server, batch, row, run, batch[0].Step, row.Sent)
	if away := (*awayError)(nil); errors.As(err, &away) && !slices.ContainsFunc(batch, unsettled) { // in doubt: only the host knows
		away.doubt = true
	}
	if err != nil {
		return err
	}
	return e.goOn(ctx, server, aspect, batch, held, run.Fence, row.StageName, end)
}

func unsettled(op query.Operation) bool { return op.State == StatePending || op.State == StateRunning }

// goOn does what follows from a stage whose run has ended.
func (e *Engine) goOn(ctx context.Context, server query.Server, aspect Aspect, batch, held []query.Operation, fence int64, stage string, end outcome) error {
	if !end.ok() {
		return e.conclude(ctx, server, aspect, batch, held, fence, end)
	}
	if err := e.keep(ctx, batch, &end); err != nil {
		return err
	}
	stages, err := plan(ctx, aspect, e.db.Read(), server, Pending{Included: batch, Held: held})
	if refused := (*PlanError)(nil); err != nil && !errors.As(err, &refused) {
		return fmt.Errorf("plan for server %d: %w", server.ID, err)
	}
	// A stage that the plan does not have any more, after an update of the program, is followed by the whole plan: stages are safe to repeat.
	at := slices.IndexFunc(stages, func(s Stage) bool { return s.Name == stage })
	if at >= 0 { // a plan that is refused now is refused again below, where that is settled
		failed, err := e.after(ctx, server, batch, stages[at])
		if err != nil {
			return err
		}
		if failed != nil {
			failed.run = end.run
			return e.conclude(ctx, server, aspect, batch, held, fence, *failed)
		}
	} else if _, once := e.aspects[baseOf(batch[0].Aspect)].(Once); once {
		at = len(stages)
	}
	if server, err = e.db.Read().GetServer(ctx, server.ID); err != nil {
		return fmt.Errorf("read server: %w", err)
	}
	return e.apply(ctx, server, aspect, batch, held, fence, at+1, end.run)
}

func (e *Engine) heldBeside(ctx context.Context, row query.Run, ids []int64) ([]query.Operation, error) {
	pending, err := e.db.Read().ListPendingOperations(ctx, row.ServerID, row.Aspect)
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", row.ID, err)
	}
	var held []query.Operation
	for _, op := range pending {
		in := false
		for _, id := range ids {
			in = in || id == op.ID
		}
		if !in {
			held = append(held, op)
		}
	}
	return held, nil
}

func (e *Engine) endRun(ctx context.Context, id, state string) error {
	if err := e.db.Tx(ctx, (&ended{id: id, state: state}).close); err != nil {
		return fmt.Errorf("end run %s: %w", id, err)
	}
	return nil
}

// tell gives the host's result to the resources that want to keep of it. They may be told of the same one twice.
func (e *Engine) tell(ctx context.Context, batch []query.Operation, result wire.Result) error {
	f, ok := e.aspects[baseOf(batch[0].Aspect)].(Follower)
	if !ok {
		return nil
	}
	err := e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range batch {
			if err := f.Ended(ctx, tx, op, result); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep the result of run %s: %w", result.ID, err)
	}
	return nil
}

func outcomeOf(r wire.Result, pieces []piece) outcome {
	o := outcome{state: StateFailed, step: r.FailedStep, reason: sentence(r.Reason), output: pieces}
	switch r.State {
	case wire.StateSucceeded:
		o.state = StateSucceeded
	case wire.StateCancelled:
		o.state, o.reason = StateCancelled, "Cancelled."
	case wire.StateTimedOut:
		o.reason = sentence("It took too long and was ended. " + r.Reason)
	case wire.StateReverted:
		o.step, o.reason = "confirm", "A new connection to the server did not get through. "+sentence(r.Reason)
	}
	if tail := lastLines(r.Output, 5); tail != "" && o.state == StateFailed {
		o.reason += " " + tail
	}
	return o
}

// lastLines is the end of an output, on one line.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	out := strings.Join(lines, " / ")
	if len(out) > 1000 {
		out = "… " + out[len(out)-1000:]
	}
	return strings.ToValidUTF8(out, "")
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return s
}
