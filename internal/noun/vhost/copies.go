package vhost

import (
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// copyWithin is how long the files of a site may take to be copied.
const copyWithin = 15 * time.Minute

// copies returns the stages that copy the files of sites that are switched, before their vhosts change.
func copies(sites []Desired) ([]job.Stage, error) {
	var out []job.Stage
	for _, d := range sites {
		if !d.Switched || d.Gone {
			continue
		}
		base, err := site.Base(d.Site)
		if err != nil {
			return nil, err
		}
		user, err := value.ParseUnixUser(d.Site.UnixUser)
		if err != nil {
			return nil, err
		}
		command := "leave"
		s := wire.Script{User: user.String(), Dir: base.String(), Content: "#!/bin/sh\n", Env: release.GitEnvironment()}
		s.Env[release.VarRoot], s.Env[release.VarShared], s.Env[release.VarRepository], s.Env[release.VarBranch] = base.String(), d.Code.SharedPaths,
			d.Code.URL, d.Code.Branch
		application, err := site.Place{Site: d.Site, Code: true}.Application()
		if err != nil {
			return nil, err
		}
		if application != "" {
			s.Env[release.VarApplication] = application
		}
		if d.Code.Releases {
			command, s.Env[release.VarRelease], s.Back = "adopt", project.AdoptedRelease, []string{wire.ReleaseProgram, "back"}
		}
		s.Before = []string{wire.ReleaseProgram, command}
		out = append(out, job.Stage{Name: "copy files of " + d.Site.Name, Script: &s, Detach: true, Within: copyWithin})
	}
	return out, nil
}
