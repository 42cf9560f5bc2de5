package description

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// binaryType is the media type of files of any kind.
const binaryType = "application/octet-stream"

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
		Actions   map[string]action `json:"actions"`
		Formerly  string            `json:"formerly"`
		Defaults  map[string]string `json:"defaults"`
		Example   map[string]any    `json:"example"`
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

// action is what one action of an operation does, where that has several.
type action struct {
	Summary     string `json:"summary"`
	Description string `json:"description"`
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
func actions(o Operation, texts map[string]action) []Operation {
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
		o.Verb, o.Asks, o.Summary, o.Description = o.Action, of.AsksBefore(o.Action), of.Summary, of.Description
		if t, ok := texts[o.Action]; ok {
			o.Summary, o.Description = t.Summary, t.Description
		}
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
	if wanted := slices.DeleteFunc(slices.Clone(out.Fields), func(f Field) bool { return !f.Required }); len(out.Arguments) == 0 && len(wanted) == 1 &&
		wanted[0].Of != nil {
		out.Arguments = []Argument{{Name: wanted[0].Name, Field: true}} // the resource that it is about
	}
	flags(out.Fields, o.Command.Defaults)
	flags(out.Query, o.Command.Defaults)
	for i, f := range out.Fields {
		if word, ok := o.Command.Example[f.Name].(string); ok && f.Of == nil && IsWord(word) {
			out.Fields[i].Example = word
		}
	}
	return out
}

// deciding are the fields whose values are the names of the objects beside them, where no enumeration says so.
var deciding = []string{"provider"}

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

func (d *document) resolved(s *schema) *schema {
	for s != nil && s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	if s == nil {
		return &schema{}
	}
	return s
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
