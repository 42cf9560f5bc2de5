package project_test

import (
	"testing"

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
