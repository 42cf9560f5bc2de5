package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/host/wire"
)

const (
	// eventText is the most text of one event.
	eventText = 32 << 10
	// eventCost is what an event counts besides its text, so that a program that prints a byte at a time is bounded too.
	eventCost = 128
)

// eventLog is the file of a run's events, written by the one process that holds the run's lock.
type eventLog struct {
	mu      sync.Mutex
	f       *os.File
	seq     int64
	spent   int
	dropped int64
	some    chan struct{} // closed and replaced at each event
}

// openEvents goes on with a run's events. A line that a crash cut off was never told to anybody, and is dropped.
func openEvents(path string) (*eventLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open events: %w", err)
	}
	l := &eventLog{f: f, some: make(chan struct{})}
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
	if err := f.Truncate(end); err == nil {
		_, err = f.Seek(end, io.SeekStart)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open events: %w", err)
	}
	return l, nil
}

// emit records an event. What can't be recorded (a full disk) does not stop the run: its end is told by its result.
func (l *eventLog) emit(e wire.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.Text = clean(e.Text)
	if e.Kind == wire.EventOutput {
		if l.spent+len(e.Text)+eventCost > wire.MaxOutput {
			l.dropped += int64(len(e.Text))
			return
		}
		l.spent += len(e.Text) + eventCost
	}
	e.Seq, e.At = l.seq+1, now()
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

// next is closed when there is more.
func (l *eventLog) next() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.some
}

// wake lets those who follow look again.
func (l *eventLog) wake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.some)
	l.some = make(chan struct{})
}

// end says how much output was dropped, if any was.
func (l *eventLog) end(index int, step string) {
	l.mu.Lock()
	dropped := l.dropped
	l.dropped = 0
	l.mu.Unlock()
	if dropped > 0 {
		l.emit(wire.Event{Kind: wire.EventWaiting, Index: index, Step: step, State: "truncated",
			Text: fmt.Sprintf("%d more bytes of output were dropped", dropped)})
	}
}

func (l *eventLog) close() error { return l.f.Close() }

// clean makes text valid UTF-8, which JSON can carry.
func clean(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string(bytes.ToValidUTF8([]byte(s), []byte("\uFFFD")))
}

// eventReader reads the events of a run that another process may be writing. Only whole lines count as read: recovery takes
// away a line that was cut off.
type eventReader struct {
	f    *os.File
	path string
	off  int64
	buf  []byte
}

// read gives the whole events that are there and were not read before.
func (r *eventReader) read(fn func(wire.Event) error) error {
	if r.f == nil {
		f, err := os.Open(r.path)
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

func (r *eventReader) close() {
	if r.f != nil {
		r.f.Close()
	}
}
