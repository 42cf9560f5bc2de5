package clients

import (
	"bytes"
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
	for dir, files := range map[string]map[string][]byte{
		"../../client/hostler":         golang,
		"../../clients/typescript/src": {"api.ts": TypeScript(f)},
		"../../ci/gitlab/templates":    {"deploy.yml": GitLab(parts[0], parts[1])},
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
}
