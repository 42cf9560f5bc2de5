package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/client"
)

// What intents take.
var (
	ofOrganization = argument{name: "organization", kind: kindText, about: "Slug; needed only with several."}
	ofServer       = argument{name: "server", kind: kindText, about: "Name or id."}
	ofSite         = argument{name: "site", kind: kindText, about: "Name or id."}
	ofEvent        = argument{name: "event", kind: kindText, required: true, about: "Id of the event."}
	ofRange        = argument{name: "range", kind: kindText, about: "Such as 1h, 24h, 7d."}
	ofLimit        = argument{name: "limit", kind: kindWhole, about: "How many at most."}
)

func needed(a argument) argument { a.required = true; return a }

// The operations that intents call.
const (
	opServers     = "organizations.servers.index"
	opServer      = "organizations.servers.show"
	opServices    = "organizations.servers.services.index"
	opSites       = "organizations.sites.index"
	opSite        = "organizations.sites.show"
	opDomains     = "organizations.servers.sites.domains.index"
	opAttention   = "organizations.attention.index"
	opEvents      = "organizations.events.index"
	opEvent       = "organizations.servers.events.show"
	opOutput      = "organizations.servers.events.output.show"
	opCancel      = "organizations.servers.events.cancel.store"
	opRetry       = "organizations.servers.events.retry.store"
	opDeployments = "organizations.servers.sites.deployments.index"
	opDeployment  = "organizations.servers.sites.deployments.show"
	opDeployLog   = "organizations.servers.sites.deployments.log.show"
	opDeploy      = "organizations.servers.sites.deployments.store"
	opServerLog   = "organizations.servers.logs.show"
	opSiteLog     = "organizations.servers.sites.logs.application.show"
	opAccessLog   = "organizations.servers.sites.logs.nginx-access.show"
	opErrorLog    = "organizations.servers.sites.logs.nginx-error.show"
	opMetrics     = "organizations.servers.metrics.show"
	opSiteMetrics = "organizations.servers.sites.metrics.show"
	opDrift       = "organizations.servers.drift.show"
	opBackups     = "organizations.servers.database.backups.index"
	opCertificate = "organizations.servers.sites.certificates.index"
	opAudit       = "organizations.audit.index"
)

// siteLogs are the logs of a site, by what people call them.
func siteLogs() map[string]string {
	return map[string]string{"application": opSiteLog, "access": opAccessLog, "error": opErrorLog}
}

// allTools returns the tools, in the order in which assistants see them.
func allTools() []tool {
	return slices.Concat(looking(), failing(), working(), reaching())
}

// looking are the intents that show how things are.
func looking() []tool {
	return []tool{
		{
			name: "overview", title: "Overview", about: "Servers, sites, and what needs attention, of an organization.",
			arguments: []argument{ofOrganization}, operations: []string{opServers, opSites, opAttention}, run: overview,
		},
		{
			name: "attention", title: "What needs me", about: "Failures, full disks, ending certificates, unproven backups, drift: the most urgent first.",
			arguments: []argument{ofOrganization, ofLimit}, operations: []string{opAttention}, run: listing(opAttention),
		},
		{
			name: "find", title: "Find by name", about: "Servers and sites with a text in their name, address or domain.",
			arguments: []argument{{name: "text", kind: kindText, required: true}, ofOrganization}, operations: []string{opServers, opSites}, run: findNames,
		},
		{
			name: "servers", title: "List servers",
			arguments: []argument{ofOrganization, {name: "tag", kind: kindText}, ofLimit}, about: "Servers with their address, versions and state.",
			operations: []string{opServers}, run: listing(opServers),
		},
		{
			name: "sites", title: "List sites",
			arguments: []argument{ofOrganization, {name: "tag", kind: kindText}, ofLimit}, about: "Sites with their server, type and state.",
			operations: []string{opSites}, run: listing(opSites),
		},
		{
			name: "server", title: "Status of a server", about: "A server, its services, and what needs attention on it.",
			arguments: []argument{needed(ofServer), ofOrganization}, operations: []string{opServer, opServices, opAttention}, run: serverStatus,
		},
		{
			name: "site", title: "Status of a site", about: "A site, its domains, its newest deployments, and what needs attention on it.",
			arguments: []argument{needed(ofSite), ofOrganization}, operations: []string{opSite, opDomains, opDeployments, opAttention}, run: siteStatus,
		},
		{
			name: "certificates", title: "Certificates of a site", about: "Certificates with their state and when they end.",
			arguments: []argument{needed(ofSite), ofOrganization}, operations: []string{opCertificate}, run: listing(opCertificate),
		},
		{
			name: "backups", title: "Backups of a server", about: "What is backed up, when, where, and how the newest run ended.",
			arguments: []argument{needed(ofServer), ofOrganization}, operations: []string{opBackups}, run: listing(opBackups),
		},
		{
			name: "metrics", title: "Metrics", about: "Load, memory and disk of a server, or requests and answer times of a site.",
			arguments: []argument{ofServer, ofSite, ofRange, ofOrganization}, operations: []string{opMetrics, opSiteMetrics}, either: true, run: metrics,
		},
		{
			name: "drift", title: "Drift of a server", about: "What differs on a server from what Hostler applied there, as it was found last.",
			arguments: []argument{needed(ofServer), ofOrganization}, operations: []string{opDrift}, run: one(opDrift),
		},
		{
			name: "audit", title: "Audit log", about: "Who changed what, newest first.",
			arguments: []argument{ofOrganization, ofLimit}, operations: []string{opAudit}, run: listing(opAudit),
		},
	}
}

// failing are the intents that show why something is as it is.
func failing() []tool {
	return []tool{
		{
			name: "why_failed", title: "Why a deployment failed",
			about:      "The newest failed deployment of a site, or the given one: cause, remedy and the end of its log.",
			arguments:  []argument{needed(ofSite), {name: "deployment", kind: kindText, about: "Id."}, ofOrganization},
			operations: []string{opDeployLog, opDeployments, opDeployment}, run: whyFailed,
		},
		{
			name: "deployments", title: "Deployments of a site", about: "Newest first.",
			arguments: []argument{needed(ofSite), ofOrganization, ofLimit}, operations: []string{opDeployments}, run: listing(opDeployments),
		},
		{
			name: "logs", title: "Logs",
			about: "The end of a log: of a site application, access or error; of a server nginx-access, nginx-error, database, auth, system, packages, " +
				"upgrades, php84 and the like.",
			arguments: []argument{ofSite, ofServer, {name: "log", kind: kindText}, {name: "lines", kind: kindWhole}, {name: "search", kind: kindText,
				about: "Only lines with this text."}, ofOrganization},
			operations: []string{opSiteLog, opAccessLog, opErrorLog, opServerLog}, either: true, run: logs,
		},
		{
			name: "events", title: "Events", about: "Work on servers, newest first, with its state.",
			arguments: []argument{
				ofOrganization, ofServer, ofSite,
				{name: "state", kind: kindText, values: []string{"pending", "running", "succeeded", "failed", "cancelled"}}, ofLimit,
			},
			operations: []string{opEvents}, run: events,
		},
		{
			name: "event", title: "Event with its output", about: "Work on a server: state, reason, plan, checks, and its output.",
			arguments: []argument{ofEvent, ofServer, ofOrganization}, operations: []string{opEvent, opOutput, opEvents}, run: event,
		},
		{
			name: "wait", title: "Wait for an event", about: "Waits until work has ended, or the time is over; then it goes on, and wait can be called once more.",
			arguments:  []argument{ofEvent, ofServer, {name: "seconds", kind: kindWhole, about: "At most; default 60, limit 300."}, ofOrganization},
			operations: []string{opEvent, opEvents}, run: wait,
		},
	}
}

// working are the intents that begin or end work.
func working() []tool {
	return []tool{
		{
			name: "deploy", title: "Deploy a site", about: "Deploys the newest commit. Returns the event; wait shows the end.",
			arguments: []argument{needed(ofSite), ofOrganization}, operations: []string{opDeploy}, run: deploy,
		},
		{
			name: "cancel", title: "Cancel work", about: "Cancels the work of an event that has not ended. What is safe to undo is undone.",
			arguments: []argument{ofEvent, ofServer, ofOrganization}, operations: []string{opCancel, opEvents}, run: onEvent(opCancel),
		},
		{
			name: "retry", title: "Retry failed work", about: "Begins the work of a failed event once more.",
			arguments: []argument{ofEvent, ofServer, ofOrganization}, operations: []string{opRetry, opEvents}, run: onEvent(opRetry),
		},
	}
}

// get calls an operation that reads, and returns its document and whether it had a secret.
func (s *session) get(ctx context.Context, id string, parameters map[string]any, query url.Values) (doc map[string]any, hid bool, err error) {
	op := s.known.byID[id]
	path, err := s.path(ctx, op, parameters)
	if err != nil {
		return nil, false, err
	}
	answer, err := s.client.Call(ctx, http.MethodGet, request{path: path, query: query}.address(), nil)
	if err != nil {
		return nil, false, err
	}
	return document(answer.Body, op.Secrets)
}

// parameters are those of a path that an intent was given.
func (in input) parameters(names ...string) map[string]any {
	out := map[string]any{}
	for _, name := range append(names, "organization") {
		if v := in.text(name); v != "" {
			out[name] = v
		}
	}
	return out
}

// rows returns the resources of a list with what a list shows of them.
func rows(op operation, doc map[string]any) []any {
	items, _ := doc["data"].([]any)
	out := make([]any, len(items))
	for i, item := range items {
		r := object(item)
		row := map[string]any{"id": r["id"]}
		if len(op.Columns) == 0 {
			row, _ = compact(item).(map[string]any)
		}
		for _, name := range op.Columns {
			row[name] = object(r["attributes"])[name]
		}
		work := object(object(r["meta"])["operation"])
		row["state"], row["reason"], row["event"] = cmp.Or(row["state"], work["state"]), work["reason"], work["event_id"]
		if server := ids(object(object(r["relationships"])["server"])["data"]); server != nil {
			row["server_id"] = server
		}
		out[i], _ = prune(row)
	}
	return out
}

// more adds where a list goes on.
func more(doc map[string]any, notes []string) []string {
	if next, _ := object(doc["meta"])["next_cursor"].(string); next != "" {
		notes = append(notes, "There are more: raise the limit, or call the operation with a cursor.")
	}
	return notes
}

// mostListed is the largest limit, and listed the one that stands for none.
const (
	mostListed = 200
	listed     = 50
)

func size(in input) string { return strconv.Itoa(min(max(1, in.whole("limit", listed)), mostListed)) }

// newest are the lists that are asked for from the newest on.
func newest(id string) bool { return id == opDeployments || id == opEvents || id == opAudit }

// listing returns what shows a list.
func listing(id string) func(context.Context, *session, input) (result, error) {
	return func(ctx context.Context, s *session, in input) (result, error) {
		query := url.Values{"page[size]": {size(in)}}
		if tag := in.text("tag"); tag != "" {
			query.Set("filter[tag]", tag)
		}
		if newest(id) {
			query.Set("sort", "-created_at")
		}
		return s.list(ctx, id, in.parameters("server", "site"), query)
	}
}

func (s *session) list(ctx context.Context, id string, parameters map[string]any, query url.Values) (result, error) {
	doc, hid, err := s.get(ctx, id, parameters, query)
	if err != nil {
		return result{}, err
	}
	out := result{notes: more(doc, nil), data: rows(s.known.byID[id], doc)}
	if hid {
		out.notes = append(out.notes, secretsNote)
	}
	return out, nil
}

// one returns what shows a resource.
func one(id string) func(context.Context, *session, input) (result, error) {
	return func(ctx context.Context, s *session, in input) (result, error) {
		return s.show(ctx, id, in.parameters("server", "site"), nil)
	}
}

func (s *session) show(ctx context.Context, id string, parameters map[string]any, query url.Values) (result, error) {
	doc, hid, err := s.get(ctx, id, parameters, query)
	if err != nil {
		return result{}, err
	}
	out := result{data: compactDocument(doc)}
	if hid {
		out.notes = append(out.notes, secretsNote)
	}
	return out, nil
}

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

// The times of wait, in seconds, and how often it looks.
const (
	waitSeconds     = 60
	mostWaitSeconds = 300
	lookEvery       = 2 * time.Second
)

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
