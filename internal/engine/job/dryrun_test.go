package job

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// TestPlanNamesWhatIsDone compares the actions of a plan with those that the agent would perform.
func TestPlanNamesWhatIsDone(t *testing.T) {
	t.Parallel()
	steps := []wire.Step{
		{File: &wire.File{Path: "/etc/nginx/site.conf", Content: []byte("new")}},
		{Action: &wire.Action{Argv: []string{"reload", "nginx"}, Below: "/etc/nginx"}},
		{Action: &wire.Action{Argv: []string{"reload", "php"}, Below: "/etc/php/"}},
		{Action: &wire.Action{Argv: []string{"restart", "worker"}, Always: true}},
		{Name: "password of app", Exec: &wire.Exec{Argv: []string{"set", "password"}, Secret: true}},
	}
	for name, test := range map[string]struct {
		before []wire.Step
		want   []string
	}{
		"a file is new":      {nil, []string{"reload nginx", "restart worker", "password of app"}},
		"no file is changed": {steps, []string{"restart worker", "password of app"}},
		"one is changed": {
			[]wire.Step{{File: &wire.File{Path: "/etc/nginx/site.conf", Content: []byte("old")}}},
			[]string{"reload nginx", "restart worker", "password of app"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p api.ServerDryRun
			compare(&p, test.before, steps)
			if diff := cmp.Diff(test.want, p.Actions); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
		})
	}
}
