package site

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/limits"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// LimitsRequest is what requests say of how much of its server a site may use.
type LimitsRequest struct {
	Limits *limits.LimitValues `json:"limits,omitempty" ours:"true"`
}

// readLimits reads how much of its server a site is to use. now is what it has, nil for a site that never had limits: it stays so until it is given one.
func readLimits(f api.Fields, kind string, srv query.Server, now *render.Limits, asked *limits.LimitValues) *render.Limits {
	if asked == nil {
		return now
	}
	next, ok := limits.Read(f, "limits", server.FactsOf(srv).MemoryBytes, *asked)
	if !ok || next == (render.Limits{}) && now == nil {
		return now
	}
	if kind == sitetype.Balancer {
		f.Add("limits", "A site on a load balancer runs nothing of its own.")
	}
	return &next
}

// firstLimits returns the limits of a new site, and those that its organization has for new sites, nil for none. The latter are
// checked where they count: a server may be too small for them.
func firstLimits(ctx context.Context, tx *db.Tx, f api.Fields, kind string, p server.Path, asked *limits.LimitValues) (first, usual *render.Limits, err error) {
	org, err := tx.GetOrganization(ctx, p)
	if err != nil {
		return nil, nil, fmt.Errorf("read organization: %w", err)
	}
	usual = limits.Parse(org.SiteLimits)
	if asked != nil {
		return readLimits(f, kind, p.Server, nil, asked), usual, nil
	}
	if usual != nil {
		limits.Check(f, "limits", server.FactsOf(p.Server).MemoryBytes, *usual)
	}
	return usual, usual, nil
}

func limitsOf(row query.Site) *render.Limits { return limits.Parse(row.Limits) }

// Moves reports whether a change of a specification has to start all that runs for the site once more: a process stays in its slice, and with the number of
// files that it may open.
func (s Specification) Moves(before Specification) bool {
	if s.Limits == nil || before.Limits == nil {
		return s.Limits != before.Limits
	}
	return s.Limits.OpenFiles != before.Limits.OpenFiles
}

// ShareOf returns what units of a site may use of its server.
func ShareOf(row query.Site) render.Share {
	l := limitsOf(row)
	if l == nil {
		return render.Share{}
	}
	return render.Share{Slice: render.SiteSlice(row.ID), OpenFiles: l.OpenFiles}
}

// Slices returns the slices of a site with their texts, none for a site that never had limits.
func Slices(row query.Site) (map[string]string, error) {
	l := limitsOf(row)
	if l == nil {
		return nil, nil
	}
	out := map[string]string{}
	for slice, title := range map[string]string{render.SiteSlice(row.ID): row.Name, render.BuildSlice(row.ID): "deployments of " + row.Name} {
		text, err := l.Slice(title)
		if err != nil {
			return nil, fmt.Errorf("limits of site %d: %w", row.ID, err)
		}
		out[slice] = text
	}
	return out, nil
}

// SizeLimit returns how much the directory of a site may hold, nil for as much as there is, and whether the site ever had limits.
func SizeLimit(row query.Site) (limit *wire.SizeLimit, limited bool, err error) {
	l := limitsOf(row)
	if l == nil || l.DiskMax == 0 {
		return nil, l != nil, nil
	}
	base, err := Base(row)
	return &wire.SizeLimit{Directory: base.String(), Megabytes: l.DiskMax}, true, err
}

// Connections returns how many requests of a site are answered at once, 0 for as many as come, and whether the site ever had limits.
func Connections(row query.Site) (most int64, limited bool) {
	l := limitsOf(row)
	if l == nil {
		return 0, false
	}
	return l.Connections, true
}

// Fits returns the arguments of wire.FitsMode for a site, nil for one that may use as much memory and as many tasks as there are.
func Fits(row query.Site) []string {
	l := limitsOf(row)
	if l == nil || l.MemoryMax == 0 && l.MemoryMaxPercent == 0 && l.TasksMax == 0 {
		return nil
	}
	memory := strconv.FormatInt(l.MemoryMax, 10)
	if l.MemoryMaxPercent > 0 {
		memory = strconv.FormatInt(l.MemoryMaxPercent, 10) + "%"
	}
	return []string{render.SiteSlice(row.ID), memory, strconv.FormatInt(l.TasksMax, 10)}
}

// LimitsMeta is how much of its server a site may use, in the meta of its documents.
type LimitsMeta struct {
	Limits limits.LimitsInForce `json:"limits" doc:"How much of its server all that runs for the site may use."`
}
