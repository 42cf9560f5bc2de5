package role

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// Operations are the operations on roles and permissions.
type Operations struct {
	DB            *db.DB
	Organizations *organization.Store
	Router        *api.Router
}

// CreateRoleRequest asks for a custom role.
type CreateRoleRequest struct {
	Name        string               `json:"name" maxLength:"50"`
	Permissions []api.PermissionName `json:"permissions,omitempty" nullable:"false" uniqueItems:"true"`
}

// UpdateRoleRequest changes a custom role. Permissions that are left out stay.
type UpdateRoleRequest struct {
	// Description is accepted from the contract's clients, and not kept: no answer has a place for it.
	Description *string              `json:"description,omitempty"`
	Name        string               `json:"name" maxLength:"50"`
	Permissions []api.PermissionName `json:"permissions,omitempty" nullable:"false" uniqueItems:"true"`
}

// Path is a custom role that the caller can see.
type Path struct {
	access.Grant
	Role        query.Role
	Permissions access.Set
}

// named is a permission with what a path's loader has to be.
type named struct {
	access.Actor
	permission access.Permission
}

type predefined struct {
	access.Actor
	role access.Role
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single = "/orgs/{organization}/roles", "/orgs/{organization}/roles/{role}"
	names := []api.Filter{{Name: "name", Text: true}}
	filters := []api.Filter{{Name: "name", Text: true}, {Name: "permissions.name", Where: havingPermission}}
	includes := []api.Include{{Name: "permissions", Resource: PermissionResource{}}}
	with := []any{PermissionResource{}}
	view, manage := []access.Permission{access.OrganizationView}, []access.Permission{access.OrganizationManage}
	api.Index(o.Router, api.Operation{
		ID: "predefined-roles.index", Method: http.MethodGet, Path: "/predefined-roles", Tag: "Roles", Mode: api.Sync,
		Summary: "List predefined roles",
		Filters: filters, Includes: includes,
	}, api.Self, o.predefinedIndex)
	api.Show(o.Router, api.Operation{
		ID: "predefined-roles.show", Method: http.MethodGet, Path: "/predefined-roles/{role}", Tag: "Roles", Mode: api.Sync,
		Summary:  "Get a predefined role",
		Includes: includes,
	}, o.predefinedInPath, o.predefinedShow)
	api.Index(o.Router, api.Operation{
		ID: "permissions.index", Method: http.MethodGet, Path: "/permissions", Tag: "Roles", Mode: api.Sync,
		Summary:  "List permissions",
		Filters:  names,
		Formerly: "roles permissions",
	}, api.Self, o.permissionIndex)
	api.Show(o.Router, api.Operation{
		ID: "permissions.show", Method: http.MethodGet, Path: "/permissions/{permission}", Tag: "Roles", Mode: api.Sync,
		Summary: "Get a permission",
	},
		o.permissionInPath, o.permissionShow)

	api.Index(o.Router, api.Operation{
		ID: "organizations.roles.index", Method: http.MethodGet, Path: many, Tag: "Roles", Mode: api.Sync, Permissions: view,
		Summary: "List custom roles",
		Filters: filters, Includes: includes,
	}, o.Organizations.InPath, o.index)
	api.Write(o.Router, api.Operation{
		ID: "organizations.roles.store", Method: http.MethodPost, Path: many, Tag: "Roles", Mode: api.Sync, Permissions: manage,
		Summary:     "Create a custom role",
		Included:    with,
		Description: "A role can't have permissions that its creator lacks. Every role has organization:view and user:view.",
	}, o.Organizations.InPath, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.roles.show", Method: http.MethodGet, Path: single, Tag: "Roles", Mode: api.Sync, Permissions: view,
		Summary:  "Get a custom role",
		Includes: includes,
	}, o.inPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organizations.roles.update", Method: http.MethodPut, Path: single, Tag: "Roles", Mode: api.Sync, Permissions: manage,
		Summary:  "Update a custom role",
		Included: with, BodyOptional: true, Description: "The change applies to members with the role from their next request on.",
	}, o.inPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.roles.destroy", Method: http.MethodDelete, Path: single, Tag: "Roles", Mode: api.Sync,
		Permissions: manage, Summary: "Delete a custom role",
		Status: http.StatusNoContent, Invalid: true, Conflict: true, Description: "Refused while members have the role.",
	}, o.inPath, o.destroy)
	api.Index(o.Router, api.Operation{
		ID: "organizations.roles.permissions.index", Method: http.MethodGet, Path: single + "/permissions", Tag: "Roles",
		Mode: api.Sync, Permissions: view,
		Noun: "role-permissions", Summary: "List the permissions of a custom role", Filters: names,
	}, o.inPath, o.permissionsOf)
}

func havingPermission(values []string) db.Cond {
	c := db.Contains("permission", values...)
	return db.Cond{SQL: "id IN (SELECT role_id FROM role_permissions WHERE " + c.SQL + ")", Args: c.Args}
}

// matches reports whether a name contains one of a filter's alternatives, like the filters of tables.
func matches(filter string, names ...string) bool {
	if filter == "" {
		return true
	}
	for want := range strings.SplitSeq(strings.ToLower(filter), ",") {
		if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(strings.ToLower(name), want) }) {
			return true
		}
	}
	return false
}

func strs(list []access.Permission) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = string(p)
	}
	return out
}

func (o *Operations) predefinedIndex(_ context.Context, c api.Call[access.Actor]) (api.Collection[PredefinedRoleResource], error) {
	var rows []access.Role
	var sets []access.Set
	for _, role := range access.Predefined() {
		if matches(c.Query("filter[name]"), role.Name) && matches(c.Query("filter[permissions.name]"), strs(role.Permissions.List())...) {
			rows = append(rows, role)
		}
	}
	page, err := db.SelectFrom(rows, c.List.Of(""), func(r access.Role) int64 { return r.ID })
	if err != nil {
		return api.Collection[PredefinedRoleResource]{}, err
	}
	out := api.Collection[PredefinedRoleResource]{Next: page.Next, Prev: page.Prev}
	for _, role := range page.Rows {
		out.Data, sets = append(out.Data, predefinedResource(o.Router, c.List, role)), append(sets, role.Permissions)
	}
	out.Included = included(o.Router, c.List, sets...)
	return out, nil
}

func (o *Operations) predefinedInPath(_ context.Context, actor access.Actor, path api.PathValues) (predefined, error) {
	id, err := path.ID("role")
	if err != nil {
		return predefined{}, err
	}
	roles := access.Predefined()
	i := slices.IndexFunc(roles, func(r access.Role) bool { return r.ID == id })
	if i < 0 {
		return predefined{}, access.ErrNotFound
	}
	return predefined{actor, roles[i]}, nil
}

func (o *Operations) predefinedShow(_ context.Context, c api.Call[predefined]) (api.Document[PredefinedRoleResource], error) {
	return api.Document[PredefinedRoleResource]{
		Data:     predefinedResource(o.Router, c.List, c.Parent.role),
		Included: included(o.Router, c.List, c.Parent.role.Permissions),
	}, nil
}

func (o *Operations) permissionIndex(_ context.Context, c api.Call[access.Actor]) (api.Collection[PermissionResource], error) {
	return o.permissions(c.List, c.Query("filter[name]"), access.All())
}

func (o *Operations) permissions(list api.ListQuery, filter string, all []access.Permission) (api.Collection[PermissionResource], error) {
	all = slices.DeleteFunc(all, func(p access.Permission) bool { return !matches(filter, string(p)) })
	return api.PagedFrom(list, all, access.Permission.ID, func(p access.Permission) PermissionResource { return permissionResource(o.Router, p) })
}

func (o *Operations) permissionInPath(_ context.Context, actor access.Actor, path api.PathValues) (named, error) {
	id, err := path.ID("permission")
	all := access.All()
	if err != nil || id > int64(len(all)) {
		return named{}, access.ErrNotFound
	}
	return named{actor, all[id-1]}, nil
}

func (o *Operations) permissionShow(_ context.Context, c api.Call[named]) (api.Document[PermissionResource], error) {
	return api.Document[PermissionResource]{Data: permissionResource(o.Router, c.Parent.permission)}, nil
}

func (o *Operations) inPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	org, err := o.Organizations.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("role")
	if err != nil {
		return Path{}, err
	}
	row, err := o.DB.Read().GetRole(ctx, org, id)
	if err != nil {
		return Path{}, fmt.Errorf("read role %d: %w", id, err)
	}
	set, err := organization.RolePermissions(ctx, o.DB.Read(), org, id)
	return Path{Grant: org.Grant, Role: row, Permissions: set}, err
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[CustomRoleResource], error) {
	page, err := db.Select[query.Role](ctx, o.DB.Reader(), c.List.Of("roles", db.Equal("organization_id", c.Parent.OrganizationID)))
	if err != nil {
		return api.Collection[CustomRoleResource]{}, err
	}
	sets, err := organization.RoleSets(ctx, o.DB.Reader(), page.Rows...)
	if err != nil {
		return api.Collection[CustomRoleResource]{}, err
	}
	out := api.Collection[CustomRoleResource]{Next: page.Next, Prev: page.Prev, Included: included(o.Router, c.List, sets...)}
	for i, row := range page.Rows {
		out.Data = append(out.Data, customResource(o.Router, c.List, c.Parent.Slug, row, sets[i]))
	}
	return out, nil
}

func (o *Operations) show(_ context.Context, c api.Call[Path]) (api.Document[CustomRoleResource], error) {
	return o.document(c.List, c.Parent.Slug, c.Parent.Role, c.Parent.Permissions), nil
}

func (o *Operations) document(list api.ListQuery, slug string, row query.Role, set access.Set) api.Document[CustomRoleResource] {
	return api.Document[CustomRoleResource]{Data: customResource(o.Router, list, slug, row, set), Included: included(o.Router, list, set)}
}

// parse reads a list of permissions, and says of each that can't be granted why.
func parse(f api.Fields, g access.Grant, names []api.PermissionName) access.Set {
	set := organization.Mandatory()
	for i, name := range names {
		p, err := access.Parse(string(name))
		field := "permissions." + strconv.Itoa(i)
		switch {
		case err != nil: // the schema has said so
		case !g.Role.Has(p) && !organization.Mandatory().Has(p):
			f.Add(field, "You can't grant %s: your role does not have it.", p)
		case !g.MayGive().Has(p) && !organization.Mandatory().Has(p):
			f.Add(field, "You can't grant %s: this token does not have the scope.", p)
		}
		set = set.Add(p)
	}
	return set
}

func checkName(f api.Fields, name string) string {
	name = f.Trimmed("name", name)
	for _, role := range access.Predefined() {
		if strings.EqualFold(role.Name, name) {
			f.Add("name", "The name %s belongs to a predefined role.", role.Name)
		}
	}
	return name
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], b CreateRoleRequest) (api.Document[CustomRoleResource], error) {
	var none api.Document[CustomRoleResource]
	name, set := checkName(c.Fields, b.Name), parse(c.Fields, c.Parent.Grant, b.Permissions)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.InsertRole(ctx, &c.Parent.OrganizationID, name, tx.Micros())
	if db.IsUnique(err) {
		return none, api.Taken("name", "The name has already been taken.")
	}
	if err != nil {
		return none, fmt.Errorf("create role: %w", err)
	}
	if err := keep(ctx, tx, row.ID, set); err != nil {
		return none, err
	}
	doc := o.document(c.List, c.Parent.Slug, row, set)
	doc.Location = fmt.Sprintf("/orgs/%s/roles/%d", c.Parent.Slug, row.ID)
	return doc, nil
}

func keep(ctx context.Context, tx *db.Tx, role int64, set access.Set) error {
	if err := tx.ClearRolePermissions(ctx, role); err != nil {
		return fmt.Errorf("set permissions of role %d: %w", role, err)
	}
	for _, p := range set.List() {
		if err := tx.AddRolePermission(ctx, role, string(p)); err != nil {
			return fmt.Errorf("set permissions of role %d: %w", role, err)
		}
	}
	return nil
}

// mayTouch keeps a role that permits more than the caller may out of the caller's hands.
func mayTouch(g access.Grant, set access.Set) error {
	if more := set.Without(g.Role).Without(organization.Mandatory()); !more.Empty() {
		return &access.Denied{Missing: more.List()[0]}
	}
	return nil
}

// Current locks the organization, so that its roles stay as they are, and reads the role again.
func (p Path) Current(ctx context.Context, tx *db.Tx) (Path, error) {
	err := tx.LockRow(ctx, "organizations", p.OrganizationID)
	if err != nil {
		return p, err
	}
	if p.Role, err = tx.GetRole(ctx, p, p.Role.ID); err != nil {
		return p, fmt.Errorf("read role: %w", err)
	}
	p.Permissions, err = organization.RolePermissions(ctx, tx.Granted, p, p.Role.ID)
	return p, err
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateRoleRequest) (api.Document[CustomRoleResource], error) {
	var none api.Document[CustomRoleResource]
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	if err := mayTouch(c.Parent.Grant, c.Parent.Permissions); err != nil {
		return none, err
	}
	name, set := checkName(c.Fields, b.Name), c.Parent.Permissions
	if b.Permissions != nil {
		set = parse(c.Fields, c.Parent.Grant, b.Permissions)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.RenameRole(ctx, c.Parent.Role.ID, name, tx.Micros())
	if db.IsUnique(err) {
		return none, api.Taken("name", "The name has already been taken.")
	}
	if err != nil {
		return none, fmt.Errorf("update role: %w", err)
	}
	if err := keep(ctx, tx, row.ID, set); err != nil {
		return none, err
	}
	if err := organization.CloseInvitations(ctx, tx, c.Parent.OrganizationID); err != nil {
		return none, err
	}
	return o.document(c.List, c.Parent.Slug, row, set), nil
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	if err := mayTouch(c.Parent.Grant, c.Parent.Permissions); err != nil {
		return api.Empty{}, err
	}
	uses, err := tx.CountRoleUses(ctx, c.Parent.Role)
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete role: %w", err)
	}
	if uses > 0 {
		return api.Empty{}, api.Conflict("The role is used by a member or an invitation. Give them another role first.")
	}
	if err := tx.DeleteRole(ctx, c.Parent.Role.ID); err != nil {
		return api.Empty{}, fmt.Errorf("delete role: %w", err)
	}
	return api.Empty{}, nil
}

func (o *Operations) permissionsOf(_ context.Context, c api.Call[Path]) (api.Collection[PermissionResource], error) {
	return o.permissions(c.List, c.Query("filter[name]"), c.Parent.Permissions.List())
}
