package dotenv

import (
	"regexp"
	"strings"
)

// jsSpace are the characters that JavaScript takes for white space, ends of lines included.
const jsSpace = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"

// nodeEntry finds entries, as the npm package dotenv does: they may begin in the middle of what is none, a quoted value may begin on a later line, and what
// only looks quoted is read up to the end of its line.
var nodeEntry = func() *regexp.Regexp {
	space := "[" + jsSpace + "]"
	quoted := func(quote string) string {
		return space + "*" + quote + `(?:\\` + quote + "|[^" + quote + "])*" + quote
	}
	return regexp.MustCompile(`(?m)^` + space + `*(?:export` + space + `+)?([\w.-]+)(?:` + space + `*=` + space + `*?|:` + space + `+?)` +
		`(` + quoted("'") + "|" + quoted(`"`) + "|" + quoted("`") + `|[^#\r\n]+)?` + space + `*(?:#[^\n\x{2028}\x{2029}]*)?$`)
}()

var nodeReference = regexp.MustCompile(`\\?\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)

// node reads the dialect of the npm package dotenv: single, double and back quotes, all over several lines; \n and \r are escapes in double quotes. On
// purpose unlike dotenv-expand, which changes passwords: only ${NAME} is replaced, \${NAME} is ${NAME}, and an unknown name stays as it is.
func (r *reader) node(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	line, counted := 1, 0
	for _, at := range nodeEntry.FindAllStringSubmatchIndex(text, -1) {
		line += strings.Count(text[counted:at[2]], "\n")
		counted = at[2]
		name, value := text[at[2]:at[3]], ""
		if at[4] >= 0 {
			value = strings.Trim(text[at[4]:at[5]], jsSpace)
		}
		quote := byte(0)
		if value != "" && strings.IndexByte("'\"`", value[0]) >= 0 {
			quote = value[0]
		}
		if n := len(value); quote != 0 && n >= 2 && value[n-1] == quote {
			value = value[1 : n-1]
		}
		if quote == '"' {
			value = strings.ReplaceAll(strings.ReplaceAll(value, `\n`, "\n"), `\r`, "\r")
		}
		if quote != '\'' {
			value = nodeReference.ReplaceAllStringFunc(value, func(found string) string {
				if found[0] == '\\' {
					return found[1:]
				}
				if v, ok := r.lookup(found[2 : len(found)-1]); ok {
					return v
				}
				return found
			})
		}
		r.set(name, value, line)
	}
}
