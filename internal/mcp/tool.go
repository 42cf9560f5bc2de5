package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tool is one thing that an assistant can ask for.
type tool struct {
	name, title, about string
	arguments          []argument
	// operations are those that it calls, by their ids. The tool is offered to tokens that may call the first, or with either, any of them.
	operations []string
	either     bool
	// changes is set for a tool that is for changing operations: it is offered to tokens that may call one. One that looks changes nothing itself.
	changes, looks bool
	run            func(ctx context.Context, s *session, in input) (result, error)
}

// argument is what a tool takes.
type argument struct {
	name, about string
	kind        kind
	required    bool
	values      []string
}

// kind is the kind of an argument's value, as in a JSON schema.
type kind string

const (
	kindText   kind = "string"
	kindWhole  kind = "integer"
	kindBool   kind = "boolean"
	kindObject kind = "object"
)

// offered reports whether the token may use a tool.
func (t tool) offered(s *session) bool {
	if t.changes {
		return slices.ContainsFunc(s.known.all, func(op operation) bool { return op.Changes() && s.allows(op) })
	}
	may := func(id string) bool { return s.allows(s.known.byID[id]) }
	switch {
	case len(t.operations) == 0:
		return true
	case t.either:
		return slices.ContainsFunc(t.operations, may)
	}
	return may(t.operations[0])
}

// protocol returns a tool as the protocol describes it: the annotations follow from the operations that it calls.
func (t tool) protocol(known *operations) *sdk.Tool {
	properties, required := map[string]any{}, []string{}
	for _, a := range t.arguments {
		p := map[string]any{"type": string(a.kind)}
		if a.about != "" {
			p["description"] = a.about
		}
		if len(a.values) > 0 {
			p["enum"] = a.values
		}
		properties[a.name] = p
		if a.required {
			required = append(required, a.name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return &sdk.Tool{Name: t.name, Title: t.title, Description: t.about, InputSchema: schema, Annotations: t.annotations(known)}
}

func (t tool) annotations(known *operations) *sdk.ToolAnnotations {
	reads := !t.changes || t.looks
	destroys, repeatable := !reads, reads
	for _, id := range t.operations {
		op := known.byID[id]
		reads = reads && !op.Changes()
		destroys = destroys || op.destroys()
		repeatable = repeatable && op.Method != http.MethodPost
	}
	closed := false // the panel and its servers
	return &sdk.ToolAnnotations{Title: t.title, ReadOnlyHint: reads, DestructiveHint: &destroys, IdempotentHint: repeatable, OpenWorldHint: &closed}
}

// call runs a tool. What goes wrong is part of its answer, for the assistant to read.
func (s *session) call(ctx context.Context, t tool, req *sdk.CallToolRequest) *sdk.CallToolResult {
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(s.outer.Context(), end)()
	in, err := t.read(req.Params.Arguments)
	out := result{}
	if err == nil {
		in.progress = func(seconds int, state string) {
			if token := req.Params.GetProgressToken(); token != nil {
				_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(seconds), Message: state}) // best effort
			}
		}
		out, err = s.run(ctx, t, in)
	}
	if err != nil {
		out = refusal(err)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: out.text()}}, IsError: out.failed}
}

var errServer = errors.New("server error")

// run runs a tool. The protocol runs it on a goroutine of its own, where a panic would end the program.
func (s *session) run(ctx context.Context, t tool, in input) (out result, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.server.Log.ErrorContext(ctx, "a tool panicked", "tool", t.name, "panic", p, "stack", string(debug.Stack()))
			out, err = result{}, errServer
		}
	}()
	return t.run(ctx, s, in)
}

// input are the arguments of a call, checked.
type input struct {
	values   map[string]any
	progress func(seconds int, state string)
}

func (in input) text(name string) string { s, _ := in.values[name].(string); return s }

func (in input) object(name string) map[string]any { return object(in.values[name]) }

// whole returns a number, or the one that stands for none.
func (in input) whole(name string, none int) int {
	if n, ok := in.values[name].(int); ok {
		return n
	}
	return none
}

// read checks the arguments of a call. Assistants send numbers as texts and objects as JSON in a text; null is as nothing.
func (t tool) read(raw json.RawMessage) (input, error) {
	given := map[string]any{}
	if len(bytes.TrimSpace(raw)) > 0 {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&given); err != nil {
			return input{}, wrong("The arguments must be a JSON object.")
		}
	}
	out := input{values: map[string]any{}}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(t.arguments, func(a argument) bool { return a.name == name })
		if i < 0 {
			return out, wrong("%s has no argument %q. It has: %s.", t.name, name, t.names())
		}
		if given[name] == nil || given[name] == "" { // as clients send what they leave out
			continue
		}
		v, err := t.arguments[i].value(given[name])
		if err != nil {
			return out, err
		}
		out.values[name] = v
	}
	for _, a := range t.arguments {
		if v, is := out.values[a.name]; a.required && (!is || v == "") {
			return out, wrong("The argument %s is required: %s", a.name, a.about)
		}
	}
	return out, nil
}

func (t tool) names() string {
	var out []string
	for _, a := range t.arguments {
		out = append(out, a.name)
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

func (a argument) value(v any) (any, error) {
	said, isText := v.(string)
	if n, ok := v.(json.Number); ok {
		said = n.String()
	}
	switch a.kind {
	case kindText:
		if said = strings.TrimSpace(said); said == "" && !isText {
			return nil, wrong("The argument %s must be a text.", a.name)
		}
		if len(a.values) > 0 && said != "" && !slices.Contains(a.values, said) {
			return nil, wrong("The argument %s must be one of %s, not %q.", a.name, strings.Join(a.values, ", "), said)
		}
		return said, nil
	case kindWhole:
		n, err := strconv.ParseFloat(said, 64)
		if err != nil || n != math.Trunc(n) || n < 0 || n > math.MaxInt32 {
			return nil, wrong("The argument %s must be a whole number.", a.name)
		}
		return int(n), nil
	case kindBool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		b, err := strconv.ParseBool(said)
		if err != nil {
			return nil, wrong("The argument %s must be true or false.", a.name)
		}
		return b, nil
	}
	if isText {
		d := json.NewDecoder(strings.NewReader(said))
		d.UseNumber()
		if said == "" || d.Decode(&v) != nil {
			v = said
		}
	}
	if m, ok := v.(map[string]any); ok {
		return m, nil
	}
	return nil, wrong("The argument %s must be a JSON object, such as %s.", a.name, `{"name": "value"}`)
}

// textOf returns a value of a path or a query as it stands there.
func textOf(v any) string {
	if items, ok := v.([]any); ok {
		out := make([]string, len(items))
		for i := range items {
			out[i] = textOf(items[i])
		}
		return strings.Join(out, ",")
	}
	return fmt.Sprint(v)
}
