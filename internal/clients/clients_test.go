package clients

import (
	"bytes"
	"errors"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/hostlerhq/hostler/internal/description"
)

var update = flag.Bool("update", false, "write the generated clients")

func form(t *testing.T) description.Form {
	t.Helper()
	raw, err := os.ReadFile("../edge/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	f, err := description.ReadForm(raw)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The committed clients are what is made from the description.
func TestClientsAreMadeFromTheDescription(t *testing.T) {
	t.Parallel()
	f := form(t)
	golang, err := Go(f)
	if err != nil {
		t.Fatal(err)
	}
	var parts [][]byte
	for _, file := range []string{"../../ci/gitlab/head.yml", "../../ci/deploy.sh"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, raw)
	}
	provider, err := Terraform(f)
	if err != nil {
		t.Fatal(err)
	}
	nouns, err := TerraformNouns(provider)
	if err != nil {
		t.Fatal(err)
	}
	pages := TerraformPages(provider)
	if *update { // what there is no page for any more
		for _, of := range []string{"resources", "data-sources", "ephemeral-resources"} {
			if err := errors.Join(os.RemoveAll("../../terraform/docs/"+of), os.MkdirAll("../../terraform/docs/"+of, 0o755)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for dir, files := range map[string]map[string][]byte{
		"../../client/hostler":         golang,
		"../../clients/typescript/src": {"api.ts": TypeScript(f)},
		"../../ci/gitlab/templates":    {"deploy.yml": GitLab(parts[0], parts[1])},

		"../../terraform/internal/provider": {"nouns.go": nouns},
		"../../terraform/docs":              pages,
	} {
		for _, name := range slices.Sorted(maps.Keys(files)) {
			file := filepath.Join(dir, name)
			if *update {
				if err := os.WriteFile(file, files[name], 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, files[name]) {
				t.Errorf("%s is not made from the description (%v): go test ./internal/clients -run Description -update", file, err)
			}
		}
	}
	there, err := filepath.Glob("../../terraform/docs/*/*.md")
	if err != nil || len(there) != len(pages) {
		t.Errorf("%d pages of the provider are there, and %d are made (%v)", len(there), len(pages), err)
	}
}

// Each noun with a life has a resource, or a reason why not.
func TestEachNounHasAResource(t *testing.T) {
	t.Parallel()
	provider, err := Terraform(form(t))
	if err != nil {
		t.Fatal(err)
	}
	if reasons := slices.Sorted(maps.Keys(noResource)); !slices.Equal(reasons, provider.Without) {
		t.Errorf("without a resource are %q, and there are reasons for %q", provider.Without, reasons)
	}
	names := map[string]bool{}
	for _, r := range provider.Resources {
		if names[r.Name] {
			t.Errorf("there are two resources %s", r.Name)
		}
		names[r.Name] = true
		for _, a := range r.Attributes {
			if a.Secret && a.Answer != "" {
				t.Errorf("%s of %s is a secret that a state would keep", a.Name, r.Name)
			}
		}
	}
	of := map[string]map[string]string{}
	for noun, all := range answers {
		of[noun] = all
	}
	for _, r := range provider.Resources {
		delete(of, r.Noun)
	}
	if len(of) > 0 {
		t.Errorf("what answers is said of nouns without a resource: %v", of)
	}
}
