package hostler

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/client"
)

// WorkError is work that did not succeed.
type WorkError struct {
	Event ID
	// State is failed or cancelled, Reason why, and Step what the work was at.
	State, Reason, Step string
	// Code is Reason for programs, as the API's guide lists them, and Params what it is about.
	Code   string
	Params map[string]any
}

func (e *WorkError) Error() string {
	if e.Reason == "" {
		return "the work " + e.State
	}
	return e.State + ": " + e.Reason
}

// How often the state of work is asked for: quickly at first, since most work is quick.
const (
	pollFirst = 150 * time.Millisecond
	pollLater = time.Second
	pollSlow  = 10 * time.Second // from when on
)

// Wait waits for the work that a call has begun, and writes its output to out as it comes, unless out is nil. It returns a *WorkError if the work failed or
// was cancelled. The work goes on if ctx ends. What is waited for is only what the call names: a server that is yet to be connected has its own state.
func (r *Response) Wait(ctx context.Context, out io.Writer) error {
	if r.Event == "" {
		return nil
	}
	return r.c.wait(ctx, r.organization, r.server, r.Event, out)
}

// Wait waits for the work of an event as Response.Wait does.
func (c *Client) Wait(ctx context.Context, organization string, event ID, out io.Writer) error {
	return c.wait(ctx, url.PathEscape(organization), "", event, out)
}

func (c *Client) wait(ctx context.Context, organization, server string, event ID, out io.Writer) error {
	path := server + "/events/" + string(event)
	if server == "" {
		var err error
		if path, err = c.eventPath(ctx, organization, event); err != nil {
			return err
		}
	}
	began, shown := time.Now(), 0
	for {
		r, err := c.raw.One(ctx, http.MethodGet, path, nil)
		switch {
		case client.IsStatus(err, http.StatusNotFound): // the server was deleted, and its events with it
			return nil
		case err != nil && !client.IsPassing(err):
			return err
		case err == nil:
			op := r.Meta.Operation
			ended := op.Ended() // read before the output, which is then complete
			if out != nil {
				if err := c.show(ctx, path, &shown, ended, out); err != nil {
					return err
				}
			}
			if ended && op != nil && op.State != "succeeded" {
				return &WorkError{Event: event, State: op.State, Reason: op.Reason, Step: op.Step, Code: op.ReasonCode, Params: op.ReasonParams}
			}
			if ended {
				return nil
			}
		}
		pause := pollFirst
		if time.Since(began) > pollSlow {
			pause = pollLater
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for event %s: %w", event, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// show writes what the work has printed since. A partial line waits for its end.
func (c *Client) show(ctx context.Context, path string, shown *int, ended bool, out io.Writer) error {
	r, err := c.raw.One(ctx, http.MethodGet, path+"/output", nil)
	if err != nil {
		if client.IsPassing(err) && !ended || client.IsStatus(err, http.StatusNotFound) {
			return nil
		}
		return err
	}
	text := r.Attribute("output")
	if !ended {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	if len(text) <= *shown {
		return nil
	}
	_, err = io.WriteString(out, text[*shown:])
	*shown = len(text)
	return err
}

// eventPath finds the event of work of the organization, whose server only the event knows.
func (c *Client) eventPath(ctx context.Context, organization string, event ID) (string, error) {
	path := ""
	err := c.raw.Each(ctx, "/orgs/"+organization+"/events?sort=-created_at", func(r client.Resource) bool {
		if r.ID == string(event) {
			path = r.Path()
		}
		return path == ""
	})
	if err == nil && path == "" {
		err = fmt.Errorf("no event %s in %s", event, organization)
	}
	return path, err
}
