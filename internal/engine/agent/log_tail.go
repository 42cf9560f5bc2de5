package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// longLine is how much of a line is shown at most. Of a longer one, such as a dump of JSON or a progress bar, the beginning and the end are shown.
const longLine = wire.MaxLog / 2

// tailLog reads the last lines before end.
func tailLog(f io.ReaderAt, end int64, q wire.LogQuery, page *wire.LogPage) error {
	back := &backward{f: f, pos: end, floor: max(0, end-logScan)}
	want := newSearch(q.Search)
	page.End, page.Start = end, end
	var found [][]byte // the last line first
	for size := 0; len(found) < q.Lines && size < wire.MaxLog; {
		line, err := back.line()
		if errors.Is(err, io.EOF) { // it was emptied meanwhile
			*page = wire.LogPage{Path: page.Path, File: page.File}
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", page.Path, err)
		}
		if line.begin == line.end || line.part && !line.long && page.Start < end { // of what begins before the floor, unless there is nothing else
			break
		}
		matches := want.in(line.text)
		if !matches && line.long {
			if matches, err = want.inFile(f, line.begin, line.end); err != nil {
				return fmt.Errorf("read %s: %w", page.Path, err)
			}
		}
		if matches && size+len(line.text) > wire.MaxLog && len(found) > 0 {
			break
		}
		if matches {
			found, size = append(found, bytes.Clone(line.text)), size+len(line.text) // not the whole block
		}
		page.Start = line.begin
	}
	var out bytes.Buffer
	for i := len(found) - 1; i >= 0; i-- {
		out.Write(found[i])
	}
	page.Content, page.More = out.Bytes(), page.Start > 0
	return nil
}

// backward reads the lines of a file, the last first. It reads each byte once, or twice of long lines, and keeps at most a long line in memory.
type backward struct {
	f          io.ReaderAt
	pos, floor int64
	buf        []byte // what follows pos and was not returned yet
}

// fileLine is a line of a file, with its newline.
type fileLine struct {
	begin, end int64
	text       []byte
	long       bool // text has not all of it
	part       bool // it begins before the floor
}

// line returns the line before the last one; an empty one at the beginning.
func (b *backward) line() (fileLine, error) {
	for {
		if i := bytes.LastIndexByte(bytes.TrimSuffix(b.buf, []byte{'\n'}), '\n'); i >= 0 {
			l := fileLine{begin: b.pos + int64(i) + 1, end: b.pos + int64(len(b.buf)), text: b.buf[i+1:]}
			b.buf = b.buf[:i+1]
			return l, nil
		}
		if len(b.buf) > longLine {
			return b.long()
		}
		if b.pos == b.floor {
			l := fileLine{begin: b.pos, end: b.pos + int64(len(b.buf)), text: b.buf, part: b.floor > 0}
			b.buf = nil
			return l, nil
		}
		block, err := b.block(len(b.buf))
		if err != nil {
			return fileLine{}, err
		}
		b.buf = append(block, b.buf...)
	}
}

// block reads the block before pos, with room for more after it.
func (b *backward) block(room int) ([]byte, error) {
	n := min(logBlock, b.pos-b.floor)
	block := make([]byte, n, int(n)+room)
	if _, err := b.f.ReadAt(block, b.pos-n); err != nil {
		return nil, err
	}
	b.pos -= n
	return block, nil
}

// long returns the line that buf ends, which is looked for the beginning of without keeping it.
func (b *backward) long() (fileLine, error) {
	l := fileLine{end: b.pos + int64(len(b.buf)), long: true}
	for tail := b.buf; ; {
		if b.pos == b.floor {
			l.begin, l.part, b.buf = b.pos, b.floor > 0, nil
			return l, b.shorten(&l, tail)
		}
		block, err := b.block(0)
		if err != nil {
			return l, err
		}
		if i := bytes.LastIndexByte(block, '\n'); i >= 0 {
			l.begin, b.buf = b.pos+int64(i)+1, block[:i+1]
			return l, b.shorten(&l, tail)
		}
	}
}

// shorten makes the text of a long line, of which tail is the end.
func (b *backward) shorten(l *fileLine, tail []byte) error {
	head := make([]byte, longLine/2)
	if _, err := b.f.ReadAt(head, l.begin); err != nil {
		return err
	}
	for range utf8.UTFMax { // no characters are cut
		if r, _ := utf8.DecodeLastRune(head); r != utf8.RuneError {
			break
		}
		head = head[:len(head)-1]
	}
	tail = tail[len(tail)-longLine/2:]
	for range utf8.UTFMax {
		if utf8.RuneStart(tail[0]) {
			break
		}
		tail = tail[1:]
	}
	gap := fmt.Sprintf(" [%d bytes of this line are not shown] ", l.end-l.begin-int64(len(head)+len(tail)))
	l.text = append(append(head, gap...), tail...)
	return nil
}

// search finds a text in lines, ignoring case.
type search struct {
	want  []byte
	ascii bool
	lower []byte // of the last line
}

func newSearch(text string) *search {
	s := &search{want: bytes.ToLower([]byte(text)), ascii: true}
	for _, c := range s.want {
		s.ascii = s.ascii && c < utf8.RuneSelf
	}
	return s
}

func (s *search) in(text []byte) bool {
	if len(s.want) == 0 {
		return true
	}
	if !s.ascii {
		return bytes.Contains(bytes.ToLower(text), s.want)
	}
	s.lower = append(s.lower[:0], text...) // a copy for each of ten million lines takes seconds
	for i, c := range s.lower {
		if 'A' <= c && c <= 'Z' {
			s.lower[i] = c + 'a' - 'A'
		}
	}
	return bytes.Contains(s.lower, s.want)
}

// inFile is in for a part of a file.
func (s *search) inFile(f io.ReaderAt, begin, end int64) (bool, error) {
	overlap := 2 * int64(len(s.want)) // a letter and its small form may differ in length
	for block := make([]byte, logBlock+overlap); begin < end; begin += logBlock {
		n := min(int64(len(block)), end-begin)
		if _, err := f.ReadAt(block[:n], begin); err != nil {
			return false, err
		}
		if s.in(block[:n]) {
			return true, nil
		}
	}
	return false, nil
}
