package description

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Form is the API as clients of programming languages are made from it: calls by noun and verb, and the types of their bodies and answers. Names are in
// camel case and begin with a capital letter.
type Form struct {
	Calls []Call
	// Types are objects and Enums texts with known values, by their names.
	Types []Object
	Enums []Enum
	// Codes are what is wrong with a field (ValidationError).
	Codes []string
	// Sessions are the ids of the operations that no token can call: they need a browser's session, or make one.
	Sessions []string
}

// Call is an operation.
type Call struct {
	ID, Noun, Verb, Method, Path, Summary, Description string
	// Parameters are those of the path, in order; Query are those of the query, without the dry run and the cursor.
	Parameters []Member
	Query      []Member
	// Body is the type of the body, "" for none, and File the field of a form that is a file.
	Body, File string
	// Raw is set if the body is a file itself.
	Raw    bool
	Answer Answer
	// Resource is the type of the resource or resources of the answer, "" for none, and Includes are the types of those related to it.
	Resource string
	Includes []string
	// Paged is set for a list in pages. Waits, Destroys and Plans are those of Operation.
	Paged, Waits, Destroys, Plans bool
	// Example has members of the body, or parameters of the query where there is no body, for samples. A text such as $OTHER_SERVER is the id that a caller
	// calls so.
	Example map[string]any
}

// Object is a type with members.
type Object struct {
	Name, Description string
	Members           []Member
	// Sent is set for what requests contain: members that are not required can be left out.
	Sent bool
	// JSONAPI is the type that a resource object says it is, "" for other objects and for resources that don't say one.
	JSONAPI string
	// Resource is set for a resource object.
	Resource bool
}

// Member is a member of an object, or a parameter.
type Member struct {
	// Name is as the API has it.
	Name, Description string
	Required          bool
	Shape             Shape
	// Secret is set for a secret, and for what holds one.
	Secret bool
}

// Shape is what a member holds.
type Shape struct {
	Kind Kind
	// Name is that of an object or an enumeration, Of what a list or a map holds.
	Name string
	Of   *Shape
	// Null is set if it can be null.
	Null bool
}

// Kind is the kind of a shape.
type Kind string

// The kinds. A file is sent in a form.
const (
	KindText   Kind = "text"
	KindWhole  Kind = "whole"
	KindNumber Kind = "number"
	KindBool   Kind = "bool"
	KindTime   Kind = "time"
	KindEnum   Kind = "enum"
	KindObject Kind = "object"
	KindList   Kind = "list"
	KindMap    Kind = "map"
	KindAny    Kind = "any"
	KindFile   Kind = "file"
	// KindOne and KindMany are relationships.
	KindOne  Kind = "one"
	KindMany Kind = "many"
)

// Enum is a text with known values. More may come.
type Enum struct {
	Name   string
	Values []string
}

// former makes a form.
type former struct {
	document
	types map[string]*Object
	// enums are the texts with known values, by a key that fields with the same name and values share.
	enums map[string]*enumUse
}

// enumUse is where an enumeration is used: owners are the objects with the field.

type enumUse struct {
	field  string
	values []string
	owners []string
}

// ReadForm returns the form of a description.
func ReadForm(raw []byte) (Form, error) {
	f := former{types: map[string]*Object{}, enums: map[string]*enumUse{}}
	if err := json.Unmarshal(raw, &f.document); err != nil {
		return Form{}, fmt.Errorf("read the description: %w", err)
	}
	var out Form
	for _, path := range slices.Sorted(maps.Keys(f.Paths)) { // in one order: names follow from what comes first
		for _, method := range slices.Sorted(maps.Keys(f.Paths[path])) {
			var o operation
			if err := json.Unmarshal(f.Paths[path][method], &o); err != nil {
				return Form{}, fmt.Errorf("read %s %s: %w", method, path, err)
			}
			if o.Command == nil {
				out.Sessions = append(out.Sessions, o.ID)
				continue
			}
			out.Calls = append(out.Calls, f.call(strings.ToUpper(method), path, &o))
		}
	}
	slices.Sort(out.Sessions)
	slices.SortFunc(out.Calls, func(a, b Call) int { return strings.Compare(a.Noun+" "+a.Verb, b.Noun+" "+b.Verb) })
	if codes := f.Components.Schemas["ValidationError"]; codes != nil && codes.Properties["codes"] != nil {
		if of := codes.Properties["codes"].Additional; of != nil && of.Items != nil && of.Items.Properties["code"] != nil {
			out.Codes = texts(of.Items.Properties["code"].Enum)
		}
	}
	names := f.enumNames()
	for _, name := range slices.Sorted(maps.Keys(f.types)) {
		t := f.types[name]
		for i := range t.Members {
			rename(&t.Members[i].Shape, names)
		}
		out.Types = append(out.Types, *t)
	}
	for i := range out.Calls {
		for j := range out.Calls[i].Query {
			rename(&out.Calls[i].Query[j].Shape, names)
		}
	}
	for key, use := range f.enums {
		out.Enums = append(out.Enums, Enum{names[key], use.values})
	}
	slices.SortFunc(out.Enums, func(a, b Enum) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func rename(s *Shape, names map[string]string) {
	for ; s != nil; s = s.Of {
		if s.Kind == KindEnum {
			s.Name = names[s.Name]
		}
	}
}

func (f *former) call(method, path string, o *operation) Call {
	made := f.made(method, path, o, map[string]map[string]*operation{})
	c := Call{
		ID: o.ID, Noun: o.Command.Noun, Verb: o.Command.Verb, Method: method, Path: path, Summary: o.Summary, Description: o.Description, Example: o.Command.Example,
		Answer: made.Answer, File: made.File, Raw: made.Raw, Waits: made.Waits, Destroys: made.Destroys, Plans: made.Plans,
	}
	owner := Camel(c.Noun) + Camel(c.Verb)
	for _, p := range o.Parameters {
		switch {
		case p.In == "path":
			c.Parameters = append(c.Parameters, Member{Name: p.Name, Description: p.Description, Required: true, Shape: f.shape(owner, p.Name, p.Schema, true)})
		case p.Name == "page[cursor]":
			c.Paged = true
		case p.In == "query" && p.Name != "dry_run":
			s := f.shape(owner, p.Name, p.Schema, true)
			if s.Kind == KindEnum || s.Kind == KindList { // what a query can be sorted by is in its description
				s = Shape{Kind: s.Kind, Of: s.Of, Name: s.Name}
			}
			c.Query = append(c.Query, Member{Name: p.Name, Description: p.Description, Shape: s})
		}
	}
	slices.SortStableFunc(c.Parameters, func(a, b Member) int {
		return strings.Index(path, "{"+a.Name+"}") - strings.Index(path, "{"+b.Name+"}")
	})
	if o.Body != nil {
		for _, media := range slices.Sorted(maps.Keys(o.Body.Content)) { // JSON, or the form of an upload
			if media == binaryType {
				continue
			}
			s := o.Body.Content[media].Schema
			c.Body = f.object(owner+"Request", s, true)
		}
	}
	for _, status := range []string{"200", "201", "202"} {
		for _, content := range o.Responses[status].Content {
			if content.Schema == nil || strings.HasSuffix(content.Schema.Ref, "/PlanDocument") {
				continue
			}
			document := f.resolved(content.Schema)
			data := document.Properties["data"]
			if data == nil {
				continue
			}
			if data.Items != nil {
				data = data.Items
			}
			c.Resource = f.object(owner+"Data", data, false)
			if included := document.Properties["included"]; included != nil && included.Items != nil {
				for _, one := range append(included.Items.AnyOf, included.Items) {
					if one.Ref != "" {
						c.Includes = append(c.Includes, f.object("", one, false))
					}
				}
			}
		}
	}
	if made.Plans {
		f.object("", &schema{Ref: refs + "DryRun"}, false)
	}
	slices.Sort(c.Includes)
	return c
}

const refs = "#/components/schemas/"

// object reads an object and returns its name: its component's, or the one that is given.
func (f *former) object(name string, s *schema, sent bool) string {
	component := ""
	for s.Ref != "" {
		component = strings.TrimPrefix(s.Ref, refs)
		s = f.Components.Schemas[component]
	}
	t := &Object{Description: s.Description, Sent: sent}
	if component != "" {
		name = component
		if of, resource := strings.CutSuffix(component, "Resource"); resource {
			t.Resource = true
			if f.Components.Schemas[of] == nil { // else a field has the plain name
				name = of
			}
		}
	}
	if f.types[name] != nil {
		return name
	}
	t.Name = name
	f.types[name] = t // before its members, which may hold it
	for _, member := range slices.Sorted(maps.Keys(s.Properties)) {
		of := s.Properties[member]
		if t.Resource && member == "type" {
			if values := texts(f.resolved(of).Enum); len(values) == 1 {
				t.JSONAPI = values[0]
			}
			t.Members = append(t.Members, Member{Name: member, Description: of.Description, Required: true, Shape: Shape{Kind: KindText}})
			continue
		}
		m := Member{
			Name: member, Description: of.Description, Required: slices.Contains(s.Required, member), Shape: f.shape(name, member, of, sent),
			Secret: of.Secret || f.resolved(of).Secret || f.holdsSecret(of),
		}
		if m.Description == "" {
			m.Description = f.resolved(of).Description
		}
		t.Members = append(t.Members, m)
	}
	return name
}

// shape returns what a member of an owner holds.
func (f *former) shape(owner, member string, of *schema, sent bool) Shape {
	s := f.resolved(of)
	out := Shape{Null: slices.Contains(s.Type, "null")}
	for _, a := range s.AnyOf {
		if slices.Contains(a.Type, "null") {
			out.Null = true
		}
	}
	is := func(name string) bool { return slices.Contains(s.Type, name) }
	values := slices.DeleteFunc(texts(s.Enum), func(v string) bool { return v == "" })
	switch {
	case relation(s, &out):
	case len(s.AnyOf) > 0:
		out.Kind = KindAny
	case is("array"):
		out.Kind, out.Of = KindList, &Shape{Kind: KindAny}
		if s.Items != nil {
			one := f.shape(owner, strings.TrimSuffix(member, "s"), s.Items, sent)
			out.Of = &one
		}
	case is("object") && len(s.Properties) > 0:
		out.Kind, out.Name = KindObject, f.object(owner+Camel(member), of, sent)
	case is("object"):
		out.Kind, out.Of = KindMap, &Shape{Kind: KindAny}
		if s.Additional != nil && (len(s.Additional.Type) > 0 || s.Additional.Ref != "") {
			one := f.shape(owner, member, s.Additional, sent)
			out.Of = &one
		}
	case is("string") && len(values) > 0:
		out.Kind, out.Name = KindEnum, f.enum(owner, member, values)
	case is("string") && s.Format == "date-time":
		out.Kind = KindTime
	case is("string") && s.Format == "binary":
		out.Kind = KindFile
	case is("string"):
		out.Kind = KindText
	case is("integer"):
		out.Kind = KindWhole
	case is("number"):
		out.Kind = KindNumber
	case is("boolean"):
		out.Kind = KindBool
	default:
		out.Kind = KindAny
	}
	return out
}

// relation reports whether a schema is a relationship: an object with data, which are types and ids.
func relation(s *schema, out *Shape) bool {
	data := s.Properties["data"]
	if data == nil || len(s.Properties) > 2 {
		return false
	}
	one := data
	if data.Items != nil {
		one = data.Items
	} else if len(data.AnyOf) > 0 {
		one = data.AnyOf[0]
	}
	if one.Properties["id"] == nil || one.Properties["type"] == nil || len(one.Properties) != 2 {
		return false
	}
	out.Kind = KindOne
	if data.Items != nil {
		out.Kind = KindMany
	}
	return true
}

func (f *former) enum(owner, field string, values []string) string {
	key := field + "=" + strings.Join(slices.Sorted(slices.Values(values)), "|")
	use := f.enums[key]
	if use == nil {
		use = &enumUse{field: field, values: values}
		f.enums[key] = use
	}
	use.owners = append(use.owners, owner)
	return key
}

// enumNames names the enumerations: by the field if all fields of the name have the same values, else with the shortest of their owners before it.
func (f *former) enumNames() map[string]string {
	fields, out, taken := map[string]int{}, map[string]string{}, map[string]bool{}
	for _, use := range f.enums {
		fields[use.field]++
	}
	for _, key := range slices.Sorted(maps.Keys(f.enums)) {
		use := f.enums[key]
		name := Camel(use.field)
		if fields[use.field] > 1 || len(use.owners) == 1 || f.types[name] != nil {
			owners := make([]string, 0, len(use.owners))
			for _, o := range use.owners {
				owners = append(owners, strings.TrimSuffix(strings.TrimSuffix(o, "Attributes"), "Request"))
			}
			slices.SortFunc(owners, func(a, b string) int {
				if len(a) != len(b) {
					return len(a) - len(b)
				}
				return strings.Compare(a, b)
			})
			name = owners[0] + name
		}
		for taken[name] || f.types[name] != nil {
			name += "Value"
		}
		taken[name], out[key] = true, name
	}
	return out
}
