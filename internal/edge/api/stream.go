package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Send writes one event of a stream. The id is what a reconnecting client sends as the last one it saw. Without an event name it
// is a comment, which clients ignore.
type Send func(id int64, event string, data any) error

// mostStreams is the maximum number of concurrent streams and transfers of one user, with any tokens and sessions. Each queries the database,
// or a server, as long as it is open.
const mostStreams = 20

// standing counts the streams and transfers of each user, in this process.
type standing struct {
	mu  sync.Mutex
	per map[int64]int
}

// enter counts a stream until leave is called; a 429 if there are too many.
func (s *standing) enter(user int64) (leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.per[user] >= mostStreams {
		return nil, errorOf(http.StatusTooManyRequests, fmt.Sprintf("You have %d streams and transfers open already. Close one of them first.", mostStreams))
	}
	if s.per == nil {
		s.per = map[int64]int{}
	}
	s.per[user]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.per[user]--; s.per[user] == 0 {
			delete(s.per, user)
		}
	}, nil
}

// streamAlive is the interval of keep-alive comments in an idle stream.
const streamAlive = 15 * time.Second

// Follow calls look, at first and whenever it is woken, until ctx ends or look fails. said reports whether something was sent.
func Follow[T any](ctx context.Context, wake <-chan T, send Send, look func() (said bool, err error)) error {
	alive := time.NewTicker(streamAlive)
	defer alive.Stop()
	if err := send(0, "", nil); err != nil {
		return err
	}
	quiet := true
	for {
		said, err := look()
		if err != nil {
			return err
		}
		quiet = quiet && !said
		for woken := false; !woken; {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-wake:
				woken = true
			case <-alive.C:
				if quiet {
					if err := send(0, "", nil); err != nil {
						return err
					}
				}
				quiet = true
			}
		}
	}
}

// serveEvents writes server-sent events (WHATWG HTML, 9.2).
func serveEvents(w http.ResponseWriter, req *http.Request, run func(send Send) error) error {
	flusher := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	// The server's deadline for reading a request would end the stream as well. A writer without one needs no reset.
	if err := flusher.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("open stream: %w", err)
	}
	w.WriteHeader(http.StatusOK)
	if err := flusher.Flush(); err != nil || req.Method == http.MethodHead {
		return nil //nolint:nilerr // the status is sent; the client comes again
	}
	// The status is sent however it ends; the client reconnects with its last id.
	_ = run(func(id int64, event string, data any) error {
		if event == "" { // a comment, to keep the connection and to notice that it is gone
			if _, err := w.Write([]byte(":\n\n")); err != nil {
				return err
			}
			return flusher.Flush()
		}
		raw, err := json.Marshal(data)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "id: %s\nevent: %s\ndata: %s\n\n", strconv.FormatInt(id, 10), event, raw); err != nil {
			return err
		}
		return flusher.Flush()
	})
	return nil
}
