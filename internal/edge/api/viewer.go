package api

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed viewer.html
var viewerHTML string

//go:embed viewer.css
var viewerCSS []byte

var viewerPage = template.Must(template.New("viewer").Parse(viewerHTML))

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
}

// Viewer serves the reference of all operations as plain pages: no script, nothing loaded from elsewhere.
func (r *Router) Viewer(prefix string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+prefix+"viewer.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write(viewerCSS)
	})
	mux.HandleFunc("GET "+prefix+"{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_ = viewerPage.Execute(w, map[string]any{"Tags": r.viewedTags(), "Base": r.absolute("/"), "Description": Root + "/openapi.json"})
	})
	return mux
}

func (r *Router) viewedTags() []viewedTag {
	byTag := map[string][]viewedOperation{}
	for _, op := range r.ops {
		o := r.described(op)
		v := viewedOperation{Operation: o, Mode: string(op.Mode), Extension: op.Extension, Body: r.viewedBody(o)}
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
	for _, tag := range r.openapi.Tags {
		if ops := byTag[tag.Name]; len(ops) > 0 {
			out = append(out, viewedTag{Name: tag.Name, Anchor: strings.ReplaceAll(strings.ToLower(tag.Name), " ", "-"), Operations: ops})
		}
	}
	return out
}

func (r *Router) described(op Operation) *huma.Operation {
	item := r.openapi.Paths[op.Path]
	for _, o := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
		if o != nil && o.Method == op.Method {
			return o
		}
	}
	panic(fmt.Sprintf("operation %s is not described", op.ID)) // register and describe always come together
}

func (r *Router) viewedBody(o *huma.Operation) string {
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
		schema = r.registry.SchemaFromRef(schema.Ref)
	}
	raw, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return ""
	}
	return string(raw)
}
