package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/client"
)

// part is one part of an answer that has several.
type part struct {
	name, id   string
	parameters map[string]any
	query      url.Values
	// of picks elements of a list, nil for all.
	of func(resource map[string]any) bool
}

// together answers with several reads. One that the token does not allow is left out, and said.
func (s *session) together(ctx context.Context, parts ...part) (result, error) {
	data, out := map[string]any{}, result{}
	var refused *client.Error
	for i, p := range parts {
		op := s.known.byID[p.id]
		if i > 0 && !s.allows(op) {
			out.notes = append(out.notes, fmt.Sprintf("Without %s: the token lacks a scope of %s.", p.name, p.id))
			continue
		}
		doc, hid, err := s.get(ctx, p.id, p.parameters, p.query)
		switch {
		case i > 0 && errors.As(err, &refused) && refused.Status < http.StatusInternalServerError: // such as the services of a server that is not set up
			data[p.name] = map[string]any{"not_shown": refused.Message}
			continue
		case err != nil:
			return out, err
		}
		if hid && !slices.Contains(out.notes, secretsNote) {
			out.notes = append(out.notes, secretsNote)
		}
		if items, is := doc["data"].([]any); is {
			if p.of != nil {
				doc["data"] = slices.DeleteFunc(items, func(v any) bool { return !p.of(object(v)) })
			}
			data[p.name] = rows(op, doc)
			continue
		}
		data[p.name] = compact(doc["data"])
	}
	out.data = data
	return out, nil
}

// attribute returns an attribute of a resource as a text, "" for none.
func attribute(r map[string]any, name string) string {
	switch v := object(r["attributes"])[name].(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return fmt.Sprint(v)
	}
}

func overview(ctx context.Context, s *session, in input) (result, error) {
	all := url.Values{"page[size]": {strconv.Itoa(listed)}}
	return s.together(ctx, part{name: "servers", id: opServers, parameters: in.parameters(), query: all},
		part{name: "sites", id: opSites, parameters: in.parameters(), query: all}, part{name: "attention", id: opAttention, parameters: in.parameters(), query: all})
}

func findNames(ctx context.Context, s *session, in input) (result, error) {
	text := strings.ToLower(in.text("text"))
	has := func(r map[string]any) bool {
		raw, _ := json.Marshal([]any{
			object(r["attributes"])["name"], object(r["attributes"])["ip_address"], object(r["attributes"])["private_ip_address"], object(r["attributes"])["aliases"],
			object(r["attributes"])["url"], object(r["meta"])["tags"],
		}) // they come from JSON
		return strings.Contains(strings.ToLower(string(raw)), text)
	}
	data := map[string]any{}
	for name, id := range map[string]string{"servers": opServers, "sites": opSites} {
		path, err := s.path(ctx, s.known.byID[id], in.parameters())
		if err != nil {
			return result{}, err
		}
		var found []any
		err = s.client.Each(ctx, path, func(r client.Resource) bool {
			raw, _ := json.Marshal(r) // as it came
			doc, _, bad := document(append(append([]byte(`{"data":`), raw...), '}'), s.known.byID[id].Secrets)
			if one := object(doc["data"]); bad == nil && has(one) {
				found = append(found, one)
			}
			return len(found) < listed
		})
		if err != nil {
			return result{}, err
		}
		data[name] = rows(s.known.byID[id], map[string]any{"data": found})
	}
	return result{data: data}, nil
}

func serverStatus(ctx context.Context, s *session, in input) (result, error) {
	at := in.parameters("server")
	path, err := s.path(ctx, s.known.byID[opServer], at)
	if err != nil {
		return result{}, err
	}
	id := path[strings.LastIndexByte(path, '/')+1:]
	at["server"] = id
	return s.together(ctx, part{name: "server", id: opServer, parameters: at}, part{name: "services", id: opServices, parameters: at}, part{
		name: "attention", id: opAttention, parameters: in.parameters(), query: url.Values{"page[size]": {strconv.Itoa(mostListed)}},
		of: func(r map[string]any) bool { return attribute(r, "server_id") == id },
	})
}

func siteStatus(ctx context.Context, s *session, in input) (result, error) {
	organization, err := s.slug(ctx, in.text("organization"))
	if err != nil {
		return result{}, err
	}
	server, site, err := s.site(ctx, "/orgs/"+organization, in.text("site"))
	if err != nil {
		return result{}, err
	}
	at := in.parameters()
	at["site"] = site
	below := map[string]any{"site": site, "server": server}
	if o := at["organization"]; o != nil {
		below["organization"] = o
	}
	return s.together(ctx, part{name: "site", id: opSite, parameters: at}, part{name: "domains", id: opDomains, parameters: below},
		part{name: "deployments", id: opDeployments, parameters: below, query: url.Values{"page[size]": {"5"}, "sort": {"-created_at"}}}, part{
			name: "attention", id: opAttention, parameters: in.parameters(), query: url.Values{"page[size]": {strconv.Itoa(mostListed)}},
			of: func(r map[string]any) bool { return attribute(r, "site_id") == site },
		})
}

func metrics(ctx context.Context, s *session, in input) (result, error) {
	id, of := opMetrics, "server"
	if in.text("site") != "" {
		id, of = opSiteMetrics, "site"
	}
	query := url.Values{}
	if r := in.text("range"); r != "" {
		query.Set("range", r)
	}
	if in.text(of) == "" {
		return failed("Name a server or a site."), nil
	}
	return s.show(ctx, id, in.parameters(of), query)
}
