package organization

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
)

// ChecklistAttributes are what an organization has of what a first site in production needs. They are read from what exists; nothing is stored.
type ChecklistAttributes struct {
	Server     bool   `json:"server" doc:"Whether a server is set up."`
	Site       bool   `json:"site" doc:"Whether there is a site."`
	Repository bool   `json:"repository" doc:"Whether a site has a repository."`
	HTTPS      bool   `json:"https" doc:"Whether a domain has an active certificate."`
	Backup     bool   `json:"backup" doc:"Whether there is a backup configuration."`
	Invite     bool   `json:"invite" doc:"Whether another person is a member or invited."`
	SiteID     *int64 `json:"site_id" doc:"The newest site that is not a load balancer."`
	ServerID   *int64 `json:"server_id" doc:"The newest server, preferably one with a database."`
}

// ResourceType returns checklists.
func (ChecklistAttributes) ResourceType() string { return "checklists" }

// ChecklistResource is an organization's checklist in a document.
type ChecklistResource = api.Resource[ChecklistAttributes, api.NoRelationships]

func (o *Operations) registerChecklist() {
	api.Show(o.Router, api.Operation{
		ID: "organizations.checklist.show", Method: http.MethodGet, Path: "/orgs/{organization}/checklist", Tag: "Organizations",
		Mode: api.Sync, Permissions: []access.Permission{access.OrganizationManage}, Extension: true, Summary: "Get the checklist of an organization",
		Description: "Reports which steps to a first production site are done, derived from existing resources.",
	}, o.Store.InPath, o.showChecklist)
}

func (o *Operations) showChecklist(ctx context.Context, c api.Call[Path]) (api.Document[ChecklistResource], error) {
	org := c.Parent.Organization
	row, err := o.Store.DB.Read().Checklist(ctx, org)
	if err != nil {
		return api.Document[ChecklistResource]{}, fmt.Errorf("read the checklist of %s: %w", org.Slug, err)
	}
	return api.Document[ChecklistResource]{Data: ChecklistResource{
		ID:    strconv.FormatInt(org.ID, 10),
		Links: o.Router.Links("/orgs/" + org.Slug + "/checklist"),
		Attributes: ChecklistAttributes{
			Server: row.Server, Site: row.Site, Repository: row.Repository, HTTPS: row.Https, Backup: row.Backup, Invite: row.Invite.Bool,
			SiteID: api.OrNull(row.SiteID), ServerID: api.OrNull(row.ServerID),
		},
	}}, nil
}
