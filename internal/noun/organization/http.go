package organization

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/retention"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/limits"
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

// UpdateOrganizationRequest changes an organization. What is left out stays.
type UpdateOrganizationRequest struct {
	Name       *string             `json:"name,omitempty" minLength:"1" maxLength:"255"`
	SiteLimits *limits.LimitValues `json:"site_limits,omitempty"`
}

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
		Noun: "orgs", Summary: "List organizations", Description: "Lists the organizations that the caller is a member of and can view.",
	}, api.Self, o.index)
	api.Show(o.Router, api.Operation{
		ID: "organizations.show", Method: http.MethodGet, Path: "/orgs/{organization}", Tag: "Organizations", Mode: api.Sync, Permissions: view,
		Noun: "orgs", Summary: "Get an organization",
	}, o.Store.InPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organizations.update", Method: http.MethodPut, Path: "/orgs/{organization}", Tag: "Organizations", Mode: api.Sync,
		Permissions: []access.Permission{access.OrganizationManage}, Extension: true, Noun: "orgs", Summary: "Update an organization",
		Description: "The slug stays the same, and with it all paths. Sites that exist keep their limits.",
		Example:     map[string]any{"name": "Acme Studio", "site_limits": map[string]any{"memory_max_percent": 40, "tasks_max": 512}},
		Shown:       map[string]string{"site_limits": "meta.site_limits"},
	}, o.Store.InPath, o.update)
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
	// SiteLimits are those of new sites.
	SiteLimits *limits.LimitsInForce `json:"site_limits,omitempty"`
}

func (o *Operations) show(_ context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return o.document(c.Parent), nil
}

func (o *Operations) document(p Path) api.Document[Resource] {
	res, usual := NewResource(o.Router, p.Organization), limits.Shown(limits.Parse(p.Organization.SiteLimits))
	about := Meta{Delivery: o.Mail.Delivery(), SiteLimits: &usual}
	for _, permission := range access.All() {
		if p.Grant.May(permission) {
			about.Permissions = append(about.Permissions, string(permission))
		}
	}
	res.Meta = &api.Meta{Own: []any{about}}
	return api.Document[Resource]{Data: res}
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateOrganizationRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var name, usual *string
	if b.Name != nil {
		line := c.Fields.Line("name", *b.Name, 0)
		name = &line
	}
	if b.SiteLimits != nil {
		l, _ := limits.Read(c.Fields, "site_limits", 0, *b.SiteLimits)
		text := limits.Text(&l)
		usual = &text
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	var err error
	if c.Parent.Organization, err = tx.UpdateOrganization(ctx, name, usual, tx.Micros(), c.Parent.OrganizationID); err != nil {
		return none, fmt.Errorf("update organization: %w", err)
	}
	return o.document(c.Parent), nil
}

// NewResource returns the document of an organization.
func NewResource(r *api.Router, org query.Organization) Resource {
	return Resource{
		ID:         strconv.FormatInt(org.ID, 10),
		Attributes: OrganizationAttributes{Name: org.Name, Slug: org.Slug, CreatedAt: api.NullTimeOf(&org.CreatedAt), UpdatedAt: api.NullTimeOf(&org.UpdatedAt)},
		Links:      r.Links("/orgs/" + org.Slug),
	}
}
