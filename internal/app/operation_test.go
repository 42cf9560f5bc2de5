package app

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/noun/command"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
	"github.com/hostlerhq/hostler/internal/noun/recipe"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// TestScriptsAreNotPutBack checks that the aspects that run people's scripts are not reversible, by their registered names.
func TestScriptsAreNotPutBack(t *testing.T) {
	for _, aspect := range []string{job.Beside(command.Aspect, 7), job.Beside(deployment.Aspect, 7), job.Beside(recipe.Aspect, 7), recipe.Aspect, server.AspectReboot} {
		if !job.Lasting(aspect) {
			t.Errorf("work of %s is said to be put back", aspect)
		}
	}
	for _, aspect := range []string{firewall.Aspect, site.Aspect, server.AspectProvision} {
		if job.Lasting(aspect) {
			t.Errorf("work of %s is said to stay", aspect)
		}
	}
}
