package server

import (
	"context"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// ServerDriftAttributes are what differs between a server and its rows.
type ServerDriftAttributes struct {
	Differences []DriftDifference `json:"differences" nullable:"false"`
	CheckedAt   api.Time          `json:"checked_at"`
}

// DriftDifference is one thing that is not as planned.
type DriftDifference struct {
	Step string `json:"step"`
	Path string `json:"path"`
	What string `json:"what"`
	Diff string `json:"diff" doc:"A diff from the server's content to the planned one; empty for secrets."`
	Kept bool   `json:"kept" doc:"Whether a repair only reports the difference without fixing it: lost data and manual changes."`
}

// ResourceType returns serverDrifts.
func (ServerDriftAttributes) ResourceType() string { return "serverDrifts" }

// DriftResource is the drift of a server in a document.
type DriftResource = api.Resource[ServerDriftAttributes, api.NoRelationships]

// Drifter compares a server with what it should be.
type Drifter interface {
	Drift(ctx context.Context, server query.Server) ([]wire.Difference, error)
	// Compared asks the server now; the error is one for the caller where it can't be compared.
	Compared(ctx context.Context, server query.Server) ([]wire.Difference, error)
}

func (o *Operations) registerDrift() {
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.drift.show", Method: http.MethodGet, Path: "/orgs/{organization}/servers/{server}/drift", Tag: "Servers", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Extension: true, Conflict: true, Summary: "Get the drift of a server",
		Description: "Compares the server with its records, without changing anything. 409 while the server is not set up or can't be reached.",
	}, o.Store.InPath, o.drift)
}

func (o *Operations) drift(ctx context.Context, c api.Call[Path]) (api.Document[DriftResource], error) {
	var none api.Document[DriftResource]
	row := c.Parent.Server
	if !row.IsReady {
		return none, api.Conflict("The server is not set up yet.")
	}
	found, err := o.Drifter.Compared(ctx, row)
	if err != nil {
		return none, err
	}
	id := strconv.FormatInt(row.ID, 10)
	a := ServerDriftAttributes{Differences: []DriftDifference{}, CheckedAt: api.TimeOf(o.Store.DB.Clock.Now().UnixMicro())}
	for _, d := range found {
		a.Differences = append(a.Differences, DriftDifference{Step: d.Step, Path: d.Path, What: d.What, Diff: d.Diff, Kept: d.Kept})
	}
	return api.Document[DriftResource]{Data: DriftResource{
		ID: id, Attributes: a,
		Links: o.Router.Links("/orgs/" + c.Parent.Slug + "/servers/" + id + "/drift"),
	}}, nil
}
