package vhost

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// VhostText returns the file of a domain as users read and write it: what the server should have after the included work, nil
// while the domain is not served. ours omits a user's changes. A job.PlanError is why there can be none: rows and facts
// contradict each other, or a user's version conflicts with our changes.
func (c *Converger) VhostText(ctx context.Context, q *query.Granted, srv query.Server, d query.Domain, ours bool, included []query.Operation) (*string, error) {
	desired, err := c.one(ctx, q.Ungranted(), srv, d.SiteID, included)
	if err != nil || desired.Gone {
		return nil, err
	}
	for _, v := range desired.Vhosts {
		if v.Domain.ID != d.ID || v.Gone {
			continue
		}
		if ours {
			v.Domain.Nginx, v.Domain.NginxBase = nil, nil
		}
		v.Shown = true
		desired.Vhosts = []Vhost{v}
		change, err := ChangeOf(server.FactsOf(srv), srv, []Desired{desired})
		if err != nil {
			return nil, job.Planned(err)
		}
		for _, step := range change.Steps {
			if step.File != nil && step.File.Path == DomainFile(v.Domain) && !step.File.Absent {
				text := string(step.File.Content)
				return &text, nil
			}
		}
	}
	return nil, nil
}
