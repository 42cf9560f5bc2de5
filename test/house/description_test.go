package house

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// described is what the description says about an operation.
type described struct {
	ID          string `json:"operationId"`
	Description string `json:"description"`
	Parameters  []struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			} `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

type description struct {
	Paths      map[string]map[string]described `json:"paths"`
	Components struct {
		Schemas map[string]struct {
			Properties map[string]any `json:"properties"`
		} `json:"schemas"`
	} `json:"components"`
}

func readDescription(t *testing.T) description {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "internal", "edge", "api", "openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d description
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// fields are the names that a request of an operation can have.
func (d description) fields(op described) []string {
	var out []string
	for _, p := range op.Parameters {
		out = append(out, p.Name)
	}
	for _, content := range op.RequestBody.Content {
		for name := range d.Components.Schemas[strings.TrimPrefix(content.Schema.Ref, "#/components/schemas/")].Properties {
			out = append(out, name)
		}
	}
	return out
}

const conditionStart = "Also requires "

var (
	isCondition = regexp.MustCompile(`^Also requires (?:the permissions that starting the work required|[a-z-]+:[a-z-]+(?: and [a-z-]+:[a-z-]+)*)` +
		`(?: if (\w+(?:, \w+)*(?: or \w+)?) is given)?(?: in the other organization)?(?:, on both servers if (\w+) is given)?\.$`)
	betweenNames = regexp.MustCompile(`, | or `)
)

// A permission that depends on the request is described by api.Further alone, in a sentence whose fields the request has.
func TestPermissionConditionsOfTheDescriptionReadAsSentences(t *testing.T) {
	t.Parallel()
	d, found := readDescription(t), 0
	for _, operations := range d.Paths {
		for _, op := range operations {
			for _, rest := range strings.Split(op.Description, conditionStart)[1:] {
				text := conditionStart + strings.TrimSuffix(rest, " ")
				found++
				m := isCondition.FindStringSubmatch(text)
				if m == nil {
					t.Errorf("%s: %q is no sentence of the form “Also requires X if Y is given.”", op.ID, text)
					continue
				}
				for _, name := range append(betweenNames.Split(m[1], -1), m[2]) {
					if name != "" && !slices.Contains(d.fields(op), name) {
						t.Errorf("%s: %q names %s, which the request does not have", op.ID, text, name)
					}
				}
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d conditions were found", found)
	}
	eachSource(t, "internal", func(path string, fset *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := literal(n); ok && strings.Contains(text, conditionStart) && filepath.ToSlash(path) != "edge/api/further.go" {
				t.Errorf("%s writes a condition by hand: use api.Further", fset.Position(n.Pos()))
			}
			return true
		})
	})
}

// Every operation is found by searching the source for its id: no id is put together when the program runs.
func TestOperationIDsAreWrittenInTheSource(t *testing.T) {
	t.Parallel()
	written := map[string]bool{}
	eachSource(t, "internal", func(_ string, _ *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := literal(n); ok {
				written[text] = true
			}
			return true
		})
	})
	count := 0
	for _, operations := range readDescription(t).Paths {
		for _, op := range operations {
			count++
			if !written[op.ID] {
				t.Errorf("%s is no literal of the source", op.ID)
			}
		}
	}
	if count < 380 {
		t.Errorf("only %d operations were found", count)
	}
}

// undescribed are the types with fields that the description does not explain yet. There are to be none.
var undescribed = map[string]bool{}

// Whoever reads the description learns what each field and each parameter is, not only its name.
func TestFieldsAndParametersAreDescribed(t *testing.T) {
	t.Parallel()
	d, fields := readDescription(t), 0
	for name, schema := range d.Components.Schemas {
		var without []string
		eachField("", schema.Properties, func(at string, field map[string]any) {
			fields++
			if text, _ := field["description"].(string); text == "" {
				without = append(without, at)
			}
		})
		slices.Sort(without)
		switch {
		case len(without) > 0 && !undescribed[name]:
			t.Errorf("%s has fields without a description: %s", name, strings.Join(without, " "))
		case len(without) == 0 && undescribed[name]:
			t.Errorf("%s is described: remove it from the list", name)
		}
	}
	parameters := 0
	for path, operations := range d.Paths {
		for _, op := range operations {
			for _, p := range op.Parameters {
				parameters++
				if p.Description == "" {
					t.Errorf("%s: the parameter %s of %s has no description", op.ID, p.Name, path)
				}
			}
		}
	}
	if fields < 1700 || parameters < 1400 {
		t.Errorf("only %d fields and %d parameters were found", fields, parameters)
	}
}

// eachField visits the fields of a schema, and those of the objects and lists in them.
func eachField(at string, properties map[string]any, visit func(at string, field map[string]any)) {
	for name, p := range properties {
		field, _ := p.(map[string]any)
		visit(at+name, field)
		for _, schema := range append([]any{field, field["items"]}, list(field["anyOf"])...) {
			if inner, ok := schema.(map[string]any); ok {
				within, _ := inner["properties"].(map[string]any)
				eachField(at+name+".", within, visit)
			}
		}
	}
}

func list(v any) []any {
	out, _ := v.([]any)
	return out
}
