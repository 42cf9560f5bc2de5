package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// maxRequests is the maximum number of concurrent requests of a session; the next one waits.
	maxRequests = 256
	// followEvery is how often the events of a run in another process are polled.
	followEvery = 15 * time.Millisecond
	// orphanEvery is how often a follower of such a run checks whether its process lives.
	orphanEvery = 250 * time.Millisecond
)

var errFrame = errors.New("frame is longer than allowed")

// Serve answers the requests of one session until in ends or out fails. Runs continue: Close waits for them.
func (a *Agent) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	s := &session{a: a, out: out, fail: cancel}
	// What died with an earlier session is rolled back before it is asked about; a lane does so too, so nothing waits here.
	wg.Go(func() {
		_ = errors.Join(a.Recover(), a.install(), a.installTimer())
		a.tidyAlways(ctx)
	})
	slots := make(chan struct{}, maxRequests)
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readFrame(r)
		if errors.Is(err, io.EOF) || ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read request: %w", err)
		}
		var req wire.Request
		if err := json.Unmarshal(line, &req); err != nil {
			return fmt.Errorf("decode request: %w", err)
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		wg.Go(func() {
			defer func() { <-slots }()
			s.answer(ctx, req)
		})
	}
}

// readFrame reads one line of at most wire.MaxFrame bytes.
func readFrame(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > wire.MaxFrame {
			return nil, errFrame
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, bufio.ErrBufferFull):
		default:
			return nil, err
		}
	}
}

// session is one connection's requests.
type session struct {
	a    *Agent
	mu   sync.Mutex
	out  io.Writer
	fail func()
}

func (s *session) send(f wire.Frame) error {
	line, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("encode frame: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.out.Write(append(line, '\n')); err != nil {
		s.fail()
		return fmt.Errorf("write frame: %w", err)
	}
	return nil
}

func (s *session) answer(ctx context.Context, req wire.Request) {
	body, err := s.do(ctx, req)
	if ctx.Err() != nil {
		return
	}
	f := wire.Frame{ID: req.ID, Done: true}
	if err == nil && body != nil {
		f.Body, err = json.Marshal(body)
	}
	if err != nil {
		var refused *wire.Error
		if !errors.As(err, &refused) {
			refused = &wire.Error{Code: wire.ErrInternal, Message: err.Error()}
		}
		f.Error = refused
	}
	_ = s.send(f)
}

// do answers one request; it returns the last frame's body.
func (s *session) do(ctx context.Context, req wire.Request) (any, error) {
	var (
		run    wire.Run
		attach wire.Attach
		id     wire.RunID
		change wire.Change
		log    wire.LogQuery
		read   wire.ReadQuery
		units  []string
		after  wire.SampleQuery
		file   wire.FileQuery
	)
	into := map[wire.Op]any{
		wire.OpRunStart: &run, wire.OpAttach: &attach, wire.OpCancel: &id, wire.OpConfirm: &id,
		wire.OpForget: &id, wire.OpDrift: &change, wire.OpLog: &log, wire.OpRead: &read, wire.OpUnits: &units, wire.OpSamples: &after,
		wire.OpSites: &after, wire.OpFiles: &file,
	}[req.Op]
	if into != nil {
		if err := json.Unmarshal(req.Body, into); err != nil {
			return nil, refuse(wire.ErrBadRequest, "body of %s: %s", req.Op, err)
		}
	}
	switch req.Op {
	case wire.OpHello:
		return wire.Hello{Version: wire.Version, BootID: bootID(), PID: os.Getpid(), Time: s.a.now()}, nil
	case wire.OpRunStart:
		if err := s.a.Start(run); err != nil {
			return nil, err
		}
		return s.follow(ctx, req.ID, run.ID, 0)
	case wire.OpAttach:
		if err := s.a.mustKnow(attach.ID); err != nil {
			return nil, err
		}
		return s.follow(ctx, req.ID, attach.ID, attach.After)
	case wire.OpCancel:
		return nil, s.a.Cancel(id.ID)
	case wire.OpConfirm:
		return nil, s.a.Confirm(id.ID)
	case wire.OpForget:
		return nil, s.a.Forget(id.ID)
	case wire.OpRuns:
		return s.a.summaries()
	case wire.OpDrift:
		return s.a.Drift(ctx, change)
	case wire.OpFacts:
		return s.a.Facts(ctx)
	case wire.OpLog:
		return s.a.Log(ctx, log)
	case wire.OpRead:
		return s.a.read(read)
	case wire.OpFiles:
		return s.a.files(ctx, file)
	case wire.OpUnits:
		return s.a.units(ctx, units)
	case wire.OpSamples:
		return s.a.samples(after.After, s.a.now())
	case wire.OpSites:
		return s.a.siteSamples(after.After, s.a.now())
	case wire.OpEdited:
		return s.a.edited(), nil
	}
	return nil, refuse(wire.ErrBadRequest, "there is no operation %q", req.Op)
}

// follow sends the events of a run until it ends. It reads the run's files, whichever process writes them, and ends a run whose process died.
func (s *session) follow(ctx context.Context, req uint64, id string, after int64) (any, error) {
	events := &output.Reader{Path: eventsPath(s.a.runDir(id))}
	defer events.Close()
	var by *time.Time
	tell := func(e wire.Event) error {
		if e.Kind == wire.EventWaiting && e.State == waitConfirm {
			if at, err := time.Parse(time.RFC3339Nano, e.Text); err == nil {
				by = &at
			}
		}
		if e.Seq <= after {
			return nil
		}
		after = e.Seq
		return s.send(wire.Frame{ID: req, Event: &e})
	}
	told := false
	asked := time.Now()
	for {
		var next <-chan struct{}
		s.a.mu.Lock()
		x := s.a.live[id]
		s.a.mu.Unlock()
		if x != nil {
			next = x.log.Next()
		}
		// The result comes after the last event, so it is read first.
		res, err := s.a.result(id)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		if err := events.Read(tell); err != nil {
			return nil, err
		}
		if err == nil {
			return res, nil
		}
		if by != nil && !told && !s.a.decided(id) {
			told = true
			body, err := json.Marshal(wire.Result{ID: id, State: wire.StateRunning, ConfirmBy: by})
			if err != nil {
				return nil, fmt.Errorf("encode result: %w", err)
			}
			if err := s.send(wire.Frame{ID: req, Body: body}); err != nil {
				return nil, err
			}
		}
		if x == nil && time.Since(asked) > orphanEvery {
			asked = time.Now()
			if err := s.a.mustKnow(id); err != nil {
				return nil, err
			}
			if err := s.a.recoverRun(id); err != nil {
				return nil, err
			}
		}
		if x == nil {
			select {
			case <-time.After(followEvery):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			continue
		}
		select {
		case <-next:
		case <-x.ended:
		case <-time.After(orphanEvery):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func bootID() string {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}
