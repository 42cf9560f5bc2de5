package dotenv

import (
	"maps"
	"slices"
	"strings"
)

// Environment returns variables in systemd's format (systemd.exec(5), EnvironmentFile=): double quotes, with backslash
// escapes. Those in always take precedence.
func Environment(vars, always map[string]string) string {
	all := make(map[string]string, len(vars)+len(always))
	maps.Copy(all, vars)
	maps.Copy(all, always)
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", `$`, `\$`)
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if value := all[key]; !strings.ContainsRune(value, 0) {
			b.WriteString(key + `="` + quote.Replace(value) + "\"\n")
		}
	}
	return b.String()
}
