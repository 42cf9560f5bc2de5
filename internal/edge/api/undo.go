package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Undo is the request that gives what a change set the values it had before, or removes what it created.
type Undo struct {
	Operation string         `json:"operation" doc:"The operationId of the request."`
	Method    string         `json:"method" enum:"PUT,PATCH,DELETE" doc:"The method of the request."`
	Path      string         `json:"path" doc:"The path of the request. With ?dry_run=true, the answer is its plan."`
	Body      map[string]any `json:"body" doc:"The values before the change; empty for DELETE."`
}

// maxUndo is how large a request that undoes a change is stored, in bytes. A longer text has a history of its own, or is in a repository.
const maxUndo = 16 << 10

// change is what is stored of a change that can be undone.
type change struct {
	Operation string         `json:"operation"`
	Path      string         `json:"path"`
	Body      map[string]any `json:"body"`
	// Became has all that the operation can change, as the change left it. A change since makes a difference.
	Became map[string]any `json:"became"`
}

// changer is an operation that sets fields of a resource to values: it undoes its own changes. One without a schema removes a
// resource, and undoes that it was created.
type changer struct {
	op     *Operation
	schema *huma.Schema
	bodies huma.Registry
	// may loads what the path leads to, and checks what every call of the operation requires.
	may func(req *http.Request) (access.Authority, error)
}

// changes registers an operation as one that can undo its changes. It has to have a plan, which people look at first.
func changes[P access.Authority](r *Router, op *Operation, schema *huma.Schema, load Loader[P]) {
	if schema == nil || !op.ChangesHost || op.Method != http.MethodPut && op.Method != http.MethodPatch {
		return
	}
	r.changers[op.ID] = changer{op, schema, r.bodies, authorized(op, load)}
}

// removes registers an operation as one that undoes that something was created.
func removes[P access.Authority](r *Router, op *Operation, load Loader[P]) {
	at := strings.LastIndex(op.Path, "/{")
	if !op.ChangesHost || op.Method != http.MethodDelete || at < 0 {
		return
	}
	c := changer{op, nil, r.bodies, authorized(op, load)}
	r.changers[op.ID], r.removers[op.Path[:at]] = c, c
}

// authorized returns what loads what a path leads to, and checks what every call of an operation requires.
func authorized[P access.Authority](op *Operation, load Loader[P]) func(req *http.Request) (access.Authority, error) {
	return func(req *http.Request) (access.Authority, error) {
		c, err := begin(op, load, req, url.Values{})
		if err != nil {
			return nil, err
		}
		return c.Parent, c.Parent.Require(op.Permissions...)
	}
}

// removal returns what to store of a call that created something, by its answer; nil if that can't be removed again.
func (r *Router) removal(op *Operation, path string, created []byte) *change {
	c, ok := r.removers[op.Path]
	var doc struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if !ok || !op.Removable || json.Unmarshal(created, &doc) != nil || doc.Data.ID == "" {
		return nil
	}
	return &change{Operation: c.op.ID, Path: path + "/" + doc.Data.ID}
}

// undoable returns what to store of a call, by the documents of its resource before and after it; nil for one that can't be undone. Each field that
// the call set has to have a value before, which is no secret and is one that a request can have.
func (c changer) undoable(path string, given, was, became []byte) *change {
	var asked map[string]any
	if json.Unmarshal(given, &asked) != nil {
		return nil
	}
	schema := resolved(c.bodies, c.schema)
	before, after := c.values(was), c.values(became)
	body, differs := map[string]any{}, false
	for name := range schema.Properties {
		old, known := before[name]
		now, shown := after[name]
		_, set := asked[name]
		switch {
		case known && shown && !reflect.DeepEqual(old, now): // maybe because of another field
			body[name], differs = old, true
		case !set && !slices.Contains(schema.Required, name):
		case !known || !shown:
			return nil
		default:
			body[name] = old
		}
	}
	wrong := Fields{}
	check := checker{c.bodies, wrong}
	check.meant(schema, body) // answers spell some values otherwise
	check.check(schema, "", body)
	if !differs || len(wrong) > 0 {
		return nil
	}
	return &change{Operation: c.op.ID, Path: path, Body: body, Became: after}
}

func resolved(bodies huma.Registry, s *huma.Schema) *huma.Schema {
	for s.Ref != "" {
		s = bodies.SchemaFromRef(s.Ref)
	}
	return s
}

// values returns what a document says of the fields of a request, without secrets.
func (c changer) values(raw []byte) map[string]any {
	var doc struct {
		Data map[string]any `json:"data"`
	}
	out := map[string]any{}
	if json.Unmarshal(raw, &doc) != nil {
		return out
	}
	for name, field := range resolved(c.bodies, c.schema).Properties {
		if field.WriteOnly || resolved(c.bodies, field).Extensions[SecretExtension] != nil {
			continue
		}
		place := c.op.Shown[name]
		if place == "" {
			place = "attributes." + name
		}
		var v any = doc.Data
		found := true
		for part := range strings.SplitSeq(place, ".") {
			in, _ := v.(map[string]any)
			if v, found = in[part]; !found {
				break
			}
		}
		if found && !redacted(v) {
			out[name] = v
		}
	}
	return out
}

// underWay reports whether there is work on the resource of a document that has not ended: it may be removed.
func underWay(raw []byte) bool {
	var doc struct {
		Data struct {
			Meta struct {
				Operation *struct {
					EndedAt *string `json:"ended_at"`
				} `json:"operation"`
			} `json:"meta"`
		} `json:"data"`
	}
	return json.Unmarshal(raw, &doc) == nil && doc.Data.Meta.Operation != nil && doc.Data.Meta.Operation.EndedAt == nil
}

// redacted reports whether a value of a document is, or contains, a secret that it does not show.
func redacted(v any) bool {
	switch v := v.(type) {
	case string:
		return v == secret.String("secret").String()
	case []any:
		return slices.ContainsFunc(v, redacted)
	case map[string]any:
		for _, inner := range v {
			if redacted(inner) {
				return true
			}
		}
	}
	return false
}

// keepUndo stores, beside the work that a call began, what would undo the call.
func (r *Router) keepUndo(ctx context.Context, tx *db.Tx, e entry, became []byte) error {
	if len(tx.Begun) == 0 {
		return nil
	}
	undo := r.removal(e.op, e.req.URL.Path, became)
	if c, ok := r.changers[e.op.ID]; ok && c.schema != nil {
		undo = c.undoable(e.req.URL.Path, e.given, e.was, became)
	}
	if undo == nil {
		return nil
	}
	raw, err := json.Marshal(undo)
	if err != nil {
		return fmt.Errorf("keep what undoes %s: %w", e.op.ID, err)
	}
	if len(raw) > maxUndo {
		return nil
	}
	return r.planner.Keep(ctx, tx, Kept{Undo: raw})
}

// Undo returns the request that undoes a change, by what is stored of it; nil if the caller may not send it, if what it is about is gone,
// changes or has changed since, or if it has been undone. What the request leads to is checked once more when it is sent.
func (r *Router) Undo(req *http.Request, stored []byte) (*Undo, error) {
	var made change
	if json.Unmarshal(stored, &made) != nil {
		return nil, nil
	}
	c, ok := r.changers[made.Operation]
	if !ok { // a release without it
		return nil, nil
	}
	at, ok := sentTo(withNeeds(req), c.op, made.Path)
	if !ok {
		return nil, nil
	}
	if err := c.allowed(at, made.Body); err != nil {
		if _, internal := publicError(err); internal {
			return nil, fmt.Errorf("read what undoes %s: %w", made.Operation, err)
		}
		return nil, nil
	}
	now := r.before(c.op, at)
	if underWay(now) || c.schema != nil && !reflect.DeepEqual(c.values(now), made.Became) {
		return nil, nil
	}
	return &Undo{made.Operation, c.op.Method, made.Path, made.Body}, nil
}

// allowed checks the permissions that a call with a body needs.
func (c changer) allowed(req *http.Request, body map[string]any) error {
	authority, err := c.may(req)
	if err != nil {
		return err
	}
	for _, f := range c.op.Further {
		given := len(f.Given) == 0 || slices.ContainsFunc(f.Given, func(name string) bool {
			_, set := body[strings.Split(name, ".")[0]]
			return set
		})
		if !given {
			continue
		}
		if f.Elsewhere != "" || f.Second != "" || len(f.Permissions) == 0 { // where, depends on more than the path
			return access.ErrNotFound
		}
		if err := authority.Require(f.Permissions...); err != nil {
			return err
		}
	}
	return nil
}

// sentTo returns a request like the given one for an operation at a path, and false if the operation has other paths.
func sentTo(req *http.Request, op *Operation, path string) (*http.Request, bool) {
	out := req.Clone(req.Context())
	out.Method, out.URL = op.Method, &url.URL{Path: path}
	names, parts := strings.Split(Root+op.Path, "/"), strings.Split(path, "/")
	if len(names) != len(parts) {
		return nil, false
	}
	for i, name := range names {
		if parameter, ok := strings.CutPrefix(name, "{"); ok {
			out.SetPathValue(strings.TrimSuffix(parameter, "}"), parts[i])
		} else if name != parts[i] {
			return nil, false
		}
	}
	return out, true
}
