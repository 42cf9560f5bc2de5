package project

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
)

// The macros of deploy scripts, as people write them; each is on its own line.
const (
	MacroCreate   = "$CREATE_RELEASE()"
	MacroActivate = "$ACTIVATE_RELEASE()"
	MacroQueues   = "$RESTART_QUEUES()"
)

// install and build are the commands of each package manager. Those that a server does not have are fetched by npm, for the site's user, in the version that
// the project names (package manager of internal/engine/agent). A program that yarn has installed may be found by yarn only (yarnpkg.com, "Plug'n'Play").
var (
	install = map[string]string{
		"npm":  "npm ci --no-audit --no-fund",
		"pnpm": "pnpm install --frozen-lockfile",
		"yarn": "yarn install --frozen-lockfile",
		"bun":  "bun install --frozen-lockfile",
	}
	builds = map[string]string{"yarn": `if grep -q '"build":' package.json; then yarn run build; fi`}
)

// DefaultScript returns the deploy script that a new site begins with. Every line that fails ends it. root is where in the repository the application
// is, "" for the top.
func DefaultScript(kind, root string, zeroDowntime, composer bool, manager, build string) string {
	if root == "/" {
		root = ""
	}
	var b strings.Builder
	line := func(lines ...string) {
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	if zeroDowntime {
		line(MacroCreate, "", "cd $FORGE_RELEASE_DIRECTORY"+root)
	} else {
		line("cd $FORGE_SITE_ROOT", "git pull origin $FORGE_SITE_BRANCH")
		if root != "" {
			line("cd $FORGE_SITE_ROOT" + root)
		}
	}
	if composer {
		line("", "$FORGE_COMPOSER install --no-dev --no-interaction --prefer-dist --optimize-autoloader")
	}
	if manager != "" {
		if build == "" {
			build = cmp.Or(builds[manager], "npm run build --if-present")
		}
		line("", install[manager], build)
	} else if build != "" {
		line("", build)
	}
	switch kind {
	case sitetype.Laravel:
		line("", "$FORGE_PHP artisan storage:link --force", "$FORGE_PHP artisan optimize", "$FORGE_PHP artisan migrate --force")
	case sitetype.Statamic:
		line("", "$FORGE_PHP artisan optimize", "$FORGE_PHP please stache:warm")
	case sitetype.Symfony:
		line("", "$FORGE_PHP bin/console cache:clear --env=prod")
	}
	if zeroDowntime {
		line("", MacroActivate)
	}
	if kind == sitetype.Laravel || kind == sitetype.Statamic {
		line("", MacroQueues)
	}
	return b.String()
}

// Moved has the deploy script of a site follow its root directory, if it is still the one that the site began with.
func (p *Store) Moved(ctx context.Context, tx *db.Tx, row query.Project, kind, from, to string) (query.Project, error) {
	began := func(root string) string {
		return DefaultScript(kind, root, row.ZeroDowntime, row.Composer, row.PackageManager, row.BuildCommand)
	}
	if from == to || row.Script == "" || row.Script != began(from) {
		return row, nil
	}
	row.Script = began(to)
	if err := tx.SetProjectScript(ctx, row.SiteID, row.Script, row.AutoSource, tx.Micros()); err != nil {
		return row, fmt.Errorf("have the deploy script of site %d follow its root directory: %w", row.SiteID, err)
	}
	return row, nil
}

// GoesOn reports whether a deploy script has commands after the activation of its release, which may be those that build it.
func GoesOn(script string) bool {
	_, rest, _ := strings.Cut(script, MacroActivate)
	for line := range strings.Lines(rest) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && line != MacroQueues {
			return true
		}
	}
	return false
}

// LinksEnvironment reports whether a deploy script itself brings the site's .env to the application: with cp, ln or mv from a file of that name.
func LinksEnvironment(script string) bool {
	for line := range strings.Lines(script) {
		words := strings.Fields(line)
		for i, w := range words {
			if w != "cp" && w != "ln" && w != "mv" {
				continue
			}
			var operands []string
			for _, w := range words[i+1:] {
				if strings.ContainsAny(w, ";&|") {
					break
				}
				if w = strings.Trim(w, `"'`); !strings.HasPrefix(w, "-") {
					operands = append(operands, w)
				}
			}
			if n := len(operands); n > 0 && path.Base(operands[0]) == envName && (n > 1 || w == "ln") {
				return true
			}
		}
	}
	return false
}
