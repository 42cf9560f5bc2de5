package job

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Whole combines the aspects of a server: what the server should have, and how it differs.
type Whole struct {
	DB      *db.DB
	Fleet   Fleet
	Targets Targets
	// Aspects by name. First sets a server up, Last removes it; the others wait for the first.
	Aspects     map[string]Aspect
	First, Last string
}

// aspectPlan is what one aspect plans for all that a server has.
type aspectPlan struct {
	aspect string
	stages []Stage
}

// plans is what a server should have, by aspect. Work that has not ended counts as not begun.
func (w *Whole) plans(ctx context.Context, server query.Server) ([]aspectPlan, error) {
	var out []aspectPlan
	for _, name := range w.ofServers() {
		stages, err := plan(ctx, w.Aspects[name], w.DB.Read().Ungranted(), server, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, aspectPlan{name, stages})
	}
	return out, nil
}

// Mend is the plan that applies everything recorded for a server again: first the accounts, which other parts name, then each part, whatever became of those
// before it. It never recreates lost data, which the host reports instead.
func (w *Whole) Mend(ctx context.Context, server query.Server) ([]Stage, error) {
	plans, err := w.plans(ctx, server)
	if err != nil {
		return nil, err
	}
	var all []Stage
	for _, p := range plans {
		for _, s := range p.stages {
			if len(s.Change.Steps) == 0 {
				continue
			}
			if s.Apart = true; s.Name != p.aspect {
				s.Name = p.aspect + ": " + s.Name
			}
			all = append(all, s)
		}
	}
	last := lastOf(stepsOf(all))
	if accounts := accountsOf(stepsOf(all)); len(accounts) > 0 {
		all = slices.Insert(all, 0, Stage{Name: "accounts", Change: wire.Change{Steps: accounts}, Apart: true})
	}
	for i := range all {
		all[i].Change.Repair = true
		all[i].Change.Steps = slices.DeleteFunc(slices.Clone(all[i].Change.Steps),
			func(s wire.Step) bool { return s.File != nil && !s.File.Once && older(s.File, last) })
	}
	return all, nil
}

// accountsOf are the steps that create accounts, each account once.
func accountsOf(all []wire.Step) []wire.Step {
	var out []wire.Step
	for _, s := range all {
		if s.User != nil && !slices.ContainsFunc(out, func(has wire.Step) bool { return has.User.Name == s.User.Name }) {
			out = append(out, s)
		}
	}
	return out
}

// lastOf are the files of steps as the last step has them, by path.
func lastOf(all []wire.Step) map[string]*wire.File {
	last := map[string]*wire.File{}
	for _, s := range all {
		if s.File != nil {
			last[s.File.Path] = s.File
		}
	}
	return last
}

// older reports whether a later step has another idea of a file.
func older(f *wire.File, last map[string]*wire.File) bool {
	l := last[f.Path]
	return l != f && (l.Absent != f.Absent || string(l.Content) != string(f.Content))
}

// Drift compares a server with its desired state, and changes nothing. Open work counts as not begun. The error is a PlanError if
// the desired state can't be determined.
func (w *Whole) Drift(ctx context.Context, server query.Server) ([]wire.Difference, error) {
	target, err := w.Targets.Target(server)
	if err != nil {
		return nil, err
	}
	plans, err := w.plans(ctx, server)
	if err != nil {
		return nil, err
	}
	var all []wire.Step
	var found []wire.Difference
	for _, p := range plans {
		all = append(all, stepsOf(p.stages)...)
		if look := w.Aspects[p.aspect].Drift; look != nil {
			more, err := look(ctx, server)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
	}
	drift, err := w.Fleet.Drift(ctx, target, wire.Change{Steps: lastOfEach(all)})
	if err != nil {
		return nil, err
	}
	return append(drift.Differences, found...), nil
}

// comparedWithin is how long a caller waits for a comparison.
const comparedWithin = 30 * time.Second

// Compared is Drift for a caller who waits: the error is one for them where the server can't be compared.
func (w *Whole) Compared(ctx context.Context, server query.Server) ([]wire.Difference, error) {
	ctx, cancel := context.WithTimeout(ctx, comparedWithin)
	defer cancel()
	found, err := w.Drift(ctx, server)
	var plan *PlanError
	switch reason := host.Reason(err); {
	case reason != "":
		return nil, api.Conflict("The server can't be compared: %s.", reason)
	case errors.As(err, &plan):
		return nil, api.Conflict("The intended state can't be determined: %s.", plan)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, api.Conflict("The server can't be compared: it did not answer within %s.", comparedWithin)
	}
	return found, err
}

// ofServers returns the aspects that a server which is set up has, the first first.
func (w *Whole) ofServers() []string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(w.Aspects)), func(name string) bool { return name == w.First || name == w.Last })
	if _, ok := w.Aspects[w.First]; ok {
		names = slices.Insert(names, 0, w.First)
	}
	return names
}

// lastOfEach keeps each file as the last step has it: setting a server up begins with a firewall without rules, which the firewall's own plan replaces.
func lastOfEach(all []wire.Step) []wire.Step {
	last := map[string]int{}
	for i, s := range all {
		if s.File != nil {
			last[s.File.Path] = i
		}
	}
	var out []wire.Step
	for i, s := range all {
		if s.File == nil || last[s.File.Path] == i {
			out = append(out, s)
		}
	}
	return out
}
