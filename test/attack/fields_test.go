package attack_test

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
)

// operation is an operation as the API description has it.
type operation struct {
	id, method, path string
	// public is for anonymous callers, personal for signed-in people.
	public, personal, extension bool
	status                      int
	fields                      []field
}

// field is a place of a request that takes text: in is body, path, query or header; at is the way into a body (.custom.ip_address, .tags[]), or a name.
type field struct {
	op *operation
	in string
	at string
}

// key names the field in fields.tsv. The same parameter of a path, a query or a header is one field wherever it appears.
func (f field) key() string {
	if f.in == "body" {
		return "body " + f.op.id + " " + f.at
	}
	return f.in + " " + f.at
}

// headers are those that the description does not name and that the program or its log may read.
var headers = []string{
	"Accept", "Accept-Encoding", "Authorization", "Content-Type", "Cookie", "Forwarded", "If-None-Match",
	"Last-Event-ID", "Origin", "Referer", "User-Agent",
	"X-Forwarded-For", "X-Forwarded-Proto", "X-Hostler-Csrf", "X-Http-Method-Override", "X-Request-Id",
}

// headered are the operations that those are tried on: one that reads, one that writes, one that is public.
var headered = []string{"organizations.servers.index", "organizations.teams.store", "auth.login"}

// description reads the operations and their fields out of the API description.
var description = sync.OnceValues(func() ([]*operation, error) {
	raw, err := app.Description(tctx, "http://127.0.0.1:8080")
	if err != nil {
		return nil, err
	}
	type schema = map[string]any
	var doc struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, err
	}
	var ops []*operation
	for path, methods := range doc.Paths {
		for method, raw := range methods {
			var d struct {
				OperationID string `json:"operationId"`
				Extension   bool   `json:"x-hostler-extension"`
				Security    []map[string]any
				Parameters  []struct{ Name, In string }
				Responses   map[string]any
				RequestBody struct {
					Content map[string]struct{ Schema schema }
				}
			}
			if err := json.Unmarshal(raw, &d); err != nil {
				return nil, err
			}
			op := &operation{id: d.OperationID, method: strings.ToUpper(method), path: path, extension: d.Extension}
			for _, s := range d.Security {
				op.public = op.public || len(s) == 0
				op.personal = op.personal || s["session"] != nil
			}
			for _, code := range []int{204, 201, 202, 200} { // the last is what stands with others: a plan
				if d.Responses[itoa(code)] != nil && op.status == 0 {
					op.status = code
				}
			}
			for _, p := range d.Parameters {
				op.fields = append(op.fields, field{op, p.In, p.Name})
			}
			if slices.Contains(headered, op.id) {
				for _, name := range headers {
					op.fields = append(op.fields, field{op, "header", name})
				}
			}
			for _, c := range d.RequestBody.Content {
				texts(doc.Components.Schemas, c.Schema, "", func(at string) {
					if f := (field{op, "body", at}); !slices.Contains(op.fields, f) {
						op.fields = append(op.fields, f)
					}
				})
			}
			ops = append(ops, op)
		}
	}
	slices.SortFunc(ops, func(a, b *operation) int { return strings.Compare(a.id, b.id) })
	return ops, nil
})

// texts calls found for every string below a schema.
func texts(known map[string]map[string]any, s map[string]any, at string, found func(string)) {
	if ref, ok := s["$ref"].(string); ok {
		s = known[ref[strings.LastIndexByte(ref, '/')+1:]]
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := s[word].([]any)
		for _, part := range list {
			texts(known, part.(map[string]any), at, found)
		}
	}
	types, _ := s["type"].([]any)
	if one, ok := s["type"].(string); ok {
		types = []any{one}
	}
	if slices.Contains(types, any("string")) {
		found(at)
	}
	if items, ok := s["items"].(map[string]any); ok {
		texts(known, items, at+"[]", found)
	}
	properties, _ := s["properties"].(map[string]any)
	for name, p := range properties {
		texts(known, p.(map[string]any), at+"."+name, found)
	}
	if more, ok := s["additionalProperties"].(map[string]any); ok {
		texts(known, more, at+".*", found)
	}
}

func operations(t testing.TB) []*operation {
	t.Helper()
	ops, err := description()
	if err != nil {
		t.Fatal(err)
	}
	return ops
}

//go:embed fields.tsv
var fieldsTSV string

// What becomes of a field's text.
const (
	onHost  = "host"    // the value is found on a host, at the place that is named
	never   = "never"   // the value is accepted, and is on no host
	refused = "refused" // no free text is accepted: the value, and every hostile one, is refused
	known   = "known"   // only the name of what is there is accepted: the value is refused, and a hostile one unless another field has made it
	runs    = "runs"    // a user's script: it runs as the site's user, by design, so no hostile text is sent
)

// entry is the line of a field in fields.tsv.
type entry struct {
	key, reach string
	// value is sent; {m} in it becomes a word that is found again.
	value string
	// where is a place on a host, or the reason why it never comes there.
	where string
}

// entries returns the lines of fields.tsv by key.
func entries(t testing.TB) map[string]entry {
	t.Helper()
	all := map[string]entry{}
	for line := range strings.Lines(fieldsTSV) {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(cells) != 4 || cells[3] == "" || !slices.Contains([]string{onHost, never, refused, known, runs}, cells[1]) {
			t.Fatalf("fields.tsv: %q is not a field, host, never, refused, known or runs, a value, and a place or a reason", line)
		}
		if _, twice := all[cells[0]]; twice {
			t.Fatalf("fields.tsv has %s twice", cells[0])
		}
		all[cells[0]] = entry{cells[0], cells[1], cells[2], cells[3]}
	}
	return all
}

// Every field of the API description has a line in fields.tsv with the destination of its text, and no line is left over.
func TestFieldsAreListed(t *testing.T) {
	listed, seen := entries(t), map[string]bool{}
	for _, op := range operations(t) {
		for _, f := range op.fields {
			if seen[f.key()] = true; listed[f.key()].key == "" {
				t.Errorf("%s %s takes text that fields.tsv does not know: %q; say there where its text ends up", op.method, op.path, f.key())
			}
		}
	}
	for key := range listed {
		if !seen[key] {
			t.Errorf("fields.tsv has %q, which no operation takes", key)
		}
	}
}
