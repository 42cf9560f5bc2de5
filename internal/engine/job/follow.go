package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/tracing"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// follow starts a run, or attaches to it, and stays until it ended or the host can't be reached. seen reports whether the host
// may have received it before.
func (a *attempt) follow(ctx context.Context, row query.Run, task wire.Run, step string, seen bool) (end outcome, err error) {
	e := a.e
	ctx, span := traceRun(ctx, row, seen)
	defer func() { tracing.End(span, err) }()
	target, err := e.targets.Target(a.server)
	if err != nil {
		return outcome{}, err
	}
	left := task.Deadline.Sub(e.db.Clock.Now())
	task.Left = max(left, 1) // also of a run that an older version recorded
	late := left < 0
	rec := newRecorder(a, row, step, seen)
	trying, cancel := context.WithTimeout(ctx, max(attemptFor, left+5*time.Second))
	defer cancel()
	trying, giveUp := context.WithCancelCause(trying)
	defer giveUp(nil)
	stop := rec.watch(trying, target, task.ID, giveUp)
	result, err := e.fleet.RunConfirmed(trying, target, task, host.Check{Kind: confirmKind(row.Confirm)}, func(ev wire.Event) { rec.event(trying, ev) })
	stop()
	pieces, lastSeq := rec.rest()
	if err != nil {
		soFar := outcome{step: step, output: pieces, run: &ended{id: row.ID, lastSeq: lastSeq}}
		if rec.sent() || !errors.Is(err, host.ErrNotSent) || ctx.Err() != nil {
			return a.notRun(ctx, soFar, true, err)
		}
		return a.notSent(ctx, soFar, err)
	}
	e.lanes.meet(rec.lane)
	if err := e.learn(ctx, a.server, answered); err != nil {
		return outcome{}, err
	}
	span.SetAttributes(tracing.RunState.String(string(result.State)))
	run := &ended{id: row.ID, state: string(result.State), lastSeq: lastSeq}
	if err := a.tell(ctx, result); err != nil {
		return outcome{}, err
	}
	if a.aspect.Read != nil && result.State != wire.StateSucceeded {
		if err := a.aspect.Read(ctx, a.server, a.batch); host.Reason(err) != "" {
			return outcome{}, a.away(ctx, step, err)
		} else if err != nil {
			return outcome{}, err
		}
	}
	// A lost run left nothing on the host, or what the same plan makes right, and a late one was not begun: both are retried while there is time.
	lost := result.State == wire.StateLost && !a.aspect.Once
	again, err := a.unheard(ctx, result)
	if err != nil {
		return outcome{}, err
	}
	if lost || again || late && result.State == wire.StateTimedOut && (task.Change != nil || !result.Changed) {
		err := e.write(ctx, a.batch, pieces, func(ctx context.Context, tx *db.Tx) error { return reopen(ctx, tx, a.batch, run) })
		if err != nil {
			return outcome{}, err
		}
		reason := because(codeServerStopped, "The server or its agent stopped during the change. The change is made again.")
		switch {
		case again:
			reason = because(codeNotConfirmed, "The server could not be reached to confirm the change, so it was rolled back. The change is made once more.")
		case late:
			reason = because(codeUnreachableInTime, "The server could not be reached in time.")
		case !result.Restored:
			reason = because(codeAgentRemoved, "The agent's directory was removed during the change. The change is made again.")
		}
		return outcome{}, a.stays(ctx, step, reason)
	}
	end = outcomeOf(task, result, pieces)
	end.output = append(end.output, checked(task, result)...)
	end.run = run
	return end, nil
}

// unheard reports whether a change that was not confirmed is made once more: its server was silent, so that the line may be to blame. If
// that happens again, the change itself is.
func (a *attempt) unheard(ctx context.Context, result wire.Result) (bool, error) {
	if result.State != wire.StateReverted || !result.Unheard {
		return false, nil
	}
	now, err := a.e.reread(ctx, a.batch)
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(now, func(op query.Operation) bool { return op.Attempt > 1 || op.Cancelled || !unsettled(op) }), nil
}

// notSent ends an attempt before the host could receive the run: it did not begin, so a cancelled operation ends at once.
func (a *attempt) notSent(ctx context.Context, soFar outcome, err error) (outcome, error) {
	if err := a.e.setSent(ctx, soFar.run.id, false); err != nil {
		return outcome{}, err
	}
	now, rerr := a.e.reread(ctx, a.batch)
	if rerr != nil {
		return outcome{}, rerr
	}
	if slices.ContainsFunc(now, func(op query.Operation) bool { return op.Cancelled || !unsettled(op) }) {
		return outcome{state: StateCancelled, reason: beforeItBegan, output: soFar.output,
			run: &ended{id: soFar.run.id, state: "unsent", lastSeq: soFar.run.lastSeq}}, nil
	}
	return a.notRun(ctx, soFar, false, err)
}

var beforeItBegan = because(codeBeforeBegun, "Cancelled before it started.")

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

// notRun decides what an attempt without a result means: another attempt later, or the end. soFar is what was received of the run, with its step. Only what the
// host has not received can have failed: the end of what was sent is for the host to tell, also if what answers in its place now has another key.
func (a *attempt) notRun(ctx context.Context, soFar outcome, sent bool, err error) (outcome, error) {
	e := a.e
	if ctx.Err() != nil { // we are shutting down; the run continues, and we attach to it after the restart
		return outcome{}, ctx.Err()
	}
	run, step := soFar.run.id, soFar.step
	if werr := e.keep(ctx, a.batch, &soFar); werr != nil {
		return outcome{}, werr
	}
	reason := host.Reason(err)
	var refused *wire.Error
	switch {
	case errors.Is(err, host.ErrHostKeyChanged) && !sent:
		if err := e.learn(ctx, a.server, stranger); err != nil {
			return outcome{}, err
		}
		return outcome{state: StateFailed, step: step, reason: silence(err).sentence()}, e.endRun(ctx, run, "unsent")
	case errors.As(err, &refused) && (refused.Code == wire.ErrFenced || refused.Code == wire.ErrBusy):
		if err := e.endRun(ctx, run, "refused"); err != nil {
			return outcome{}, err
		}
	case errors.As(err, &refused):
		return outcome{state: StateFailed, step: step, reason: because(codeAgentRefused, refused.Message).sentence()}, e.endRun(ctx, run, "refused")
	case reason == "" && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
		return outcome{}, err
	case reason == "":
		err = &host.Error{Kind: host.ErrUnreachable, Server: a.server.ID, Reason: "The server did not answer in time.", Err: err}
	}
	return outcome{}, a.away(ctx, step, err)
}

// away records why nothing happens, where it is displayed, and what that says of the connection.
func (a *attempt) away(ctx context.Context, step string, why error) error {
	if of, ok := contactOf(why); ok {
		if err := a.e.learn(ctx, a.server, of); err != nil {
			return err
		}
	}
	return a.stays(ctx, step, silence(why))
}

// stays is away for a host that answered, but not what is waited for.
func (a *attempt) stays(ctx context.Context, step string, reason Reason) error {
	a.e.lanes.lose(a.e.lanes.of(a.lane()))
	if err := a.e.note(ctx, a.batch, step, reason); err != nil {
		return err
	}
	return &awayError{reason: reason.Text}
}

func (e *Engine) note(ctx context.Context, batch []query.Operation, step string, reason Reason) error {
	err := e.on(ctx, batch, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range batch {
			if err := noteReason(ctx, tx, op.ID, step, reason.sentence()); err != nil {
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

// resume continues a recorded run: it is attached to, or started if it never was. What follows it has the fence that the lane has now.
func (e *Engine) resume(ctx context.Context, server query.Server, aspect Aspect, row query.Run, fence int64) error {
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
	a := e.attempt(server, aspect, batch, fence)
	if !row.Sent {
		reason, err := e.obsolete(ctx, batch)
		if err != nil {
			return err
		}
		if reason.Text != "" {
			a.end = outcome{state: StateCancelled, reason: reason, run: &ended{id: row.ID, state: "unsent", lastSeq: row.LastSeq}}
			return a.conclude(ctx)
		}
		if err := e.setSent(ctx, row.ID, true); err != nil { // from here on the host may have received it
			return err
		}
	}
	a.end, err = a.follow(ctx, row, run, batch[0].Step, row.Sent)
	if away := (*awayError)(nil); errors.As(err, &away) && !slices.ContainsFunc(batch, unsettled) { // in doubt: only the host knows
		away.doubt = true
	}
	if err != nil {
		return err
	}
	return a.goOn(ctx, row.StageName)
}

// obsolete returns why a run that no host has received must no longer be sent, without a text if it may be.
func (e *Engine) obsolete(ctx context.Context, batch []query.Operation) (reason Reason, err error) {
	if slices.ContainsFunc(batch, func(op query.Operation) bool { return op.Cancelled || !unsettled(op) }) {
		return beforeItBegan, nil
	}
	revoked, err := e.revoked(ctx, batch)
	if err != nil || revoked == nil {
		return Reason{}, err
	}
	err = e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.RequestCancel(ctx, revoked.ID, tx.Micros()) })
	if err != nil {
		return Reason{}, fmt.Errorf("cancel operation %d: %w", revoked.ID, err)
	}
	return noLongerAllowed, nil
}

func unsettled(op query.Operation) bool { return op.State == StatePending || op.State == StateRunning }

func (e *Engine) endRun(ctx context.Context, id, state string) error {
	if err := e.db.Tx(ctx, (&ended{id: id, state: state}).close); err != nil {
		return fmt.Errorf("end run %s: %w", id, err)
	}
	return nil
}

// tell passes the host's result to the resources that record parts of it. They may receive the same one twice.
func (a *attempt) tell(ctx context.Context, result wire.Result) error {
	if a.aspect.Heard == nil {
		return nil
	}
	err := a.e.on(ctx, a.batch, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range a.batch {
			if err := a.aspect.Heard(ctx, tx, op, result); err != nil {
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
