// Package bridge connects an assistant on the standard input and output of a program to a panel's Model Context Protocol over HTTP: one JSON-RPC message a line
// on one side, requests and streams of events on the other.
package bridge

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// longestMessage is the length of the longest message of an assistant, in bytes.
const longestMessage = 4 << 20

// bridge is what a run holds.
type bridge struct {
	client *client.Client
	path   string
	out    io.Writer

	mu      sync.Mutex // guards out and what follows
	version string     // that the panel agreed to
	running map[string]context.CancelFunc
}

// The codes of JSON-RPC and of the protocol.
const (
	codeParse    = -32700
	codeInternal = -32603
)

// ErrTooLong is the error of a message that is longer than 4 MiB.
var ErrTooLong = errors.New("a message of the assistant is longer than 4 MiB")

// Serve carries the messages of in, one a line, to a path of the panel, and writes what it answers to out, a message a line. It ends with the input, once all
// that was sent is answered, or with ctx.
func Serve(ctx context.Context, c *client.Client, path string, in io.Reader, out io.Writer) error {
	b := &bridge{client: c, path: path, out: out, running: map[string]context.CancelFunc{}}
	return b.serve(ctx, in)
}

// serve carries messages until the input ends; then those that are on their way are answered.
func (b *bridge) serve(ctx context.Context, in io.Reader) error {
	lines := make(chan []byte)
	failed := make(chan error, 1)
	go func() { // a read of the standard input can't be interrupted
		defer close(lines)
		r := bufio.NewScanner(in)
		r.Buffer(nil, longestMessage)
		for r.Scan() {
			if line := bytes.TrimSpace(r.Bytes()); len(line) > 0 {
				select {
				case lines <- bytes.Clone(line):
				case <-ctx.Done():
					return
				}
			}
		}
		failed <- r.Err()
	}()
	var answers sync.WaitGroup
	defer answers.Wait()
	for {
		select {
		case line, more := <-lines:
			if !more {
				select {
				case err := <-failed:
					if errors.Is(err, bufio.ErrTooLong) {
						return ErrTooLong
					}
					return err
				default:
					return nil
				}
			}
			b.carry(ctx, line, &answers)
		case <-ctx.Done():
			return nil
		}
	}
}

// message is what the bridge reads of a message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		RequestID json.RawMessage `json:"requestId"`
		Meta      struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	} `json:"params"`
	// open are the ids of its requests that have no answer yet: one, or those of a batch.
	open map[string]bool
}

// parse reads a line, which is a message or a batch of them.
func parse(line []byte) (m message, ok bool) {
	all := make([]message, 1)
	if line[0] == '[' {
		ok = json.Unmarshal(line, &all) == nil
	} else {
		ok = line[0] == '{' && json.Unmarshal(line, &all[0]) == nil
		m = all[0]
	}
	m.open = map[string]bool{}
	for _, one := range all {
		if len(one.ID) > 0 && one.Method != "" {
			m.open[string(one.ID)] = true
		}
	}
	return m, ok
}

// carry sends one message. Answers may come in another order, except that the first request is answered before others are sent.
func (b *bridge) carry(ctx context.Context, line []byte, answers *sync.WaitGroup) {
	m, ok := parse(line)
	if !ok {
		b.refuse("null", codeParse, "The message is not a JSON-RPC request.")
		return
	}
	if m.Method == "notifications/cancelled" { // nothing of it reaches the panel later: the call ends with its connection
		b.mu.Lock()
		defer b.mu.Unlock()
		if end := b.running[string(m.Params.RequestID)]; end != nil {
			end()
		}
		return
	}
	ctx, end := context.WithCancel(ctx)
	if len(m.ID) > 0 {
		b.mu.Lock()
		b.running[string(m.ID)] = end
		b.mu.Unlock()
	}
	send := func() {
		defer end()
		err := b.send(ctx, m, line)
		if err == nil {
			err = errBroken
		}
		if ctx.Err() == nil {
			for id := range m.open { // whoever asked waits for an answer with this id
				b.refuse(id, codeInternal, text.Visible(err.Error()))
			}
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.running, string(m.ID))
	}
	if m.Method == "initialize" {
		send()
		return
	}
	answers.Go(send)
}

// errBroken is what became of an answer that ends before it is there.
var errBroken = errors.New("the panel's answer broke off, and what was asked may have been done")

// send posts a message, and writes what is answered: one document, or a stream of events.
func (b *bridge) send(ctx context.Context, m message, line []byte) error {
	header := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	b.mu.Lock()
	version := b.version
	b.mu.Unlock()
	if m.Params.Meta.Version != "" { // from 2026-07-28 on, each request says it, and headers repeat what a message is
		version = m.Params.Meta.Version
		header.Set("Mcp-Method", m.Method)
		if m.Params.Name != "" {
			header.Set("Mcp-Name", m.Params.Name)
		}
	}
	if version != "" {
		header.Set("Mcp-Protocol-Version", version)
	}
	res, err := b.client.Post(ctx, b.path, header, line)
	var answer *client.Error
	switch {
	case errors.As(err, &answer) && answer.Status == http.StatusUnauthorized:
		return errors.New("the token is not valid: run hostler login, or set HOSTLER_TOKEN")
	case errors.As(err, &answer) && answer.Status == http.StatusNotFound:
		return errors.New("the panel has no /mcp: it is of a version before this command's, or a proxy does not let the path through")
	case err != nil:
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		raw, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
		switch {
		case err != nil:
			return fmt.Errorf("%w: %w", errBroken, err)
		case len(bytes.TrimSpace(raw)) > 0:
			return b.write(m, raw)
		}
		return nil
	}
	events := bufio.NewScanner(res.Body)
	events.Buffer(nil, 64<<20)
	for events.Scan() {
		if data, ok := bytes.CutPrefix(events.Bytes(), []byte("data:")); ok && len(bytes.TrimSpace(data)) > 0 {
			if err := b.write(m, data); err != nil {
				return err
			}
		}
	}
	if err := events.Err(); err != nil {
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	return nil
}

// write writes a message of the panel as a line.
func (b *bridge) write(of message, raw []byte) error {
	var line bytes.Buffer
	if err := json.Compact(&line, raw); err != nil {
		return errors.New("the panel's answer is no JSON: is a proxy in between?")
	}
	var answer struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
	}
	var agreed struct {
		Version string `json:"protocolVersion"`
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case line.Bytes()[0] == '[': // of a batch, in one
		clear(of.open)
	case json.Unmarshal(raw, &answer) == nil && answer.Method == "":
		delete(of.open, string(answer.ID))
		if of.Method == "initialize" && json.Unmarshal(answer.Result, &agreed) == nil {
			b.version = agreed.Version
		}
	}
	_, err := fmt.Fprintln(b.out, line.String())
	return err
}

func (b *bridge) refuse(id string, code int, text string) {
	raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": json.RawMessage(id), "error": map[string]any{"code": code, "message": text}}) // texts
	b.mu.Lock()
	defer b.mu.Unlock()
	_, _ = fmt.Fprintln(b.out, string(raw)) // an assistant that reads no more is gone
}
