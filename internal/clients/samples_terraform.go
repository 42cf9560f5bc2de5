package clients

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

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
