package contract

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// param is one parameter of an operation.
type param struct {
	name, in string
	required bool
	explode  bool
	schema   *schema
	values   []string // what a list parameter may hold
	deflt    string
}

func (p param) key() string { return p.in + " parameter " + p.name }

func readParams(r *reader, item, op map[string]any) []param {
	var params []param
	for _, owner := range []map[string]any{item, op} {
		list, _ := owner["parameters"].([]any)
		for _, raw := range list {
			m := r.resolve(raw)
			p := param{explode: true, schema: r.read(m["schema"])}
			p.name, _ = m["name"].(string)
			p.in, _ = m["in"].(string)
			p.required, _ = m["required"].(bool)
			if explode, ok := m["explode"].(bool); ok {
				p.explode = explode
			}
			if values, ok := r.resolve(r.resolve(m["schema"])["items"])["enum"]; ok {
				p.values = texts(values)
			}
			if d, ok := r.resolve(m["schema"])["default"]; ok {
				p.deflt = text(d)
			}
			params = slices.DeleteFunc(params, func(o param) bool { return o.key() == p.key() })
			params = append(params, p)
		}
	}
	return params
}

// CompareDescription returns every way in which our OpenAPI document departs from the contract for the given operations, and
// other errors of it. We may add: operations marked x-hostler-extension, optional parameters, codes, security alternatives,
// properties so marked, meta in documents, and a document where the contract shows a 202 without a body. A response may promise
// more than the contract, a request must not accept less. Nil means no differences.
func CompareDescription(doc []byte, implemented []string) []string {
	var f findings
	v, err := decode(doc)
	if err != nil {
		return []string{err.Error()}
	}
	b := load()
	d := &described{doc: object(v), book: b, ops: map[string]ourOperation{}, f: &f}
	d.reader = newReader(d.doc)
	d.compareFrame()
	d.collect()
	for _, id := range implemented {
		e, ok := b.byID[id]
		if !ok {
			f.add(id, "is not an operation of the contract")
			continue
		}
		ours, ok := d.ops[id]
		if !ok {
			f.add(id, "is not described")
			continue
		}
		d.compare(e, ours)
	}
	return f
}

type described struct {
	doc    map[string]any
	reader *reader
	book   *book
	ops    map[string]ourOperation
	f      *findings
}

type ourOperation struct {
	method, path string
	raw, item    map[string]any
}

// compareFrame compares what is outside the operations.
func (d *described) compareFrame() {
	f := d.f
	if d.doc["openapi"] != "3.1.0" {
		f.add("openapi", "is %s, want \"3.1.0\"", text(d.doc["openapi"]))
	}
	if version := object(d.doc["info"])["version"]; version != "0.0.1" {
		f.add("info.version", "is %s, want \"0.0.1\"", text(version))
	}
	schemes := object(object(d.doc["components"])["securitySchemes"])
	http := d.reader.resolve(schemes["http"])
	if scheme, _ := http["scheme"].(string); http["type"] != "http" || !strings.EqualFold(scheme, "bearer") {
		f.add("components.securitySchemes.http", "is not a bearer scheme")
	}
	oauth := d.reader.resolve(schemes["oauth2"])
	flow := object(object(oauth["flows"])["authorizationCode"])
	if oauth["type"] != "oauth2" || len(flow) == 0 {
		f.add("components.securitySchemes.oauth2", "is not OAuth 2.0 with an authorization code flow")
		return
	}
	for word, end := range map[string]string{"authorizationUrl": "/oauth/authorize", "tokenUrl": "/oauth/token"} {
		if got, _ := flow[word].(string); !strings.HasSuffix(got, end) {
			f.add("components.securitySchemes.oauth2", "%s is %q, want one that ends in %s", word, got, end)
		}
	}
	sameSet(f, "components.securitySchemes.oauth2", "scope", d.book.seed.Scopes, sortedKeys(object(flow["scopes"])))
	var global []string
	list, _ := d.doc["security"].([]any)
	for _, requirement := range list {
		global = append(global, sortedKeys(object(requirement))...)
	}
	for _, scheme := range []string{"http", "oauth2"} {
		if !slices.Contains(global, scheme) {
			f.add("security", "%s is missing", scheme)
		}
	}
}

// collect finds our operations, and those among them that are neither the contract's nor marked as ours.
func (d *described) collect() {
	routes := map[string]string{}
	for _, e := range d.book.byID {
		routes[e.Method+" "+e.Path] = e.ID
	}
	for _, path := range sortedKeys(object(d.doc["paths"])) {
		item := d.reader.resolve(object(d.doc["paths"])[path])
		for _, method := range sortedKeys(item) {
			if !slices.Contains([]string{"get", "put", "post", "delete", "patch", "options", "head", "trace"}, method) {
				continue
			}
			raw := object(item[method])
			ours := ourOperation{method: strings.ToUpper(method), path: path, raw: raw, item: item}
			id, _ := raw["operationId"].(string)
			extension, _ := raw["x-hostler-extension"].(bool)
			owner, isRoute := routes[ours.method+" "+path]
			_, inContract := d.book.byID[id]
			if _, twice := d.ops[id]; twice {
				d.f.add(id, "is described twice")
			}
			switch {
			case !inContract && isRoute:
				d.f.add(ours.method+" "+path, "has the operation id %q, want %q", id, owner)
			case !inContract && !extension:
				d.f.add(ours.method+" "+path, "(%s) is not in the contract and not marked x-hostler-extension", id)
			case inContract && extension:
				d.f.add(id, "is marked x-hostler-extension but is in the contract")
			}
			d.ops[id] = ours
		}
	}
}

func (d *described) compare(e *entry, ours ourOperation) {
	f := d.f
	if ours.method != e.Method || ours.path != e.Path {
		f.add(e.ID, "is %s %s, want %s %s", ours.method, ours.path, e.Method, e.Path)
	}
	if mode := ours.raw["x-processingMode"]; mode != e.Mode {
		f.add(e.ID, "x-processingMode is %s, want %q", text(mode), e.Mode)
	}
	sameSet(f, e.ID, "tag", []string{e.Tag}, texts(ours.raw["tags"]))
	if _, ok := ours.raw["x-permissions"]; !ok {
		f.add(e.ID, "x-permissions is missing")
	}
	permissions := texts(ours.raw["x-permissions"])
	sameSet(f, e.ID, "x-permissions entry", d.book.deviations.asks(e), permissions)
	d.compareSecurity(e, ours)
	d.compareParams(e, ours)
	d.compareRequest(e, ours)
	d.compareResponses(e, ours)
}

func (d *described) compareSecurity(e *entry, ours ourOperation) {
	security, ok := ours.raw["security"]
	if !ok {
		security = d.doc["security"]
	}
	list, _ := security.([]any)
	if len(list) == 0 {
		d.f.add(e.ID, "security is open to anybody")
	}
	hasOAuth := false
	for _, requirement := range list {
		r := object(requirement)
		_, oauth := r["oauth2"]
		hasOAuth = hasOAuth || oauth
		if len(r) == 0 {
			d.f.add(e.ID, "security is open to anybody")
		}
	}
	if !hasOAuth {
		d.f.add(e.ID, "security does not name oauth2")
	}
	scopes := oauthScopes(security)
	sameSet(d.f, e.ID, "oauth2 scope", d.book.deviations.asks(e), scopes)
}

func (d *described) compareParams(e *entry, ours ourOperation) {
	got := map[string]param{}
	for _, p := range readParams(d.reader, ours.item, ours.raw) {
		got[p.key()] = p
	}
	for _, want := range e.params {
		at := e.ID + ": " + want.key()
		p, ok := got[want.key()]
		if !ok {
			d.f.add(at, "is missing")
			continue
		}
		delete(got, want.key())
		if p.required != want.required {
			d.f.add(at, "required is %t, want %t", p.required, want.required)
		}
		if want.in == "path" {
			if p.schema.types() != want.schema.types() {
				d.f.add(at, "is %s, want %s", p.schema.types(), want.schema.types())
			}
			continue
		}
		if len(want.schema.kinds["array"]) > 0 && p.explode != want.explode {
			d.f.add(at, "explode is %t, want %t", p.explode, want.explode)
		}
		if want.deflt != "" && p.deflt != "" && p.deflt != want.deflt {
			d.f.add(at, "default is %s, want %s", p.deflt, want.deflt)
		}
		(&comparison{request: true}).schemas(want.schema, p.schema, at, d.f)
	}
	for _, key := range sortedKeys(got) {
		if got[key].required {
			d.f.add(e.ID, "%s is ours and required", key)
		}
	}
}

func (d *described) compareRequest(e *entry, ours ourOperation) {
	body := d.reader.resolve(ours.raw["requestBody"])
	at := e.ID + ": request body"
	if !e.HasBody {
		if required, _ := body["required"].(bool); required {
			d.f.add(at, "is required, the contract has none")
		}
		return
	}
	if len(body) == 0 {
		d.f.add(at, "is missing")
		return
	}
	required, _ := body["required"].(bool)
	mayRequire := e.body.object() != nil && len(e.body.object().required) > 0
	if required != e.BodyRequired && !(required && mayRequire) {
		d.f.add(at, "required is %t, want %t", required, e.BodyRequired)
	}
	media, ok := object(body["content"])[e.bodyType]
	if !ok {
		d.f.add(at, "has no content type %s", e.bodyType)
		return
	}
	(&comparison{request: true}).schemas(e.body, d.reader.read(object(media)["schema"]), at, d.f)
}

func (d *described) compareResponses(e *entry, ours ourOperation) {
	responses := object(ours.raw["responses"])
	for _, code := range sortedKeys(responses) {
		n, err := strconv.Atoi(code)
		isError := code == "default" || err == nil && n >= 400
		content := object(d.reader.resolve(responses[code])["content"])
		if isError && len(content) > 0 && !slices.Contains(e.ErrorCodes, n) { // a code of ours has the contract's shape all the same
			d.compareError(n, content, fmt.Sprintf("%s: response %s", e.ID, code))
		}
	}
	for _, code := range append([]int{e.SuccessCode}, e.ErrorCodes...) {
		at := fmt.Sprintf("%s: response %d", e.ID, code)
		raw, ok := responses[strconv.Itoa(code)]
		if !ok {
			d.f.add(at, "is missing")
			continue
		}
		content := object(d.reader.resolve(raw)["content"])
		switch {
		case code >= 400:
			d.compareError(code, content, at)
		case e.success != nil:
			media, ok := content[e.SuccessType]
			if !ok {
				d.f.add(at, "has no content type %s", e.SuccessType)
				continue
			}
			(&comparison{}).schemas(e.success, d.reader.read(object(media)["schema"]), at, d.f)
		case code == http.StatusNoContent && len(content) > 0:
			d.f.add(at, "has a body, want none")
		case len(content) > 0:
			media, ok := content[TypeDocument]
			if !ok {
				d.f.add(at, "has no content type %s", TypeDocument)
			} else if e.noun != nil {
				got := d.reader.read(object(media)["schema"]).prop("data")
				if got == nil {
					d.f.add(at, "has no data")
					continue
				}
				if list := got.kinds["array"]; len(list) == 1 && len(got.kinds) == 1 {
					got = list[0].items
				}
				(&comparison{}).schemas(e.noun, got, at+" data", d.f)
			}
		}
	}
}

// compareError expects {message}, and errors beside it in a 422, also where the contract shows a list of
// unspecified items.
func (d *described) compareError(code int, content map[string]any, at string) {
	media, ok := content[TypeJSON]
	if !ok {
		d.f.add(at, "has no content type %s", TypeJSON)
		return
	}
	shape := map[string]any{"message": map[string]any{"type": "string"}}
	required := []string{"message"}
	if code == http.StatusUnprocessableEntity {
		shape["errors"] = map[string]any{"type": "object", "additionalProperties": map[string]any{
			"type": "array", "items": map[string]any{"type": "string"},
		}}
		required = append(required, "errors")
	}
	want := (&reader{}).read(objectOf(shape, required...))
	(&comparison{}).schemas(want, d.reader.read(object(media)["schema"]), at, d.f)
}
