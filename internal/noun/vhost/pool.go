package vhost

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

const unitDirectory = "/etc/systemd/system/"

// drainWithin is how long requests that began before a reload can take to reach the pool that they began with.
const drainWithin = 30 * time.Second

// shared returns the dotted version of PHP whose shared master a pool belongs to, "" for a pool with a master of its own.
func shared(pool render.Pool) string {
	if pool.PHP.IsZero() || pool.Alone {
		return ""
	}
	return pool.PHP.Dotted()
}

// reloadShared makes the distribution's master of a version reload its pools, if one of them changed.
func reloadShared(v value.PHPVersion) []wire.Step {
	unit := render.PHPUnit(v)
	return []wire.Step{
		{Name: "check PHP " + v.Dotted(), Validate: &wire.Exec{Argv: []string{"php-fpm" + v.Dotted(), "-t"}}},
		{
			Name:   "reload PHP " + v.Dotted(),
			Action: &wire.Action{Argv: []string{"systemctl", "reload-or-restart", unit}, Workers: unit, Below: "/etc/php/" + v.Dotted() + "/fpm"},
		},
	}
}

// AccountSteps returns what an isolated account has outside of its home.
func AccountSteps(name string) ([]wire.Step, error) {
	user, err := value.ParseUnixUser(name)
	if err != nil {
		return nil, err
	}
	title := "temporary files of " + name
	return []wire.Step{
		{Name: title, Dir: &wire.Dir{Path: wire.AccountsDirectory, Mode: 0o711}},
		{Name: title, Dir: &wire.Dir{Path: render.AccountDirectory(user), Mode: 0o710, Group: name}},
		{Name: title, Dir: &wire.Dir{Path: render.AccountTemp(user), Mode: 0o700, Owner: name, Group: name}},
		{Name: title, File: &wire.File{Path: render.AccountTmpfilesPath(user), Mode: 0o644, Content: []byte(render.AccountTmpfiles(user))}},
		{Name: "message bus of " + name, Dir: &wire.Dir{Path: "/etc/dbus-1", Mode: 0o755}},
		{Name: "message bus of " + name, Dir: &wire.Dir{Path: render.BusDirectory, Mode: 0o755}},
		{Name: "message bus of " + name, File: &wire.File{Path: render.AccountBusPath(user), Mode: 0o644, Content: []byte(render.AccountBus(user))}},
	}, nil
}

// poolSteps write the pool of a site: for the shared master, or with its own master, which is started.
func poolSteps(d Desired, in render.PoolInput) ([]wire.Step, error) {
	if in.Alone {
		return masterSteps(d, in)
	}
	text, err := render.PHPPool(in)
	if err != nil {
		return nil, err
	}
	return []wire.Step{OwnFile("PHP pool of "+d.Site.Name, in.Path(), text)}, nil
}

// masterSteps start a master process for one pool. It listens in addition to the site's pool in the shared master, if there is
// one, which nginx uses until it is reloaded.
func masterSteps(d Desired, in render.PoolInput) ([]wire.Step, error) {
	text, err := render.PHPMaster(in)
	if err != nil {
		return nil, err
	}
	unitText, err := render.PHPMasterUnit(in)
	if err != nil {
		return nil, err
	}
	name, unit, user := "PHP of "+d.Site.Name, in.Unit(), in.User.String()
	var steps []wire.Step
	for _, dir := range []wire.Dir{
		{Path: render.LogDirectory, Mode: 0o750, Group: "adm"},
		{Path: "/etc/hostler", Mode: 0o755},
		{Path: render.PHPDirectory, Mode: 0o750},
		{Path: render.PHPDirectory + "/" + in.PHP.Dotted(), Mode: 0o750},
		{Path: in.Directory(), Mode: 0o750},
		{Path: render.AccountSessions(in.User, in.SiteID), Mode: 0o700, Owner: user, Group: user},
		{Path: wantsOf(render.PHPUnit(in.PHP)), Mode: 0o755},
	} {
		if dir.Owner == "" || in.Isolated { // other accounts keep their sessions where the shared master does
			steps = append(steps, wire.Step{Name: name, Dir: &dir})
		}
	}
	steps = append(steps,
		wire.Step{Name: "rotation of logs", File: &wire.File{Path: render.ProcessLogsPath, Mode: 0o644, Content: []byte(render.ProcessLogs())}},
		OwnFile("PHP pool of "+d.Site.Name, in.Config(), text),
		OwnFile("unit of "+name, unitDirectory+unit, unitText))
	for _, target := range wantedBy(in.Pool) {
		steps = append(steps, wire.Step{Name: name, Link: &wire.Link{Path: wantsOf(target) + "/" + unit, Target: "../" + unit}})
	}
	read := &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}
	start := &wire.Action{Argv: []string{"systemctl", "reload-or-restart", unit}, Workers: unit, Below: in.Directory()}
	if moved := d.left != nil && in.Limited; d.Fresh ||
		moved { // ended while systemd knows how, without waiting for its pages: nginx is to ask the shared master again at once
		read.Undo, start.Undo = []string{"systemctl", "stop", "--no-block", pattern(unit)}, read.Argv
		if d.Fresh && in.Isolated {
			steps = append(steps, copySessions(d, in))
		}
	}
	return append(steps,
		wire.Step{Name: "check " + name, Validate: &wire.Exec{Argv: []string{"php-fpm" + in.PHP.Dotted(), "-t", "--fpm-config", in.Config()}}},
		wire.Step{Name: "read units", Action: read},
		wire.Step{Name: "start " + name, Action: start}), nil
}

// sessionsBefore is where PHP of the distribution keeps the sessions of all accounts.
const sessionsBefore = "/var/lib/php/sessions"

// copySessions gives the sessions of an account a second name where its own master looks for them: visitors stay logged in,
// whichever master answers them. What can't be linked, for example from another file system, is left there. There may be a
// hundred thousand, so many are linked at once.
func copySessions(d Desired, in render.PoolInput) wire.Step {
	return wire.Step{Name: "sessions of " + d.Site.Name, Exec: &wire.Exec{
		Argv: []string{
			"find", sessionsBefore, "-maxdepth", "1", "-xdev", "-type", "f", "-user", in.User.String(), "-name", "sess_*",
			"-exec", "sh", "-c", `cp --link --no-dereference --no-clobber --target-directory="$0" -- "$@"; true`, render.AccountSessions(in.User, in.SiteID), "{}", "+",
		},
		Unless: []string{"test", "!", "-d", sessionsBefore},
	}}
}

// pattern matches a unit by another name than its own: systemctl takes it for an error that a name is not loaded, and for none that nothing matches.
func pattern(unit string) string {
	name, kind, _ := strings.Cut(unit, ".service")
	last := len(name) - 1
	return name[:last] + "[" + name[last:] + "].service" + kind
}

func wantsOf(unit string) string { return unitDirectory + unit + ".wants" }

// wantedBy returns the units that start a pool's own master: the boot, and the distribution's master, which ends it too.
func wantedBy(pool render.Pool) []string {
	return []string{"multi-user.target", render.PHPUnit(pool.PHP)}
}

// leavePools takes the pools away that sites have no more, once nginx asks others: those of isolated sites in the shared master, and those of another
// version of PHP. The processes of nginx from before the reload ask those for what they still read, such as an upload, so the pools wait for them.
func leavePools(srv query.Server, sites []Desired) ([]wire.Step, error) {
	var steps []wire.Step
	var versions []value.PHPVersion
	leaves := func(d Desired) bool { return !d.Gone && !d.New && (d.left != nil || d.Fresh && d.Site.Isolated) }
	if slices.ContainsFunc(sites, leaves) {
		steps = append(steps, wire.Step{Name: "requests of before the reload", Probe: &wire.Probe{Drained: "nginx.service", Within: drainWithin}})
	}
	for _, d := range sites {
		pool, err := site.Pool(srv, d.Site)
		if err != nil {
			return nil, fmt.Errorf("site %s: %w", d.Site.Name, err)
		}
		if d.left != nil && !d.Gone {
			had, err := site.Pool(srv, *d.left)
			if err != nil {
				return nil, fmt.Errorf("site %s: %w", d.Site.Name, err)
			}
			ended, err := noMaster(srv, *d.left)
			if err != nil {
				return nil, fmt.Errorf("site %s: %w", d.Site.Name, err)
			}
			steps = append(append(steps, ended...), Absent("PHP "+had.PHP.Dotted()+" of "+d.Site.Name, had.SharedPath()))
			if !had.Alone && !slices.Contains(versions, had.PHP) {
				versions = append(versions, had.PHP)
			}
		}
		if !pool.Alone || pool.PHP.IsZero() || d.Gone {
			continue
		}
		steps = append(steps, Absent("shared PHP pool of "+d.Site.Name, pool.SharedPath()))
		if !slices.Contains(versions, pool.PHP) {
			versions = append(versions, pool.PHP)
		}
	}
	for _, v := range versions {
		steps = append(steps, reloadShared(v)...)
	}
	return steps, nil
}

// noMaster ends a site's own master of PHP, once nginx sends it nothing any more.
func noMaster(srv query.Server, row query.Site) ([]wire.Step, error) {
	pool, err := site.Pool(srv, row)
	if err != nil || !pool.Alone || pool.PHP.IsZero() {
		return nil, err
	}
	name, unit := "PHP of "+row.Name, pool.Unit()
	steps := []wire.Step{{
		Name: "stop " + name,
		Exec: &wire.Exec{Argv: []string{"systemctl", "stop", "--", unit}, Unless: []string{"test", "!", "-e", unitDirectory + unit}},
	}}
	for _, target := range wantedBy(pool) {
		steps = append(steps, wire.Step{Name: name, Link: &wire.Link{Path: wantsOf(target) + "/" + unit, Absent: true}})
	}
	return append(steps, Absent(name, unitDirectory+unit), Absent(name, pool.Config()), Absent("log of "+name, pool.Log()),
		wire.Step{Name: name, Dir: &wire.Dir{Path: pool.Directory(), Absent: true}},
		wire.Step{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}}), nil
}
