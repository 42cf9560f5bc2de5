package site

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
)

// Relationships of a site: the shapes are the contract's, and are here since sites include them.

// DeploymentAttributes are the attributes of a deployment.
type DeploymentAttributes struct {
	Commit    Commit       `json:"commit"`
	Type      string       `json:"type"`
	Status    string       `json:"status" enum:"cancelled,deploying,failed,failed-build,finished,pending,queued"`
	StartedAt api.NullTime `json:"started_at" doc:"Null while queued."`
	EndedAt   api.NullTime `json:"ended_at" doc:"Null until it ended."`
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

// Unlinked marks resources without links.
func (DeploymentAttributes) Unlinked() {}

// DeploymentResource is a deployment in a document.
type DeploymentResource = api.Resource[DeploymentAttributes, DeploymentRelationships]

// DeploymentRelationships are a deployment's relationships.
type DeploymentRelationships struct {
	Site      api.ToOne[SiteAttributes]         `json:"site"`
	Initiator api.ToOne[account.UserAttributes] `json:"initiator"`
}

// DeploymentResources makes the documents of deployments.
func DeploymentResources(ctx context.Context, q query.DBTX, rows ...query.Deployment) ([]DeploymentResource, error) {
	return job.Described(ctx, q, rows, func(row query.Deployment) *int64 { return row.OperationID }, func(row query.Deployment, meta *api.Meta) DeploymentResource {
		initiator := int64(0)
		if row.InitiatorID != nil {
			initiator = *row.InitiatorID
		}
		return DeploymentResource{ID: strconv.FormatInt(row.ID, 10), Meta: meta,
			Attributes: DeploymentAttributes{Commit: Commit{Hash: row.CommitHash, Author: row.CommitAuthor, Message: row.CommitMessage, Branch: row.CommitBranch}, Type: row.Type, Status: row.Status,
				StartedAt: api.NullTimeOf(row.StartedAt), EndedAt: api.NullTimeOf(row.EndedAt), CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt)},
			Relationships: &DeploymentRelationships{Site: api.One[SiteAttributes](row.SiteID), Initiator: api.One[account.UserAttributes](initiator)}}
	})
}

// SecurityRuleAttributes are the attributes of a security rule.
type SecurityRuleAttributes struct {
	Name      string   `json:"name"`
	Path      *string  `json:"path"`
	Status    *string  `json:"status"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns securityRules.
func (SecurityRuleAttributes) ResourceType() string { return "securityRules" }

// SecurityRuleResource is a security rule in a document.
type SecurityRuleResource = api.Resource[SecurityRuleAttributes, api.NoRelationships]

// RedirectRuleAttributes are the attributes of a redirect rule.
type RedirectRuleAttributes struct {
	From      string   `json:"from"`
	To        string   `json:"to"`
	Type      string   `json:"type" enum:"redirect,permanent"`
	Status    string   `json:"status" enum:"installing,installed,removing"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns redirect-rules.
func (RedirectRuleAttributes) ResourceType() string { return "redirect-rules" }

// RedirectRuleResource is a redirect rule in a document.
type RedirectRuleResource = api.Resource[RedirectRuleAttributes, api.NoRelationships]

// RedirectRules makes the documents of rules of one server's sites.
func RedirectRules(ctx context.Context, q query.DBTX, r *api.Router, slug string, serverID int64, rows ...query.RedirectRule) ([]RedirectRuleResource, error) {
	return job.Described(ctx, q, rows, func(row query.RedirectRule) *int64 { return row.OperationID }, func(row query.RedirectRule, meta *api.Meta) RedirectRuleResource {
		return RedirectRuleResource{ID: strconv.FormatInt(row.ID, 10), Links: r.Links(partPath(slug, serverID, row.SiteID, "redirect-rules", row.ID)), Meta: meta,
			Attributes: RedirectRuleAttributes{From: row.Source, To: row.Target, Type: row.Type, Status: row.Status, CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt)}}
	})
}

// SecurityRules makes the documents of rules of one server's sites. Names of users and their passwords are in none of them.
func SecurityRules(ctx context.Context, q query.DBTX, r *api.Router, slug string, serverID int64, rows ...query.SecurityRule) ([]SecurityRuleResource, error) {
	return job.Described(ctx, q, rows, func(row query.SecurityRule) *int64 { return row.OperationID }, func(row query.SecurityRule, meta *api.Meta) SecurityRuleResource {
		return SecurityRuleResource{ID: strconv.FormatInt(row.ID, 10), Links: r.Links(partPath(slug, serverID, row.SiteID, "security-rules", row.ID)), Meta: meta,
			Attributes: SecurityRuleAttributes{Name: row.Name, Path: row.Path, Status: &row.Status, CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt)}}
	})
}

func partPath(slug string, serverID, siteID int64, kind string, id int64) string {
	return fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/%s/%d", slug, serverID, siteID, kind, id)
}
