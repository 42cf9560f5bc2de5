package deployment

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"mime"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxField is how much of a text in a push is kept, in bytes. The rest of it is read and forgotten.
const maxField = 4 << 10

// maxNested is how deep a push may be nested.
const maxNested = 64

var errJSON = errors.New("the body is not JSON")

// payload returns the JSON of a push. GitHub sends a form with it by default: the field payload, encoded. Only the body is signed, and not its type: what
// begins like JSON is no form, or a commit's message could be read as one.
func payload(contentType string, body io.Reader) io.Reader {
	in := bufio.NewReader(body)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" { // of senders that write files first, on Windows
		_, _ = in.Discard(3)
	}
	first, _ := in.Peek(1)
	kind, _, err := mime.ParseMediaType(contentType)
	if err == nil && kind == "application/x-www-form-urlencoded" && string(first) != "{" {
		return &formField{in: in, name: formPayload}
	}
	return in
}

// formField reads the value of one field of a form, decoded, as it comes.
type formField struct {
	in   *bufio.Reader
	name string
	at   bool // in the field
}

// Read reads a byte at a time from its buffer: the decoder that reads from it has a buffer too.
func (f *formField) Read(p []byte) (n int, err error) {
	for !f.at {
		if err := f.find(); err != nil {
			return 0, err
		}
	}
	for n < len(p) {
		c, err := f.in.ReadByte()
		if err != nil {
			return n, err
		}
		switch c {
		case '&':
			return n, io.EOF
		case '+':
			c = ' '
		case '%':
			var hex [2]byte
			if _, err := io.ReadFull(f.in, hex[:]); err != nil {
				return n, errJSON
			}
			v, err := strconv.ParseUint(string(hex[:]), 16, 8)
			if err != nil {
				return n, errJSON
			}
			c = byte(v)
		}
		p[n] = c
		n++
	}
	return n, nil
}

// find reads up to the value of the field, or past another field.
func (f *formField) find() error {
	var name strings.Builder
	for {
		c, err := f.in.ReadByte()
		if err != nil {
			return err
		}
		switch {
		case c == '=':
			decoded, err := url.QueryUnescape(name.String())
			if f.at = err == nil && decoded == f.name; f.at {
				return nil
			}
			return f.skip()
		case c == '&':
			name.Reset()
		case name.Len() < 64:
			name.WriteByte(c)
		}
	}
}

func (f *formField) skip() error {
	for {
		c, err := f.in.ReadByte()
		if err != nil || c == '&' {
			return err
		}
	}
}

// scanner reads JSON (RFC 8259) as it comes, and hands on its scalars with their paths: "commits.[].id". Of a long text only the beginning is kept.
type scanner struct {
	in   *bufio.Reader
	path []byte
	each func(path string, v scalar)
}

// scalar is a text, a number, a bool or null, or the beginning of an element of an array.
type scalar struct {
	text         string
	skip         string // the mark in all of the text, also where it is not kept
	null, begins bool
}

func (s *scanner) next() (byte, error) {
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, nil
		}
	}
}

// scan reads one value.
func (s *scanner) scan(depth int) error {
	c, err := s.next()
	if err != nil {
		return err
	}
	if depth > maxNested {
		return errJSON
	}
	switch c {
	case '{':
		return s.members(depth, '}', func() error {
			c, err := s.next()
			if err != nil {
				return err
			}
			if c != '"' {
				return errJSON
			}
			name, _, err := s.text(128)
			if err != nil {
				return err
			}
			if strings.Contains(name, ".") || name == "[]" { // which would be taken for what is below others
				name = "?"
			}
			if c, err = s.next(); err != nil || c != ':' {
				return errors.Join(err, errJSON)
			}
			return s.below(name, depth)
		})
	case '[':
		return s.members(depth, ']', func() error { return s.below("[]", depth) })
	case '"':
		text, skip, err := s.text(maxField)
		s.each(string(s.path), scalar{text: text, skip: skip})
		return err
	}
	word := []byte{c}
	for {
		next, err := s.in.Peek(1)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil || strings.IndexByte(" \t\r\n,]}", next[0]) >= 0 {
			break
		}
		c, _ = s.in.ReadByte()
		if word = append(word, c); len(word) > 64 {
			return errJSON
		}
	}
	switch text := string(word); text {
	case "null":
		s.each(string(s.path), scalar{null: true})
	case "true", "false":
		s.each(string(s.path), scalar{text: text})
	default:
		if _, err := strconv.ParseFloat(text, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
			return errJSON
		}
		s.each(string(s.path), scalar{text: text})
	}
	return nil
}

func (s *scanner) below(name string, depth int) error {
	length := len(s.path)
	if length > 0 {
		s.path = append(s.path, '.')
	}
	s.path = append(s.path, name...)
	if name == "[]" {
		s.each(string(s.path), scalar{begins: true})
	}
	err := s.scan(depth + 1)
	s.path = s.path[:length]
	return err
}

// members reads those of an object or the elements of an array, up to its end.
func (s *scanner) members(depth int, end byte, one func() error) error {
	c, err := s.next()
	if err != nil {
		return err
	}
	if c == end {
		return nil
	}
	if err := s.in.UnreadByte(); err != nil {
		return err
	}
	for {
		if err := one(); err != nil {
			return err
		}
		switch c, err = s.next(); {
		case err != nil:
			return err
		case c == end:
			return nil
		case c != ',':
			return errJSON
		}
	}
}

// text reads the rest of a string, of which so many bytes are kept, and finds the mark in it.
func (s *scanner) text(keep int) (text, skip string, err error) {
	var b []byte
	var marks marks
	for {
		c, err := s.in.ReadByte()
		switch {
		case err != nil:
			return "", "", err
		case c == '"':
			return strings.ToValidUTF8(string(b), "\ufffd"), marks.end(), nil
		case c < ' ':
			return "", "", errJSON
		case c == '\\':
			r, err := s.escape()
			if err != nil {
				return "", "", err
			}
			marks.add(r)
			if len(b)+utf8.UTFMax <= keep {
				b = utf8.AppendRune(b, r)
			}
		default:
			marks.add(rune(c))
			if len(b) < keep {
				b = append(b, c)
			}
		}
	}
}

func (s *scanner) escape() (rune, error) {
	c, err := s.in.ReadByte()
	if err != nil {
		return 0, err
	}
	if at := strings.IndexByte(`"\/bfnrt`, c); at >= 0 {
		return rune("\"\\/\b\f\n\r\t"[at]), nil
	}
	if c != 'u' {
		return 0, errJSON
	}
	r, err := s.unit()
	if err != nil || r < 0xd800 || r > 0xdbff {
		return r, err
	}
	// The second half of a pair follows (RFC 8259, section 7); a first half alone is replaced.
	if next, err := s.in.Peek(2); err != nil || string(next) != `\u` {
		return utf8.RuneError, nil
	}
	_, _ = s.in.Discard(2)
	low, err := s.unit()
	if err != nil || low < 0xdc00 || low > 0xdfff {
		return utf8.RuneError, err
	}
	return 0x10000 + (r-0xd800)<<10 + (low - 0xdc00), nil
}

func (s *scanner) unit() (rune, error) {
	var hex [4]byte
	if _, err := io.ReadFull(s.in, hex[:]); err != nil {
		return 0, err
	}
	v, err := strconv.ParseUint(string(hex[:]), 16, 16)
	if err != nil {
		return 0, errJSON
	}
	return rune(v), nil
}

// pushed is what a push says, or one change of a push that has several.
type pushed struct {
	ref, after, checkout, object, kind, name string
	deleted                                  bool
	head, last                               commit
	// claims are the paths of the repository that it is of, in lower case: by its name and its addresses.
	claims []string
}

// commit is what a push says of a commit; skip is the mark in its message that keeps it from being deployed.
type commit struct{ id, message, author, skip string }

func (c *commit) set(field string, v scalar) {
	switch field {
	case "id", "hash":
		c.id = v.text
	case "message":
		c.message, c.skip = v.text, v.skip
	case "author.name", "author.raw":
		c.author = v.text
	}
}

// readPayload reads the fields of all senders from a body. changes are those of Bitbucket.
func readPayload(contentType string, body io.Reader) (p pushed, changes []pushed, err error) {
	s := scanner{in: bufio.NewReaderSize(payload(contentType, body), 32<<10)}
	s.each = func(path string, v scalar) {
		rest, changed := strings.CutPrefix(strings.TrimPrefix(path, "push."), "changes.[]")
		switch {
		case changed && rest == "" && v.begins:
			if len(changes) < maxChanges {
				changes = append(changes, pushed{})
			}
		case changed && len(changes) > 0:
			changes[len(changes)-1].change(strings.TrimPrefix(rest, "."), v)
		case path == "commits.[]" && v.begins:
			p.last = commit{} // the last one counts
		case strings.HasPrefix(path, "commits.[]."):
			p.last.set(strings.TrimPrefix(path, "commits.[]."), v)
		case strings.HasPrefix(path, "head_commit."):
			p.head.set(strings.TrimPrefix(path, "head_commit."), v)
		case path == "ref":
			p.ref = v.text
		case path == "after":
			p.after = v.text
		case path == "checkout_sha":
			p.checkout = v.text
		case path == "object_kind":
			p.object = v.text
		case path == "deleted":
			p.deleted = v.text == "true"
		default:
			p.claim(path, v.text)
		}
	}
	return p, changes, s.scan(0)
}

// maxChanges is how many branches of one push are looked at; Bitbucket sends no more than five.
const maxChanges = 100

// change reads a field of a change, of Bitbucket Cloud (new, old) or Data Center (ref, toHash, type).
func (p *pushed) change(field string, v scalar) {
	switch field {
	case "new":
		p.deleted = v.null
	case "new.type", "ref.type":
		p.kind = strings.ToLower(v.text)
	case "new.name", "ref.displayId":
		p.name = v.text
	case "old.name":
		p.name = cmp.Or(p.name, v.text)
	case "old.type":
		p.kind = cmp.Or(p.kind, strings.ToLower(v.text))
	case "toHash":
		p.head.id = v.text
	case "type":
		p.deleted = v.text == "DELETE"
	}
	if field, ok := strings.CutPrefix(field, "new.target."); ok {
		p.head.set(field, v)
	}
}

// claim notes how a push names its repository: GitHub, Gitea and Bitbucket by full_name, GitLab by path_with_namespace, all with addresses.
func (p *pushed) claim(path, text string) {
	of, field, _ := strings.Cut(path, ".")
	if of != "repository" && of != "project" || text == "" {
		return
	}
	name := ""
	switch field {
	case "full_name", "path_with_namespace":
		name = strings.ToLower(strings.Trim(text, "/"))
	case "clone_url", "ssh_url", "git_http_url", "git_ssh_url":
		name = repositoryPath(text)
	default:
		return
	}
	p.claims = append(p.claims, cmp.Or(name, "?")) // which is no repository's: what can't be read names another one
}
