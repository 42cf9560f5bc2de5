// Package boundedtest has readers try what other programs may send: one line of 64 MB, 10 million lines, nothing, and a byte at a time. The inputs are
// generated, not stored.
package boundedtest

import (
	"fmt"
	"io"
	"runtime"
	"testing"
	"testing/iotest"
	"time"
)

// Input is a repeating text, generated as it is read.
type Input struct {
	Name   string
	Begin  string // before the rest
	Repeat string
	Size   int64 // in bytes, with Begin
	slow   bool
}

// Inputs returns those that every reader is tried with: begin is what a reader needs to read on, line is one of its lines with the end.
func Inputs(begin, line string) []Input {
	return []Input{
		{Name: "one line of 64 MB", Begin: begin, Repeat: "x", Size: 64 << 20},
		{Name: "10 million lines", Begin: begin, Repeat: line, Size: int64(len(begin)) + 10_000_000*int64(len(line))},
		{Name: "nothing"},
		{Name: "a byte at a time", Begin: begin, Repeat: line, Size: int64(len(begin) + 100*len(line)), slow: true},
	}
}

// ReadAt reads from an offset.
func (in Input) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) && off < in.Size {
		part := in.Begin
		at := off
		if off >= int64(len(in.Begin)) {
			part, at = in.Repeat, (off-int64(len(in.Begin)))%int64(len(in.Repeat))
		}
		m := copy(p[n:min(int64(len(p)), int64(n)+in.Size-off)], part[at:])
		n, off = n+m, off+int64(m)
		for len(p)-n >= 4096 && off >= int64(len(in.Begin))+4096 && off%int64(len(in.Repeat)) == int64(len(in.Begin))%int64(len(in.Repeat)) && in.Size-off >= 4096 {
			whole := 4096 / len(in.Repeat) * len(in.Repeat) // what was read repeats itself
			if n < whole || whole == 0 {
				break
			}
			copy(p[n:n+whole], p[n-whole:n])
			n, off = n+whole, off+int64(whole)
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Reader returns the text from its beginning. What comes a byte at a time is so read.
func (in Input) Reader() io.Reader {
	r := io.Reader(io.NewSectionReader(in, 0, in.Size))
	if in.slow {
		r = iotest.OneByteReader(r)
	}
	return r
}

// Reads are what a reader does with the inputs.
type Reads struct {
	Name        string
	Begin, Line string // see Inputs
	Read        func(in Input) error
	// Refuses reports whether the first two inputs are an error, in which case they may not pass as a shorter text.
	Refuses bool
	// Most is how many bytes may be allocated for any input, in total.
	Most uint64
}

// within is how long a reader may take for one input. A linear one takes seconds, also on a busy machine, and one that is quadratic in a line half an hour.
const within = 5 * time.Minute

// Try has readers read all inputs. The test may not be parallel: others' memory would count.
func Try(t *testing.T, readers ...Reads) {
	t.Helper()
	for _, r := range readers {
		for i, in := range Inputs(r.Begin, r.Line) {
			t.Run(fmt.Sprintf("%s, %s", r.Name, in.Name), func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := time.Now()
				err := r.Read(in)
				took := time.Since(began)
				runtime.ReadMemStats(&after)
				if used := after.TotalAlloc - before.TotalAlloc; used > r.Most {
					t.Errorf("it allocates %d bytes, more than %d", used, r.Most)
				}
				if took > within {
					t.Errorf("it takes %s", took)
				}
				if refused := err != nil; i < 2 && refused != r.Refuses || i >= 2 && refused {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}
