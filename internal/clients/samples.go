package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
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
		if lines := s.commands(c.ID, body, files); len(lines) > 0 {
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

// body is an example of what a call sends: what it requires, and what exampleBodies has for it. nil is none.
func (s sampler) body(c description.Call) map[string]any {
	if c.Body == "" {
		return nil
	}
	out := s.object(s.types[c.Body])
	maps.Copy(out, exampleBodies[c.ID])
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

// commands returns the commands of an operation: several for one whose action is a command of its own.
func (s sampler) commands(id string, body map[string]any, files map[string]string) []string {
	if by := description.ByHand[id]; by != "" {
		return []string{strings.TrimSpace("hostler " + by + " " + exampleArguments[id])}
	}
	var out []string
	for _, o := range s.operations[id] {
		if o.Answer == description.Stream {
			continue
		}
		if line := commandOf(o, body, files); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// commandOf returns the command of an operation with a body. It adds the files that the command reads.
func commandOf(o description.Operation, body map[string]any, files map[string]string) string {
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
		if v, given := exampleQueries[o.ID][f.Name]; given {
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
	if text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@,=+") == "" {
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
	for i, name := range slices.Sorted(maps.Keys(exampleQueries[c.ID])) {
		path += string("?&"[min(i, 1)]) + name + "=" + shellWord(exampleQueries[c.ID][name])
	}
	return line + ` "$HOSTLER_URL` + path + `"`
}

// SampleName is what a parameter of a path is called in samples of programs: server is the resource, and serverID its id.
func SampleName(p description.Member) string {
	if p.Shape.Kind == description.KindWhole {
		return p.Name + "ID"
	}
	return p.Name
}

// one is what a result is called: Site is site, unless a parameter is called so.
func one(c description.Call) string {
	name := description.Lower(c.Resource)
	if slices.ContainsFunc(c.Parameters, func(p description.Member) bool { return SampleName(p) == name }) {
		return "found"
	}
	return name
}

func (s sampler) golang(c description.Call, body map[string]any) string {
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
		takes = append(takes, "hostler."+s.goObject(s.types[c.Body], body))
	}
	switch query := exampleQueries[c.ID]; {
	case len(query) > 0:
		options := description.Object{Name: goOptionsName(c), Sent: true}
		for _, m := range c.Query {
			m.Required, m.Shape.Null = true, false // options have plain values
			options.Members = append(options.Members, m)
		}
		takes = append(takes, "&hostler."+s.goObject(options, query))
	case len(c.Query) > 0:
		takes = append(takes, "nil")
	}
	return inGo.of(c, "c."+description.Camel(c.Noun)+"."+c.MethodName()+"("+strings.Join(takes, ", ")+")")
}

// outcomes are what a language does with each kind of answer: in each, CALL is the call, and ONE the resource.
type outcomes struct{ stream, plain, file, text, paged, list, one, none string }

var (
	inGo = outcomes{
		stream: "for message, err := range CALL { … }", plain: "answer, response, err := CALL", file: "file, err := CALL", text: "text, err := CALL",
		paged: "for ONE, err := range CALL { … }", list: "all, response, err := CALL", one: "ONE, response, err := CALL", none: "response, err := CALL",
	}
	inTypeScript = outcomes{
		stream: "for await (const message of CALL) { … }", plain: "const { body } = await CALL", file: "const file = await CALL", text: "const text = await CALL",
		paged: "for await (const ONE of CALL) { … }", list: "const { data } = await CALL", one: "const { data } = await CALL", none: "const answer = await CALL",
	}
)

// of is a call with what comes of it.
func (a outcomes) of(c description.Call, call string) string {
	line := a.none
	switch {
	case c.Answer == description.Stream:
		line = a.stream
	case plain(c):
		line = a.plain
	case c.Answer == description.Binary:
		line = a.file
	case c.Answer == description.Text:
		line = a.text
	case c.Paged:
		line = a.paged
	case c.Answer == description.List:
		line = a.list
	case c.Resource != "":
		line = a.one
	}
	return strings.Replace(strings.Replace(line, "ONE", one(c), 1), "CALL", call, 1)
}

// goObject is an object as a literal, without the package before its name.
func (s sampler) goObject(o description.Object, v map[string]any) string {
	var members []string
	for _, m := range o.Members {
		value, given := v[m.Name]
		if !given || m.Shape.Kind == description.KindFile {
			continue
		}
		text := s.goValue(m.Shape, value)
		switch kind, _ := goField(o, m); {
		case strings.HasPrefix(kind, "Nullable["):
			text = "hostler.Set(" + s.goTyped(m.Shape, text) + ")"
		case strings.HasPrefix(kind, "*"):
			text = "new(" + s.goTyped(m.Shape, text) + ")"
		}
		members = append(members, description.Camel(m.Name)+": "+text)
	}
	return o.Name + "{" + strings.Join(members, ", ") + "}"
}

// goTyped is a literal of the type that it must have where Go would choose another one.
func (s sampler) goTyped(shape description.Shape, text string) string {
	switch kind := goType(shape); kind {
	case "int64", "float64":
		return kind + "(" + text + ")"
	default:
		if shape.Kind == description.KindEnum {
			return "hostler." + kind + "(" + text + ")"
		}
	}
	return text
}

func (s sampler) goValue(shape description.Shape, v any) string {
	switch v := v.(type) {
	case variable:
		return v.program() + ".Number()"
	case map[string]any:
		if shape.Kind == description.KindObject {
			return "hostler." + s.goObject(s.types[shape.Name], v)
		}
		var members []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			of := description.Shape{Kind: description.KindAny}
			if shape.Of != nil {
				of = *shape.Of
			}
			members = append(members, fmt.Sprintf("%q: %s", name, s.goValue(of, v[name])))
		}
		return goInPackage(goType(shape), "map[string]any") + "{" + strings.Join(members, ", ") + "}"
	case []any:
		var items []string
		for _, item := range v {
			of := description.Shape{Kind: description.KindAny}
			if shape.Of != nil {
				of = *shape.Of
			}
			items = append(items, s.goValue(of, item))
		}
		return goInPackage(goType(shape), "[]any") + "{" + strings.Join(items, ", ") + "}"
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

// goInPackage names a list or a map as a program outside the package does; of any kind it is otherwise.
func goInPackage(kind, otherwise string) string {
	if kind == "any" {
		return otherwise
	}
	at := strings.LastIndexAny(kind, "]*") + 1
	if first := kind[at]; first >= 'A' && first <= 'Z' {
		return kind[:at] + "hostler." + kind[at:]
	}
	return kind
}

func (s sampler) typescript(c description.Call, body map[string]any) string {
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
		takes = append(takes, scriptValue(body))
	}
	if query := exampleQueries[c.ID]; len(query) > 0 {
		takes = append(takes, scriptValue(query))
	}
	noun, name := c.FunctionName()
	return inTypeScript.of(c, "hostler."+noun+"."+name+"("+strings.Join(takes, ", ")+")")
}

// scriptValue is a value of JavaScript.
func scriptValue(v any) string {
	switch v := v.(type) {
	case variable:
		return "Number(" + v.program() + ")"
	case map[string]any:
		if len(v) == 0 {
			return "{}"
		}
		var members []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			members = append(members, name+": "+scriptValue(v[name]))
		}
		return "{ " + strings.Join(members, ", ") + " }"
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, scriptValue(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case string:
		raw, _ := json.Marshal(v) // a text
		return "'" + strings.ReplaceAll(strings.ReplaceAll(string(raw[1:len(raw)-1]), `\"`, `"`), "'", `\'`) + "'"
	}
	return fmt.Sprint(v)
}

// terraform is how a resource or a data source makes a call, "" if none does.
func (s sampler) terraform(c description.Call) string {
	for _, r := range s.provider.Resources {
		if !slices.ContainsFunc([]*description.Call{r.Create, r.Update, r.Delete}, func(of *description.Call) bool { return of != nil && of.ID == c.ID }) {
			continue
		}
		rows := parentRows(r.Parents)
		body := s.body(*r.Create)
		for _, a := range r.Attributes {
			if v, given := body[a.Field]; a.Create && given {
				if !a.Secret {
					rows = append(rows, [2]string{a.Name, hcl(v, a.Kind)})
					continue
				}
				rows = append(rows, [2]string{a.Name, "var." + a.Name}, [2]string{a.Name + "_version", "1"})
			}
		}
		return block("resource", r.Name, rows)
	}
	for _, d := range s.provider.Sources {
		if d.Read.ID != c.ID {
			continue
		}
		rows := parentRows(d.Parents)
		if d.ID != "" {
			rows = append(rows, [2]string{"id", "var.id"})
		}
		return block("data", d.Name, rows)
	}
	return ""
}

func parentRows(parents []TerraformParameter) (rows [][2]string) {
	for _, p := range parents {
		if p.Name != "organization" {
			rows = append(rows, [2]string{p.Name, "var." + p.Name})
		}
	}
	return rows
}

// block is a block of a configuration.
func block(kind, name string, rows [][2]string) string {
	longest := 0
	for _, row := range rows {
		longest = max(longest, len(row[0]))
	}
	var w writer
	w.WriteString(kind + " \"hostler_" + name + "\" \"example\" {")
	for _, row := range rows {
		fmt.Fprintf(&w, "\n  %-*s = %s", longest, row[0], row[1])
	}
	if len(rows) > 0 {
		w.WriteString("\n")
	}
	w.WriteString("}")
	return w.String()
}

// hcl is a value of a configuration.
func hcl(v any, kind string) string {
	if kind == "anything" {
		return "jsonencode(" + hcl(v, "") + ")"
	}
	switch v := v.(type) {
	case variable:
		return "var." + strings.ToLower(string(v)) + "_id"
	case map[string]any:
		var members []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			members = append(members, name+" = "+hcl(v[name], ""))
		}
		return "{ " + strings.Join(members, ", ") + " }"
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, hcl(item, ""))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case string:
		return strings.ReplaceAll(fmt.Sprintf("%q", v), "${", "$${")
	}
	return fmt.Sprint(v)
}
