package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
)

// detailsOf are the columns of an operation's resource.
func detailsOf(op description.Operation) []column {
	out := []column{columnID}
	for _, path := range op.Columns {
		name := path[strings.LastIndexByte(path, '.')+1:]
		out = append(out, column{strings.ToUpper(strings.ReplaceAll(name, "_", " ")), func(r client.Resource) string {
			if size := sizeOf(r); path == "size" && size != "" {
				return size
			}
			return shownValue(memberOf(r, path))
		}})
	}
	return append(out, columnWork)
}

// memberOf returns what a column shows: an attribute, a member of the meta (meta.os.name), or the id of a relationship (relationships.server).
func memberOf(r client.Resource, path string) any {
	first, rest, nested := strings.Cut(path, ".")
	switch {
	case nested && first == "relationships":
		return r.Related(rest)
	case first != "meta":
		return r.Value(path)
	}
	at := whole(r)["meta"]
	for name := range strings.SplitSeq(rest, ".") {
		object, _ := at.(map[string]any)
		at = object[name]
	}
	return at
}

// whole returns a resource as the API sent it.
func whole(r client.Resource) map[string]any {
	raw, err := r.MarshalJSON()
	if err != nil {
		return nil
	}
	v, _ := decoded(raw) // it was decoded before
	object, _ := v.(map[string]any)
	return object
}

// limitOf returns how many rows of a list are shown if the caller doesn't say: not all of one that grows with time. list is false for what is no list.
func limitOf(op description.Operation) (most int, list bool) {
	for _, f := range op.Query {
		if f.Name == "sort" && f.Default == "-created_at" {
			most = 50
		}
	}
	return most, op.Answer == description.List && !op.Changes()
}

// read prints the answer of a call that changes nothing.
func (s *session) read(ctx context.Context, o operationOptions, path string) error {
	switch o.op.Answer {
	case description.List:
		var rows []client.Resource
		err := s.client.Each(ctx, path, func(r client.Resource) bool {
			rows = append(rows, r)
			return o.limit <= 0 || len(rows) < o.limit
		})
		if err != nil {
			return err
		}
		columns := detailsOf(o.op)
		if !slices.ContainsFunc(rows, func(r client.Resource) bool { return r.Meta.Operation != nil }) {
			columns = columns[:len(columns)-1]
		}
		if slices.Contains(listsOfPeople, o.op.ID) {
			role, err := s.roleColumn(ctx)
			if err != nil {
				return err
			}
			columns = append(columns, role)
		}
		return s.list(rows, columns...)
	case description.One:
		r, err := s.client.One(ctx, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		if text, ok := textOf(r); ok && !s.json {
			_, err = fmt.Fprint(s.out, printable(text))
			return err
		}
		return s.one(r, everyMember(r)...)
	}
	lines, err := s.client.Open(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = lines.Close() }() // it is only read
	scanner := bufio.NewScanner(lines)
	scanner.Buffer(nil, longestMessage)
	for scanner.Scan() {
		_, _ = fmt.Fprintln(s.out, printable(scanner.Text()))
	}
	return scanner.Err()
}

// textOf returns the text that a resource consists of. It is false for a resource with attributes that say more.
func textOf(r client.Resource) (string, bool) {
	for _, name := range []string{"content", "output", "configuration", "environment"} {
		if text, ok := r.Value(name).(string); ok {
			if text != "" {
				text = strings.TrimSuffix(text, "\n") + "\n"
			}
			return text, true
		}
	}
	return "", false
}

// everyAttribute are the columns of all attributes that a resource has.
func everyAttribute(r client.Resource) []column {
	var all map[string]json.RawMessage
	_ = json.Unmarshal(r.Attributes, &all) // a resource without attributes shows its id
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	out := []column{{"id", columnID.of}}
	for _, name := range names {
		out = append(out, column{strings.ReplaceAll(name, "_", " "), func(r client.Resource) string { return shownValue(r.Value(name)) }})
	}
	return append(out, column{"operation", columnWork.of})
}

// shownValue returns a value on one line: objects as JSON.
func shownValue(v any) string {
	switch list := v.(type) {
	case nil:
		return ""
	case []any:
		texts := make([]string, len(list))
		for i, one := range list {
			texts[i] = shownValue(one)
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

// everyMember are the attributes of a resource, what it belongs to, and what its meta says, each object taken apart.
func everyMember(r client.Resource) []column {
	all := whole(r)
	out := []column{{"id", columnID.of}}
	attributes, _ := all["attributes"].(map[string]any)
	out = append(out, taken("", attributes)...)
	for _, name := range slices.Sorted(maps.Keys(r.Relationships)) {
		out = append(out, column{strings.ReplaceAll(name, "_", " "), func(r client.Resource) string { return r.Related(name) }})
	}
	meta, _ := all["meta"].(map[string]any)
	maps.DeleteFunc(meta, func(name string, _ any) bool { return slices.Contains(metaNever, name) })
	return append(append(out, taken("", meta)...), column{"operation", columnWork.of})
}

// taken takes an object apart into a column for each member; of a list of objects each has its own.
func taken(prefix string, object map[string]any) []column {
	var out []column
	add := func(name string, v any) {
		text := shownValue(v)
		out = append(out, column{name, func(client.Resource) string { return text }})
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		words := strings.TrimSpace(prefix + " " + strings.ReplaceAll(name, "_", " "))
		switch v := object[name].(type) {
		case map[string]any:
			out = append(out, taken(words, v)...)
		case []any:
			if len(objects(v)) == 0 {
				add(words, v)
			}
			for _, one := range objects(v) {
				var parts []string
				for _, c := range taken("", one) {
					parts = append(parts, c.name+"="+c.of(client.Resource{}))
				}
				add(words, strings.Join(parts, "  "))
			}
		default:
			add(words, v)
		}
	}
	return out
}

// printable removes from a log what a terminal would interpret: sites write what visitors send them.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, text)
}

// sizeOf returns a readable size.
func sizeOf(r client.Resource) string {
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
