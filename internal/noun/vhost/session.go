package vhost

import (
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// sessionSteps have login sessions of a site's account find the programs that the site's scripts find: those of the version that it chose, and its PHP. An
// account of several sites has the distribution's, since a session is of none of them.
func sessionSteps(srv query.Server, d Desired) ([]wire.Step, error) {
	versioned := d.Site.RuntimeVersion != ""
	if !d.Site.Isolated || !d.Alone || !versioned && !d.Renewed {
		return nil, nil
	}
	user, err := value.ParseUnixUser(d.Site.UnixUser)
	if err != nil {
		return nil, fmt.Errorf("sessions of %s: %w", d.Site.UnixUser, err)
	}
	title, bin := "sessions of "+d.Site.UnixUser, render.AccountPrograms(user)
	if !versioned {
		return site.NoProgramSteps(title, bin), nil
	}
	steps := []wire.Step{
		{Name: title, File: &wire.File{Path: render.SessionProfilePath, Mode: 0o644, Content: []byte(render.SessionProfile())}},
		{Name: title, Dir: &wire.Dir{Path: bin, Mode: 0o755}},
	}
	return append(steps, site.Place{Site: d.Site}.ProgramSteps(srv, title, bin)...), nil
}
