package site

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/runtimes"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// RuntimeSystem is the runtime of sites that run the Node that their server's distribution has.
const RuntimeSystem = "system"

// The runtimes that are languages in the version of the server's distribution.
const (
	RuntimePython = "python"
	RuntimeRuby   = "ruby"
	RuntimeGo     = "go"
)

// languages are the names of the languages for people.
var languages = map[string]string{RuntimePython: "Python", RuntimeRuby: "Ruby", RuntimeGo: "Go"}

// ActionRuntime is work that changes what runs the programs of a site.
const ActionRuntime = "change-runtime"

// languageBuilds are what a release of a site's own program is built with unless the request says something else: the usual of each language, which needs
// nothing but the packages of the distribution.
var languageBuilds = map[string]string{
	RuntimePython: "python3 -m venv .venv; if [ -f requirements.txt ]; then .venv/bin/pip install --no-cache-dir -r requirements.txt; fi",
	RuntimeRuby:   "if [ -f Gemfile ]; then bundle config set --local path vendor/bundle; bundle install; fi",
	RuntimeGo:     "go build -o server .",
	"bun":         "if [ -f package.json ]; then bun install; fi",
	"deno":        "if [ -f deno.json ] || [ -f deno.jsonc ] || [ -f package.json ]; then deno install; fi",
}

// LanguageBuild returns the line that builds a release of a program in a language; "" for none.
func LanguageBuild(runtime string) string { return languageBuilds[runtime] }

// said returns what an optional field says, "" for nothing.
func said(field *string) string {
	if field == nil {
		return ""
	}
	return *field
}

// Runtime is what runs the programs of a site in place of what its server's distribution has.
type Runtime struct {
	// Name is "node", "bun", "deno" or a language. Wanted is the version that was asked for ("22"), and Version the exact one that it stood
	// for then ("22.11.0"); "" for a language in the version of the server's distribution.
	Name    string `json:"name"`
	Wanted  string `json:"wanted"`
	Version string `json:"version"`
}

// RuntimeRequest is what requests say of a site's runtime.
type RuntimeRequest struct {
	Runtime        *string `json:"runtime,omitempty" enum:"system,node,bun,deno,python,ruby,go" ours:"true"`
	RuntimeVersion *string `json:"runtime_version,omitempty" ours:"true"`
}

// ProgramRequest is what requests say of a site's own program.
type ProgramRequest struct {
	StartCommand *string `json:"start_command,omitempty" nullable:"true" ours:"true"`
}

const maxStartCommand = 2000

// readStartCommand returns the line that starts a site's program, "" for what its type says.
func readStartCommand(f api.Fields, r ProgramRequest) string {
	if r.StartCommand == nil || len(f["start_command"]) > 0 {
		return ""
	}
	return f.Command("start_command", *r.StartCommand, maxStartCommand)
}

// Runtimes knows the versions that sites can choose.
type Runtimes interface {
	// Resolve asks what a version of a runtime stands for, and Resolved returns the answer. Resolve returns runtimes.ErrNone for a
	// version that there is not.
	Resolve(ctx context.Context, name, version string) error
	Resolved(name, version string) (exact string, ok bool)
}

// runtimeOf returns the runtime of a row, nil for the system's.
func runtimeOf(row query.Site) *Runtime {
	if row.Runtime == "" {
		return nil
	}
	return &Runtime{Name: row.Runtime, Wanted: row.RuntimeWanted, Version: row.RuntimeVersion}
}

// sameRuntime reports whether two specifications run the same.
func sameRuntime(a, b *Runtime) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Name == b.Name && a.Version == b.Version
}

// Restarts reports whether a change of a specification starts the site's own program in another way.
func (s Specification) Restarts(before Specification) bool {
	return s.Renews(before) || s.Port != nil && (s.StartCommand != before.StartCommand || s.Moves(before))
}

// Renews reports whether a change of a specification changes what runs the site's programs.
func (s Specification) Renews(before Specification) bool {
	return !sameRuntime(s.Runtime, before.Runtime)
}

// resolveRuntime asks what the version of a request stands for, before anything is locked. now is the runtime that the site has.
func (o *Operations) resolveRuntime(ctx context.Context, f api.Fields, now string, r RuntimeRequest) error {
	if r.Runtime != nil {
		now = *r.Runtime
	}
	kind := runtimes.Named(now)
	if kind == nil || r.RuntimeVersion == nil || kind.Check(*r.RuntimeVersion) != nil || len(f) > 0 {
		return nil
	}
	err := o.Runtimes.Resolve(ctx, kind.Name, *r.RuntimeVersion)
	switch {
	case errors.Is(err, runtimes.ErrNone):
		f.Add("runtime_version", "There is no %s %s: %s.", kind.Title, *r.RuntimeVersion, err)
	case err != nil:
		f.State("It is not known which releases of %s there are: %s. Try again later.", kind.Title, err)
	}
	return nil
}

// checkRuntime reads what is to run the programs of a site. now is what runs them, nil for what the distribution has.
func (o *Operations) checkRuntime(f api.Fields, kind string, now *Runtime, r RuntimeRequest) *Runtime {
	name := RuntimeSystem
	if now != nil {
		name = now.Name
	}
	if r.Runtime != nil {
		name = *r.Runtime
	}
	versioned := runtimes.Named(name)
	switch {
	case len(f["runtime"]) > 0 || len(f["runtime_version"]) > 0:
		return now
	case name == RuntimeSystem && r.RuntimeVersion != nil:
		f.Add("runtime_version", "A version needs the runtime node, bun, deno or go; the runtime system is what the server's distribution has.")
		return now
	case versioned == nil && languages[name] != "" && r.RuntimeVersion != nil:
		f.Add("runtime_version", "Only the runtimes node, bun, deno and go have versions; %s is what the server's distribution has.",
			languages[name])
		return now
	case name == RuntimeSystem:
		return nil
	case versioned == nil && languages[name] == "":
		f.Add("runtime", "The runtime must be system, node, bun, deno, python, ruby or go.")
		return now
	case kind == sitetype.Balancer || kind == sitetype.PHPMyAdmin:
		f.Add("runtime", "A site of the type %s runs nothing of its own.", kind)
		return now
	case versioned == nil:
		return &Runtime{Name: name}
	}
	if versioned.Optional && r.RuntimeVersion == nil && (r.Runtime != nil || now == nil || now.Name != name) {
		return &Runtime{Name: name} // named without a version, it is the distribution's
	}
	return o.versionOf(f, versioned, now, r.RuntimeVersion)
}

// versionOf reads the version of a runtime that a site is to have.
func (o *Operations) versionOf(f api.Fields, kind *runtimes.Kind, now *Runtime, asked *string) *Runtime {
	same := now != nil && now.Name == kind.Name
	switch {
	case asked == nil && same:
		return now
	case asked == nil:
		f.Add("runtime_version", "The runtime_version field is required for the runtime %s: it must be %s.", kind.Name, kind.Choices)
		return now
	}
	line := *asked
	if err := kind.Check(line); err != nil {
		f.Add("runtime_version", "The runtime_version %q can't be chosen: %s.", line, err)
		return now
	}
	exact, ok := o.Runtimes.Resolved(kind.Name, line)
	if !ok {
		f.State("It is not known which releases of %s there are. Try again.", kind.Title)
		return now
	}
	if same && !runtimes.Exact(line) && kind.Line(now.Version) == line && runtimes.Compare(exact, now.Version) < 0 {
		f.State("The mirror offers %s %s for %s, which is older than the site's %s. Ask for the exact version if it shall be that one.",
			kind.Title, exact, line, now.Version)
		return now
	}
	return &Runtime{Name: kind.Name, Wanted: line, Version: exact}
}

// mayRenew reports whether the runtime of a site can be changed now. A deployment starts its program: two of them must not do that at the same time.
func mayRenew(ctx context.Context, tx *db.Tx, row query.Site) error {
	if !HasProgram(row) {
		return nil
	}
	open, err := tx.ListOpenDeployments(ctx, row)
	if err != nil {
		return fmt.Errorf("list open deployments: %w", err)
	}
	if len(open) > 0 {
		return api.Conflict("The site is being deployed. Change what runs its program when that is done.")
	}
	return nil
}

// Programs returns what the site's programs call by name, and where that is: PHP, and what its runtime brings.
func (p Place) Programs(srv query.Server) map[string]string {
	out := map[string]string{}
	if php := p.PHP(srv); php != "" {
		out["php"] = php
	}
	maps.Copy(out, p.Runtime())
	return out
}

// Runtime returns the programs of the site's runtime, none for what the distribution has.
func (p Place) Runtime() map[string]string {
	out := map[string]string{}
	if kind := runtimes.Named(p.Site.Runtime); kind != nil && p.Site.RuntimeVersion != "" {
		for _, name := range kind.Programs {
			out[name] = kind.Bin(p.Site.RuntimeVersion) + "/" + name
		}
	}
	return out
}

// ProgramSteps make a directory have what the site's programs call by name.
func (p Place) ProgramSteps(srv query.Server, title, directory string) []wire.Step {
	return programSteps(title, directory, p.Programs(srv))
}

// NoProgramSteps take out of a directory what programs of a site call by name.
func NoProgramSteps(title, directory string) []wire.Step {
	out := programSteps(title, directory, nil)
	for i := range out {
		out[i].Link.Target, out[i].Link.Absent = "", true
	}
	return out
}

func programSteps(title, directory string, programs map[string]string) []wire.Step {
	targets := map[string]string{"php": ""}
	for _, name := range runtimes.Programs() {
		targets[name] = ""
	}
	for _, name := range wire.PackageManagers() { // as scripts have them: package manager of the agent fetches what the project names
		targets[name] = wire.AgentLink
	}
	maps.Copy(targets, programs)
	var out []wire.Step
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		out = append(out, wire.Step{
			Name: "programs of " + title, Link: &wire.Link{Path: directory + "/" + name, Target: targets[name], Absent: targets[name] == ""},
		})
	}
	return out
}

// RuntimesOf returns the versions that sites of a server should have, like "node/22.11.0".
func RuntimesOf(v ledger.View) ([]string, error) {
	all, err := Sites.Of(v)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range all {
		if is := r.Specification.Runtime; is != nil && is.Version != "" {
			out = append(out, is.Name+"/"+is.Version)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// RuntimeMeta is what runs a site's programs, in the meta of its documents.
type RuntimeMeta struct {
	Runtime RuntimeInUse `json:"runtime"`
}

// RuntimeInUse is what runs a site's programs, and why.
type RuntimeInUse struct {
	Name         string  `json:"name" enum:"system,node,bun,deno,python,ruby,go" doc:"What runs the site's programs: system is the distribution's Node.js."`
	Wanted       *string `json:"wanted" doc:"The version that was asked for; null for the distribution's."`
	Version      *string `json:"version" doc:"The exact version that it stands for; null for the distribution's."`
	Installed    *string `json:"installed" doc:"The exact version installed on the server; null for the distribution's, and until it is installed."`
	Newest       *string `json:"newest" doc:"A newer release of the same line, as its mirror last told; null if there is none, or that is not known."`
	EndsOn       *string `json:"ends_on" format:"date" doc:"The last day with security updates for this release line; null if that is not known."`
	Why          string  `json:"why" doc:"Why it is this version, for people."`
	StartCommand *string `json:"start_command" doc:"The line that starts the site's own program; null for what its type says, and for a site without one."`
}

func runtimeMeta(row query.Site, newest *runtimes.Newest) RuntimeMeta {
	is := RuntimeInUse{Name: RuntimeSystem, Why: "The site runs what its server's distribution has, because it has not chosen a version."}
	if row.RuntimeInstalled != "" {
		is.Installed = &row.RuntimeInstalled
	}
	if row.StartCommand != "" {
		is.StartCommand = &row.StartCommand
	}
	if row.Runtime == "" {
		return RuntimeMeta{is}
	}
	if language := languages[row.Runtime]; language != "" && row.RuntimeVersion == "" {
		is.Name, is.Why = row.Runtime, "The site runs the "+language+" that its server's distribution has."
		return RuntimeMeta{is}
	}
	is.Name, is.Wanted, is.Version = row.Runtime, &row.RuntimeWanted, &row.RuntimeVersion
	is.Why = fmt.Sprintf("The site asks for the release line %s, whose newest release was %s when that was set.", row.RuntimeWanted, row.RuntimeVersion)
	if newer := newest.Of(row.Runtime, row.RuntimeVersion); newer != "" {
		is.Newest = &newer
	}
	if day := runtimes.EndsOn(row.Runtime, row.RuntimeVersion); day != "" {
		is.EndsOn = &day
	}
	if runtimes.Exact(row.RuntimeWanted) {
		is.Why = "The site asks for exactly this version."
	}
	return RuntimeMeta{is}
}
