package text

import "strings"

// Script returns what a person pasted as a program that a Unix host runs: with line feeds, without a byte order mark, and with a first line that names its
// interpreter, which is the given one unless the text names another.
func Script(interpreter, pasted string) string {
	body := Lines(unprompted(Spaced(Unfenced(pasted))))
	if head := strings.TrimLeft(body, " \t\n"); strings.HasPrefix(head, "#!") { // the kernel finds it at the very beginning only
		return head
	}
	return "#!" + interpreter + "\n" + body
}

// Unfenced returns a script without the fence that Markdown has around code.
func Unfenced(pasted string) string {
	body := strings.TrimSpace(Unix(pasted))
	first, rest, ok := strings.Cut(body, "\n")
	if inner, closed := strings.CutSuffix(rest, "\n```"); ok && closed && strings.HasPrefix(first, "```") && !strings.Contains(inner, "```") {
		return inner + "\n"
	}
	return pasted
}

// unprompted returns a script without the prompts of a terminal, where each of its lines has one.
func unprompted(script string) string {
	var out strings.Builder
	for line := range strings.Lines(Unix(script)) {
		rest, prompted := strings.CutPrefix(strings.TrimLeft(line, " \t"), "$ ")
		if !prompted && strings.TrimSpace(line) != "" {
			return script
		}
		out.WriteString(rest)
	}
	return out.String()
}

// Lines returns what Unix does, with a line feed at its end.
func Lines(pasted string) string {
	s := Unix(pasted)
	if !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return s
}

// Unix returns a pasted text with line feeds alone, as Unix programs read it: Windows ends lines with CR LF, and some of its editors begin a file with a byte
// order mark. A text without any line feed may have those of old Macs.
func Unix(pasted string) string {
	s := strings.TrimPrefix(pasted, "\ufeff")
	for strings.Contains(s, "\r\n") { // CR CR LF is what two conversions make of LF
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	if s = strings.TrimSuffix(s, "\r"); !strings.Contains(s, "\n") {
		s = strings.ReplaceAll(s, "\r", "\n")
	}
	return s
}
