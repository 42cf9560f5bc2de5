package clients

import (
	"fmt"
	"strings"
)

// TerraformPages returns the pages of the provider's documentation by their paths, each with an example.
func TerraformPages(t TerraformForm) map[string][]byte {
	out := map[string][]byte{}
	for _, r := range t.Resources {
		out["resources/"+r.Name+".md"] = resourcePage(r)
	}
	for _, s := range t.Sources {
		out["data-sources/"+s.Name+".md"] = sourcePage(s, "data")
	}
	for _, s := range t.Ephemerals {
		out["ephemeral-resources/"+s.Name+".md"] = sourcePage(s, "ephemeral")
	}
	return out
}

func (w *writer) pageHead(kind, name, about string) {
	w.line("<!-- Generated from the API's description by make generate. Do not edit. -->\n# hostler_%s (%s)\n\n%s\n", name, kind, about)
}

func resourcePage(r TerraformThing) []byte {
	var w writer
	w.pageHead("resource", r.Name, r.About)
	w.line("```terraform\n%s```\n\n## Arguments\n", r.Example())
	for _, p := range r.Parents {
		w.line("- `%s` (text, %s) %s A change replaces the resource.", p.Name, p.need(), p.About)
	}
	for _, required := range []bool{true, false} {
		for _, a := range r.Attributes {
			if a.Sent() && a.Required == required {
				w.argument("", a)
			}
		}
	}
	w.line("\n## Attributes\n")
	if r.ID != "" {
		w.line("- `id` (text) The id.")
	}
	for _, a := range r.Attributes {
		if !a.Sent() {
			w.line("- `%s` (%s) %s", a.Name, a.words(), a.about())
		}
	}
	var ids []string
	for _, p := range r.Parents {
		ids = append(ids, strings.ToUpper(p.Name))
	}
	if r.ID != "" {
		ids = append(ids, "ID")
	}
	w.line("\n## Import\n\n```sh\nterraform import hostler_%s.example %s\n```", r.Name, strings.Join(ids, "/"))
	var unread []string
	for _, a := range r.Attributes {
		if a.Sent() && a.Answer == "" && !a.Secret {
			unread = append(unread, "`"+a.Name+"`")
		}
	}
	if len(unread) > 0 {
		w.line("\nThe API does not answer %s: after an import they are as the configuration says, and a change by hand is not noticed.", strings.Join(unread, ", "))
	}
	return []byte(strings.ReplaceAll(w.String(), "\n\n\n", "\n\n"))
}

func (w *writer) argument(indent string, a TerraformAttribute) {
	need := map[bool]string{true: "required", false: "optional"}[a.Required]
	if a.Secret {
		need += ", write-only"
	}
	about := a.about()
	if a.Replace {
		about += " A change replaces the resource."
	}
	w.line("%s- `%s` (%s, %s) %s", indent, a.Name, a.words(), need, strings.TrimSpace(about))
	for _, m := range a.Of {
		w.argument(indent+"  ", m)
	}
	if a.Secret {
		w.line("%s- `%s_version` (whole number, optional) When it changes, `%s` is sent again.", indent, a.Name, a.Name)
	}
}

// need says whether a parameter is required: the provider's block can name the organization.
func (p TerraformParameter) need() string {
	if p.Name == "organization" {
		return "optional"
	}
	return "required"
}

// words says the kind of an attribute.
func (a TerraformAttribute) words() string {
	names := map[string]string{
		"text": "text", "whole": "whole number", "number": "number", "boolean": "boolean", "object": "object", "objects": "list of objects", "anything": "JSON",
	}
	if a.Kind == "list" || a.Kind == "dictionary" {
		return map[string]string{"list": "list", "dictionary": "map"}[a.Kind] + " of " + names[a.Elem] + "s"
	}
	return names[a.Kind]
}

func sourcePage(s TerraformThing, block string) []byte {
	var w writer
	w.pageHead(map[string]string{"data": "data source", "ephemeral": "ephemeral resource"}[block], s.Name, s.About)
	if block == "ephemeral" {
		w.line("It is read when Terraform runs and kept nowhere.\n")
	}
	w.line("```terraform\n%s \"hostler_%s\" \"example\" {", block, s.Name)
	for _, p := range s.Parents {
		if p.Name != "organization" {
			w.line("  %s = %q", p.Name, "1")
		}
	}
	if s.ID != "" {
		w.line("  id = %q", "1")
	}
	w.line("}\n```\n\n## Arguments\n")
	for _, p := range s.Parents {
		w.line("- `%s` (text, %s) %s", p.Name, p.need(), p.About)
	}
	if s.ID != "" {
		w.line("- `id` (text, required) The id.")
	}
	if len(s.Filters) > 0 {
		w.line("- `filter` (map of texts, optional) Which ones: a value for some of `%s`.", strings.Join(s.Filters, "`, `"))
	}
	w.line("\n## Attributes\n")
	indent := ""
	if s.Listed {
		w.line("- `items` (list of objects) All that match.\n  - `id` (text) The id.")
		indent = "  "
	}
	for _, a := range s.Attributes {
		w.line("%s- `%s` (%s) %s", indent, a.Name, a.words(), a.about())
	}
	return []byte(strings.ReplaceAll(w.String(), "\n\n\n", "\n\n"))
}

// Example returns a configuration of a resource with what it must have.
func (t TerraformThing) Example() string {
	var rows [][2]string
	for _, p := range t.Parents {
		if p.Name != "organization" {
			rows = append(rows, [2]string{p.Name, `"1"`})
		}
	}
	for _, a := range t.Attributes {
		if a.Required {
			rows = append(rows, [2]string{a.Name, a.example()})
			if a.Secret {
				rows = append(rows, [2]string{a.Name + "_version", "1"})
			}
		}
	}
	return block("resource", t.Name, rows) + "\n"
}

// example is a value as a configuration has it.
func (a TerraformAttribute) example() string {
	scalar := func(kind string) string {
		switch {
		case kind == "whole", kind == "number":
			return "1"
		case kind == "boolean":
			return "true"
		case len(a.Values) > 0:
			return fmt.Sprintf("%q", a.Values[0])
		case a.Secret:
			return "var." + a.Name
		}
		return `"example"`
	}
	object := func() string {
		var of []string
		for _, m := range a.Of {
			if m.Required {
				of = append(of, m.Name+" = "+m.example())
			}
		}
		if len(of) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(of, ", ") + " }"
	}
	switch a.Kind {
	case "list":
		return "[" + scalar(a.Elem) + "]"
	case "dictionary":
		return "{ example = " + scalar(a.Elem) + " }"
	case "object":
		return object()
	case "objects":
		return "[" + object() + "]"
	}
	return scalar(a.Kind)
}
