package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

// roles are the roles that members of an organization can have, by id: the predefined ones and the organization's own.
type roles struct {
	all []client.Resource
	// permissions are the names of permissions by id.
	permissions map[string]string
}

func (s *session) roles(ctx context.Context) (roles, error) {
	r := roles{permissions: map[string]string{}}
	own, err := s.path("/roles")
	if err != nil {
		return r, err
	}
	for _, list := range []string{"/predefined-roles", own} {
		rows, err := s.client.All(ctx, list)
		if err != nil {
			return r, err
		}
		r.all = append(r.all, rows...)
	}
	permissions, err := s.client.All(ctx, "/permissions")
	for _, p := range permissions {
		r.permissions[p.ID] = p.Attribute("name")
	}
	return r, err
}

// name returns the name of a role.
func (r roles) name(id string) string {
	if i := slices.IndexFunc(r.all, func(role client.Resource) bool { return role.ID == id }); i >= 0 {
		return r.all[i].Attribute("name")
	}
	return id
}

// find returns the role with this id, or with this name in any case.
func (r roles) find(what string) (client.Resource, error) {
	for _, role := range r.all {
		if role.ID == what || strings.EqualFold(role.Attribute("name"), what) {
			return role, nil
		}
	}
	var names []string
	for _, role := range r.all {
		names = append(names, role.Attribute("name"))
	}
	return client.Resource{}, exit(CodeNotFound, "no role %q; choose from %s", what, strings.Join(names, ", "))
}

// of returns the permissions of a role.
func (r roles) of(role client.Resource) []string {
	var ids []struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(role.Relationships["permissions"].Data, &ids) // an empty list grants nothing
	out := make([]string, len(ids))
	for i, p := range ids {
		out[i] = cmp.Or(r.permissions[p.ID], p.ID)
	}
	return out
}

func (r roles) columns() []column {
	return []column{columnID, attribute("NAME", "name"), {"KIND", func(role client.Resource) string {
		if role.Type == "customRoles" {
			return "custom"
		}
		return "predefined"
	}}, {"PERMISSIONS", func(role client.Resource) string { return strings.Join(r.of(role), " ") }}}
}

func newRoles(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "roles", Short: "Manage roles and their permissions"}
	c.AddCommand(newRolesList(g, nil), newRolesPermissions(g, nil), newRolesCreate(g, nil), newRolesUpdate(g, nil), newRolesDelete(g, nil))
	return c
}

func newRolesList(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = rolesList
	}
	return command(g, &cobra.Command{Use: "list", Short: "List roles with their permissions"}, &none{}, nil, run)
}

func rolesList(ctx context.Context, s *session, _ none) error {
	r, err := s.roles(ctx)
	if err != nil {
		return err
	}
	return s.list(r.all, r.columns()...)
}

func newRolesPermissions(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = rolesPermissions
	}
	return command(g, &cobra.Command{Use: "permissions", Short: "List all permissions"}, &none{}, nil, run)
}

func rolesPermissions(ctx context.Context, s *session, _ none) error {
	rows, err := s.client.All(ctx, "/permissions")
	if err != nil {
		return err
	}
	return s.list(rows, columnID, attribute("NAME", "name"))
}

type rolesWriteOptions struct {
	What, Name  string
	Permissions []string
	// Given reports whether there is a list of permissions.
	Given bool
}

func newRolesCreate(g *globals, run func(context.Context, *session, rolesWriteOptions) error) *cobra.Command {
	if run == nil {
		run = rolesCreate
	}
	var o rolesWriteOptions
	c := command(g, &cobra.Command{
		Use: "create NAME --permission PERMISSION,…", Short: "Create a role", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.Name = args[0] }, run)
	c.Flags().StringSliceVar(&o.Permissions, "permission", nil, "permission to grant (repeatable)")
	return c
}

func rolesCreate(ctx context.Context, s *session, o rolesWriteOptions) error {
	path, err := s.path("/roles")
	if err != nil {
		return err
	}
	return s.writeRole(ctx, http.MethodPost, path, map[string]any{"name": o.Name, "permissions": list(o.Permissions)})
}

func list(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

func (s *session) writeRole(ctx context.Context, method, path string, body any) error {
	r, err := s.roles(ctx)
	if err != nil {
		return err
	}
	role, err := s.client.One(ctx, method, path, body)
	if err != nil {
		return err
	}
	return s.one(role, column{"id", columnID.of}, attribute("name", "name"),
		column{"permissions", func(role client.Resource) string { return strings.Join(r.of(role), " ") }})
}

func newRolesUpdate(g *globals, run func(context.Context, *session, rolesWriteOptions) error) *cobra.Command {
	if run == nil {
		run = rolesUpdate
	}
	var o rolesWriteOptions
	c := &cobra.Command{
		Use: "update ROLE", Short: "Edit a custom role", Args: cobra.ExactArgs(1),
		Long: "--permission replaces all current permissions.",
	}
	command(g, c, &o, func(args []string) { o.What, o.Given = args[0], c.Flags().Changed("permission") }, run)
	c.Flags().StringVar(&o.Name, "name", "", "new name")
	c.Flags().StringSliceVar(&o.Permissions, "permission", nil, "permission to grant (repeatable)")
	c.MarkFlagsOneRequired("name", "permission")
	return c
}

func rolesUpdate(ctx context.Context, s *session, o rolesWriteOptions) error {
	role, err := s.customRole(ctx, o.What)
	if err != nil {
		return err
	}
	body := map[string]any{"name": cmp.Or(o.Name, role.Attribute("name"))}
	if o.Given {
		body["permissions"] = list(o.Permissions)
	}
	return s.writeRole(ctx, http.MethodPut, role.Path(), body)
}

func (s *session) customRole(ctx context.Context, what string) (client.Resource, error) {
	r, err := s.roles(ctx)
	if err != nil {
		return client.Resource{}, err
	}
	role, err := r.find(what)
	if err == nil && role.Type != "customRoles" {
		err = usage("%s is a built-in role and can't be changed", role.Attribute("name"))
	}
	return role, err
}

func newRolesDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = rolesDelete
	}
	var o deleteOptions
	c := command(g, &cobra.Command{Use: "delete ROLE", Short: "Delete a custom role", Args: cobra.ExactArgs(1)}, &o, func(args []string) { o.What = args[0] }, run)
	o.yesFlag(c)
	return c
}

func rolesDelete(ctx context.Context, s *session, o deleteOptions) error {
	role, err := s.customRole(ctx, o.What)
	if err != nil {
		return err
	}
	return s.remove(ctx, o, "role", role, "You can delete a role only when no member has it.")
}
