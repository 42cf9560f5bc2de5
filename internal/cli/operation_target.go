package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/show"
)

// target is where a call goes.
type target struct {
	path, server string
	// last is the last argument of the path, as it was given.
	last string
}

// target finds the resources that the arguments name, and returns the path of the call.
func (s *session) target(ctx context.Context, op description.Operation, arguments []string) (target, error) {
	out := target{path: op.Path}
	if strings.Contains(op.Path, "{organization}") {
		above, err := s.path("")
		if err != nil {
			return target{}, err
		}
		out.path = strings.Replace(out.path, "/orgs/{organization}", above, 1)
	}
	for i, a := range op.Arguments {
		what := arguments[i]
		above, below, inPath := strings.Cut(out.path, "/{"+a.Name+"}")
		if !inPath {
			continue
		}
		out.last = what
		switch {
		case a.Name == "site" && strings.HasSuffix(above, "/servers/{server}/sites"):
			_, server, path, err := s.site(ctx, what)
			if err != nil {
				return target{}, err
			}
			out.server, out.path = server, path+below
			continue
		case a.Name == "event" && strings.HasSuffix(above, "/servers/{server}/events"):
			_, path, err := s.event(ctx, what)
			if err != nil {
				return target{}, err
			}
			out.server, _, _ = strings.Cut(path, "/events/")
			out.path = path + below
			continue
		case a.Word:
			above += "/" + url.PathEscape(what)
		default:
			id, err := s.named(ctx, above, a, what)
			if err != nil {
				return target{}, err
			}
			above += "/" + id
		}
		if a.Name == "server" {
			out.server = above
		}
		out.path = above + below
	}
	return out, nil
}

// named returns the id of a resource of a list that is called so, or has this id.
func (s *session) named(ctx context.Context, list string, a description.Argument, what string) (string, error) {
	if id, err := strconv.ParseInt(what, 10, 64); err == nil && id > 0 || len(a.By) == 0 {
		return url.PathEscape(what), nil
	}
	r, err := s.only(ctx, list, a.Kind(), what, a.Filtered && a.By[0] == "name", a.By...)
	return r.ID, err
}

// listed returns the resource of a list that is called so, or has this id; the list can't be limited to a name.
func (s *session) listed(ctx context.Context, list, kind, what string) (client.Resource, error) {
	id, err := s.named(ctx, list, description.Argument{Name: kind, By: []string{"name"}}, what)
	if err != nil {
		return client.Resource{}, err
	}
	return s.client.One(ctx, http.MethodGet, list+"/"+id, nil)
}

// refer puts the ids of the named resources into the fields that refer to them.
func (s *session) refer(ctx context.Context, o operationOptions, found *target) error {
	for i, a := range o.op.Arguments {
		if a.Field && slices.ContainsFunc(o.op.Fields, func(f description.Field) bool { return f.Name == a.Name && f.Of != nil }) {
			o.fields[a.Name], found.last = o.arguments[i], o.arguments[i]
		}
	}
	var err error
	for _, f := range o.op.Fields {
		for _, object := range show.Objects(o.fields[f.Name]) {
			for _, item := range f.Items {
				if item.Of != nil && object[item.Name] != nil && err == nil {
					object[item.Name], err = s.ids(ctx, o.op, item, object[item.Name], *found)
				}
			}
		}
		if f.Of != nil && o.fields[f.Name] != nil && err == nil {
			o.fields[f.Name], err = s.ids(ctx, o.op, f, o.fields[f.Name], *found)
		}
	}
	for _, f := range o.op.Query {
		if f.Of != nil && o.query[f.Name] != nil && err == nil {
			o.query[f.Name], err = s.ids(ctx, o.op, f, o.query[f.Name], *found)
		}
	}
	if id := o.fields["server_id"]; err == nil && id != nil && found.server == "" { // the work is done there
		found.server, err = s.path("/servers/%v", id)
	}
	return err
}

// ids returns the id of what a field names, or the ids of several.
func (s *session) ids(ctx context.Context, op description.Operation, f description.Field, v any, found target) (any, error) {
	stem, _, _ := strings.Cut(strings.TrimPrefix(f.Name, "filter["), "_id")
	a := description.Argument{Name: stem, By: f.Of.By, Filtered: f.Of.Filtered}
	several, many := v.([]string)
	if !many {
		several = []string{fmt.Sprint(v)}
	}
	ids := make([]int64, len(several))
	for i, what := range several {
		var id string
		var err error
		for _, list := range f.Of.Lists {
			if id, err = s.named(ctx, op.Within(list, found.path), a, strings.TrimSpace(what)); err == nil || !isNotFound(err) {
				break
			}
		}
		if err != nil {
			return nil, err
		}
		if ids[i], err = strconv.ParseInt(id, 10, 64); err != nil {
			return nil, usage("--%s: %q is not an ID", f.Flag, what)
		}
	}
	if many {
		return ids, nil
	}
	return ids[0], nil
}

func isNotFound(err error) bool {
	var e *ExitError
	return errors.As(err, &e) && e.Code == CodeNotFound
}
