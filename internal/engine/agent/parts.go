package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// unitsAtOnce is how many units one call of systemctl is given.
const unitsAtOnce = 50

// parts is how the parts of a Change ended so far.
type parts struct {
	changed map[string]bool
	failed  []partEnd
}

// partEnd is a part that failed, with its first step that did.
type partEnd struct {
	part, reason string
	step         int
	err          error
}

// partsError is the failure of some parts of a Change, while the others are done.
type partsError struct{ failed []partEnd }

func (e *partsError) Error() string {
	first := e.failed[0]
	text := first.part + ": " + first.reason
	if len(e.failed) == 1 {
		return text
	}
	var names []string
	for _, f := range e.failed[1:] {
		names = append(names, f.part)
	}
	return text + "; also failed: " + strings.Join(names, ", ")
}

func (e *partsError) Unwrap() error { return e.failed[0].err }

func (p *parts) hasFailed(part string) bool {
	return part != "" && slices.ContainsFunc(p.failed, func(f partEnd) bool { return f.part == part })
}

func (p *parts) change(part string) {
	if p.changed == nil {
		p.changed = map[string]bool{}
	}
	p.changed[part] = true
}

// end is how a Change ends all of whose steps were tried.
func (p *parts) end() (failed int, err error) {
	if len(p.failed) == 0 {
		return -1, nil
	}
	return p.failed[0].step, &partsError{p.failed}
}

// fail notes that a part failed, in the output as well.
func (c *change) fail(i int, part string, err error) {
	c.parts.failed = append(c.parts.failed, partEnd{part: part, reason: err.Error(), step: i, err: err})
	c.x.tells(i, part+": "+err.Error()+"\n")
}

// partFailed rolls a part back of which a step failed. What can't be rolled back fails the whole Change.
func (c *change) partFailed(i int, s wire.Step, err error) error {
	c.fail(i, s.Part, err)
	steps := c.c.Steps
	if err := c.x.putBackSteps(steps, func(n int) bool { return n >= 0 && n < len(steps) && steps[n].Part == s.Part }); err != nil {
		return fmt.Errorf("%s could not be rolled back: %w", s.Part, err)
	}
	delete(c.parts.changed, s.Part)
	for n := range i {
		if f := steps[n].File; f != nil && steps[n].Part == s.Part {
			c.x.unwrote(f)
		}
	}
	return nil
}

// units starts, restarts and stops the units of the parts that have not failed. One that does not start fails its part.
func (c *change) units(ctx context.Context, i int, s wire.Step) (bool, error) {
	of := map[string]string{} // the part of a unit
	var restart, start, stop []string
	for _, p := range s.Units.Parts {
		if c.parts.hasFailed(p.Part) {
			continue
		}
		for _, unit := range slices.Concat(p.Run, p.Stop) {
			of[unit] = p.Part
		}
		if stop = append(stop, p.Stop...); c.parts.changed[p.Part] {
			restart = append(restart, p.Run...)
		} else {
			start = append(start, p.Run...)
		}
	}
	if len(restart) > 0 {
		if err := c.x.note(entry{Op: opAction, Step: i, Units: restart}); err != nil {
			return false, err
		}
	}
	failed := map[string]error{}
	for _, call := range []struct {
		verb  string
		units []string
	}{{"stop", stop}, {"restart", restart}, {"start", start}} {
		for some := range slices.Chunk(call.units, unitsAtOnce) {
			m := managed{i: i, name: s.Name, verb: call.verb, within: s.Units.Timeout, of: of, failed: failed}
			if err := c.x.manage(ctx, m, some); err != nil {
				return false, err
			}
		}
	}
	for _, part := range slices.Sorted(maps.Keys(failed)) {
		c.fail(i, part, failed[part])
	}
	return len(restart) > 0, nil
}

// managed is one verb of systemctl for the units of many parts.
type managed struct {
	i          int // the step
	name, verb string
	within     time.Duration
	of         map[string]string // the part of a unit
	failed     map[string]error  // by part
}

// manage calls systemctl for many units at once; one by one only where that failed, to know the part whose unit it is.
func (x *execution) manage(ctx context.Context, m managed, units []string) error {
	out := output.New(nil, nil, nil) // which unit it was is said below
	err := x.a.programs.Run(ctx, program.Program{Argv: append([]string{"systemctl", m.verb, "--"}, units...), Timeout: m.within, Out: out, Run: x.mark()})
	said, _ := out.Finish()
	var exit *program.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err == nil:
		return nil
	case !errors.As(err, &exit) && !errors.Is(err, program.ErrTimeout):
		return &stepError{reason: err.Error(), output: said, code: -1}
	}
	verb := m.verb
	if verb == "restart" {
		verb = "start" // those that were restarted run
	}
	for _, unit := range units {
		_, err := x.execStep(ctx, m.i, m.name, &wire.Exec{Argv: []string{"systemctl", verb, "--", unit}, Timeout: m.within})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil && m.failed[m.of[unit]] == nil {
			m.failed[m.of[unit]] = fmt.Errorf("%s %s: %w", m.verb, unit, err)
		}
	}
	return nil
}
