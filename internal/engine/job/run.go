package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// outcome is the result of a batch of operations.
type outcome struct {
	state  string
	step   string
	reason Reason
	output []Piece
	run    *ended
	// parts is set for work whose stages end apart: it is not tried a second time for each operation of its batch.
	parts bool
	// how is what kind of failure it is, "" for Failed.
	how State
	// overdue is set where the time of the operations is up: one that has more time by now is left.
	overdue bool
}

func (o outcome) ok() bool { return o.state == StateSucceeded }

// end is what it is for the resource of an operation.
func (o outcome) end() State {
	switch o.state {
	case StateSucceeded:
		return Succeeded
	case StateCancelled:
		return Cancelled
	default:
		return cmp.Or(o.how, Failed)
	}
}

// ended is a run whose result is known. Its row stays open until its consequences are written in the same transaction: a process
// that is killed in between finds the run again, and never starts a second one for the same work.
type ended struct {
	id, state string
	lastSeq   int64 // of its output
}

// close closes its row, if there is a run.
func (r *ended) close(ctx context.Context, tx *db.Tx) error {
	if r == nil {
		return nil
	}
	now := tx.Micros()
	return tx.EndRun(ctx, r.id, r.state, &now)
}

// note records how far its output is written.
func (r *ended) note(ctx context.Context, tx *db.Tx) error {
	if r == nil {
		return nil
	}
	return tx.NoteRun(ctx, r.id, r.lastSeq)
}

// errReplan rolls the start of a run back: some of its operations have ended since it was planned.
var errReplan = errors.New("operations have ended since the plan was made")

// do records the run of a stage, in the place of the one before it, then starts it and stays until it ended. A stage that changes nothing is not run at all.
func (a *attempt) do(ctx context.Context, stage Stage) error {
	e, before := a.e, a.end.run
	a.end = outcome{state: StateSucceeded, run: before}
	if !stage.task(&wire.Run{}) {
		return a.looks(ctx, stage)
	}
	within := stage.Within
	if within == 0 {
		within = defaultStage
	}
	deadline := e.db.Clock.Now().Add(within)
	for _, op := range a.batch {
		if d := time.UnixMicro(op.Deadline).UTC(); d.Before(deadline) {
			deadline = d
		}
	}
	aspect := a.batch[0].Aspect
	run := wire.Run{
		ID: strings.ToLower(baseOf(aspect)) + "-" + secret.Random(8), Lane: hostLane(aspect), Fence: a.fence, Deadline: deadline, Detach: stage.Detach,
	}
	stage.task(&run)
	raw, err := json.Marshal(run)
	if err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	sealed, err := e.box.Seal(runPlace(run.ID), raw)
	if err != nil {
		return err
	}
	row := query.Run{
		ID: run.ID, ServerID: a.server.ID, Aspect: aspect, Operations: idsOf(a.batch), StageName: stage.Name, Run: sealed,
		Confirm: confirmName(stage.Confirm),
	}
	err = e.on(ctx, a.batch, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range a.batch {
			n, err := tx.StartOperation(ctx, op.ID, stage.Name, run.Change == nil, tx.Micros())
			if err != nil {
				return err
			}
			if n == 0 { // an operation was cancelled, superseded or timed out since the plan was made, so the plan asks for too much
				return errReplan
			}
			if err := a.aspect.write(ctx, tx, op, Begun); err != nil {
				return err
			}
		}
		if err := before.close(ctx, tx); err != nil {
			return err
		}
		return tx.InsertRun(ctx, query.InsertRunParams{
			ID: row.ID, ServerID: row.ServerID, Aspect: row.Aspect, Operations: row.Operations,
			StageName: row.StageName, Run: row.Run, Confirm: row.Confirm, CreatedAt: tx.Micros(),
		})
	})
	if errors.Is(err, errReplan) {
		a.end.state = stateReplan
		return nil
	}
	if err != nil {
		return fmt.Errorf("write run: %w", err)
	}
	a.end, err = a.follow(ctx, row, run, stage.Name, false)
	return err
}

// looks reports the progress of a stage without a run. It keeps the reason why the previous attempt waited, which is the last known one if the deadline
// passes during this attempt.
func (a *attempt) looks(ctx context.Context, stage Stage) error {
	if stage.After == nil {
		return nil
	}
	err := a.e.on(ctx, a.batch, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range a.batch {
			if err := tx.LookOperation(ctx, op.ID, stage.Name, tx.Micros()); err != nil {
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

// outcomeOf returns the outcome of a run. Anyone who can view the server reads the reason, so it quotes output only of the
// service's own programs, as in a Change. The output of people's scripts, and an engine's messages about a tenant's dump, are in
// the output of the event, which requires the permissions of the work.
func outcomeOf(task wire.Run, r wire.Result, pieces []Piece) outcome {
	o := outcome{state: StateFailed, step: r.FailedStep, reason: maybe(codeStep, r.Reason).sentence(), output: pieces}
	if task.Script != nil && r.State == wire.StateFailed && r.FailedStep == "script" && r.ExitCode > 0 {
		o.reason = about(codeScript, fmt.Sprintf("The script exited with status %d.", r.ExitCode), "status", r.ExitCode)
	}
	switch r.State {
	case wire.StateSucceeded:
		o.state = StateSucceeded
	case wire.StateCancelled:
		o.state, o.reason = StateCancelled, because(codeCancelled, "Cancelled.")
	case wire.StateLost:
		o.how, o.reason = Lost, maybe(codeServerStopped, o.reason.Text)
	case wire.StateTimedOut:
		o.how = TimedOut
		o.reason = because(codeTimedOut, "The work took too long and was ended. "+text.Sentence(r.Reason)).sentence()
	case wire.StateReverted:
		o.step, o.reason = "confirm", because(codeNotConfirmed, "A new connection to the server could not be established. "+text.Sentence(r.Reason))
	}
	if tail := lastLines(r.Output, 5); tail != "" && o.state == StateFailed && task.Change != nil {
		o.reason.Text += " " + tail
	}
	return o
}

// lastLines returns the end of an output, on one line.
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
