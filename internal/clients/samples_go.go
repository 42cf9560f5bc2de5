package clients

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

func (s sampler) golang(c description.Call, body map[string]any) string {
	takes := append([]string{"ctx"}, taken(c)...)
	if c.Body != "" {
		takes = append(takes, "hostler."+s.goObject(s.types[c.Body], body))
	}
	switch query := query(c); {
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
