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

// own returns the stages that write own files that were changed by hand as they are applied, with the checks and actions that belong to them: one for each
// aspect that has any, so that one which fails leaves the others alone.
func own(plans []aspectPlan, edited []string) []Stage {
	var steps []wire.Step
	for _, p := range plans {
		steps = append(steps, stepsOf(p.stages)...)
	}
	last := lastOf(steps)
	var all []Stage
	for _, p := range plans {
		out := Stage{Name: ownStage + ": " + p.aspect}
		for _, s := range p.stages {
			steps := ownSteps(s, edited, last)
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
		if len(out.Change.Steps) > 0 {
			all = append(all, out)
		}
	}
	return all
}

// ownSteps are the steps of a stage that write these files and make them take effect; none where it has none of them. The accounts of the stage come first:
// its checks refuse files that name one which is missing. last are the files of all stages, of which one may have an older idea.
func ownSteps(stage Stage, edited []string, last map[string]*wire.File) []wire.Step {
	var out []wire.Step
	found := false
	for _, s := range stage.Change.Steps {
		switch {
		case s.File != nil && s.File.Own() && slices.Contains(edited, s.File.Path) && !older(s.File, last):
			found = true
		case s.Dir != nil && !s.Dir.Absent && !s.Dir.Data && slices.ContainsFunc(edited, func(p string) bool { return strings.HasPrefix(p, s.Dir.Path+"/") }):
		case s.Units != nil:
			if s.Units = unitsOf(s.Units, out); len(s.Units.Parts) == 0 {
				continue
			}
		case s.User != nil, s.Validate != nil, s.Action != nil && !s.Action.Always && !stage.Disrupts:
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

// unitsOf are the units of the parts that have a file among steps.
func unitsOf(u *wire.Units, steps []wire.Step) *wire.Units {
	some := *u
	some.Parts = slices.DeleteFunc(slices.Clone(u.Parts), func(p wire.PartUnits) bool {
		return !slices.ContainsFunc(steps, func(s wire.Step) bool { return s.File != nil && s.Part == p.Part })
	})
	return &some
}

// overwrite writes the server's own files that were changed by hand as they are applied, before the work of the attempt. Its events show what differed, and why
// it could not be overwritten: that does not stop the work. It reports whether the attempt has ended.
func (a *attempt) overwrite(ctx context.Context) (over bool, err error) {
	stages, err := a.e.ownStages(ctx, a.server)
	if err != nil {
		a.e.log.WarnContext(ctx, "own files that were changed by hand are left", "server", a.server.ID, "error", err)
	}
	all := true
	for _, stage := range stages {
		if err := a.do(ctx, stage); err != nil {
			return true, err
		}
		all = all && a.end.ok()
		if over, err := a.overwritten(ctx); over || err != nil {
			return true, err
		}
	}
	if all && len(stages) > 0 {
		if err := a.e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.SetServerEdited(ctx, a.server.ID, "") }); err != nil {
			return true, fmt.Errorf("note that own files of server %d are overwritten: %w", a.server.ID, err)
		}
	}
	return false, nil
}

// overwritten writes what came of a stage that overwrites own files, and reports whether the attempt has ended with it.
func (a *attempt) overwritten(ctx context.Context) (over bool, err error) {
	if a.end.state == StateCancelled || a.end.state == stateReplan {
		return true, a.conclude(ctx)
	}
	if !a.end.ok() {
		a.end.output = append(a.end.output, Piece{
			Kind: "note", Step: a.end.step,
			Content: "Files that were changed by hand could not be overwritten: " + a.end.reason.Text + "\n",
		})
	}
	err = a.keep(ctx)
	a.end = outcome{state: StateSucceeded, run: a.end.run}
	return false, err
}

func (e *Engine) ownStages(ctx context.Context, server query.Server) ([]Stage, error) {
	if !server.IsReady {
		return nil, nil
	}
	target, err := e.targets.Target(server)
	if err != nil {
		return nil, err
	}
	asking, cancel := context.WithTimeout(ctx, ownWithin)
	defer cancel()
	edited, err := e.fleet.Edited(asking, target)
	if err != nil || len(edited) == 0 { // whether the host answers is seen to by the work itself
		return nil, nil
	}
	plans, err := e.whole.plans(ctx, server)
	if err != nil {
		return nil, err
	}
	return own(plans, edited), nil
}
