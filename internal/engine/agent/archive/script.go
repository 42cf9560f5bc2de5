package archive

import (
	"bytes"
	"errors"
	"strings"
)

// Script splits pg_dump's plain text into statements and the rows of COPY in passing. It parses SQL like the server and psql
// (quotes, dollar quotes, comments, SQL-standard function bodies), so that text inside a comment, a string or a function body is
// never mistaken for a statement. It has none of psql's own commands.
type Script struct {
	// Statement receives each whole statement, without preceding comments and its semicolon. It reports whether rows follow.
	Statement func(text []byte) (rows bool, err error)
	// Rows receives pieces of the rows that follow a statement, and End is called after the last one.
	Rows func(piece []byte) error
	End  func() error
	// Comment receives each comment line between statements, and Command each line there that begins with a backslash. Both may be nil.
	Comment func(line []byte)
	Command func(line []byte) error
	// Max is how many bytes of a statement are kept; the rest is discarded, or an error if Whole is set.
	Max   int
	Whole bool

	state   scriptState
	text    []byte
	long    bool
	prev    byte // the previous byte, in SQL; zero after a token that it must not be part of
	leading bool // the comment is between statements
	nested  int  // depth of block comments
	escapes bool // the string is E'...'
	closed  bool // the byte before closed a string
	tag     []byte
	matched int // how much of the closing dollar quote has been seen

	word   []byte // the word that is being read, its beginning
	inWord bool
	words  int     // of the statement
	firsts [4]byte // the kind of statement by its first words, as in psql's lexer
	parens int
	bodies int // depth of BEGIN ATOMIC

	held []byte // of a line of rows that may be the last
	mid  bool   // in the middle of a line of rows
}

type scriptState int

const (
	inSQL scriptState = iota
	inLineComment
	inBlockComment
	inString
	inQuoted
	inDollarTag
	inDollar
	inCommand
	beforeRows // the rest of the line with the statement
	inRows
)

var errLongStatement = errors.New("the dump has a statement that is too long")

// Write splits the text.
func (s *Script) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if s.state == inRows {
			rest, err := s.rows(p)
			if err != nil {
				return 0, err
			}
			p = rest
			continue
		}
		if err := s.byte(p[0]); err != nil {
			return 0, err
		}
		p = p[1:]
	}
	return n, nil
}

// Close returns an error if the text ended inside a token.
func (s *Script) Close() error {
	if s.state == inLineComment && s.leading || s.state == inCommand {
		return nil
	}
	if s.state != inSQL || len(s.text) > 0 {
		return errors.New("the dump ends in the middle of a statement")
	}
	return nil
}

func (s *Script) hold(b byte) error {
	if len(s.text) < s.Max {
		s.text = append(s.text, b)
		return nil
	}
	s.long = true
	if s.Whole {
		return errLongStatement
	}
	return nil
}

func (s *Script) byte(b byte) error {
	switch s.state {
	case inSQL:
		return s.sql(b)
	case inLineComment:
		if b == '\n' {
			s.state, s.prev = inSQL, 0
			if s.leading {
				if s.Comment != nil {
					s.Comment(s.text)
				}
				s.text, s.long = s.text[:0], false
				return nil
			}
		}
	case inBlockComment:
		switch {
		case s.prev == '*' && b == '/':
			s.prev = 0
			if s.nested--; s.nested == 0 {
				s.state = inSQL
				if s.leading {
					s.text, s.long = s.text[:0], false
					return nil
				}
			}
			return s.hold(b)
		case s.prev == '/' && b == '*':
			s.nested++
			s.prev = 0
			return s.hold(b)
		}
		s.prev = b
	case inString:
		switch {
		case s.escapes && s.prev == '\\':
			s.prev = 0
			return s.hold(b)
		case b == '\'':
			s.state, s.closed, b = inSQL, true, '\''
		}
		s.prev = b
	case inQuoted:
		if b == '"' { // a doubled one opens the name again
			s.state = inSQL
		}
		s.prev = b
	case inDollarTag:
		switch {
		case b == '$':
			s.tag = append(s.tag, b)
			s.state, s.matched = inDollar, 0
		case wordByte(b) && (len(s.tag) > 1 || b < '0' || b > '9'):
			s.tag = append(s.tag, b)
		default: // a parameter, or a dollar without a meaning
			s.state, s.inWord, s.word = inSQL, true, s.word[:0]
			return s.sql(b)
		}
	case inDollar:
		switch last := len(s.tag) - 1; {
		case b == '$' && s.matched == last:
			s.state, s.prev = inSQL, 0
		case b == '$':
			s.matched = 1
		case s.matched > 0 && s.matched < last && s.tag[s.matched] == b:
			s.matched++
		default:
			s.matched = 0
		}
	case inCommand:
		if b != '\n' {
			return s.hold(b)
		}
		line := s.text
		s.state, s.text, s.long = inSQL, s.text[:0], false
		if s.Command != nil {
			return s.Command(line)
		}
		return nil
	case beforeRows:
		if b == '\n' {
			s.state, s.mid, s.held = inRows, false, s.held[:0]
		}
		return nil
	}
	return s.hold(b)
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b >= 0x80
}

// sql processes a byte outside of quotes and comments.
func (s *Script) sql(b byte) error {
	closed := s.closed
	s.closed = false
	if wordByte(b) || b == '$' && s.inWord {
		if !s.inWord {
			s.inWord, s.word = true, s.word[:0]
		}
		if len(s.word) < 16 {
			s.word = append(s.word, b)
		}
		s.prev = b
		return s.hold(b)
	}
	word := ""
	if s.inWord {
		s.inWord, word = false, strings.ToLower(string(s.word))
		s.endWord(word)
	}
	prev := s.prev
	s.prev = b
	switch b {
	case ' ', '\t', '\n', '\r', '\f':
		if len(s.text) == 0 {
			return nil
		}
	case '\'':
		s.state, s.escapes = inString, word == "e" || closed && s.escapes
		s.prev = 0
	case '"':
		s.state = inQuoted
	case '$':
		s.state, s.tag = inDollarTag, append(s.tag[:0], b)
	case '(':
		s.parens++
	case ')':
		s.parens = max(0, s.parens-1)
	case '-':
		if prev == '-' {
			s.state, s.leading = inLineComment, len(s.text) == 1
		}
	case '*':
		if prev == '/' {
			s.state, s.leading, s.nested, s.prev = inBlockComment, len(s.text) == 1, 1, 0
		}
	case '\\':
		if len(s.text) == 0 {
			s.state = inCommand
		}
	case ';':
		if s.parens == 0 && s.bodies == 0 {
			return s.end()
		}
	}
	return s.hold(b)
}

// endWord follows the bodies of SQL-standard functions, whose semicolons end no statement (like PostgreSQL's psqlscan.l).
func (s *Script) endWord(word string) {
	if s.words < len(s.firsts) {
		switch word {
		case "create", "function", "procedure", "or", "replace":
			s.firsts[s.words] = word[0]
		}
	}
	s.words++
	routine := func(b byte) bool { return b == 'f' || b == 'p' }
	if s.firsts[0] != 'c' || !routine(s.firsts[1]) && !(s.firsts[1] == 'o' && s.firsts[2] == 'r' && routine(s.firsts[3])) || s.parens > 0 {
		return
	}
	switch {
	case word == "begin", word == "case" && s.bodies > 0:
		s.bodies++
	case word == "end" && s.bodies > 0:
		s.bodies--
	}
}

func (s *Script) end() error {
	text := s.text
	s.text, s.long, s.words, s.firsts, s.prev = s.text[:0], false, 0, [4]byte{}, 0
	if len(text) == 0 {
		return nil
	}
	rows, err := s.Statement(text)
	if err == nil && rows {
		s.state = beforeRows
	}
	return err
}

var (
	lastRow  = []byte(`\.`)
	lastLine = []byte("\n\\.")
)

// rows processes rows of COPY up to the line that ends them.
func (s *Script) rows(p []byte) ([]byte, error) {
	if s.mid {
		i := bytes.Index(p, lastLine)
		if i >= 0 {
			s.mid = false
			return p[i+1:], s.Rows(p[:i+1])
		}
		end := len(p)
		if at := bytes.LastIndexByte(p, '\n'); at >= 0 && bytes.HasPrefix(lastRow, p[at+1:]) {
			end, s.mid = at+1, false
		}
		return p[end:], s.Rows(p[:end])
	}
	b := p[0]
	switch {
	case b == '\n' && bytes.Equal(s.held, lastRow):
		s.state, s.held, s.prev = inSQL, s.held[:0], 0
		return p[1:], s.End()
	case len(s.held) < len(lastRow) && lastRow[len(s.held)] == b:
		s.held = append(s.held, b)
		return p[1:], nil
	case len(s.held) > 0:
		held := s.held
		s.held, s.mid = nil, true
		return p, s.Rows(held)
	case b == '\n': // an empty row
		return p[1:], s.Rows(p[:1])
	}
	s.mid = true
	return p, nil
}
