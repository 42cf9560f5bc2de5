// Package output is what a run says: its events, in a file that others follow while it is written, and what its programs print, which becomes events.
package output

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// MaxText is the maximum text of one event.
	MaxText = 32 << 10
	// eventCost is what an event counts besides its text, which limits a program that prints single bytes.
	eventCost = 128
	// endReserve is the part of wire.MaxOutput that is reserved for the ends of steps, and stepEnd the maximum for one of them.
	endReserve = 1 << 20
	stepEnd    = 256 << 10
)

// Log is the file of a run's events, written by the process that holds the run's lock.
type Log struct {
	mu    sync.Mutex
	f     *os.File
	seq   int64
	spent int
	late  late
	some  chan struct{} // closed and replaced at each event
}

// late is the end of the output of a step that printed too much. It is emitted when the step has ended.
type late struct {
	index   int
	step    string
	tail    []byte
	missing int64 // bytes before it, including earlier steps
}

// add adds output; that of a successful step is discarded for the next.
func (l *late) add(e wire.Event) {
	if l.index != e.Index || l.step != e.Step {
		l.cut(0)
		l.index, l.step = e.Index, e.Step
	}
	if l.tail = append(l.tail, e.Text...); len(l.tail) > 2*stepEnd {
		l.cut(stepEnd)
	}
}

// Cut keeps the last n bytes, or slightly less to avoid cutting a character.
func (l *late) cut(n int) {
	at := max(0, len(l.tail)-n)
	for at > 0 && at < len(l.tail) && !utf8.RuneStart(l.tail[at]) {
		at++
	}
	l.missing += int64(at)
	l.tail = append([]byte(nil), l.tail[at:]...)
}

// Open continues a run's events. A line that a crash cut off was never sent, and is dropped.
func Open(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open events: %w", err)
	}
	l := &Log{f: f, some: make(chan struct{})}
	r := bufio.NewReaderSize(f, 64<<10)
	var end int64
	for {
		line, err := r.ReadBytes('\n')
		var e wire.Event
		if err != nil || json.Unmarshal(line, &e) != nil || e.Seq != l.seq+1 {
			break
		}
		end += int64(len(line))
		l.seq = e.Seq
		if e.Kind == wire.EventOutput {
			l.spent += len(e.Text) + eventCost
		}
	}
	if err = f.Truncate(end); err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open events: %w", err)
	}
	return l, nil
}

// Emit records an event. An event that can't be recorded (a full disk) does not stop the run: the result reports its end.
func (l *Log) Emit(e wire.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Text = Clean(e.Text)
	if e.Kind == wire.EventOutput {
		if late := l.late.missing > 0 || len(l.late.tail) > 0; late || l.spent+len(e.Text)+eventCost > wire.MaxOutput-endReserve {
			if l.late.add(e); !late {
				l.write(wire.Event{Kind: wire.EventWaiting, Index: e.Index, Step: e.Step, State: "truncated", Text: "the step's end, as it prints too much to keep it all"})
			}
			return
		}
		l.spent += len(e.Text) + eventCost
	}
	l.write(e)
}

// write records an event unchanged.
func (l *Log) write(e wire.Event) {
	e.Seq, e.At = l.seq+1, time.Now().UTC().Round(0)
	line, err := json.Marshal(e)
	if err != nil {
		return
	}
	at, err := l.f.Seek(0, io.SeekCurrent)
	if err != nil {
		return
	}
	if _, err := l.f.Write(append(line, '\n')); err != nil {
		_ = l.f.Truncate(at)
		_, _ = l.f.Seek(at, io.SeekStart)
		return
	}
	l.seq++
	close(l.some)
	l.some = make(chan struct{})
}

// Next is closed when there is more.
func (l *Log) Next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.some
}

// Wake wakes the followers.
func (l *Log) Wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.some)
	l.some = make(chan struct{})
}

// End emits the kept end of a step that printed too much, and the number of missing bytes before it. Half of the remaining
// reserve stays for later steps.
func (l *Log) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	left := wire.MaxOutput - max(l.spent, wire.MaxOutput-endReserve)
	l.late.cut(max(0, min(stepEnd, left/2)))
	e := wire.Event{Kind: wire.EventOutput, Index: l.late.index, Step: l.late.step}
	if l.late.missing > 0 {
		e.Text = wire.Missing(l.late.missing)
		l.write(e)
	}
	for rest := l.late.tail; len(rest) > 0; {
		n := Cut(rest, MaxText)
		e.Text = string(rest[:n])
		l.write(e)
		l.spent += n + eventCost
		rest = rest[n:]
	}
	l.late = late{}
}

// Close closes the file.
func (l *Log) Close() error { return l.f.Close() }

// Clean makes text valid UTF-8, for JSON.
func Clean(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")))
}

// Reader reads the events of a run that another process may be writing. Only whole lines count as read: recovery removes a
// line that was cut off.
type Reader struct {
	f    *os.File
	Path string
	off  int64
	buf  []byte
}

// Read calls fn for the whole events that were not read before.
func (r *Reader) Read(fn func(wire.Event) error) error {
	if r.f == nil {
		f, err := os.Open(r.Path)
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read events: %w", err)
		}
		r.f, r.buf = f, make([]byte, 64<<10)
	}
	for {
		n, err := r.f.ReadAt(r.buf, r.off)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read events: %w", err)
		}
		data := r.buf[:n]
		last := bytes.LastIndexByte(data, '\n')
		if last < 0 {
			if n == len(r.buf) && len(r.buf) < wire.MaxFrame {
				r.buf = make([]byte, 2*len(r.buf))
				continue
			}
			return nil
		}
		for line := range bytes.Lines(data[:last+1]) {
			r.off += int64(len(line))
			var e wire.Event
			if json.Unmarshal(line, &e) != nil {
				continue
			}
			if err := fn(e); err != nil {
				return err
			}
		}
	}
}

// Close closes the file, if it was opened.
func (r *Reader) Close() {
	if r.f != nil {
		r.f.Close()
	}
}
