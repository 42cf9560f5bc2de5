package deployment

import (
	"context"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/deployment/cause"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// DeploymentAttributes are the attributes of a deployment.
type DeploymentAttributes struct {
	Commit    Commit       `json:"commit"`
	Type      string       `json:"type"`
	Status    string       `json:"status" enum:"cancelled,deploying,failed,failed-build,finished,pending,queued"`
	StartedAt api.NullTime `json:"started_at" doc:"Null while queued."`
	EndedAt   api.NullTime `json:"ended_at" doc:"Null until the deployment ends."`
	CreatedAt api.Time     `json:"created_at"`
	UpdatedAt api.Time     `json:"updated_at"`
}

// Commit is what a deployment deploys.
type Commit struct {
	Hash    *string `json:"hash"`
	Author  *string `json:"author"`
	Message *string `json:"message"`
	Branch  *string `json:"branch"`
}

// ResourceType returns deployments.
func (DeploymentAttributes) ResourceType() string { return "deployments" }

// Metas are what the meta of these resources has besides.
func (DeploymentAttributes) Metas() []any { return []any{Meta{}} }

// Unlinked marks resources without links.
func (DeploymentAttributes) Unlinked() {}

// Resource is a deployment in a document.
type Resource = api.Resource[DeploymentAttributes, DeploymentRelationships]

// DeploymentRelationships are a deployment's relationships.
type DeploymentRelationships struct {
	Site      api.ToOne[site.SiteAttributes]    `json:"site"`
	Initiator api.ToOne[account.UserAttributes] `json:"initiator"`
}

// Meta is what deployments add to meta.
type Meta struct {
	Deployment DeploymentMeta `json:"deployment"`
}

// DeploymentMeta describes a deployment beyond its attributes.
type DeploymentMeta struct {
	Cause *cause.Cause `json:"cause,omitempty"`
}

// Resources makes the documents of deployments.
func Resources(ctx context.Context, q query.DBTX, rows ...query.Deployment) ([]Resource, error) {
	return job.Described(ctx, q, rows, func(row query.Deployment) *int64 { return row.OperationID }, func(row query.Deployment, meta *api.Meta) Resource {
		initiator := int64(0)
		if row.InitiatorID != nil {
			initiator = *row.InitiatorID
		}
		return Resource{
			ID: strconv.FormatInt(row.ID, 10), Meta: meta,
			Attributes: DeploymentAttributes{
				Commit: Commit{Hash: row.CommitHash, Author: row.CommitAuthor, Message: row.CommitMessage, Branch: row.CommitBranch},
				Type:   row.Type, Status: row.Status, StartedAt: api.NullTimeOf(row.StartedAt), EndedAt: api.NullTimeOf(row.EndedAt),
				CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt),
			},
			Relationships: &DeploymentRelationships{Site: api.One[site.SiteAttributes](row.SiteID), Initiator: api.One[account.UserAttributes](initiator)},
		}
	})
}

// Latest is the newest deployment of each site, which answers about sites can include.
func Latest() site.Child {
	return site.Child{Name: "latestDeployment", Resource: Resource{}, Print: func(ctx context.Context, q query.DBTX, sites []site.Path) ([]any, error) {
		projects, err := db.All[query.Project](ctx, q, "projects", db.Equal("site_id", site.IDs(sites)...))
		if err != nil {
			return nil, err
		}
		var latest []any
		for _, p := range projects {
			if p.LatestDeploymentID != nil {
				latest = append(latest, *p.LatestDeploymentID)
			}
		}
		if len(latest) == 0 {
			return nil, nil
		}
		rows, err := db.All[query.Deployment](ctx, q, "deployments", db.Equal("id", latest...))
		if err != nil {
			return nil, err
		}
		found, err := Resources(ctx, q, rows...)
		out := make([]any, len(found))
		for i, r := range found {
			out[i] = r
		}
		return out, err
	}}
}
