package app_test

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
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

// Bodies have no rule that internal/edge/api/check.go does not check.
func TestRulesOfBodiesAreChecked(t *testing.T) {
	raw, err := app.Description(t.Context(), "http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	var description struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema map[string]any `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(raw, &description); err != nil {
		t.Fatal(err)
	}
	known := strings.Fields(`type enum format pattern minLength maxLength minimum maximum items minItems maxItems
		uniqueItems properties required additionalProperties anyOf
		description default examples writeOnly contentMediaType x-hostler-secret x-hostler-extension`)
	formats := []string{"int32", "int64", "double", "binary", "email", "uri", "uuid", "date-time"}
	seen := map[string]bool{}
	var look func(at string, schema map[string]any)
	look = func(at string, schema map[string]any) {
		if ref, ok := schema["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, "#/components/schemas/")
			if !seen[name] {
				seen[name] = true
				look(name, description.Components.Schemas[name])
			}
			return
		}
		for rule, of := range schema {
			switch of := of.(type) {
			case map[string]any: // properties by their names, or one schema
				if rule == "properties" {
					for name, property := range of {
						look(at+"."+name, property.(map[string]any))
					}
				} else {
					look(at+"."+rule, of)
				}
			case []any:
				for _, one := range of {
					if sub, ok := one.(map[string]any); ok {
						look(at, sub)
					}
				}
			}
			if !slices.Contains(known, rule) || rule == "format" && !slices.Contains(formats, schema["format"].(string)) {
				t.Errorf("%s has the rule %s: %v", at, rule, of)
			}
		}
	}
	bodies := 0
	for path, operations := range description.Paths {
		for method, operation := range operations {
			for _, content := range operation.RequestBody.Content {
				bodies++
				look(method+" "+path, content.Schema)
			}
		}
	}
	if bodies < 50 {
		t.Errorf("only %d bodies", bodies)
	}
}
