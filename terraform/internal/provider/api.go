package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/client/hostler"
)

// api calls an installation. organization is the default one.
type api struct {
	*hostler.Client
	organization string
	// pause is the first one before a call is repeated.
	pause time.Duration
}

func newAPI(base, token string, options ...hostler.Option) (*api, error) {
	c, err := hostler.New(base, token, options...)
	if err != nil {
		return nil, err
	}
	return &api{Client: c, pause: 5 * time.Second}, nil
}

// document is a resource as the API answers it.
type document struct {
	id         string
	attributes map[string]any
	meta       map[string]any
	// beside are the values of other lists, by their paths.
	beside map[string]any
}

// fill puts parameters into a path.
func fill(of string, parameters map[string]string) (string, error) {
	for {
		before, rest, found := strings.Cut(of, "{")
		if !found {
			return of, nil
		}
		name, after, _ := strings.Cut(rest, "}")
		v := parameters[name]
		if v == "" || v == "." || v == ".." {
			return "", fmt.Errorf("%q is not the %s of a resource", v, name)
		}
		of = before + url.PathEscape(v) + after
	}
}

// call makes a call. event is the one of the work that it began.
func (a *api) call(ctx context.Context, c call, parameters map[string]string, body map[string]any) (d *document, event string, err error) {
	at, err := fill(c.Path, parameters)
	if err != nil {
		return nil, "", err
	}
	var sent any
	if body != nil {
		sent = body
	}
	var answer client.Answer
	if err := a.patiently(ctx, func() (err error) {
		answer, err = a.Raw().Call(ctx, c.Method, at, sent)
		return err
	}); err != nil {
		return nil, "", err
	}
	if len(answer.Body) == 0 {
		return nil, answer.Event, nil
	}
	var read struct {
		Data struct {
			ID         string         `json:"id"`
			Attributes map[string]any `json:"attributes"`
			Meta       map[string]any `json:"meta"`
		} `json:"data"`
	}
	if err := decode(answer.Body, &read); err != nil {
		return nil, answer.Event, fmt.Errorf("read the answer of %s %s: %w", c.Method, at, err)
	}
	if read.Data.Attributes == nil {
		return nil, answer.Event, nil
	}
	return &document{id: read.Data.ID, attributes: read.Data.Attributes, meta: read.Data.Meta}, answer.Event, nil
}

// patiently repeats a call that was refused because there were too many: a plan of hundreds of resources may make more of them than a minute allows.
func (a *api) patiently(ctx context.Context, f func() error) error {
	for pause := a.pause; ; pause *= 2 {
		err := f()
		if !client.IsStatus(err, http.StatusTooManyRequests) || pause > 16*a.pause {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

func decode(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return d.Decode(into)
}

// list returns all of a list.
func (a *api) list(ctx context.Context, of call, parameters map[string]string, query url.Values) ([]document, error) {
	at, err := fill(of.Path, parameters)
	if err != nil {
		return nil, err
	}
	if len(query) > 0 {
		at += "?" + query.Encode()
	}
	var all []document
	err = a.patiently(ctx, func() error {
		all = nil
		var wrong error
		err := a.Raw().Each(ctx, at, func(r client.Resource) bool {
			d := document{id: r.ID}
			if wrong = decode(r.Attributes, &d.attributes); wrong == nil {
				all = append(all, d)
			}
			return wrong == nil
		})
		return errors.Join(err, wrong)
	})
	return all, err
}

// errGone is said of what is not there.
var errGone = &client.Error{Status: http.StatusNotFound, Message: "It is not there."}

// read reads what a noun has, errGone if there is none.
func (a *api) read(ctx context.Context, n noun, parameters map[string]string) (*document, error) {
	if n.Listed {
		all, err := a.list(ctx, *n.Read, parameters, nil)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(d document) bool { return d.id == parameters[n.ID] })
		if i < 0 {
			return nil, errGone
		}
		return &all[i], nil
	}
	d, _, err := a.call(ctx, *n.Read, parameters, nil)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, errGone
	}
	if n.Absent != "" {
		if on, ok := truth(d.attributes[n.Absent]); d.attributes[n.Absent] == nil || ok && !on {
			return nil, errGone
		}
	}
	for _, of := range n.Attributes {
		if of.From == "" {
			continue
		}
		all, err := a.list(ctx, call{http.MethodGet, of.From}, parameters, nil)
		if err != nil {
			return nil, err
		}
		values := []any{}
		for _, one := range all {
			values = append(values, one.attributes[of.Answer])
		}
		d.beside = map[string]any{of.From: values}
	}
	return d, nil
}

// wait waits for the work of an event.
func (a *api) wait(ctx context.Context, org, event string) error {
	if event == "" {
		return nil
	}
	return a.Client.Wait(ctx, org, hostler.ID(event), nil)
}

func gone(err error) bool { return client.IsStatus(err, http.StatusNotFound) }

// explain adds what went wrong: problems of fields at their attributes, and why work failed.
func explain(to *diag.Diagnostics, doing string, attributes []attribute, err error) {
	var answer *client.Error
	var work *hostler.WorkError
	switch {
	case errors.As(err, &work):
		text := work.Reason
		if text == "" {
			text = "The work " + work.State + "."
		}
		if work.Step != "" {
			text += "\n\nIt was at: " + work.Step + "."
		}
		to.AddError(doing+": the work "+work.State, text+"\n\nThe event is "+string(work.Event)+".")
	case errors.As(err, &answer) && len(answer.Fields) > 0:
		for _, field := range slices.Sorted(maps.Keys(answer.Fields)) {
			text := strings.Join(answer.Fields[field], "\n")
			if at, ok := attributePath(attributes, field); ok {
				root, _ := at.Steps().NextStep() // what is below it has no place that Terraform would find
				name, _ := root.(path.PathStepAttributeName)
				to.AddAttributeError(path.Root(string(name)), doing+": "+at.String()+" is not accepted", text)
			} else {
				to.AddError(doing+": "+field+" is not accepted", text)
			}
		}
	default:
		to.AddError(doing+" failed", err.Error())
	}
}

// attributePath returns the path of a field of a body: credentials.0.username.
func attributePath(attributes []attribute, field string) (path.Path, bool) {
	parts := strings.Split(field, ".")
	i := slices.IndexFunc(attributes, func(a attribute) bool { return a.sent() && (a.Field == parts[0] || a.Change == parts[0]) })
	if i < 0 {
		return path.Empty(), false
	}
	of := attributes[i]
	at := path.Root(of.Name)
	for _, part := range parts[1:] {
		if n, err := strconv.Atoi(part); err == nil && (of.Kind == list || of.Kind == objects) {
			at = at.AtListIndex(n)
			continue
		}
		i := slices.IndexFunc(of.Of, func(a attribute) bool { return a.field() == part })
		if i < 0 {
			return at, true
		}
		of = of.Of[i]
		at = at.AtName(of.Name)
	}
	return at, true
}
