package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// attempt is one try at a batch of operations: it runs the stages of their plan, one after the other, and settles what came of them. The plan is made again for
// each stage, from the rows and facts of then, and the next stage is found by the name of the one before it.
//
// It begins in Engine.step or, with a run from before a restart, in Engine.resume, and ends in conclude. If it returns an error, nothing is settled: its last
// run is open, and the next attempt begins with that.
type attempt struct {
	e      *Engine
	server query.Server
	aspect Aspect
	batch  []query.Operation
	fence  int64 // of the lane

	after  string          // the stage that was done last, "" before the first
	done   map[string]bool // the stages that were done, by name
	failed parts
	end    outcome // what came of the last stage; its run is open
}

func (e *Engine) attempt(server query.Server, aspect Aspect, batch []query.Operation, fence int64) *attempt {
	return &attempt{e: e, server: server, aspect: aspect, batch: batch, fence: fence, done: map[string]bool{}, end: outcome{state: StateSucceeded}}
}

// lane is the job whose lane the attempt has.
func (a *attempt) lane() Converge {
	return Converge{ServerID: a.server.ID, Aspect: a.batch[0].Aspect}
}

// keep writes the output of the last stage, whose run stays open until the next one begins.
func (a *attempt) keep(ctx context.Context) error { return a.e.keep(ctx, a.batch, &a.end) }

// run does the stages that are left, and settles what came of them. The error is an awayError if the host can't be reached.
func (a *attempt) run(ctx context.Context) error {
	for part := false; ; { // part is set after a stage that ended apart, and ran
		stage, err := a.next(ctx)
		if err != nil {
			return err
		}
		if stage == nil {
			return a.conclude(ctx)
		}
		if err := a.keep(ctx); err != nil {
			return err
		}
		if part && a.e.lanes.wanted(a.lane()) {
			return errGivesWay
		}
		before := a.end.run
		if err := a.do(ctx, *stage); err != nil {
			return err
		}
		part = stage.Apart && a.end.run != before
		goes, err := a.ended(ctx, *stage)
		if err != nil {
			return err
		}
		if !goes {
			return a.conclude(ctx)
		}
	}
}

// goOn takes in how the run of a stage ended that began before a restart, and does what is left.
func (a *attempt) goOn(ctx context.Context, name string) error {
	if strings.HasPrefix(name, ownStage) { // files of further aspects are left to the next change
		if over, err := a.overwritten(ctx); over || err != nil {
			return err
		}
		return a.run(ctx)
	}
	stages, err := plan(ctx, a.aspect, a.e.db.Read().Ungranted(), a.server, a.batch)
	if refused := (*PlanError)(nil); err != nil && !errors.As(err, &refused) { // one that is refused now is refused again, where that is settled
		return fmt.Errorf("plan for server %d: %w", a.server.ID, err)
	}
	i := slices.IndexFunc(stages, func(s Stage) bool { return s.Name == name })
	switch {
	case i >= 0:
		if a.failed, err = a.e.failedParts(ctx, a.batch); err != nil {
			return err
		}
		if goes, err := a.ended(ctx, stages[i]); err != nil {
			return err
		} else if !goes {
			return a.conclude(ctx)
		}
	case !a.end.ok():
		return a.conclude(ctx)
	case a.aspect.Once:
		a.after = name
	}
	return a.run(ctx)
}

// next returns the stage to be done, nil if there is none: all are done, or the plan is refused.
func (a *attempt) next(ctx context.Context) (*Stage, error) {
	for looked := false; ; {
		stages, err := plan(ctx, a.aspect, a.e.db.Read().Ungranted(), a.server, a.batch)
		if refused := (*PlanError)(nil); errors.As(err, &refused) {
			if !looked && a.lookAgain(ctx) { // the facts may predate a manual fix
				looked = true
				continue
			}
			a.end = outcome{state: StateFailed, reason: because(codePlan, refused.Error()).sentence(), output: a.end.output, run: a.end.run}
			return nil, nil
		}
		if err != nil { // the panel's own failure, such as a failed read: the work continues when it is fixed
			return nil, fmt.Errorf("plan for server %d: %w", a.server.ID, err)
		}
		at := slices.IndexFunc(stages, func(s Stage) bool { return s.Name == a.after })
		if at < 0 && a.after != "" && a.aspect.Once {
			return nil, nil
		}
		// If the plan has the last stage no longer, after an update of the program, the whole plan runs: stages are safe to repeat.
		left := slices.DeleteFunc(stages[at+1:], func(s Stage) bool { return a.done[s.Name] })
		if len(left) == 0 {
			return nil, nil
		}
		apart := slices.ContainsFunc(left, func(s Stage) bool { return s.Apart })
		if len(left) > 1 && len(a.batch) > 1 && a.after == "" && a.end.run == nil && !apart {
			a.batch = a.batch[:1] // of work that ends between two stages, what the first did would stay
			continue
		}
		if a.after == "" && apart {
			a.end.output = append(a.end.output, Piece{Kind: partsBegin})
		}
		return &left[0], nil
	}
}

// ended takes in how a stage ended, and reports whether the next one follows.
func (a *attempt) ended(ctx context.Context, stage Stage) (goes bool, err error) {
	if a.end.ok() && stage.After != nil {
		if err := a.keep(ctx); err != nil { // it may be waited for long
			return false, err
		}
		if err := a.afterwards(ctx, stage); err != nil {
			return false, err
		}
	}
	if !a.end.ok() && !a.failed.note(stage, &a.end) {
		return false, nil
	}
	a.after, a.done[stage.Name] = stage.Name, true
	if a.server, err = a.e.db.Read().Ungranted().GetServer(ctx, a.server.ID); err != nil {
		return false, fmt.Errorf("read server: %w", err)
	}
	return true, nil
}

// afterwards runs the After of a stage that is done, which may end the work.
func (a *attempt) afterwards(ctx context.Context, stage Stage) error {
	err := stage.After(ctx, a.server)
	if host.Reason(err) != "" {
		return a.away(ctx, stage.Name, err)
	}
	var end *StageError
	var later *LaterError
	switch {
	case errors.As(err, &end):
		a.end = outcome{state: StateFailed, step: stage.Name, reason: end.why(), run: a.end.run}
		return nil
	case errors.As(err, &later):
		if err := a.e.note(ctx, a.batch, stage.Name, later.why()); err != nil {
			return err
		}
		return &awayError{reason: later.Reason, after: later.After}
	}
	return err
}

// lookAgain reads the facts of a server that is set up, and reports whether they changed.
func (a *attempt) lookAgain(ctx context.Context) (changed bool) {
	if a.e.look == nil || !a.server.IsReady || a.e.look(ctx, a.server) != nil {
		return false
	}
	now, err := a.e.db.Read().Ungranted().GetServer(ctx, a.server.ID)
	if err != nil {
		return false
	}
	changed = now.Facts != a.server.Facts
	a.server = now
	return changed
}

// conclude settles what came of the stages. If a batch of several fails, one of them is bad: each is then attempted alone, in order, so that only the bad one
// fails.
func (a *attempt) conclude(ctx context.Context) error {
	a.failed.conclude(&a.end)
	if a.end.state == StateCancelled || a.end.state == stateReplan {
		return a.e.settleCancelled(ctx, a.aspect, a.batch, a.end)
	}
	if a.end.ok() || a.end.parts || len(a.batch) == 1 {
		return a.e.settle(ctx, a.aspect, a.batch, a.end)
	}
	if err := a.e.write(ctx, a.batch, append(a.end.output, Piece{
		Kind:    "note",
		Content: "This failed together with other work (" + a.end.reason.Text + "); each is tried separately.\n",
	}), a.end.run.close); err != nil {
		return err
	}
	for i := range a.batch {
		if err := a.e.attempt(a.server, a.aspect, a.batch[i:i+1], a.fence).run(ctx); err != nil {
			return err
		}
	}
	return nil
}
