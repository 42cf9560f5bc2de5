// Package contract carries the published contract of the HTTP API as data and checks responses and the API
// description against it. It is for tests; nothing in the product imports it.
package contract

import (
	_ "embed"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed contract.json
var contractJSON []byte

//go:embed operations.tsv
var operationsTSV string

//go:embed seed.json
var seedJSON []byte

//go:embed deviations.json
var deviationsJSON []byte

// Content types of the contract.
const (
	TypeDocument = "application/vnd.api+json" // successes
	TypeJSON     = "application/json"         // errors and request bodies
)

// Operation is one operation of the contract, or one of our extensions.
type Operation struct {
	ID           string
	Method       string // upper case
	Path         string // with {parameters}, without the base path
	Tag          string
	Mode         string   // sync or async
	Permissions  []string // what the role must allow
	OAuthScopes  []string // what the token must carry; differs from Permissions on some operations
	SuccessCode  int
	SuccessType  string // content type of the success body; empty when the contract shows none
	ErrorCodes   []int  // declared ones, sorted
	HasBody      bool
	BodyRequired bool
	Filters      []string // without filter[…]
	Sorts        []string // with their descending forms
	Includes     []string
	Paginated    bool
	Extension    bool // ours, not in the contract
}

// Option changes what an operation id or a path may refer to.
type Option func(*options)

type options struct {
	extensions []Operation
	fields     map[string][]string
}

// WithFields adds the fields of the requests of operations, and the parameters of their queries: the only names that the errors of a 422 may have.
func WithFields(fields map[string][]string) Option {
	return func(o *options) { o.fields = fields }
}

// WithExtensions adds operations of ours that the contract does not have. Of them ID, Method, Path, SuccessCode and
// SuccessType are used; an empty SuccessType stands for a document.
func WithExtensions(ops ...Operation) Option {
	return func(o *options) { o.extensions = append(o.extensions, ops...) }
}

func with(opts []Option) options {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	for i := range o.extensions {
		o.extensions[i].Extension = true
	}
	return o
}

// book is the contract as read, with our recorded deviations applied to it.
type book struct {
	operations []Operation // in the order of the list of operations
	byID       map[string]*entry
	deviations deviations
	seed       seed
	link       *schema
	raw        map[string]any
	resources  map[string]*schema // schemas of components by name
}

// entry is what checks need to know of an operation.
type entry struct {
	Operation
	raw      map[string]any // the operation in the contract
	params   []param
	success  *schema // nil when the contract shows no body
	body     *schema // request body
	bodyType string
	noun     *schema // resource that a document may carry where the contract shows no body; nil when not known
}

var load = sync.OnceValue(func() *book {
	b, err := read(deviationsJSON)
	if err != nil {
		panic(fmt.Sprintf("contract: %v", err)) // the data is embedded: only a bad edit gets here
	}
	return b
})

// read reads the embedded data with the given deviations.
func read(deviationsData []byte) (*book, error) {
	v, err := decode(contractJSON)
	if err != nil {
		return nil, err
	}
	doc := object(v)
	b := &book{byID: map[string]*entry{}, raw: doc, resources: map[string]*schema{}}
	if b.deviations, err = readDeviations(deviationsData); err != nil {
		return nil, err
	}
	if err := b.deviations.apply(doc); err != nil {
		return nil, err
	}
	r := newReader(doc)
	for name := range object(object(doc["components"])["schemas"]) {
		b.resources[name] = r.read(map[string]any{"$ref": "#/components/schemas/" + name})
	}
	b.link = b.resources["Link"]
	for path, item := range object(doc["paths"]) {
		for method, raw := range object(item) {
			e := readEntry(r, path, method, object(raw))
			b.byID[e.ID] = e
		}
	}
	for i, line := range strings.Split(strings.TrimSpace(operationsTSV), "\n") {
		if i == 0 {
			continue
		}
		e, ok := b.byID[strings.Split(line, "\t")[2]]
		if !ok {
			return nil, fmt.Errorf("operations.tsv line %d: not in contract.json", i+1)
		}
		b.operations = append(b.operations, e.Operation)
	}
	if len(b.operations) != len(b.byID) {
		return nil, fmt.Errorf("operations.tsv has %d operations, contract.json %d", len(b.operations), len(b.byID))
	}
	b.findNouns()
	b.seed, err = readSeed(seedJSON)
	return b, err
}

func readEntry(r *reader, path, method string, raw map[string]any) *entry {
	e := &entry{raw: raw}
	e.Method, e.Path = strings.ToUpper(method), path
	e.ID, _ = raw["operationId"].(string)
	e.Mode, _ = raw["x-processingMode"].(string)
	if tags := texts(raw["tags"]); len(tags) > 0 {
		e.Tag = tags[0]
	}
	e.Permissions = texts(raw["x-permissions"])
	e.OAuthScopes = oauthScopes(raw["security"])
	for code, response := range object(raw["responses"]) {
		n, _ := strconv.Atoi(code)
		if n >= 400 {
			e.ErrorCodes = append(e.ErrorCodes, n)
			continue
		}
		e.SuccessCode = n
		for contentType, media := range object(r.resolve(response)["content"]) {
			e.SuccessType = contentType
			e.success = r.read(object(media)["schema"])
		}
	}
	slices.Sort(e.ErrorCodes)
	if body := r.resolve(raw["requestBody"]); len(body) > 0 {
		e.HasBody = true
		e.BodyRequired, _ = body["required"].(bool)
		for contentType, media := range object(body["content"]) {
			e.bodyType = contentType
			e.body = r.read(object(media)["schema"])
		}
	}
	e.params = readParams(r, nil, raw)
	for _, p := range e.params {
		switch name := p.name; {
		case p.in != "query":
		case name == "page[cursor]":
			e.Paginated = true
		case name == "sort":
			e.Sorts = p.values
		case name == "include":
			e.Includes = p.values
		case strings.HasPrefix(name, "filter["):
			e.Filters = append(e.Filters, strings.TrimSuffix(strings.TrimPrefix(name, "filter["), "]"))
		}
	}
	return e
}

// findNouns determines the resource of a document for which the contract shows no body: that of the read at the same path, or one
// level up for actions.
func (b *book) findNouns() {
	reads := map[string]*schema{}
	for _, e := range b.byID {
		if e.Method != "GET" || e.success == nil {
			continue
		}
		data := e.success.prop("data")
		if data == nil {
			continue
		}
		if list := data.kinds["array"]; len(list) == 1 {
			data = list[0].items
		}
		reads[e.Path] = data
	}
	for _, e := range b.byID {
		if e.success != nil || e.SuccessCode != 202 {
			continue
		}
		e.noun = reads[e.Path]
		if parent, ok := strings.CutSuffix(e.Path, "/actions"); ok && e.noun == nil {
			e.noun = reads[parent]
		}
		if name, ok := b.deviations.document(e.ID); ok {
			e.noun = b.resources[name]
		}
	}
}

// Operations returns all operations of the contract in the order of its list, grouped by tag.
func Operations() []Operation { return slices.Clone(load().operations) }

// Find returns the operation with the given id.
func Find(id string, opts ...Option) (Operation, bool) {
	if e, ok := load().byID[id]; ok {
		return e.Operation, true
	}
	for _, op := range with(opts).extensions {
		if op.ID == id {
			return op, true
		}
	}
	return Operation{}, false
}

// Match returns the operation of a concrete request path, without the base path, and the values of its path
// parameters. Where several paths fit, a literal segment wins over a parameter, the leftmost first. HEAD is matched
// as GET.
func Match(method, path string, opts ...Option) (opID string, params map[string]string, ok bool) {
	if method == "HEAD" {
		method = "GET"
	}
	segments := strings.Split(path, "/")
	var best []bool
	for _, operations := range [][]Operation{load().operations, with(opts).extensions} {
		for _, op := range operations {
			if op.Method != method {
				continue
			}
			found, literal, fits := fit(op.Path, segments)
			if fits && (!ok || moreLiteral(literal, best)) {
				opID, params, best, ok = op.ID, found, literal, true
			}
		}
	}
	return opID, params, ok
}

func fit(pattern string, segments []string) (params map[string]string, literal []bool, ok bool) {
	if strings.Count(pattern, "/")+1 != len(segments) {
		return nil, nil, false
	}
	params = map[string]string{}
	for i, p := range strings.Split(pattern, "/") {
		if name, isParam := strings.CutPrefix(p, "{"); isParam {
			value, err := url.PathUnescape(segments[i])
			if err != nil || value == "" {
				return nil, nil, false
			}
			params[strings.TrimSuffix(name, "}")] = value
		} else if p != segments[i] {
			return nil, nil, false
		}
		literal = append(literal, !strings.HasPrefix(p, "{"))
	}
	return params, literal, true
}

func moreLiteral(a, b []bool) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i]
		}
	}
	return false
}

// oauthScopes returns the scopes that a security requirement asks of the oauth2 scheme.
func oauthScopes(security any) []string {
	list, _ := security.([]any)
	for _, requirement := range list {
		if scopes, ok := object(requirement)["oauth2"]; ok {
			return texts(scopes)
		}
	}
	return []string{}
}

func texts(v any) []string {
	out := []string{}
	list, _ := v.([]any)
	for _, e := range list {
		out = append(out, fmt.Sprint(e))
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
