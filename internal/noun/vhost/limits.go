package vhost

import (
	"maps"
	"slices"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
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
