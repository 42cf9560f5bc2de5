// Package description reads the API's description into what clients are made from: operations with their commands, arguments and fields.
package description

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// Operation is an operation with the command that calls it.
type Operation struct {
	ID          string `json:"id"`
	Noun        string `json:"noun"`
	Verb        string `json:"verb"`
	Method      string `json:"method"`
	Path        string `json:"path"`
	Summary     string `json:"summary"`
	Description string `json:"description,omitempty"`
	// Arguments are what a command takes in order.
	Arguments []Argument `json:"arguments,omitempty"`
	// Fields are those of the body, Query those of the query beyond pages and the dry run.
	Fields []Field `json:"fields,omitempty"`
	Query  []Field `json:"query,omitempty"`
	// File is the name of the field of a body that is a file, "" for none.
	File string `json:"file,omitempty"`
	// Raw is set if the body is a file itself.
	Raw     bool     `json:"raw,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Answer  Answer   `json:"answer"`
	// Waits is set if the answer names an event, Destroys if the call removes something, Plans if it can show what it would do.
	Waits    bool `json:"waits,omitempty"`
	Destroys bool `json:"destroys,omitempty"`
	Plans    bool `json:"plans,omitempty"`
	// Asks is what is said before the call, which a person must confirm, "" for a call without a question.
	Asks string `json:"asks,omitempty"`
	// AsksTo is what is said before single actions only, by the value of the field action.
	AsksTo map[string]string `json:"asks_to,omitempty"`
	// Formerly is the command that the operation had before it was renamed, "" for none.
	Formerly string `json:"formerly,omitempty"`
	// Action is the value of the field action if the verb says it.
	Action string `json:"action,omitempty"`
	// Permissions are what a call needs whatever it asks for.
	Permissions []string `json:"permissions,omitempty"`
	// Further are what a call needs as well if it gives certain fields.
	Further []Further `json:"further,omitempty"`
	// Secrets are the members of the answer that are secrets, by their paths: data.attributes.content. Lists have no part in a path, and * is any member.
	Secrets []string `json:"secrets,omitempty"`
}

// Further are permissions that a call needs if one of the fields is given.
type Further struct {
	Permissions []string `json:"permissions"`
	Given       []string `json:"given"`
}

// Answer is what an operation answers with.
type Answer string

// The answers.
const (
	List   Answer = "list"
	One    Answer = "one"
	None   Answer = "none"
	Text   Answer = "text"   // CSV or JSON lines
	Binary Answer = "binary" // a file of any kind
	Stream Answer = "stream" // server-sent events
)

// binaryType is the media type of files of any kind.
const binaryType = "application/octet-stream"

// Argument is a parameter of the path, or a field of the body.
type Argument struct {
	Name string `json:"name"`
	// Field is set for a field of the body.
	Field bool `json:"field,omitempty"`
	// Word is set for a parameter that is a text of its own, such as a version; the others are ids.
	Word bool `json:"word,omitempty"`
	// By are the attributes that the resources of the list above a parameter go by, and Filtered is set if the list can be limited to a name.
	By       []string `json:"by,omitempty"`
	Filtered bool     `json:"filtered,omitempty"`
}

// Kind returns what an argument names, as words.
func (a Argument) Kind() string {
	return strings.ToLower(strings.ReplaceAll(Placeholder(a.Name), "_", " "))
}

// Field is a member of a body, or a parameter of a query.
type Field struct {
	// Name is the path of members, such as aws.region, or the parameter, and Flag what a command calls it.
	Name        string   `json:"name"`
	Flag        string   `json:"flag"`
	Type        Type     `json:"type"`
	Description string   `json:"description,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Required    bool     `json:"required,omitempty"`
	// Of is set for a field with ids of other resources.
	Of *Reference `json:"of,omitempty"`
	// Null is set if null clears the field, Secret if its value is never shown, Long if it is a text of many lines, or holds
	// secrets.
	Null   bool `json:"null,omitempty"`
	Secret bool `json:"secret,omitempty"`
	Long   bool `json:"long,omitempty"`
	// Default is the value that a command has unless another is given, "" for none.
	Default string `json:"default,omitempty"`
	// Variant is the field whose value must be the first part of the name: hetzner.region_id is sent if provider is hetzner. The fields of all variants that
	// mean the same have one flag.
	Variant string `json:"variant,omitempty"`
	// Items are the members of the objects in a list, by their names.
	Items []Field `json:"items,omitempty"`
}

// Reference is where the resources are that a field has ids of.
type Reference struct {
	// Lists are the paths of their lists, with parameters of the operation's path only: the nearest, and one that all organizations have.
	Lists []string `json:"lists"`
	// By are the attributes that they go by, and Filtered is set if the list can be limited to a name.
	By       []string `json:"by"`
	Filtered bool     `json:"filtered,omitempty"`
}

// Type is what a field takes.
type Type string

// The types.
const (
	String  Type = "string"
	Integer Type = "integer"
	Number  Type = "number"
	Boolean Type = "boolean"
	Strings Type = "strings"
	Numbers Type = "numbers" // whole ones
	JSON    Type = "json"
)

// document is what is read of a description.
type document struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Schemas map[string]*schema `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	ID          string `json:"operationId"`
	Summary     string `json:"summary"`
	Description string `json:"description"`
	Command     *struct {
		Noun      string            `json:"noun"`
		Verb      string            `json:"verb"`
		Arguments []string          `json:"arguments"`
		Refers    map[string]string `json:"refers"`
		Columns   []string          `json:"columns"`
		Waits     bool              `json:"waits"`
		Destroys  bool              `json:"destroys"`
		Asks      string            `json:"asks"`
		AsksTo    map[string]string `json:"asks_to"`
		Actions   map[string]string `json:"actions"`
		Formerly  string            `json:"formerly"`
		Defaults  map[string]string `json:"defaults"`
	} `json:"x-hostler"`
	Permissions []string    `json:"x-permissions"`
	Further     []Further   `json:"x-hostler-permissions"`
	Parameters  []parameter `json:"parameters"`
	Body        *struct {
		Content map[string]struct {
			Schema *schema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content map[string]struct {
			Schema *schema `json:"schema"`
		} `json:"content"`
	} `json:"responses"`
}

type parameter struct {
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Description string  `json:"description"`
	Schema      *schema `json:"schema"`
}

type schema struct {
	Ref         string             `json:"$ref"`
	Type        types              `json:"type"`
	Description string             `json:"description"`
	Format      string             `json:"format"`
	Enum        []any              `json:"enum"`
	Properties  map[string]*schema `json:"properties"`
	Required    []string           `json:"required"`
	Items       *schema            `json:"items"`
	AnyOf       []*schema          `json:"anyOf"`
	Additional  *schema            `json:"additionalProperties"`
	MaxLength   int                `json:"maxLength"`
	Secret      bool               `json:"x-hostler-secret"`
}

// types are the names of a schema's types: one, or a list.
type types []string

func (t *types) UnmarshalJSON(raw []byte) error {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(t))
}

// Read returns the operations of a description that have a command, by noun and verb.
func Read(raw []byte) ([]Operation, error) {
	var d document
	if err := json.Unmarshal(raw, &d); err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	read := map[string]map[string]*operation{}
	for path, methods := range d.Paths {
		read[path] = map[string]*operation{}
		for method, raw := range methods {
			var o operation
			if method == "parameters" {
				continue
			}
			if err := json.Unmarshal(raw, &o); err != nil {
				return nil, fmt.Errorf("read %s %s: %w", method, path, err)
			}
			read[path][method] = &o
		}
	}
	var out []Operation
	for path, methods := range read {
		for method, o := range methods {
			if o.Command != nil {
				out = append(out, actions(d.made(strings.ToUpper(method), path, o, read), o.Command.Actions)...)
			}
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the description has no operations with commands")
	}
	slices.SortFunc(out, func(a, b Operation) int { return strings.Compare(a.Noun+" "+a.Verb, b.Noun+" "+b.Verb) })
	return out, nil
}

// actions returns a command for each action of an operation whose verb is act, else the operation's own.
func actions(o Operation, summaries map[string]string) []Operation {
	i := slices.IndexFunc(o.Fields, func(f Field) bool { return f.Name == "action" })
	if o.Verb != "act" || i < 0 || len(o.Fields[i].Enum) == 0 {
		return []Operation{o}
	}
	values := o.Fields[i].Enum
	if o.Fields = slices.Delete(o.Fields, i, i+1); len(o.Fields) == 0 {
		o.Fields = nil
	}
	o.Arguments = slices.DeleteFunc(o.Arguments, func(a Argument) bool { return a.Field })
	var out []Operation
	of := o
	o.AsksTo = nil
	for _, o.Action = range values {
		o.Verb, o.Asks, o.Summary = o.Action, of.AsksBefore(o.Action), cmp.Or(summaries[o.Action], of.Summary)
		out = append(out, o)
	}
	return out
}

func (d *document) made(method, path string, o *operation, all map[string]map[string]*operation) Operation {
	out := Operation{
		ID: o.ID, Noun: o.Command.Noun, Verb: o.Command.Verb, Method: method, Path: path, Summary: o.Summary, Description: o.Description,
		Columns: o.Command.Columns, Waits: o.Command.Waits, Destroys: o.Command.Destroys, Asks: o.Command.Asks,
		AsksTo: o.Command.AsksTo, Formerly: o.Command.Formerly, Answer: d.answer(o),
		Secrets: d.secrets(o), Further: o.Further,
	}
	if len(o.Permissions) > 0 { // as an operation is read back, without any
		out.Permissions = o.Permissions
	}
	if o.Body != nil {
		if part, ok := o.Body.Content["multipart/form-data"]; ok {
			out.Fields = d.fields("", part.Schema)
			out.Fields = slices.DeleteFunc(out.Fields, func(f Field) bool {
				is := d.resolved(part.Schema).Properties[f.Name].Format == "binary"
				if is {
					out.File = f.Name
				}
				return is
			})
		}
		_, out.Raw = o.Body.Content[binaryType]
		out.Fields = append(out.Fields, d.fields("", o.Body.Content["application/json"].Schema)...)
	}
	words := map[string]bool{}
	for _, p := range o.Parameters {
		switch s := d.resolved(p.Schema); {
		case p.In == "path":
			words[p.Name] = slices.Contains(s.Type, "string")
		case p.Name == "dry_run":
			out.Plans = true
		case p.In == "query" && !strings.HasPrefix(p.Name, "page["):
			f := d.field(p.Name, p.Schema)
			f.Description = p.Description
			if of, ok := strings.CutSuffix(strings.TrimPrefix(p.Name, "filter["), "_id]"); ok {
				f.Of = reference(path, SmallCamel(of), all)
			}
			out.Query = append(out.Query, f)
		}
	}
	for _, name := range o.Command.Arguments {
		a := Argument{Name: name, Word: words[name]}
		if above, _, ok := strings.Cut(path, "/{"+name+"}"); !ok {
			a.Field = true
		} else {
			a.By, a.Filtered = named(all[above]["get"])
		}
		out.Arguments = append(out.Arguments, a)
	}
	for i, f := range out.Fields {
		if parameter := o.Command.Refers[f.Name]; parameter != "" && !elsewhere(path, f.Name, o.Command.Refers) {
			out.Fields[i].Of = reference(path, parameter, all)
		}
		for j, item := range f.Items {
			if of, ok := strings.CutSuffix(item.Name, "_id"); ok {
				f.Items[j].Of = reference(path, SmallCamel(of), all)
			}
		}
		inner := map[string]string{}
		for name, value := range o.Command.Defaults {
			if member, ok := strings.CutPrefix(name, f.Name+"."); ok {
				inner[member] = value
			}
		}
		flags(f.Items, inner)
	}
	if wanted := slices.DeleteFunc(slices.Clone(out.Fields), func(f Field) bool { return !f.Required }); len(out.Arguments) == 0 && len(wanted) == 1 && wanted[0].Of != nil {
		out.Arguments = []Argument{{Name: wanted[0].Name, Field: true}} // the resource that it is about
	}
	flags(out.Fields, o.Command.Defaults)
	flags(out.Query, o.Command.Defaults)
	return out
}

// common are the flags that every command has, or that a command may have for what it does itself.
var common = []string{"url", "org", "profile", "output", "query", "wait", "timeout", "dry-run", "yes", "body", "help"}

// deciding are the fields whose values are the names of the objects beside them, where no enumeration says so.
var deciding = []string{"provider"}

// flags gives fields their flags and defaults. One that refers to other resources is called after them, since they can be named, a filter after what it
// compares, and one of a variant after what all variants call it.
func flags(fields []Field, defaults map[string]string) {
	called := strings.NewReplacer("_", "-", ".", "-", "[", "-", "]", "")
	taken, variants := map[string]bool{}, map[string]string{}
	for _, f := range fields {
		taken[f.Name] = true
		if slices.Contains(deciding, f.Name) && len(f.Enum) == 0 {
			for _, inner := range fields {
				if variant, _, nested := strings.Cut(inner.Name, "."); nested {
					variants[variant] = f.Name
				}
			}
		}
		for _, value := range f.Enum {
			variants[value] = f.Name
		}
	}
	for i, f := range fields {
		name := f.Name
		fields[i].Default = defaults[name]
		if filter := strings.TrimSuffix(strings.TrimPrefix(name, "filter["), "]"); !taken[filter] {
			name = filter
		}
		if variant, inner, _ := strings.Cut(f.Name, "."); inner != "" && variants[variant] != "" && !taken[inner] {
			name, fields[i].Variant = inner, variants[variant]
		}
		if f.Of != nil {
			if several, found := strings.CutSuffix(name, "_ids"); found {
				name = several + "s"
			}
			if name = strings.TrimSuffix(name, "_id"); taken[name] {
				name = f.Name
			}
		}
		fields[i].Flag = called.Replace(name)
		if slices.Contains(common, fields[i].Flag) {
			fields[i].Flag = "target-" + fields[i].Flag
		}
	}
}

// named returns the attributes that a list's resources go by, and whether the list can be limited to a name.
func named(list *operation) (by []string, filtered bool) {
	if list == nil || list.Command == nil {
		return nil, false
	}
	return goBy(list.Command.Columns), slices.ContainsFunc(list.Parameters, func(p parameter) bool { return p.Name == "filter[name]" })
}

// elsewhere reports whether a field's ids may be of another server's resources than those below the path.
func elsewhere(path, field string, refers map[string]string) bool {
	return refers["server_id"] != "" && field != "server_id" && strings.Contains(path, "/{server}/")
}

// reference returns where the resources are that a parameter of a path names: as near to an operation's path as there are some, and those that come with the
// program; nil if no list has them.
func reference(path, parameter string, all map[string]map[string]*operation) *Reference {
	var nearest, shipped, below string
	for one := range all {
		list, found := strings.CutSuffix(one, "/{"+parameter+"}")
		above := list[:strings.LastIndexByte(list, '}')+1]
		by, _ := named(all[list]["get"])
		if !found || list == path || len(by) == 0 || !strings.HasPrefix(path, above) { // what an operation adds to is not where it finds it
			continue
		}
		switch {
		case above == "":
			shipped = list
		case len(above) > len(below), len(above) == len(below) && len(list) < len(nearest): // the archived are another list, with a longer path
			nearest, below = list, above
		}
	}
	lists := slices.DeleteFunc([]string{nearest, shipped}, func(list string) bool { return list == "" })
	if len(lists) == 0 {
		return nil
	}
	by, filtered := named(all[lists[0]]["get"])
	return &Reference{lists, by, filtered}
}

// goBy returns the attributes among columns that name a resource for people.
func goBy(columns []string) []string {
	var out []string
	for _, name := range columns {
		member := name
		if strings.HasPrefix(name, "meta.") {
			member = name[strings.LastIndexByte(name, '.')+1:]
		}
		if slices.Contains([]string{"name", "domain", "email", "slug", "version", "command", "repository", "registry", "from", "path", "code"}, member) {
			out = append(out, name)
		}
	}
	return out
}

func (d *document) answer(o *operation) Answer {
	for status, r := range o.Responses {
		if status[0] != '2' || status == "200" && o.Responses["202"].Content != nil { // the plan of a dry run
			continue
		}
		for media, content := range r.Content {
			s := d.resolved(content.Schema)
			switch {
			case media == "text/event-stream":
				return Stream
			case media == binaryType:
				return Binary
			case media != "application/vnd.api+json":
				return Text
			case s.Properties["data"] != nil && slices.Contains(s.Properties["data"].Type, "array"):
				return List
			}
			return One
		}
	}
	return None
}

// secrets returns the members of an operation's answers that are secrets, in alphabetical order.
func (d *document) secrets(o *operation) []string {
	var out []string
	for status, r := range o.Responses {
		for _, content := range r.Content {
			if status[0] == '2' {
				out = append(out, d.secretsIn(content.Schema, "", map[string]bool{})...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// secretsIn returns the secrets of a schema below a path. within are the components that it is in: one may contain itself.
func (d *document) secretsIn(of *schema, path string, within map[string]bool) []string {
	if of == nil || within[of.Ref] {
		return nil
	}
	s := d.resolved(of)
	if of.Secret || s.Secret {
		return []string{path}
	}
	if of.Ref != "" {
		within = maps.Clone(within)
		within[of.Ref] = true
	}
	out := append(d.secretsIn(s.Items, path, within), d.secretsIn(s.Additional, path+".*", within)...)
	for _, one := range s.AnyOf {
		out = append(out, d.secretsIn(one, path, within)...)
	}
	for name, member := range s.Properties {
		out = append(out, d.secretsIn(member, strings.TrimPrefix(path+"."+name, "."), within)...)
	}
	return out
}

func (d *document) resolved(s *schema) *schema {
	for s != nil && s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	if s == nil {
		return &schema{}
	}
	return s
}

// fields returns the fields of an object, those of objects in it by their paths.
func (d *document) fields(prefix string, of *schema) []Field {
	object := d.resolved(of)
	names := make([]string, 0, len(object.Properties))
	for name := range object.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []Field
	for _, name := range names {
		s := object.Properties[name]
		if inner := d.resolved(s); len(inner.Properties) > 0 && prefix == "" && slices.Contains(inner.Type, "object") {
			out = append(out, d.fields(name+".", s)...)
			continue
		}
		f := d.field(prefix+name, s)
		f.Required = prefix == "" && slices.Contains(object.Required, name)
		out = append(out, f)
	}
	return out
}

// longFields are the last parts of the names of fields that hold texts of many lines.
var longFields = []string{"script", "content", "configuration", "key", "certificate", "private_key", "csr", "environment"}

// longText is from how many characters on a text is one of many lines.
const longText = 2000

func (d *document) field(name string, of *schema) Field {
	s := d.resolved(of)
	f := Field{Name: name, Description: of.Description, Secret: of.Secret || s.Secret, Null: slices.Contains(s.Type, "null"), Type: JSON}
	if f.Description == "" {
		f.Description = s.Description
	}
	f.Enum = texts(s.Enum)
	alternatives := s.AnyOf
	if len(alternatives) > 0 { // one of them is a text
		for _, a := range alternatives {
			if r := d.resolved(a); slices.Contains(r.Type, "string") {
				f.Type, f.Null = String, slices.Contains(r.Type, "null")
			}
		}
		return f
	}
	for _, t := range s.Type {
		switch t {
		case "string":
			f.Type = String
			f.Long = s.MaxLength == 0 || s.MaxLength >= longText
		case "integer":
			f.Type = Integer
		case "number":
			f.Type = Number
		case "boolean":
			f.Type = Boolean
		case "array":
			switch items := d.resolved(s.Items); {
			case slices.Contains(items.Type, "string"):
				f.Type, f.Enum = Strings, texts(items.Enum)
			case slices.Contains(items.Type, "integer"):
				f.Type = Numbers
			case len(items.Properties) > 0 && !d.holdsSecret(s):
				f.Items = d.fields("", items)
			}
		}
	}
	if f.Type == JSON && d.holdsSecret(s) {
		f.Secret, f.Long = true, true
		return f
	}
	f.Long = f.Long && len(f.Enum) == 0 && slices.Contains(longFields, last(name))
	return f
}

// holdsSecret reports whether a field of a list's elements or of an object is a secret.
func (d *document) holdsSecret(of *schema) bool {
	s := d.resolved(of)
	if s.Items != nil {
		return d.holdsSecret(s.Items)
	}
	for _, p := range s.Properties {
		if p.Secret || d.resolved(p).Secret {
			return true
		}
	}
	return false
}

// texts returns the values of an enumeration, without the null of a field that may be empty.
func texts(values []any) []string {
	var out []string
	for _, v := range values {
		if v != nil {
			out = append(out, fmt.Sprint(v))
		}
	}
	return out
}

func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// AsksBefore returns what is said before a call with this action, "" for a call without a question.
func (o Operation) AsksBefore(action string) string { return cmp.Or(o.AsksTo[action], o.Asks) }

// IsArgument reports whether a field of the body is given as an argument. A parameter of the path may have the same name.
func (o Operation) IsArgument(f Field) bool {
	return slices.ContainsFunc(o.Arguments, func(a Argument) bool { return a.Field && a.Name == f.Name })
}

// Within returns the path of a list with what a call's path has in place of the operation's parameters.
func (o Operation) Within(list, path string) string {
	parts, called, filled := strings.Split(list, "/"), strings.Split(o.Path, "/"), strings.Split(path, "/")
	for i := range parts {
		if i < len(called) && parts[i] == called[i] {
			parts[i] = filled[i]
		}
	}
	return strings.Join(parts, "/")
}

// Changes reports whether a call changes something.
func (o Operation) Changes() bool { return o.Method != http.MethodGet }
