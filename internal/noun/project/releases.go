package project

import (
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// AdoptedRelease is the release that is made of a site's files when it gets releases.
const AdoptedRelease = "0"

// pull is how a script in place gets the code, by the default one.
var pull = []string{"cd $FORGE_SITE_ROOT", "git pull origin $FORGE_SITE_BRANCH"}

// releaseScript makes a script of deployments in place one of releases: the lines that pull become those that make a release and go there.
func releaseScript(script string) string {
	lines := strings.Split(strings.TrimRight(script, "\n"), "\n")
	at := slices.Index(lines, pull[1])
	if at < 0 || strings.Contains(script, MacroCreate) {
		return script // what it lacks is done around it
	}
	lines[at] = MacroCreate + "\n\ncd $FORGE_RELEASE_DIRECTORY"
	if at > 0 && lines[at-1] == pull[0] {
		lines = slices.Delete(lines, at-1, at)
	}
	for i, line := range lines {
		if below, ok := strings.CutPrefix(line, pull[0]+"/"); ok {
			lines[i] = "cd $FORGE_RELEASE_DIRECTORY/" + below
		}
	}
	if i := slices.Index(lines, MacroQueues); i >= 0 {
		lines = slices.Insert(lines, i, MacroActivate, "")
	} else {
		lines = append(lines, "", MacroActivate)
	}
	return strings.Join(lines, "\n") + "\n"
}

// inPlaceScript returns the way back: macros of releases have no meaning in place.
func inPlaceScript(script string) string {
	if !strings.Contains(script, MacroCreate) && !strings.Contains(script, MacroActivate) && !strings.Contains(script, "$FORGE_RELEASE_DIRECTORY") {
		return script
	}
	script = strings.Replace(script, MacroCreate+"\n\ncd $FORGE_RELEASE_DIRECTORY", strings.Join(pull, "\n"), 1)
	script = strings.ReplaceAll(script, MacroCreate, strings.Join(pull, "\n"))
	script = strings.ReplaceAll(script, "$FORGE_RELEASE_DIRECTORY", "$FORGE_SITE_ROOT")
	script = strings.ReplaceAll(script, "\n\n"+MacroActivate+"\n", "\n")
	return strings.ReplaceAll(script, MacroActivate+"\n", "")
}

// SwitchedScript returns the deploy script of a site that is switched to releases, or back. One that was not edited since a
// switch is restored to the version before it. A user's edit since then stays if the switch failed; for a requested switch, its
// lines about releases change.
func SwitchedScript(p query.Project, on bool, phase ledger.Phase) string {
	switch {
	case p.ScriptSwitched != "" && p.Script == p.ScriptSwitched:
		return p.ScriptBefore
	case phase != ledger.Updating && phase != ledger.Creating:
		return p.Script
	case on:
		return releaseScript(p.Script)
	}
	return inPlaceScript(p.Script)
}
