package project_test

import (
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/project"
)

// A script that brings .env to an application below the top itself is not given a link in its way.
func TestScriptsThatLinkTheirEnvironment(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]bool{
		"cp $FORGE_SITE_ROOT/.env backend/.env\n":                           true,
		"cd backend && ln -s ../../../.env\n":                               true,
		"make\nln -s \"$FORGE_SITE_ROOT/.env\" backend/.env && make more\n": true,
		"cp -n .env.example .env\n":                                         false,
		"[ -f .env ] || cp .env.example .env\n":                             false,
		"cat .env\n":                                                        false,
		"cp .env; true\n":                                                   false,
		"":                                                                  false,
	} {
		if got := project.LinksEnvironment(script); got != want {
			t.Errorf("%q: %v", script, got)
		}
	}
}

// Each package manager is called by its name, in the version that the project names; only yarn finds what yarn has installed.
func TestDefaultScriptCallsThePackageManager(t *testing.T) {
	t.Parallel()
	for manager, want := range map[string]string{
		"npm":  "\nnpm ci --no-audit --no-fund\nnpm run build --if-present\n",
		"pnpm": "\npnpm install --frozen-lockfile\nnpm run build --if-present\n",
		"yarn": "\nyarn install --frozen-lockfile\nif grep -q '\"build\":' package.json; then yarn run build; fi\n",
	} {
		if got := project.DefaultScript(sitetype.Laravel, "", true, false, manager, ""); !strings.Contains(got, want) {
			t.Errorf("%s:\n%s\nwant%s", manager, got, want)
		}
	}
	if got := project.DefaultScript(sitetype.Laravel, "", true, false, "yarn", "make"); !strings.Contains(got, "\nyarn install --frozen-lockfile\nmake\n") {
		t.Errorf("with a build command:\n%s", got)
	}
}
