package deployment

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// skips are the marks of a commit's message with which people keep it from being built, as CI services read them.
var skips = []string{"[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]", "[skip deploy]", "[deploy skip]"}

// skipsChecks is the line of a message that GitHub reads as such a mark; it may lack the blank.
const skipsChecks = "skip-checks: true"

// maxLine is how much of a line is kept to find marks; none is longer.
const maxLine = 64

// marks finds the first mark in a text of any length, as it is read.
type marks struct {
	line  []byte
	long  bool // the line's beginning is not kept
	found string
}

func (m *marks) add(r rune) {
	switch {
	case m.found != "":
		return
	case r == '\n':
		m.end()
		m.line, m.long = m.line[:0], false
		return
	case r >= utf8.RuneSelf:
		r = utf8.RuneSelf // is part of no mark
	}
	if len(m.line) == maxLine {
		m.long = true
		m.line = append(m.line[:0], m.line[maxLine/2:]...)
	}
	m.line = append(m.line, byte(unicode.ToLower(r)))
	if r != ']' {
		return
	}
	for _, mark := range skips {
		if bytes.HasSuffix(m.line, []byte(mark)) {
			m.found = mark
		}
	}
}

// end returns the mark of a text that has been read.
func (m *marks) end() string {
	line := strings.TrimRight(string(m.line), " \t\r")
	if m.found == "" && !m.long && (line == skipsChecks || line == strings.ReplaceAll(skipsChecks, " ", "")) {
		m.found = skipsChecks
	}
	return m.found
}
