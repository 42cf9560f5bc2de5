package agent

import (
	"bytes"
	"context"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// wantedUnit is a unit that the steps of a plan name, and what it should be.
type wantedUnit struct {
	name, step string
	// runs is set if the plan starts it, probed if it must be active, and enabled if it starts at boot. Only of a probed one is a crash a difference: others run
	// what users wrote.
	runs, probed, enabled bool
}

// wantedUnits are the units that steps name, each once.
func wantedUnits(steps []wire.Step) []wantedUnit {
	var out []wantedUnit
	add := func(w wantedUnit) {
		if !unitPattern.MatchString(w.name) {
			return
		}
		i := slices.IndexFunc(out, func(have wantedUnit) bool { return have.name == w.name })
		if i < 0 {
			out = append(out, w)
			return
		}
		have := &out[i]
		have.runs, have.probed, have.enabled = have.runs || w.runs, have.probed || w.probed, have.enabled || w.enabled
	}
	for _, s := range steps {
		switch {
		case s.Probe != nil && s.Probe.Unit != "":
			add(wantedUnit{name: s.Probe.Unit, step: s.Name, runs: true, probed: true})
		case s.Units != nil:
			for _, p := range s.Units.Parts {
				for _, unit := range p.Run {
					add(wantedUnit{name: unit, step: p.Part, runs: true})
				}
			}
		case s.Exec != nil:
			commanded(s.Name, s.Exec.Argv, add)
		case s.Action != nil: // engines of databases are restarted, and may be stopped by a user: they are asked by their noun
			commanded(s.Name, s.Action.Argv, func(w wantedUnit) {
				w.runs = w.runs && slices.ContainsFunc(s.Action.Argv, func(arg string) bool { return strings.HasPrefix(arg, "reload") })
				add(w)
			})
		}
	}
	return out
}

// commanded adds the units that a command of systemctl starts or enables.
func commanded(step string, argv []string, add func(wantedUnit)) {
	if len(argv) < 2 || argv[0] != "systemctl" {
		return
	}
	verb, now := "", false
	var names []string
	for _, arg := range argv[1:] {
		switch {
		case strings.HasPrefix(arg, "-"):
			now = now || arg == "--now"
		case verb == "":
			verb = arg
		default:
			names = append(names, arg)
		}
	}
	for _, name := range names {
		switch verb {
		case "start", "restart", "reload", "reload-or-restart":
			add(wantedUnit{name: name, step: step, runs: true})
		case "enable":
			add(wantedUnit{name: name, step: step, runs: now, enabled: true})
		}
	}
}

// unitFacts are properties of a unit (org.freedesktop.systemd1(5)).
type unitFacts map[string]string

// unitProperties are those that are asked for.
var unitProperties = append([]string{
	"LoadState", "ActiveState", "UnitFileState", "NeedDaemonReload", "ConditionResult", "ConditionTimestampMonotonic", "MainPID", "ExecMainStatus",
	stateChanged, "DropInPaths",
}, comparedSettings...)

// lookAtUnits returns the facts about units with one call for up to a few hundred; none if systemd does not answer.
func (a *Agent) lookAtUnits(ctx context.Context, wanted []wantedUnit) map[string]unitFacts {
	const atOnce = 300
	facts := map[string]unitFacts{}
	for some := range slices.Chunk(wanted, atOnce) {
		argv := []string{"systemctl", "show", "--property=" + strings.Join(unitProperties[:], ","), "--"}
		for _, w := range some {
			argv = append(argv, w.name)
		}
		var text bytes.Buffer
		err := a.programs.Run(ctx, program.Program{Argv: argv, Timeout: systemdTime, Out: &text})
		blocks := strings.Split(strings.TrimSpace(text.String()), "\n\n")
		if err != nil || len(blocks) != len(some) { // the properties of each are followed by an empty line
			continue
		}
		for i, block := range blocks {
			f := unitFacts{}
			for line := range strings.Lines(block) {
				if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
					f[name] = value
				}
			}
			if f["LoadState"] != "" {
				facts[some[i].name] = f
			}
		}
	}
	return facts
}

// Words for how a unit differs.
const (
	unitMasked   = "masked"   // it can't be started
	unitMissing  = "missing"  // there is no such unit
	unitOutdated = "outdated" // what systemd or the program loaded is older than the file
	unitInactive = "inactive" // it does not run
	unitDisabled = "disabled" // it does not start at boot
)

// stopped reports whether a unit does not run that should.
func (f unitFacts) stopped(w wantedUnit) bool {
	skipped := f["ConditionResult"] == "no" && f["ConditionTimestampMonotonic"] != "0" // it is not for this machine, such as swap in a container
	state := f["ActiveState"]
	return w.runs && !skipped && (state == "inactive" || w.probed && state != "active" && state != "reloading")
}

// differs returns how a unit is not as wanted, "" if it is.
func (f unitFacts) differs(w wantedUnit) string {
	switch {
	case f["LoadState"] == "masked":
		return unitMasked
	case f["LoadState"] == "not-found":
		return unitMissing
	case f["NeedDaemonReload"] == "yes":
		return unitOutdated
	case f.stopped(w):
		return unitInactive
	case w.enabled && f["UnitFileState"] == "disabled":
		return unitDisabled
	}
	return ""
}

// fileOf is the file of a unit in a plan: of its template for an instance.
func fileOf(unit string) string {
	if name, instance, ok := strings.Cut(unit, "@"); ok {
		unit = name + "@" + path.Ext(instance)
	}
	return "/etc/systemd/system/" + unit
}

// units compares the units that the plan names with those that systemd has loaded: each difference once, and none of a file that differs already.
func (d *drift) units(ctx context.Context, steps []wire.Step) {
	wanted := wantedUnits(steps)
	if len(wanted) == 0 {
		return
	}
	facts := d.a.lookAtUnits(ctx, wanted)
	for _, w := range wanted {
		d.now = w.step
		f, known := facts[w.name]
		if !known { // systemd does not answer as it should: those that must be active are asked for one by one
			c := &change{x: &execution{a: d.a}}
			if w.probed && c.ask(ctx, 0, &wire.Probe{Unit: w.name}) != nil {
				d.add(w.name, unitInactive, "")
			}
			continue
		}
		what := f.differs(w)
		if what == "" && w.runs && f.swapIsOff(d.a, d.planned[fileOf(w.name)]) {
			what = unitInactive
		}
		if what != unitMasked && what != unitMissing {
			d.overridden(w, f, what == "")
		}
		if told := d.told(fileOf(w.name)); what == "" || told && what != unitInactive && what != unitDisabled {
			continue
		}
		d.add(w.name, what, "")
	}
	d.running(ctx, steps, facts)
}

// told reports whether a path is among the differences.
func (d *drift) told(p string) bool {
	return slices.ContainsFunc(d.out.Differences, func(f wire.Difference) bool { return f.Path == p })
}

// swapIsOff reports whether a unit that had its swap file used runs, but the kernel does not use it any more. One whose swapon failed has none.
func (f unitFacts) swapIsOff(a *Agent, unit []byte) bool {
	const on = "/swapon "
	_, rest, ok := strings.Cut(string(unit), on)
	if !ok || f["ActiveState"] != "active" || f["ExecMainStatus"] != "0" {
		return false
	}
	file, _, _ := strings.Cut(rest, "\n")
	used, err := os.ReadFile(a.host("/proc/swaps"))
	return err == nil && !strings.Contains("\n"+string(used), "\n"+strings.TrimSpace(file)+" ")
}

// unitsBefore has what a repair needs of systemd before its steps: units are unmasked, and files that changed are loaded.
func (c *change) unitsBefore(ctx context.Context) {
	if !c.c.Repair {
		return
	}
	wanted := wantedUnits(c.c.Steps)
	if len(wanted) == 0 {
		return
	}
	facts := c.x.a.lookAtUnits(ctx, wanted)
	var masked, failed []string
	outdated := false
	planned := map[string][]byte{}
	for _, s := range c.c.Steps {
		if s.File != nil {
			planned[s.File.Path] = s.File.Content
		}
	}
	c.stopped = map[string]string{}
	for _, w := range wanted {
		f, known := facts[w.name]
		if !known {
			continue
		}
		what := f.differs(w)
		if what == unitMasked {
			masked = append(masked, w.name)
		}
		outdated = outdated || what == unitOutdated
		switch {
		case f.stopped(w):
			if c.stopped[w.name] = "start"; f["ActiveState"] == "failed" {
				failed = append(failed, w.name)
			}
		case w.runs && f.swapIsOff(c.x.a, planned[fileOf(w.name)]):
			c.stopped[w.name] = "restart"
		}
	}
	call := func(argv ...string) { // what fails is said by the step that needs it
		c.x.tells(0, strings.Join(argv, " ")+"\n")
		_ = c.x.a.programs.Run(ctx, program.Program{Argv: argv, Timeout: systemdTime, Out: output.New(nil, nil, nil), Run: c.x.mark()})
	}
	if len(masked) > 0 {
		call(append([]string{"systemctl", "unmask", "--quiet", "--"}, masked...)...)
		call(append([]string{"systemctl", "unmask", "--runtime", "--quiet", "--"}, masked...)...)
	}
	if len(failed) > 0 { // which may be because it was started too often
		call(append([]string{"systemctl", "reset-failed", "--"}, failed...)...)
	}
	if outdated {
		call("systemctl", "daemon-reload")
	}
}

// startStopped starts what a step is about and a repair found stopped: before a probe, which would fail, and otherwise instead of an action that finds nothing
// to put into effect.
func (c *change) startStopped(ctx context.Context, i int, s wire.Step) (did bool, err error) {
	if len(c.stopped) == 0 || s.Units != nil {
		return false, nil
	}
	for _, w := range wantedUnits([]wire.Step{s}) {
		verb := c.stopped[w.name]
		if !w.runs || verb == "" {
			continue
		}
		delete(c.stopped, w.name)
		if _, err := c.x.execStep(ctx, i, s.Name, &wire.Exec{Argv: []string{"systemctl", verb, "--", w.name}}); err != nil {
			return did, err
		}
		did = true
	}
	return did, nil
}
