// Package nginxconf parses nginx's configuration as nginx does, checks it against what one site is allowed to say, and prints it.
// The text for a host is always printed from the checked tree, so a difference between this parser and nginx's can't let anything
// through: nginx parses the printed text.
package nginxconf

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

// Word is one word of a statement as nginx's modules get it, with quotes and escapes resolved.
type Word struct {
	Text string
	// Quote is the quote around the word, 0 for none.
	Quote byte
}

// Statement is a directive with its arguments and, for a block, its body; or a comment.
type Statement struct {
	// Words are the directive's name and its arguments; none for a comment.
	Words []Word
	// Block reports whether the statement has a body, which may be empty.
	Block bool
	Body  []*Statement
	// Comment is a comment's text after its "#".
	Comment string
	// Line is where the statement begins. Head is the line of its ";" or "{", End that of its ";" or "}".
	Line, Head, End int
}

// Name returns the name of the directive, "" for a comment.
func (s *Statement) Name() string {
	if len(s.Words) == 0 {
		return ""
	}
	return s.Words[0].Text
}

// Args returns the arguments.
func (s *Statement) Args() []string {
	var out []string
	for _, w := range s.Words[min(1, len(s.Words)):] {
		out = append(out, w.Text)
	}
	return out
}

// Refusal is a part of a text that can't be accepted, with its line.
type Refusal struct {
	Line int
	What string
}

// Error returns the refusal as a sentence.
func (r Refusal) Error() string { return fmt.Sprintf("Line %d: %s.", r.Line, r.What) }

const (
	// maxWord is below the size of nginx's read buffer (NGX_CONF_BUFFER), which no word may exceed.
	maxWord = 4000
	// maxDepth limits nesting; nginx's own blocks need six.
	maxDepth = 12
	// maxStatements limits the size of a checked text.
	maxStatements = 20000
)

// Read parses a text as ngx_conf_read_token (ngx_conf_file.c) does. Its error is a Refusal.
func Read(source string) ([]*Statement, error) {
	r := reader{text: source, line: 1}
	tree, err := r.block(0)
	if err != nil {
		if what := ofOtherProgram(source); what != "" {
			return nil, Refusal{Line: 1, What: what}
		}
		return nil, err
	}
	return tree, nil
}

// The configurations of other web servers, which people paste for nginx.
var (
	ofApache = regexp.MustCompile(`(?mi)^[ \t]*(?:<(?:IfModule|VirtualHost|Directory|Files|Location)\b|Rewrite(?:Engine|Cond|Rule)[ \t]|` +
		`AddType[ \t]|Options[ \t]+[+-])`)
	ofCaddy = regexp.MustCompile(`(?m)^[ \t]*(?:php_fastcgi|reverse_proxy|file_server|encode[ \t]+(?:gzip|zstd)|root[ \t]+\*)`)
	ofLua   = regexp.MustCompile(`_by_lua_block[ \t]*\{`)
)

// ofOtherProgram returns what a text is that nginx can't read, "" where that is not clear.
func ofOtherProgram(source string) string {
	switch {
	case ofApache.MatchString(source):
		return "this is a configuration of Apache (.htaccess), which nginx can't read: what it does has to be written as nginx says it, or as redirects of the site"
	case ofCaddy.MatchString(source):
		return "this is a configuration of Caddy, which nginx can't read"
	case ofLua.MatchString(source):
		return "this has programs in Lua, for which nginx has no module here"
	}
	return ""
}

// Pasted returns a text as it was before it went through a page or a text program: without the fence of Markdown, and with spaces and quotation marks that
// nginx knows. Those of typography stand for the others where they surround a whole word.
func Pasted(given string) string {
	bare := text.Unfenced(given)
	if bare != given { // lines are counted as they were pasted
		bare = "\n" + bare
	}
	s := text.Spaced(bare)
	return typographic.ReplaceAllString(s, `$1"$2"$3`)
}

var typographic = regexp.MustCompile(`(?m)^([^"'#\n]*[ \t])[“”„]([^"“”„\n]*)[“”](;|[ \t])`)

type reader struct {
	text  string
	at    int
	line  int
	count int
}

func (r *reader) refuse(format string, args ...any) error {
	return Refusal{Line: r.line, What: fmt.Sprintf(format, args...)}
}

// end is the character that ends a run of words.
type end byte

const (
	endFile  end = 0
	endLine  end = ';'
	endOpen  end = '{'
	endClose end = '}'
)

// block parses statements until the end of the text, or of the enclosing block.
func (r *reader) block(depth int) ([]*Statement, error) {
	var out []*Statement
	for {
		if r.count++; r.count > maxStatements {
			return nil, r.refuse("there are more than %d directives", maxStatements)
		}
		s, comments, last, err := r.statement()
		if err != nil {
			return nil, err
		}
		out = append(out, comments...)
		switch last {
		case endFile:
			if depth > 0 {
				return nil, r.refuse(`a "}" is missing`)
			}
			return out, nil
		case endClose:
			if depth == 0 {
				return nil, r.refuse(`there is a "}" too many`)
			}
			return out, nil
		case endOpen:
			if depth+1 > maxDepth {
				return nil, r.refuse("blocks are nested more than %d deep", maxDepth)
			}
			s.Block = true
			if s.Body, err = r.block(depth + 1); err != nil {
				return nil, err
			}
			s.End = r.line
		}
		out = append(out, s)
	}
}

// statement parses words until a character that ends them. Comments among them are returned before the statement.
func (r *reader) statement() (s *Statement, comments []*Statement, last end, err error) {
	s = &Statement{}
	for {
		word, comment, sign, err := r.word()
		switch {
		case err != nil:
			return nil, nil, 0, err
		case comment != nil:
			comments = append(comments, comment)
			continue
		case word != nil:
			if len(s.Words) == 0 {
				s.Line = word.line
			}
			s.Words = append(s.Words, word.Word)
			continue
		case sign == endFile && len(s.Words) > 0:
			return nil, nil, 0, r.refuse(`a ";" is missing at the end of %q`, s.Name())
		case sign == endClose && len(s.Words) > 0:
			return nil, nil, 0, r.refuse(`a ";" is missing before "}"`)
		case (sign == endLine || sign == endOpen) && len(s.Words) == 0:
			return nil, nil, 0, r.refuse("%q stands without a directive", string(sign))
		}
		s.Head, s.End = r.line, r.line
		return s, comments, sign, nil
	}
}

type placed struct {
	Word
	line int
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// word parses the next word, comment or delimiter.
func (r *reader) word() (*placed, *Statement, end, error) {
	for r.at < len(r.text) && isSpace(r.text[r.at]) {
		if r.text[r.at] == '\n' {
			r.line++
		}
		r.at++
	}
	if r.at == len(r.text) {
		return nil, nil, endFile, nil
	}
	begin, line := r.at, r.line
	switch c := r.text[r.at]; c {
	case ';', '{', '}':
		r.at++
		return nil, nil, end(c), nil
	case '#':
		stop := strings.IndexByte(r.text[r.at:], '\n')
		if stop < 0 {
			stop = len(r.text) - r.at
		}
		comment := visible(r.text[r.at+1 : r.at+stop])
		r.at += stop
		return nil, &Statement{Comment: strings.TrimRight(comment, " \t\r"), Line: line, Head: line, End: line}, 0, nil
	case '"', '\'':
		r.at++
		raw, err := r.until(func(_ byte, now byte) bool { return now == c }, true)
		if err != nil {
			return nil, nil, 0, err
		}
		r.at++
		if r.at < len(r.text) && !isSpace(r.text[r.at]) && !strings.ContainsRune(";{)", rune(r.text[r.at])) {
			return nil, nil, 0, r.refuse("there is no space after the quoted %q", shorten(raw))
		}
		w, err := r.resolve(raw, c, line)
		return w, nil, 0, err
	}
	_, err := r.until(func(before, now byte) bool {
		return isSpace(now) || now == ';' || now == '{' && before != '$'
	}, false)
	if err != nil {
		return nil, nil, 0, err
	}
	w, err := r.resolve(r.text[begin:r.at], 0, line)
	return w, nil, 0, err
}

// until reads up to a byte for which stops is true, which stays unread, and skips escaped bytes. before is the preceding byte, 0 if it was escaped.
func (r *reader) until(stops func(before, now byte) bool, must bool) (string, error) {
	begin, before := r.at, byte(0)
	for r.at < len(r.text) {
		c := r.text[r.at]
		if r.at > begin || must {
			if stops(before, c) {
				return r.text[begin:r.at], nil
			}
		}
		if c == '\n' {
			r.line++
		}
		r.at++
		before = c
		if c == '\\' && r.at < len(r.text) {
			if r.text[r.at] == '\n' {
				r.line++
			}
			r.at++
			before = 0
		}
	}
	if must {
		return "", r.refuse("a quote is not closed")
	}
	return r.text[begin:], nil
}

// resolve undoes the escapes of a word.
func (r *reader) resolve(raw string, quote byte, line int) (*placed, error) {
	text := unescape(raw)
	switch {
	case len(text) > maxWord:
		return nil, r.refuse("%q is longer than %d bytes", shorten(text), maxWord)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return nil, r.refuse("%q has bytes that are no text", shorten(text))
	}
	return &placed{Word{text, quote}, line}, nil
}

// unescape resolves the escapes that nginx resolves; any other backslash stays.
func unescape(raw string) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) {
			switch raw[i+1] {
			case '"', '\'', '\\':
				i++
			case 't':
				b.WriteByte('\t')
				i++
				continue
			case 'r':
				b.WriteByte('\r')
				i++
				continue
			case 'n':
				b.WriteByte('\n')
				i++
				continue
			}
		}
		b.WriteByte(raw[i])
	}
	return b.String()
}

func shorten(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// visible returns a comment without characters that are not text.
func visible(comment string) string {
	return strings.Map(func(c rune) rune {
		if c == utf8.RuneError || c < ' ' && c != '\t' || c == 0x7f {
			return -1
		}
		return c
	}, comment)
}
