package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/hostlerhq/hostler/internal/ground/tracing"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// authTries and agentTries are how often in a row a run's connection may fail in a way that a retry rarely fixes. sshd
	// penalizes failed logins (PerSourcePenalties), so authTries is small.
	authTries  = 2
	agentTries = 5
	// maxRunBytes limits the frames of one run: its output, every byte of it escaped, and room for the rest.
	maxRunBytes = 16 * wire.MaxOutput
	// maxRunText limits the texts in them. An agent keeps wire.MaxOutput.
	maxRunText = 2 * wire.MaxOutput
	// waitsForConfirm is the State of the event that reports that a Change is in place and waits for its confirmation.
	waitsForConfirm = "confirm"
)

// Lost is a local event, not the host's: its Seq is 0, and its Text is why the host can't be reached; "" once it can be again.
const Lost wire.EventKind = "lost"

// Sent is also a local event: from here on the host may have received the run.
const Sent wire.EventKind = "sent"

// Backoff is the pause between attempts: Min, doubled each time up to Max, less a random part of up to half.
type Backoff struct{ Min, Max time.Duration }

func (b Backoff) wait(ctx context.Context, failures int) {
	d := min(b.Min<<min(failures-1, 20), b.Max)
	d = d/2 + rand.N(d/2+1)
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// Run starts a run on a host, or attaches to it if the host knows its id, and passes its events to on, each once and in order,
// from the first; events of the kind Lost come in between. It ends with the run's result.
//
// Run survives the loss of the connection: it reconnects, with a growing pause, until ctx ends. An error means that the result of
// the run is unknown; before anything was sent, that nothing was started. A run continues when ctx ends (Cancel stops it), and
// Run or Attach with the same id finds it again. A refusal by the agent is a *wire.Error.
func (f *Fleet) Run(ctx context.Context, t Target, run wire.Run, on func(wire.Event)) (wire.Result, error) {
	return f.follower(t, run, on).follow(ctx)
}

// follower follows a run that it starts. The time that is left counts from here, by this process: what is sent says how much of it remains.
func (f *Fleet) follower(t Target, run wire.Run, on func(wire.Event)) *follower {
	if run.Left == 0 {
		run.Left = run.Deadline.Sub(f.cfg.Now())
	}
	return &follower{f: f, targets: []Target{t}, id: run.ID, run: &run, until: time.Now().Add(run.Left), on: on}
}

// Attach follows a run that the host knows: the events with Seq > after, and the result.
func (f *Fleet) Attach(ctx context.Context, t Target, id string, after int64, on func(wire.Event)) (wire.Result, error) {
	w := &follower{f: f, targets: []Target{t}, id: id, last: after, on: on}
	return w.follow(ctx)
}

// Cancel requests the end of a run and everything it started. Run and Attach return the result.
func (f *Fleet) Cancel(ctx context.Context, t Target, id string) error {
	return f.call(ctx, t, wire.OpCancel, wire.RunID{ID: id}, nil)
}

// ForgetRun deletes what the host keeps of an ended run, except its line in the journal.
func (f *Fleet) ForgetRun(ctx context.Context, t Target, id string) error {
	return f.call(ctx, t, wire.OpForget, wire.RunID{ID: id}, nil)
}

// follower follows one run over any number of sessions.
type follower struct {
	f       *Fleet
	targets []Target // possible targets; more than one while a change of its SSH port is not confirmed
	at      int      // index into targets
	id      string
	run     *wire.Run // nil: attach only
	until   time.Time // when the time of the run is over; has a monotonic reading
	on      func(wire.Event)
	waiting func() // called, perhaps more than once, when the host waits for a confirmation; may be nil

	last  int64 // Seq of the last event passed to on
	sent  bool  // the host may have seen a request for this run
	known bool  // the host has answered for this run, so it must never be started again
	lost  bool  // on was called with Lost
	cut   bool  // the connection was lost at least once
	bytes int   // received in frames
	text  int   // and of these in texts of new events
}

func (w *follower) follow(ctx context.Context) (wire.Result, error) {
	var failures, auth, agent int
	for {
		before := w.last
		res, err := w.once(ctx)
		if err == nil {
			return res, nil
		}
		wrapped := fmt.Errorf("run %s on server %d: %w", w.id, w.targets[0].ServerID, err)
		if !w.sent {
			return wire.Result{}, fmt.Errorf("%w: %w", ErrNotSent, wrapped)
		}
		if ctx.Err() != nil {
			return wire.Result{}, wrapped
		}
		if w.last > before {
			failures, auth, agent = 0, 0, 0
		}
		failures++
		switch {
		case errors.Is(err, ErrUnreachable):
			auth, agent = 0, 0
		case errors.Is(err, ErrAuth) && auth < authTries:
			auth++
		case errors.Is(err, ErrAgent) && agent < agentTries:
			agent++
		default:
			return wire.Result{}, wrapped
		}
		w.at = (w.at + 1) % len(w.targets)
		w.tell(err)
		w.f.cfg.Log.Debug("run lost its connection", "server", w.targets[0].ServerID, "run", w.id, "after", w.last, "err", err)
		w.f.cfg.Backoff.wait(ctx, failures)
		if ctx.Err() != nil {
			// Both errors: the timeout, and why nothing was received.
			return wire.Result{}, fmt.Errorf("%w: %w", ctx.Err(), wrapped)
		}
	}
}

// tell reports that the host can't be reached, or, with nil, that it can be again.
func (w *follower) tell(err error) {
	w.cut = w.cut || err != nil
	if w.on == nil || err == nil && !w.lost {
		return
	}
	w.lost = err != nil
	w.on(wire.Event{Kind: Lost, Text: Reason(err)})
}

// once follows the run over one session.
func (w *follower) once(ctx context.Context) (wire.Result, error) {
	opening, span := tracing.Start(ctx, "ssh session", trace.SpanKindClient, tracing.ServerID.Int64(w.targets[w.at].ServerID))
	sess, warm, err := w.f.session(opening, w.targets[w.at])
	span.SetAttributes(tracing.SessionWarm.Bool(warm))
	tracing.End(span, err)
	if err != nil {
		return wire.Result{}, err
	}
	defer sess.conn.release()

	op, body := wire.OpAttach, any(wire.Attach{ID: w.id, After: w.last})
	if w.run != nil && !w.known {
		// It is unknown whether an earlier request arrived. The agent starts an id only once, so repeating is safe.
		run := *w.run
		run.Left = max(time.Until(w.until), 1)
		op, body = wire.OpRunStart, run
	}
	st, sent, err := sess.request(ctx, op, body)
	if sent && !w.sent && w.on != nil {
		w.on(wire.Event{Kind: Sent})
	}
	w.sent = w.sent || sent
	if err != nil {
		return wire.Result{}, err
	}
	defer st.close()
	for {
		fr, size, err := st.receive(ctx)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return wire.Result{}, err
		}
		if fr.Error != nil {
			return wire.Result{}, fr.Error
		}
		w.known = true
		w.tell(nil)
		res, err := w.frame(fr, size)
		if err != nil {
			err = sess.protocolError(err.Error(), nil)
			sess.kill(err)
			return wire.Result{}, err
		}
		if fr.Done {
			return res, nil
		}
	}
}

var errTooMuch = errors.New("the agent sends more for one run than a run can have")

// frame takes in one frame of the run.
func (w *follower) frame(fr wire.Frame, size int) (res wire.Result, err error) {
	if w.bytes += size - frameOverhead; w.bytes > maxRunBytes {
		return res, errTooMuch
	}
	if ev := fr.Event; ev != nil {
		switch {
		case ev.Seq <= w.last: // a repetition: run.start sends everything again
			return res, nil
		case ev.Seq > w.last+1:
			return res, fmt.Errorf("the agent left out events: %d follows %d", ev.Seq, w.last)
		}
		if w.text += len(ev.Step) + len(ev.Text); w.text > maxRunText {
			return res, errTooMuch
		}
		w.last = ev.Seq
		if w.on != nil {
			w.on(*ev)
		}
		if ev.Kind == wire.EventWaiting && ev.State == waitsForConfirm && w.waiting != nil {
			w.waiting()
		}
		return res, nil
	}
	if fr.Body == nil && !fr.Done {
		return res, nil
	}
	if len(fr.Body) > maxReply {
		return res, errors.New("the agent sent a result that is too large")
	}
	if err := json.Unmarshal(fr.Body, &res); err != nil {
		return res, fmt.Errorf("the agent sent a result that makes no sense: %w", err)
	}
	switch {
	case fr.Done && (res.ID != w.id || res.State == "" || res.State == wire.StateRunning):
		return res, errors.New("the agent sent a result that is not the end of this run")
	case !fr.Done && res.ConfirmBy != nil && w.waiting != nil:
		w.waiting()
	}
	return res, nil
}
