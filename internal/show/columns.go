package show

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/client"
)

// Columns are the columns of paths: attributes, members of the meta (meta.os.name), and relationships (relationships.server). The id comes first, and the
// newest work last.
func Columns(paths []string) []Column {
	out := []Column{ID}
	for _, path := range paths {
		name := path[strings.LastIndexByte(path, '.')+1:]
		out = append(out, Column{strings.ToUpper(strings.ReplaceAll(name, "_", " ")), func(r client.Resource) string {
			if size := Size(r); path == "size" && size != "" {
				return size
			}
			return Value(memberOf(r, path))
		}})
	}
	return append(out, Work)
}

// memberOf returns what a column shows: an attribute, a member of the meta (meta.os.name), or the id of a relationship (relationships.server).
func memberOf(r client.Resource, path string) any {
	if name, is := strings.CutPrefix(path, "relationships."); is {
		return r.Related(name)
	}
	return r.Member(path)
}

// whole returns a resource as the API sent it.
func whole(r client.Resource) map[string]any {
	raw, err := r.MarshalJSON()
	if err != nil {
		return nil
	}
	v, _ := Decode(raw) // it was decoded before
	object, _ := v.(map[string]any)
	return object
}

// everyAttribute are the columns of all attributes that a resource has.
func everyAttribute(r client.Resource) []Column {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(r.Attributes, &all) // a resource without attributes shows its id
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	out := []Column{{"id", ID.Of}}
	for _, name := range names {
		out = append(out, Column{strings.ReplaceAll(name, "_", " "), func(r client.Resource) string { return Value(r.Value(name)) }})
	}
	return append(out, Column{"operation", Work.Of})
}

// Value returns a value of an answer on one line: objects as JSON.
func Value(v any) string {
	switch list := v.(type) {
	case nil:
		return ""
	case []any:
		texts := make([]string, len(list))
		for i, one := range list {
			texts[i] = Value(one)
		}
		return strings.Join(texts, ", ")
	case map[string]any:
		raw, _ := json.Marshal(v) // of decoded JSON
		return string(raw)
	}
	return fmt.Sprint(v)
}

// metaNever are the members of a meta that are shown otherwise: as the work, or once, or that are about the caller.
var metaNever = []string{"operation", "shown_once", "bootstrap", "permissions", "included", "plan"}

// Everything are columns for the attributes of a resource, what it belongs to, and what its meta says, each object taken apart.
func Everything(r client.Resource) []Column {
	all := whole(r)
	out := []Column{{"id", ID.Of}}
	attributes, _ := all["attributes"].(map[string]any)
	out = append(out, taken("", attributes)...)
	for _, name := range slices.Sorted(maps.Keys(r.Relationships)) {
		out = append(out, Column{strings.ReplaceAll(name, "_", " "), func(r client.Resource) string { return r.Related(name) }})
	}
	meta, _ := all["meta"].(map[string]any)
	maps.DeleteFunc(meta, func(name string, _ any) bool { return slices.Contains(metaNever, name) })
	return append(append(out, taken("", meta)...), Column{"operation", Work.Of})
}

// taken takes an object apart into a column for each member; of a list of objects each has its own.
func taken(prefix string, object map[string]any) []Column {
	var out []Column
	add := func(name string, v any) {
		text := Value(v)
		out = append(out, Column{name, func(client.Resource) string { return text }})
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		words := strings.TrimSpace(prefix + " " + strings.ReplaceAll(name, "_", " "))
		switch v := object[name].(type) {
		case map[string]any:
			out = append(out, taken(words, v)...)
		case []any:
			inner := Objects(v)
			if len(inner) == 0 {
				add(words, v)
			}
			for _, one := range inner {
				var parts []string
				for _, c := range taken("", one) {
					parts = append(parts, c.Name+"="+c.Of(client.Resource{}))
				}
				add(words, strings.Join(parts, "  "))
			}
		default:
			add(words, v)
		}
	}
	return out
}

// Size returns the attribute size of a resource in a readable unit, "" without one.
func Size(r client.Resource) string {
	n, err := strconv.ParseInt(r.Attribute("size"), 10, 64)
	if err != nil || n == 0 {
		return ""
	}
	size, unit := float64(n), "B"
	for _, larger := range []string{"kB", "MB", "GB", "TB"} {
		if size < 1000 {
			break
		}
		size, unit = size/1000, larger
	}
	if unit == "B" {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}

// Objects are those of a value that is a list of them.
func Objects(v any) []map[string]any {
	var out []map[string]any
	list, _ := v.([]any)
	for _, one := range list {
		if object, ok := one.(map[string]any); ok {
			out = append(out, object)
		}
	}
	return out
}
