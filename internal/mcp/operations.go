package mcp

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/client"
	"github.com/hostlerhq/hostler/internal/description"
	"github.com/hostlerhq/hostler/internal/edge/access"
)

// operations are those of the API that a token can call.
type operations struct {
	all    []operation // by id
	byID   map[string]operation
	byPath map[string]operation // those that read, by their paths
}

// operation is an operation of the API.
type operation struct {
	description.Operation
	permissions []access.Permission
}

// destroys reports whether a call removes something.
func (o operation) destroys() bool { return o.Destroys || o.Method == http.MethodDelete }

// beyond returns why an operation can't be called by a tool, "" if it can.
func (o operation) beyond() string {
	switch {
	case o.Answer == description.Stream:
		return "it is a stream, which has no end: logs, events and wait show what it would"
	case o.Answer == description.Binary:
		return "it is a file, which may have secrets: hostler " + description.ByHand[o.ID] + " saves it"
	case o.Raw:
		return "it takes a file: hostler " + description.ByHand[o.ID] + " sends one"
	case o.File != "":
		return "it takes a file: hostler " + o.Noun + " " + o.Verb + " sends one"
	}
	return ""
}

func readOperations() *operations {
	out := &operations{byID: map[string]operation{}, byPath: map[string]operation{}}
	for _, op := range description.Operations() {
		one, seen := out.byID[op.ID]
		if !seen {
			one = operation{Operation: op}
			for _, name := range op.Permissions {
				one.permissions = append(one.permissions, access.Permission(name))
			}
		}
		if op.Action != "" { // a command for each action is one operation
			one.Action, one.Verb = "", "act"
			i := slices.IndexFunc(one.Fields, func(f description.Field) bool { return f.Name == "action" })
			if i < 0 {
				one.Fields = append(slices.Clone(one.Fields), description.Field{Name: "action", Type: description.String, Required: true})
				i = len(one.Fields) - 1
			}
			one.Fields[i].Enum = append(one.Fields[i].Enum, op.Action)
		}
		out.byID[op.ID] = one
	}
	for _, one := range out.byID {
		out.all = append(out.all, one)
		if !one.Changes() {
			out.byPath[one.Path] = one
		}
	}
	slices.SortFunc(out.all, func(a, b operation) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// find returns the operation that an assistant names: by its id, or by its noun and verb.
func (o *operations) find(name string) (operation, bool) {
	if op, ok := o.byID[name]; ok {
		return op, true
	}
	words := strings.Join(strings.Fields(strings.TrimPrefix(name, "hostler ")), " ")
	i := slices.IndexFunc(o.all, func(op operation) bool { return op.Noun+" "+op.Verb == words })
	if i < 0 {
		return operation{}, false
	}
	return o.all[i], true
}

// allows reports whether the token has what an operation needs.
func (s *session) allows(op operation) bool {
	return op.ID != "" && s.actor.Require(op.permissions...) == nil
}

// operation returns an operation that the token may call.
func (s *session) operation(name string) (operation, error) {
	op, ok := s.known.find(name)
	if !ok {
		return op, wrong("There is no operation %q: search finds them.", name)
	}
	for _, p := range op.permissions {
		if !s.actor.Scopes.Has(p) {
			return op, wrong("%s needs the scope %s, which this token does not have. A person makes a token with it in the dashboard, or with hostler token "+
				"create --scope %s on the panel's machine.", op.ID, p, p)
		}
	}
	if why := op.beyond(); why != "" {
		return op, wrong("%s can't be called here: %s.", op.ID, why)
	}
	return op, nil
}

var parameter = regexp.MustCompile(`\{([^}]+)\}`)

// parameters returns the names of the parameters of an operation's path.
func (o operation) parameters() []string {
	var out []string
	for _, m := range parameter.FindAllStringSubmatch(o.Path, -1) {
		out = append(out, m[1])
	}
	return out
}

// argument returns how resources of a parameter are found by their names.
func (o operation) argument(name string) description.Argument {
	for _, a := range o.Arguments {
		if a.Name == name && !a.Field {
			return a
		}
	}
	out := description.Argument{Name: name}
	if name == "server" {
		out.By, out.Filtered = []string{"name"}, true
	}
	return out
}

// path returns an operation's path with the ids of what the parameters name.
func (s *session) path(ctx context.Context, op operation, given map[string]any) (string, error) {
	names := op.parameters()
	for name := range given {
		if !slices.Contains(names, name) {
			return "", wrong("%s has no parameter %q. It has: %s.", op.ID, name, strings.Join(names, ", "))
		}
	}
	out := op.Path
	for _, name := range names {
		above, below, is := strings.Cut(out, "/{"+name+"}")
		if !is { // the server of a site
			continue
		}
		what := ""
		if given[name] != nil {
			what = textOf(given[name])
		}
		switch {
		case name == "organization":
			slug, err := s.slug(ctx, what)
			if err != nil {
				return "", err
			}
			out = above + "/" + slug + below
			continue
		case name == "server" && what == "" && strings.HasPrefix(below, "/sites/{site}") && given["site"] != nil:
			server, site, err := s.site(ctx, strings.TrimSuffix(above, "/servers"), textOf(given["site"]))
			if err != nil {
				return "", err
			}
			out = above + "/" + server + strings.Replace(below, "{site}", site, 1)
			continue
		case what == "":
			return "", wrong("%s needs the parameter %s.", op.ID, name)
		case what == ".", what == "..":
			return "", wrong("The parameter %s can't be %q.", name, what)
		}
		id, err := s.named(ctx, above, op.argument(name), what)
		if err != nil {
			return "", err
		}
		out = above + "/" + id + below
	}
	return out, nil
}

// slug returns the organization that is named, or else the connection's, or else the only one that the token is valid in.
func (s *session) slug(ctx context.Context, what string) (string, error) {
	if what = cmp.Or(what, s.organization); what != "" {
		if what == "." || what == ".." {
			return "", wrong("The parameter organization can't be %q.", what)
		}
		return url.PathEscape(what), nil
	}
	all, err := s.client.All(ctx, "/orgs")
	if client.IsStatus(err, http.StatusForbidden) {
		return "", wrong("Name the organization: the token can't list them without the scope %s.", access.OrganizationView)
	}
	if err != nil {
		return "", err
	}
	slugs := make([]string, len(all))
	for i, r := range all {
		slugs[i] = r.Attribute("slug")
	}
	if len(slugs) != 1 {
		return "", wrong("Name the organization, one of: %s.", strings.Join(slugs, ", "))
	}
	s.organization = slugs[0]
	return url.PathEscape(slugs[0]), nil
}

// named returns the id of a resource of a list that is called so, or has this id.
func (s *session) named(ctx context.Context, list string, a description.Argument, what string) (string, error) {
	if id, err := strconv.ParseInt(what, 10, 64); err == nil && id > 0 || a.Word || len(a.By) == 0 {
		return url.PathEscape(what), nil
	}
	r, err := s.only(ctx, list, a, what)
	return r.ID, err
}

// only returns the only resource of a list of which one of the attributes is what, in any case of letters if none is exactly.
func (s *session) only(ctx context.Context, list string, a description.Argument, what string) (client.Resource, error) {
	if a.Filtered && a.By[0] == "name" && !strings.Contains(what, ",") { // a comma separates alternatives
		list += "?filter[name]=" + url.QueryEscape(what)
	}
	var found, near []client.Resource
	err := s.client.Each(ctx, list, func(r client.Resource) bool {
		switch exactly, nearly := r.Called(a.By, what); {
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
		return client.Resource{}, wrong("There is no %s %q: find searches for names.", a.Name, what)
	case len(found) > 1:
		all := make([]string, len(found))
		for i, r := range found {
			all[i] = r.ID
		}
		return client.Resource{}, wrong("%d of them are called %q. Name the %s by one of the ids %s.", len(found), what, a.Name, strings.Join(all, ", "))
	}
	return found[0], nil
}

// site returns the ids of a site and its server.
func (s *session) site(ctx context.Context, organization, what string) (server, site string, err error) {
	var r client.Resource
	if id, bad := strconv.ParseInt(what, 10, 64); bad == nil && id > 0 {
		r, err = s.client.One(ctx, http.MethodGet, organization+"/sites/"+what, nil)
	} else {
		r, err = s.only(ctx, organization+"/sites", description.Argument{Name: "site", By: []string{"name"}, Filtered: true}, what)
	}
	if err != nil {
		return "", "", err
	}
	if server = r.Related("server"); server == "" {
		return "", "", wrong("The site %s has no server.", r.ID)
	}
	return server, r.ID, nil
}

// query returns the query of a call.
func (op operation) query(given map[string]any) (url.Values, error) {
	known := []string{}
	for _, f := range op.Query {
		known = append(known, f.Name)
	}
	if op.Answer == description.List {
		known = append(known, "page[size]", "page[cursor]")
	}
	out := url.Values{}
	for name, v := range given {
		if !slices.Contains(known, name) {
			return nil, wrong("%s has no query parameter %q. It has: %s.", op.ID, name, cmp.Or(strings.Join(known, ", "), "none"))
		}
		out.Set(name, textOf(v))
	}
	return out, nil
}

// body checks the names of a body's members. The values are the API's to check.
func (op operation) body(given map[string]any) error {
	known := []string{}
	for _, f := range op.Fields {
		known = append(known, f.Name)
	}
	for name := range given {
		if !slices.ContainsFunc(known, func(f string) bool { return f == name || strings.HasPrefix(f, name+".") }) {
			return wrong("%s has no field %q. It has: %s.", op.ID, name, cmp.Or(strings.Join(known, ", "), "none"))
		}
	}
	return nil
}
