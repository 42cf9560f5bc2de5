package archive

import (
	"bytes"
	"io"
	"regexp"
	"strings"
)

// Definers rewrites what the output of mariadb-dump and mysqldump names of the server that it is from. The definers of views,
// routines, triggers and events become the restoring account: only an administrator can create them for another account, and the
// accounts named in a dump may be another tenant's on the target server. ALTER DATABASE, which surrounds a routine or trigger from
// the time of another collation, loses the name of the dumped database, and so means the one that is loaded; so do sequences that columns take their numbers
// from. This makes a dump loadable; it can't name other accounts or databases because the loading account has no right to.
type Definers struct {
	// Strict makes the engine refuse values that it can't store, where it would store others: an older one has no points in time after 2038. Zero dates are taken.
	Strict bool

	w     io.Writer
	line  []byte // the beginning of a line that may name a definer
	state definerState
	code  bool // between DELIMITER lines
	inner bool // in the middle of a statement there
	// locked is set after a lock that was not left out.
	locked bool
	err    error
}

type definerState int

const (
	atLine  definerState = iota // at the beginning of a line
	holding                     // in a line that is held back
	passing                     // in a line that passes unchanged
)

// NewDefiners writes to w with rewritten definers.
func NewDefiners(w io.Writer) *Definers { return &Definers{w: w} }

// maxDefiner exceeds the longest beginning of a line up to the definer's end: two names of 80 characters of four bytes, doubled quotes.
const maxDefiner = 4 << 10

// definer names an account in the quotes of the mode that its object was created in (ANSI_QUOTES).
var definer = regexp.MustCompile("^((?:/\\*!\\d+ )?(?:CREATE(?:\\*/ /\\*!\\d+)? )?)DEFINER=(?:`(?:[^`]|``)*`(?:@`(?:[^`]|``)*`)?|" +
	`"(?:[^"]|"")*"(?:@"(?:[^"]|"")*")?)`)

// altered names a database, which is optional there.
var altered = regexp.MustCompile("^(ALTER DATABASE )`(?:[^`]|``)*` ")

// numbered names a sequence with its database, in the definition of a column.
var numbered = regexp.MustCompile("((?:next|last)val\\()`(?:[^`]|``)*`\\.")

// locks is the statement before the rows of a table, which is left out with the one after them: nothing else uses the database that is filled, and a locked
// table can't take numbers from a sequence. A table with a line feed in its name stays locked.
var locks = regexp.MustCompile("^LOCK TABLES `(?:[^`]|``)*` WRITE;\\s*$")

// ofRows is the statement before everything else that determines how rows are read, and strictly the same with which values are refused that an engine can't
// store.
const (
	ofRows   = "/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO' */;"
	strictly = "/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES,ALLOW_INVALID_DATES' */;\n"
)

// unnumbered returns the definition of a column whose sequences have no database. What is in a text, such as a comment, stays.
func unnumbered(line []byte) []byte {
	var out []byte
	from := 0
	for _, m := range numbered.FindAllSubmatchIndex(line, -1) {
		if bytes.Count(line[:m[0]], []byte("'"))%2 == 0 {
			out, from = append(out, line[from:m[3]]...), m[1]
		}
	}
	return append(out, line[from:]...)
}

// Write rewrites lines.
func (d *Definers) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 && d.err == nil {
		switch d.state {
		case atLine:
			d.state = passing
			if d.code || strings.IndexByte("AC/D LU", p[0]) >= 0 { // between DELIMITER lines the end of a line ends the statement
				d.state = holding
			}
		case holding:
			i := bytes.IndexByte(p, '\n')
			take := len(p)
			if i >= 0 {
				take = i + 1
			}
			d.line = append(d.line, p[:take]...)
			p = p[take:]
			if i >= 0 || len(d.line) > maxLineHeld {
				d.flush(i >= 0)
			}
		case passing:
			i := bytes.IndexByte(p, '\n')
			take := len(p)
			if i >= 0 {
				take, d.state = i+1, atLine
			}
			d.write(p[:take])
			p = p[take:]
		}
	}
	return n, d.err
}

// maxLineHeld limits how much of a line is held back to see its end.
const maxLineHeld = 1 << 20

// flush writes a held line; whole reports whether its end was seen.
func (d *Definers) flush(whole bool) {
	line := d.line
	d.line = d.line[:0]
	d.state = atLine
	if !whole {
		d.state = passing
	}
	trimmed := bytes.TrimRight(line, " \r\n")
	if rest, ok := bytes.CutPrefix(trimmed, []byte(delimiter)); ok && len(trimmed) < maxName {
		d.code, d.inner = string(rest) != ";", false
		d.write(line)
		return
	}
	switch {
	case d.code:
	case d.Strict && string(trimmed) == ofRows:
		line = []byte(strictly)
	case bytes.HasPrefix(line, []byte("  `")):
		line = unnumbered(line)
	case bytes.HasPrefix(line, []byte("LOCK TABLES `")):
		if d.locked = !whole || !locks.Match(line); !d.locked {
			return
		}
	case string(trimmed) == "UNLOCK TABLES;":
		if !d.locked {
			return
		}
		d.locked = false
	}
	if !d.inner {
		head := line[:min(len(line), maxDefiner)]
		if m := definer.FindSubmatchIndex(head); m != nil {
			d.write(line[m[2]:m[3]])
			d.write([]byte("DEFINER=CURRENT_USER"))
			line = line[m[1]:]
		} else if m := altered.FindSubmatchIndex(head); m != nil {
			d.write(line[m[2]:m[3]])
			line = line[m[1]:]
		}
	}
	d.inner = d.code && !bytes.HasSuffix(trimmed, []byte(";;"))
	d.write(line)
}

func (d *Definers) write(p []byte) {
	if d.err == nil {
		_, d.err = d.w.Write(p)
	}
}

// Close writes what is held back.
func (d *Definers) Close() error {
	if len(d.line) > 0 {
		d.flush(false)
	}
	return d.err
}
