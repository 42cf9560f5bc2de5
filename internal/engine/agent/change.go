package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// undoTimeout is how long one undo may take.
const undoTimeout = 2 * time.Minute

// stepError is the failure of a step.
type stepError struct {
	reason string
	output string
	code   int
}

func (e *stepError) Error() string { return e.reason }

// quote is a failure that concerns a tenant's text: a statement of a dump, an engine's message about a row. Anyone who can view
// the server reads the reason, which is in our own words; the text goes into the run's output, which requires the permissions of
// the work.
type quote struct {
	reason, text string
	err          error
}

func (e *quote) Error() string { return e.reason }
func (e *quote) Unwrap() error { return e.err }

// quotes writes the quoted text of a failure into the output.
func (x *execution) quotes(i int, step string, err error) {
	var q *quote
	if errors.As(err, &q) {
		x.log.Emit(wire.Event{Kind: wire.EventOutput, Index: i, Step: step, Text: strings.TrimSpace(q.text) + "\n"})
	}
}

// change applies a wire.Change.
type change struct {
	x       *execution
	c       *wire.Change
	changed bool
	files   []string    // those that changed
	before  map[int]int // HTTP codes from before the first step
	parts   parts
	stopped map[string]string // what a repair found stopped, and the verb of systemctl that starts it
}

// How a step ended.
const (
	stepChanged   = "changed"
	stepUnchanged = "unchanged"
	stepFailed    = "failed"
	stepReverted  = "reverted"
	stepStarted   = "started"
)

// run performs the steps. On failure it returns the failed step, and nothing is rolled back yet.
func (c *change) run(ctx context.Context) (failed int, err error) {
	for i, s := range c.c.Steps {
		if err := checkStep(s); err != nil {
			return i, err
		}
	}
	c.before = map[int]int{}
	for i, s := range c.c.Steps {
		if s.Probe != nil && s.Probe.HTTP != nil && (s.Probe.HTTP.SameAsBefore || s.Probe.HTTP.NotWorse) {
			c.before[i] = c.x.askHTTP(ctx, s.Probe.HTTP)
		}
	}
	c.unitsBefore(ctx)
	var lost []string
	for i, s := range c.c.Steps {
		if ctx.Err() != nil {
			return i, context.Cause(ctx)
		}
		if gone, err := c.lost(i, s, &lost); gone || err != nil {
			if err != nil {
				return i, err
			}
			continue
		}
		if c.parts.hasFailed(s.Part) {
			continue
		}
		c.x.step(i, s.Name, stepStarted)
		c.x.a.crash(fmt.Sprintf("step %d", i))
		started, err := c.startStopped(ctx, i, s)
		did := started
		if err == nil {
			did, err = c.step(ctx, i, s)
			did = did || started
		}
		if ctx.Err() != nil && err != nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			c.x.log.End()
			c.x.step(i, s.Name, stepFailed)
			if s.Part != "" && ctx.Err() == nil {
				if err = c.partFailed(i, s, err); err == nil {
					continue
				}
			}
			return i, err
		}
		state := stepUnchanged
		if did {
			c.changed = true
			c.parts.change(s.Part)
			state = stepChanged
			if s.File != nil {
				c.files = append(c.files, s.File.Path)
			}
		}
		c.x.step(i, s.Name, state)
		c.x.a.crash(fmt.Sprintf("step %d done", i))
	}
	return c.parts.end()
}

// lost reports whether a step of a repair is about a directory of data that is missing, or about what is below one. It is reported, not created empty:
// that would be taken for the data.
func (c *change) lost(i int, s wire.Step, lost *[]string) (bool, error) {
	if !c.c.Repair {
		return false, nil
	}
	p := pathOf(s)
	if slices.ContainsFunc(*lost, func(dir string) bool { return below(p, dir) }) {
		return true, nil
	}
	if s.Dir == nil || !s.Dir.Data || s.Dir.Absent {
		return false, nil
	}
	is, err := c.x.a.lookPath(p)
	if err != nil || is.Kind != object.Absent {
		return false, err
	}
	*lost = append(*lost, p)
	c.x.tells(i, p+" is missing. It is not made empty: what it held has to come from a backup or a deployment.\n")
	return true, nil
}

// pathOf is what a step is about on the host, "" for none.
func pathOf(s wire.Step) string {
	switch {
	case s.File != nil:
		return s.File.Path
	case s.Dir != nil:
		return s.Dir.Path
	case s.Link != nil:
		return s.Link.Path
	case s.Lines != nil:
		return s.Lines.Path
	}
	return ""
}

func below(p, dir string) bool { return strings.HasPrefix(p, dir+"/") }

// lookPath returns what exists at a path, nothing if its directory does not exist.
func (a *Agent) lookPath(p string) (object.State, error) {
	fd, name, err := a.root.OpenParent(p)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return object.State{Kind: object.Absent}, nil
	}
	if err != nil {
		return object.State{}, err
	}
	defer unix.Close(fd)
	return object.Look(fd, name)
}

// step does one step and reports whether it changed something.
func (c *change) step(ctx context.Context, i int, s wire.Step) (bool, error) {
	switch {
	case s.File != nil:
		return c.x.file(i, s.File)
	case s.Dir != nil:
		return c.x.dirStep(i, s.Dir)
	case s.Link != nil:
		return c.x.link(i, s.Link)
	case s.Packages != nil:
		return c.x.packages(ctx, i, s.Name, s.Packages)
	case s.User != nil:
		return c.x.user(ctx, i, s.Name, s.User)
	case s.Validate != nil:
		_, err := c.x.execStep(ctx, i, s.Name, s.Validate)
		if err == nil {
			c.x.checked(wire.CheckConfiguration, c.x.a.validated(s.Validate.Argv))
		}
		return false, err
	case s.Exec != nil:
		if len(s.Exec.Undo) > 0 {
			if err := c.x.note(entry{Op: opAction, Step: i}); err != nil {
				return false, err
			}
		}
		return c.x.execStep(ctx, i, s.Name, s.Exec)
	case s.Action != nil:
		return c.action(ctx, i, s)
	case s.Clear != nil:
		return c.x.a.clearLog(s.Clear)
	case s.Lines != nil:
		return c.x.lines(i, s.Lines)
	case s.Sessions != nil:
		return c.x.closeSessions(ctx, i, s.Name, s.Sessions)
	case s.Retire != nil:
		return c.x.retire(ctx, i, s.Retire)
	case s.Units != nil:
		return c.units(ctx, i, s)
	case s.Login != nil:
		return c.x.login(ctx, i, s.Name, s.Login)
	case s.Jail != nil:
		return c.x.jail(ctx, i, s.Jail)
	}
	return false, c.probe(ctx, i, s)
}

// wants reports whether something changed that an action puts into effect.
func (c *change) wants(a *wire.Action) bool {
	if a.Always || a.Below == "" {
		return a.Always || c.changed
	}
	return slices.ContainsFunc(c.files, func(path string) bool { return strings.HasPrefix(path, strings.TrimSuffix(a.Below, "/")+"/") })
}

func (c *change) action(ctx context.Context, i int, s wire.Step) (bool, error) {
	if !c.wants(s.Action) && !c.outOfForce(ctx, s.Action) {
		return false, nil
	}
	if err := c.x.note(entry{Op: opAction, Step: i}); err != nil {
		return false, err
	}
	c.x.a.crash(fmt.Sprintf("action %d noted", i))
	listener, ports := c.x.ports(ctx, s.Action.Listener)
	from := c.x.a.sizeOf(s.Action.Log)
	err := c.x.replacing(ctx, s.Action.Workers, func() error {
		_, err := c.x.execStep(ctx, i, s.Name, &wire.Exec{Argv: s.Action.Argv})
		return err
	})
	if err == nil {
		err = c.x.reopened(ctx, s.Action.Listener, listener, ports)
	}
	var failed *stepError
	if line := c.x.a.lastLine(s.Action.Log, from); errors.As(err, &failed) && line != "" {
		failed.reason += ": " + line
	}
	return err == nil, err
}

// execStep runs the program of a step with all its options.
func (x *execution) execStep(ctx context.Context, i int, name string, e *wire.Exec) (bool, error) {
	if len(e.Unless) > 0 {
		// The check is not part of the step's output.
		err := x.a.programs.Run(ctx, program.Program{Argv: e.Unless, Env: e.Env, Timeout: e.Timeout, Out: output.New(nil, nil, nil), Run: x.mark()})
		var exit *program.ExitError
		switch {
		case err == nil:
			return false, nil
		case ctx.Err() != nil:
			return false, context.Cause(ctx)
		case !errors.As(err, &exit):
			return false, &stepError{reason: "ask whether it is needed: " + err.Error(), code: -1}
		}
	}
	emit := x.log.Output(i, name)
	if e.Secret {
		emit = nil
	}
	out := output.New(emit, nil, e.Refuse)
	err := x.a.programs.Run(ctx, program.Program{Argv: e.Argv, Env: e.Env, Stdin: e.Stdin, Timeout: e.Timeout, Out: out, Run: x.mark()})
	end, refused := out.Finish()
	if e.Secret {
		end = ""
	}
	switch {
	case ctx.Err() != nil && err != nil:
		return false, context.Cause(ctx)
	case err != nil:
		f := &stepError{reason: err.Error(), output: end}
		var exit *program.ExitError
		if errors.As(err, &exit) {
			f.code = exit.Code
		}
		return false, f
	case refused != "":
		return false, &stepError{reason: fmt.Sprintf("the output contains %q", refused), output: end}
	}
	return true, nil
}

// undoOf returns the program that undoes a step which ran as an entry says, if one does.
func undoOf(s wire.Step, e entry) (program.Program, bool) {
	switch {
	case s.Units != nil && len(e.Units) > 0:
		return program.Program{Argv: append([]string{"systemctl", "restart", "--"}, e.Units...), Timeout: undoTimeout}, true
	case s.Action != nil && len(s.Action.Undo) > 0:
		return program.Program{Argv: s.Action.Undo, Timeout: undoTimeout}, true
	case s.Action != nil:
		return program.Program{Argv: s.Action.Argv, Timeout: undoTimeout}, true
	case s.Exec != nil && len(s.Exec.Undo) > 0:
		return program.Program{Argv: s.Exec.Argv, Env: s.Exec.Env, Stdin: s.Exec.Undo, Timeout: undoTimeout}, true
	}
	return program.Program{}, false
}

// putBack rolls the host back from the journal: objects in reverse, then the undo of the actions that ran. It continues after an
// error, so that as much as possible is restored, and can be repeated.
func (x *execution) putBack(steps []wire.Step) error {
	return x.putBackSteps(steps, func(int) bool { return true })
}

// putBackSteps is putBack for some of the steps, by their numbers.
func (x *execution) putBackSteps(steps []wire.Step, some func(step int) bool) error {
	var entries []entry
	err := durable.ReadLines(journalPath(x.dir), func(e entry) {
		if some(e.Step) {
			entries = append(entries, e)
		}
	})
	if err != nil {
		return fmt.Errorf("read journal: %w", err)
	}
	name := func(i int) string {
		if i >= 0 && i < len(steps) {
			return steps[i].Name
		}
		return ""
	}
	var errs []error
	if i := openPackages(x.dir); i >= 0 {
		x.repair(i) // while the policy is still in place
	}
	told := map[int]bool{}
	for n := len(entries) - 1; n >= 0; n-- {
		e := entries[n]
		if e.Op != opObject || e.Before == nil {
			continue
		}
		x.a.crash(fmt.Sprintf("put back %d", n))
		if err := x.a.root.PutBack(e.Path, *e.Before, e.Temp, snapshotDir(x.dir)); err != nil {
			errs = append(errs, fmt.Errorf("put back %s: %w", e.Path, err))
			continue
		}
		if !told[e.Step] {
			told[e.Step] = true
			x.step(e.Step, name(e.Step), stepReverted)
		}
	}
	ran := map[int]bool{}
	for _, e := range entries {
		if e.Op != opAction || ran[e.Step] || e.Step < 0 || e.Step >= len(steps) {
			continue
		}
		undo, ok := undoOf(steps[e.Step], e)
		if !ok {
			continue
		}
		ran[e.Step] = true
		x.a.crash(fmt.Sprintf("undo %d", e.Step))
		emit := x.log.Output(e.Step, name(e.Step))
		if s := steps[e.Step]; s.Exec != nil && s.Exec.Secret {
			emit = nil
		}
		out := output.New(emit, nil, nil)
		undo.Out, undo.Run = out, x.mark()
		workers := ""
		if a := steps[e.Step].Action; a != nil {
			workers = a.Workers // until they are replaced, visitors get what was rolled back
		}
		err := x.replacing(context.Background(), workers, func() error { return x.a.programs.Run(context.Background(), undo) })
		out.Finish()
		if err != nil && x.a.cfg.Early {
			// The action's effect on a running service was lost.
			x.log.Emit(wire.Event{Kind: wire.EventOutput, Index: e.Step, Step: name(e.Step), Text: "at boot: " + err.Error() + "\n"})
			err = nil
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("undo step %q: %w", name(e.Step), err))
			continue
		}
		x.step(e.Step, name(e.Step), stepReverted)
	}
	return errors.Join(errs...)
}
