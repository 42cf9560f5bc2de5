package log

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Operations are the operations on logs.
type Operations struct {
	Servers *server.Store
	Sites   *site.Store
	Queue   *job.Queue
	Router  *api.Router
	*Reader
}

// Path is a log of a server that there can be.
type Path struct {
	server.Path
	Key    string
	source source
}

// Current locks the server, and reads it again: it may no longer have the log.
func (p Path) Current(ctx context.Context, tx *db.Tx) (Path, error) {
	var err error
	if p.Path, err = p.Path.Current(ctx, tx); err != nil {
		return p, err
	}
	return p.find()
}

// find returns where the log is.
func (p Path) find() (Path, error) {
	var known bool
	if p.source, known = serverSource(p.Server, p.Key); !known {
		return p, access.ErrNotFound
	}
	return p, nil
}

var manage = []access.Permission{access.ServerManageLogs}

var logParams = []api.Param{
	{Name: "lines", Type: "integer", Description: "The maximum number of lines, 1 to 5000; default 500."},
	{Name: "search", Type: "string", Description: "Only lines that contain this text, ignoring case."},
	{Name: "before", Type: "integer", Description: "Only lines before this offset. Pass meta.log.start of a page to get the previous page."},
}

const description = "Returns the newest lines, oldest first, read from the server. 409 while the server is not set up or can't be reached."

// Register adds the operations.
func (o *Operations) Register() {
	registerSite(o, ids{
		noun:    "access-log",
		show:    "organizations.servers.sites.logs.nginx-access.show",
		destroy: "organizations.servers.sites.logs.nginx-access.destroy",
		stream:  "organizations.servers.sites.logs.nginx-access.stream",
	}, siteAccess, "the access log of a site", AccessLogMeta{Log: "site-nginx-access"},
		func(id, content string, links *api.SelfLinks, meta *api.Meta) accessResource {
			return accessResource{ID: id, Attributes: NginxAccessLogAttributes{content}, Links: links, Meta: meta}
		})
	registerSite(o, ids{
		noun:    "error-log",
		show:    "organizations.servers.sites.logs.nginx-error.show",
		destroy: "organizations.servers.sites.logs.nginx-error.destroy",
		stream:  "organizations.servers.sites.logs.nginx-error.stream",
	}, siteError, "the error log of a site", nil, func(id, content string, links *api.SelfLinks, meta *api.Meta) errorResource {
		return errorResource{ID: id, Attributes: NginxErrorLogAttributes{content}, Links: links, Meta: meta}
	})
	registerSite(o, ids{
		noun:    "application-log",
		show:    "organizations.servers.sites.logs.application.show",
		destroy: "organizations.servers.sites.logs.application.destroy",
		stream:  "organizations.servers.sites.logs.application.stream",
	}, siteApplication, "the log of a site's program", ApplicationLogMeta{Log: "site"},
		func(id, content string, links *api.SelfLinks, meta *api.Meta) applicationResource {
			return applicationResource{ID: id, Attributes: ApplicationLogAttributes{content}, Links: links, Meta: meta}
		})
	const path = "/orgs/{organization}/servers/{server}/logs/{key}"
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.logs.show", Method: http.MethodGet, Path: path, Tag: "Logs", Mode: api.Sync, Permissions: manage, Texts: []string{"key"},
		Query: logParams, Meta: ServerLogMeta{}, Conflict: true,
		Noun: "server-logs", Summary: "Get a log of a server", Description: description +
			" The keys are nginx-access, nginx-error, nginx, redis, meilisearch, database, auth, system, packages, upgrades, and php84 or the like.",
	}, o.inPath, o.show)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.logs.destroy", Method: http.MethodDelete, Path: path, Tag: "Logs", Mode: api.Async, Permissions: manage,
		Texts: []string{"key"}, Status: http.StatusNoContent,
		Before: "/orgs/{organization}/servers/{server}", ChangesHost: true, Conflict: true, Noun: "server-logs", Verb: "clear",
		Summary:     "Empty a log of a server",
		Description: "409 for logs in the system's journal.",
	}, o.inPath, o.destroy)
}

// ids are the operations on one log of sites, and the noun of their commands.
type ids struct{ noun, show, destroy, stream string }

// registerSite adds the operations on one log of sites.
func registerSite[T any](o *Operations, id ids, kind, name string, meta any, resource func(id, content string, links *api.SelfLinks, meta *api.Meta) T) {
	path := "/orgs/{organization}/servers/{server}/sites/{site}/logs/" + kind
	api.Show(o.Router, api.Operation{
		ID: id.show, Method: http.MethodGet, Path: path, Tag: "Sites", Mode: api.Sync, Permissions: manage, Query: logParams, Meta: meta, Conflict: true,
		Noun: id.noun, Summary: "Get " + name, Description: description,
	}, o.Sites.InPath, func(ctx context.Context, c api.Call[site.Path]) (api.Document[T], error) {
		from, err := siteSource(c.Parent.Site, kind)
		if err != nil {
			return api.Document[T]{}, err
		}
		page, err := o.ask(ctx, c.Parent.Server, from, asked(c.Query))
		if err != nil {
			return api.Document[T]{}, err
		}
		links := o.Router.Links(fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/logs/%s", c.Parent.Slug, c.Parent.Server.ID, c.Parent.Site.ID, kind))
		return api.Document[T]{Data: resource(strconv.FormatInt(c.Parent.Site.ID, 10), text(page), links, metaOf(page)), Meta: meta}, nil
	})
	api.WriteEmpty(o.Router, api.Operation{
		ID: id.destroy, Method: http.MethodDelete, Path: path, Tag: "Sites", Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		Before:      "/orgs/{organization}/sites/{site}",
		ChangesHost: true, Noun: id.noun, Verb: "clear", Summary: "Empty " + name,
	}, o.Sites.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Empty, error) {
		var err error
		if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
			return api.Empty{}, err
		}
		accepted, err := o.Queue.Begin(ctx, tx, job.Work{
			Grant: c.Parent.Grant, ServerID: c.Parent.Server.ID, SiteID: c.Parent.Site.ID,
			Ready: c.Parent.Server.IsReady, Aspect: job.Beside(Aspect, c.Parent.Site.ID),
			Resource: "siteLogs", ResourceID: c.Parent.Site.ID, Action: "clear", Description: "Clearing " + strings.TrimSuffix(name,
				" of a site") + " of " + c.Parent.Site.Name, RanAs: "root", Lasting: true, Request: request{Log: kind}, Within: deadline,
		})
		return api.Empty{Event: accepted.EventID}, err
	})
	api.Stream(o.Router, api.Operation{
		ID: id.stream, Method: http.MethodGet, Path: path + "/stream", Tag: "Sites", Mode: api.Sync, Permissions: manage, Query: logParams[1:2], Extension: true,
		Noun: id.noun, Summary: "Follow " + name, Description: "Server-sent events: log contains lines, state is why there are none. Last-Event-ID resumes a stream.",
	}, o.Sites.InPath, func(ctx context.Context, current api.Current[site.Path], last string, send api.Send) error {
		return o.follow(ctx, current, kind, last, send)
	})
}

func (o *Operations) inPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	parent, err := o.Servers.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	return Path{Path: parent, Key: path.Slug("key")}.find()
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[serverResource], error) {
	page, err := o.ask(ctx, c.Parent.Server, c.Parent.source, asked(c.Query))
	if err != nil {
		return api.Document[serverResource]{}, err
	}
	return api.Document[serverResource]{Meta: ServerLogMeta{Log: c.Parent.Key}, Data: serverResource{
		ID:         c.Parent.Key,
		Attributes: ServerLogAttributes{text(page)}, Meta: metaOf(page),
		Links: o.Router.Links(fmt.Sprintf("/orgs/%s/servers/%d/logs/%s", c.Parent.Slug, c.Parent.Server.ID, c.Parent.Key)),
	}}, nil
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	if c.Parent.source.files == nil {
		return api.Empty{}, api.Conflict("This log is kept in the system's journal and can't be cleared.")
	}
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: c.Parent.Grant, ServerID: c.Parent.Server.ID, Ready: c.Parent.Server.IsReady,
		Aspect:   job.Beside(Aspect, 0),
		Resource: "serverLogs", ResourceID: c.Parent.Server.ID, Action: "clear", Description: "Clearing the log " + c.Parent.Key, RanAs: "root", Lasting: true,
		Request: request{Log: c.Parent.Key}, Within: deadline,
	})
	return api.Empty{Event: accepted.EventID}, err
}

// asked returns the query of a log. An invalid value counts as omitted.
func asked(param func(string) string) wire.LogQuery {
	q := wire.LogQuery{Lines: defaultLines, Search: param("search")}
	if n, err := strconv.Atoi(param("lines")); err == nil && n > 0 {
		q.Lines = min(n, maxLines)
	}
	if n, err := strconv.ParseInt(param("before"), 10, 64); err == nil && n > 0 {
		q.Before = n
	}
	q.Search = strings.ToValidUTF8(q.Search[:min(len(q.Search), maxSearch)], "")
	return q
}

// ask reads a log. What is between us and the server is a 409: the log is neither there nor empty, it is not known.
func (r *Reader) ask(ctx context.Context, row query.Server, from source, q wire.LogQuery) (wire.LogPage, error) {
	if !row.IsReady {
		return wire.LogPage{}, api.Conflict("The server is not set up yet.")
	}
	target, err := r.Targets.Target(row)
	if err != nil {
		return wire.LogPage{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	q.Files, q.Unit = from.files, from.unit
	page, err := r.Hosts.Log(ctx, target, q)
	switch reason := host.Reason(err); {
	case reason != "":
		return page, api.Conflict("The log can't be read: %s.", strings.TrimSuffix(reason, "."))
	case errors.Is(err, context.DeadlineExceeded):
		return page, api.Conflict("The log can't be read: the server did not answer within %s.", askWithin)
	}
	return page, err
}

// text returns a page as text: what is none in it is replaced.
func text(page wire.LogPage) string { return strings.ToValidUTF8(string(page.Content), "\uFFFD") }

func metaOf(page wire.LogPage) *api.Meta {
	return &api.Meta{Own: []any{Meta{LogMeta{Path: page.Path, Start: page.Start, End: page.End, More: page.More}}}}
}
