package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/hostlerhq/hostler/internal/edge/access"
)

const (
	schemeBearer = "http"
	schemeOAuth  = "oauth2"
	// schemeSession is ours: the dashboard's cookie.
	schemeSession = "session"
)

func newOpenAPI(c Config, registry huma.Registry) *huma.OpenAPI {
	base := strings.TrimSuffix(c.BaseURL.String(), "/")
	auth := base
	if c.AuthURL != nil {
		auth = strings.TrimSuffix(c.AuthURL.String(), "/")
	}
	scopes := map[string]string{}
	for _, p := range access.All() {
		scopes[string(p)] = p.Describe()
	}
	o := &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Hostler", Version: "0.0.1",
			Description: "Manage servers, the sites on them and everything attached to them, for organizations with teams and roles.",
		},
		Servers: []*huma.Server{{URL: base + Root}},
		Components: &huma.Components{
			Responses: map[string]*huma.Response{},
			Schemas:   registry,
			SecuritySchemes: map[string]*huma.SecurityScheme{
				schemeBearer: {Type: "http", Scheme: "bearer", Description: "A personal access token, or an access token of the OAuth 2.0 flow."},
				schemeSession: {
					Type: "apiKey", In: "cookie", Name: "hostler",
					Description: "The session of a signed-in person. Requests that change something also need the header " + CSRFHeader + ".",
				},
				schemeOAuth: {Type: "oauth2", Flows: &huma.OAuthFlows{AuthorizationCode: &huma.OAuthFlow{
					AuthorizationURL: auth + "/oauth/authorize", TokenURL: auth + "/oauth/token", Scopes: scopes,
				}}},
			},
		},
		Security: []map[string][]string{{schemeBearer: {}}, {schemeOAuth: {}}},
	}
	for _, name := range c.Tags {
		o.Tags = append(o.Tags, &huma.Tag{Name: name})
	}
	return o
}

// schemaName names component schemas after their Go types. Most contain their noun; Relationships gets it from its package.
func schemaName(t reflect.Type, hint string) string {
	if t.Name() == "Relationships" {
		noun := path.Base(t.PkgPath())
		return strings.ToUpper(noun[:1]) + noun[1:] + t.Name()
	}
	return huma.DefaultSchemaNamer(t, hint)
}

type shape int

const (
	one shape = iota
	page
	nothing
)

// describe adds the operation to the description, and returns the schema that its body is checked with, nil for none.
func describe[B, T any](r *Router, op *Operation, answer shape) *huma.Schema {
	r.describe(op, func(d *description, o *huma.Operation) {
		d.document(op, o, answer, reflect.TypeFor[B](), reflect.TypeFor[T]())
	})
	return r.bodySchema(reflect.TypeFor[B]())
}

// describe adds the operation to the description; complete adds what only its kind of operation has.
func (r *Router) describe(op *Operation, complete func(*description, *huma.Operation)) {
	if list, _, found := strings.Cut(op.Path[strings.LastIndexByte(op.Path, '/'):], "{"); found && list == "/" && op.Method == http.MethodGet {
		r.description.shown[path.Dir(op.Path)] = true
	}
	r.description.parts = append(r.description.parts, func(d *description) {
		o := d.operation(op)
		complete(d, o)
		d.openapi.AddOperation(o)
	})
}

// describeText adds an operation to the description that answers with a text of a media type.
func (r *Router) describeText(op *Operation, words, media string) {
	r.describe(op, func(_ *description, o *huma.Operation) {
		o.Responses["200"] = &huma.Response{Description: words, Content: map[string]*huma.MediaType{media: {}}}
	})
}

// document describes the body and the answer of an operation that answers with a document.
func (d *description) document(op *Operation, o *huma.Operation, answer shape, body, document reflect.Type) {
	in := d.bodySchema(body)
	d.completeCommand(o, in, document)
	if in != nil {
		o.RequestBody = &huma.RequestBody{Required: !op.BodyOptional, Content: map[string]*huma.MediaType{"application/json": {Schema: in}}}
		d.errorResponse(o, http.StatusUnprocessableEntity)
	}
	success := &huma.Response{Description: http.StatusText(op.status())}
	if answer != nothing {
		success.Content = map[string]*huma.MediaType{ContentType: {Schema: d.answer(op, answer, document)}}
	}
	success.Headers = d.headers(op, answer)
	o.Responses[strconv.Itoa(op.status())] = success
	if answer == page && !op.Whole {
		o.Parameters = append(o.Parameters,
			queryParam("page[size]", &huma.Schema{Type: huma.TypeInteger, Default: DefaultPageSize}, "The page size, 1 to 200."),
			queryParam("page[cursor]", &huma.Schema{Type: huma.TypeString}, "Where to continue: meta.next_cursor or meta.prev_cursor of an earlier page."))
	}
}

// headers describes those of a success that a client acts on.
func (d *description) headers(op *Operation, answer shape) map[string]*huma.Param {
	out := map[string]*huma.Param{}
	if op.Method == http.MethodGet && answer == one {
		out["ETag"] = header(etagWords, true)
	}
	if op.Method == http.MethodPost && answer == one && (op.Located || d.shown[op.Path]) {
		out["Location"] = header(locationWords, true)
	}
	if op.changes() {
		out[IgnoredHeader] = header(ignoredWords, false)
	}
	if op.Mode == Async || op.Begins {
		out["X-Hostler-Event"] = header(eventWords, false)
	}
	return out
}

// answer returns the schema of an answer's document, which has a name: ServerDocument has one resource, ServerPage a page of them, ServerList all. A compound
// one may include others (JSON:API, 1.1, 5.3).
func (d *description) answer(op *Operation, answer shape, document reflect.Type) *huma.Schema {
	resource := d.registry.Schema(document, true, "")
	name, kind := strings.TrimSuffix(strings.TrimPrefix(resource.Ref, componentRef), "Resource"), "Document"
	schema := &huma.Schema{Type: huma.TypeObject, Required: []string{"data"}, Properties: map[string]*huma.Schema{"data": resource}}
	beside := func(links, meta reflect.Type) {
		schema.Properties["links"] = described(d.registry.Schema(links, true, ""), "The addresses of this page and of those beside it.")
		schema.Properties["meta"] = described(d.registry.Schema(meta, true, ""), "Where this page is in the list.")
		schema.Required = append(schema.Required, "links", "meta")
	}
	if answer == one {
		resource.Description = "The resource."
	} else {
		schema.Properties["data"] = &huma.Schema{Type: huma.TypeArray, Items: resource, Description: "The resources."}
		switch kind = "List"; {
		case !op.Whole:
			kind = "Page"
			beside(reflect.TypeFor[PaginationLinks](), reflect.TypeFor[PaginationMeta]())
		case op.Numbered:
			beside(reflect.TypeFor[NumberedLinks](), reflect.TypeFor[NumberedMeta]())
		}
	}
	if op.Meta != nil {
		schema.Properties["meta"] = described(d.registry.Schema(reflect.TypeOf(op.Meta), true, ""), "What is known beyond the resources.")
		schema.Required = append(schema.Required, "meta")
	}
	if included := d.includedSchema(op); included != nil {
		schema.Properties["included"] = &huma.Schema{Type: huma.TypeArray, Items: included, Description: "The related resources that were asked for."}
		kind = "Compound" + kind
	}
	name += kind
	if known := d.registry.Map()[name]; known != nil && !sameSchema(known, schema) {
		panic(fmt.Sprintf("%s: another answer is called %s, and differs", op.ID, name))
	}
	d.registry.Map()[name] = schema
	return &huma.Schema{Ref: componentRef + name}
}

func sameSchema(a, b *huma.Schema) bool {
	one, err := json.Marshal(a)
	other, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(one, other)
}

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

func (d *description) operation(op *Operation) *huma.Operation {
	o := &huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: op.Path, Tags: []string{op.Tag}, Summary: op.Summary, Description: op.Description,
		Responses: map[string]*huma.Response{}, Extensions: map[string]any{"x-processingMode": string(op.Mode)},
	}
	permissions := make([]string, 0, len(op.Permissions))
	for _, p := range op.Permissions {
		permissions = append(permissions, string(p))
	}
	o.Extensions["x-permissions"] = permissions
	if op.Extension {
		o.Extensions["x-hostler-extension"] = true
	}
	if c := commandOf(op); c != nil {
		o.Extensions[commandExtension] = c
	}
	var further []condition
	for _, f := range op.Further {
		o.Description = strings.TrimPrefix(o.Description+" "+f.sentence(), " ")
		if len(f.Permissions) > 0 && len(f.Given) > 0 {
			further = append(further, condition{f.Permissions, f.Given})
		}
	}
	if further != nil {
		o.Extensions["x-hostler-permissions"] = further
	}
	o.Security = []map[string][]string{{schemeBearer: {}}, {schemeOAuth: permissions}}
	switch {
	case op.Public:
		o.Security = []map[string][]string{{}}
	case op.Personal:
		o.Security = []map[string][]string{{schemeSession: {}}}
	}
	for _, m := range pathParameter.FindAllStringSubmatch(op.Path, -1) {
		schema := &huma.Schema{Type: huma.TypeInteger}
		if slices.Contains(d.config.Texts, m[1]) || slices.Contains(op.Texts, m[1]) {
			schema = &huma.Schema{Type: huma.TypeString}
		}
		o.Parameters = append(o.Parameters, &huma.Param{Name: m[1], In: "path", Required: true, Schema: schema, Description: d.pathWords(op.Path, m[0])})
	}
	for _, f := range op.Filters {
		schema := &huma.Schema{Type: huma.TypeString}
		for _, v := range f.Enum {
			schema.Enum = append(schema.Enum, v)
		}
		o.Parameters = append(o.Parameters, queryParam("filter["+f.Name+"]", schema, f.sentence()))
	}
	d.listParam(o, "sort", op.sortValues(), sortWords)
	d.listParam(o, "include", op.includeValues(), includeWords)
	for _, p := range op.Query {
		o.Parameters = append(o.Parameters, queryParam(p.Name, &huma.Schema{Type: p.Type}, p.Description))
	}
	if op.ChangesHost {
		o.Parameters = append(o.Parameters, queryParam("dry_run", &huma.Schema{Type: huma.TypeBoolean}, "Return 200 with the plan, without changing anything."))
		o.Parameters = append(o.Parameters, &huma.Param{
			Name: PlanHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: new(64)},
			Description: "The hash of a plan, as a dry run answers it: the request is done only if its plan is still that one; else it is a 409 with the new plan.",
		})
		d.errorResponse(o, http.StatusConflict)
		d.errorResponse(o, http.StatusBadRequest)
		if op.status() != http.StatusOK {
			o.Responses["200"] = &huma.Response{
				Description: "The plan of a dry run.",
				Headers:     map[string]*huma.Param{IgnoredHeader: header(ignoredWords, false)},
				Content:     map[string]*huma.MediaType{ContentType: {Schema: d.registry.Schema(reflect.TypeFor[planDocument](), true, "")}},
			}
		}
	}
	if op.keyed() {
		o.Parameters = append(o.Parameters, &huma.Param{
			Name: "Idempotency-Key", In: "header", Schema: &huma.Schema{Type: huma.TypeString, MaxLength: new(255)},
			Description: "For 24 hours, the same key and body return the first response again; a different body is a 409.",
		})
		d.errorResponse(o, http.StatusConflict)
	}
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests} {
		d.errorResponse(o, status)
	}
	if strings.Contains(op.Path, "{") {
		d.errorResponse(o, http.StatusNotFound)
	}
	if len(op.Filters)+len(op.Sorts)+len(op.Includes) > 0 {
		d.errorResponse(o, http.StatusBadRequest)
	}
	if op.Invalid || slices.ContainsFunc(op.Query, func(p Param) bool { return p.Type == "boolean" }) { // see Call.Flag
		d.errorResponse(o, http.StatusUnprocessableEntity)
	}
	if op.Refused {
		d.errorResponse(o, http.StatusBadRequest)
	}
	if op.Conflict {
		d.errorResponse(o, http.StatusConflict)
	}
	if op.Failing {
		d.errorResponse(o, http.StatusInternalServerError)
	}
	return o
}

type planDocument struct {
	Meta struct {
		DryRun bool   `json:"dry_run"`
		Plan   DryRun `json:"plan"`
	} `json:"meta"`
}

func (op *Operation) sortValues() []string {
	var out []string
	for _, s := range op.Sorts {
		out = append(out, s, "-"+s)
	}
	return out
}

func (op *Operation) includeValues() []string {
	var out []string
	for _, i := range op.Includes {
		out = append(out, i.Name, i.Name+"Count", i.Name+"Exists")
	}
	return out
}

// listParam describes a comma-separated parameter: style form, not exploded.
func (d *description) listParam(o *huma.Operation, name string, values []string, description string) {
	if len(values) == 0 {
		return
	}
	items := &huma.Schema{Type: huma.TypeString}
	for _, v := range values {
		items.Enum = append(items.Enum, v)
	}
	p := queryParam(name, &huma.Schema{Type: huma.TypeArray, Items: items}, description)
	p.Explode = new(false)
	o.Parameters = append(o.Parameters, p)
}

func (d *description) errorResponse(o *huma.Operation, status int) {
	name, schema := "Error", &huma.Schema{
		Type: huma.TypeObject, Required: []string{"message"},
		Properties: map[string]*huma.Schema{"message": {Type: huma.TypeString, Description: messageWords}},
	}
	if status == http.StatusConflict {
		planned := d.registry.Schema(reflect.TypeFor[DryRun](), true, "")
		d.registry.SchemaFromRef(planned.Ref).Extensions = map[string]any{"x-hostler-extension": true}
		name, schema = "ConflictError", &huma.Schema{Type: huma.TypeObject, Required: []string{"message"}, Properties: map[string]*huma.Schema{
			"message": {Type: huma.TypeString, Description: messageWords},
			"plan":    {Ref: planned.Ref, Description: newPlanWords},
		}}
	}
	if status == http.StatusUnprocessableEntity {
		name = "ValidationError"
		schema = &huma.Schema{Type: huma.TypeObject, Required: []string{"message", "errors"}, Properties: map[string]*huma.Schema{
			"message": {Type: huma.TypeString, Description: messageWords},
			"errors": {
				Type: huma.TypeObject, Description: errorsWords,
				AdditionalProperties: &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}},
			},
			"codes": {
				Type: huma.TypeObject, Description: codesWords, Extensions: map[string]any{"x-hostler-extension": true},
				AdditionalProperties: &huma.Schema{Type: huma.TypeArray, Items: problemSchema()},
			},
		}}
	}
	if d.registry.Map()[name] == nil {
		d.registry.Map()[name] = schema
	}
	shared := strings.ReplaceAll(http.StatusText(status), " ", "")
	if d.openapi.Components.Responses[shared] == nil {
		res := &huma.Response{
			Description: http.StatusText(status),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{Ref: componentRef + name}}},
		}
		if status == http.StatusTooManyRequests {
			res.Headers = map[string]*huma.Param{"Retry-After": header(retryWords, true)}
		}
		if status == http.StatusUnprocessableEntity {
			res.Headers = map[string]*huma.Param{IgnoredHeader: header(ignoredWords, false)}
		}
		d.openapi.Components.Responses[shared] = res
	}
	o.Responses[strconv.Itoa(status)] = &huma.Response{Ref: "#/components/responses/" + shared}
}

// header describes a header; always says that it never lacks.
func header(words string, always bool) *huma.Param {
	return &huma.Param{Description: words, Required: always, Schema: &huma.Schema{Type: huma.TypeString}}
}

func (d *description) includedSchema(op *Operation) *huma.Schema {
	var schemas []*huma.Schema
	seen := map[reflect.Type]bool{}
	add := func(resource any) {
		if t := reflect.TypeOf(resource); !seen[t] {
			seen[t] = true
			schemas = append(schemas, d.registry.Schema(t, true, ""))
		}
	}
	for _, i := range op.Includes {
		add(i.Resource)
	}
	for _, resource := range op.Included {
		add(resource)
	}
	slices.SortFunc(schemas, func(a, b *huma.Schema) int { return strings.Compare(a.Ref, b.Ref) })
	switch len(schemas) {
	case 0:
		return nil
	case 1:
		return schemas[0]
	default:
		return &huma.Schema{AnyOf: schemas}
	}
}

func queryParam(name string, schema *huma.Schema, description string) *huma.Param {
	return &huma.Param{Name: name, In: "query", Schema: schema, Description: description}
}

// description is the OpenAPI document of all operations. It is made when it is first read: few programs that have a Router read it. Only its text is kept, as
// what it is made of is twenty times as large.
type description struct {
	config Config
	// parts are what operations add to it, in the order of their registration.
	parts []func(*description)
	// shown are the paths of lists whose resources have an address below it, each its own.
	shown map[string]bool

	once sync.Once
	raw  []byte
	err  error

	// Of one that is made.
	registry huma.Registry
	openapi  *huma.OpenAPI
}

// ownTags are the groups of operations that the contract does not have, in alphabetical order; they come after its own.
func (d *description) ownTags() []*huma.Tag {
	var names []string
	for _, item := range d.openapi.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				names = append(names, op.Tags...)
			}
		}
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool { return slices.Contains(d.config.Tags, name) })
	out := make([]*huma.Tag, len(names))
	for i, name := range names {
		out[i] = &huma.Tag{Name: name}
	}
	return out
}

func newRegistry() huma.Registry { return huma.NewMapRegistry(componentRef, schemaName) }

// made returns a description that is made.
func (d *description) made() *description {
	m := &description{config: d.config, shown: d.shown, registry: newRegistry()}
	m.openapi = newOpenAPI(m.config, m.registry)
	for _, add := range d.parts {
		add(m)
	}
	m.openapi.Tags = append(m.openapi.Tags, m.ownTags()...)
	enumerate(m.config.Values, m.registry.Map())
	for name, schema := range m.registry.Map() {
		m.describeFields(name, schema)
		loosen(schema)
	}
	return m
}

// Description returns the OpenAPI 3.1.0 document of all registered operations.
func (r *Router) Description() ([]byte, error) {
	d := r.description
	d.once.Do(func() {
		if d.raw, d.err = d.made().openapi.MarshalJSON(); d.err != nil {
			d.err = fmt.Errorf("write the description: %w", d.err)
		}
	})
	return d.raw, d.err
}

// bodySchema returns the schema of a body; nil for NoBody.
func (d *description) bodySchema(t reflect.Type) *huma.Schema {
	if t == reflect.TypeFor[NoBody]() {
		return nil
	}
	s := d.registry.Schema(t, true, "")
	markOurs(d.registry, t)
	return s
}

// markOurs marks the properties of a struct that the contract does not have, those with the tag ours:"true", and those of the structs in it.
func markOurs(reg huma.Registry, t reflect.Type) {
	s := reg.Schema(t, true, "")
	if s.Ref != "" {
		s = reg.SchemaFromRef(s.Ref)
	}
	if s == nil || t.Kind() != reflect.Struct {
		return
	}
	for _, f := range reflect.VisibleFields(t) { // and those of embedded structs, whose properties are the struct's own
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if p := s.Properties[name]; p != nil && f.Tag.Get("ours") == "true" {
			if p.Extensions == nil {
				p.Extensions = map[string]any{}
			}
			p.Extensions["x-hostler-extension"] = true
		}
		inner := f.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if name != "" && inner.Kind() == reflect.Struct && inner != t && inner.PkgPath() == t.PkgPath() {
			markOurs(reg, inner)
		}
	}
}

// loosen adapts a schema to the contract: unknown properties are allowed, and null is one of the values of a nullable enum.
func loosen(s *huma.Schema) {
	if s == nil {
		return
	}
	if s.AdditionalProperties == false {
		s.AdditionalProperties = nil
	}
	if s.Nullable && len(s.Enum) > 0 && !slices.Contains(s.Enum, any(nil)) {
		s.Enum = append(s.Enum, nil)
	}
	for _, p := range s.Properties {
		loosen(p)
	}
	loosen(s.Items)
}

// servePublic serves what needs no credentials: the description.
func (r *Router) servePublic(w http.ResponseWriter, req *http.Request) bool {
	if !describes(req.URL.Path) || req.Method != http.MethodGet && req.Method != http.MethodHead {
		return false
	}
	raw, err := r.Description()
	if err != nil {
		r.writeError(w, req, err)
		return true
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw)
	return true
}

// describes reports whether the description is served at this path.
func describes(path string) bool { return path == Root+"/docs.openapi" || path == Root+"/openapi.json" }
