package clients

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

// Sample is an operation as it is called by a client. What only the caller knows is a variable: SERVER is a server's id, SERVER=3 in a shell, serverID in a
// program and var.server_id for Terraform.
type Sample struct {
	// Client is the command line, curl, Go, TypeScript or Terraform.
	Client, Text string
	// Files are those that it names, with their contents.
	Files map[string]string
}

// The clients of samples.
const (
	commandLine = "Command line"
	curl        = "curl"
	golang      = "Go"
	typescript  = "TypeScript"
	terraform   = "Terraform"
)

// sampler makes samples.
type sampler struct {
	types map[string]description.Object
	enums map[string][]string
	// operations are the commands of each operation.
	operations map[string][]description.Operation
	provider   TerraformForm
}

// Samples returns how each operation of a description is called, by its id. Operations that no token can call have none.
func Samples(raw []byte) (map[string][]Sample, error) {
	s, form, err := readSampler(raw)
	if err != nil {
		return nil, err
	}
	out := map[string][]Sample{}
	for _, c := range form.Calls {
		body := s.body(c)
		var all []Sample
		files := map[string]string{}
		if lines := s.commands(c, body, files); len(lines) > 0 {
			all = append(all, Sample{commandLine, strings.Join(lines, "\n"), files})
		}
		all = append(all, Sample{curl, s.curl(c, body), files})
		for name, text := range exampleFiles {
			if slices.ContainsFunc(all, func(s Sample) bool { return strings.Contains(s.Text, name) }) {
				files[name] = text
			}
		}
		all = append(all, Sample{golang, s.golang(c, body), nil}, Sample{typescript, s.typescript(c, body), nil})
		if text := s.terraform(c); text != "" {
			all = append(all, Sample{terraform, text, nil})
		}
		out[c.ID] = all
	}
	return out, nil
}

func readSampler(raw []byte) (sampler, description.Form, error) {
	s := sampler{types: map[string]description.Object{}, enums: map[string][]string{}, operations: map[string][]description.Operation{}}
	operations, err := description.Read(raw)
	if err != nil {
		return s, description.Form{}, err
	}
	form, err := description.ReadForm(raw)
	if err != nil {
		return s, form, err
	}
	if s.provider, err = Terraform(form); err != nil {
		return s, form, err
	}
	for _, o := range operations {
		s.operations[o.ID] = append(s.operations[o.ID], o)
	}
	for _, t := range form.Types {
		s.types[t.Name] = t
	}
	for _, e := range form.Enums {
		s.enums[e.Name] = e.Values
	}
	return s, form, nil
}

// variable is a value that only the caller knows: the id of a resource, as it is called in a shell. Others say so.
type variable string

// MarshalJSON is for a shell: the variable between two ends of a quoted text.
func (v variable) MarshalJSON() ([]byte, error) { return json.Marshal(mark + string(v) + mark) }

// mark stands around a variable until the JSON is a shell's.
const mark = "\x01"

// program is the variable in a program.
func (v variable) program() string {
	return description.Lower(description.Camel(strings.ToLower(string(v)))) + "ID"
}

// body is an example of what a call sends: what it requires, and what its operation says. nil is none.
func (s sampler) body(c description.Call) map[string]any {
	if c.Body == "" {
		return nil
	}
	out := s.object(s.types[c.Body])
	maps.Copy(out, exampleOf(c))
	return out
}

// query is what a call has in its query, nil for nothing.
func query(c description.Call) map[string]any {
	if c.Body != "" {
		return nil
	}
	return exampleOf(c)
}

// exampleOf is what the operation of a call says is an example, with variables and whole numbers as such.
func exampleOf(c description.Call) map[string]any {
	return replaced(c.Example, func(v any) any {
		switch v := v.(type) {
		case float64:
			if whole := int(v); float64(whole) == v {
				return whole
			}
		case string:
			if name, is := strings.CutPrefix(v, "$"); is {
				return variable(name)
			}
		}
		return v
	})
}

// replaced returns members with each value in them that is no list and no object replaced.
func replaced(members map[string]any, by func(any) any) map[string]any {
	var in func(v any) any
	in = func(v any) any {
		switch v := v.(type) {
		case []any:
			out := make([]any, len(v))
			for i, one := range v {
				out[i] = in(one)
			}
			return out
		case map[string]any:
			return replaced(v, by)
		}
		return by(v)
	}
	out := make(map[string]any, len(members))
	for name, v := range members {
		out[name] = in(v)
	}
	return out
}

func (s sampler) object(o description.Object) map[string]any {
	out := map[string]any{}
	for _, m := range o.Members {
		if m.Required && m.Shape.Kind != description.KindFile {
			out[m.Name] = s.value(m.Name, m.Shape)
		}
	}
	return out
}

func (s sampler) value(name string, shape description.Shape) any {
	of, isID := strings.CutSuffix(name, "_id")
	switch shape.Kind {
	case description.KindWhole, description.KindNumber:
		if isID {
			return variable(description.Placeholder(of))
		}
		return cmp.Or(exampleNumbers[name], 1)
	case description.KindBool:
		return false
	case description.KindList:
		return []any{s.value(strings.TrimSuffix(strings.Replace(name, "_ids", "_id", 1), "s"), *shape.Of)}
	case description.KindMap:
		return map[string]any{"example": s.value("", *shape.Of)}
	case description.KindObject:
		return s.object(s.types[shape.Name])
	case description.KindEnum:
		return s.enums[shape.Name][0]
	case description.KindTime:
		return "2030-01-01T00:00:00Z"
	}
	if text := exampleTexts[name]; text != "" {
		return text
	}
	return "example"
}

// Bodies are examples of what operations are sent, by their ids.
type Bodies map[string]map[string]any

// ReadBodies returns the examples of a description.
func ReadBodies(raw []byte) (Bodies, error) {
	s, form, err := readSampler(raw)
	if err != nil {
		return nil, err
	}
	out := Bodies{}
	for _, c := range form.Calls {
		if body := s.body(c); body != nil {
			out[c.ID] = body
		}
	}
	return out, nil
}

// Of returns the example of an operation, nil if it is sent none. ids are those of resources, by their placeholder: SERVER.
func (b Bodies) Of(id string, ids func(placeholder string) any) map[string]any {
	if b[id] == nil {
		return nil
	}
	return replaced(b[id], func(v any) any {
		if name, is := v.(variable); is {
			return ids(string(name))
		}
		return v
	})
}
