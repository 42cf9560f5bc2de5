package app_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// released is the description of the last release, or of the day when it was first kept. Whoever releases writes it, as docs/releases.md says.
const released = "testdata/released.json.gz"

// What clients of the last release rely on changes only with a line in the changelog, below "Breaking" of what is not released: it names the operation.
func TestBreakingChangesAreInTheChangelog(t *testing.T) {
	t.Parallel()
	now, err := os.ReadFile("../edge/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("HOSTLER_RELEASED") != "" {
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		_, _ = w.Write(now)
		_ = w.Close()
		if err := os.WriteFile(released, packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(released)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	packed, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	before, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	changelog, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	said := breakingSection(string(changelog))
	for _, change := range breaking(t, before, now) {
		if !strings.Contains(said, "`"+change.operation+"`") {
			t.Errorf("%s: %s: CHANGELOG.md says nothing of `%s` below \"### Breaking\" of what is not released", change.operation, change.what, change.operation)
		}
	}
}

// breakingSection is what the changelog says of the next release's breaking changes.
func breakingSection(changelog string) string {
	_, unreleased, _ := strings.Cut(changelog, "\n## Unreleased\n")
	unreleased, _, _ = strings.Cut(unreleased, "\n## ")
	_, section, _ := strings.Cut(unreleased, "\n### Breaking\n")
	section, _, _ = strings.Cut(section, "\n### ")
	return section
}

// change is one that a client can notice.
type change struct{ operation, what string }

// surface is what clients rely on of an operation: each a text, with the texts that may follow it.
type surface struct {
	address string
	// takes are the fields of requests and parameters with their types, needs those that must be there, and gives the fields of answers with their types.
	takes, gives map[string][]string
	needs        map[string]bool
}

// breaking compares two descriptions.
func breaking(t *testing.T, before, now []byte) []change {
	t.Helper()
	olds, news := surfaces(t, before), surfaces(t, now)
	var out []change
	for _, id := range slices.Sorted(maps.Keys(olds)) {
		was := olds[id]
		is, ok := news[id]
		switch {
		case !ok:
			out = append(out, change{id, "it is gone"})
			continue
		case is.address != was.address:
			out = append(out, change{id, "it is at " + is.address + ", and was at " + was.address})
		}
		for _, name := range slices.Sorted(maps.Keys(was.takes)) {
			if lost := without(was.takes[name], is.takes[name]); len(lost) > 0 {
				out = append(out, change{id, fmt.Sprintf("%s does not take %s any longer", name, strings.Join(lost, ", "))})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(is.needs)) {
			if !was.needs[name] && !inNew(name, was.takes, is.takes) {
				out = append(out, change{id, name + " must be there now"})
			}
		}
		for _, name := range slices.Sorted(maps.Keys(was.gives)) {
			if more := without(is.gives[name], was.gives[name]); len(is.gives[name]) == 0 || len(more) > 0 {
				out = append(out, change{id, fmt.Sprintf("%s of the answer was %v, and is %v", name, was.gives[name], is.gives[name])})
			}
		}
	}
	return out
}

// inNew reports whether a field is in one that is new: no request of before has that one.
func inNew(name string, was, is map[string][]string) bool {
	for i, r := range name {
		if r == '.' && is[name[:i]] != nil && was[name[:i]] == nil {
			return true
		}
	}
	return false
}

// without are the members of a list that another one lacks.
func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

func surfaces(t *testing.T, raw []byte) map[string]surface {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	d := &describedSurface{doc: doc, busy: map[string]bool{}}
	out := map[string]surface{}
	for path, methods := range at(doc, "paths") {
		for method, v := range at(methods) {
			operation := at(v)
			id, _ := operation["operationId"].(string)
			if id == "" {
				continue
			}
			s := surface{address: method + " " + path, takes: map[string][]string{}, gives: map[string][]string{}, needs: map[string]bool{}}
			parameters, _ := operation["parameters"].([]any)
			for _, p := range parameters {
				name := fmt.Sprint("parameter ", at(p)["name"])
				s.takes[name] = d.types(at(p)["schema"], true)
				s.needs[name] = at(p)["required"] == true
			}
			for _, content := range at(operation, "requestBody", "content") {
				d.walk(at(content)["schema"], "field ", true, s.takes, s.needs)
			}
			for code, response := range at(operation, "responses") {
				if !strings.HasPrefix(code, "2") {
					continue
				}
				s.gives["status "+code] = []string{code}
				for media, content := range at(response, "content") {
					d.walk(at(content)["schema"], code+" "+media+" ", false, s.gives, map[string]bool{})
				}
			}
			maps.DeleteFunc(s.needs, func(_ string, needed bool) bool { return !needed })
			out[id] = s
		}
	}
	return out
}

// at is an object within objects, nil if there is none.
func at(v any, path ...string) map[string]any {
	for _, name := range path {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	object, _ := v.(map[string]any)
	return object
}

type describedSurface struct {
	doc  map[string]any
	busy map[string]bool
}

// resolve follows a reference. name is its own, "" for what is inline.
func (d *describedSurface) resolve(v any) (schema map[string]any, name string) {
	schema = at(v)
	if ref, is := schema["$ref"].(string); is {
		name = ref[strings.LastIndexByte(ref, '/')+1:]
		return at(d.doc, "components", "schemas", name), name
	}
	return schema, ""
}

// types are the types of a value, or in a request its known values.
func (d *describedSurface) types(v any, request bool) []string {
	schema, _ := d.resolve(v)
	var out []string
	if values, is := schema["enum"].([]any); is && request {
		for _, one := range values {
			out = append(out, fmt.Sprintf("%#v", one))
		}
		return out
	}
	switch kind := schema["type"].(type) {
	case string:
		out = append(out, kind)
	case []any:
		for _, one := range kind {
			out = append(out, fmt.Sprint(one))
		}
	}
	for _, of := range []string{"anyOf", "oneOf", "allOf"} {
		several, _ := schema[of].([]any)
		for _, one := range several {
			out = append(out, d.types(one, request)...)
		}
	}
	if len(out) == 0 {
		out = []string{"any"}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// walk notes the members of a schema by their paths.
func (d *describedSurface) walk(v any, path string, request bool, into map[string][]string, needs map[string]bool) {
	schema, name := d.resolve(v)
	if name != "" {
		if d.busy[name] {
			return
		}
		d.busy[name] = true
		defer delete(d.busy, name)
	}
	required, _ := schema["required"].([]any)
	for member, of := range at(schema, "properties") {
		into[path+member] = append(into[path+member], d.types(of, request)...)
		if slices.Contains(required, any(member)) {
			needs[path+member] = true
		}
		d.walk(of, path+member+".", request, into, needs)
	}
	if items := schema["items"]; items != nil {
		d.walk(items, path+"[].", request, into, needs)
	}
	for _, several := range []string{"anyOf", "oneOf", "allOf"} {
		all, _ := schema[several].([]any)
		for _, one := range all {
			d.walk(one, path, request, into, map[string]bool{}) // what one alternative needs, another need not
		}
	}
}

// The comparison sees what breaks a client, and nothing else.
func TestBreakingChangesAreSeen(t *testing.T) {
	t.Parallel()
	description := func(request, answer, more string) []byte {
		return []byte(`{"paths": {"/things": {"post": {"operationId": "things.store", "parameters": [{"name": "page", "schema": {"type": "integer"}}],
			"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Request"}}}},
			"responses": {"201": {"content": {"application/json": {"schema": {"type": "object", "properties": ` + answer + `}}}}}}` + more + `}},
			"components": {"schemas": {"Request": ` + request + `}}}`)
	}
	const request, answer = `{"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "kind": {"type": "string", "enum": ["a", "b"]}}}`,
		`{"id": {"type": "string"}, "size": {"type": "integer"}}`
	const list = `{"items": {"required": ["a"], "properties": {"a": {"type": "string"}}}}`
	was := description(request, answer, "")
	for _, tt := range []struct {
		now  []byte
		want string
	}{
		{was, ""},
		{description(request, `{"id": {"type": "string"}, "size": {"type": "integer"}, "new": {"type": "string"}}`, ""), ""},
		{description(strings.Replace(request, `"b"]`, `"b", "c"]`, 1), answer, ""), ""},
		{description(strings.Replace(request, `"a", `, ``, 1), answer, ""), `field kind does not take "a" any longer`},
		{description(strings.Replace(request, `"kind"`, `"sort"`, 1), answer, ""), `field kind does not take "a", "b" any longer`},
		{description(strings.Replace(request, `["name"]`, `["name", "kind"]`, 1), answer, ""), "field kind must be there now"},
		{description(strings.Replace(request, `"name":`, `"list": `+list+`, "name":`, 1), answer, ""), ""},
		{description(request, `{"id": {"type": "string"}}`, ""), "201 application/json size of the answer was [integer], and is []"},
		{description(request, strings.Replace(answer, `"integer"`, `["integer", "null"]`, 1), ""),
			"201 application/json size of the answer was [integer], and is [integer null]"},
		{[]byte(`{"paths": {}}`), "it is gone"},
		{bytes.Replace(was, []byte(`"/things"`), []byte(`"/stuff"`), 1), "it is at post /stuff, and was at post /things"},
	} {
		var got []string
		for _, c := range breaking(t, was, tt.now) {
			got = append(got, c.what)
		}
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if got := breakingSection("# Changelog\n\n## Unreleased\n\n### Added\n\n- a\n\n### Breaking\n\n- `b`\n\n### Fixed\n\n- c\n\n## 1\n\n### " +
		"Breaking\n\n- d\n"); got != "\n- `b`\n" {
		t.Errorf("the section is %q", got)
	}
}
