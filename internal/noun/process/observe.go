package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Hosts says how units are.
type Hosts interface {
	Units(ctx context.Context, t host.Target, names []string) ([]wire.UnitState, error)
}

// Observer records the state of processes on their servers.
type Observer struct {
	DB      *db.DB
	Hosts   Hosts
	Targets job.Targets
}

// lookEvery is how often a process that was begun is looked at until it has run for as long as it should.
const lookEvery = 200 * time.Millisecond

// Done notes how the processes of a stage are once they had their time to start.
func (o *Observer) Done(ctx context.Context, srv query.Server, stage job.Stage) error {
	var rows []query.BackgroundProcess
	var start int64
	for _, id := range stage.About {
		row, err := o.DB.Read().GetBackgroundProcess(ctx, srv, id)
		if errors.Is(err, db.ErrNotFound) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read process %d: %w", id, err)
		}
		rows, start = append(rows, row), max(start, min(row.Startsecs, 10))
	}
	if len(rows) == 0 {
		return nil
	}
	until := time.Now().Add(time.Duration(start) * time.Second)
	for {
		seen, err := o.look(ctx, srv, rows...)
		if err != nil {
			return err
		}
		starting := slices.ContainsFunc(rows, func(row query.BackgroundProcess) bool { return seen[row.ID] == seenRunning })
		if !starting || time.Now().After(until) {
			return o.note(ctx, seen)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

// look asks a server how processes are.
func (o *Observer) look(ctx context.Context, srv query.Server, rows ...query.BackgroundProcess) (map[int64]string, error) {
	target, err := o.Targets.Target(srv)
	if err != nil {
		return nil, err
	}
	var names []string
	of := map[string]int64{}
	for _, row := range rows {
		for i := int64(1); i <= row.Processes; i++ {
			name := render.ProcessUnit(row.ID, fmt.Sprint(i))
			names, of[name] = append(names, name), row.ID
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	units, err := o.Hosts.Units(ctx, target, names)
	if err != nil {
		return nil, err
	}
	states := map[int64][]string{}
	for _, u := range units {
		if id, ok := of[u.Name]; ok {
			states[id] = append(states[id], stateOf(u))
		}
	}
	out := map[int64]string{}
	for _, row := range rows {
		out[row.ID] = worst(states[row.ID])
		if row.Stopped && out[row.ID] == seenExited {
			out[row.ID] = seenStopped
		}
	}
	return out, nil
}

// stateOf returns a unit's state in the contract's words, which are those of supervisord (supervisord.org, "Process States").
func stateOf(u wire.UnitState) string {
	switch {
	case u.Active == "active" || u.Active == "deactivating" || u.Active == "reloading":
		return seenRunning
	case u.Active == "activating":
		return seenBackoff
	case u.Active == "failed":
		return StatusFatal
	case u.Active == "inactive":
		return seenExited
	}
	return seenUnknown
}

// worst returns the state of a process with several instances: the one that most needs attention.
func worst(states []string) string {
	for _, s := range []string{StatusFatal, seenBackoff, seenUnknown, seenExited} {
		if slices.Contains(states, s) {
			return s
		}
	}
	if len(states) == 0 {
		return seenUnknown
	}
	return seenRunning
}

func (o *Observer) note(ctx context.Context, seen map[int64]string) error {
	return o.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for id, state := range seen {
			if err := tx.ObserveBackgroundProcess(ctx, id, state); err != nil {
				return fmt.Errorf("note state of process %d: %w", id, err)
			}
		}
		return nil
	})
}

// Watch notes how the processes of a server are.
func (o *Observer) Watch(ctx context.Context, srv query.Server) error {
	rows, err := o.DB.Read().ListBackgroundProcesses(ctx, srv)
	if err != nil {
		return fmt.Errorf("list processes: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(r query.BackgroundProcess) bool { return r.Status != "" })
	if len(rows) == 0 {
		return nil
	}
	seen, err := o.look(ctx, srv, rows...)
	if err != nil {
		return err
	}
	changed := map[int64]string{}
	for _, row := range rows {
		if seen[row.ID] != row.Observed {
			changed[row.ID] = seen[row.ID]
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return o.note(ctx, changed)
}
