// Package dotenv reads the .env files of sites, and writes their variables for systemd.
package dotenv

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

var variablePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Parse parses the variables of a .env file: KEY=value, with or without a leading export and quotes around the value, which
// can span lines in double quotes. Other lines are ignored; nothing is expanded.
func Parse(text string) map[string]string {
	out := map[string]string{}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		key, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(lines[i]), "export "), "=")
		if key = strings.TrimSpace(key); !ok || !variablePattern.MatchString(key) {
			continue
		}
		value = strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(value, `'`):
			value, _, _ = strings.Cut(value[1:], `'`)
		case strings.HasPrefix(value, `"`):
			rest := value[1:]
			end := closing(rest)
			for end < 0 && i+1 < len(lines) {
				i++
				rest += "\n" + lines[i]
				end = closing(rest)
			}
			if end >= 0 {
				rest = rest[:end]
			}
			value = strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\\`, `\`, `\$`, `$`, "\\`", "`").Replace(rest)
		default:
			if comment := strings.Index(value, " #"); comment >= 0 {
				value = strings.TrimSpace(value[:comment])
			}
		}
		out[key] = value
	}
	return out
}

// closing returns the index of the closing double quote, -1 if there is none.
func closing(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

// Environment returns variables in systemd's format (systemd.exec(5), EnvironmentFile=): double quotes, with backslash
// escapes. Those in always take precedence.
func Environment(vars, always map[string]string) string {
	all := maps.Clone(vars)
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
