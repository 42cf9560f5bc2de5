package job

import (
	"slices"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Files that were changed by hand are overwritten apart for each aspect, after the accounts that they name, and as the last aspect has them.
func TestEditedFilesAreOverwrittenApart(t *testing.T) {
	t.Parallel()
	file := func(name, path, text string) wire.Step {
		return wire.Step{Name: name, File: &wire.File{Path: path, Content: []byte(wire.OwnHead + text)}}
	}
	stages := own([]aspectPlan{
		{"provision", []Stage{{Name: "set up", Change: wire.Change{Steps: []wire.Step{file("no rules", "/etc/rules", "none")}}}}},
		{"firewall", []Stage{{Name: "firewall", Change: wire.Change{Steps: []wire.Step{file("rules", "/etc/rules", "22")}}}}},
		{"web", []Stage{{Name: "sites", Change: wire.Change{Steps: []wire.Step{
			{Name: "account shop", User: &wire.User{Name: "shop"}}, file("shop", "/etc/shop", "shop"), file("blog", "/etc/blog", "blog"),
			{Name: "check", Validate: &wire.Exec{Argv: []string{"nginx", "-t"}}},
		}}}}},
	}, []string{"/etc/rules", "/etc/shop"})
	var got []string
	for _, s := range stages {
		got = append(got, s.Name)
		for _, step := range s.Change.Steps {
			got = append(got, step.Name)
		}
	}
	if want := []string{"files changed by hand: firewall", "rules", "files changed by hand: web", "account shop", "shop", "check"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
