package description

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Value returns what a person wrote for a field as the API takes it: several texts for a list, else one. A field with ids of other resources keeps its texts,
// which may be names. An error names the flag.
func (f Field) Value(texts []string) (any, error) {
	text := strings.Join(texts, ",")
	wrong := func(what string) error { return fmt.Errorf("--%s must be %s, not %q", f.Flag, what, text) }
	switch {
	case len(f.Items) > 0:
		return f.objects(texts)
	case f.Null && text == "null":
		return nil, nil
	case f.Of != nil && f.Type == Numbers, f.Type == Strings:
		return texts, nil
	case f.Of != nil:
		return text, nil
	}
	switch f.Type {
	case Boolean:
		return text == "true", nil
	case Integer:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, wrong("a whole number")
		}
		return n, nil
	case Number:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, wrong("a number")
		}
		return n, nil
	case Numbers:
		out := make([]int64, len(texts))
		var err error
		for i, one := range texts {
			if out[i], err = strconv.ParseInt(strings.TrimSpace(one), 10, 64); err != nil {
				return nil, wrong("whole numbers")
			}
		}
		return out, nil
	case JSON:
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			return nil, wrong("JSON")
		}
		return v, nil
	}
	return text, nil
}

// ItemForm is how an object of a list is written: server=SERVER,weight=WEIGHT,backup.
func (f Field) ItemForm() string {
	words := make([]string, len(f.Items))
	for i, of := range f.Items {
		if words[i] = of.Flag; of.Type != Boolean {
			words[i] += "=" + strings.ToUpper(of.Flag)
		}
	}
	return strings.Join(words, ",")
}

// objects reads the objects of a list: each text is one, as its members or as JSON, or the only one is the whole list.
func (f Field) objects(texts []string) ([]any, error) {
	out := []any{}
	for _, text := range texts {
		if strings.HasPrefix(text, "[") && len(texts) == 1 {
			if err := json.Unmarshal([]byte(text), &out); err != nil {
				return nil, fmt.Errorf("--%s: %q is no JSON: %w", f.Flag, text, err)
			}
			return out, nil
		}
		item, err := f.object(text)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}

func (f Field) object(text string) (map[string]any, error) {
	item := map[string]any{}
	if strings.HasPrefix(text, "{") {
		if err := json.Unmarshal([]byte(text), &item); err != nil {
			return nil, fmt.Errorf("--%s: %q is no JSON: %w", f.Flag, text, err)
		}
		return item, nil
	}
	for _, of := range f.Items {
		if of.Default != "" {
			text = of.Flag + "=" + of.Default + "," + text
		}
	}
	for member := range strings.SplitSeq(text, ",") {
		name, value, hasValue := strings.Cut(member, "=")
		i := slices.IndexFunc(f.Items, func(of Field) bool { return of.Flag == name && hasValue == (of.Type != Boolean) })
		if i < 0 {
			return nil, fmt.Errorf("--%s: %q is none of %s", f.Flag, member, f.ItemForm())
		}
		switch of := f.Items[i]; {
		case of.Type == Boolean:
			item[of.Name] = true
		case of.Type == Integer && of.Of == nil:
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("--%s: %s must be a whole number, not %q", f.Flag, name, value)
			}
			item[of.Name] = n
		default:
			item[of.Name] = value
		}
	}
	return item, nil
}

// Put sets a member of a body by its path: custom.ip_address is in the object custom.
func Put(object map[string]any, path string, v any) {
	above, name, nested := strings.Cut(path, ".")
	if !nested {
		object[path] = v
		return
	}
	inner, ok := object[above].(map[string]any)
	if !ok {
		inner = map[string]any{}
		object[above] = inner
	}
	inner[name] = v
}
