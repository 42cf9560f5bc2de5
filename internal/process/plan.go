package process

import (
	"fmt"
	"path"
	"strconv"

	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/site"
	"github.com/hostlerhq/hostler/internal/value"
)

// desired is a process as its server should have it.
type desired struct {
	row query.BackgroundProcess
	// home is where it runs when it names no directory, php the program that it calls by that name, "" for the server's.
	home, php string
	// isolated is set where the account is an isolated site's.
	isolated bool
	// was is how many instances there may be.
	was int64
	// gone takes it away. fresh tells that the server did not have it, restart that it is to begin anew, empty that its log is to be emptied.
	gone, fresh, restart, empty bool
}

// place is what a process of a site needs to know: where the site is, and its PHP.
func place(srv query.Server, row query.BackgroundProcess, s *query.Site, releases bool) (home, php string, err error) {
	if s == nil {
		if row.UnixUser == "root" {
			return "/root", "", nil
		}
		return "/home/" + row.UnixUser, "", nil
	}
	base, err := site.Base(*s)
	if err != nil {
		return "", "", err
	}
	home = base.String()
	if releases {
		home += "/current"
	}
	if dotted := site.DottedPHP(srv, *s); dotted != "" {
		php = "/usr/bin/php" + dotted
	}
	return home, php, nil
}

// steps make a server have a process, or not. It is pure.
func steps(d desired) ([]wire.Step, error) {
	row := d.row
	name := "process " + strconv.FormatInt(row.ID, 10)
	units, all := "/etc/systemd/system/", render.ProcessUnit(row.ID, "*")
	unit := units + render.ProcessUnit(row.ID, "")
	dir := path.Dir(render.ProcessCommand(row.ID))
	wants := func(i int64) string {
		return units + "multi-user.target.wants/" + render.ProcessUnit(row.ID, strconv.FormatInt(i, 10))
	}
	reload := wire.Step{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}}
	var out []wire.Step
	if d.gone {
		out = append(out, wire.Step{Name: "stop " + name, Exec: &wire.Exec{Argv: []string{"systemctl", "stop", all}, Timeout: stopTimeout(row)}})
		for i := int64(1); i <= max(d.was, row.Processes); i++ {
			out = append(out, wire.Step{Name: name, Link: &wire.Link{Path: wants(i), Absent: true}})
		}
		for _, p := range []string{unit, render.ProcessCommand(row.ID), render.ProcessLog(row.ID)} {
			out = append(out, site.Absent(name, p))
		}
		return append(out, wire.Step{Name: name, Link: &wire.Link{Path: render.ProcessPrograms(row.ID) + "/php", Absent: true}},
			wire.Step{Name: name, Dir: &wire.Dir{Path: render.ProcessPrograms(row.ID), Absent: true}}, wire.Step{Name: name, Dir: &wire.Dir{Path: dir, Absent: true}}, reload), nil
	}
	directory := d.home
	if row.Directory != nil {
		directory = *row.Directory
	}
	in := render.ProcessInput{ID: row.ID, StopSignal: row.Stopsignal, StopSeconds: int(row.Stopwaitsecs), Isolated: d.isolated}
	var err error
	if d.isolated { // its unit does not start without them
		if out, err = site.AccountSteps(row.UnixUser); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if in.User, err = value.ParseUnixUser(row.UnixUser); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if in.Directory, err = value.ParseAbsPath(directory); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	text, err := render.Process(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, p := range []wire.Dir{{Path: render.LogDirectory, Mode: 0o750, Group: "adm"}, {Path: render.ProcessDirectory, Mode: 0o755}, {Path: dir, Mode: 0o750, Group: row.UnixUser}, {Path: render.ProcessPrograms(row.ID), Mode: 0o755}} {
		out = append(out, wire.Step{Name: name, Dir: &p})
	}
	out = append(out, wire.Step{Name: "rotation of logs", File: &wire.File{Path: render.ProcessLogsPath, Mode: 0o644, Content: []byte(render.ProcessLogs())}},
		wire.Step{Name: "PHP of " + name, Link: &wire.Link{Path: render.ProcessPrograms(row.ID) + "/php", Target: d.php, Absent: d.php == ""}},
		wire.Step{Name: "command of " + name, File: &wire.File{Path: render.ProcessCommand(row.ID), Mode: 0o640, Group: row.UnixUser, Content: []byte("#!/bin/bash\n" + row.Command + "\n")}},
		wire.Step{Name: "unit of " + name, File: &wire.File{Path: unit, Mode: 0o644, Content: []byte(text), Keep: true}})
	on := row.Processes
	if row.Stopped {
		on = 0
	}
	start := []string{"systemctl", "start"}
	for i := int64(1); i <= max(d.was, row.Processes); i++ {
		link := &wire.Link{Path: wants(i), Target: "../" + render.ProcessUnit(row.ID, "")}
		if i > on {
			link = &wire.Link{Path: wants(i), Absent: true}
		} else {
			start = append(start, render.ProcessUnit(row.ID, strconv.FormatInt(i, 10)))
		}
		out = append(out, wire.Step{Name: name, Link: link})
	}
	out = append(out, reload)
	if row.Stopped {
		return d.emptied(append(out, wire.Step{Name: "stop " + name, Exec: &wire.Exec{Argv: []string{"systemctl", "stop", all}, Timeout: stopTimeout(row)}})), nil
	}
	var extra []string // a pattern, since a name that is not loaded would be an error
	for i := on + 1; i <= d.was; i++ {
		text := strconv.FormatInt(i, 10)
		extra = append(extra, render.ProcessUnit(row.ID, "["+text[:1]+"]"+text[1:]))
	}
	if len(extra) > 0 {
		out = append(out, wire.Step{Name: "stop what is too many of " + name, Exec: &wire.Exec{Argv: append([]string{"systemctl", "stop"}, extra...), Timeout: stopTimeout(row)}})
	}
	restart := append([]string{"systemctl", "restart"}, start[2:]...)
	act := &wire.Action{Argv: restart, Always: d.restart}
	if d.fresh {
		act.Undo = []string{"systemctl", "stop", all}
	}
	return d.emptied(append(out, wire.Step{Name: "restart " + name, Action: act}, wire.Step{Name: "start " + name, Exec: &wire.Exec{Argv: start}})), nil
}

func (d desired) emptied(out []wire.Step) []wire.Step {
	if d.empty {
		out = append(out, wire.Step{Name: "empty its log", Clear: &wire.LogFiles{Paths: []string{render.ProcessLog(d.row.ID)}}})
	}
	return out
}
