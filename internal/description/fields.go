package description

import (
	"maps"
	"slices"
	"strings"
)

// common are the flags that every command has, or that a command may have for what it does itself.
var common = []string{"url", "org", "profile", "output", "query", "wait", "timeout", "dry-run", "yes", "body", "help"}

// flags gives fields their flags and defaults. One that refers to other resources is called after them, since they can be named, a filter after what it
// compares, and one of a variant after what all variants call it.
func flags(fields []Field, defaults map[string]string) {
	called := strings.NewReplacer("_", "-", ".", "-", "[", "-", "]", "")
	taken, variants := map[string]bool{}, map[string]string{}
	for _, f := range fields {
		taken[f.Name] = true
		if slices.Contains(deciding, f.Name) && len(f.Enum) == 0 {
			for _, inner := range fields {
				if variant, _, nested := strings.Cut(inner.Name, "."); nested {
					variants[variant] = f.Name
				}
			}
		}
		for _, value := range f.Enum {
			variants[value] = f.Name
		}
	}
	for i, f := range fields {
		name := f.Name
		fields[i].Default = defaults[name]
		if filter := strings.TrimSuffix(strings.TrimPrefix(name, "filter["), "]"); !taken[filter] {
			name = filter
		}
		if variant, inner, _ := strings.Cut(f.Name, "."); inner != "" && variants[variant] != "" && !taken[inner] {
			name, fields[i].Variant = inner, variants[variant]
		}
		if f.Of != nil {
			if several, found := strings.CutSuffix(name, "_ids"); found {
				name = several + "s"
			}
			if name = strings.TrimSuffix(name, "_id"); taken[name] {
				name = f.Name
			}
		}
		fields[i].Flag = called.Replace(name)
		if slices.Contains(common, fields[i].Flag) {
			fields[i].Flag = "target-" + fields[i].Flag
		}
	}
}

// secrets returns the members of an operation's answers that are secrets, in alphabetical order.
func (d *document) secrets(o *operation) []string {
	var out []string
	for status, r := range o.Responses {
		for _, content := range r.Content {
			if status[0] == '2' {
				out = append(out, d.secretsIn(content.Schema, "", map[string]bool{})...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// secretsIn returns the secrets of a schema below a path. within are the components that it is in: one may contain itself.
func (d *document) secretsIn(of *schema, path string, within map[string]bool) []string {
	if of == nil || within[of.Ref] {
		return nil
	}
	s := d.resolved(of)
	if of.Secret || s.Secret {
		return []string{path}
	}
	if of.Ref != "" {
		within = maps.Clone(within)
		within[of.Ref] = true
	}
	out := append(d.secretsIn(s.Items, path, within), d.secretsIn(s.Additional, path+".*", within)...)
	for _, one := range s.AnyOf {
		out = append(out, d.secretsIn(one, path, within)...)
	}
	for name, member := range s.Properties {
		out = append(out, d.secretsIn(member, strings.TrimPrefix(path+"."+name, "."), within)...)
	}
	return out
}

// fields returns the fields of an object, those of objects in it by their paths.
func (d *document) fields(prefix string, of *schema) []Field {
	object := d.resolved(of)
	names := make([]string, 0, len(object.Properties))
	for name := range object.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []Field
	for _, name := range names {
		s := object.Properties[name]
		if inner := d.resolved(s); len(inner.Properties) > 0 && prefix == "" && slices.Contains(inner.Type, "object") {
			out = append(out, d.fields(name+".", s)...)
			continue
		}
		f := d.field(prefix+name, s)
		f.Required = prefix == "" && slices.Contains(object.Required, name)
		out = append(out, f)
	}
	return out
}

// longFields are the last parts of the names of fields that hold texts of many lines.
var longFields = []string{"script", "content", "configuration", "key", "certificate", "private_key", "csr", "environment"}

// longText is from how many characters on a text is one of many lines.
const longText = 2000

func (d *document) field(name string, of *schema) Field {
	s := d.resolved(of)
	f := Field{Name: name, Description: of.Description, Secret: of.Secret || s.Secret, Null: slices.Contains(s.Type, "null"), Type: JSON}
	if f.Description == "" {
		f.Description = s.Description
	}
	f.Enum = texts(s.Enum)
	alternatives := s.AnyOf
	if len(alternatives) > 0 { // one of them is a text
		for _, a := range alternatives {
			if r := d.resolved(a); slices.Contains(r.Type, "string") {
				f.Type, f.Null = String, slices.Contains(r.Type, "null")
			}
		}
		return f
	}
	for _, t := range s.Type {
		switch t {
		case "string":
			f.Type = String
			f.Long = s.MaxLength == 0 || s.MaxLength >= longText
		case "integer":
			f.Type = Integer
		case "number":
			f.Type = Number
		case "boolean":
			f.Type = Boolean
		case "array":
			switch items := d.resolved(s.Items); {
			case slices.Contains(items.Type, "string"):
				f.Type, f.Enum = Strings, texts(items.Enum)
			case slices.Contains(items.Type, "integer"):
				f.Type = Numbers
			case len(items.Properties) > 0 && !d.holdsSecret(s):
				f.Items = d.fields("", items)
			}
		}
	}
	if f.Type == JSON && d.holdsSecret(s) {
		f.Secret, f.Long = true, true
		return f
	}
	f.Long = f.Long && len(f.Enum) == 0 && slices.Contains(longFields, last(name))
	return f
}

// holdsSecret reports whether a field of a list's elements or of an object is a secret.
func (d *document) holdsSecret(of *schema) bool {
	s := d.resolved(of)
	if s.Items != nil {
		return d.holdsSecret(s.Items)
	}
	for _, p := range s.Properties {
		if p.Secret || d.resolved(p).Secret {
			return true
		}
	}
	return false
}
