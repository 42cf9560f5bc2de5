// Package description reads the API's description into what clients are made from: operations with their commands, arguments and fields.
package description

import (
	"cmp"
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
	// Example is what a line of an example has for it, "" for a word that fits its name.
	Example string `json:"example,omitempty"`
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
