package site

import "strings"

// The macros of deploy scripts, as people write them; they stand alone on a line.
const (
	MacroCreate   = "$CREATE_RELEASE()"
	MacroActivate = "$ACTIVATE_RELEASE()"
	MacroQueues   = "$RESTART_QUEUES()"
)

// DefaultScript is the deploy script that a new site begins with. Every line that fails ends it.
func DefaultScript(kind string, zeroDowntime, composer bool, manager, build string) string {
	var b strings.Builder
	line := func(lines ...string) {
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
	}
	if zeroDowntime {
		line(MacroCreate, "", "cd $FORGE_RELEASE_DIRECTORY")
	} else {
		line("cd $FORGE_SITE_ROOT", "git pull origin $FORGE_SITE_BRANCH")
	}
	if composer {
		line("", "$FORGE_COMPOSER install --no-dev --no-interaction --prefer-dist --optimize-autoloader")
	}
	if manager != "" {
		install := map[string]string{"npm": "npm ci", "pnpm": "pnpm install --frozen-lockfile", "yarn": "yarn install --frozen-lockfile", "bun": "bun install --frozen-lockfile"}[manager]
		if build == "" {
			build = manager + " run build"
		}
		line("", install, build)
	}
	switch kind {
	case TypeLaravel:
		line("", "$FORGE_PHP artisan storage:link --force", "$FORGE_PHP artisan optimize", "$FORGE_PHP artisan migrate --force")
	case TypeStatamic:
		line("", "$FORGE_PHP artisan optimize", "$FORGE_PHP please stache:warm")
	case TypeSymfony:
		line("", "$FORGE_PHP bin/console cache:clear --env=prod")
	}
	if zeroDowntime {
		line("", MacroActivate)
	}
	if kind == TypeLaravel || kind == TypeStatamic {
		line("", MacroQueues)
	}
	return b.String()
}
