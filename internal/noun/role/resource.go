// Package role manages what members are allowed to do: the predefined roles, an organization's own ones, and their permissions.
package role

import (
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// PermissionAttributes are the attributes of a permission.
type PermissionAttributes struct {
	Name string `json:"name"`
}

// ResourceType returns permissions.
func (PermissionAttributes) ResourceType() string { return "permissions" }

// PermissionResource is a permission in a document.
type PermissionResource = api.Resource[PermissionAttributes, api.NoRelationships]

// PredefinedRoleAttributes are the attributes of a role that every organization has.
type PredefinedRoleAttributes struct {
	Name      string       `json:"name"`
	CreatedAt api.NullTime `json:"created_at"`
	UpdatedAt api.NullTime `json:"updated_at"`
}

// ResourceType returns predefinedRoles.
func (PredefinedRoleAttributes) ResourceType() string { return "predefinedRoles" }

// RoleAttributes are the attributes of a member's role. The contract gives it the type of the predefined ones, whichever it is.
type RoleAttributes struct {
	Name      string       `json:"name"`
	CreatedAt api.NullTime `json:"created_at"`
	UpdatedAt api.NullTime `json:"updated_at"`
}

// ResourceType returns predefinedRoles.
func (RoleAttributes) ResourceType() string { return "predefinedRoles" }

// CustomRoleAttributes are the attributes of an organization's own role.
type CustomRoleAttributes struct {
	Name      string       `json:"name"`
	CreatedAt api.NullTime `json:"created_at"`
	UpdatedAt api.NullTime `json:"updated_at"`
}

// ResourceType returns customRoles.
func (CustomRoleAttributes) ResourceType() string { return "customRoles" }

// Relationships are a role's relationships.
type Relationships struct {
	Permissions api.ToMany[PermissionAttributes] `json:"permissions"`
}

// The three documents of roles.
type (
	PredefinedRoleResource = api.Resource[PredefinedRoleAttributes, Relationships]
	RoleResource           = api.Resource[RoleAttributes, Relationships]
	CustomRoleResource     = api.Resource[CustomRoleAttributes, Relationships]
)

func permissionResource(r *api.Router, p access.Permission) PermissionResource {
	id := strconv.FormatInt(p.ID(), 10)
	return PermissionResource{ID: id, Attributes: PermissionAttributes{Name: string(p)}, Links: r.Links("/permissions/" + id)}
}

func relationships(set access.Set) *Relationships {
	var ids []int64
	for _, p := range set.List() {
		ids = append(ids, p.ID())
	}
	return &Relationships{Permissions: api.Many[PermissionAttributes](ids)}
}

func predefinedResource(r *api.Router, list api.ListQuery, role access.Role) PredefinedRoleResource {
	id := strconv.FormatInt(role.ID, 10)
	return PredefinedRoleResource{
		ID: id, Attributes: PredefinedRoleAttributes{Name: role.Name}, Relationships: relationships(role.Permissions),
		Links: r.Links("/predefined-roles/" + id), Meta: counts(list, role.Permissions),
	}
}

func customResource(r *api.Router, list api.ListQuery, slug string, row query.Role, set access.Set) CustomRoleResource {
	id := strconv.FormatInt(row.ID, 10)
	return CustomRoleResource{
		ID: id, Relationships: relationships(set), Links: r.Links("/orgs/" + slug + "/roles/" + id), Meta: counts(list, set),
		Attributes: CustomRoleAttributes{Name: row.Name, CreatedAt: api.NullTimeOf(&row.CreatedAt), UpdatedAt: api.NullTimeOf(&row.UpdatedAt)},
	}
}

// NewResource returns the document of a member's role in the organization with this slug.
func NewResource(r *api.Router, slug string, row query.Role, set access.Set) RoleResource {
	id := strconv.FormatInt(row.ID, 10)
	res := RoleResource{ID: id, Attributes: RoleAttributes{Name: row.Name}, Relationships: relationships(set), Links: r.Links("/predefined-roles/" + id)}
	if row.OrganizationID != nil {
		res.Attributes.CreatedAt, res.Attributes.UpdatedAt = api.NullTimeOf(&row.CreatedAt), api.NullTimeOf(&row.UpdatedAt)
		res.Links = r.Links(fmt.Sprintf("/orgs/%s/roles/%s", slug, id))
	}
	return res
}

func counts(list api.ListQuery, set access.Set) *api.Meta {
	if c := list.Counts(map[string]int{"permissions": set.Len()}); c != nil {
		return &api.Meta{Included: c}
	}
	return nil
}

func included(r *api.Router, list api.ListQuery, sets ...access.Set) []any {
	if !list.Includes("permissions") {
		return nil
	}
	var all access.Set
	for _, set := range sets {
		all = all.Union(set)
	}
	var out []any
	for _, p := range all.List() {
		out = append(out, permissionResource(r, p))
	}
	return out
}
