package process

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// Plan returns a Change for each process with work; without any, for all of the server, to find drift and to repair it, with many processes in one. The
// observed state of a process is recorded after its stage.
func Plan(v ledger.View) ([]job.Stage, error) {
	var stages []job.Stage
	gone, err := Processes.Gone(v)
	if err != nil {
		return nil, err
	}
	for _, p := range gone {
		stages = append(stages, stage(p, absent(p)))
	}
	processes, err := Processes.Of(v)
	if err != nil {
		return nil, err
	}
	for _, p := range processes {
		if !v.Asks(Processes.Kind, p.ID) {
			continue
		}
		d := desired{process: p}
		ok, err := d.locate(v)
		if err != nil {
			return nil, err
		}
		if !ok && len(v.Included) > 0 {
			return nil, errors.New("the site is not on the server")
		}
		if !ok { // it goes with its site
			continue
		}
		list, run, err := steps(d)
		if err != nil {
			return nil, err
		}
		if v.Whole() {
			stages = together(stages, p, list, run)
			continue
		}
		s := stage(p, append(list, run.alone()...))
		s.About = []int64{p.ID}
		stages = append(stages, s)
	}
	return stages, nil
}

// atOnce is how many processes a repair restores in one Change. Between two of them it gives way to other work.
const atOnce = 20

// together adds a process to the last stage, as a part that ends apart, or begins another stage.
func together(stages []job.Stage, p ledger.Resource[Specification], list []wire.Step, run running) []job.Stage {
	if len(stages) == 0 || len(stages[len(stages)-1].About) == atOnce {
		name := Aspect
		if n := len(stages) * atOnce; n > 0 {
			name = fmt.Sprintf("from %d on", n+1)
		}
		stages = append(stages, job.Stage{Name: name, Change: wire.Change{Steps: []wire.Step{readUnits(), {Name: "run processes", Units: &wire.Units{}}}}})
	}
	s := &stages[len(stages)-1]
	part := partOf(p.ID)
	for i := range list {
		list[i].Part = part
	}
	before := len(s.Change.Steps) - 2
	s.Change.Steps = slices.Insert(s.Change.Steps, before, list...)
	units := s.Change.Steps[len(s.Change.Steps)-1].Units
	units.Timeout = max(units.Timeout, stopTimeout(p.Specification))
	units.Parts = append(units.Parts, wire.PartUnits{Part: part, Run: run.start, Stop: run.stop})
	s.Within = 5*time.Minute + units.Timeout
	s.About = append(s.About, p.ID)
	return stages
}

func partOf(id int64) string { return "process " + strconv.FormatInt(id, 10) }

func stage(p ledger.Resource[Specification], steps []wire.Step) job.Stage {
	return job.Stage{Name: partOf(p.ID), Change: wire.Change{Steps: steps}, Within: 2*time.Minute + stopTimeout(p.Specification)}
}

func stopTimeout(s Specification) time.Duration {
	return time.Duration(s.Stopwaitsecs)*time.Second + 30*time.Second
}

// desired is a process as its server should have it.
type desired struct {
	process ledger.Resource[Specification]
	// before is what the server has of it, nil for nothing.
	before *Specification
	// home is where it runs without a named directory.
	home string
	// place is that of its site on the server, the zero one without.
	place  site.Place
	server query.Server
	// isolated is set where the account is an isolated site's.
	isolated bool
}

// locate adds what a view says of a process. ok reports whether the server should have its site.
func (d *desired) locate(v ledger.View) (ok bool, err error) {
	s := d.process.Specification
	before, had, err := Processes.Before(v, d.process.ID)
	if err != nil {
		return false, err
	}
	if had {
		d.before = &before
	}
	if d.isolated, err = site.Isolated(v, s.User); err != nil {
		return false, err
	}
	d.home = render.Home(s.User)
	if s.SiteID == nil {
		return true, nil
	}
	place, ok, err := site.PlaceOf(v, *s.SiteID)
	if err != nil || !ok {
		return false, err
	}
	home, err := place.Home()
	d.home, d.place, d.server = home.String(), place, v.Server
	return true, err
}

// was returns how many instances there may be.
func (d *desired) was() int64 {
	if d.before == nil {
		return d.process.Specification.Processes
	}
	return max(d.before.Processes, d.process.Specification.Processes)
}

const units = "/etc/systemd/system/"

func unitOf(id int64) string { return units + render.ProcessUnit(id, "") }

func wantsOf(id, instance int64) string {
	return units + "multi-user.target.wants/" + render.ProcessUnit(id, strconv.FormatInt(instance, 10))
}

func readUnits() wire.Step {
	return wire.Step{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}}
}

// absent ends a process and takes it away.
func absent(p ledger.Resource[Specification]) []wire.Step {
	name, programs := partOf(p.ID), render.ProcessPrograms(p.ID)
	out := []wire.Step{{Name: "stop " + name, Exec: &wire.Exec{
		Argv:    []string{"systemctl", "stop", render.ProcessUnit(p.ID, "*")},
		Timeout: stopTimeout(p.Specification),
	}}}
	for i := int64(1); i <= p.Specification.Processes; i++ {
		out = append(out, wire.Step{Name: name, Link: &wire.Link{Path: wantsOf(p.ID, i), Absent: true}})
	}
	for _, path := range []string{unitOf(p.ID), render.ProcessCommand(p.ID), render.ProcessLogBefore(p.ID)} {
		out = append(out, vhost.Absent(name, path))
	}
	link := logLink(p)
	link.Absent = true
	out = append(out, wire.Step{Name: name, Link: link})
	out = append(out, site.NoProgramSteps(name, programs)...)
	return append(out,
		wire.Step{Name: name, Dir: &wire.Dir{Path: programs, Absent: true}},
		wire.Step{Name: name, Dir: &wire.Dir{Path: path.Dir(render.ProcessCommand(p.ID)), Absent: true}},
		wire.Step{Name: "logs of " + name, Exec: &wire.Exec{Argv: []string{"rm", "-rf", "--", path.Dir(render.ProcessLog(p.ID))}}}, readUnits())
}

// logLink is where scripts of before read what a process printed. Whatever its account has there instead is the account's own affair.
func logLink(p ledger.Resource[Specification]) *wire.Link {
	user := p.Specification.User
	return &wire.Link{Path: render.ProcessLogLink(render.Home(user), p.ID), Target: render.ProcessLog(p.ID), Owner: user, Group: user, Yield: true}
}

// running is which units of a process run.
type running struct {
	d           desired
	start, stop []string // stop are patterns, since a name that is not loaded would be an error
}

// alone are the steps that have them run for a Change of one process.
func (r running) alone() []wire.Step {
	s, name, all := r.d.process.Specification, partOf(r.d.process.ID), render.ProcessUnit(r.d.process.ID, "*")
	out := []wire.Step{readUnits()}
	if s.Stopped {
		return r.d.emptied(append(out, wire.Step{
			Name: "stop " + name,
			Exec: &wire.Exec{Argv: append([]string{"systemctl", "stop"}, r.stop...), Timeout: stopTimeout(s)},
		}))
	}
	if len(r.stop) > 0 {
		out = append(out, wire.Step{Name: "stop surplus instances of " + name, Exec: &wire.Exec{
			Argv:    append([]string{"systemctl", "stop"}, r.stop...),
			Timeout: stopTimeout(s),
		}})
	}
	act := &wire.Action{Argv: append([]string{"systemctl", "restart"}, r.start...), Always: r.d.before != nil && r.d.before.RestartedAt != s.RestartedAt}
	if r.d.before == nil {
		act.Undo = []string{"systemctl", "stop", all}
	}
	return r.d.emptied(append(out, wire.Step{Name: "restart " + name, Action: act},
		wire.Step{Name: "start " + name, Exec: &wire.Exec{Argv: append([]string{"systemctl", "start"}, r.start...)}}))
}

// steps make a server have the files of a process, and say which of its units run then.
func steps(d desired) ([]wire.Step, running, error) {
	id, s := d.process.ID, d.process.Specification
	name, run := partOf(id), running{d: d}
	directory := d.home
	if s.Directory != nil {
		directory = *s.Directory
	}
	in := render.ProcessInput{ID: id, StopSignal: s.Stopsignal, StopSeconds: int(s.Stopwaitsecs), Isolated: d.isolated, Share: site.ShareOf(d.place.Site)}
	var out []wire.Step
	var err error
	if d.isolated { // its unit does not start without them
		if out, err = vhost.AccountSteps(s.User); err != nil {
			return nil, run, fmt.Errorf("%s: %w", name, err)
		}
	}
	if in.User, err = value.ParseUnixUser(s.User); err != nil {
		return nil, run, fmt.Errorf("%s: %w", name, err)
	}
	if in.Directory, err = value.ParseAbsPath(directory); err != nil {
		return nil, run, fmt.Errorf("%s: %w", name, err)
	}
	unit, err := render.Process(in)
	if err != nil {
		return nil, run, fmt.Errorf("%s: %w", name, err)
	}
	link := logLink(d.process)
	for _, p := range []wire.Dir{
		{Path: render.ProcessLogDirectory, Mode: 0o711},
		{Path: path.Dir(render.ProcessLog(id)), Mode: 0o750, Group: s.User},
		{Path: path.Dir(link.Path), Mode: 0o755, Owner: s.User, Group: s.User, Yield: true},
		{Path: render.ProcessDirectory, Mode: 0o755},
		{Path: path.Dir(render.ProcessCommand(id)), Mode: 0o750, Group: s.User},
		{Path: render.ProcessPrograms(id), Mode: 0o755},
	} {
		out = append(out, wire.Step{Name: name, Dir: &p})
	}
	out = append(out, wire.Step{Name: name, Link: link},
		wire.Step{Name: "rotation of logs", File: &wire.File{Path: render.ProcessLogsPath, Mode: 0o644, Content: []byte(render.ProcessLogs())}})
	out = append(out, d.place.ProgramSteps(d.server, name, render.ProcessPrograms(id))...)
	out = append(out, wire.Step{Name: "command of " + name, File: &wire.File{
		Path: render.ProcessCommand(id), Mode: 0o640, Group: s.User,
		Content: []byte(text.Script("/bin/bash", s.Command)),
	}},
		wire.Step{Name: "unit of " + name, File: &wire.File{Path: unitOf(id), Mode: 0o644, Content: []byte(unit)}})
	on := s.Processes
	if s.Stopped {
		on = 0
	}
	for i := int64(1); i <= d.was(); i++ {
		link := &wire.Link{Path: wantsOf(id, i), Target: "../" + render.ProcessUnit(id, "")}
		number := strconv.FormatInt(i, 10)
		switch {
		case i <= on:
			run.start = append(run.start, render.ProcessUnit(id, number))
		case !s.Stopped:
			run.stop = append(run.stop, render.ProcessUnit(id, "["+number[:1]+"]"+number[1:]))
			fallthrough
		default:
			link = &wire.Link{Path: wantsOf(id, i), Absent: true}
		}
		out = append(out, wire.Step{Name: name, Link: link})
	}
	if s.Stopped {
		run.stop = []string{render.ProcessUnit(id, "*")}
	}
	return out, run, nil
}

// emptied adds the emptying of the log, if requested.
func (d desired) emptied(out []wire.Step) []wire.Step {
	if d.before != nil && d.before.EmptiedAt != d.process.Specification.EmptiedAt {
		out = append(out, wire.Step{Name: "empty its log", Clear: &wire.LogFiles{Paths: []string{render.ProcessLog(d.process.ID)}}})
	}
	return out
}

// Include removes the processes of deleted sites.
type Include struct{}

// Steps returns the removal for a deleted site, and what has the processes of a site run with other programs; otherwise processes belong to their own aspect.
func (Include) Steps(v ledger.View, d vhost.Desired) (steps, late []wire.Step, err error) {
	if (d.Repointed || d.Moved) && !d.Gone {
		late, err := repointed(v, d.Site.ID, d.Moved)
		return nil, late, err
	}
	if !d.Gone {
		return nil, nil, nil
	}
	gone, err := Processes.Gone(v)
	if err != nil {
		return nil, nil, err
	}
	left, err := Processes.Of(v)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range append(gone, left...) {
		if Processes.In(p.Specification) == d.Site.ID || d.Retires(p.Specification.User) {
			steps = append(steps, absent(p)...)
		}
	}
	return steps, nil, nil
}

// repointed has the processes of a site run with its PHP, its runtime and its limits, as a part of the site's own change. Those that run well must do so
// afterwards.
func repointed(v ledger.View, siteID int64, moved bool) ([]wire.Step, error) {
	all, err := Processes.Of(v)
	if err != nil {
		return nil, err
	}
	place, ok, err := site.PlaceOf(v, siteID)
	if err != nil || !ok {
		return nil, err
	}
	var out []wire.Step
	var units []string
	read := false
	for _, p := range all {
		if Processes.In(p.Specification) != siteID {
			continue
		}
		out = append(out, place.ProgramSteps(v.Server, partOf(p.ID), render.ProcessPrograms(p.ID))...)
		if moved {
			unit, err := unitText(v, p)
			if err != nil {
				return nil, err
			}
			out, read = append(out, unit), true
		}
		if p.Specification.Stopped {
			continue
		}
		for i := range p.Specification.Processes {
			units = append(units, render.ProcessUnit(p.ID, strconv.FormatInt(i+1, 10)))
		}
	}
	if read {
		out = append(out, readUnits())
	}
	if len(units) == 0 {
		return out, nil
	}
	return append(out, wire.Step{Name: "restart processes", Action: &wire.Action{
		Argv: append([]string{wire.AgentLink, wire.RenewMode}, units...), Undo: append([]string{"systemctl", "restart", "--"}, units...), Always: true,
	}}), nil
}

// unitText is the step of a process's unit alone.
func unitText(v ledger.View, p ledger.Resource[Specification]) (wire.Step, error) {
	d := desired{process: p}
	if _, err := d.locate(v); err != nil {
		return wire.Step{}, err
	}
	all, _, err := steps(d)
	if err != nil {
		return wire.Step{}, err
	}
	i := slices.IndexFunc(all, func(s wire.Step) bool { return s.File != nil && s.File.Path == unitOf(p.ID) })
	return all[i], nil
}
