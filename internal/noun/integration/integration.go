// Package integration manages framework features that need something on the server: background programs, a job of every minute, a
// maintenance page. What a site can have is determined by its composer.lock.
package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// MaintenanceAspect is what maintenance pages are put up and taken down in: beside everything else.
const MaintenanceAspect = "integration"

// The kinds.
const (
	horizon     = "horizon"
	octane      = "octane"
	reverb      = "reverb"
	pulse       = "pulse"
	inertia     = "inertia"
	scheduler   = "laravel-scheduler"
	maintenance = "laravel-maintenance"
)

const (
	askWithin = 20 * time.Second
	// framework is Laravel itself.
	framework = "laravel/framework"
)

// packages are the Composer packages of the kinds, with the version that it came with.
var packages = map[string]struct{ name, least string }{
	horizon: {"laravel/horizon", "1.0"}, octane: {"laravel/octane", "1.0"}, reverb: {"laravel/reverb", ""},
	pulse: {"laravel/pulse", "1.0"}, inertia: {"inertiajs/inertia-laravel", "0.6.6"},
	scheduler: {framework, "5.0"}, maintenance: {framework, "5.0"},
}

// daemon is a kind that is a program which always runs.
type daemon struct {
	title, command string
	// line restarts the program after a deployment; it is in the deploy script while the kind is enabled.
	line string
	// stop is how many seconds it may take to end.
	stop int64
}

var daemons = map[string]daemon{
	horizon: {"Horizon", "php artisan horizon", "$FORGE_PHP artisan horizon:terminate", 60},
	octane:  {"Octane", "php artisan octane:start --no-interaction", "$FORGE_PHP artisan octane:reload", 60},
	reverb:  {"Reverb", "php artisan reverb:start --no-interaction", "$FORGE_PHP artisan reverb:restart", 10},
	pulse:   {"Pulse", "php artisan pulse:check", "$FORGE_PHP artisan pulse:restart", 10},
	inertia: {"Inertia SSR", "php artisan inertia:start-ssr", "$FORGE_PHP artisan inertia:stop-ssr", 10},
}

// command returns what the program of a kind is started with. Every value in it is a number or one of a few words.
func (s Settings) command(kind string) string {
	switch kind {
	case octane:
		return fmt.Sprintf("%s --server=%s --host=127.0.0.1 --port=%d", daemons[kind].command, s.Server, s.Port)
	case reverb:
		return fmt.Sprintf("%s --host=127.0.0.1 --port=%d", daemons[kind].command, s.Port)
	}
	return daemons[kind].command
}

// Hosts reads files of sites on their servers.
type Hosts interface {
	Read(ctx context.Context, t host.Target, q wire.ReadQuery) (wire.ReadFile, error)
}

// Detector finds what sites have installed.
type Detector struct {
	DB      *db.DB
	Hosts   Hosts
	Targets job.Targets
}

// installed reports whether the live release of a site has the package of a kind. If that can't be determined it returns a
// conflict: unknown is not "no".
func (d *Detector) installed(ctx context.Context, p site.Path, kind string) (bool, error) {
	if !p.Server.IsReady || !sitetype.HasPHP(p.Site.Type) {
		return false, nil // nothing can have been deployed
	}
	target, err := d.Targets.Target(p.Server)
	if err != nil {
		return false, err
	}
	place, err := site.PlaceNow(ctx, d.DB.Read(), p.Server, p.Site.ID)
	if err != nil {
		return false, err
	}
	base, err := place.Base()
	if err != nil {
		return false, err
	}
	home, err := place.Home()
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	need := packages[kind]
	found, err := d.Hosts.Read(ctx, target, wire.ReadQuery{
		Path: home.String() + "/composer.lock", Below: base.String(), Owner: p.Site.UnixUser, Limit: wire.MaxLock,
		Packages: []string{need.name},
	})
	switch reason := host.Reason(err); {
	case reason != "":
		return false, api.Conflict("What is installed can't be determined: %s.", strings.TrimSuffix(reason, "."))
	case errors.Is(err, context.DeadlineExceeded):
		return false, api.Conflict("What is installed can't be determined: the server did not answer within %s.", askWithin)
	case err != nil:
		return false, err
	}
	version, ok := found.Versions[need.name]
	return ok && atLeast(version, need.least), nil
}

// atLeast compares versions as Composer writes them: v11.2.0, 1.0.0-beta2. One that is no version, a branch, is new enough, and so is a prerelease of
// the least version.
func atLeast(version, least string) bool {
	release, _, _ := strings.Cut("v"+strings.TrimPrefix(version, "v"), "-")
	return !semver.IsValid(release) || semver.Compare(release, "v"+least) >= 0
}

// read returns the settings of an integration; empty for one that does not exist.
func read(row query.Integration) Settings {
	var s Settings
	if row.Status != statusFailed {
		_ = json.Unmarshal([]byte(row.Settings), &s)
	}
	return s
}

// setLine adds a line that runs in a directory to a deploy script, or removes it; changed reports whether that made a difference. A script that does the same
// in another way belongs to the user. Where nothing in the script goes anywhere, the line goes to the directory itself: a deploy script of the user need not
// begin in that of the application.
func setLine(script, line, directory string, on bool) (text string, changed bool) {
	there := "(cd " + directory + " && " + line + ")"
	has := false
	var kept []string
	for l := range strings.SplitSeq(strings.TrimRight(script, "\n"), "\n") {
		if within, ok := strings.CutPrefix(strings.TrimSpace(l), "(cd "); ok && strings.HasSuffix(within, " && "+line+")") || strings.TrimSpace(l) == line {
			has = true
			if !on {
				continue
			}
		}
		kept = append(kept, l)
	}
	switch {
	case on == has:
		return script, false
	case on && goes.MatchString(script):
		kept = append(kept, line)
	case on:
		kept = append(kept, there)
	}
	return strings.Join(kept, "\n") + "\n", true
}

// goes matches a script that changes its directory.
var goes = regexp.MustCompile(`(?m)(?:^|[;&|(])[ \t]*(?:cd|pushd)[ \t]`)
