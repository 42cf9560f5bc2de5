package host

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func TestReadFrame(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", wire.MaxFrame-1) + "\n"
	for name, test := range map[string]struct {
		in   string
		want string
		err  error
	}{
		"One":       {"{}\n", "{}\n", nil},
		"Largest":   {long, long, nil},
		"TooLong":   {"x" + long, "", errFrameTooLong},
		"Cut":       {"{", "", io.ErrUnexpectedEOF},
		"End":       {"", "", io.EOF},
		"NoNewline": {strings.Repeat("x", wire.MaxFrame+1), "", errFrameTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := readFrame(bufio.NewReader(iotest.HalfReader(strings.NewReader(test.in))), nil)
			if !errors.Is(err, test.err) || test.err == nil && string(got) != test.want {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}

func TestDecodeReply(t *testing.T) {
	t.Parallel()
	many := "[" + strings.TrimSuffix(strings.Repeat("{},", maxList+1), ",") + "]"
	var runs []wire.RunSummary
	if err := decodeReply([]byte(many), &runs); err == nil {
		t.Error("an endless journal was accepted")
	}
	var drift wire.Drift
	if err := decodeReply([]byte(`{"differences":`+many+`}`), &drift); err == nil {
		t.Error("an endless drift was accepted")
	}
	var facts wire.Facts
	if err := decodeReply([]byte(`{"os":"`+strings.Repeat("x", maxReply)+`"}`), &facts); err == nil {
		t.Error("endless facts were accepted")
	}
	drift = wire.Drift{}
	if err := decodeReply([]byte(`{"differences":[{"step":"a"},{"step":"b"}]}`), &drift); err != nil || len(drift.Differences) != 2 {
		t.Errorf("drift %+v, %v", drift, err)
	}
	for _, none := range []string{`{}`, `{"differences":null}`, `{"differences":[]}`} {
		drift = wire.Drift{}
		if err := decodeReply([]byte(none), &drift); err != nil || len(drift.Differences) != 0 {
			t.Errorf("%s: %+v, %v", none, drift, err)
		}
	}
}

// TestEndlessRun checks that the output of one run is limited, frame by frame.
func TestEndlessRun(t *testing.T) {
	t.Parallel()
	w := &follower{id: "r"}
	event := wire.Event{Kind: wire.EventOutput, Text: strings.Repeat("x", 64<<10)}
	for sent := 0; ; sent += len(event.Text) {
		event.Seq++
		_, err := w.frame(wire.Frame{ID: 1, Event: &event}, len(event.Text)+frameOverhead)
		if err != nil {
			break
		}
		if sent > maxRunText {
			t.Fatalf("%d bytes were taken", sent)
		}
	}
	for _, bad := range []wire.Event{{Seq: event.Seq + 1}, {Seq: 1 << 40}} {
		w = &follower{id: "r", last: 3}
		if _, err := w.frame(wire.Frame{ID: 1, Event: &bad}, frameOverhead); err == nil {
			t.Errorf("event %d was taken after 3", bad.Seq)
		}
	}
}

// TestSlowCaller checks that a caller that does not read makes the session wait, not grow, and blocks it no longer than it stays.
func TestSlowCaller(t *testing.T) {
	t.Parallel()
	s := &session{done: make(chan struct{}), streams: map[uint64]*stream{}}
	st := &stream{s: s, left: make(chan struct{}), some: make(chan struct{}, 1), room: make(chan struct{}, 1)}
	const size = 64 << 10
	pushed := make(chan int)
	go func() {
		n := 0
		for ; n < 10*streamBuffer/size; n++ {
			st.push(wire.Frame{ID: 1}, size, s.done)
			select {
			case <-st.left:
				pushed <- n
				return
			default:
			}
		}
		pushed <- n
	}()
	for range 2 * streamBuffer / size { // twice the buffer passes through it
		if _, _, err := st.receive(t.Context()); err != nil {
			t.Fatal(err)
		}
		st.mu.Lock()
		kept := st.bytes
		st.mu.Unlock()
		if kept > streamBuffer+size {
			t.Fatalf("%d bytes are kept", kept)
		}
	}
	st.close()
	if n := <-pushed; n > 4*streamBuffer/size {
		t.Errorf("%d frames were taken for a caller that left", n)
	}
}

// FuzzFrame is a host that sends anything: nothing panics, no frame is larger than allowed, and memory use is limited by what was sent.
func FuzzFrame(f *testing.F) {
	f.Add([]byte(`{"id":1,"body":{"version":1},"done":true}` + "\n"))
	f.Add([]byte(`{"id":1,"event":{"seq":1,"kind":"output","text":"x"}}` + "\n{\n"))
	f.Add([]byte("Welcome\n" + `{"id":2,"error":{"code":"busy","message":"m"},"done":true}` + "\n"))
	f.Add([]byte(`{"id":1,"body":[{},{},{}],"done":true}` + "\n"))
	f.Add([]byte("\x00\xff\n\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := bufio.NewReaderSize(bytes.NewReader(in), 64)
		noise, err := skipNoise(r)
		if len(noise) > noiseLimit+64 {
			t.Fatalf("%d bytes of noise kept", len(noise))
		}
		if err != nil {
			return
		}
		var buf []byte
		for {
			line, err := readFrame(r, buf)
			if cap(line) > 4*len(in)+1024 {
				t.Fatalf("buffer of %d bytes for an input of %d", cap(line), len(in))
			}
			if err != nil {
				return
			}
			buf = line
			fr, err := decodeFrame(line)
			if err != nil {
				return
			}
			if fr.ID == 0 || fr.Event != nil && fr.Event.Seq <= 0 {
				t.Fatalf("a bad frame passed: %+v", fr)
			}
			w := &follower{id: "r"}
			if res, err := w.frame(fr, len(line)+frameOverhead); err == nil && fr.Done && (res.ID != "r" || res.State == wire.StateRunning) {
				t.Fatalf("a bad result passed: %+v", res)
			}
			for _, reply := range []any{&wire.Hello{}, &wire.Facts{}, &wire.Drift{}, &[]wire.RunSummary{}} {
				_ = decodeReply(fr.Body, reply)
			}
		}
	})
}
