package service

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/database"
	phpnoun "github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

const (
	stageWithin = 5 * time.Minute
	// startsWithin is how long a service may take until it answers.
	startsWithin = 30 * time.Second
)

// Plan is what included actions do. A configuration is checked first: a service that would not come back is left running.
func Plan(v ledger.View) ([]job.Stage, error) {
	var stages []job.Stage
	for _, op := range v.Included {
		r, err := read(op)
		if err != nil {
			return nil, err
		}
		steps, err := stepsOf(v, r, op.Action)
		if err != nil {
			return nil, err
		}
		if len(steps) > 0 {
			stages = append(stages, job.Stage{Name: "service", Change: wire.Change{Steps: steps}, Within: stageWithin})
		}
	}
	return stages, nil
}

func stepsOf(v ledger.View, r request, action string) ([]wire.Step, error) {
	switch r.Service {
	case nginx:
		return nginxSteps(action), nil
	case redis:
		is, _ := server.RedisOf(server.FactsOf(v.Server))
		return []wire.Step{systemctl(action, is.Unit), runs(is.Unit), answers(is.Unit, strconv.Itoa(server.RedisPort))}, nil
	case php:
		return phpSteps(v, r.Version, action)
	case engine:
		return engineSteps(v, action)
	case programs:
		return programSteps(v)
	}
	return nil, fmt.Errorf("there is no service %q", r.Service)
}

const nginxUnit = "nginx.service"

func systemctl(action string, units ...string) wire.Step {
	return wire.Step{Name: action + " " + units[0], Exec: &wire.Exec{Argv: append([]string{"systemctl", action}, units...)}}
}

func runs(unit string) wire.Step {
	return wire.Step{Name: unit + " runs", Probe: &wire.Probe{Unit: unit, Within: startsWithin}}
}

func answers(unit, port string) wire.Step {
	return wire.Step{Name: unit + " takes connections", Probe: &wire.Probe{TCP: "127.0.0.1:" + port, Within: startsWithin}}
}

func nginxSteps(action string) []wire.Step {
	if action == actionStop {
		return []wire.Step{systemctl(action, nginxUnit)}
	}
	return []wire.Step{
		{Name: "check nginx", Validate: &wire.Exec{Argv: []string{"nginx", "-t"}}},
		systemctl(action, nginxUnit), runs(nginxUnit), answers(nginxUnit, "80"),
	}
}

// engineSteps write the settings of MariaDB and MySQL first, which they read when they start.
func engineSteps(v ledger.View, action string) ([]wire.Step, error) {
	s, ok := database.ServiceOf(v.Server)
	if !ok {
		return nil, errors.New("the server has no database engine")
	}
	if action == actionStop {
		return append(s.Settings, systemctl(action, s.Unit)), nil
	}
	// PostgreSQL's unit is one for all clusters, and is active before they are.
	return append(s.Settings, systemctl(action, s.Unit), runs(s.Unit), answers(s.Unit, s.Port)), nil
}

// phpSteps are about all masters of a version: the distribution's, and those of isolated sites, which follow its restart and not its reload. A master
// that reloads a configuration it can't read ends, so each is checked before anything is done.
func phpSteps(v ledger.View, version, action string) ([]wire.Step, error) {
	of, err := value.ParsePHPVersion(version)
	if err != nil {
		return nil, fmt.Errorf("version of PHP: %w", err)
	}
	pools, err := phpnoun.Masters(v, of)
	if err != nil {
		return nil, err
	}
	program, unit := "php-fpm"+of.Dotted(), render.PHPUnit(of)
	steps := []wire.Step{{Name: "check PHP " + of.Dotted(), Validate: &wire.Exec{Argv: []string{program, "-t"}}}}
	for _, p := range pools {
		steps = append(steps, wire.Step{
			Name:     "check PHP of site " + strconv.FormatInt(p.SiteID, 10),
			Validate: &wire.Exec{Argv: []string{program, "-t", "--fpm-config", p.Config()}},
		})
	}
	if action == actionReload {
		steps = append(steps, systemctl("reload-or-restart", unit))
		for _, p := range pools {
			steps = append(steps, systemctl("reload-or-restart", p.Unit()))
		}
	} else {
		steps = append(steps, systemctl(action, unit))
	}
	steps = append(steps, runs(unit))
	for _, p := range pools {
		steps = append(steps, runs(p.Unit()))
	}
	return steps, nil
}

// programSteps restart every background process that is not stopped on purpose.
func programSteps(v ledger.View) ([]wire.Step, error) {
	all, err := process.Processes.Of(v)
	if err != nil {
		return nil, err
	}
	var units []string
	longest := int64(0)
	for _, p := range all {
		if p.Specification.Stopped {
			continue
		}
		longest = max(longest, p.Specification.Stopwaitsecs)
		for i := int64(1); i <= p.Specification.Processes; i++ {
			units = append(units, render.ProcessUnit(p.ID, strconv.FormatInt(i, 10)))
		}
	}
	if len(units) == 0 {
		return nil, nil
	}
	step := systemctl(actionRestart, units...)
	step.Name, step.Exec.Timeout = "restart background processes", time.Duration(longest)*time.Second+startsWithin
	return []wire.Step{step}, nil
}
