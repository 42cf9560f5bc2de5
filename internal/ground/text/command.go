package text

import (
	"encoding/json"
	"regexp"
	"strings"
)

// continued matches a line end that a shell joins with the next line.
var continued = regexp.MustCompile(`[ \t]*\\\n[ \t]*`)

// Command returns a command that a person pasted as one line of a shell: with the lines joined that end with a backslash, and with spaces in place
// of those that
// pages use for their layout, which a shell takes for a part of the word.
func Command(pasted string) string {
	return strings.TrimSpace(continued.ReplaceAllString(Spaced(Unix(strings.TrimSpace(pasted))), " "))
}

// Spaced returns a text with spaces in place of those that no shell knows as ones.
func Spaced(s string) string {
	return strings.NewReplacer("\u00a0", " ", "\u2007", " ", "\u202f", " ", "\u200b", "", "\u2060", "").Replace(s)
}

// The beginnings of lines that come from elsewhere: a terminal, or the configuration of a program that runs commands.
var (
	prompted   = regexp.MustCompile(`^(?:[$]|\S+@\S+:\S*[$#]|\[\S+@\S+ \S+\][$#])[ \t]+(\S.*)$`)
	configured = regexp.MustCompile(`^(?:command|program|ExecStart|ExecStartPre|Exec|exec_start)[ \t]*=[ \t]*(\S.*)$`)
	procfile   = regexp.MustCompile(`^[a-z][a-z0-9_-]*:[ \t]+(\S.*)$`)
	assigned   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=[^ \t;&|"'$` + "`" + `]*$`)
)

// Miscopied returns what is wrong with a command of a shell that was certainly not meant so, with what to write instead; "" for any other. The shell itself
// would say it each time that the command runs.
func Miscopied(command string) string {
	if m := prompted.FindStringSubmatch(command); m != nil {
		return "begins with the prompt of a terminal: write " + m[1]
	}
	if m := configured.FindStringSubmatch(command); m != nil {
		return "is a line of another program's configuration: write " + m[1]
	}
	if m := procfile.FindStringSubmatch(command); m != nil {
		return "is a line of a Procfile: write " + m[1]
	}
	if assigned.MatchString(command) {
		return "sets a variable and runs nothing"
	}
	if strings.HasPrefix(command, "#") {
		return "is a comment, and runs nothing"
	}
	var words []string // as files of containers have it
	if strings.HasPrefix(command, "[\"") && json.Unmarshal([]byte(command), &words) == nil {
		return "is a list of words: write " + strings.Join(words, " ")
	}
	word, unclosed := loose(command)
	switch {
	case word != "":
		return "has " + word + ", with a sign that text programs put in the place of another: write it with - and \" or '"
	case unclosed != 0:
		return "has a quotation mark " + string(unclosed) + " that is not closed"
	}
	return ""
}

// typographic are what text programs make of quotation marks and of two dashes.
const typographic = "“”„‟‘’‚«»"

// loose returns the first word outside of quotes that begins with a sign of typography, and the quotation mark that is open at the end, 0 for none. What is
// nested (in $( ), backquotes and here documents) has rules of its own, and is not looked at.
func loose(command string) (word string, unclosed rune) {
	for _, nested := range []string{"$(", "`", "<<", "$'", `$"`, "${"} {
		if strings.Contains(command, nested) {
			return "", 0
		}
	}
	var quote rune
	escaped, begins, after := false, true, false // at the beginning of a word; behind an equals sign
	for i, c := range command {
		switch {
		case escaped:
			escaped = false
		case quote == '\'':
			if c == '\'' {
				quote = 0
			}
			continue
		case c == '\\':
			escaped, begins, after = true, false, false
			continue
		case quote == '"':
			if c == '"' {
				quote = 0
			}
			continue
		case c == '\'' || c == '"':
			quote = c
		case c == '#' && begins:
			return word, 0 // a comment
		case strings.ContainsRune(typographic, c) && (begins || after), (c == '–' || c == '—') && begins && letterFollows(command[i+len(string(c)):]):
			word, _, _ = strings.Cut(command[i:], " ")
			return word, 0
		}
		begins, after = strings.ContainsRune(" \t;&|(<>", c), c == '='
	}
	return "", quote
}

func letterFollows(s string) bool { return s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] == '-') }
