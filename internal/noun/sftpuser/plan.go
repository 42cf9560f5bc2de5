package sftpuser

import (
	"errors"
	"path"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// Plan returns a Change for each SFTP user with work; without any, for all of the server, to find drift and to repair it.
func Plan(v ledger.View) ([]job.Stage, error) {
	var stages []job.Stage
	gone, err := Users.Gone(v)
	if err != nil {
		return nil, err
	}
	for _, u := range gone {
		stages = append(stages, stage(u, absent(u.Specification.Name)))
	}
	users, err := Users.Of(v)
	if err != nil {
		return nil, err
	}
	for _, u := range users {
		if !v.Asks(Users.Kind, u.ID) {
			continue
		}
		place, ok, err := site.PlaceOf(v, u.Specification.SiteID)
		if err != nil {
			return nil, err
		}
		if !ok && len(v.Included) > 0 {
			return nil, errors.New("the site is not on the server")
		}
		if !ok { // it goes with its site
			continue
		}
		before, had, err := Users.Before(v, u.ID)
		if err != nil {
			return nil, err
		}
		list, err := steps(u.Specification, place, had && u.Specification.closes(before))
		if err != nil {
			return nil, err
		}
		stages = append(stages, stage(u, list))
	}
	return stages, nil
}

func stage(u ledger.Resource[Specification], steps []wire.Step) job.Stage {
	return job.Stage{Name: title(u.Specification.Name), Change: wire.Change{Steps: steps}}
}

func title(name string) string { return "SFTP user " + name }

const (
	units = "/etc/systemd/system/"
	wants = units + "multi-user.target.wants/"
)

// steps are what a host should have of an SFTP user. The login comes first, since it is refused where another account has the name: sshd must not
// confine that one. Without the settings that follow it can't log in. The directory is last: a failure before leaves nothing mounted.
func steps(s Specification, place site.Place, closes bool) ([]wire.Step, error) {
	base, err := place.Base()
	if err != nil {
		return nil, err
	}
	in := render.SFTPInput{Name: s.Name, Account: place.Site.UnixUser, Directory: base.String(), Keys: s.Keys}
	name, unit := title(s.Name), wire.LoginUnit(s.Name)
	return []wire.Step{
		{Name: name, Login: &wire.Login{Name: s.Name, Account: in.Account, Until: s.ExpiresOn}},
		{Name: "directory of SFTP users", Dir: &wire.Dir{Path: wire.LoginsDirectory, Mode: 0o700}},
		{Name: "root of " + s.Name, Dir: &wire.Dir{Path: wire.LoginRoot(s.Name), Mode: 0o755}},
		{Name: "keys of SFTP users", Dir: &wire.Dir{Path: path.Dir(render.SFTPKeysPath(s.Name)), Mode: 0o755}},
		{Name: "keys of " + s.Name, File: &wire.File{Path: render.SFTPKeysPath(s.Name), Mode: 0o644, Content: []byte(render.SFTPKeys(in))}},
		{Name: "unit of " + s.Name, File: &wire.File{Path: units + unit, Mode: 0o644, Content: []byte(render.SFTPUnit(in))}},
		{Name: "unit of " + s.Name, Link: &wire.Link{Path: wants + unit, Target: "../" + unit}},
		{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}},
		{Name: "sshd confines " + s.Name, File: &wire.File{Path: wire.LoginSettings(s.Name), Mode: 0o644, Content: []byte(render.SFTPMatch(in))}},
		{Name: "check sshd", Validate: &wire.Exec{Argv: []string{"sshd", "-t"}}},
		server.ReloadSSHD(),
		{Name: "directory of " + s.Name, Jail: &wire.Jail{
			Login: s.Name, Account: in.Account, Directory: in.Directory, Settings: render.SFTPAsked(in), Close: closes,
		}},
	}, nil
}

// absent takes an SFTP user away: first what it logs in with, then its sessions and what is mounted, then what confined it.
func absent(name string) []wire.Step {
	step, unit := title(name), wire.LoginUnit(name)
	return []wire.Step{
		vhost.Absent("keys of "+name, render.SFTPKeysPath(name)),
		{Name: step, Login: &wire.Login{Name: name, Absent: true}},
		{Name: "directory of " + name, Jail: &wire.Jail{Login: name, Absent: true}},
		{Name: "unit of " + name, Link: &wire.Link{Path: wants + unit, Absent: true}},
		vhost.Absent("unit of "+name, units+unit),
		{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}},
		vhost.Absent("sshd confines "+name, wire.LoginSettings(name)),
		server.ReloadSSHD(),
		{Name: "root of " + name, Dir: &wire.Dir{Path: wire.LoginRoot(name), Absent: true}},
	}
}

// Include removes the SFTP users of deleted sites.
type Include struct{}

// Steps returns the removal for a deleted site, before its account may go: their ids are the account's. Otherwise SFTP users belong to their own aspect.
func (Include) Steps(v ledger.View, d vhost.Desired) (steps, late []wire.Step, err error) {
	if !d.Gone {
		return nil, nil, nil
	}
	gone, err := Users.Gone(v)
	if err != nil {
		return nil, nil, err
	}
	left, err := Users.Of(v)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range append(gone, left...) {
		if u.Specification.SiteID == d.Site.ID {
			steps = append(steps, absent(u.Specification.Name)...)
		}
	}
	return steps, nil, nil
}
