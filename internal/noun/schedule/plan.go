package schedule

import (
	"encoding/json"
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
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// Plan returns one Change for the jobs that work is about; without any, for all of the server, which is how drift is found.
func Plan(v ledger.View) ([]job.Stage, error) {
	var change wire.Change
	gone, err := Jobs.Gone(v)
	if err != nil {
		return nil, err
	}
	for _, j := range gone {
		change.Steps = append(change.Steps, absent(j.ID)...)
	}
	jobs, err := Jobs.Of(v)
	if err != nil {
		return nil, err
	}
	present := false
	for _, j := range jobs {
		if !v.Asks(Jobs.Kind, j.ID) {
			continue
		}
		steps, err := steps(v, j)
		if err != nil {
			return nil, err
		}
		change.Steps, present = append(change.Steps, steps...), present || len(steps) > 0
	}
	if len(change.Steps) == 0 {
		return nil, nil
	}
	if present {
		change.Steps = append([]wire.Step{
			{Name: "cron", Packages: &wire.Packages{Names: []string{"cron"}, Update: true}},
			{Name: "jobs", Dir: &wire.Dir{Path: wire.JobDirectory, Mode: 0o755}},
			{Name: "logs", Dir: &wire.Dir{Path: render.LogDirectory, Mode: 0o750, Group: "adm"}},
			{Name: "cron runs", Exec: &wire.Exec{
				Argv:   []string{"systemctl", "enable", "--now", "--quiet", cronUnit},
				Unless: []string{"systemctl", "is-active", "--quiet", cronUnit},
			}},
		}, change.Steps...)
	}
	return []job.Stage{{Name: "schedule", Change: change}}, nil
}

func nameOf(j ledger.Resource[Specification]) string {
	return "scheduled job " + j.Specification.title(j.ID)
}

func dirOf(id int64) string { return wire.JobDirectory + "/" + strconv.FormatInt(id, 10) }

// cronPath returns a job's file of cron. Its name has no dot: cron passes over those that have one (cron(8)).
func cronPath(id int64) string { return "/etc/cron.d/hostler-job-" + strconv.FormatInt(id, 10) }

func absent(id int64) []wire.Step {
	name, dir := "scheduled job "+strconv.FormatInt(id, 10), dirOf(id)
	return append([]wire.Step{
		vhost.Absent(name, cronPath(id)), vhost.Absent(name, dir+"/"+wire.JobFile), vhost.Absent(name, dir+"/"+wire.JobCommand), vhost.Absent(name, wire.JobLog(id)),
		vhost.Absent(name, wire.JobStarted(id)),
	}, append(site.NoProgramSteps(name, dir+"/bin"),
		wire.Step{Name: name, Dir: &wire.Dir{Path: dir + "/bin", Absent: true}},
		wire.Step{Name: name, Dir: &wire.Dir{Path: dir, Absent: true}})...)
}

// steps make a server have a job. A job of a site that the server should not have goes with the site.
func steps(v ledger.View, j ledger.Resource[Specification]) ([]wire.Step, error) {
	s := j.Specification
	spec, at := wire.Job{User: s.User, Dir: render.Home(s.User)}, site.Place{}
	if s.SiteID != nil {
		place, ok, err := site.PlaceOf(v, *s.SiteID)
		if err != nil {
			return nil, err
		}
		if !ok && len(v.Included) > 0 {
			return nil, errors.New("the site is not on the server")
		}
		if !ok {
			return nil, nil
		}
		home, err := place.Home()
		if err != nil {
			return nil, err
		}
		share := site.ShareOf(place.Site)
		spec.Dir, spec.Slice, spec.OpenFiles, at = home.String(), share.Slice, share.OpenFiles, place
	}
	if s.HeartbeatID != nil {
		var err error
		if spec.Ping, err = pingOf(v, *s.HeartbeatID); err != nil {
			return nil, err
		}
	}
	return present(v.Server, j, spec, at)
}

// pingOf returns the address that a heartbeat is called at, "" for one that was deleted.
func pingOf(v ledger.View, id int64) (string, error) {
	facts, _ := v.Facts.(Facts)
	ping, ok := facts.Pings[id]
	if !ok {
		return "", nil
	}
	token, err := v.Open(ping.Place, ping.Token)
	if err != nil {
		return "", fmt.Errorf("open the address of heartbeat %d: %w", id, err)
	}
	return ping.Below + token.Reveal(), nil
}

// present writes what the user wrote into a script: the cron file contains none of it.
func present(srv query.Server, j ledger.Resource[Specification], spec wire.Job, at site.Place) ([]wire.Step, error) {
	raw, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("write scheduled job %d: %w", j.ID, err)
	}
	s, name, dir := j.Specification, nameOf(j), dirOf(j.ID)
	cron := fmt.Sprintf("# Written by Hostler; changes are overwritten.\n%s root %s job %d\n", s.Cron, wire.AgentLink, j.ID)
	steps := []wire.Step{
		{Name: name, Dir: &wire.Dir{Path: dir, Mode: 0o750, Group: s.User}},
		{Name: name, Dir: &wire.Dir{Path: dir + "/bin", Mode: 0o755}},
	}
	steps = append(append(steps, at.ProgramSteps(srv, name, dir+"/bin")...), []wire.Step{
		{Name: name, File: &wire.File{Path: path.Join(dir, wire.JobCommand), Mode: 0o640, Group: s.User, Content: []byte(text.Script("/bin/bash", s.Command))}},
		{Name: name, File: &wire.File{Path: path.Join(dir, wire.JobFile), Mode: 0o600, Content: raw, Secret: spec.Ping != ""}},
		{Name: name, File: &wire.File{Path: cronPath(j.ID), Mode: 0o644, Content: []byte(cron)}},
	}...)
	if s.Frequency == custom {
		steps = append(steps, wire.Step{Name: name, Probe: &wire.Probe{Cron: s.Cron, Within: time.Millisecond}})
	}
	return steps, nil
}

// Include removes the jobs of deleted sites.
type Include struct{}

// Steps returns the removal for a deleted site, and what has the jobs of a site run with other programs; otherwise jobs belong to their own aspect.
func (Include) Steps(v ledger.View, d vhost.Desired) (steps, late []wire.Step, err error) {
	if d.Moved && !d.Gone {
		late, err := moved(v, d.Site.ID)
		return nil, late, err
	}
	if d.Repointed && !d.Gone {
		late, err := repointed(v, d.Site.ID)
		return nil, late, err
	}
	if !d.Gone {
		return nil, nil, nil
	}
	gone, err := Jobs.Gone(v)
	if err != nil {
		return nil, nil, err
	}
	left, err := Jobs.Of(v)
	if err != nil {
		return nil, nil, err
	}
	for _, j := range append(gone, left...) {
		if Jobs.In(j.Specification) == d.Site.ID || d.Retires(j.Specification.User) {
			steps = append(steps, absent(j.ID)...)
		}
	}
	return steps, nil, nil
}

// jobsOf returns the jobs of a site.
func jobsOf(v ledger.View, siteID int64) ([]ledger.Resource[Specification], error) {
	all, err := Jobs.Of(v)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(j ledger.Resource[Specification]) bool { return Jobs.In(j.Specification) != siteID }), nil
}

// repointed has the jobs of a site run with its PHP and its runtime, as a part of the site's own change.
func repointed(v ledger.View, siteID int64) ([]wire.Step, error) {
	jobs, err := jobsOf(v, siteID)
	if err != nil {
		return nil, err
	}
	place, ok, err := site.PlaceOf(v, siteID)
	if err != nil || !ok {
		return nil, err
	}
	var out []wire.Step
	for _, j := range jobs {
		out = append(out, place.ProgramSteps(v.Server, nameOf(j), dirOf(j.ID)+"/bin")...)
	}
	return out, nil
}

// moved has the jobs of a site run with its limits, as a part of the site's own change: the next time that they run.
func moved(v ledger.View, siteID int64) ([]wire.Step, error) {
	jobs, err := jobsOf(v, siteID)
	if err != nil {
		return nil, err
	}
	var out []wire.Step
	for _, j := range jobs {
		steps, err := steps(v, j)
		if err != nil {
			return nil, err
		}
		out = append(out, steps...)
	}
	return out, nil
}
