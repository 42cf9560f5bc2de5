package cli

import (
	"context"
	"net/url"
	"strconv"
	"strings"

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
	filtered := a.Filtered && a.By[0] == "name"
	kind := strings.ToLower(strings.ReplaceAll(argumentWord(a.Name), "_", " "))
	r, err := s.only(ctx, list, kind, what, filtered, a.By...)
	return r.ID, err
}
