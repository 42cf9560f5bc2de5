package vhost

import (
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Source is where hosts fetch a runtime of sites from, and the keys of those who may have signed it.
type Source struct {
	Mirror string
	Keys   []byte
}

// The names of the stages before the change of a site's files.
const (
	packagesName  = "packages"
	runtimesStage = "runtimes"
	programStage  = "restart the program of "
)

// untouched reports whether an operation that ended at a stage has left the program of its site as it was: that stage is before the one that starts it with
// another runtime, or the one that does and rolls it back.
func untouched(stage string) bool {
	return stage == "" || stage == packagesName || stage == runtimesStage || strings.HasPrefix(stage, programStage)
}

const (
	// runtimeWithin is how long a runtime may take to be fetched and verified.
	runtimeWithin = 15 * time.Minute
	// programWithin is how long the program of a site may take to be started with another one: twice its time to answer, and the drain of the previous one.
	programWithin = 5 * time.Minute
)

// runtimes returns the stage that fetches what sites chose, before anything uses it; nil for none.
func (p Planner) runtimes(v ledger.View, sites []Desired) []job.Stage {
	var steps []wire.Step
	seen := map[string]bool{}
	for _, d := range sites {
		name, version := d.Site.Runtime, d.Site.RuntimeVersion
		if version == "" || d.Gone || seen[name+version] || len(v.Included) > 0 && !d.New && !d.Renewed {
			continue
		}
		seen[name+version] = true
		from := p.Runtimes[name]
		steps = append(steps, wire.Step{Name: "runtime " + name + " " + version, Exec: &wire.Exec{
			Argv: []string{wire.AgentLink, wire.RuntimeMode, name, version, from.Mirror}, Stdin: from.Keys, Timeout: runtimeWithin,
			Unless: []string{"test", "-e", wire.RuntimeDirectory + "/" + name + "/" + version + "/" + wire.RuntimeComplete},
		}})
	}
	if len(steps) == 0 {
		return nil
	}
	return []job.Stage{{Name: runtimesStage, Detach: true, Within: runtimeWithin, Change: wire.Change{Steps: steps}}}
}

// unusedStage removes the runtimes that no site has any more; nil where nothing leaves one.
func unusedStage(v ledger.View, sites []Desired) ([]job.Stage, error) {
	leaves := false
	for _, d := range sites {
		leaves = leaves || d.Renewed || d.Gone && d.Site.RuntimeVersion != ""
	}
	if !leaves {
		return nil, nil
	}
	used, err := site.RuntimesOf(v)
	if err != nil {
		return nil, err
	}
	return []job.Stage{{Name: "unused runtimes", Change: wire.Change{Steps: []wire.Step{{
		Name: "runtimes in use: " + strings.Join(used, " "), Exec: &wire.Exec{Argv: append([]string{wire.AgentLink, wire.RuntimesMode}, used...)},
	}}}}}, nil
}

// programs returns the stages that start the programs of sites with another runtime, each in the place of the one that is live. One that does not
// answer is stopped again, and the previous one never ended.
func (p Planner) programs(v ledger.View, sites []Desired) ([]job.Stage, error) {
	facts, _ := v.Facts.(Facts)
	var out []job.Stage
	for _, d := range sites {
		code, live := facts.Live[d.Site.ID]
		if !d.Restarted || d.Gone || !live || p.Restart == nil || !site.HasProgram(d.Site) {
			continue
		}
		script, err := p.Restart(v.Server, d.Site, code)
		if err != nil {
			return nil, err
		}
		out = append(out, job.Stage{Name: programStage + d.Site.Name, Script: &script, Detach: true, Within: programWithin})
	}
	return out, nil
}
