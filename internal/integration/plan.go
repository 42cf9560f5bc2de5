package integration

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/site"
	"github.com/hostlerhq/hostler/internal/value"
)

// resource is the type of the work that makes nginx know of an integration.
const resource = "integrations"

// Types are the types of resources that the work of Part is about.
func Types() []string { return []string{resource} }

// Part is what integrations need in the vhosts of their sites.
type Part struct{}

const reverbFile = "30-reverb"

// Steps hand the paths of a server of WebSockets to it.
func (Part) Steps(ctx context.Context, q *query.Queries, d site.Desired, _ job.Pending) (steps, late []wire.Step, err error) {
	if !site.HasPHP(d.Site.Type) {
		return nil, nil, nil
	}
	path, name := site.IncludePath(d.Site.ID, reverbFile), "WebSockets of "+d.Site.Name
	row, err := q.GetIntegration(ctx, d.Site.ID, reverb)
	if errors.Is(err, db.ErrNotFound) || d.Gone {
		return []wire.Step{site.Absent(name, path)}, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read integration: %w", err)
	}
	port, err := value.ParsePort(strconv.FormatInt(read(row).Port, 10))
	if err != nil {
		return nil, nil, job.Planned(err)
	}
	text, err := render.NginxReverb(port)
	if err != nil {
		return nil, nil, job.Planned(err)
	}
	return []wire.Step{site.File(name, path, text)}, nil, nil
}

// Settle has nothing to write: whether an integration is on is told by its process.
func (Part) Settle(context.Context, *db.Tx, query.Operation, bool) error { return nil }

// Resume has nothing to write either.
func (Part) Resume(context.Context, *db.Tx, query.Operation) error { return nil }

// Programs are those of the integrations of a server's sites, by site. Where two sites were given one port before that was refused, it belongs to the
// first of them only.
func Programs(ctx context.Context, q *query.Queries, serverID int64) (map[int64]site.Program, error) {
	claims, err := q.ListServerPortClaims(ctx, serverID)
	if err != nil {
		return nil, fmt.Errorf("list ports of sites: %w", err)
	}
	rows, err := q.ListServerIntegrations(ctx, serverID)
	if err != nil {
		return nil, fmt.Errorf("list integrations: %w", err)
	}
	owner := map[int64]int64{}
	for _, c := range claims {
		owner[c.Port] = c.SiteID
	}
	out := map[int64]site.Program{}
	for _, row := range rows {
		port, p := read(row).Port, out[row.SiteID]
		if row.Kind == octane {
			p.Octane = port
		}
		if row.Kind == octane || row.Kind == reverb {
			if port != 0 && !site.ReservedPort(port) && owner[port] == 0 {
				owner[port] = row.SiteID
			}
			if port != 0 && !site.ReservedPort(port) && owner[port] == row.SiteID {
				p.Ports = append(p.Ports, port)
			}
			out[row.SiteID] = p
		}
	}
	return out, nil
}
