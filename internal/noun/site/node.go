package site

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// How a site of Next.js or Nuxt is served: by its own program, or as files that its build made.
const (
	ModeServer = "server"
	ModeStatic = "static"
)

// nodePackages are what sites with their own program need. npm comes with every package manager of a site: it runs the start
// script, and fetches the others, as the site's user.
var nodePackages = []string{"nodejs", "npm"}

// packagesWithin is how long the packages of a site may take to be installed: npm of Debian has some five hundred packages.
const packagesWithin = 15 * time.Minute

// The ports that programs get by default: below those that the kernel assigns to connections.
const (
	firstPort = 20000
	lastPort  = 29999
)

// knownPorts are those of services that a server may have.
var knownPorts = []int64{3306, 5432, 6379, 7700, 11211, 33060}

// isFramework reports whether a type is one of those that have a program unless they are said to be static.
func isFramework(kind string) bool { return kind == TypeNext || kind == TypeNuxt }

// HasProgram reports whether a program of the site's own answers for it.
func HasProgram(row query.Site) bool { return row.Port != nil && row.SparePort != nil }

// checkNode reads how a site with Node is served. The port is 0 for one that is to be found.
func checkNode(f api.Fields, b CreateSiteRequest) (program bool, port int64) {
	mode := ""
	if b.NuxtNextMode != nil {
		mode = *b.NuxtNextMode
	}
	could := isFramework(b.Type) || b.Type == TypeOther || b.Type == TypeCustom
	switch {
	case len(f["nuxt_next_mode"]) > 0:
	case mode != "" && mode != ModeServer && mode != ModeStatic:
		f.Add("nuxt_next_mode", "The nuxt_next_mode must be server or static.")
	case mode == ModeServer && !could:
		f.Add("nuxt_next_mode", "A site of the type %s has no program.", b.Type)
	}
	program = could && mode != ModeStatic && (isFramework(b.Type) || mode == ModeServer || b.NuxtNextPort != nil)
	if b.NuxtNextPort != nil && len(f["nuxt_next_port"]) == 0 {
		port = *b.NuxtNextPort
		const lowest = 1024
		switch {
		case !program:
			f.Add("nuxt_next_port", "The site has no program that could listen on a port.")
		case port < lowest || port > 65535 || ReservedPort(port):
			f.Add("nuxt_next_port", "The nuxt_next_port must be from %d to 65535 and none of a database's or a cache's.", lowest)
		}
	}
	if program && b.ZeroDowntimeDeployments != nil && !*b.ZeroDowntimeDeployments {
		f.Add("zero_downtime_deployments", "A site with its own program always has zero-downtime deployments.")
	}
	return program, port
}

// ClaimPorts returns a site's two ports, the first of them as requested. One that is taken is a failure of the field.
func ClaimPorts(ctx context.Context, tx *db.Tx, f api.Fields, row query.Site, asked int64) (query.Site, error) {
	taken, err := tx.ListServerPorts(ctx, row)
	if err != nil {
		return row, fmt.Errorf("list ports of sites: %w", err)
	}
	claim := func(port int64) (bool, error) {
		n, err := tx.ClaimSitePort(ctx, row.ServerID, port, row.ID)
		if err != nil {
			return false, fmt.Errorf("claim port of site: %w", err)
		}
		return n > 0, nil
	}
	ports := make([]int64, 0, 2)
	if asked != 0 {
		ok, err := claim(asked)
		if err != nil {
			return row, err
		}
		if !ok {
			f.Add("nuxt_next_port", "The port %d is already used by a site on this server.", asked)
			return row, f.Err()
		}
		ports = append(ports, asked)
	}
	for port := int64(firstPort); len(ports) < 2; port++ {
		if port > lastPort {
			f.Add("nuxt_next_port", "There are no ports left on this server.")
			return row, f.Err()
		}
		if port == asked || slices.Contains(taken, port) {
			continue
		}
		ok, err := claim(port)
		if err != nil {
			return row, err
		}
		if ok { // else another request was faster
			ports = append(ports, port)
		}
	}
	row.Port, row.SparePort = &ports[0], &ports[1]
	return row, nil
}

// packagesStage installs what sites need on their server, nil if they need nothing: when they are created, and to find drift.
func packagesStage(facts wire.Facts, v ledger.View, sites []Desired) []job.Stage {
	var steps []wire.Step
	for _, d := range sites {
		if len(v.Included) > 0 && !d.New {
			continue
		}
		if names := packagesOf(facts, d); len(names) > 0 && !d.Gone {
			steps = append(steps, wire.Step{Name: "packages of " + d.Site.Name, Packages: &wire.Packages{Names: names, Update: true, NoStart: true}})
		}
	}
	if len(steps) == 0 {
		return nil
	}
	return []job.Stage{{Name: "packages", Detach: true, Within: packagesWithin, Change: wire.Change{Steps: steps}}}
}

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
			wire.Step{Name: "stop the program of " + row.Name, Exec: &wire.Exec{Argv: []string{"systemctl", "disable", "--now", "--quiet", "--", unit}, Unless: []string{"test", "!", "-e", path}}},
			Absent("program of "+row.Name, path), Absent("variables of "+row.Name, serviceEnvFile(row.ID, port)))
	}
	return append(steps, wire.Step{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}}), nil
}

// startCommand returns what the program of a site is started with, in the directory of its release.
func startCommand(kind string, port value.Port) []string {
	switch kind {
	case TypeNext:
		return []string{"/usr/bin/node", "node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1", "--port", port.String()}
	case TypeNuxt:
		return []string{"/usr/bin/node", ".output/server/index.mjs"}
	}
	return []string{"/usr/bin/npm", "start", "--silent"}
}

// Service returns the program of a site as a release of it has it; nil for a site without one. health is what it must answer well, nil for
// any answer.
func Service(row query.Site, release string, health *wire.HTTPProbe) (*wire.Service, error) {
	if !HasProgram(row) {
		return nil, nil
	}
	ports, err := slots(row)
	if err != nil {
		return nil, err
	}
	base, err := Base(row)
	if err != nil {
		return nil, err
	}
	user, err := value.ParseUnixUser(row.UnixUser)
	if err != nil {
		return nil, err
	}
	text := base.String() + "/releases/" + release
	if row.RootDirectory != nil {
		text += *row.RootDirectory
	}
	directory, err := value.ParseAbsPath(text)
	if err != nil {
		return nil, err
	}
	s := &wire.Service{Upstream: upstreamPath(row.ID), Variables: base.String() + "/.env", Health: wire.HTTPProbe{Host: row.Name, Path: "/"}}
	if health != nil {
		s.Health = *health
		if s.Health.TLS { // the program itself is asked, as nginx asks it
			s.Health.TLS, s.Health.Scheme = false, "https"
		}
	}
	for i, port := range ports {
		envFile, err := value.ParseAbsPath(serviceEnvFile(row.ID, port))
		if err != nil {
			return nil, err
		}
		unit, err := render.ServiceUnit(render.ServiceUnitInput{SiteID: row.ID, Name: row.Name, Port: port, User: user, Directory: directory, EnvFile: envFile, Argv: startCommand(row.Type, port), Isolated: row.Isolated})
		if err != nil {
			return nil, err
		}
		upstream, err := render.ServiceUpstream(row.ID, port)
		if err != nil {
			return nil, err
		}
		s.Slots[i] = wire.Slot{Port: port.Int(), Unit: serviceName(row.ID, port), Text: unit, EnvFile: envFile.String(), Upstream: upstream,
			Env: map[string]string{"PORT": port.String(), "NITRO_PORT": port.String(), "NITRO_HOST": "127.0.0.1"}}
	}
	return s, nil
}
