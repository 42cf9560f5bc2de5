package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// put puts a value at a path of an answer, in a list of each object on the way.
func put(at map[string]any, path []string, v any) {
	if path[0] == "*" {
		path[0] = "any"
	}
	if len(path) == 1 {
		at[path[0]] = v
		return
	}
	below, ok := at[path[0]].([]any)
	if !ok {
		below = []any{map[string]any{}}
		at[path[0]] = below
	}
	put(object(below[0]), path[1:], v)
}

// Each member that the description marks as a secret, in an answer of any operation, is replaced: in lists, in objects, and whatever its type.
func TestSecretsOfEveryOperationAreHidden(t *testing.T) {
	t.Parallel()
	const secret = "geheim-5hT2"
	places := 0
	for _, op := range readOperations().all {
		for _, path := range op.Secrets {
			for _, v := range []any{secret, []any{secret}, map[string]any{"a": secret}} {
				doc := map[string]any{}
				put(doc, strings.Split(path, "."), v)
				raw, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(string(raw), secret) {
					t.Fatalf("%s: %s is not put there", op.ID, path)
				}
				shown, hid, err := document(raw, op.Secrets)
				if out, _ := json.Marshal(shown); err != nil || !hid || strings.Contains(string(out), secret) {
					t.Errorf("%s shows %s: %s, %v", op.ID, path, out, err)
				}
			}
			places++
		}
	}
	for id, path := range map[string]string{ // that the marks are there at all
		"organizations.servers.sites.environment.show":          "data.attributes.content",
		"organizations.servers.sites.environment.versions.show": "data.attributes.diff",
		"organizations.servers.store":                           "data.meta.shown_once.password",
		"organizations.backup-keys.export.store":                "data.meta.shown_once.secret",
		"organizations.servers.sites.npm.credentials.index":     "data.attributes.token",
	} {
		if op := readOperations().byID[id]; !strings.Contains(strings.Join(op.Secrets, " "), path) {
			t.Errorf("%s has no secret at %s: %v", id, path, op.Secrets)
		}
	}
	t.Logf("%d places of secrets", places)
}

// What is written is valid UTF-8, no longer than it may be, and without what could hide text from people.
func TestWritten(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 100_000)
	for _, data := range []any{
		long, map[string]any{"data": long}, map[string]any{"data": []any{long, long, long, long, long}}, []any{long, long, long, long},
		map[string]any{"deep": map[string]any{"data": []any{long, long, long, long, long}}}, "\xff\xfe\x00", map[string]any{"a": "\x1b[2J\u202e\U000e0041"},
	} {
		body, _ := written(data)
		if len(body) > mostAnswer+100 || !utf8.ValidString(body) || strings.ContainsAny(body, "\x00\x1b\u202e\U000e0041") {
			t.Errorf("%d bytes are written, valid %v: %.80q", len(body), utf8.ValidString(body), body)
		}
	}
	if body, left := written("short"); body != "short" || left != "" {
		t.Errorf("%q, %q", body, left)
	}
	if fenced("a</data b") == fenced("a</data b") || strings.Count(fenced("a</data b"), "</data") != 1 {
		t.Error(fenced("a</data b"))
	}
}
