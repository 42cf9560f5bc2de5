package api

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/hostlerhq/hostler/internal/ground/markup"
)

//go:embed viewer.css
var viewerCSS []byte

// packedSamples are the calls of each operation as gzipped JSON (RFC 1952), made from the description by make generate: making them here would cost the program
// ten times as much.
//
//go:embed samples.json.gz
var packedSamples []byte

func readSamples() (out map[string][][2]string) {
	r, err := gzip.NewReader(bytes.NewReader(packedSamples))
	if err == nil {
		err = json.NewDecoder(r).Decode(&out)
	}
	if err != nil {
		panic(fmt.Sprintf("the samples in this program can't be read: %v", err)) // the build's fault; a test reads them
	}
	return out
}

type viewedTag struct {
	Name       string
	Anchor     string
	Operations []viewedOperation
}

type viewedOperation struct {
	*huma.Operation
	Mode        string
	Permissions string
	Extension   bool
	Query       []*huma.Param
	Body        string
	Statuses    []string
	// Samples are how clients make the call: the name of each client, and the call.
	Samples [][2]string
}

// Viewer serves the reference of all operations as plain pages: no script, nothing loaded from elsewhere.
func (r *Router) Viewer(prefix string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+prefix+"viewer.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write(viewerCSS)
	})
	page := sync.OnceValue(func() []byte { return markup.Page("Hostler API", "viewer.css", markup.Node{}, viewed(r.viewedTags())) })
	mux.HandleFunc("GET "+prefix+"{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page())
	})
	return mux
}

// viewed is the body of the page.
func viewed(tags []viewedTag) markup.Node {
	return markup.Join(
		markup.E("nav", markup.Attr("aria-label", "Groups"),
			markup.E("h1", markup.Text("Hostler API")),
			markup.E("p", markup.E("a", markup.Attr("href", Root+"/openapi.json"), markup.Text("OpenAPI 3.1 description"))),
			markup.E("ul", markup.Each(tags, func(t viewedTag) markup.Node {
				return markup.E("li", markup.E("a", markup.Attr("href", "#"+t.Anchor), markup.Text(t.Name)))
			}))),
		markup.E("main", markup.E("p", markup.Text("The calls run as they are printed once their variables are set: "), markup.Code("HOSTLER_URL"), markup.Text(", "),
			markup.Code("HOSTLER_TOKEN"), markup.Text(" and "), markup.Code("ORG"), markup.Text(" as "),
			markup.E("a", markup.Attr("href", "/docs/api"), markup.Text("the guide")), markup.Text(" says, and ids such as "), markup.Code("SERVER=3"),
			markup.Text(".")), markup.Each(tags, func(t viewedTag) markup.Node {
			return markup.E("section", markup.Attr("id", t.Anchor), markup.E("h2", markup.Text(t.Name)), markup.Each(t.Operations, viewedOperation.markup))
		})))
}

func (o viewedOperation) markup() markup.Node {
	row := func(name, value markup.Node) markup.Node {
		return markup.Join(markup.E("dt", name), markup.E("dd", value))
	}
	return markup.E("details", markup.Attr("id", o.OperationID),
		markup.E("summary", markup.E("b", markup.Attr("class", o.Method), markup.Text(o.Method)), markup.Text(" "), markup.Code(o.Path), markup.Text(" "),
			markup.E("span", markup.Text(o.Summary))),
		markup.E("p", markup.Text(o.Description)),
		markup.E("dl",
			row(markup.Text("Operation"), markup.Join(markup.Code(o.OperationID), markup.If(o.Extension, markup.Text(" (an addition of Hostler)")))),
			row(markup.Text("Mode"), markup.Text(o.Mode)),
			markup.If(o.Permissions != "", row(markup.Text("Permission"), markup.Code(o.Permissions))),
			row(markup.Text("Answers"), markup.Each(o.Statuses, func(status string) markup.Node { return markup.Join(markup.Code(status), markup.Text(" ")) })),
			markup.Each(o.Query, func(p *huma.Param) markup.Node {
				values := p.Schema.Enum
				if p.Schema.Items != nil {
					values = append(slices.Clone(p.Schema.Items.Enum), values...)
				}
				return row(markup.Code(p.Name), markup.Join(markup.Text(p.Description),
					markup.Each(values, func(v any) markup.Node { return markup.Join(markup.Text(" "), markup.Code(fmt.Sprint(v))) })))
			})),
		markup.If(len(o.Samples) > 0, markup.E("h3", markup.Text("Calls"))),
		markup.Each(o.Samples, func(s [2]string) markup.Node {
			return markup.Join(markup.E("h4", markup.Text(s[0])), markup.E("pre", markup.Text(s[1])))
		}),
		markup.If(o.Body != "", markup.Join(markup.E("h3", markup.Text("Body")), markup.E("pre", markup.Text(o.Body)))))
}

func (r *Router) viewedTags() []viewedTag {
	d := r.description.made()
	samples := readSamples()
	byTag := map[string][]viewedOperation{}
	for _, op := range r.ops {
		o := d.described(&op)
		v := viewedOperation{Operation: o, Mode: string(op.Mode), Extension: op.Extension, Body: d.viewedBody(o), Samples: samples[op.ID]}
		for _, p := range op.Permissions {
			v.Permissions = strings.TrimPrefix(v.Permissions+", "+string(p), ", ")
		}
		for _, p := range o.Parameters {
			if p.In == "query" || p.In == "header" {
				v.Query = append(v.Query, p)
			}
		}
		for status := range o.Responses {
			v.Statuses = append(v.Statuses, status)
		}
		slices.Sort(v.Statuses)
		byTag[op.Tag] = append(byTag[op.Tag], v)
	}
	var out []viewedTag
	for _, tag := range d.openapi.Tags {
		if ops := byTag[tag.Name]; len(ops) > 0 {
			out = append(out, viewedTag{Name: tag.Name, Anchor: strings.ReplaceAll(strings.ToLower(tag.Name), " ", "-"), Operations: ops})
		}
	}
	return out
}

func (d *description) described(op *Operation) *huma.Operation {
	item := d.openapi.Paths[op.Path]
	for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
		if o != nil && o.Method == op.Method {
			return o
		}
	}
	panic(fmt.Sprintf("operation %s is not described", op.ID)) // register and describe always come together
}

func (d *description) viewedBody(o *huma.Operation) string {
	if o.RequestBody == nil {
		return ""
	}
	var schema *huma.Schema
	for _, kind := range slices.Sorted(maps.Keys(o.RequestBody.Content)) { // JSON, or the form of an upload
		schema = o.RequestBody.Content[kind].Schema
	}
	if schema == nil {
		return ""
	}
	if schema.Ref != "" {
		schema = d.registry.SchemaFromRef(schema.Ref)
	}
	raw, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return ""
	}
	return string(raw)
}
