package edge

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// TestShowDocuments compares the document that each operation shows with testdata/show, a file per type of resource. Both databases show the same.
func TestShowDocuments(t *testing.T) {
	t.Parallel()
	got := shownDocuments(t, World(t, db.SQLite))
	if diff := gocmp.Diff(got, shownDocuments(t, World(t, db.PostgreSQL))); diff != "" {
		t.Errorf("PostgreSQL shows other documents (-SQLite +PostgreSQL):\n%s", diff)
	}
	const dir = "testdata/show"
	if *update {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for kind, documents := range got {
		path := filepath.Join(dir, kind+".json")
		if *update {
			if err := os.WriteFile(path, []byte(documents), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("%v: write it with -update", err)
			continue
		}
		if diff := gocmp.Diff(string(want), documents); diff != "" {
			t.Errorf("%s: read the change, and rewrite the file with -update (-file +shown):\n%s", path, diff)
		}
	}
	for _, path := range must(filepath.Glob(dir + "/*")) {
		if _, ok := got[strings.TrimSuffix(filepath.Base(path), ".json")]; !ok {
			t.Errorf("%s is of no type that an operation shows", path)
		}
	}
}

// shownDocuments calls every operation that shows a resource of the world, and returns the documents as JSON by type, each by its operation.
func shownDocuments(t *testing.T, w *world) map[string]string {
	t.Helper()
	session := w.Session(w.users["owner"])
	byType := map[string]map[string]any{}
	for _, op := range w.App.Router.Operations() {
		s := scenarioOf(op.ID)
		if op.Method != "GET" || !strings.HasSuffix(op.ID, ".show") && op.ID != "me" || s.allowed != 0 {
			continue
		}
		if s.before != nil {
			s.before(w, w.mine)
		}
		c := w.owner
		if op.Personal {
			c = session
		}
		a := c.Get(fill(t, op.Path, s.at(w.mine)))
		if a.Status != 200 {
			t.Fatalf("%s answered %d: %v", op.ID, a.Status, a.Doc)
		}
		kind, ok := a.At("data", "type").(string)
		if !ok {
			kind = "none"
		}
		if byType[kind] == nil {
			byType[kind] = map[string]any{}
		}
		byType[kind][op.ID] = w.settledDocument("", a.Doc)
	}
	out := map[string]string{}
	for _, kind := range slices.Sorted(maps.Keys(byType)) {
		raw := must(json.MarshalIndent(byType[kind], "", "  "))
		out[kind] = string(raw) + "\n"
	}
	return out
}

// What differs between two runs is replaced by what it is.
var settledTexts = []struct {
	is   string
	text *regexp.Regexp
}{
	{"<time>", regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)},
	{"<address>", regexp.MustCompile(`198\.18\.\d+\.\d+`)},
	{"<host>", regexp.MustCompile(`127\.0\.0\.1:\d+`)},
	{"<fingerprint>", regexp.MustCompile(`SHA256:[\w+/=]+`)},
	{"<key>", regexp.MustCompile(`AAAA[\w+/=]{20,}`)},
	{"<random>", regexp.MustCompile(`\bwhsec_[\w+/]+=*|\b[0-9a-f]{16,}\b|\b[\w-]{40,}\b`)},
	{"/<id>", regexp.MustCompile(`/\d+\b`)},
}

// settledDocument returns a part of a document without what differs between two runs: ids, times, addresses and secrets. Null and empty stay.
func (w *world) settledDocument(name string, v any) any {
	isID := name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids")
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			v[key] = w.settledDocument(key, member)
		}
	case []any:
		for i := range v {
			v[i] = w.settledDocument(name, v[i])
		}
	case float64:
		if isID {
			return "<id>"
		}
	case string:
		if isID && regexp.MustCompile(`^\d+$`).MatchString(v) {
			return "<id>"
		}
		for _, s := range settledTexts {
			v = s.text.ReplaceAllString(v, s.is)
		}
		return v
	case nil, bool:
	default:
		panic(fmt.Sprintf("%T is not of JSON", v))
	}
	return v
}
