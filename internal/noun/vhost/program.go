package vhost

import (
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/runtimes"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// slots returns the two ports of a site's program.
func slots(row query.Site) ([2]value.Port, error) {
	var out [2]value.Port
	for i, n := range []*int64{row.Port, row.SparePort} {
		port, err := value.NewPort(int(*n))
		if err != nil {
			return out, err
		}
		out[i] = port
	}
	return out, nil
}

func serviceName(site int64, port value.Port) string {
	return "hostler-site-" + strconv.FormatInt(site, 10) + "-" + port.String() + ".service"
}

func serviceEnvFile(site int64, port value.Port) string {
	return wire.ServiceDir + "/" + strconv.FormatInt(site, 10) + "-" + port.String() + ".env"
}

// programUpstream returns the file with the live port. Deployments switch it, so it is written only if it does not exist.
func programUpstream(row query.Site) ([]wire.Step, error) {
	ports, err := slots(row)
	if err != nil {
		return nil, err
	}
	text, err := render.ServiceUpstream(row.ID, ports[0])
	if err != nil {
		return nil, err
	}
	return []wire.Step{{Name: "port of " + row.Name, File: &wire.File{Path: upstreamPath(row.ID), Mode: 0o644, Content: []byte(text), Once: true}}}, nil
}

// noProgram takes a site's program off its server, once nginx sends it nothing any more.
func noProgram(row query.Site) ([]wire.Step, error) {
	ports, err := slots(row)
	if err != nil {
		return nil, err
	}
	var steps []wire.Step
	for _, port := range ports {
		unit := serviceName(row.ID, port)
		path := "/etc/systemd/system/" + unit
		steps = append(steps,
			wire.Step{
				Name: "stop the program of " + row.Name,
				Exec: &wire.Exec{Argv: []string{"systemctl", "disable", "--now", "--quiet", "--", unit}, Unless: []string{"test", "!", "-e", path}},
			},
			Absent("program of "+row.Name, path), Absent("variables of "+row.Name, serviceEnvFile(row.ID, port)))
	}
	return append(steps, wire.Step{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}}), nil
}

// startCommand returns what the program of a site is started with, in the directory of its release. The line of a site is its account's, as everything
// that the program does.
func startCommand(row query.Site, kind *runtimes.Kind, bin string, port value.Port) []string {
	if row.StartCommand != "" {
		return []string{"/bin/sh", "-c", row.StartCommand}
	}
	argv := kind.Start
	switch row.Type {
	case sitetype.Next:
		argv = slices.Concat(kind.Interpret, []string{"node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port",
			port.String()})
	case sitetype.Nuxt:
		argv = slices.Concat(kind.Interpret, []string{".output/server/index.mjs"})
	}
	return append([]string{bin + "/" + argv[0]}, argv[1:]...)
}

// variables returns the .env file that a program of Node gets its environment from. Next reads it itself, by rules of its own, and gets nothing else; Nuxt's
// built server reads none.
func variables(kind string, base value.AbsPath) *wire.Dotenv {
	if kind == sitetype.Next {
		return nil
	}
	return &wire.Dotenv{Path: base.String() + "/.env", Dialect: wire.DotenvNode}
}

// Service returns the program of a site as a release of it has it; nil for a site without one. health is what it must answer well,
// nil for any answer.
func Service(place site.Place, release string, health *wire.HTTPProbe) (*wire.Service, error) {
	row := place.Site
	if !site.HasProgram(row) {
		return nil, nil
	}
	ports, err := slots(row)
	if err != nil {
		return nil, err
	}
	base, err := place.Base()
	if err != nil {
		return nil, err
	}
	user, err := value.ParseUnixUser(row.UnixUser)
	if err != nil {
		return nil, err
	}
	directory, err := place.Release(release)
	if err != nil {
		return nil, err
	}
	if directory, err = place.HomeIn(directory); err != nil {
		return nil, err
	}
	s := &wire.Service{Upstream: upstreamPath(row.ID), Variables: variables(row.Type, base), Health: wire.HTTPProbe{Host: row.Name, Path: "/"}}
	if health != nil {
		s.Health = *health
		if s.Health.TLS { // the program itself is asked, as nginx asks it
			s.Health.TLS, s.Health.Scheme = false, "https"
		}
	}
	kind, bin, search := runtimes.Node, "/usr/bin", ""
	if versioned := runtimes.Named(row.Runtime); versioned != nil && row.RuntimeVersion != "" {
		search = versioned.Bin(row.RuntimeVersion)
		if versioned.Interpret != nil {
			kind, bin = versioned, search
		}
	}
	for i, port := range ports {
		envFile, err := value.ParseAbsPath(serviceEnvFile(row.ID, port))
		if err != nil {
			return nil, err
		}
		unit, err := render.ServiceUnit(render.ServiceUnitInput{
			SiteID: row.ID, Name: row.Name, Port: port, User: user, Directory: directory, EnvFile: envFile,
			Argv: startCommand(row, kind, bin, port), Path: search, Isolated: row.Isolated, Share: site.ShareOf(row),
		})
		if err != nil {
			return nil, err
		}
		upstream, err := render.ServiceUpstream(row.ID, port)
		if err != nil {
			return nil, err
		}
		s.Slots[i] = wire.Slot{
			Port: port.Int(), Unit: serviceName(row.ID, port), Text: unit, EnvFile: envFile.String(), Upstream: upstream,
			Env: map[string]string{"PORT": port.String(), "NITRO_PORT": port.String(), "NITRO_HOST": "127.0.0.1"},
		}
	}
	return s, nil
}
