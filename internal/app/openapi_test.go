package app_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/test/contract"
)

var update = flag.Bool("update", false, "rewrite golden files")

const goldenDescription = "../edge/api/openapi.json"

func TestDescriptionIsTheGoldenFile(t *testing.T) {
	got, err := app.Description(t.Context(), "http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	got = append(indent(t, got), '\n')
	if *update {
		if err := os.WriteFile(goldenDescription, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(goldenDescription)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("the description is not %s; look at the difference and run: go test ./internal/app -run Description -update", goldenDescription)
	}
}

// The description has the contract's operations of this release, and marks all others as extensions.
func TestDescriptionAgreesWithTheContract(t *testing.T) {
	raw, err := app.Description(t.Context(), "http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	implemented := contractOperations(t, raw)
	if len(implemented) < 29 {
		t.Errorf("the description has %d operations of the contract, want the 29 of the first release", len(implemented))
	}
	for _, deviation := range contract.CompareDescription(raw, implemented) {
		t.Error(deviation)
	}
	if t.Failed() {
		t.Log("implemented: " + strings.Join(implemented, " "))
	}
}
