package vhost

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// sliceSteps write the slices of a site with limits. Once systemd has read them, what runs in them has the limits: nothing is restarted.
func sliceSteps(row query.Site) ([]wire.Step, error) {
	texts, err := site.Slices(row)
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	name := "limits of " + row.Name
	var steps []wire.Step
	if args := site.Fits(row); args != nil {
		steps = append(steps, wire.Step{Name: "check " + name, Validate: &wire.Exec{Argv: append([]string{wire.AgentLink, wire.FitsMode}, args...)}})
	}
	for _, slice := range slices.Sorted(maps.Keys(texts)) {
		steps = append(steps, OwnFile(name, units+slice, texts[slice]))
	}
	return append(steps, wire.Step{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}, Below: units}}), nil
}

// noSlices end what is left of a deleted site in its slices, and take them away.
func noSlices(row query.Site) ([]wire.Step, error) {
	texts, err := site.Slices(row)
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	name := "limits of " + row.Name
	var steps []wire.Step
	for _, slice := range slices.Sorted(maps.Keys(texts)) {
		steps = append(steps,
			wire.Step{Name: "end " + name, Exec: &wire.Exec{Argv: []string{"systemctl", "stop", "--", slice}, Unless: []string{"test", "!", "-e", units + slice}}},
			Absent(name, units+slice))
	}
	return append(steps, wire.Step{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}, Below: units}}), nil
}

// connectionsName is that of both files with which nginx limits the requests of a site.
const connectionsName = "05-connections"

// connectionSteps have nginx answer no more requests of a site at once than it may have.
func connectionSteps(row query.Site) ([]wire.Step, error) {
	most, limited := site.Connections(row)
	if !limited {
		return nil, nil
	}
	if most == 0 {
		return noConnections(row), nil
	}
	zone, include, err := render.NginxConnections(row.ID, most)
	name := "connections of " + row.Name
	return []wire.Step{File(name, HTTPPath(row.ID, connectionsName), zone), File(name, IncludePath(row.ID, connectionsName), include)}, err
}

// noConnections take such a limit away.
func noConnections(row query.Site) []wire.Step {
	name := "connections of " + row.Name
	return []wire.Step{Absent(name, IncludePath(row.ID, connectionsName)), Absent(name, HTTPPath(row.ID, connectionsName))}
}

// sizeSteps limit how much the directory of a site may hold. It is there by then.
func sizeSteps(row query.Site) ([]wire.Step, error) {
	limit, limited, err := site.SizeLimit(row)
	if err != nil || !limited {
		return nil, err
	}
	if limit == nil {
		return noSize(row), nil
	}
	raw, err := json.Marshal(limit)
	return []wire.Step{
		{Name: "sizes of directories", Dir: &wire.Dir{Path: wire.SizesDirectory, Mode: 0o755}},
		OwnFile("size of "+row.Name, sizePath(row), string(raw)+"\n"), applySizes,
	}, err
}

// noSize takes such a limit away.
func noSize(row query.Site) []wire.Step {
	return []wire.Step{Absent("size of "+row.Name, sizePath(row)), applySizes}
}

var applySizes = wire.Step{
	Name: "limit sizes", Action: &wire.Action{Argv: []string{wire.AgentLink, wire.SizesMode}, Below: wire.SizesDirectory},
}

func sizePath(row query.Site) string {
	return wire.SizesDirectory + "/" + strconv.FormatInt(row.ID, 10)
}
