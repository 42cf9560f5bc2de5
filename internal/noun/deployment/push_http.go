package deployment

import (
	"context"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// PushDeliveryAttributes are what a Git server sent to a site's push address.
type PushDeliveryAttributes struct {
	Sender       string   `json:"sender" doc:"github, gitlab, gitea, forgejo, gogs, gitee, bitbucket or unknown, by the headers of the request."`
	Event        string   `json:"event" doc:"The sender's name of the event."`
	Branch       string   `json:"branch" doc:"Empty if none was named."`
	CommitHash   string   `json:"commit_hash" doc:"Empty if none was named."`
	Verdict      string   `json:"verdict" enum:"deployed,ignored,refused" doc:"refused: the signature is wrong; only the newest of these is kept."`
	Reason       string   `json:"reason" doc:"Why nothing was deployed; empty if the site was deployed."`
	DeploymentID *int64   `json:"deployment_id" doc:"The deployment that the push started."`
	CreatedAt    api.Time `json:"created_at"`
}

// ResourceType returns pushDeliveries.
func (PushDeliveryAttributes) ResourceType() string { return "pushDeliveries" }

// Unlinked marks resources without links.
func (PushDeliveryAttributes) Unlinked() {}

// PushDeliveryResource is a delivery in a document.
type PushDeliveryResource = api.Resource[PushDeliveryAttributes, api.NoRelationships]

func (o *Operations) registerPushes() {
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.pushes.index", Method: http.MethodGet, Path: many + "/pushes", Tag: "Deployments", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Extension: true, Noun: "pushes", Summary: "List pushes to a site",
		Description: "What Git servers sent to the site's push address lately, at most 50, each with its verdict and the reason.",
		Sorts:       []string{"created_at"},
	}, o.Store.Sites.InPath, func(ctx context.Context, c api.Call[site.Path]) (api.Collection[PushDeliveryResource], error) {
		return api.Paged(ctx, o.Store.DB.Reader(), c.List.Of("push_deliveries", db.Equal("site_id", c.Parent.Site.ID)), deliveries)
	})
}

func deliveries(rows ...query.PushDelivery) ([]PushDeliveryResource, error) {
	out := make([]PushDeliveryResource, len(rows))
	for i, r := range rows {
		out[i] = PushDeliveryResource{ID: strconv.FormatInt(r.ID, 10), Attributes: PushDeliveryAttributes{
			Sender: r.Sender, Event: r.Event, Branch: r.Branch, CommitHash: r.CommitHash, Verdict: r.Verdict, Reason: r.Reason, DeploymentID: r.DeploymentID,
			CreatedAt: api.TimeOf(r.CreatedAt),
		}}
	}
	return out, nil
}
