package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/tracing"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// follow starts a run, or attaches to it, and stays until it ended or the host can't be reached. seen reports whether the host
// may have received it before.
func (e *Engine) follow(ctx context.Context, server query.Server, batch []query.Operation, row query.Run, task wire.Run, step string,
	seen bool,
) (end outcome, err error) {
	ctx, span := traceRun(ctx, row, seen)
	defer func() { tracing.End(span, err) }()
	target, err := e.targets.Target(server)
	if err != nil {
		return outcome{}, err
	}
	left := task.Deadline.Sub(e.db.Clock.Now())
	task.Left = max(left, 1) // also of a run that an older version recorded
	late := left < 0
	rec := newRecorder(e, batch, row, seen)
	attempt, cancel := context.WithTimeout(ctx, max(attemptFor, left+5*time.Second))
	defer cancel()
	attempt, giveUp := context.WithCancelCause(attempt)
	defer giveUp(nil)
	stop := rec.watch(attempt, server, target, task.ID, step, giveUp)
	result, err := e.fleet.RunConfirmed(attempt, target, task, host.Check{Kind: confirmKind(row.Confirm)}, func(ev wire.Event) { rec.event(attempt, ev) })
	stop()
	pieces, lastSeq := rec.rest()
	if err != nil {
		soFar := outcome{output: pieces, run: &ended{id: row.ID, lastSeq: lastSeq}}
		if rec.sent() || !errors.Is(err, host.ErrNotSent) || ctx.Err() != nil {
			return e.notRun(ctx, server, batch, row, step, soFar, true, err)
		}
		return e.notSent(ctx, server, batch, row, step, soFar, err)
	}
	e.lanes.meet(rec.lane)
	if err := e.learn(ctx, server, answered); err != nil {
		return outcome{}, err
	}
	span.SetAttributes(tracing.RunState.String(string(result.State)))
	run := &ended{id: row.ID, state: string(result.State), lastSeq: lastSeq}
	if err := e.tell(ctx, batch, result); err != nil {
		return outcome{}, err
	}
	aspect := e.aspects[baseOf(row.Aspect)]
	if aspect.Read != nil && result.State != wire.StateSucceeded {
		if err := aspect.Read(ctx, server, batch); host.Reason(err) != "" {
			return outcome{}, e.away(ctx, server, batch, step, err)
		} else if err != nil {
			return outcome{}, err
		}
	}
	// A lost run left nothing on the host, or what the same plan makes right, and a late one was not begun: both are retried while there is time.
	lost := result.State == wire.StateLost && !aspect.Once
	again, err := e.unheard(ctx, batch, result)
	if err != nil {
		return outcome{}, err
	}
	if lost || again || late && result.State == wire.StateTimedOut && (task.Change != nil || !result.Changed) {
		err := e.write(ctx, batch, pieces, func(ctx context.Context, tx *db.Tx) error { return reopen(ctx, tx, batch, run) })
		if err != nil {
			return outcome{}, err
		}
		reason := "The server or its agent stopped during the change. The change is made again."
		switch {
		case again:
			reason = "The server could not be reached to confirm the change, so it was rolled back. The change is made once more."
		case late:
			reason = "The server could not be reached in time."
		case !result.Restored:
			reason = "The agent's directory was removed during the change. The change is made again."
		}
		return outcome{}, e.stays(ctx, server, batch, step, reason)
	}
	end = outcomeOf(task, result, pieces)
	end.run = run
	return end, nil
}

// unheard reports whether a change that was not confirmed is made once more: its server was silent, so that the line may be to blame. If
// that happens again, the change itself is.
func (e *Engine) unheard(ctx context.Context, batch []query.Operation, result wire.Result) (bool, error) {
	if result.State != wire.StateReverted || !result.Unheard {
		return false, nil
	}
	now, err := e.reread(ctx, batch)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(now, func(op query.Operation) bool { return op.Attempt > 1 || op.Cancelled || !unsettled(op) }), nil
}

// notSent ends an attempt before the host could receive the run: it did not begin, so a cancelled operation ends at once.
func (e *Engine) notSent(ctx context.Context, server query.Server, batch []query.Operation, row query.Run, step string, soFar outcome,
	err error,
) (outcome, error) {
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
	return e.notRun(ctx, server, batch, row, step, soFar, false, err)
}

const beforeItBegan = "Cancelled before it started."

func (e *Engine) setSent(ctx context.Context, id string, sent bool) error {
	err := e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.SetRunSent(ctx, id, sent) })
	if err != nil {
		return fmt.Errorf("note whether run %s was sent: %w", id, err)
	}
	return nil
}

// reread returns the current state of operations.
func (e *Engine) reread(ctx context.Context, batch []query.Operation) ([]query.Operation, error) {
	out := make([]query.Operation, 0, len(batch))
	for _, op := range batch {
		now, err := e.db.Read().Ungranted().GetOperation(ctx, op.ID)
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

// notRun decides what an attempt without a result means: another attempt later, or the end. soFar is what was received of the run. Only what the host has not
// received can have failed: the end of what was sent is for the host to tell, also if what answers in its place now has another key.
func (e *Engine) notRun(ctx context.Context, server query.Server, batch []query.Operation, row query.Run, step string, soFar outcome,
	sent bool, err error,
) (outcome, error) {
	if ctx.Err() != nil { // we are shutting down; the run continues, and we attach to it after the restart
		return outcome{}, ctx.Err()
	}
	if werr := e.keep(ctx, batch, &soFar); werr != nil {
		return outcome{}, werr
	}
	reason := host.Reason(err)
	var refused *wire.Error
	switch {
	case errors.Is(err, host.ErrHostKeyChanged) && !sent:
		if err := e.learn(ctx, server, stranger); err != nil {
			return outcome{}, err
		}
		return outcome{state: StateFailed, step: step, reason: text.Sentence(reason)}, e.endRun(ctx, row.ID, "unsent")
	case errors.As(err, &refused) && (refused.Code == wire.ErrFenced || refused.Code == wire.ErrBusy):
		if err := e.endRun(ctx, row.ID, "refused"); err != nil {
			return outcome{}, err
		}
	case errors.As(err, &refused):
		return outcome{state: StateFailed, step: step, reason: text.Sentence(refused.Message)}, e.endRun(ctx, row.ID, "refused")
	case reason == "" && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
		return outcome{}, err
	case reason == "":
		err = &host.Error{Kind: host.ErrUnreachable, Server: server.ID, Reason: "The server did not answer in time.", Err: err}
	}
	return outcome{}, e.away(ctx, server, batch, step, err)
}

// away records why nothing happens, where it is displayed, and what that says of the connection.
func (e *Engine) away(ctx context.Context, server query.Server, batch []query.Operation, step string, why error) error {
	if of, ok := contactOf(why); ok {
		if err := e.learn(ctx, server, of); err != nil {
			return err
		}
	}
	return e.stays(ctx, server, batch, step, host.Reason(why))
}

// stays is away for a host that answered, but not what is waited for.
func (e *Engine) stays(ctx context.Context, server query.Server, batch []query.Operation, step, reason string) error {
	e.lanes.lose(e.lanes.of(Converge{ServerID: server.ID, Aspect: batch[0].Aspect}))
	if err := e.note(ctx, batch, step, reason); err != nil {
		return err
	}
	return &awayError{reason: reason}
}

func (e *Engine) note(ctx context.Context, batch []query.Operation, step, reason string) error {
	err := e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range batch {
			if err := tx.NoteOperation(ctx, op.ID, step, text.Sentence(reason), tx.Micros()); err != nil {
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

// resumeRun continues a recorded run: it is attached to, or started if it never was. What follows it has the fence that the lane has now.
func (e *Engine) resumeRun(ctx context.Context, server query.Server, aspect Aspect, row query.Run, fence int64) error {
	raw, err := e.box.Open(runPlace(row.ID), row.Run)
	if err != nil {
		return err
	}
	var run wire.Run
	if err := json.Unmarshal(raw, &run); err != nil {
		return fmt.Errorf("read run %s: %w", row.ID, err)
	}
	batch := make([]query.Operation, len(row.Operations))
	for i, id := range row.Operations {
		batch[i].ID = id
	}
	if batch, err = e.reread(ctx, batch); err != nil {
		return err
	}
	if len(batch) == 0 {
		return e.endRun(ctx, row.ID, "abandoned")
	}
	if !row.Sent {
		reason, err := e.obsolete(ctx, batch)
		if err != nil {
			return err
		}
		if reason != "" {
			return e.conclude(ctx, server, aspect, batch, fence, outcome{
				state: StateCancelled, reason: reason,
				run: &ended{id: row.ID, state: "unsent", lastSeq: row.LastSeq},
			})
		}
		if err := e.setSent(ctx, row.ID, true); err != nil { // from here on the host may have received it
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
	return e.goOn(ctx, server, aspect, batch, fence, row.StageName, end)
}

// obsolete returns why a run that no host has received must no longer be sent, or "".
func (e *Engine) obsolete(ctx context.Context, batch []query.Operation) (reason string, err error) {
	if slices.ContainsFunc(batch, func(op query.Operation) bool { return op.Cancelled || !unsettled(op) }) {
		return beforeItBegan, nil
	}
	revoked, err := e.revoked(ctx, batch)
	if err != nil || revoked == nil {
		return "", err
	}
	err = e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.RequestCancel(ctx, revoked.ID, tx.Micros()) })
	if err != nil {
		return "", fmt.Errorf("cancel operation %d: %w", revoked.ID, err)
	}
	return noLongerAllowed, nil
}

func unsettled(op query.Operation) bool { return op.State == StatePending || op.State == StateRunning }

// goOn continues after a stage whose run has ended.
func (e *Engine) goOn(ctx context.Context, server query.Server, aspect Aspect, batch []query.Operation, fence int64, stage string, end outcome) error {
	if strings.HasPrefix(stage, ownStage) {
		return e.goOver(ctx, server, aspect, batch, fence, end)
	}
	stages, err := plan(ctx, aspect, e.db.Read().Ungranted(), server, batch)
	if refused := (*PlanError)(nil); err != nil && !errors.As(err, &refused) {
		return fmt.Errorf("plan for server %d: %w", server.ID, err)
	}
	// If the plan no longer has the stage, after an update of the program, the whole plan runs: stages are safe to repeat.
	at := slices.IndexFunc(stages, func(s Stage) bool { return s.Name == stage })
	if end.ok() {
		if err := e.keep(ctx, batch, &end); err != nil {
			return err
		}
	}
	if at >= 0 && end.ok() { // a plan that is refused now is refused again below, where that is settled
		failed, err := e.after(ctx, server, batch, stages[at])
		if err != nil {
			return err
		}
		if failed != nil {
			failed.run = end.run
			end = *failed
		}
	}
	if !end.ok() {
		known, err := e.failedParts(ctx, batch, at+1)
		if err != nil {
			return err
		}
		if at < 0 || !known.note(stages[at], &end) {
			return e.conclude(ctx, server, aspect, batch, fence, end)
		}
		if err := e.keep(ctx, batch, &end); err != nil {
			return err
		}
	}
	if aspect.Once && at < 0 {
		at = len(stages)
	}
	if server, err = e.db.Read().Ungranted().GetServer(ctx, server.ID); err != nil {
		return fmt.Errorf("read server: %w", err)
	}
	return e.apply(ctx, server, aspect, batch, fence, at+1, end.run)
}

func (e *Engine) endRun(ctx context.Context, id, state string) error {
	if err := e.db.Tx(ctx, (&ended{id: id, state: state}).close); err != nil {
		return fmt.Errorf("end run %s: %w", id, err)
	}
	return nil
}

// tell passes the host's result to the resources that record parts of it. They may receive the same one twice.
func (e *Engine) tell(ctx context.Context, batch []query.Operation, result wire.Result) error {
	heard := e.aspects[baseOf(batch[0].Aspect)].Heard
	if heard == nil {
		return nil
	}
	err := e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range batch {
			if err := heard(ctx, tx, op, result); err != nil {
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
