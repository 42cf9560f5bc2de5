package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

func (s sampler) typescript(c description.Call, body map[string]any) string {
	takes := taken(c)
	if c.Body != "" {
		takes = append(takes, scriptValue(body))
	}
	if query := query(c); len(query) > 0 {
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
