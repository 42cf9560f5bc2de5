package api

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

// commandExtension is the member of an operation in the description that says how a client made from it calls the operation.
const commandExtension = "x-hostler"

// command is how people call an operation: hostler NOUN VERB ARGUMENTS.
type command struct {
	Noun string `json:"noun"`
	Verb string `json:"verb"`
	// Arguments are the parameters of the path that a caller names, and then the field of the body that is given without its name.
	Arguments []string `json:"arguments,omitempty"`
	// Refers are the fields of the body that are the id of another resource, or several, each with the parameter of the path that has such an id.
	Refers map[string]string `json:"refers,omitempty"`
	// Columns are the attributes that a table shows.
	Columns []string `json:"columns,omitempty"`
	// Waits is set if the answer names an event whose end is the end of the work.
	Waits bool `json:"waits,omitempty"`
	// Destroys is set if what the call removes can't be had back by another call, as what is disabled can.
	Destroys bool `json:"destroys,omitempty"`
	// Asks is what is said before the call of an operation that destroys nothing and still wants a second thought, "" for none.
	Asks string `json:"asks,omitempty"`
	// AsksTo is what is said before single actions only, by the value of the field action.
	AsksTo map[string]string `json:"asks_to,omitempty"`
	// Actions are the texts of actions that are commands of their own, by the value of the field action.
	Actions map[string]Action `json:"actions,omitempty"`
	// Formerly is the old name of a renamed command, "" for none.
	Formerly string `json:"formerly,omitempty"`
	// Defaults are the values that a caller who leaves out a field or a parameter most likely means.
	Defaults map[string]string `json:"defaults,omitempty"`
	// Example is that of the operation.
	Example map[string]any `json:"example,omitempty"`
}

// Action is what an action of an operation does, where that has several.
type Action struct {
	// Summary is "" where the action is no command of its own.
	Summary string `json:"summary"`
	// Description is "" where the summary says all: the operation's own is about all of its actions.
	Description string `json:"description,omitempty"`
	// Asks is what is said before the action, "" for nothing.
	Asks string `json:"-"`
}

// Commands are what all commands have in common.
type Commands struct {
	// Subjects are the fields that say what is made or done, the first that a body requires being given without its name.
	Subjects []string
	// Refers are the fields with ids of other resources whose names don't say the parameter of the path that has such an id.
	Refers map[string]string
}

// NewestFirst is the order of lists that grow with time.
var NewestFirst = map[string]string{"sort": "-created_at"}

// commandOf returns how an operation is called, nil for one that only a browser calls: without a token, or with a session.
func commandOf(op *Operation) *command {
	if op.Public || op.Personal {
		return nil
	}
	noun, verb := op.called()
	c := &command{
		Noun: noun, Verb: verb, Arguments: commandArguments(op.Path), Asks: op.Asks, Formerly: op.Formerly, Defaults: op.Defaults,
		Example: op.Example,
		Waits:   op.Mode == Async, Destroys: op.Method == http.MethodDelete && verb != "disable" && verb != "reset",
		AsksTo: map[string]string{}, Actions: map[string]Action{},
	}
	for name, action := range op.Actions {
		if action.Asks != "" {
			c.AsksTo[name] = action.Asks
		}
		if action.Summary != "" {
			c.Actions[name] = action
		}
	}
	return c
}

// called returns the noun and the verb of an operation: its own, or those that its id says.
func (op *Operation) called() (noun, verb string) {
	parts := strings.Split(op.ID, ".")
	end := parts[len(parts)-1]
	noun = strings.Join(parts[:len(parts)-1], ".")
	for _, parent := range []string{"organizations.", "servers.", "sites."} {
		noun = strings.TrimPrefix(noun, parent)
	}
	return cmp.Or(op.Noun, strings.ReplaceAll(noun, ".", "-")), cmp.Or(op.Verb, verbOf(end, strings.HasSuffix(op.Path, "}")))
}

// verbOf returns the verb of an operation whose id ends so, on one resource of many or on the only one.
func verbOf(end string, ofMany bool) string {
	switch {
	case end == "index":
		return "list"
	case end == "store":
		return "create"
	case end == "destroy" && ofMany:
		return "delete"
	case end == "destroy":
		return "disable"
	}
	return end
}

// commandArguments returns the parameters of a path that a caller names. The organization is known, and the server of a site or an event follows from that.
func commandArguments(path string) []string {
	var out []string
	for _, m := range pathParameter.FindAllStringSubmatch(path, -1) {
		if m[1] != "organization" {
			out = append(out, m[1])
		}
	}
	if strings.Contains(path, "/{server}/sites/{site}") || strings.Contains(path, "/{server}/events/{event}") {
		out = slices.DeleteFunc(out, func(name string) bool { return name == "server" })
	}
	return out
}

// bodyArgument returns the field of a body that is given without its name, "" for none.
func (d *description) bodyArgument(s *huma.Schema) string {
	for _, name := range d.config.Commands.Subjects {
		if p := s.Properties[name]; p != nil && p.Type == huma.TypeString && slices.Contains(s.Required, name) && p.Extensions[SecretExtension] == nil {
			return name
		}
	}
	return ""
}

// mostColumns is how many attributes fit beside each other.
const mostColumns = 6

// The subjects of commands tell what a resource is and come first, columnsLast tell what it came to; the others stand between, as they are declared.
var (
	columnsLast  = []string{"state", "status"}
	columnsNever = []string{"id", "created_at", "updated_at", "content", "output", "script", "payload", "response"}
)

// columnsOf returns what a table shows of a document's resource: what its attributes' method Columns says, or the first of them that are texts, numbers or
// truths.
func (d *description) columnsOf(document reflect.Type) []string {
	attributes, ok := document.FieldByName("Attributes")
	if !ok {
		return nil
	}
	if own, ok := reflect.Zero(attributes.Type).Interface().(interface{ Columns() []string }); ok {
		return own.Columns()
	}
	properties := d.resolved(d.registry.Schema(attributes.Type, true, "")).Properties
	var first, middle, last []string
	for _, f := range reflect.VisibleFields(attributes.Type) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "" || name == "-" || slices.Contains(columnsNever, name) || !d.isScalar(properties[name]):
		case slices.Contains(d.config.Commands.Subjects, name):
			first = append(first, name)
		case slices.Contains(columnsLast, name):
			last = append(last, name)
		default:
			middle = append(middle, name)
		}
	}
	room := max(mostColumns-len(first)-len(last), 0)
	return slices.Concat(first, middle[:min(room, len(middle))], last)
}

// resolved follows a reference.
func (d *description) resolved(s *huma.Schema) *huma.Schema {
	for s != nil && s.Ref != "" {
		s = d.registry.SchemaFromRef(s.Ref)
	}
	return s
}

func (d *description) isScalar(s *huma.Schema) bool {
	s = d.resolved(s)
	return s != nil && slices.Contains([]string{huma.TypeString, huma.TypeInteger, huma.TypeBoolean, huma.TypeNumber}, s.Type)
}

// completeCommand adds to an operation's command what its body and its answer tell.
func (d *description) completeCommand(o *huma.Operation, in *huma.Schema, document reflect.Type) {
	c, ok := o.Extensions[commandExtension].(*command)
	if !ok {
		return
	}
	if in = d.resolved(in); in != nil && strings.HasPrefix(o.OperationID[strings.LastIndexByte(o.OperationID, '.')+1:], "store") {
		if name := d.bodyArgument(in); name != "" {
			c.Arguments = append(c.Arguments, name)
		}
	}
	if in != nil {
		c.Refers = d.references(in)
	}
	c.Columns = d.columnsOf(document)
}

// references returns the fields of a body that are ids of other resources: storage_provider_id and database_ids name the parameters storageProvider and
// database.
func (d *description) references(in *huma.Schema) map[string]string {
	out := map[string]string{}
	for name, s := range in.Properties {
		s = d.resolved(s)
		if s != nil && s.Type == huma.TypeArray {
			s = d.resolved(s.Items)
		}
		if s == nil || s.Type != huma.TypeInteger {
			continue
		}
		stem, one := strings.CutSuffix(name, "_id")
		stem, several := strings.CutSuffix(stem, "_ids")
		if parameter, ok := d.config.Commands.Refers[name]; ok {
			out[name] = parameter
		} else if one || several {
			out[name] = camel(stem)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// camel returns words_like_these as wordsLikeThese.
func camel(words string) string {
	parts := strings.Split(words, "_")
	for i, part := range parts[1:] {
		parts[i+1] = text.Capital(part)
	}
	return strings.Join(parts, "")
}
