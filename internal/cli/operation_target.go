package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
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
	r, err := s.only(ctx, list, kindOf(a), what, a.Filtered && a.By[0] == "name", a.By...)
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

// kindOf returns what an argument names, as words.
func kindOf(a description.Argument) string {
	return strings.ToLower(strings.ReplaceAll(argumentWord(a.Name), "_", " "))
}

// refer puts the ids of the named resources into the fields that refer to them.
func (s *session) refer(ctx context.Context, o operationOptions, found target) error {
	for _, f := range o.op.Fields {
		if f.Of == nil || o.fields[f.Name] == nil {
			continue
		}
		name := strings.TrimSuffix(strings.TrimSuffix(f.Name, "_ids"), "_id")
		a := description.Argument{Name: name, By: f.Of.By, Filtered: f.Of.Filtered}
		several, many := o.fields[f.Name].([]string)
		if !many {
			several = []string{fmt.Sprint(o.fields[f.Name])}
		}
		ids := make([]int64, len(several))
		for i, what := range several {
			var id string
			var err error
			for _, list := range f.Of.Lists {
				if id, err = s.named(ctx, within(list, o.op, found), a, strings.TrimSpace(what)); err == nil || !isNotFound(err) {
					break
				}
			}
			if err != nil {
				return err
			}
			if ids[i], err = strconv.ParseInt(id, 10, 64); err != nil {
				return usage("--%s: %q is not an ID", f.Flag, what)
			}
		}
		if o.fields[f.Name] = ids; !many {
			o.fields[f.Name] = ids[0]
		}
	}
	return nil
}

// within returns a list's path with what a call's path has in the same places.
func within(list string, op description.Operation, found target) string {
	parts, called, filled := strings.Split(list, "/"), strings.Split(op.Path, "/"), strings.Split(found.path, "/")
	for i := range parts {
		if i < len(called) && parts[i] == called[i] {
			parts[i] = filled[i]
		}
	}
	return strings.Join(parts, "/")
}

func isNotFound(err error) bool {
	var e *ExitError
	return errors.As(err, &e) && e.Code == CodeNotFound
}
