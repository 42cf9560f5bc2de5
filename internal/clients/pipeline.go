package clients

import "strings"

// GitLab returns the template of the component for GitLab: its head with the script, since a component is one file.
func GitLab(head, script []byte) []byte {
	var w writer
	w.WriteString(string(head))
	for line := range strings.Lines(string(script)) {
		if line = strings.TrimRight(line, "\n"); line != "" && !strings.HasPrefix(line, "#!") {
			line = "      " + line
		} else if line != "" {
			continue
		}
		w.line("%s", line)
	}
	return []byte(w.String())
}
