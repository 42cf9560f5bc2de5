package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

// commands returns the commands of an operation: several for one whose action is a command of its own.
func (s sampler) commands(c description.Call, body map[string]any, files map[string]string) []string {
	if by := description.ByHand[c.ID]; by != "" {
		return []string{strings.TrimSpace("hostler " + by + " " + exampleArguments[c.ID])}
	}
	var out []string
	for _, o := range s.operations[c.ID] {
		if o.Answer == description.Stream {
			continue
		}
		if line := commandOf(o, body, query(c), files); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// commandOf returns the command of an operation with a body. It adds the files that the command reads.
func commandOf(o description.Operation, body, query map[string]any, files map[string]string) string {
	line := "hostler " + o.Noun + " " + o.Verb
	for _, a := range o.Arguments {
		if a.Field {
			line += " " + shellWord(body[a.Name])
		} else {
			line += " $" + description.Placeholder(a.Name)
		}
	}
	if o.File != "" || o.Raw {
		line += " FILE"
	}
	for _, f := range o.Fields {
		v, given := at(body, f.Name)
		if !given || o.IsArgument(f) || o.Action != "" && f.Name == "action" {
			continue
		}
		flag := " --" + f.Flag
		switch list, isList := v.([]any); {
		case f.Long || f.Secret:
			line += flag + "-file " + f.Flag + ".txt"
			files[f.Flag+".txt"] = fileText(v)
		case f.Type == description.Boolean && v == true:
			line += flag
		case f.Type == description.Boolean:
			line += flag + "=false"
		case f.Type == description.JSON || len(f.Items) > 0:
			line += flag + " " + shellJSON(v)
		case isList:
			for _, one := range list {
				line += flag + " " + shellWord(one)
			}
		default:
			line += flag + " " + shellWord(v)
		}
	}
	for _, f := range o.Query {
		if v, given := query[f.Name]; given {
			line += " --" + f.Flag + " " + shellWord(v)
		}
	}
	return line
}

// fileText is a value as a file has it: a text itself, anything else as JSON.
func fileText(v any) string {
	if text, is := v.(string); is {
		return text
	}
	raw, err := json.Marshal(v)
	if err != nil { // a value of JSON
		panic(err)
	}
	return string(raw)
}

// at returns a member of a body by its path.
func at(body map[string]any, path string) (any, bool) {
	name, rest, deeper := strings.Cut(path, ".")
	v, given := body[name]
	if !deeper || !given {
		return v, given
	}
	inner, _ := v.(map[string]any)
	return at(inner, rest)
}

// shellWord is a value as a word of a shell.
func shellWord(v any) string {
	text := fmt.Sprint(v)
	if of, is := v.(variable); is {
		return "$" + string(of)
	}
	if description.IsWord(text) {
		return text
	}
	return quoted(text)
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// shellJSON is a value as JSON in a word of a shell.
func shellJSON(v any) string {
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	if err := to.Encode(v); err != nil { // values of JSON
		panic(err)
	}
	text := quoted(strings.ReplaceAll(strings.TrimSpace(out.String()), `\u0001`, mark))
	for i := 0; ; i++ {
		before, rest, found := strings.Cut(text, `"`+mark)
		if !found {
			return text
		}
		name, after, _ := strings.Cut(rest, mark+`"`)
		text = before + "'$" + name + "'" + after
	}
}

// curl returns a request with the variables of docs/api.md.
func (s sampler) curl(c description.Call, body map[string]any) string {
	path := c.Path
	for _, p := range c.Parameters {
		name := description.Placeholder(p.Name)
		if p.Name == "organization" {
			name = "ORG"
		}
		path = strings.ReplaceAll(path, "{"+p.Name+"}", "$"+name)
	}
	line := `curl -H "Authorization: Bearer $HOSTLER_TOKEN"`
	if c.Answer == description.Stream {
		line += " -N"
	}
	if c.Method != "GET" {
		line += " -X " + c.Method
	}
	switch {
	case c.Raw:
		line += " -H 'Content-Type: application/octet-stream' -T FILE"
	case c.File != "":
		line += " -F " + c.File + "=@FILE"
		for _, name := range slices.Sorted(maps.Keys(body)) {
			line += " -F " + name + "=" + shellWord(body[name])
		}
	case c.Body != "":
		line += " -H 'Content-Type: application/json' -d " + shellJSON(body)
	}
	for i, name := range slices.Sorted(maps.Keys(query(c))) {
		path += string("?&"[min(i, 1)]) + name + "=" + shellWord(query(c)[name])
	}
	return line + ` "$HOSTLER_URL` + path + `"`
}
