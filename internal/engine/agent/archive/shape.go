package archive

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"regexp"
)

// shape is a digest of a dump without its rows, counters of rows and times: two dumps between which only rows were changed have the same. It is compared
// and means nothing else, so a line that it mistakes for another kind causes a proof too many, or none of a change in that line.
type shape struct {
	sum  hash.Hash
	line []byte // of mariadb-dump and mysqldump, its beginning
	long bool   // the line is longer than what is held of it
}

func newShape() shape { return shape{sum: sha256.New()} }

// maxShapeLine exceeds the lines that are not taken as they are.
const maxShapeLine = 64 << 10

// write takes text outside of rows of mariadb-dump and mysqldump; code is set between DELIMITER lines.
func (s *shape) write(p []byte, code bool) {
	for len(p) > 0 {
		end := len(p)
		i := bytes.IndexByte(p, '\n')
		if i >= 0 {
			end = i + 1
		}
		if s.long {
			_, _ = s.sum.Write(p[:end])
		} else {
			s.line = append(s.line, p[:end]...)
		}
		p = p[end:]
		if i >= 0 || len(s.line) > maxShapeLine {
			s.endLine(code)
			s.long = i < 0
		}
	}
}

var autoIncrement = regexp.MustCompile(` AUTO_INCREMENT=\d+`)

func (s *shape) endLine(code bool) {
	line := s.line
	s.line = s.line[:0]
	if !code {
		for _, head := range []string{"--", insertInto, "DO SETVAL(", "SELECT SETVAL("} {
			if bytes.HasPrefix(line, []byte(head)) {
				return
			}
		}
		if len(line) > 0 && line[0] == ')' {
			line = autoIncrement.ReplaceAll(line, nil)
		}
	}
	_, _ = s.sum.Write(line)
}

// statement takes a statement of pg_dump.
func (s *shape) statement(text []byte) {
	for _, head := range []string{"SELECT pg_catalog.setval(", "SELECT pg_catalog.lo", "BEGIN", "COMMIT"} {
		if bytes.HasPrefix(text, []byte(head)) {
			return
		}
	}
	_, _ = s.sum.Write(text)
	_, _ = s.sum.Write([]byte{';'})
}

// Shape returns the digest of the dump's objects together with more that determines how it is restored, such as the engine's version.
func (c *Counter) Shape(more string) string {
	sum := sha256.Sum256(append(c.shape.sum.Sum(nil), more...))
	return hex.EncodeToString(sum[:])
}
