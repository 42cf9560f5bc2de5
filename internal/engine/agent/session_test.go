package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func TestSession(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- b.a.Serve(context.Background(), in, out) }()
	run, err := json.Marshal(changeRun("r1", file("/etc/a", "x"), sh("talk", "echo hi")))
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		enc := json.NewEncoder(toAgent)
		for i, r := range []wire.Request{
			{Op: wire.OpHello},
			{Op: wire.OpRunStart, Body: run},
			{Op: "nothing"},
			{Op: wire.OpCancel},
			{Op: wire.OpAttach, Body: json.RawMessage(`{"id":"none"}`)},
		} {
			r.ID = uint64(i + 1)
			if err := enc.Encode(r); err != nil {
				t.Error(err)
			}
		}
	}()
	last := map[uint64]wire.Frame{}
	for s := bufio.NewScanner(fromAgent); len(last) < 5 && s.Scan(); {
		var f wire.Frame
		if err := json.Unmarshal(s.Bytes(), &f); err != nil {
			t.Fatal(err)
		}
		if f.Done {
			last[f.ID] = f
		}
	}
	var hello wire.Hello
	if err := json.Unmarshal(last[1].Body, &hello); err != nil || hello.Version != wire.Version || hello.PID == 0 {
		t.Fatal(hello, err)
	}
	var res wire.Result
	if err := json.Unmarshal(last[2].Body, &res); err != nil || res.State != wire.StateSucceeded {
		t.Fatal(res, err, last[2].Error)
	}
	for id, code := range map[uint64]string{3: wire.ErrBadRequest, 4: wire.ErrBadRequest, 5: wire.ErrUnknownRun} {
		if last[id].Error == nil || last[id].Error.Code != code {
			t.Errorf("request %d: %+v", id, last[id].Error)
		}
	}
	toAgent.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}

// TestRunOutlivesSession checks that a run survives the loss of its connection.
func TestRunOutlivesSession(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	a := b.agent(nil)
	gate := b.path("/gate")
	b.check(mkfifo(gate))
	run, err := json.Marshal(changeRun("r1", sh("wait", "echo ready; cat "+gate+"; echo done")))
	if err != nil {
		t.Fatal(err)
	}
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- a.Serve(context.Background(), in, out) }()
	if err := json.NewEncoder(toAgent).Encode(wire.Request{ID: 1, Op: wire.OpRunStart, Body: run}); err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(fromAgent); s.Scan(); {
		if strings.Contains(s.Text(), "ready") {
			break
		}
	}
	fromAgent.Close()
	toAgent.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	b.write("/gate", "")
	wantState(t, b.attach(b.a, "r1", 0, nil), wire.StateSucceeded)
}

func TestFrameTooLong(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	err := b.a.Serve(context.Background(), io.LimitReader(zeros{}, wire.MaxFrame+2), io.Discard)
	if !errors.Is(err, errFrame) {
		t.Fatal(err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte{'0'}, len(p))), nil }

func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"id":1,"op":"hello"}` + "\n"))
	f.Add([]byte(`{"id":1,"op":"run.attach","body":{"id":"a"}}` + "\n{\n"))
	f.Add([]byte(`{"id":1,"op":"drift","body":{"steps":[{"file":{"path":"/etc/a"}},{"link":{"path":"/a","target":"b"}}]}}` + "\n"))
	f.Add([]byte(`{"id":1,"op":"run.start","body":{"id":"a","lane":"host","deadline":"2000-01-01T00:00:00Z","change":{"steps":[]}}}` + "\n"))
	f.Fuzz(func(t *testing.T, frames []byte) {
		// Programs that a run names would really run.
		for _, word := range []string{"argv", "script", "\\u"} {
			if bytes.Contains(bytes.ToLower(frames), []byte(word)) {
				t.Skip()
			}
		}
		a, err := New(Config{Root: tempDir(t), Path: "/nowhere"})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		_ = a.Serve(context.Background(), bytes.NewReader(frames), &out)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		for l := range bytes.Lines(out.Bytes()) {
			var fr wire.Frame
			if err := json.Unmarshal(l, &fr); err != nil {
				t.Fatalf("%v: %s", err, l)
			}
		}
	})
}
