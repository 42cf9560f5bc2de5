package clients

import (
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

const goHead = "// Code generated from the API's description by make generate. DO NOT EDIT.\n\npackage hostler\n"

// Go returns the generated files of the Go client by their names.
func Go(f description.Form) (map[string][]byte, error) {
	out := map[string][]byte{}
	for name, text := range map[string]string{"nouns.go": goNouns(f), "types.go": goTypes(f), "values.go": goValues(f)} {
		formatted, err := format.Source([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("format %s: %w", name, err)
		}
		out[name] = formatted
	}
	return out, nil
}

func (w *writer) goComment(text string) {
	for _, line := range wrapped(text, 3) {
		w.line("// %s", line)
	}
}

// goType returns the type of a shape's value.
func goType(s description.Shape) string {
	switch s.Kind {
	case description.KindWhole:
		return "int64"
	case description.KindNumber:
		return "float64"
	case description.KindBool:
		return "bool"
	case description.KindTime:
		return "time.Time"
	case description.KindEnum, description.KindObject:
		return s.Name
	case description.KindList:
		return "[]" + goElement(*s.Of)
	case description.KindMap:
		return "map[string]" + goElement(*s.Of)
	case description.KindAny:
		return "any"
	case description.KindOne:
		return "ToOne"
	case description.KindMany:
		return "ToMany"
	}
	return "string"
}

func goElement(s description.Shape) string {
	if s.Null && s.Kind != description.KindAny {
		return "*" + goType(s)
	}
	return goType(s)
}

// goField returns the type of a member and what follows its name in the tag.
func goField(o description.Object, m description.Member) (kind, omit string) {
	kind = goType(m.Shape)
	bare := slices.Contains([]description.Kind{description.KindList, description.KindMap, description.KindAny}, m.Shape.Kind)
	switch {
	case !o.Sent && (m.Shape.Null || !m.Required) && !bare:
		return "*" + kind, ""
	case !o.Sent:
		return kind, ""
	case !m.Required && m.Shape.Null && m.Shape.Kind != description.KindAny:
		return "Nullable[" + kind + "]", ",omitzero"
	case !m.Required && bare:
		return kind, ",omitzero"
	case !m.Required:
		return "*" + kind, ",omitempty"
	case m.Shape.Null && !bare:
		return "*" + kind, ""
	}
	return kind, ""
}

func goTypes(f description.Form) string {
	var w writer
	w.WriteString(goHead + "\nimport (\n\t\"encoding/json\"\n\t\"time\"\n)\n\n")
	for _, t := range f.Types {
		switch {
		case t.Resource:
			w.goResource(t)
		default:
			w.goObject(t)
		}
	}
	w.goIncluded(included(f))
	return w.String()
}

func (w *writer) goObject(t description.Object) {
	about := t.Description
	if about == "" {
		about = t.Name + " is part of what the API takes and answers."
		switch {
		case t.Sent:
			about = t.Name + " is what a request says."
		case strings.HasSuffix(t.Name, "Attributes"):
			about = t.Name + " are the fields of a resource."
		case strings.HasSuffix(t.Name, "Relationships"):
			about = t.Name + " are the ids of related resources."
		}
	}
	w.goComment(about)
	w.line("type %s struct {", t.Name)
	for _, m := range t.Members {
		if m.Shape.Kind == description.KindFile {
			continue
		}
		w.goComment(sentence(m.Description))
		kind, omit := goField(t, m)
		w.line("%s %s `json:\"%s%s\"`", description.Camel(m.Name), kind, m.Name, omit)
	}
	w.line("}\n")
}

// goResource writes a resource: its fields are its own, not those of a member.
func (w *writer) goResource(t description.Object) {
	about := t.Name + " is a resource."
	if t.JSONAPI != "" {
		about = t.Name + " is a resource of the type " + t.JSONAPI + "."
	}
	w.goComment(about)
	w.line("type %s struct {", t.Name)
	w.line("ID ID `json:\"id\"`")
	w.line("ResourceType string `json:\"type\"`")
	for _, m := range t.Members {
		switch m.Name {
		case "attributes":
			w.line("%s `json:\"attributes\"`", m.Shape.Name)
		case "id", "type":
		default:
			w.goComment(sentence(m.Description))
			kind := goType(m.Shape)
			w.line("%s %s `json:\"%s\"`", description.Camel(m.Name), kind, m.Name)
		}
	}
	w.line("}\n")
}

func (w *writer) goIncluded(types []description.Object) {
	w.goComment("Included are the related resources of an answer by their types.")
	w.line("type Included struct {")
	for _, t := range types {
		w.line("%s []*%s", plural(t.Name), t.Name)
	}
	w.line("}\n")
	w.goComment("UnmarshalJSON sorts resources by their types. Types that this client does not know are left out.")
	w.line("func (i *Included) UnmarshalJSON(raw []byte) error {")
	w.line("var all []json.RawMessage\nif err := json.Unmarshal(raw, &all); err != nil {\nreturn err\n}")
	w.line("for _, one := range all {\nvar of struct {\nType string `json:\"type\"`\n}\nif err := json.Unmarshal(one, &of); err != nil {\nreturn err\n}")
	w.line("var err error\nswitch of.Type {")
	for _, t := range types {
		w.line("case %q:\nerr = add(one, &i.%s)", t.JSONAPI, plural(t.Name))
	}
	w.line("}\nif err != nil {\nreturn err\n}\n}\nreturn nil\n}\n")
	w.line("func add[T any](raw json.RawMessage, to *[]*T) error {\none := new(T)\nif err := json.Unmarshal(raw, one); err != nil {\nreturn err\n}")
	w.line("*to = append(*to, one)\nreturn nil\n}")
	for _, t := range types {
		w.goComment(t.Name + " returns a related resource, nil if it is not included.")
		w.line("func (i Included) %s(id ID) *%s {\nfor _, one := range i.%s {\nif one.ID == id {\nreturn one\n}\n}\nreturn nil\n}\n", t.Name, t.Name, plural(t.Name))
	}
}

func goValues(f description.Form) string {
	var w writer
	w.WriteString(goHead + "\n")
	w.goComment("What is wrong with a field. More codes may come; CodeInvalid is what none of them says.")
	w.line("const (")
	for _, code := range f.Codes {
		w.line("Code%s Code = %q", description.Camel(code), code)
	}
	w.line(")\n")
	for _, e := range f.Enums {
		w.goComment(e.Name + " is a text with known values. More may come.")
		w.line("type %s string\n\nconst (", e.Name)
		for name, value := range names(e) {
			w.line("%s%s %s = %q", e.Name, name, e.Name, value)
		}
		w.line(")\n")
	}
	return w.String()
}

// names yields the values of an enumeration with a name for each: -name is ByNameDown, + and - within are no difference.
func names(e description.Enum) func(yield func(name, value string) bool) {
	return func(yield func(name, value string) bool) {
		taken := map[string]bool{}
		for _, v := range e.Values {
			name := description.Camel(v)
			if strings.HasPrefix(v, "-") {
				name += "Down"
			}
			if v == "*" {
				name = "All"
			}
			for taken[name] || name == "" {
				name += "Value"
			}
			taken[name] = true
			if !yield(name, v) {
				return
			}
		}
	}
}

func goNouns(f description.Form) string {
	var w writer
	w.WriteString(goHead + "\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\t\"io\"\n\t\"iter\"\n\t\"net/url\"\n)\n\n")
	all := nouns(f)
	w.goComment("Nouns are the nouns of the API, with the calls of each.")
	w.line("type Nouns struct {")
	for _, n := range all {
		w.line("%s %sClient", description.Camel(n.Name), description.Camel(n.Name))
	}
	w.line("}\n\nfunc newNouns(c *Client) Nouns {\nreturn Nouns{")
	for _, n := range all {
		w.line("%sClient{c},", description.Camel(n.Name))
	}
	w.line("}\n}\n")
	for _, n := range all {
		w.goComment(fmt.Sprintf("%sClient calls what can be done with %s.", description.Camel(n.Name), strings.ReplaceAll(n.Name, "-", " ")))
		w.line("type %sClient struct{ c *Client }\n", description.Camel(n.Name))
		for _, c := range n.Calls {
			w.goOptions(c)
			w.goCall(c)
		}
	}
	return w.String()
}

func goOptionsName(c description.Call) string {
	return description.Camel(c.Noun) + c.MethodName() + "Options"
}

func (w *writer) goOptions(c description.Call) {
	if len(c.Query) == 0 {
		return
	}
	name := goOptionsName(c)
	w.goComment(name + " are the parameters of " + description.Camel(c.Noun) + "Client." + c.MethodName() + ".")
	w.line("type %s struct {", name)
	for _, m := range c.Query {
		w.goComment(sentence(m.Description))
		w.line("%s %s", queryName(m, c.Query), goType(m.Shape))
	}
	w.line("}\n\nfunc (o *%s) query() url.Values {\nif o == nil {\nreturn nil\n}\nq := url.Values{}", name)
	for _, m := range c.Query {
		w.line("parameter(q, %q, o.%s)", m.Name, queryName(m, c.Query))
	}
	w.line("return q\n}\n")
}

// queryName returns the name of a parameter of a query: filter[name] is Name unless there is another one.
func queryName(m description.Member, all []description.Member) string {
	of, filter := strings.CutPrefix(m.Name, "filter[")
	if filter && !slices.ContainsFunc(all, func(o description.Member) bool { return o.Name == strings.TrimSuffix(of, "]") }) {
		return description.Camel(of)
	}
	return description.Camel(m.Name)
}

func (w *writer) goCall(c description.Call) {
	method, owner := c.MethodName(), description.Camel(c.Noun)+"Client"
	var takes, gives, values []string
	for _, p := range c.Parameters {
		kind, value := "string", p.Name
		if p.Shape.Kind == description.KindWhole {
			kind, value = "ID", "string("+value+")"
		}
		takes, gives, values = append(takes, p.Name+" "+kind), append(gives, p.Name), append(values, value)
	}
	request := fmt.Sprintf("method: %q, path: %q", c.Method, c.Path)
	if len(values) > 0 {
		request += ", values: []string{" + strings.Join(values, ", ") + "}"
	}
	if c.File != "" {
		takes, gives = append(takes, "name string", "content []byte"), append(gives, "name", "content")
		request += fmt.Sprintf(", file: %q, name: name, content: content", c.File)
	}
	if c.Raw {
		takes, gives = append(takes, "content io.Reader"), append(gives, "content")
		request += ", raw: content"
	}
	if c.Body != "" {
		takes, gives = append(takes, "body "+c.Body), append(gives, "body")
		request += ", body: body"
	}
	if len(c.Query) > 0 {
		takes, gives = append(takes, "o *"+goOptionsName(c)), append(gives, "o")
		request += ", query: o.query()"
	}
	request = "request{" + request + "}"
	about := func(first string) {
		w.goComment(first)
		if c.Description != "" {
			w.line("//")
			w.goComment(c.Description)
		}
		w.line("//\n// %s %s", c.Method, c.Path)
	}
	called := func(name, answer, does string) {
		w.line("func (n %s) %s(ctx context.Context%s) %s {\nreturn %s\n}\n", owner, name, strings.Join(append([]string{""}, takes...), ", "), answer, does)
	}
	first := sentence(c.Summary)
	switch {
	case c.Answer == description.Stream:
		about(first + " The stream is resumed when it breaks, until ctx ends or the loop is left.")
		called(method, "iter.Seq2[Message, error]", "follow(ctx, n.c, "+request+")")
	case plain(c):
		about(first + goWaits(c) + " The answer is JSON as the description has it.")
		called(method, "(json.RawMessage, *Response, error)", "plain(ctx, n.c, "+request+")")
	case c.Answer == description.Text, c.Answer == description.Binary:
		about(first + " The caller closes it.")
		called(method, "(io.ReadCloser, error)", "open(ctx, n.c, "+request+")")
	case c.Paged:
		about(first + " Pages are asked for as they are needed.")
		called(method, "iter.Seq2[*"+c.Resource+", error]", fmt.Sprintf("each(n.%sPages(ctx%s))", method, strings.Join(append([]string{""}, gives...), ", ")))
		w.goComment(method + "Pages is " + method + " by pages, with what is included in each.")
		called(method+"Pages", "iter.Seq2[*Page["+c.Resource+"], error]", "pages["+c.Resource+"](ctx, n.c, "+request+")")
	case c.Answer == description.List:
		about(first)
		called(method, "([]*"+c.Resource+", *Response, error)", "several["+c.Resource+"](ctx, n.c, "+request+")")
	case c.Resource != "":
		about(first + goWaits(c))
		called(method, "(*"+c.Resource+", *Response, error)", "one["+c.Resource+"](ctx, n.c, "+request+")")
	default:
		about(first + goWaits(c))
		called(method, "(*Response, error)", "send(ctx, n.c, "+request+", nil)")
	}
	if c.Plans {
		w.goComment("Plan" + method + " returns what " + method + " would do, and changes nothing.")
		called("Plan"+method, "(*DryRun, error)", "planned(ctx, n.c, "+request+")")
	}
}

// plain reports whether a call changes something and answers with JSON that is no document of resources.
func plain(c description.Call) bool { return c.Answer == description.Text && c.Method != "GET" }

func goWaits(c description.Call) string {
	if c.Waits {
		return " It begins work, which Response.Wait waits for."
	}
	return ""
}
