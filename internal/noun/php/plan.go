package php

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

const (
	packagesWithin = 15 * time.Minute
	settingsWithin = 5 * time.Minute
	runsWithin     = 30 * time.Second
)

// The files of settings that a version reads after the distribution's.
const (
	limitsFile = "/conf.d/90-hostler.ini"
	ownFile    = "/conf.d/95-hostler.ini"
)

// Plan installs, configures, upgrades and removes versions, and makes one the default of the command line. All that is configured is one change: what one
// of the masters or nginx refuses is not there any more afterwards, on any version.
func Plan(v ledger.View) ([]job.Stage, error) {
	state, err := StateOf(v)
	if err != nil {
		return nil, err
	}
	gone, err := Versions.Gone(v)
	if err != nil {
		return nil, err
	}
	changed := v.Asks(ServerSettings.Kind, v.Server.ID)
	var stages []job.Stage
	var configured []wire.Step
	for _, r := range state.versions {
		asked := v.Asks(Versions.Kind, r.ID)
		if !asked && !changed {
			continue
		}
		_, has, err := Versions.Before(v, r.ID)
		if err != nil {
			return nil, err
		}
		packages, err := packageStages(v, r, asked && !has)
		if err != nil {
			return nil, err
		}
		steps, err := configure(v, state, r.Specification)
		if err != nil {
			return nil, fmt.Errorf("PHP %s: %w", r.Specification.Version.Dotted(), err)
		}
		stages, configured = append(stages, packages...), append(configured, steps...)
	}
	if changed && state.set && server.HasNginx(v.Server.Type) {
		configured = append(configured, nginx(state.settings)...)
	}
	configured = append(configured, commandLine(v, state)...) // the last: an alternative is not put back
	if len(configured) > 0 {
		stages = append(stages, job.Stage{Name: "configure PHP", Within: settingsWithin, Change: wire.Change{Steps: configured}})
	}
	for _, r := range gone {
		stages = append(stages, remove(r))
	}
	return stages, nil
}

// packageStages install a new version, or upgrade one where an included operation asks for that.
func packageStages(v ledger.View, r ledger.Resource[Specification], fresh bool) ([]job.Stage, error) {
	prefix := "php" + r.Specification.Version.Dotted()
	if fresh {
		install := []wire.Step{{Name: "install PHP " + r.Specification.Version.Dotted(), Packages: &wire.Packages{Update: true, Names: server.PHPPackages(prefix)}}}
		facts := server.FactsOf(v.Server)
		if facts.Available[prefix+"-fpm"] == "" && facts.Packages[prefix+"-fpm"] == "" {
			from, err := repository(facts)
			if err != nil {
				return nil, fmt.Errorf("PHP %s: %w", r.Specification.Version.Dotted(), err)
			}
			install = append(from, install...)
		}
		return []job.Stage{{Name: "install " + prefix, Detach: true, Within: packagesWithin, About: []int64{r.ID}, Change: wire.Change{Steps: install}}}, nil
	}
	if slices.ContainsFunc(v.Included, func(op query.Operation) bool { return op.Action == actionUpgrade && op.ResourceID == r.ID }) {
		return []job.Stage{{Name: "upgrade " + prefix, Detach: true, Within: packagesWithin, About: []int64{r.ID}, Change: wire.Change{Steps: []wire.Step{
			{Name: "upgrade PHP " + r.Specification.Version.Dotted(), Packages: &wire.Packages{Update: true, Upgrade: true, Names: []string{prefix + "-*"}}},
		}}}}, nil
	}
	return nil, nil
}

// configure makes a version what it should be: its settings, the pools of its sites, and its masters.
func configure(v ledger.View, state State, s Specification) ([]wire.Step, error) {
	dotted, fpm, cli := s.Version.Dotted(), render.PHPSettingsDirectory(s.Version, "fpm"), render.PHPSettingsDirectory(s.Version, "cli")
	title := "settings of PHP " + dotted
	steps := []wire.Step{
		{Name: "PHP " + dotted, Packages: &wire.Packages{Names: []string{"php" + dotted + "-fpm", "php" + dotted + "-cli"}}},
		{Name: title, File: &wire.File{Path: fpm + "/pool.d/00-hostler.conf", Mode: 0o644, Content: []byte(render.PHPGlobal())}},
		file(title+" for all versions", fpm+limitsFile, state.settings.limits().INI()),
		file(title, fpm+ownFile, additions(s.FPM)),
		file(title+" on the command line", cli+ownFile, additions(s.CLI)),
	}
	pools, err := state.pools(v, s.Version)
	if err != nil {
		return nil, err
	}
	for _, p := range pools {
		if v.Asks(Versions.Kind, 0) { // for drift, pools are those of their sites
			break
		}
		step, err := poolStep(p)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	// What PHP can't read it warns of, and goes on with another value.
	unread := []string{"syntax error", "Invalid"}
	steps = append(steps,
		wire.Step{Name: "check PHP " + dotted + " on the command line", Validate: &wire.Exec{Argv: []string{"php" + dotted, "-v"}, Refuse: unread}},
		wire.Step{Name: "check PHP " + dotted, Validate: &wire.Exec{Argv: []string{"php-fpm" + dotted, "-t"}, Refuse: unread}})
	for _, p := range pools {
		if p.Alone {
			steps = append(steps, wire.Step{
				Name:     "check PHP of site " + strconv.FormatInt(p.SiteID, 10),
				Validate: &wire.Exec{Argv: []string{"php-fpm" + dotted, "-t", "--fpm-config", p.Config()}, Refuse: unread},
			})
		}
	}
	unit := render.PHPUnit(s.Version)
	steps = append(steps, reload(unit, fpm), wire.Step{Name: "PHP " + dotted + " runs", Probe: &wire.Probe{Unit: unit, Within: runsWithin}})
	for _, p := range pools {
		if p.Alone {
			steps = append(steps, reload(p.Unit(), p.Directory()), reload(p.Unit(), fpm+"/conf.d"),
				wire.Step{Name: "PHP of site " + strconv.FormatInt(p.SiteID, 10) + " runs", Probe: &wire.Probe{Unit: p.Unit(), Within: runsWithin}})
		}
	}
	return steps, nil
}

// pools returns the pools of a version. Those of isolated sites that are not enclosed yet become theirs when they are.
func (s State) pools(v ledger.View, version value.PHPVersion) ([]render.PoolInput, error) {
	sites, err := site.Sites.Of(v)
	if err != nil {
		return nil, err
	}
	var out []render.PoolInput
	for _, r := range sites {
		pool, err := s.Pool(r.Specification.Site(r.ID, v.Server))
		if err != nil {
			return nil, fmt.Errorf("site %s: %w", r.Specification.Name, err)
		}
		if pool.PHP == version && (!pool.Alone || r.Specification.Enclosed) {
			out = append(out, pool)
		}
	}
	return out, nil
}

func poolStep(in render.PoolInput) (wire.Step, error) {
	text, err := render.PHPPool(in)
	if in.Alone {
		text, err = render.PHPMaster(in)
	}
	return file("PHP pool of site "+strconv.FormatInt(in.SiteID, 10), in.Path(), text), err
}

// reload makes a master read its settings, if some below a directory changed. Requests that it answers end first.
func reload(unit, below string) wire.Step {
	return wire.Step{Name: "reload " + unit, Action: &wire.Action{Argv: []string{"systemctl", "reload-or-restart", unit}, Workers: unit, Below: below}}
}

func additions(text string) string {
	if text == "" {
		return ""
	}
	return render.PHPAdditions(text)
}

// file returns a file of Hostler's own, which is absent if its text is "".
func file(name, path, text string) wire.Step {
	if text == "" {
		return wire.Step{Name: name, File: &wire.File{Path: path, Absent: true}}
	}
	return wire.Step{Name: name, File: &wire.File{Path: path, Mode: 0o644, Content: []byte(text)}}
}

// commandLine makes a version php on the command line: without that, Debian's alternatives make each newer one the default that is installed.
func commandLine(v ledger.View, state State) []wire.Step {
	want := state.settings.CLI
	if want.IsZero() && v.Server.PHPCLIVersion != nil {
		want, _ = value.ParsePHPVersion(*v.Server.PHPCLIVersion)
	}
	if !slices.ContainsFunc(state.versions, func(r ledger.Resource[Specification]) bool { return !want.IsZero() && r.Specification.Version == want }) {
		return nil
	}
	program := "/usr/bin/php" + want.Dotted()
	return []wire.Step{{
		Name: "php is PHP " + want.Dotted(),
		Exec: &wire.Exec{Argv: []string{"update-alternatives", "--set", "php", program}, Unless: []string{"test", "/etc/alternatives/php", "-ef", program}},
	}}
}

// nginx lets uploads through that PHP takes, and waits as long as PHP does.
func nginx(settings Settings) []wire.Step {
	return []wire.Step{
		file("limits of nginx for PHP", render.PHPLimitsNginxPath, settings.limits().Nginx()),
		{Name: "check nginx", Validate: server.NginxCheck()},
		{Name: "reload nginx", Action: &wire.Action{
			Argv: []string{"systemctl", "reload-or-restart", "nginx.service"}, Workers: "nginx.service",
			Below: path.Dir(render.PHPLimitsNginxPath), Log: server.NginxLog,
		}},
		{Name: "nginx runs", Probe: &wire.Probe{Unit: "nginx.service"}},
	}
}

// remove takes a version away that no site uses, with its settings.
func remove(r ledger.Resource[Specification]) job.Stage {
	version := r.Specification.Version
	dotted, fpm, cli := version.Dotted(), render.PHPSettingsDirectory(version, "fpm"), render.PHPSettingsDirectory(version, "cli")
	var steps []wire.Step
	for _, path := range []string{fpm + "/pool.d/00-hostler.conf", fpm + limitsFile, fpm + ownFile, cli + ownFile} {
		steps = append(steps, file("settings of PHP "+dotted, path, ""))
	}
	steps = append(steps, wire.Step{Name: "remove PHP " + dotted, Packages: &wire.Packages{Remove: true, Names: []string{"php" + dotted + "-*"}}})
	return job.Stage{Name: "remove PHP " + dotted, Detach: true, Within: packagesWithin, About: []int64{r.ID}, Change: wire.Change{Steps: steps}}
}
