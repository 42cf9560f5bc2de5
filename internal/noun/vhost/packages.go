package vhost

import (
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/runtimes"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// nodePackages are what sites with their own program need. npm comes with every package manager of a site: it runs the start
// script, and fetches the others, as the site's user.
var nodePackages = []string{"nodejs", "npm"}

// runtimePackages verify runtimes that are signed with OpenPGP keys. Debian 13 has another program for apt.
var runtimePackages = []string{"gpgv"}

// languagePackages are what sites need that run what the distribution has of a language: it, and what installs the packages of a project.
var languagePackages = map[string][]string{
	site.RuntimePython: {"python3", "python3-venv", "python3-pip"},
	site.RuntimeRuby:   {"ruby-full", "ruby-bundler", "build-essential"},
	site.RuntimeGo:     {"golang-go"},
}

// packagesOf returns what a site needs on its server, in addition to the server's type.
func packagesOf(facts wire.Facts, d Desired) []string {
	var names []string
	kind := runtimes.Named(d.Site.Runtime)
	if d.Site.RuntimeVersion == "" {
		kind, names = nil, slices.Clone(languagePackages[d.Site.Runtime])
	}
	if kind != nil && kind.OpenPGP {
		names = append(names, runtimePackages...)
	}
	switch {
	case kind != nil && kind.Interpret != nil: // it runs what npm has itself
		if d.Code != nil && d.Code.PackageManager != "" && d.Code.PackageManager != kind.Name && !slices.Contains(kind.Programs, "npm") {
			names = append(names, nodePackages...)
		}
	case site.HasProgram(d.Site) && d.Site.StartCommand == "" || d.Code != nil && d.Code.PackageManager != "":
		names = append(names, nodePackages...)
	}
	if d.Code != nil && d.Code.URL == "" { // its type's installer brings the code
		names = append(names, project.Packages(d.Site.Type, facts.OS+" "+facts.OSVersion)...)
	}
	return names
}

// packagesStage installs what sites need on their server, nil if they need nothing: when they are created, and to find drift.
func packagesStage(facts wire.Facts, v ledger.View, sites []Desired) []job.Stage {
	var steps []wire.Step
	for _, d := range sites {
		if len(v.Included) > 0 && !d.New && !d.Renewed {
			continue
		}
		if names := packagesOf(facts, d); len(names) > 0 && !d.Gone {
			steps = append(steps, wire.Step{Name: "packages of " + d.Site.Name, Packages: &wire.Packages{Names: names, Update: true, NoStart: true}})
		}
	}
	if len(steps) == 0 {
		return nil
	}
	return []job.Stage{{Name: packagesName, Detach: true, Within: site.PackagesWithin, Change: wire.Change{Steps: steps}}}
}
