package description

import (
	"fmt"
	"slices"
	"strings"
)

// Sample is an operation as it is called by a client.
type Sample struct {
	// Client is the command line, curl, Go or TypeScript.
	Client, Text string
}

// The clients of samples.
const (
	CommandLine = "Command line"
	Curl        = "curl"
	Go          = "Go"
	TypeScript  = "TypeScript"
)

// Samples returns how each operation of a description is called, by its id. Operations that no token can call have none.
func Samples(raw []byte) (map[string][]Sample, error) {
	operations, err := Read(raw)
	if err != nil {
		return nil, err
	}
	form, err := ReadForm(raw)
	if err != nil {
		return nil, err
	}
	commands := map[string][]string{}
	for _, o := range operations {
		if line := o.line(); line != "" && !slices.Contains(commands[o.ID], line) {
			commands[o.ID] = append(commands[o.ID], line)
		}
	}
	sent := map[string][]Member{}
	for _, t := range form.Types {
		sent[t.Name] = slices.DeleteFunc(slices.Clone(t.Members), func(m Member) bool { return !m.Required })
	}
	out := map[string][]Sample{}
	for _, c := range form.Calls {
		var all []Sample
		if lines := commands[c.ID]; len(lines) > 0 {
			all = append(all, Sample{CommandLine, strings.Join(lines, "\n")})
		}
		out[c.ID] = append(all, Sample{Curl, c.curl(sent[c.Body])}, Sample{Go, c.golang()}, Sample{TypeScript, c.typescript()})
	}
	return out, nil
}

// Placeholder is a parameter as it stands in a command: backupConfiguration is BACKUP_CONFIGURATION.
func Placeholder(name string) string {
	return strings.ToUpper(strings.ReplaceAll(strings.ReplaceAll(spaced(name), " ", "_"), "-", "_"))
}

// line returns the command of an operation, with its arguments and the flags that are required; "" if there is none.
func (o Operation) line() string {
	if by := ByHand[o.ID]; by != "" {
		return "hostler " + by
	}
	if o.Answer == Stream {
		return ""
	}
	line := "hostler " + o.Noun + " " + o.Verb
	for _, a := range o.Arguments {
		line += " " + Placeholder(a.Name)
	}
	if o.File != "" {
		line += " FILE"
	}
	for _, f := range o.Fields {
		if f.Required && !o.IsArgument(f) {
			flag := "--" + f.Flag
			switch {
			case f.Secret:
				flag += "-stdin"
			case f.Type != Boolean:
				flag += " " + Placeholder(f.Flag)
			}
			line += " " + flag
		}
	}
	return line
}

// curl returns a request with the variables of docs/api.md.
func (c Call) curl(required []Member) string {
	path := c.Path
	for _, p := range c.Parameters {
		name := Placeholder(p.Name)
		if p.Name == "organization" {
			name = "ORG"
		}
		path = strings.ReplaceAll(path, "{"+p.Name+"}", "$"+name)
	}
	line := `curl -H "Authorization: Bearer $HOSTLER_TOKEN"`
	if c.Answer == Stream {
		line += " -N"
	}
	if c.Method != "GET" {
		line += " -X " + c.Method
	}
	switch {
	case c.Raw:
		line += " -H 'Content-Type: " + binaryType + "' -T FILE"
	case c.File != "":
		for _, m := range required {
			if m.Name == c.File {
				line += " -F " + m.Name + "=@FILE"
			} else {
				line += " -F " + m.Name + "=…"
			}
		}
	case c.Body != "":
		var members []string
		for _, m := range required {
			members = append(members, fmt.Sprintf("%q: %s", m.Name, empty(m.Shape)))
		}
		line += " -H 'Content-Type: application/json' -d '{" + strings.Join(members, ", ") + "}'"
	}
	return line + ` "$HOSTLER_URL` + path + `"`
}

// empty is JSON of a shape.
func empty(s Shape) string {
	switch s.Kind {
	case KindWhole, KindNumber:
		return "0"
	case KindBool:
		return "false"
	case KindList:
		return "[]"
	case KindObject, KindMap:
		return "{}"
	}
	return `""`
}

// SampleName is what a parameter of a path is called in samples: server is the resource, and serverID its id.
func SampleName(p Member) string {
	if p.Shape.Kind == KindWhole {
		return p.Name + "ID"
	}
	return p.Name
}

// one is what a result is called: Site is site, unless a parameter is called so.
func (c Call) one() string {
	name := lower(c.Resource)
	if slices.ContainsFunc(c.Parameters, func(p Member) bool { return SampleName(p) == name }) {
		return "found"
	}
	return name
}

func (c Call) golang() string {
	takes := []string{"ctx"}
	for _, p := range c.Parameters {
		takes = append(takes, SampleName(p))
	}
	if c.File != "" {
		takes = append(takes, "name", "content")
	}
	if c.Raw {
		takes = append(takes, "content")
	}
	if c.Body != "" {
		takes = append(takes, "hostler."+c.Body+"{…}")
	}
	if len(c.Query) > 0 {
		takes = append(takes, "nil")
	}
	call := "c." + Camel(c.Noun) + "." + c.MethodName() + "(" + strings.Join(takes, ", ") + ")"
	switch {
	case c.Answer == Stream:
		return "for message, err := range " + call + " { … }"
	case c.Answer == Binary:
		return "file, err := " + call
	case c.Answer == Text:
		return "text, err := " + call
	case c.Paged:
		return "for " + c.one() + ", err := range " + call + " { … }"
	case c.Answer == List:
		return "all, response, err := " + call
	case c.Resource != "":
		return c.one() + ", response, err := " + call
	}
	return "response, err := " + call
}

func (c Call) typescript() string {
	var takes []string
	for _, p := range c.Parameters {
		takes = append(takes, SampleName(p))
	}
	if c.File != "" {
		takes = append(takes, "name", "content")
	}
	if c.Raw {
		takes = append(takes, "content")
	}
	if c.Body != "" {
		takes = append(takes, "{ … }")
	}
	noun, name := c.FunctionName()
	call := "hostler." + noun + "." + name + "(" + strings.Join(takes, ", ") + ")"
	switch {
	case c.Answer == Stream:
		return "for await (const message of " + call + ") { … }"
	case c.Answer == Binary:
		return "const file = await " + call
	case c.Answer == Text:
		return "const text = await " + call
	case c.Paged:
		return "for await (const " + c.one() + " of " + call + ") { … }"
	case c.Resource != "":
		return "const { data } = await " + call
	}
	return "const answer = await " + call
}
