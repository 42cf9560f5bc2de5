package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/show"
)

// changeOptions are the flags of commands that change something.
type changeOptions struct {
	Wait    bool
	Timeout time.Duration
	DryRun  bool
	// Plan is the hash of the plan that the change is held to, "" for any.
	Plan string
}

func (o *changeOptions) flags(c *cobra.Command) {
	c.Flags().BoolVar(&o.Wait, "wait", false, "wait for the operation to finish and show its progress")
	c.Flags().DurationVar(&o.Timeout, "timeout", 30*time.Minute, "maximum time to wait")
}

// flagsWithPlan adds the flags of operations that can show their plan.
func (o *changeOptions) flagsWithPlan(c *cobra.Command) {
	o.flags(c)
	o.planFlags(c)
}

func (o *changeOptions) planFlags(c *cobra.Command) {
	c.Flags().BoolVar(&o.DryRun, "dry-run", false, "show the plan without applying it")
	c.Flags().Func("plan", "apply it only if its plan still has this `hash`, which --dry-run prints", func(hash string) error {
		if !planHash.MatchString(hash) { // an empty variable of a script, too: the change would be held to nothing
			return errors.New("it must be the hash that --dry-run prints")
		}
		o.Plan = hash
		return nil
	})
}

var planHash = regexp.MustCompile("^[0-9a-f]{64}$")

// change is a changing request.
type change struct {
	method, path string
	body         any
	// server is the path of the server that the work is done on.
	server string
	// read is the path of the resource afterwards, "" for the one in the answer, and columns what is shown of it.
	read    string
	columns []show.Column
	// file is sent in place of a body, nil for none.
	file *fileField
}

// fileField is a file that is sent as the field of a form with other fields.
type fileField struct {
	field, path string
	others      map[string]string
}

// send makes the request of a change.
func (s *session) send(ctx context.Context, c change) (client.Resource, client.Answer, error) {
	if c.file == nil {
		return s.client.Send(ctx, c.method, c.path, c.body)
	}
	content, err := readInput(c.file.path, s.in)
	if err != nil {
		return client.Resource{}, client.Answer{}, usage("%s", err)
	}
	answer, err := s.client.SendFile(ctx, c.method, c.path, c.file.field, filepath.Base(c.file.path), content, c.file.others)
	return client.Resource{}, answer, err
}

// change makes a changing request: its plan for --dry-run, else the work, and waits for it with --wait.
func (s *session) change(ctx context.Context, o changeOptions, c change) error {
	if o.DryRun {
		return s.plan(ctx, c)
	}
	r, answer, err := s.send(client.WithPlan(ctx, o.Plan), c)
	if err != nil {
		return err
	}
	if !s.AsSent() || o.Wait { // the JSON printed immediately contains it
		s.shownOnce(r)
	}
	if !o.Wait || answer.Event == "" {
		return s.changed(r, answer.Event, c)
	}
	if err := s.await(ctx, c.server, answer.Event, o.Timeout); err != nil {
		return err
	}
	if c.read = cmp.Or(c.read, r.Path(), answer.Path()); c.read != "" {
		if r, err = s.client.One(ctx, http.MethodGet, c.read, nil); client.IsStatus(err, http.StatusNotFound) {
			r, err = client.Resource{}, nil // the expected result of deleting
		}
	}
	if err != nil {
		return err
	}
	return s.changed(r, "", c)
}

// shownOnce prints a secret that no later answer contains.
func (s *session) shownOnce(r client.Resource) {
	if p := r.Meta.ShownOnce.Username; p != "" {
		_, _ = fmt.Fprintf(s.err, "User: %s\n", text.VisibleLine(p))
	}
	if p := r.Meta.ShownOnce.Password; p != "" {
		_, _ = fmt.Fprintf(s.err, "Password (shown only once): %s\n", text.VisibleLine(p))
	}
	if p := r.Meta.ShownOnce.Secret; p != "" {
		_, _ = fmt.Fprintf(s.err, "Secret (shown only once): %s\n", text.VisibleLine(p))
	}
	if p := r.Meta.ShownOnce.URL; p != "" {
		_, _ = fmt.Fprintf(s.err, "Link (shown only once): %s\n", text.VisibleLine(p))
	}
	if b := r.Meta.Bootstrap; b != nil && b.Command != "" {
		s.setupLine(r)
	}
	for _, i := range r.Meta.ShownOnce.Invitations {
		_, _ = fmt.Fprintf(s.err, "Link for %s (shown only once): %s\n", text.VisibleLine(i.Email), text.VisibleLine(i.URL))
	}
}

// changed prints a resource after a change; that one is gone, or in progress, is printed only as text.
func (s *session) changed(r client.Resource, event string, c change) error {
	switch {
	case r.ID != "":
		return s.One(r, c.columns...)
	case s.AsSent():
	case event != "":
		_, _ = fmt.Fprintf(s.Out, "Accepted as event %s.\n", event)
	default:
		_, _ = fmt.Fprintln(s.Out, "Done.")
	}
	return nil
}

// plan shows what a change would do.
func (s *session) plan(ctx context.Context, c change) error {
	var doc struct {
		Meta struct {
			Plan show.Plan `json:"plan"`
		} `json:"meta"`
	}
	err := s.client.Do(ctx, c.method, joined(c.path, "dry_run=true"), c.body, &doc)
	if err == nil {
		err = s.Plan(doc.Meta.Plan)
	}
	if err == nil && !s.AsSent() {
		_, _ = fmt.Fprintf(s.err, "The plan's hash is %s: with --plan and the hash, the change is applied only if this is still its plan.\n",
			text.VisibleLine(doc.Meta.Plan.Hash))
	}
	return err
}

// joined adds parameters to a path that may have some.
func joined(path, query string) string {
	if strings.Contains(path, "?") {
		return path + "&" + query
	}
	return path + "?" + query
}

// How often the state of work is polled: quickly at first, since most work is quick.
const (
	pollFirst = 150 * time.Millisecond
	pollLater = time.Second
	pollSlow  = 10 * time.Second // from when on
)

// await shows the work of an event until it ends: its step, its duration, and its last line of output.
func (s *session) await(ctx context.Context, server, event string, timeout time.Duration) error {
	at := server + "/events/" + event
	if server == "" { // work of the organization: its server is known by the event only
		_, path, err := s.event(ctx, event)
		if err != nil {
			return err
		}
		at = path
	}
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, timeout)
	var following sync.WaitGroup
	defer following.Wait()
	defer cancel()
	var last show.LastLine
	following.Go(func() {
		_ = s.client.Follow(ctx, s.org, "", func(p client.Piece) bool { // without it only the steps are shown
			if p.EventID == event && p.Kind != "end" {
				last.Note(p.Content)
			}
			return true
		})
	})
	p := show.NewProgress(s.err)
	for {
		r, err := s.client.One(ctx, http.MethodGet, at, nil)
		op := r.Meta.Operation
		switch {
		case client.IsStatus(err, http.StatusNotFound): // the server has been deleted, and its events with it
			p.Show("gone", "")
			return nil
		case err != nil && outer.Err() == nil && ctx.Err() == nil && client.IsPassing(err):
			p.Show("Hostler is not responding; retrying", "")
		case err != nil && ctx.Err() == nil:
			return err
		case err == nil && op.Ended():
			return ended(p, op, event)
		case err == nil:
			p.Show(strings.TrimSpace(op.State+" "+op.Step), cmp.Or(op.Reason, last.Get()))
		}
		wait := pollFirst
		if p.Elapsed() > pollSlow {
			wait = pollLater
		}
		if err := pause(ctx, wait); err == nil {
			continue
		} else if outer.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			return exit(CodeTimeout, "not finished after %s (%s); the operation continues: hostler events show %s", timeout, cmp.Or(p.Step(), "not started"), event)
		}
		return exit(CodeError, "no longer waiting; the operation continues: hostler events show %s", event)
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func ended(p *show.Progress, op *client.Operation, event string) error {
	if op == nil || op.State == "succeeded" {
		p.Show("succeeded", "")
		return nil
	}
	p.Show(op.State, "")
	text := op.State
	if op.Step != "" {
		text += " at " + op.Step
	}
	if op.Reason != "" {
		text += ": " + op.Reason
	}
	return exit(CodeFailed, "%s\nView the output: hostler events output %s", text, event)
}
