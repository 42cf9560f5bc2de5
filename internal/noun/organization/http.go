package organization

import (
	"context"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/retention"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// OrganizationAttributes are the attributes of an organization.
type OrganizationAttributes struct {
	Name      string       `json:"name"`
	Slug      string       `json:"slug"`
	CreatedAt api.NullTime `json:"created_at"`
	UpdatedAt api.NullTime `json:"updated_at"`
}

// ResourceType returns organizations.
func (OrganizationAttributes) ResourceType() string { return "organizations" }

// Metas are what the meta of these resources has besides.
func (OrganizationAttributes) Metas() []any { return []any{Meta{}} }

// Resource is an organization in a document.
type Resource = api.Resource[OrganizationAttributes, api.NoRelationships]

// Operations are the operations on organizations.
type Operations struct {
	Store  *Store
	Router *api.Router
	// Schedules are notified of a new time zone.
	Schedules Schedules
	Mail      Mail
	// Keep is how long the installation keeps old rows.
	Keep retention.Keep
}

// Register adds the operations.
func (o *Operations) Register() {
	view := []access.Permission{access.OrganizationView}
	api.Index(o.Router, api.Operation{
		ID: "organizations.index", Method: http.MethodGet, Path: "/orgs", Tag: "Organizations", Mode: api.Sync, Permissions: view,
		Summary: "List organizations", Description: "Lists the organizations that the caller is a member of and can view.",
	}, api.Self, o.index)
	api.Show(o.Router, api.Operation{
		ID: "organizations.show", Method: http.MethodGet, Path: "/orgs/{organization}", Tag: "Organizations", Mode: api.Sync, Permissions: view,
		Summary: "Get an organization",
	}, o.Store.InPath, o.show)
	o.registerCreate()
	o.registerOpened()
	o.registerLimit()
	o.registerTimezone()
	o.registerRetention()
	o.registerChecklist()
}

func (o *Operations) index(ctx context.Context, c api.Call[access.Actor]) (api.Collection[Resource], error) {
	grants, err := o.Store.Grants(ctx, c.Parent, access.OrganizationView)
	if err != nil {
		return api.Collection[Resource]{}, err
	}
	return api.Paged(ctx, o.Store.DB.Reader(), c.List.Of("organizations", db.Equal("id", IDs(grants)...)), api.Each(func(org query.Organization) Resource {
		return NewResource(o.Router, org)
	}))
}

// Meta is what organizations add to meta.
type Meta struct {
	// Permissions are what the caller is allowed to do in an organization; on things that are shared with teams, the roles there decide.
	Permissions []string `json:"permissions,omitempty"`
	// Delivery is how the installation delivers its emails: by "mail", or, without a mail server, through its "log".
	Delivery string `json:"delivery,omitempty" enum:"mail,log"`
}

func (o *Operations) show(_ context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	res := NewResource(o.Router, c.Parent.Organization)
	about := Meta{Delivery: o.Mail.Delivery()}
	for _, p := range access.All() {
		if c.Parent.Grant.May(p) {
			about.Permissions = append(about.Permissions, string(p))
		}
	}
	res.Meta = &api.Meta{Own: []any{about}}
	return api.Document[Resource]{Data: res}, nil
}

// NewResource returns the document of an organization.
func NewResource(r *api.Router, org query.Organization) Resource {
	return Resource{
		ID:         strconv.FormatInt(org.ID, 10),
		Attributes: OrganizationAttributes{Name: org.Name, Slug: org.Slug, CreatedAt: api.NullTimeOf(&org.CreatedAt), UpdatedAt: api.NullTimeOf(&org.UpdatedAt)},
		Links:      r.Links("/orgs/" + org.Slug),
	}
}
