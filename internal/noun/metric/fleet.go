package metric

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// FleetMetricAttributes are what the servers of an organization measured of themselves, averaged over steps of time, and over the servers.
type FleetMetricAttributes struct {
	Range           string        `json:"range" enum:"1h,24h,7d,30d"`
	From            api.Time      `json:"from" doc:"The beginning of the first step."`
	Until           api.Time      `json:"until" doc:"The end of the last step, which may still be in progress."`
	Step            int64         `json:"step" doc:"The length of a step, in seconds."`
	CPU             []*float64    `json:"cpu" nullable:"false"`
	CPULoad         []*float64    `json:"cpu_load" nullable:"false" doc:"Like cpu."`
	UsedMemory      []*float64    `json:"used_memory" nullable:"false" doc:"Like cpu."`
	Disk            []*float64    `json:"disk" nullable:"false" doc:"Like cpu."`
	NetworkReceived []*float64    `json:"network_received" nullable:"false" doc:"Bytes per second, summed over all servers."`
	NetworkSent     []*float64    `json:"network_sent" nullable:"false" doc:"Bytes per second, summed over all servers."`
	Servers         []FleetServer `json:"servers" nullable:"false" doc:"The servers with measurements, by name."`
}

// ResourceType returns fleetMetrics.
func (FleetMetricAttributes) ResourceType() string { return "fleetMetrics" }

// FleetServer is what is shown of one server among many.
type FleetServer struct {
	ServerID int64      `json:"server_id"`
	Name     string     `json:"name"`
	CPU      []*float64 `json:"cpu" nullable:"false" doc:"Percent, to one decimal place."`
}

// FleetResource is the metrics of a fleet in a document.
type FleetResource = api.Resource[FleetMetricAttributes, api.NoRelationships]

// fleetSpans are coarser than those of one server: 60 steps at most, and all but the hour by half hours.
var fleetSpans = map[string]span{
	"1h":  {60, 2, byMinute},
	"24h": {24 * 60, 30, byHalfHour},
	"7d":  {7 * 24 * 60, 4 * 60, byHalfHour},
	"30d": {30 * 24 * 60, 12 * 60, byHalfHour},
}

// maxFleet limits how many servers are read at once: those that were added first.
const maxFleet = 1000

func (o *Operations) registerFleet() {
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.metrics.fleet", Method: http.MethodGet, Path: "/orgs/{organization}/servers/metrics", Tag: "Monitors", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Extension: true, Invalid: true, Noun: "server-metrics",
		Summary:     "Get the metrics of all servers",
		Description: "Covers the servers that the caller can see and that are not archived, limited to the first 1000 added.",
		Query: []api.Param{{
			Name: "range", Type: "string",
			Description: "1h, 24h (the default), 7d or 30d, with steps of 2 minutes, 30 minutes, 4 hours and 12 hours.",
		}},
	}, o.Servers.Organizations.InPath, o.fleet)
}

func (o *Operations) fleet(ctx context.Context, c api.Call[organization.Path]) (api.Document[FleetResource], error) {
	var none api.Document[FleetResource]
	name, asked, err := spanOf(c.Query("range"), fleetSpans)
	if err != nil {
		return none, err
	}
	from, until := asked.ends(minuteOf(o.DB.Clock.Now().UnixMicro()))
	fleet, err := readFleet(ctx, o.DB, c.Parent.Grant, asked, from)
	if err != nil {
		return none, err
	}
	a := FleetMetricAttributes{Range: name, From: api.TimeOf(microsOf(from)), Until: api.TimeOf(microsOf(until)), Step: asked.step * 60, Servers: fleet.servers}
	lists := [...]*[]*float64{
		wire.MetricCPU: &a.CPU, wire.MetricLoad: &a.CPULoad, wire.MetricMemory: &a.UsedMemory, wire.MetricDisk: &a.Disk,
		wire.MetricReceived: &a.NetworkReceived, wire.MetricSent: &a.NetworkSent,
	}
	for metric, list := range lists {
		*list = make([]*float64, len(fleet.all))
		for i := range fleet.all {
			if (*list)[i] = fleet.all[i].of(metric); (*list)[i] != nil && (metric == wire.MetricReceived || metric == wire.MetricSent) {
				(*list)[i] = new(math.Round(fleet.all[i].sum[metric]))
			}
		}
	}
	return api.Document[FleetResource]{Data: FleetResource{
		ID: strconv.FormatInt(c.Parent.OrganizationID, 10), Attributes: a,
		Links: o.Router.Links("/orgs/" + c.Parent.Slug + "/servers/metrics"),
	}}, nil
}

// fleet is what servers measured: together, in steps, and each.
type fleet struct {
	all     []mean
	servers []FleetServer
}

// readFleet reads the steps since a minute of the servers that a caller sees, in two queries however many these are.
func readFleet(ctx context.Context, d *db.DB, g access.Grant, asked span, from int64) (fleet, error) {
	type named struct {
		ID   int64  `db:"id"`
		Name string `db:"name"`
	}
	steps := asked.minutes / asked.step
	out := fleet{all: make([]mean, steps), servers: []FleetServer{}}
	rows, err := db.All[named](ctx, d.Reader(), "servers", server.Attended(g))
	if err != nil || len(rows) == 0 {
		return out, err
	}
	rows = rows[:min(len(rows), maxFleet)]
	ids := make([]any, len(rows))
	of := make(map[int64][]mean, len(rows))
	for i, s := range rows {
		ids[i] = s.ID
	}
	metrics, err := db.All[query.Metric](ctx, d.Reader(), "metrics", db.Equal("server_id", ids...), db.Equal("step", asked.tier.step),
		db.Cond{SQL: "starts_at >= ? AND starts_at <= ?", Args: []any{microsOf(asked.tier.start(from)), microsOf(from + asked.minutes)}})
	if err != nil {
		return out, fmt.Errorf("read metrics of %d servers: %w", len(rows), err)
	}
	var c chunk
	for _, r := range metrics {
		if of[r.ServerID] == nil {
			of[r.ServerID] = make([]mean, steps)
		}
		asked.spread(row{r.StartsAt, r.Packed}, wire.Metrics, from, of[r.ServerID], &c)
	}
	slices.SortStableFunc(rows, func(a, b named) int { return strings.Compare(a.Name, b.Name) })
	for _, s := range rows {
		one := FleetServer{ServerID: s.ID, Name: s.Name, CPU: make([]*float64, steps)}
		measured := false
		for i, m := range of[s.ID] {
			out.all[i].add(m.values(wire.Metrics))
			measured = measured || m != (mean{})
			if v := m.of(wire.MetricCPU); v != nil {
				one.CPU[i] = new(math.Round(10**v) / 10)
			}
		}
		if measured {
			out.servers = append(out.servers, one)
		}
	}
	return out, nil
}
