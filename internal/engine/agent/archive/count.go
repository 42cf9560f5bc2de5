// Package archive is the stream between a database and a bucket: a dump is counted, compressed, encrypted and cut into parts on
// the way, and none of it is stored on a disk.
package archive

import (
	"bytes"
	"strings"
)

// Table is what a dump contains of a table.
type Table struct {
	Rows    int64 `json:"rows"`
	Columns int   `json:"columns"`
}

// Counter counts the rows of a dump in passing: exactly its contents, whatever the database has by then. Names are as quoted in
// the dump, and only for comparison: names that are used come from the engine. It knows the output of mariadb-dump and mysqldump,
// and pg_dump's plain format.
type Counter struct {
	// Tables by name; Done is set if the last line is the one that ends a complete dump.
	Tables map[string]*Table
	Done   bool
	// Bytes is how much passed. Largest is the length of the longest INSERT, and LargestIn its table.
	Bytes, Largest int64
	LargestIn      string
	// Facts is what follows FactsLine at the beginning of PostgreSQL's dump.
	Facts []byte

	shape    shape
	insertAt int64   // where the INSERT begins
	into     string  // the table that is inserted into
	script   *Script // of PostgreSQL
	code     bool    // between DELIMITER lines: the bodies of triggers, routines and events
	state    counterState
	line     []byte // the beginning of the line, as far as it matters
	table    *Table // that is copied or inserted into
	creating *Table // whose CREATE TABLE is passing
	named    func(name string)
	tick     bool // the last byte of a name was a backtick
	depth    int
	column   bool // in the name of a column of an INSERT
	quoted   bool
	escaped  bool
	values   bool
}

type counterState int

const (
	inLine   counterState = iota // at the beginning of a line, not yet identified
	inRest                       // in an irrelevant line
	inName                       // in a name between backticks
	inInsert                     // in the rest of an INSERT
)

// maxHead is how much of a statement is read to identify it: COPY names all of a table's columns, at most 1600.
const maxHead = 256 << 10

const (
	insertInto   = "INSERT INTO `"
	createTable  = "CREATE TABLE `"
	delimiter    = "DELIMITER "
	mysqlDone    = "-- Dump completed"
	postgresDone = "-- PostgreSQL database dump complete"
	postgresCopy = "COPY "
	postgresRows = " FROM stdin"
)

// NewCounter makes one for an engine.
func NewCounter(postgres bool) *Counter {
	c := &Counter{Tables: map[string]*Table{}, shape: newShape()}
	if postgres {
		c.script = &Script{Statement: c.statement, Rows: c.rows, End: func() error { return nil }, Comment: c.comment, Max: maxHead}
	}
	return c
}

// Write counts rows. It never fails.
func (c *Counter) Write(p []byte) (int, error) {
	n := len(p)
	c.Bytes += int64(n)
	if c.script != nil {
		_, _ = c.script.Write(p)
		return n, nil
	}
	for len(p) > 0 {
		switch c.state {
		case inInsert:
			if p = c.insert(p); c.state != inInsert {
				if size := c.Bytes - int64(len(p)) - c.insertAt; size > c.Largest {
					c.Largest, c.LargestIn = size, c.into
				}
			}
		case inRest:
			i := bytes.IndexByte(p, '\n')
			if i < 0 {
				c.shape.write(p, c.code)
				return n, nil
			}
			c.shape.write(p[:i+1], c.code)
			p, c.state = p[i+1:], inLine
		case inName:
			if c.name(p[0]) {
				c.shape.write(p[:1], c.code)
				p = p[1:]
			}
		case inLine:
			if c.head(p[0]); len(c.line) == 0 && c.state == inName {
				c.insertAt = c.Bytes - int64(len(p)) + 1 - int64(len(insertInto))
			}
			c.shape.write(p[:1], c.code)
			p = p[1:]
		}
	}
	return n, nil
}

// head processes the next byte of a line that is not yet identified.
func (c *Counter) head(b byte) {
	if b == '\n' {
		if rest, ok := strings.CutPrefix(string(c.line), delimiter); ok {
			c.code, c.Done = rest != ";", false
		}
		c.line = c.line[:0]
		return
	}
	c.line = append(c.line, b)
	if begins(c.line, delimiter) && len(c.line) < maxName {
		return
	}
	switch {
	case c.code:
		c.rest()
	case c.creating != nil && string(c.line) == "  `":
		c.creating.Columns++
		c.rest()
	case c.creating != nil:
		if c.line[0] == ')' {
			c.creating = nil
		}
		if !begins(c.line, "  `") {
			c.rest()
		}
	case string(c.line) == insertInto:
		c.begin(func(name string) {
			c.into, c.table, c.state, c.depth, c.quoted, c.escaped, c.values = name, c.of(name), inInsert, 0, false, false, false
			c.column = false
		})
	case string(c.line) == createTable:
		c.begin(func(name string) { c.creating, c.state = c.of(name), inRest })
	case string(c.line) == mysqlDone:
		c.rest()
		c.Done = true
	case !begins(c.line, insertInto, createTable, mysqlDone):
		c.rest()
	}
}

// maxName is more than a line with a delimiter has.
const maxName = 64

// begins reports whether a line begins, or may still begin, with one of the prefixes.
func begins(line []byte, prefixes ...string) bool {
	for _, p := range prefixes {
		n := min(len(line), len(p))
		if string(line[:n]) == p[:n] {
			return true
		}
	}
	return false
}

// rest skips the remainder of a line. Anything after a dump's last line means that it was not the last.
func (c *Counter) rest() {
	if !bytes.HasPrefix(c.line, []byte("--")) && !bytes.HasPrefix(c.line, []byte(`\`)) {
		c.Done = false
	}
	c.line, c.state = c.line[:0], inRest
}

func (c *Counter) begin(named func(string)) {
	c.line, c.state, c.named, c.tick, c.Done = c.line[:0], inName, named, false, false
}

// name processes a byte of a name, in which two backticks stand for one; it returns false for the first byte after the name.
func (c *Counter) name(b byte) bool {
	switch {
	case c.tick && b == '`':
		c.line, c.tick = append(c.line, '`'), false
	case c.tick:
		name := string(c.line)
		c.line = c.line[:0]
		c.named(name)
		return false
	case b == '`':
		c.tick = true
	default:
		c.line = append(c.line, b)
	}
	return true
}

func (c *Counter) of(name string) *Table {
	if c.Tables[name] == nil {
		c.Tables[name] = &Table{}
	}
	return c.Tables[name]
}

// statement receives each statement of PostgreSQL's dump.
func (c *Counter) statement(text []byte) (rows bool, err error) {
	c.Done = false
	c.shape.statement(text)
	rest, ok := strings.CutPrefix(string(text), postgresCopy)
	if !ok || !strings.HasSuffix(rest, postgresRows) {
		return false, nil
	}
	name, columns := cutName(strings.TrimSuffix(rest, postgresRows))
	c.table = &Table{Columns: columnsIn(columns)}
	c.Tables[name] = c.table
	return true, nil
}

func (c *Counter) rows(piece []byte) error {
	c.table.Rows += int64(bytes.Count(piece, []byte{'\n'}))
	return nil
}

// FactsLine begins the first line of PostgreSQL's dump, a comment.
const FactsLine = "-- Hostler: "

func (c *Counter) comment(line []byte) {
	if facts, ok := bytes.CutPrefix(line, []byte(FactsLine)); ok && len(c.Tables) == 0 && c.Facts == nil {
		c.Facts = bytes.Clone(facts)
	}
	if bytes.HasPrefix(line, []byte(postgresDone)) {
		c.Done = true
	}
}

// cutName separates a quoted name from what follows it.
func cutName(s string) (name, rest string) {
	quoted := false
	for i := range len(s) {
		switch {
		case s[i] == '"':
			quoted = !quoted
		case s[i] == ' ' && !quoted:
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

func columnsIn(list string) int {
	list = strings.TrimSuffix(strings.TrimPrefix(list, "("), ")")
	if strings.TrimSpace(list) == "" {
		return 0
	}
	n, quoted := 1, false
	for i := range len(list) {
		switch {
		case list[i] == '"':
			quoted = !quoted
		case list[i] == ',' && !quoted:
			n++
		}
	}
	return n
}

// insert counts the rows of an INSERT: top-level opening parentheses after VALUES.
func (c *Counter) insert(p []byte) []byte {
	for i := 0; i < len(p); i++ {
		b := p[i]
		if c.column { // two backticks in a name end it and begin it again
			c.column = b != '`'
			continue
		}
		if c.quoted {
			switch {
			case c.escaped:
				c.escaped = false
			case b == '\\':
				c.escaped = true
			case b == '\'':
				c.quoted = false
			default:
				for i+1 < len(p) && p[i+1] != '\'' && p[i+1] != '\\' {
					i++
				}
			}
			continue
		}
		switch b {
		case '\'':
			c.quoted = true
		case '`': // columns are named where some are generated or invisible
			c.column = true
		case 'V':
			c.values = c.values || c.depth == 0
		case '(':
			if c.depth++; c.depth == 1 && c.values {
				c.table.Rows++
			}
		case ')':
			c.depth--
		case ';':
			c.state, c.table = inRest, nil
			return p[i+1:]
		}
	}
	return nil
}
