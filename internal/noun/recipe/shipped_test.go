package recipe

import (
	"io/fs"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// Runs name shipped recipes by their ids, so that an id means one script for good.
func TestShippedRecipesKeepTheirIDs(t *testing.T) {
	t.Parallel()
	known := []string{
		"disk-usage", "free-disk-space", "security-updates", "upgrade-packages", "add-swap", "who-can-log-in",
		"listening-ports", "failed-services", "image-tools", "composer-cache",
	}
	all := ShippedRecipes()
	for i, r := range all {
		if r.ID != int64(i+1) || i >= len(known) || r.File != known[i] {
			t.Errorf("recipe %d is %s", r.ID, r.File)
		}
	}
	files, err := fs.Glob(shippedScripts, "shipped/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.ContainsFunc(all, func(r Shipped) bool { return r.File+".sh" == path.Base(f) }) {
			t.Errorf("%s is no recipe", f)
		}
	}
}

// Each is a script that bash reads, stops at the first failure, and needs nothing that a run does not have.
func TestShippedScriptsAreValid(t *testing.T) {
	t.Parallel()
	for _, r := range ShippedRecipes() {
		t.Run(r.File, func(t *testing.T) {
			t.Parallel()
			text := r.Script()
			if !strings.HasPrefix(text, "#!/bin/bash\n# ") || !strings.Contains(text, "\nset -euo pipefail\n") ||
				!strings.HasSuffix(text, "\n") || len(text) > maxScript {
				t.Errorf("the script does not begin and end as it should:\n%s", text)
			}
			if r.Name == "" || len(r.Name) > 255 || !strings.HasSuffix(r.Info, ".") || r.User != "root" && r.User != "forge" {
				t.Errorf("the recipe is %+v", r)
			}
			if strings.Contains(text, "{{") || strings.Contains(text, "}}") {
				t.Error("it has a variable in braces")
			}
			if strings.Contains(text, "apt-get") && !strings.Contains(text, "DPkg::Lock::Timeout") {
				t.Error("it does not wait for other users of apt")
			}
			cmd := exec.Command("bash", "-n")
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("bash does not read it: %v\n%s", err, out)
			}
		})
	}
}
