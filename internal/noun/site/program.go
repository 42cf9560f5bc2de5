package site

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// How a site of Next.js or Nuxt is served: by its own program, or as files that its build made.
const (
	ModeServer = "server"
	ModeStatic = "static"
)

// PackagesWithin is how long the packages of a site may take to be installed: npm of Debian has some five hundred packages.
const PackagesWithin = 15 * time.Minute

// The ports that programs get by default: below those that the kernel assigns to connections.
const (
	firstPort = 20000
	lastPort  = 29999
)

// knownPorts are those of services that a server may have.
var knownPorts = []int64{3306, 5432, 6379, 7700, 11211, 33060}

// HasProgram reports whether a program of the site's own answers for it.
func HasProgram(row query.Site) bool { return row.Port != nil && row.SparePort != nil }

// checkNode reads how a site with Node is served. The port is 0 for one that is to be found.
func checkNode(f api.Fields, b CreateSiteRequest) (program bool, port int64) {
	mode := ""
	if b.NuxtNextMode != nil {
		mode = *b.NuxtNextMode
	}
	could := sitetype.IsNode(b.Type) || b.Type == sitetype.Other || b.Type == sitetype.Custom
	switch {
	case len(f["nuxt_next_mode"]) > 0:
	case mode != "" && mode != ModeServer && mode != ModeStatic:
		f.Add("nuxt_next_mode", "The nuxt_next_mode must be server or static.")
	case mode == ModeServer && !could:
		f.Add("nuxt_next_mode", "A site of the type %s has no program.", b.Type)
	}
	starts := b.StartCommand != nil && text.Command(*b.StartCommand) != ""
	program = could && mode != ModeStatic && (sitetype.IsNode(b.Type) || mode == ModeServer || b.NuxtNextPort != nil || starts)
	if starts && !program && len(f["start_command"]) == 0 {
		f.Add("start_command", "The site has no program of its own: that have sites of the types other, custom, nextjs and nuxtjs, unless they are static.")
	}
	if b.NuxtNextPort != nil && len(f["nuxt_next_port"]) == 0 {
		port = *b.NuxtNextPort
		const lowest = 1024
		switch {
		case !program:
			f.Add("nuxt_next_port", "The site has no program that could listen on a port.")
		case port < lowest || port > 65535 || ReservedPort(port):
			f.Add("nuxt_next_port", "The nuxt_next_port must be from %d to 65535 and not the port of a database or a cache.", lowest)
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
			f.Coded("nuxt_next_port", api.CodeTaken, nil, "The port %d is already used by a site on this server.", asked)
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
