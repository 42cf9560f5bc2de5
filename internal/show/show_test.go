package show_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/show"
)

func resource(t *testing.T, text string) client.Resource {
	t.Helper()
	var r client.Resource
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

const site = `{"id":"7","type":"sites","attributes":{"name":"a.example\u001b[2J","size":1500,"aliases":["b","c"],"repository":{"branch":"main"},` +
	`"big":9007199254740993},` +
	`"relationships":{"server":{"data":{"id":"1","type":"servers"}}},"meta":{"os":{"name":"Ubuntu"},"operation":{"state":"failed","reason":"no space"}}}`

// Each format shows the same resource, and none a character that moves a cursor.
func TestFormats(t *testing.T) {
	t.Parallel()
	r := resource(t, site)
	columns := show.Columns([]string{"name", "size", "relationships.server", "meta.os.name"})
	for format, want := range map[string]string{
		"table": "ID  NAME            SIZE    SERVER  NAME    OPERATION\n7   a.example^[[2J  1.5 kB  1       Ubuntu  failed: no space\n",
		"csv":   "id,name,size,server,name,operation\n7,a.example^[[2J,1.5 kB,1,Ubuntu,failed: no space\n",
	} {
		var out strings.Builder
		if err := (&show.Printer{Out: &out, Format: format}).List([]client.Resource{r}, columns...); err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s", format, err, cmp.Diff(want, out.String()))
		}
	}
	for _, format := range []string{"wide", "json", "jsonl", "yaml"} {
		var list, one strings.Builder
		if err := (&show.Printer{Out: &list, Format: format}).List([]client.Resource{r, r}, columns...); err != nil {
			t.Error(err)
		}
		if err := (&show.Printer{Out: &one, Format: format}).One(r, columns...); err != nil {
			t.Error(err)
		}
		for _, out := range []string{list.String(), one.String()} {
			if !strings.Contains(out, "9007199254740993") || strings.Contains(out, "\x1b") || !strings.Contains(out, "main") {
				t.Errorf("%s is\n%s", format, out)
			}
		}
		if lines := strings.Count(list.String(), "\n"); format == "jsonl" && lines != 2 {
			t.Errorf("two resources have %d lines", lines)
		}
	}
	var none strings.Builder
	if err := (&show.Printer{Out: &none, Format: "json"}).List(nil); err != nil || none.String() != "[]\n" {
		t.Errorf("no resources are %q (%v)", none.String(), err)
	}
}

// Objects are taken apart for a person, and what is shown otherwise is left out.
func TestEverythingOfAResource(t *testing.T) {
	t.Parallel()
	r := resource(t, site)
	got := map[string]string{}
	for _, c := range show.Everything(r) {
		got[c.Name] = c.Of(r)
	}
	want := map[string]string{
		"id": "7", "aliases": "b, c", "big": "9007199254740993", "name": "a.example\x1b[2J", "repository branch": "main", "size": "1500", "server": "1",
		"os name": "Ubuntu", "operation": "failed: no space",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A plan is shown by server, with the differences of files below their paths.
func TestPlans(t *testing.T) {
	t.Parallel()
	var plan show.Plan
	if err := json.Unmarshal([]byte(`{"hash":"h","servers":[{"server_id":"1","files":[{"path":"/etc/a","diff":"-x\n+\u001by\n"}],"packages":["redis"],`+
		`"actions":["reload nginx"],"kept":["/etc/b"]}]}`), &plan); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	p := show.Printer{Out: &out, Format: "table"}
	const want = "On server 1:\n  write /etc/a\n    -x\n    +^[y\n  install redis\n  then reload nginx\n  keep /etc/b\n"
	if err := p.Plan(plan); err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, cmp.Diff(want, out.String()))
	}
	out.Reset()
	if err := p.Plan(show.Plan{}); err != nil || out.String() != "No changes on any server.\n" {
		t.Errorf("%v: no plan is %q", err, out.String())
	}
}

// A step is shown once, and the newest line of output with the step that it belongs to.
func TestProgress(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	var last show.LastLine
	last.Note("one\ntwo\n")
	p := show.NewProgress(&out)
	p.Show("waiting", "")
	p.Show("waiting", "")
	p.Show("running nginx", last.Get())
	p.Show("running nginx", strings.Repeat("x", 500)) // within a second
	p.Show("succeeded", "\x1b")
	const want = "    0s  waiting\n    0s  running nginx: two\n    0s  succeeded: ^[\n"
	if out.String() != want || p.Step() != "succeeded" {
		t.Errorf("it shows\n%s", out.String())
	}
}

// A query gets what JSON would show. Its results are JSON, and texts are lines.
func TestQueries(t *testing.T) {
	t.Parallel()
	r := resource(t, site)
	for text, want := range map[string]string{
		".[].id":                               "7\n7\n",
		".[0].attributes | {name, big}":        "{\n  \"big\": 9007199254740993,\n  \"name\": \"a.example\\u001b[2J\"\n}\n",
		".[0].attributes.name":                 "a.example^[[2J\n",
		"map(.attributes.size) | add":          "3000\n",
		"map(select(.id == \"8\"))":            "[]\n",
		".[] | [.id, .attributes.size] | @tsv": "7\t1500\n7\t1500\n",
	} {
		var query show.Query
		err := query.Set(text)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		p := show.Printer{Out: &out, Format: "table", Query: query}
		if err := p.List([]client.Resource{r, r}); err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s", text, err, cmp.Diff(want, out.String()))
		}
	}
	for _, text := range []string{".[", "nothing(1)", "$x"} {
		if err := new(show.Query).Set(text); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s compiles: %v", text, err)
		}
	}
	var query show.Query
	err := query.Set(".id.name")
	if err != nil {
		t.Fatal(err)
	}
	if err := (&show.Printer{Out: &strings.Builder{}, Query: query}).One(r); err == nil || !strings.HasPrefix(err.Error(), "--query: ") {
		t.Errorf("a query that fails ends with %v", err)
	}
	var lines strings.Builder
	var keys show.Query
	err = keys.Set(".[] | {id}")
	if err != nil {
		t.Fatal(err)
	}
	if err := (&show.Printer{Out: &lines, Format: "jsonl", Query: keys}).List([]client.Resource{r, r}); err != nil ||
		lines.String() != "{\"id\":\"7\"}\n{\"id\":\"7\"}\n" {
		t.Errorf("lines are %q (%v)", lines.String(), err)
	}
}
