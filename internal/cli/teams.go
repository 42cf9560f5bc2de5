package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

// pick returns the resource of a list with this id, or the only one with this name, in a list without a filter by name.
func (s *session) pick(ctx context.Context, list, kind, key, what string) (client.Resource, error) {
	var found []client.Resource
	var byID *client.Resource
	err := s.client.Each(ctx, list, func(r client.Resource) bool {
		if r.ID == what {
			byID = &r
		}
		if r.Attribute(key) == what {
			found = append(found, r)
		}
		return true
	})
	switch {
	case err != nil:
		return client.Resource{}, err
	case len(found) == 1:
		return found[0], nil
	case byID != nil:
		return *byID, nil
	case len(found) > 1:
		return client.Resource{}, usage("%d %ss are named %q: use an ID", len(found), kind, what)
	default:
		return client.Resource{}, exit(CodeNotFound, "no %s named %q", kind, what)
	}
}

// remove deletes a resource after confirmation.
func (s *session) remove(ctx context.Context, o deleteOptions, kind string, r client.Resource, consequence string) error {
	name := cmp.Or(r.Attribute("name"), r.Attribute("email"))
	if err := s.confirm(ctx, o.Yes, kind, name, consequence); err != nil {
		return err
	}
	if err := s.client.Do(ctx, http.MethodDelete, r.Path(), nil, nil); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.err, "Deleted the %s %s.\n", kind, cell(name))
	return nil
}

// team returns a team with its path.
func (s *session) team(ctx context.Context, what string) (client.Resource, string, error) {
	list, err := s.path("/teams")
	if err != nil {
		return client.Resource{}, "", err
	}
	r, err := s.pick(ctx, list, "team", "name", what)
	return r, list + "/" + r.ID, err
}

var teamColumns = []column{columnID, attribute("NAME", "name")}

func newTeams(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "teams", Short: "Manage teams and shared resources"}
	c.AddCommand(newTeamsList(g, nil), newTeamsShow(g, nil), newTeamsCreate(g, nil), newTeamsRename(g, nil), newTeamsDelete(g, nil),
		newTeamsShare(g, "share TEAM", "Share a server, a credential or a recipe with a team", teamsShare),
		newTeamsShare(g, "unshare TEAM", "Stop sharing a server, a credential or a recipe with a team", teamsUnshare))
	return c
}

func newTeamsList(g *globals, run func(context.Context, *session, none) error) *cobra.Command {
	if run == nil {
		run = teamsList
	}
	return command(g, &cobra.Command{Use: "list", Short: "List teams"}, &none{}, nil, run)
}

func teamsList(ctx context.Context, s *session, _ none) error {
	path, err := s.path("/teams")
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, path)
	if err != nil {
		return err
	}
	return s.list(rows, teamColumns...)
}

func newTeamsShow(g *globals, run func(context.Context, *session, named) error) *cobra.Command {
	if run == nil {
		run = teamsShow
	}
	var o named
	return command(g, &cobra.Command{Use: "show TEAM", Short: "Show a team and its shared resources", Args: cobra.ExactArgs(1)}, &o, o.set, run)
}

func teamsShow(ctx context.Context, s *session, o named) error {
	_, path, err := s.team(ctx, o.What)
	if err != nil {
		return err
	}
	var rows []client.Resource
	for _, list := range []string{"/servers", "/server-credentials", "/recipes"} {
		some, err := s.client.All(ctx, path+list)
		if err != nil && !client.IsStatus(err, http.StatusForbidden) { // access to servers does not imply access to credentials or recipes
			return err
		}
		rows = append(rows, some...)
	}
	return s.list(rows, column{"SHARED", func(r client.Resource) string {
		return map[string]string{"servers": "server", "serverCredentials": "credential", "recipes": "recipe"}[r.Type]
	}}, columnID, attribute("NAME", "name"))
}

type teamsWriteOptions struct{ What, Name string }

type teamsCreateOptions struct {
	Name   string
	Invite []string
	Role   string
}

func newTeamsCreate(g *globals, run func(context.Context, *session, teamsCreateOptions) error) *cobra.Command {
	if run == nil {
		run = teamsCreate
	}
	var o teamsCreateOptions
	c := command(g, &cobra.Command{
		Use: "create NAME", Short: "Create a team", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.Name = args[0] }, run)
	c.Flags().StringArrayVar(&o.Invite, "invite", nil, "email address to invite to the team (repeatable)")
	c.Flags().StringVar(&o.Role, "role", "Viewer", "role name or ID in the team of those who are invited")
	return c
}

func teamsCreate(ctx context.Context, s *session, o teamsCreateOptions) error {
	path, err := s.path("/teams")
	if err != nil {
		return err
	}
	body := map[string]any{"name": o.Name}
	var role client.Resource
	if len(o.Invite) > 0 {
		if body["invites"], role, err = s.invites(ctx, o.Invite, o.Role); err != nil {
			return err
		}
	}
	r, err := s.client.One(ctx, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	if err := s.one(r, column{"id", columnID.of}, attribute("name", "name")); err != nil {
		return err
	}
	links := r.Meta.ShownOnce.Invitations
	delivery := "mail"
	if len(links) > 0 {
		delivery = "log"
	}
	for _, email := range o.Invite {
		s.invited(email, role, delivery)
	}
	for _, l := range links {
		_, _ = fmt.Fprintf(s.err, "%s: %s\n", cell(l.Email), cell(l.URL))
	}
	return nil
}

// invites returns what a body says of the addresses to invite, and their role.
func (s *session) invites(ctx context.Context, emails []string, role string) ([]any, client.Resource, error) {
	r, err := s.roles(ctx)
	if err != nil {
		return nil, client.Resource{}, err
	}
	found, err := r.find(role)
	if err != nil {
		return nil, found, err
	}
	id, err := strconv.ParseInt(found.ID, 10, 64)
	out := make([]any, len(emails))
	for i, email := range emails {
		out[i] = map[string]any{"email": email, "role": map[string]any{"id": id}}
	}
	return out, found, err
}

func newTeamsRename(g *globals, run func(context.Context, *session, teamsWriteOptions) error) *cobra.Command {
	if run == nil {
		run = teamsRename
	}
	var o teamsWriteOptions
	return command(g, &cobra.Command{
		Use: "rename TEAM NAME", Short: "Rename a team", Args: cobra.ExactArgs(2),
	}, &o, func(args []string) { o.What, o.Name = args[0], args[1] }, run)
}

func teamsRename(ctx context.Context, s *session, o teamsWriteOptions) error {
	_, path, err := s.team(ctx, o.What)
	if err != nil {
		return err
	}
	r, err := s.client.One(ctx, http.MethodPut, path, map[string]any{"name": o.Name})
	if err != nil {
		return err
	}
	return s.one(r, column{"id", columnID.of}, attribute("name", "name"))
}

func newTeamsDelete(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = teamsDelete
	}
	var o deleteOptions
	c := command(g, &cobra.Command{Use: "delete TEAM", Short: "Delete a team", Args: cobra.ExactArgs(1)}, &o, func(args []string) { o.What = args[0] }, run)
	o.yesFlag(c)
	return c
}

func teamsDelete(ctx context.Context, s *session, o deleteOptions) error {
	r, _, err := s.team(ctx, o.What)
	if err != nil {
		return err
	}
	return s.remove(ctx, o, "team", r, "Resources not shared with another team become visible to the whole organization.")
}

type teamsShareOptions struct{ Team, Server, Credential, Recipe string }

func newTeamsShare(g *globals, use, short string, run func(context.Context, *session, teamsShareOptions) error) *cobra.Command {
	var o teamsShareOptions
	c := command(g, &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1),
		Long: "Shared resources are visible to team members only, with their team role, and to organization administrators.",
	}, &o, func(args []string) { o.Team = args[0] }, run)
	c.Flags().StringVar(&o.Server, "server", "", "server name or ID")
	c.Flags().StringVar(&o.Credential, "credential", "", "server credential name or ID")
	c.Flags().StringVar(&o.Recipe, "recipe", "", "recipe name or ID")
	c.MarkFlagsOneRequired("server", "credential", "recipe")
	c.MarkFlagsMutuallyExclusive("server", "credential", "recipe")
	return c
}

// shared returns the operands of a command about sharing: the list of the team that contains the resource, and the body that adds it there.
func (s *session) shared(ctx context.Context, o teamsShareOptions) (list string, r client.Resource, body map[string]any, err error) {
	_, team, err := s.team(ctx, o.Team)
	if err != nil {
		return "", r, nil, err
	}
	var key string
	switch {
	case o.Server != "":
		key, list = "server_id", team+"/servers"
		r, _, err = s.server(ctx, o.Server)
	case o.Credential != "":
		key, list = "credential_id", team+"/server-credentials"
		r, err = s.credential(ctx, o.Credential)
	default:
		key, list = "recipe_id", team+"/recipes"
		r, err = s.recipe(ctx, o.Recipe)
	}
	if err != nil {
		return "", r, nil, err
	}
	id, err := strconv.ParseInt(r.ID, 10, 64)
	return list, r, map[string]any{key: id}, err
}

func teamsShare(ctx context.Context, s *session, o teamsShareOptions) error {
	list, r, body, err := s.shared(ctx, o)
	if err != nil {
		return err
	}
	if err := s.client.Do(ctx, http.MethodPost, list, body, nil); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.err, "Shared %s with %s.\n", cell(r.Attribute("name")), cell(o.Team))
	return nil
}

func teamsUnshare(ctx context.Context, s *session, o teamsShareOptions) error {
	list, r, _, err := s.shared(ctx, o)
	if err != nil {
		return err
	}
	if err := s.client.Do(ctx, http.MethodDelete, list+"/"+r.ID, nil, nil); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.err, "Stopped sharing %s with %s.\n", cell(r.Attribute("name")), cell(o.Team))
	return nil
}
