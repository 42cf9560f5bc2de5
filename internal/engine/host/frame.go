package host

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Limits on what a host can make us keep. A host may be compromised.
const (
	// streamBuffer is how many bytes of frames are buffered for a caller before the whole session waits.
	streamBuffer = 4 << 20
	// frameOverhead is the approximate size of a decoded frame beyond its text, so that a flood of tiny ones counts.
	frameOverhead = 256
	// maxReply is the maximum size of an answer that is not a list, maxList the maximum number of elements of a list.
	maxReply = 1 << 20
	maxList  = 100_000
	// noiseLimit is how much a login may print (a .bashrc greeting) before the agent's first frame.
	noiseLimit = 64 << 10
)

// frameBegins is how each frame begins: it may follow what a login printed without the end of a line, such as a sequence that resets a terminal.
var frameBegins = []byte(`{"id":`)

// skipNoise skips what a login printed before the agent's first frame.
func skipNoise(r *bufio.Reader) (noise []byte, err error) {
	skip := func(n int) error {
		part, _ := r.Peek(n)
		noise = append(noise, part...)
		_, _ = r.Discard(n) // they are in the buffer
		if len(noise) > noiseLimit {
			return &Error{Kind: ErrAgent, Reason: "the server answers with text instead of starting the agent: " + printable(noise)}
		}
		return nil
	}
	for want := 1; ; {
		_, err := r.Peek(want)
		text, _ := r.Peek(r.Buffered())
		frame, line := bytes.Index(text, frameBegins), bytes.IndexByte(text, '\n')
		switch {
		case len(text) > 0 && text[0] == '{' && (len(noise) == 0 || noise[len(noise)-1] == '\n'):
			return noise, nil
		case frame >= 0 && (line < 0 || frame < line):
			return noise, skip(frame)
		case line >= 0:
			want, err = 1, skip(line+1)
		case len(text) >= r.Size():
			want, err = len(frameBegins), skip(len(text)-len(frameBegins)+1)
		case err == nil:
			want = len(text) + 1
		default:
			noise = append(noise, text...)
		}
		if err != nil {
			return noise, err
		}
	}
}

// errFrameTooLong is returned for a frame that exceeds wire.MaxFrame.
var errFrameTooLong = fmt.Errorf("frame longer than %d bytes", wire.MaxFrame)

// readFrame reads one line of at most wire.MaxFrame bytes, including its newline. It uses buf if that is large enough, and never
// allocates more than about twice what was received.
func readFrame(r *bufio.Reader, buf []byte) ([]byte, error) {
	buf = buf[:0]
	for {
		part, err := r.ReadSlice('\n')
		if len(buf)+len(part) > wire.MaxFrame {
			return buf, errFrameTooLong
		}
		buf = append(buf, part...)
		switch {
		case err == nil:
			return buf, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(buf) > 0:
			return buf, io.ErrUnexpectedEOF
		default:
			return buf, err
		}
	}
}

// decodeFrame decodes a frame and refuses what our agent never sends.
func decodeFrame(line []byte) (wire.Frame, error) {
	var fr wire.Frame
	if err := json.Unmarshal(line, &fr); err != nil {
		return fr, fmt.Errorf("frame is not a JSON object of ours: %w", err)
	}
	if fr.ID == 0 {
		return fr, errors.New("frame without an id")
	}
	if fr.Event != nil && (fr.Done || fr.Event.Seq <= 0) {
		return fr, errors.New("frame with a bad event")
	}
	return fr, nil
}

// decodeReply decodes an answer without letting a hostile host inflate it in memory: three bytes of JSON can become an element of a hundred.
func decodeReply(body json.RawMessage, reply any) error {
	switch into := reply.(type) {
	case *[]wire.RunSummary:
		return decodeList(body, into)
	case *[]wire.UnitState:
		return decodeList(body, into)
	case *wire.Drift:
		var raw struct {
			Differences json.RawMessage `json:"differences"`
		}
		if err := json.Unmarshal(body, &raw); err != nil || raw.Differences == nil {
			return err
		}
		return decodeList(raw.Differences, &into.Differences)
	}
	if len(body) > maxReply {
		return fmt.Errorf("answer of %d bytes", len(body))
	}
	return json.Unmarshal(body, reply)
}

func decodeList[T any](body json.RawMessage, into *[]T) error {
	d := json.NewDecoder(bytes.NewReader(body))
	switch open, err := d.Token(); {
	case err != nil:
		return err
	case open == nil: // null: none
		return nil
	case open != json.Delim('['):
		return fmt.Errorf("answer begins with %v, not with a list", open)
	}
	for d.More() {
		if len(*into) == maxList {
			return fmt.Errorf("answer has more than %d elements", maxList)
		}
		var one T
		if err := d.Decode(&one); err != nil {
			return err
		}
		*into = append(*into, one)
	}
	return nil
}

// stream is the answer to one request.
type stream struct {
	s    *session
	id   uint64
	left chan struct{} // closed when the caller is gone

	mu    sync.Mutex
	queue []queued
	bytes int
	some  chan struct{} // a frame came
	room  chan struct{} // a frame was taken
}

type queued struct {
	frame wire.Frame
	size  int
}

// push waits while the caller has too much to read: the SSH window then slows the host down.
func (st *stream) push(fr wire.Frame, size int, done <-chan struct{}) {
	for {
		st.mu.Lock()
		if st.bytes < streamBuffer {
			st.queue = append(st.queue, queued{fr, size})
			st.bytes += size
			st.mu.Unlock()
			signal(st.some)
			return
		}
		st.mu.Unlock()
		select {
		case <-st.room:
		case <-st.left:
			return
		case <-done:
			return
		}
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take returns the next frame if one is there.
func (st *stream) take() (queued, bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if len(st.queue) == 0 {
		return queued{}, false
	}
	q := st.queue[0]
	st.queue[0] = queued{}
	st.queue = st.queue[1:]
	st.bytes -= q.size
	signal(st.room)
	return q, true
}

// receive waits for the next frame. Frames from before the end of the session are still returned.
func (st *stream) receive(ctx context.Context) (wire.Frame, int, error) {
	for {
		if q, ok := st.take(); ok {
			return q.frame, q.size, nil
		}
		select {
		case <-st.some:
		case <-ctx.Done():
			return wire.Frame{}, 0, ctx.Err()
		case <-st.s.done:
			if q, ok := st.take(); ok {
				return q.frame, q.size, nil
			}
			return wire.Frame{}, 0, st.s.ended()
		}
	}
}

// close marks the answer as no longer read.
func (st *stream) close() {
	st.s.mu.Lock()
	delete(st.s.streams, st.id)
	st.s.mu.Unlock()
	close(st.left)
}
