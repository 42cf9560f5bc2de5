package api

import (
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Problem is what is wrong with a field: a sentence for people, and for clients, which call fields otherwise or speak another language, what it says.
type Problem struct {
	text string
	// Code never changes its meaning; CodeInvalid is what no other says.
	Code string `json:"code"`
	// Params are the values that the code is about.
	Params map[string]any `json:"params,omitempty"`
	// Field and Says are the sentence, taken apart where it begins with the name of a field, which can be another than the one that has the error.
	Field string `json:"field,omitempty"`
	Says  string `json:"says,omitempty"`
}

// String returns the sentence.
func (p Problem) String() string { return p.text }

// The codes.
const (
	CodeInvalid   = "invalid"
	CodeRequired  = "required"
	CodeTaken     = "taken"
	CodeHostKey   = "host_key"
	CodeAtLine    = "at_line"
	codeBoolean   = "boolean"
	codeInteger   = "integer"
	codeNumber    = "number"
	codeText      = "text"
	codeList      = "list"
	codeObject    = "object"
	codeOneOf     = "one_of"
	codeLeast     = "least"
	codeMost      = "most"
	codeShortest  = "shortest"
	codeLongest   = "longest"
	codeFewest    = "fewest"
	codeMostItems = "most_items"
	codePattern   = "pattern"
	codeFormat    = "format"
	codeOneLine   = "one_line"
	codeNUL       = "nul"
	codeDuplicate = "duplicate"
)

// codes are all codes, for the description.
func codes() []any {
	return []any{
		CodeInvalid, CodeRequired, CodeTaken, CodeHostKey, CodeAtLine, codeBoolean, codeInteger, codeNumber, codeText, codeList, codeObject, codeOneOf,
		codeLeast, codeMost, codeShortest, codeLongest, codeFewest, codeMostItems, codePattern, codeFormat, codeOneLine, codeNUL, codeDuplicate,
	}
}

// problemSchema describes a Problem.
func problemSchema() *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Required: []string{"code"}, Properties: map[string]*huma.Schema{
		"code":   {Type: huma.TypeString, Enum: codes(), Description: "What is wrong. More codes may come; invalid is what none of them says."},
		"params": {Type: huma.TypeObject, Description: "The values that the code is about: limit, values, pattern, format, line or host_key."},
		"field":  {Type: huma.TypeString, Description: "The field that the message is about, if it begins with one; it can be another than the one with the error."},
		"says":   {Type: huma.TypeString, Description: "What the message says of that field, for clients that call it otherwise: must be at least 8."},
	}}
}

// aboutField matches a message that says something of a field.
var aboutField = regexp.MustCompile(`(?s)^The ([\w.]+)(?: field)? ((?:is|must|may|can|has|does) .*|can't .*)$`)

// problem returns a failure with its sentence taken apart. The sentences are ours, and their form is that of TestProblems.
func problem(code string, params map[string]any, text string) Problem {
	p := Problem{text: text, Code: code, Params: params}
	if m := aboutField.FindStringSubmatch(text); m != nil {
		p.Field, p.Says = m[1], m[2]
	}
	switch {
	case p.Code == "" && strings.HasPrefix(p.Says, "is required"):
		p.Code = CodeRequired
	case p.Code == "":
		p.Code = CodeInvalid
	}
	return p
}
