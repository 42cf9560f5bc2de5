package job

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// ownStage is the stage that overwrites what was changed by hand in own files, before any change of a server.
	ownStage = "files changed by hand"
	// ownWithin is how long the host may take to say which those are.
	ownWithin = 5 * time.Second
)

// own returns the stage that writes own files that were changed by hand as they are applied, with the checks and actions that belong to them. It is empty
// if there are none.
func own(plans []aspectPlan, edited []string) Stage {
	out := Stage{Name: ownStage}
	for _, p := range plans {
		for _, s := range p.stages {
			steps := ownSteps(s, edited)
			if len(steps) == 0 {
				continue
			}
			out.Change.Steps = append(out.Change.Steps, steps...)
			out.Within += max(s.Within, defaultStage)
			if s.Change.ConfirmWithin > 0 {
				out.Change.ConfirmWithin = max(out.Change.ConfirmWithin, s.Change.ConfirmWithin)
				if s.Confirm == host.ConfirmLogin {
					out.Confirm = s.Confirm
				}
			}
		}
	}
	return out
}

// ownSteps are the steps of a stage that write these files and make them take effect; none where it has none of them.
func ownSteps(stage Stage, edited []string) []wire.Step {
	var out []wire.Step
	found := false
	for _, s := range stage.Change.Steps {
		switch {
		case s.File != nil && s.File.Own() && slices.Contains(edited, s.File.Path):
			found = true
		case s.Dir != nil && !s.Dir.Absent && !s.Dir.Data && slices.ContainsFunc(edited, func(p string) bool { return strings.HasPrefix(p, s.Dir.Path+"/") }):
		case s.Validate != nil, s.Action != nil && !s.Action.Always && !stage.Disrupts:
		default:
			continue
		}
		out = append(out, s)
	}
	if !found {
		return nil
	}
	return out
}

// applyOver overwrites the server's own files that were changed by hand, then applies the batch. The events of the batch show what differed, and why it
// could not be overwritten: that does not stop the work.
func (e *Engine) applyOver(ctx context.Context, server query.Server, aspect Aspect, batch []query.Operation, fence int64) error {
	stage, err := e.ownStage(ctx, server)
	if err != nil {
		e.log.WarnContext(ctx, "own files that were changed by hand are left", "server", server.ID, "error", err)
	}
	if len(stage.Change.Steps) == 0 {
		return e.apply(ctx, server, aspect, batch, fence, 0, nil)
	}
	end, err := e.runStage(ctx, server, batch, stage, fence, nil)
	if err != nil {
		return err
	}
	return e.goOver(ctx, server, aspect, batch, fence, end)
}

func (e *Engine) ownStage(ctx context.Context, server query.Server) (Stage, error) {
	if !server.IsReady {
		return Stage{}, nil
	}
	target, err := e.targets.Target(server)
	if err != nil {
		return Stage{}, err
	}
	asking, cancel := context.WithTimeout(ctx, ownWithin)
	defer cancel()
	edited, err := e.fleet.Edited(asking, target)
	if err != nil || len(edited) == 0 { // whether the host answers is seen to by the work itself
		return Stage{}, nil
	}
	plans, err := e.whole.plans(ctx, server)
	if err != nil {
		return Stage{}, err
	}
	return own(plans, edited), nil
}

// goOver continues with the work that had to wait until own files were overwritten.
func (e *Engine) goOver(ctx context.Context, server query.Server, aspect Aspect, batch []query.Operation, fence int64, end outcome) error {
	switch end.state {
	case StateCancelled, stateReplan:
		return e.conclude(ctx, server, aspect, batch, fence, end)
	case StateSucceeded:
		if err := e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.SetServerEdited(ctx, server.ID, "") }); err != nil {
			return fmt.Errorf("note that own files of server %d are overwritten: %w", server.ID, err)
		}
	default:
		end.output = append(end.output, Piece{Kind: "note", Step: end.step, Content: "Files that were changed by hand could not be overwritten: " + end.reason + "\n"})
	}
	if err := e.keep(ctx, batch, &end); err != nil {
		return err
	}
	return e.apply(ctx, server, aspect, batch, fence, 0, end.run)
}
