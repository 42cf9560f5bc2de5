package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Piece is a piece of output of an event.
type Piece struct {
	ID       string `json:"id"`
	EventID  string `json:"event_id"`
	ServerID *int64 `json:"server_id"`
	SiteID   *int64 `json:"site_id"`
	Kind     string `json:"kind"`
	Step     string `json:"step"`
	Content  string `json:"content"`
	At       string `json:"at"`
}

// The stream sends something every 15 seconds; a silent one is dead.
const (
	streamSilent = time.Minute
	streamAgain  = time.Second
)

// Message is a server-sent event.
type Message struct {
	ID, Event string
	Data      []byte
}

// Follow calls f for each piece of output of an organization's events as it comes, starting after last, until ctx ends or f
// returns false. It reconnects automatically and misses nothing. A permanent error ends it.
func (c *Client) Follow(ctx context.Context, organization, last string, f func(Piece) bool) error {
	return c.Stream(ctx, "/orgs/"+url.PathEscape(organization)+"/events/stream", last, func(m Message) bool {
		piece := Piece{}
		if json.Unmarshal(m.Data, &piece) != nil {
			return true
		}
		piece.ID = m.ID
		return f(piece)
	})
}

// Stream calls f for each message of a stream as Follow does.
func (c *Client) Stream(ctx context.Context, path, last string, f func(Message) bool) error {
	for ctx.Err() == nil {
		on, err := c.streamOnce(ctx, path, &last, f)
		if err != nil && !IsPassing(err) {
			return c.named(err)
		}
		if !on {
			return nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(streamAgain):
		}
	}
	return nil
}

func (c *Client) streamOnce(ctx context.Context, path string, last *string, f func(Message) bool) (on bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return false, err
	}
	req.Header.Set("Accept", "text/event-stream")
	if *last != "" {
		req.Header.Set("Last-Event-ID", *last)
	}
	resp, err := c.stream.Do(req)
	if err != nil {
		return true, err
	}
	if resp.StatusCode != http.StatusOK {
		_, err := read(resp, nil)
		return true, err
	}
	defer func() { _ = resp.Body.Close() }()
	alive := time.AfterFunc(streamSilent, cancel)
	defer alive.Stop()
	return events(&watched{resp.Body, alive}, last, f), nil
}

// watched resets a timer with every read.
type watched struct {
	io.Reader
	timer *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.timer.Reset(streamSilent)
	return n, err
}

// events reads server-sent events until the stream ends. A partial event at the end is sent again after reconnecting. It returns false when f did.
func events(r io.Reader, last *string, f func(Message) bool) bool {
	lines := bufio.NewReaderSize(r, 64<<10)
	id, event, data := "", "", ""
	for {
		line, err := lines.ReadString('\n')
		if err != nil && !(errors.Is(err, io.EOF) && line != "") || len(line) > maxAnswer {
			return true
		}
		switch line = strings.TrimRight(line, "\r\n"); {
		case strings.HasPrefix(line, "id:"):
			id = strings.TrimPrefix(line[3:], " ")
		case strings.HasPrefix(line, "event:"):
			event = strings.TrimPrefix(line[6:], " ")
		case strings.HasPrefix(line, "data:"):
			data += strings.TrimPrefix(line[5:], " ")
		case line == "" && data != "":
			*last = id
			if !f(Message{id, event, []byte(data)}) {
				return false
			}
			event, data = "", ""
		}
	}
}
