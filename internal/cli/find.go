package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/client"
)

// find returns the resource of a list with this id, or the only one with this name.
func (s *session) find(ctx context.Context, list, one, kind, what string) (client.Resource, error) {
	if id, err := strconv.ParseInt(what, 10, 64); err == nil && id > 0 && strconv.FormatInt(id, 10) == what {
		r, err := s.client.One(ctx, http.MethodGet, one+"/"+what, nil)
		if !client.IsStatus(err, http.StatusNotFound) {
			return r, err
		}
	}
	return s.only(ctx, list, kind, what, true, "name")
}

// only returns the only resource of a list of which one of the attributes is what, in any case of letters if none is exactly. filtered says that the list can
// be limited to a name.
func (s *session) only(ctx context.Context, list, kind, what string, filtered bool, attributes ...string) (client.Resource, error) {
	if filtered && what != "" && !strings.Contains(what, ",") { // a comma separates alternatives
		list += "?filter[name]=" + url.QueryEscape(what)
	}
	var found, near []client.Resource
	err := s.client.Each(ctx, list, func(r client.Resource) bool {
		switch exactly, nearly := r.Called(attributes, what); {
		case exactly:
			found = append(found, r)
		case nearly:
			near = append(near, r)
		}
		return true
	})
	if len(found) == 0 {
		found = near
	}
	switch {
	case err != nil:
		return client.Resource{}, err
	case len(found) == 0:
		return client.Resource{}, exit(CodeNotFound, "no %s named %q", kind, what)
	case len(found) > 1:
		ids := make([]string, len(found))
		for i, r := range found {
			ids[i] = r.ID
		}
		return client.Resource{}, usage("%d %ss are named %q: use one of the IDs %s", len(found), kind, what, strings.Join(ids, ", "))
	}
	return found[0], nil
}

// server returns a server and its path, below which its resources are.
func (s *session) server(ctx context.Context, what string) (client.Resource, string, error) {
	list, err := s.path("/servers")
	if err != nil {
		return client.Resource{}, "", err
	}
	r, err := s.find(ctx, list, list, "server", what)
	return r, list + "/" + r.ID, err
}

// site returns a site with the path of its server, and its own for changes.
func (s *session) site(ctx context.Context, what string) (r client.Resource, server, path string, err error) {
	list, err := s.path("/sites")
	if err != nil {
		return r, "", "", err
	}
	if r, err = s.find(ctx, list, list, "site", what); err != nil {
		return r, "", "", err
	}
	id := r.Related("server")
	if id == "" {
		return r, "", "", fmt.Errorf("site %s has no server", r.ID)
	}
	server, err = s.path("/servers/%s", id)
	return r, server, server + "/sites/" + r.ID, err
}

// event returns an event of the organization, with its path. The API has events only below their servers, so the newest are searched.
func (s *session) event(ctx context.Context, id string) (client.Resource, string, error) {
	list, err := s.path("/events")
	if err != nil {
		return client.Resource{}, "", err
	}
	var found client.Resource
	err = s.client.Each(ctx, list+"?sort=-created_at", func(r client.Resource) bool {
		if r.ID == id {
			found = r
		}
		return found.ID == ""
	})
	if err == nil && found.ID == "" {
		err = exit(CodeNotFound, "no event %q", id)
	}
	return found, found.Path(), err
}
