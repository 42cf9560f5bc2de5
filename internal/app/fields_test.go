package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Words for a field or a parameter that no longer exists are removed with it.
func TestDescriptionUsesTheWordsOfAllFields(t *testing.T) {
	t.Parallel()
	raw, err := Description(t.Context(), "http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	var d any
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	said, listed := map[string]bool{}, map[string]bool{}
	var look func(name string, v any)
	look = func(name string, v any) {
		switch v := v.(type) {
		case map[string]any:
			text, _ := v["description"].(string)
			said[name+": "+text] = true
			if items, ok := v["items"].(map[string]any); ok {
				listed[fmt.Sprint(name, items["enum"])] = true
			}
			listed[fmt.Sprint(name, v["enum"])] = true
			if in, ok := v["name"].(string); ok {
				said["{"+in+"}: "+text] = true
			}
			for name, inner := range v {
				look(name, inner)
			}
		case []any:
			for _, inner := range v {
				look("", inner)
			}
		}
	}
	look("", d)
	nouns := rows(t)
	for _, n := range append(nouns, noun{name: "all", fields: common()}) {
		for key, text := range together(n.fields, n.parameters) {
			name := key[strings.LastIndexAny(key, "./")+1:]
			if !said[name+": "+text] {
				t.Errorf("no field is described by %s of %q: %s", key, n.name, text)
			}
		}
		for key, values := range n.values {
			name := key[strings.LastIndexByte(key, '.')+1:]
			if !listed[fmt.Sprint(name, values)] && !listed[fmt.Sprint(name, append(slices.Clone(values), "<nil>"))] {
				t.Errorf("no field has the values %s of %q: %q", key, n.name, values)
			}
		}
	}
	if n := len(nouns); n < 30 {
		t.Errorf("only %d nouns have words", n)
	}
}

func together(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}
