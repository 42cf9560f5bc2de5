package mcp

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/client"
)

func logs(ctx context.Context, s *session, in input) (result, error) {
	query := url.Values{"lines": {strconv.Itoa(min(max(1, in.whole("lines", 100)), 1000))}}
	if search := in.text("search"); search != "" {
		query.Set("search", search)
	}
	id, at := opServerLog, in.parameters("server")
	switch log := in.text("log"); {
	case in.text("site") != "":
		if id = siteLogs()[cmp.Or(log, "application")]; id == "" {
			return failed("A site has no log %q: application, access or error.", log), nil
		}
		at = in.parameters("site")
	case in.text("server") == "":
		return failed("Name a site or a server."), nil
	case log == "":
		return failed("Name the log of the server, such as system or nginx-error."), nil
	default:
		at["key"] = log
	}
	doc, _, err := s.get(ctx, id, at, query)
	if err != nil {
		return result{}, err
	}
	return content(doc, "content", "The log has no such lines."), nil
}

// content returns a text that a resource contains.
func content(doc map[string]any, name, none string) result {
	text := attribute(object(doc["data"]), name)
	if strings.TrimSpace(text) == "" {
		return result{notes: []string{none}}
	}
	return result{data: text}
}

func events(ctx context.Context, s *session, in input) (result, error) {
	query := url.Values{"page[size]": {size(in)}, "sort": {"-created_at"}}
	if state := in.text("state"); state != "" {
		query.Set("filter[state]", state)
	}
	organization, err := s.slug(ctx, in.text("organization"))
	if err != nil {
		return result{}, err
	}
	if what := in.text("server"); what != "" {
		id, err := s.named(ctx, "/orgs/"+organization+"/servers", s.known.byID[opServer].argument("server"), what)
		if err != nil {
			return result{}, err
		}
		query.Set("filter[server_id]", id)
	}
	if what := in.text("site"); what != "" {
		_, id, err := s.site(ctx, "/orgs/"+organization, what)
		if err != nil {
			return result{}, err
		}
		query.Set("filter[site_id]", id)
	}
	return s.list(ctx, opEvents, in.parameters(), query)
}

// mostSearched is how many of the newest events are searched for one whose server is not known.
const mostSearched = 1000

// eventOf returns the parameters of an event. Its server is searched among the newest if it was not named.
func (s *session) eventOf(ctx context.Context, in input) (map[string]any, error) {
	at := in.parameters("event", "server")
	if at["server"] != nil {
		return at, nil
	}
	organization, err := s.slug(ctx, in.text("organization"))
	if err != nil {
		return nil, err
	}
	var path string
	seen := 0
	err = s.client.Each(ctx, "/orgs/"+organization+"/events?sort=-created_at", func(r client.Resource) bool {
		if seen++; r.ID == in.text("event") {
			path = r.Path()
		}
		return path == "" && seen < mostSearched
	})
	if err != nil {
		return nil, err
	}
	_, below, found := strings.Cut(path, "/servers/")
	if !found {
		return nil, wrong("There is no event %q among the newest: name its server, or look at events.", in.text("event"))
	}
	at["server"], _, _ = strings.Cut(below, "/")
	return at, nil
}

func event(ctx context.Context, s *session, in input) (result, error) {
	at, err := s.eventOf(ctx, in)
	if err != nil {
		return result{}, err
	}
	return s.together(ctx, part{name: "event", id: opEvent, parameters: at}, part{name: "output", id: opOutput, parameters: at})
}

// onEvent returns what does something with the work of an event.
func onEvent(id string) func(context.Context, *session, input) (result, error) {
	return func(ctx context.Context, s *session, in input) (result, error) {
		at, err := s.eventOf(ctx, in)
		if err != nil {
			return result{}, err
		}
		return s.change(ctx, id, at)
	}
}

func (s *session) change(ctx context.Context, id string, parameters map[string]any) (result, error) {
	op := s.known.byID[id]
	path, err := s.path(ctx, op, parameters)
	if err != nil {
		return result{}, err
	}
	answer, err := s.client.Call(ctx, op.Method, path, nil)
	if err != nil {
		return result{}, err
	}
	return shown(op, answer)
}

func deploy(ctx context.Context, s *session, in input) (result, error) {
	return s.change(ctx, opDeploy, in.parameters("site"))
}

// logTail is how much of a deployment's log is shown, in bytes.
const logTail = 8000

func whyFailed(ctx context.Context, s *session, in input) (result, error) {
	at := in.parameters("site", "deployment")
	if at["deployment"] == nil {
		doc, _, err := s.get(ctx, opDeployments, in.parameters("site"), url.Values{"page[size]": {strconv.Itoa(listed)}, "sort": {"-created_at"}})
		if err != nil {
			return result{}, err
		}
		items, _ := doc["data"].([]any)
		i := slices.IndexFunc(items, func(v any) bool { return strings.HasPrefix(attribute(object(v), "status"), "failed") })
		if i < 0 {
			return result{notes: []string{fmt.Sprintf("None of the newest %d deployments failed.", len(items))}}, nil
		}
		at["deployment"] = object(items[i])["id"]
	}
	doc, _, err := s.get(ctx, opDeployment, at, nil)
	if err != nil {
		return result{}, err
	}
	log, _, err := s.get(ctx, opDeployLog, at, nil)
	if err != nil {
		return result{}, err
	}
	text := attribute(object(log["data"]), "output")
	if len(text) > logTail {
		text = "[…]\n" + strings.ToValidUTF8(text[len(text)-logTail:], "")
	}
	return result{data: map[string]any{"deployment": compact(doc["data"]), "end_of_log": text}}, nil
}

// ended reports whether work in a state goes no further.
func ended(state string) bool { return state != "" && state != "pending" && state != "running" }

func wait(ctx context.Context, s *session, in input) (result, error) {
	at, err := s.eventOf(ctx, in)
	if err != nil {
		return result{}, err
	}
	within := time.Duration(min(in.whole("seconds", waitSeconds), mostWaitSeconds)) * time.Second
	waiting, end := context.WithTimeout(ctx, within)
	defer end()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for passed := 0; ; passed += int(lookEvery / time.Second) {
		doc, _, err := s.get(ctx, opEvent, at, nil)
		if client.IsStatus(err, http.StatusNotFound) {
			return failed("There is no event %s. The events of a server are deleted with it: if this was its deletion, that is done.", in.text("event")), nil
		}
		if err != nil {
			return result{}, err
		}
		state, _ := object(object(object(doc["data"])["meta"])["operation"])["state"].(string)
		if state == "" || ended(state) {
			return result{notes: []string{"The work has ended."}, data: compact(doc["data"]), failed: state == "failed"}, nil
		}
		in.progress(passed, state)
		select {
		case <-tick.C:
		case <-waiting.Done():
			if err := ctx.Err(); err != nil {
				return result{}, err
			}
			return result{notes: []string{"The work has not ended yet and goes on."}, data: compact(doc["data"])}, nil
		}
	}
}
