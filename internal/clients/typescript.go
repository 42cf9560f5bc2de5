package clients

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

// TypeScript returns the generated file of the TypeScript client.
func TypeScript(f description.Form) []byte {
	var w writer
	w.line("// Generated from the API's description by make generate. Do not edit.")
	w.line("import { type Answer, type CallOptions, Core, List, type Message, type Options, type Ref, type Work } from './core.js';\n")
	w.tsComment("", "Code is what is wrong with a field. More codes may come; invalid is what none of them says.")
	w.line("export type Code = %s;\n", tsValues(f.Codes))
	for _, e := range f.Enums {
		w.line("export type %s = %s;\n", e.Name, tsValues(e.Values))
	}
	for _, t := range f.Types {
		w.tsObject(t)
	}
	w.tsComment("", "Included are related resources by their types.")
	w.line("export interface Included {")
	for _, t := range included(f) {
		w.line("  %s: %s[];", tsKey(t.JSONAPI), t.Name)
	}
	w.line("}\n")
	all := nouns(f)
	for _, n := range all {
		w.tsComment("", fmt.Sprintf("%sCalls are what can be done with %s.", description.Camel(n.Name), strings.ReplaceAll(n.Name, "-", " ")))
		w.line("export class %sCalls {\n  constructor(private core: Core) {}", description.Camel(n.Name))
		for _, c := range n.Calls {
			w.tsCall(c)
		}
		w.line("}\n")
	}
	w.tsComment("", "Hostler calls one installation. Its members are the nouns of the API.")
	w.line("export class Hostler {\n  private core: Core;")
	for _, n := range all {
		w.line("  readonly %s: %sCalls;", description.SmallCamel(n.Name), description.Camel(n.Name))
	}
	w.line("\n  constructor(options: Options) {\n    this.core = new Core(options);")
	for _, n := range all {
		w.line("    this.%s = new %sCalls(this.core);", description.SmallCamel(n.Name), description.Camel(n.Name))
	}
	w.line("  }\n")
	w.tsComment("  ", "wait waits for the work of an event, and gives its output to said as it comes.")
	w.line("  wait(organization: string, event: string, said?: (text: string) => void, options?: CallOptions): Promise<void> {")
	w.line("    return this.core.wait(organization, event, said, options);\n  }\n}")
	return []byte(w.String())
}

func (w *writer) tsComment(indent, text string) {
	if text == "" {
		return
	}
	lines := wrapped(strings.ReplaceAll(text, "*/", "* /"), len(indent)+4)
	if len(lines) == 1 {
		w.line("%s/** %s */", indent, lines[0])
		return
	}
	w.line("%s/**", indent)
	for _, line := range lines {
		w.line("%s * %s", indent, line)
	}
	w.line("%s */", indent)
}

func tsValues(values []string) string {
	var out []string
	for _, v := range values {
		out = append(out, tsText(v))
	}
	return strings.Join(out, " | ")
}

// tsText returns a text as TypeScript has it.
func tsText(text string) string {
	raw, _ := json.Marshal(text) // a string always can be
	return "'" + strings.ReplaceAll(strings.ReplaceAll(strings.Trim(string(raw), `"`), `\"`, `"`), "'", `\'`) + "'"
}

// tsKey returns a member's name, quoted where it must be.
func tsKey(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	}) {
		return tsText(name)
	}
	return name
}

func tsType(s description.Shape) string {
	kind := "string"
	switch s.Kind {
	case description.KindWhole, description.KindNumber:
		kind = "number"
	case description.KindBool:
		kind = "boolean"
	case description.KindEnum, description.KindObject:
		kind = s.Name
	case description.KindList:
		if kind = tsType(*s.Of) + "[]"; strings.Contains(kind, "|") {
			kind = "(" + strings.TrimSuffix(kind, "[]") + ")[]"
		}
	case description.KindMap:
		kind = "Record<string, " + tsType(*s.Of) + ">"
	case description.KindAny:
		return "unknown"
	case description.KindFile:
		kind = "Blob"
	case description.KindOne:
		return "{ data: Ref | null }"
	case description.KindMany:
		return "{ data: Ref[] }"
	}
	if s.Null {
		kind += " | null"
	}
	return kind
}

func (w *writer) tsObject(t description.Object) {
	w.tsComment("", t.Description)
	w.line("export interface %s {", t.Name)
	for _, m := range t.Members {
		if m.Shape.Kind == description.KindFile {
			continue
		}
		w.tsComment("  ", sentence(m.Description))
		kind, optional := tsType(m.Shape), "?"
		if m.Required {
			optional = ""
		}
		if t.Resource && m.Name == "type" && t.JSONAPI != "" {
			kind = tsText(t.JSONAPI)
		}
		w.line("  %s%s: %s;", tsKey(m.Name), optional, kind)
	}
	w.line("}\n")
}

func (w *writer) tsCall(c description.Call) {
	var takes, values []string
	for _, p := range c.Parameters {
		takes, values = append(takes, p.Name+": string"), append(values, p.Name)
	}
	request := fmt.Sprintf("method: '%s', path: '%s'", c.Method, c.Path)
	if len(values) > 0 {
		request += ", values: [" + strings.Join(values, ", ") + "]"
	}
	if c.File != "" {
		takes = append(takes, "name: string", "content: Blob")
		request += fmt.Sprintf(", form: { field: '%s', name, content }", c.File)
	}
	if c.Raw {
		takes, request = append(takes, "content: Blob"), request+", raw: content"
	}
	if c.Body != "" {
		takes, request = append(takes, "body: "+c.Body), request+", body"
	}
	query := c.Query
	if len(query) > 0 {
		var members []string
		for _, m := range query {
			members = append(members, fmt.Sprintf("%s?: %s", tsKey(m.Name), tsType(m.Shape)))
		}
		takes, request = append(takes, "query: { "+strings.Join(members, "; ")+" } = {}"), request+", query"
	}
	takes = append(takes, "options: CallOptions = {}")
	request = "{ " + request + ", options }"
	about := sentence(c.Summary)
	if c.Description != "" {
		about += " " + c.Description
	}
	if c.Waits {
		about += " It begins work, which wait() of the answer waits for."
	}
	about += " " + c.Method + " " + c.Path
	called := func(name, answer, does string) {
		w.line("  %s(%s): %s {\n    return %s;\n  }", name, strings.Join(takes, ", "), answer, does)
	}
	includes := ""
	if len(c.Includes) > 0 {
		includes = ", Included"
	}
	_, name := c.FunctionName()
	w.tsComment("  ", about)
	switch {
	case c.Answer == description.Stream:
		called(name, "AsyncGenerator<Message, void>", "this.core.stream("+request+")")
	case plain(c):
		called(name, "Promise<Work & { body: unknown }>", "this.core.plain("+request+")")
	case c.Answer == description.Text, c.Answer == description.Binary:
		called(name, "Promise<ReadableStream<Uint8Array>>", "this.core.text("+request+")")
	case c.Paged:
		called(name, "List<"+c.Resource+includes+">", "new List<"+c.Resource+includes+">(this.core, "+request+")")
	case c.Answer == description.List:
		called(name, "Promise<Answer<"+c.Resource+"[]"+includes+">>", "this.core.one<"+c.Resource+"[]"+includes+">("+request+")")
	case c.Resource != "":
		called(name, "Promise<Answer<"+c.Resource+includes+">>", "this.core.one<"+c.Resource+includes+">("+request+")")
	default:
		called(name, "Promise<Work>", "this.core.send("+request+")")
	}
	if c.Plans {
		w.tsComment("  ", "What "+name+" would do; nothing is changed.")
		called("plan"+c.MethodName(), "Promise<DryRun>", "this.core.plan<DryRun>("+request+")")
	}
}
