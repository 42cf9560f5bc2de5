package output

import (
	"bytes"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// ResultSize is how much of the failed step's output is in its result.
	ResultSize = 64 << 10
	// flushEvery is how long output is buffered before it becomes an event.
	flushEvery = 25 * time.Millisecond
	redacted   = "[redacted]"
)

// A Writer receives a program's output: it masks secrets, searches for refused texts, keeps the end, and emits events.
type Writer struct {
	mu     sync.Mutex
	emit   func(text string) // nil: nothing is emitted (a secret program)
	mask   []string
	refuse []string

	held    []byte // may be the beginning of a secret
	pending []byte // not emitted yet
	end     []byte
	seen    []byte // the last bytes, for refused texts across chunks
	refused string
	timer   *time.Timer
}

// New returns a writer that emits text, without mask, and that knows which of the refused texts was printed.
func New(emit func(string), mask, refuse []string) *Writer {
	o := &Writer{emit: emit, refuse: refuse}
	for _, m := range mask {
		if m != "" {
			o.mask = append(o.mask, m)
		}
	}
	return o
}

// Write never fails, so that a program does not get SIGPIPE for discarded output.
func (o *Writer) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := p
	if len(o.mask) > 0 {
		o.held = append(o.held, p...)
		text, o.held = redact(o.held, o.mask, false)
	}
	o.take(text)
	return len(p), nil
}

func (o *Writer) take(text []byte) {
	o.look(text)
	o.end = append(o.end, text...)
	if len(o.end) > 2*ResultSize {
		o.end = append([]byte(nil), o.end[len(o.end)-ResultSize:]...)
	}
	if o.emit == nil {
		return
	}
	o.pending = append(o.pending, text...)
	for len(o.pending) >= MaxText {
		o.tell(Cut(o.pending, MaxText))
	}
	if len(o.pending) > 0 && o.timer == nil {
		o.timer = time.AfterFunc(flushEvery, func() {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.timer = nil
			// A character may be cut in two; its rest follows.
			o.tell(len(o.pending) - partial(o.pending))
		})
	}
}

func (o *Writer) tell(n int) {
	if n <= 0 {
		return
	}
	o.emit(string(o.pending[:n]))
	o.pending = append(o.pending[:0:0], o.pending[n:]...)
}

// look searches for the refused texts, also across chunks.
func (o *Writer) look(text []byte) {
	if len(o.refuse) == 0 || o.refused != "" {
		return
	}
	o.seen = append(o.seen, text...)
	longest := 0
	for _, r := range o.refuse {
		longest = max(longest, len(r))
		if r != "" && bytes.Contains(o.seen, []byte(r)) {
			o.refused = r
			return
		}
	}
	if len(o.seen) > longest {
		o.seen = append([]byte(nil), o.seen[len(o.seen)-longest:]...)
	}
}

// Finish flushes what was held back. Nothing may be written afterwards.
func (o *Writer) Finish() (end, refused string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.timer != nil {
		o.timer.Stop()
	}
	if len(o.held) > 0 {
		text, _ := redact(o.held, o.mask, true)
		o.held = nil
		o.take(text)
		if o.timer != nil {
			o.timer.Stop()
		}
	}
	if o.emit != nil {
		o.tell(len(o.pending))
	}
	o.emit = nil
	return Clean(Tail(string(o.end), ResultSize)), o.refused
}

// redact masks the secrets in a text. Unless last is set, a possible beginning of a secret is held back.
func redact(text []byte, mask []string, last bool) (out, held []byte) {
	for len(text) > 0 {
		at, length := -1, 0
		for _, m := range mask {
			// The longest of those that begin first: one secret may begin with another.
			if i := bytes.Index(text, []byte(m)); i >= 0 && (at < 0 || i < at || i == at && len(m) > length) {
				at, length = i, len(m)
			}
		}
		begin := len(text)
		if !last {
			begin = beginning(text, mask)
		}
		if at < 0 || begin < at || begin == at && !last {
			out = append(out, text[:begin]...)
			return out, append([]byte(nil), text[begin:]...)
		}
		out = append(append(out, text[:at]...), redacted...)
		text = text[at+length:]
	}
	return out, nil
}

// beginning returns the index of a partial secret at the end of the text, or the text's length.
func beginning(text []byte, mask []string) int {
	at := len(text)
	for _, m := range mask {
		for n := min(len(m)-1, len(text)); n > 0; n-- {
			if strings.HasPrefix(m, string(text[len(text)-n:])) {
				at = min(at, len(text)-n)
				break
			}
		}
	}
	return at
}

// Cut returns at most n bytes that end with a whole character.
func Cut(b []byte, n int) int {
	n = min(n, len(b))
	return n - partial(b[:n])
}

// partial returns how many bytes at the end are the beginning of a character.
func partial(b []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(b)); n++ {
		c := b[len(b)-n]
		if utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// Output returns the function that emits a step's output as events.
func (l *Log) Output(index int, step string) func(string) {
	return func(text string) {
		l.Emit(wire.Event{Kind: wire.EventOutput, Index: index, Step: step, Text: text})
	}
}

// Tail returns the end of a text, at most n bytes.
func Tail(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}
