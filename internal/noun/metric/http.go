package metric

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// MetricAttributes are what a server measured of itself, averaged over steps of time. Each list has a value for each step, the oldest first.
type MetricAttributes struct {
	Range           string     `json:"range" enum:"1h,24h,7d,30d"`
	From            api.Time   `json:"from" doc:"The beginning of the first step."`
	Until           api.Time   `json:"until" doc:"The end of the last step, which may still be in progress."`
	Step            int64      `json:"step" doc:"The length of a step, in seconds."`
	CPU             []*float64 `json:"cpu" nullable:"false"`
	CPULoad         []*float64 `json:"cpu_load" nullable:"false" doc:"The one-minute load average per CPU, in percent."`
	UsedMemory      []*float64 `json:"used_memory" nullable:"false" doc:"The percentage of memory that is not available to programs."`
	Disk            []*float64 `json:"disk" nullable:"false" doc:"The percentage of the disk of / that is in use."`
	NetworkReceived []*float64 `json:"network_received" nullable:"false" doc:"Bytes per second."`
	NetworkSent     []*float64 `json:"network_sent" nullable:"false" doc:"Bytes per second."`
	Marks           []Mark     `json:"marks" nullable:"false" doc:"What happened during this time: the newest 200, oldest first."`
}

// ResourceType returns metrics.
func (MetricAttributes) ResourceType() string { return "metrics" }

// Mark is what happened on a server, or to a site, at a time.
type Mark struct {
	Kind        string   `json:"kind" enum:"deployment,reboot,drift"`
	At          api.Time `json:"at"`
	EventID     int64    `json:"event_id"`
	Description string   `json:"description"`
}

// Resource is metrics in a document.
type Resource = api.Resource[MetricAttributes, api.NoRelationships]

// SiteMetricAttributes are what a site was asked, by its access log, and what one with limits used, averaged over steps of time. Each
// list has a value for each step, the oldest first.
type SiteMetricAttributes struct {
	Range        string     `json:"range" enum:"1h,24h,7d,30d"`
	From         api.Time   `json:"from" doc:"The beginning of the first step."`
	Until        api.Time   `json:"until" doc:"The end of the last step, which may still be in progress."`
	Step         int64      `json:"step" doc:"The length of a step, in seconds."`
	Requests     []*float64 `json:"requests" nullable:"false"`
	ClientErrors []*float64 `json:"client_errors" nullable:"false" doc:"Requests per minute answered with 400 to 499."`
	ServerErrors []*float64 `json:"server_errors" nullable:"false" doc:"Requests per minute answered with 500 to 599."`
	Memory       []*float64 `json:"memory" nullable:"false" doc:"MB that a site with limits used, with what its programs have read of files."`
	CPU          []*float64 `json:"cpu" nullable:"false" doc:"Percent of one processor that a site with limits used."`
	Tasks        []*float64 `json:"tasks" nullable:"false" doc:"Processes and threads of a site with limits."`
	Marks        []Mark     `json:"marks" nullable:"false" doc:"Deployments of the site and reboots of its server during this time: the newest 200, oldest first."`
}

// ResourceType returns siteMetrics.
func (SiteMetricAttributes) ResourceType() string { return "siteMetrics" }

// SiteResource is the metrics of a site in a document.
type SiteResource = api.Resource[SiteMetricAttributes, api.NoRelationships]

// span is a time that can be asked for.
type span struct {
	minutes, step int64
	tier          tier
}

var spans = map[string]span{
	"1h":  {60, 1, byMinute},
	"24h": {24 * 60, 5, byMinute},
	"7d":  {7 * 24 * 60, 30, byHalfHour},
	"30d": {30 * 24 * 60, 120, byHalfHour},
}

// Operations are the operations on metrics.
type Operations struct {
	DB      *db.DB
	Servers *server.Store
	Sites   *site.Store
	Router  *api.Router
}

var ranges = []api.Param{{Name: "range", Type: "string", Description: "1h, 24h (the default), 7d or 30d, with steps of 1, 5, 30 and 120 minutes."}}

// Register adds the operations.
func (o *Operations) Register() {
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.metrics.show", Method: http.MethodGet, Path: "/orgs/{organization}/servers/{server}/metrics", Tag: "Monitors", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Extension: true, Invalid: true, Noun: "server-metrics",
		Summary:     "Get the metrics of a server",
		Description: "The server measures every minute, whether or not Hostler can reach it, and keeps measurements for a week until Hostler reads them.",
		Query:       ranges,
	}, o.Servers.InPath, o.show)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.metrics.show", Method: http.MethodGet, Path: "/orgs/{organization}/servers/{server}/sites/{site}/metrics", Tag: "Sites",
		Mode: api.Sync, Permissions: []access.Permission{access.ServerView}, Extension: true, Invalid: true, Noun: "site-metrics",
		Summary: "Get the metrics of a site",
		Description: "Returns requests and errors, which are counted every minute in the site's access log on its server, whether or not Hostler can reach it; " +
			"of a site with limits also what it used, as far as the server's kernel counts that.",
		Query: ranges,
	}, o.Sites.InPath, o.showSite)
	o.registerFleet()
}

// spanOf returns the span of a name, 24h for none.
func spanOf(name string, of map[string]span) (string, span, error) {
	if name == "" {
		name = "24h"
	}
	asked, ok := of[name]
	if !ok {
		return name, asked, api.Invalid("range", "The range must be 1h, 24h, 7d or 30d.")
	}
	return name, asked, nil
}

// ends returns the minutes in which a span begins and ends. Its last step has the minute that it is now.
func (s span) ends(now int64) (from, until int64) {
	until = now - now%s.step + s.step
	return until - s.minutes, until
}

// spread adds the values of a row to the steps since a minute that they are in. It uses the memory of c.
func (s span) spread(r row, metrics int, from int64, steps []mean, c *chunk) {
	c.unpack(s.tier, metrics, r.packed)
	for i := range s.tier.steps {
		at := minuteOf(r.startsAt) + i*s.tier.step - from
		if at >= 0 && at < s.minutes {
			steps[at/s.step].add(c.at(i))
		}
	}
}

func (o *Operations) show(ctx context.Context, c api.Call[server.Path]) (api.Document[Resource], error) {
	name, asked, err := spanOf(c.Query("range"), spans)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	srv := c.Parent.Server
	from, until := asked.ends(minuteOf(o.DB.Clock.Now().UnixMicro()))
	steps, err := read(ctx, o.DB.Read(), ofServer(srv), asked, from)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	a := MetricAttributes{Range: name, From: api.TimeOf(microsOf(from)), Until: api.TimeOf(microsOf(until)), Step: asked.step * 60}
	average(steps, []*[]*float64{
		wire.MetricCPU: &a.CPU, wire.MetricLoad: &a.CPULoad, wire.MetricMemory: &a.UsedMemory, wire.MetricDisk: &a.Disk,
		wire.MetricReceived: &a.NetworkReceived, wire.MetricSent: &a.NetworkSent,
	})
	if a.Marks, err = marks(ctx, o.DB.Read(), srv, microsOf(from), microsOf(until)); err != nil {
		return api.Document[Resource]{}, err
	}
	return api.Document[Resource]{Data: Resource{
		ID: strconv.FormatInt(srv.ID, 10), Attributes: a,
		Links: o.Router.Links(fmt.Sprintf("/orgs/%s/servers/%d/metrics", c.Parent.Slug, srv.ID)),
	}}, nil
}

func (o *Operations) showSite(ctx context.Context, c api.Call[site.Path]) (api.Document[SiteResource], error) {
	var none api.Document[SiteResource]
	name, asked, err := spanOf(c.Query("range"), spans)
	if err != nil {
		return none, err
	}
	from, until := asked.ends(minuteOf(o.DB.Clock.Now().UnixMicro()))
	steps, err := read(ctx, o.DB.Read(), ofSite(c.Parent.Site), asked, from)
	if err != nil {
		return none, err
	}
	a := SiteMetricAttributes{Range: name, From: api.TimeOf(microsOf(from)), Until: api.TimeOf(microsOf(until)), Step: asked.step * 60}
	average(steps, []*[]*float64{
		wire.SiteRequests: &a.Requests, wire.SiteClientErrors: &a.ClientErrors, wire.SiteServerErrors: &a.ServerErrors,
		wire.SiteMemory: &a.Memory, wire.SiteCPU: &a.CPU, wire.SiteTasks: &a.Tasks,
	})
	rows, err := o.DB.Read().ListSiteMarks(ctx, c.Parent.Site, microsOf(from), microsOf(until))
	if err != nil {
		return none, fmt.Errorf("read what happened to site %d: %w", c.Parent.Site.ID, err)
	}
	a.Marks = make([]Mark, len(rows))
	for i, r := range rows {
		a.Marks[len(rows)-1-i] = Mark{Kind: r.Kind, At: api.TimeOf(r.CreatedAt), EventID: r.ID, Description: r.Description}
	}
	return api.Document[SiteResource]{Data: SiteResource{
		ID: strconv.FormatInt(c.Parent.Site.ID, 10), Attributes: a,
		Links: o.Router.Links(fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/metrics", c.Parent.Slug, c.Parent.Server.ID, c.Parent.Site.ID)),
	}}, nil
}

// average writes the averages of each metric to its list.
func average(steps []mean, lists []*[]*float64) {
	for i, list := range lists {
		*list = make([]*float64, len(steps))
		for at := range steps {
			(*list)[at] = steps[at].of(i)
		}
	}
}

// read returns the averages of each step since a minute.
func read(ctx context.Context, q *query.Granted, of subject, asked span, from int64) ([]mean, error) {
	steps := make([]mean, asked.minutes/asked.step)
	rows, err := of.list(ctx, q, asked.tier.step, microsOf(asked.tier.start(from)), microsOf(from+asked.minutes))
	if err != nil {
		return nil, fmt.Errorf("read metrics of %s: %w", of, err)
	}
	var c chunk
	for _, r := range rows {
		asked.spread(r, of.metrics(), from, steps, &c)
	}
	return steps, nil
}

func marks(ctx context.Context, q *query.Granted, srv query.Server, from, until int64) ([]Mark, error) {
	rows, err := q.ListServerMarks(ctx, srv, from, until)
	if err != nil {
		return nil, fmt.Errorf("read what happened on server %d: %w", srv.ID, err)
	}
	out := make([]Mark, len(rows))
	for i, r := range rows {
		out[len(rows)-1-i] = Mark{Kind: r.Kind, At: api.TimeOf(r.CreatedAt), EventID: r.ID, Description: r.Description}
	}
	return out, nil
}
