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

// TestPlanNamesFilesThatDiffer has a file that is new, one that is deleted, and some that are not there before or after, with the action
// of their directory.
func TestPlanNamesFilesThatDiffer(t *testing.T) {
	t.Parallel()
	file := func(path, content string) wire.Step {
		return wire.Step{File: &wire.File{Path: path, Content: []byte(content)}}
	}
	none := func(path string) wire.Step { return wire.Step{File: &wire.File{Path: path, Absent: true}} }
	load := wire.Step{Action: &wire.Action{Argv: []string{"nft", "-f"}, Below: "/etc/ports"}}
	stays := []wire.Step{none("/etc/nginx/reverb"), none("/etc/ports/1"), load}
	before := append([]wire.Step{none("/etc/nginx/redirects"), file("/etc/nginx/protection", "deny")}, stays...)
	after := append([]wire.Step{file("/etc/nginx/redirects", "rewrite"), none("/etc/nginx/protection")}, stays...)
	var p api.ServerDryRun
	compare(&p, before, after)
	var got []string
	for _, f := range p.Files {
		got = append(got, f.Path)
	}
	if diff := cmp.Diff([]string{"/etc/nginx/redirects", "/etc/nginx/protection"}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if len(p.Actions) > 0 {
		t.Errorf("actions for files that stay: %v", p.Actions)
	}
	// Without the plan of before, what is deleted is named: it may be there.
	p = api.ServerDryRun{}
	if compare(&p, nil, []wire.Step{none("/etc/cron.d/job")}); len(p.Files) != 1 {
		t.Errorf("the files without a plan of before are %v", p.Files)
	}
}
