package api

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"
)

type checked struct {
	Name    string            `json:"name" minLength:"2" maxLength:"3"`
	Kind    string            `json:"kind" enum:"a,b"`
	Port    int64             `json:"port,omitempty" minimum:"1" maximum:"65535"`
	Share   float64           `json:"share,omitempty"`
	On      bool              `json:"on,omitempty"`
	Slug    string            `json:"slug,omitempty" pattern:"^[a-z]+$"`
	Mail    string            `json:"mail,omitempty" format:"email"`
	URL     string            `json:"url,omitempty" format:"uri"`
	Network string            `json:"network,omitempty" format:"uuid"`
	Until   Time              `json:"until,omitempty"`
	Number  IntegerText       `json:"number,omitempty"`
	Kept    *IntegerText      `json:"kept,omitempty" minimum:"1" maximum:"100"`
	Texts   TextOrList        `json:"texts,omitempty" maxLength:"3"`
	Tags    []string          `json:"tags,omitempty" minItems:"1" maxItems:"2" uniqueItems:"true" nullable:"false"`
	Nodes   []checkedNode     `json:"nodes,omitempty" uniqueItems:"true"`
	Values  map[string]string `json:"values,omitempty"`
	Maybe   *string           `json:"maybe" nullable:"true"`
}

type checkedNode struct {
	ID   int64   `json:"id"`
	Note *string `json:"note,omitempty" nullable:"true" enum:"x,y"`
}

// Each rule of a schema has its words, and names the field as clients wrote it.
func TestBodyIsChecked(t *testing.T) {
	t.Parallel()
	r := &Router{bodies: newRegistry()}
	schema := r.bodySchema(reflect.TypeFor[checked]())
	const good = `"name":"ab","kind":"a","maybe":null`
	for _, tt := range []struct {
		body string
		want map[string][]string
	}{
		{`{` + good + `}`, map[string][]string{}},
		{`{"name":"ab","kind":"b","maybe":"","port":null,"unknown":1,"nodes":[{"id":1},{"id":1,"note":null}],"tags":null,"number":"4"}`, map[string][]string{}},
		{`{"NAME":"ab","kind":"b","maybe":""}`, map[string][]string{"name": {"The name field is required: NAME is not a field."}}},
		{`{` + good + `,"kept":-1}`, map[string][]string{"kept": {"The kept field must be at least 1."}}},
		{`{` + good + `,"kept":"0"}`, map[string][]string{"kept": {"The kept field must be at least 1."}}},
		{`{` + good + `,"kept":"1000000"}`, map[string][]string{"kept": {"The kept field must be at most 100."}}},
		{`{` + good + `,"kept":"100"}`, map[string][]string{}},
		{`{` + good + `,"texts":["ab","abcd"]}`, map[string][]string{"texts.1": {"The texts.1 field must have at most 3 characters."}}},
		{`{` + good + `,"slug":"a\u0000b"}`, map[string][]string{"slug": {"The slug field must not contain NUL.", "The slug field must match ^[a-z]+$."}}},
		{`{"name":"a\u001b","kind":"a","maybe":"a\u0000"}`, map[string][]string{
			"name": {"The name field must be one line of text, without control characters."}, "maybe": {"The maybe field must not contain NUL."},
		}},
		{`{` + good + `,"values":{"a\u0000":"b"}}`, map[string][]string{"values.a\x00": {"The values.a\x00 field must not contain NUL."}}},
		{`{}`, map[string][]string{"name": {"The name field is required."}, "kind": {"The kind field is required."}, "maybe": {"The maybe field is required."}}},
		{`{"name":null,"kind":5,"maybe":1}`, map[string][]string{
			"name": {"The name field must be a text."}, "kind": {"The kind field must be a text."},
			"maybe": {"The maybe field must be a text."},
		}},
		{`{"name":"é","kind":"c","maybe":null}`, map[string][]string{
			"name": {"The name field must have at least 2 characters."},
			"kind": {"The kind field must be one of a, b."},
		}},
		{`{` + good + `,"port":0,"share":"1","on":0}`, map[string][]string{
			"port": {"The port field must be at least 1."}, "share": {"The share field must be a number."},
			"on": {"The on field must be true or false."},
		}},
		{`{` + good + `,"port":65535.5}`, map[string][]string{"port": {"The port field must be an integer.", "The port field must be at most 65535."}}},
		{`{` + good + `,"port":1e400,"number":true}`,
			map[string][]string{"port": {"The port field must be an integer."}, "number": {"The number field is not valid."}}},
		{
			`{` + good + `,"slug":"A","mail":"a","url":":","network":"1","until":"today"}`,
			map[string][]string{
				"slug": {"The slug field must match ^[a-z]+$."}, "mail": {"The mail field must be an email address."},
				"url": {"The url field must be a URL."}, "network": {"The network field must be a UUID."},
				"until": {"The until field must be a time such as 2026-01-31T12:00:00Z."},
			},
		},
		{`{` + good + `,"tags":[],"values":[]}`,
			map[string][]string{"tags": {"The tags field must have at least 1 items."}, "values": {"The values field must be an object."}}},
		{`{` + good + `,"tags":["a","a","a"],"values":{"A":1}}`, map[string][]string{"tags": {
			"The tags field must have at most 2 items.",
			"The tags field must not hold the same item twice.",
		}, "values.A": {"The values.A field must be a text."}}},
		{
			`{` + good + `,"nodes":[{"id":1,"note":"z"},{},3],"tags":"a"}`,
			map[string][]string{
				"nodes.0.note": {"The nodes.0.note field must be one of x, y."}, "nodes.1.id": {"The nodes.1.id field is required."},
				"nodes.2": {"The nodes.2 field must be an object."}, "tags": {"The tags field must be a list."},
			},
		},
	} {
		plain, _, err := parseJSON([]byte(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		fields := Fields{}
		r.validate(schema, plain, fields)
		got := fields.texts()
		if got == nil {
			got = map[string][]string{}
		}
		for name, problems := range fields {
			for _, p := range problems {
				if p.Code == CodeInvalid && !strings.HasSuffix(p.text, "is not valid.") || !slices.Contains(codes(), any(p.Code)) || p.Field != name &&
					!strings.Contains(name, "\x00") {
					t.Errorf("%s: %q has the code %q and is about %q", tt.body, p.text, p.Code, p.Field)
				}
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.body, diff)
		}
	}
}

// A field counts by its exact name only, at any depth: the decoder sees what the schema saw.
func TestNamesInOtherLettersAreUnknown(t *testing.T) {
	t.Parallel()
	r := &Router{bodies: newRegistry()}
	schema := r.bodySchema(reflect.TypeFor[checked]())
	plain, _, err := parseJSON([]byte(`{"Name":"ab","kind":"a","nodes":[{"ID":1,"id2":2,"note":"x"}],"values":{"A":"1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if !(checker{registry: r.bodies}).exact(schema, plain) {
		t.Error("nothing was removed")
	}
	want := map[string]any{"kind": "a", "nodes": []any{map[string]any{"id2": 2.0, "note": "x"}}, "values": map[string]any{"A": "1"}}
	if diff := cmp.Diff(want, plain); diff != "" {
		t.Error(diff)
	}
}

// A value that is spelled as another language does counts as what it means; anything less clear stays, for the schema to refuse.
func TestMeant(t *testing.T) {
	t.Parallel()
	r := &Router{bodies: newRegistry()}
	schema := r.bodySchema(reflect.TypeFor[checked]())
	plain, _, err := parseJSON([]byte(`{"name":12,"kind":"A","port":"8080","on":"1","share":"0.5","tags":[1,"b"],"nodes":[{"id":"7","note":"X"},` +
		`{"id":"07","note":""}],"values":{"A":1},"number":"4","mail":1.5,"maybe":null}`))
	if err != nil {
		t.Fatal(err)
	}
	empty, _, err := parseJSON([]byte(`[]`))
	if err != nil || len(empty.(map[string]any)) != 0 {
		t.Errorf("PHP's empty array is %v, %v", empty, err)
	}
	if got, changed := (checker{registry: r.bodies}).meant(schema, map[string]any{"values": []any{}}); !changed || got.(map[string]any)["values"] == nil {
		t.Errorf("PHP's empty array is %v", got)
	}
	got, changed := (checker{registry: r.bodies}).meant(schema, plain)
	want := map[string]any{
		"name": "12", "kind": "a", "port": 8080.0, "on": true, "share": 0.5, "tags": []any{"1", "b"}, "number": "4", "mail": 1.5, "maybe": nil,
		"nodes": []any{map[string]any{"id": 7.0, "note": "x"}, map[string]any{"id": "07", "note": nil}}, "values": map[string]any{"A": "1"},
	}
	if diff := cmp.Diff(want, got); diff != "" || !changed {
		t.Error(changed, diff)
	}
}

// What is around a name or an address is not part of it; other texts keep it.
func TestUnblank(t *testing.T) {
	t.Parallel()
	body := map[string]any{"url": " https://a.example\n", "name": "\u00a0a b\u200b", "content": " x\n", "password": " p ", "port": " ",
		"limit": json.Number("80"), "branch": "main", "custom": map[string]any{"ip_address": " 192.0.2.1"}}
	if !unblank(body) || body["url"] != "https://a.example" || body["name"] != "a b" || body["content"] != " x\n" || body["password"] != " p " ||
		body["port"] != " " ||
		body["custom"].(map[string]any)["ip_address"] != "192.0.2.1" {
		t.Errorf("the body is %q", body)
	}
	other := map[string]any{"web_directory": " /public", "healthcheck_endpoint": "https://a.example/up\n", "secret": " s "}
	if !unblank(other) || other["web_directory"] != "/public" || other["healthcheck_endpoint"] != "https://a.example/up" || other["secret"] != " s " {
		t.Errorf("the body is %q", other)
	}
	if unblank(body) || unblank([]any{" x "}) {
		t.Error("nothing is left to take")
	}
}

type withSecret struct {
	Password Secret `json:"password"`
	Name     string `json:"name"`
}

// A secret is what was sent: a number is no password, since it may have lost its first zeros.
func TestSecretsAreNotRead(t *testing.T) {
	t.Parallel()
	r := &Router{bodies: newRegistry()}
	schema := r.bodySchema(reflect.TypeFor[withSecret]())
	got, changed := (checker{registry: r.bodies}).meant(schema, map[string]any{"password": 123.0, "name": 123.0})
	if diff := cmp.Diff(any(map[string]any{"password": 123.0, "name": "123"}), got); diff != "" || !changed {
		t.Error(changed, diff)
	}
}

// A number with a unit is refused with what is too much.
func TestNumbersWithUnits(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"100M": "The size field must be an integer, without its unit.",
		"60 s": "The size field must be an integer, without its unit.", "much": "The size field must be an integer."} {
		fields := Fields{}
		checker{fields: fields}.check(&huma.Schema{Type: huma.TypeInteger}, "size", given)
		if got := fields.texts()["size"]; len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v", given, got)
		}
	}
}

// A word of a list counts however its parts are joined, and a version by its numbers alone.
func TestSpelledWords(t *testing.T) {
	t.Parallel()
	versions := &huma.Schema{Type: huma.TypeString, Enum: []any{"php74", "php83"}}
	methods := &huma.Schema{Type: huma.TypeString, Enum: []any{"round_robin", "least_conn"}}
	for _, c := range []struct {
		schema      *huma.Schema
		given, want any
	}{
		{versions, "8.3", "php83"}, {versions, 8.3, "php83"}, {versions, "PHP 8.3", "php83"}, {versions, "php8.3", "php83"}, {versions, "8.2", "8.2"},
		{versions, 8.2, "8.2"},
		{methods, "Round Robin", "round_robin"}, {methods, "least-conn", "least_conn"}, {methods, "random", "random"},
	} {
		if got := spelled(c.schema, c.given); got != c.want {
			t.Errorf("%v is %v, want %v", c.given, got, c.want)
		}
	}
}
