package mcp

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
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

// The times of wait, in seconds, and how often it looks.
const (
	waitSeconds     = 60
	mostWaitSeconds = 300
	lookEvery       = 2 * time.Second
)
