package dotenv

import (
	"regexp"
	"slices"
	"strings"
)

const (
	phpBlank = " \t\n\r\x00\x0b" // what trim removes
	phpSpace = " \t\n\v\f\r"     // isspace(3)
)

var (
	phpLineEnd   = regexp.MustCompile(`\r\n|\n|\r`)
	phpName      = regexp.MustCompile(`^[A-Za-z0-9_.]+$`)
	phpReference = regexp.MustCompile(`^\$\{([A-Za-z0-9_.]+)\}`)
)

// php reads the dialect of vlucas/phpdotenv. A value in double quotes can have several lines if the quote follows the equals sign at once; a value in
// single quotes can't.
func (r *reader) php(text string) {
	var pending []string // the lines of a value that has not ended
	began := 0
	for i, line := range phpLineEnd.Split(text, -1) {
		switch {
		case len(pending) > 0:
			pending = append(pending, line)
			if line != `"` && phpQuotes(line) < 1 {
				continue
			}
			line, pending = strings.Join(pending, "\n"), nil
		case strings.Contains(line, `="`) && line != `"` && phpQuotes(line) < 2:
			pending, began = []string{line}, i+1
			continue
		default:
			began = i + 1
		}
		if trimmed := strings.Trim(line, phpBlank); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		r.phpEntry(line, began)
	}
	if len(pending) > 0 {
		r.problem(began, "a double quote is not closed")
	}
}

// phpQuotes counts the double quotes of a line that follow something other than a backslash.
func phpQuotes(line string) (n int) {
	line = strings.ReplaceAll(line, `\\`, "")
	for i := 1; i < len(line); i++ {
		if line[i] == '"' && line[i-1] != '\\' {
			n++
		}
	}
	return n
}

func (r *reader) phpEntry(entry string, line int) {
	name, value, has := strings.Cut(entry, "=")
	if has {
		name, value = strings.Trim(name, phpBlank), strings.Trim(value, phpBlank)
	}
	if len(name) > 8 && strings.HasPrefix(name, "export") && strings.IndexByte(phpSpace, name[6]) >= 0 {
		name = strings.TrimLeft(name[6:], phpBlank)
	}
	if n := len(name); n >= 3 && (name[0] == '"' || name[0] == '\'') && name[n-1] == name[0] {
		name = name[1 : n-1]
	}
	if !phpName.MatchString(name) {
		r.problem(line, "this is not NAME=value")
		return
	}
	if !has { // the name alone unsets a variable
		delete(r.vars, name)
		return
	}
	parsed, references, wrong := phpValue(value)
	if wrong != "" {
		r.problem(line, "the value of "+name+" "+wrong)
		return
	}
	// From the last to the first, so that the positions of the others stay what they are.
	for _, at := range slices.Backward(references) {
		if m := phpReference.FindStringSubmatch(parsed[at:]); m != nil {
			if v, ok := r.lookup(m[1]); ok {
				parsed = parsed[:at] + v + parsed[at+len(m[0]):]
			}
		}
	}
	r.set(name, parsed, line)
}

// phpValue reads a value, with the positions of dollar signs that can begin a reference; wrong says why it is none.
func phpValue(text string) (value string, references []int, wrong string) {
	const (
		begin = iota
		plain
		single
		double
		escape
		after
	)
	var b strings.Builder
	state := begin
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch state {
		case begin, plain:
			switch {
			case c == '#':
				return b.String(), references, ""
			case state == begin && c == '\'':
				state = single
				continue
			case state == begin && c == '"':
				state = double
				continue
			case strings.IndexByte(phpSpace, c) >= 0:
				state = after
				continue
			case c == '$':
				references = append(references, b.Len())
			}
			state = plain
			b.WriteByte(c)
		case single:
			if c == '\'' {
				state = after
				continue
			}
			b.WriteByte(c)
		case double:
			switch c {
			case '"':
				state = after
				continue
			case '\\':
				state = escape
				continue
			case '$':
				references = append(references, b.Len())
			}
			b.WriteByte(c)
		case escape:
			at := strings.IndexByte(`"\$fnrtv`, c)
			if at < 0 {
				return "", nil, "has a backslash before something other than one of \" \\ $ f n r t v, in double quotes"
			}
			b.WriteByte("\"\\$\f\n\r\t\v"[at])
			state = double
		case after:
			if c == '#' {
				return b.String(), references, ""
			}
			if strings.IndexByte(phpSpace, c) < 0 {
				return "", nil, "has a space and needs quotes around it"
			}
		}
	}
	if state == single || state == double || state == escape {
		return "", nil, "has a quote that is not closed"
	}
	return b.String(), references, ""
}
