package cli

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/client"
)

// inTeam selects the members: of the organization, or of one of its teams.
type inTeam struct{ Team string }

func (o *inTeam) flag(c *cobra.Command) {
	c.Flags().StringVar(&o.Team, "team", "", "team (default: the organization)")
}

func (o inTeam) path(ctx context.Context, s *session) (string, error) {
	if o.Team == "" {
		return s.path("")
	}
	_, path, err := s.team(ctx, o.Team)
	return path, err
}

func newMembers(g *globals) *cobra.Command {
	c := &cobra.Command{Use: "members", Short: "Manage members and invitations"}
	c.AddCommand(newMembersList(g, nil), newMembersRole(g, nil), newMembersRemove(g, nil), newMembersLeave(g, nil),
		newMembersInvite(g, nil), newMembersInvites(g, nil), newMembersUninvite(g, nil))
	return c
}

type membersListOptions struct{ inTeam }

func newMembersList(g *globals, run func(context.Context, *session, membersListOptions) error) *cobra.Command {
	if run == nil {
		run = membersList
	}
	var o membersListOptions
	c := command(g, &cobra.Command{Use: "list", Short: "List members with their roles"}, &o, nil, run)
	o.flag(c)
	return c
}

// peopleColumns show members with the names of their roles; a member without one is here through teams.
func peopleColumns(r roles) []column {
	return []column{columnID, attribute("EMAIL", "email"), attribute("NAME", "name"), {"ROLE", func(m client.Resource) string {
		if id := m.Related("role"); id != "" && id != "0" {
			return r.name(id)
		}
		return "Through teams only"
	}}}
}

func membersList(ctx context.Context, s *session, o membersListOptions) error {
	path, err := o.path(ctx, s)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, path+"/members")
	if err != nil {
		return err
	}
	r, err := s.roles(ctx)
	if err != nil {
		return err
	}
	return s.list(rows, peopleColumns(r)...)
}

type membersRoleOptions struct {
	inTeam
	Who, Role string
}

func newMembersRole(g *globals, run func(context.Context, *session, membersRoleOptions) error) *cobra.Command {
	if run == nil {
		run = membersRole
	}
	var o membersRoleOptions
	c := command(g, &cobra.Command{
		Use: "role EMAIL ROLE", Short: "Change a member's role", Args: cobra.ExactArgs(2),
	}, &o, func(args []string) { o.Who, o.Role = args[0], args[1] }, run)
	o.flag(c)
	return c
}

// member returns a member with the path.
func (s *session) member(ctx context.Context, where inTeam, who string) (client.Resource, error) {
	path, err := where.path(ctx, s)
	if err != nil {
		return client.Resource{}, err
	}
	return s.pick(ctx, path+"/members", "member", "email", who)
}

func membersRole(ctx context.Context, s *session, o membersRoleOptions) error {
	m, err := s.member(ctx, o.inTeam, o.Who)
	if err != nil {
		return err
	}
	r, err := s.roles(ctx)
	if err != nil {
		return err
	}
	role, err := r.find(o.Role)
	if err != nil {
		return err
	}
	body, err := roleBody(role)
	if err != nil {
		return err
	}
	if m, err = s.client.One(ctx, http.MethodPut, m.Path(), body); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.err, "%s is %s.\n", cell(m.Attribute("email")), cell(role.Attribute("name")))
	return nil
}

func roleBody(role client.Resource) (map[string]any, error) {
	id, err := strconv.ParseInt(role.ID, 10, 64)
	return map[string]any{"role_id": id}, err
}

type membersRemoveOptions struct {
	inTeam
	deleteOptions
}

func newMembersRemove(g *globals, run func(context.Context, *session, membersRemoveOptions) error) *cobra.Command {
	if run == nil {
		run = membersRemove
	}
	var o membersRemoveOptions
	c := command(g, &cobra.Command{Use: "remove EMAIL", Short: "Remove a member", Args: cobra.ExactArgs(1)}, &o, func(args []string) { o.What = args[0] }, run)
	o.flag(c)
	o.yesFlag(c)
	return c
}

func membersRemove(ctx context.Context, s *session, o membersRemoveOptions) error {
	m, err := s.member(ctx, o.inTeam, o.What)
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, o.Yes, "member", m.Attribute("email"), "They lose access immediately."); err != nil {
		return err
	}
	if err := s.client.Do(ctx, http.MethodDelete, m.Path(), nil, nil); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.err, "Removed %s.\n", cell(m.Attribute("email")))
	return nil
}

func newMembersLeave(g *globals, run func(context.Context, *session, deleteOptions) error) *cobra.Command {
	if run == nil {
		run = membersLeave
	}
	var o deleteOptions
	c := command(g, &cobra.Command{Use: "leave", Short: "Leave the organization"}, &o, nil, run)
	o.yesFlag(c)
	return c
}

func membersLeave(ctx context.Context, s *session, o deleteOptions) error {
	path, err := s.path("/membership")
	if err != nil {
		return err
	}
	if err := s.confirm(ctx, o.Yes, "membership in", s.org, "You need a new invitation to return."); err != nil {
		return err
	}
	if err := s.client.Do(ctx, http.MethodDelete, path, nil, nil); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.err, "You left %s.\n", cell(s.org))
	return nil
}

type membersInviteOptions struct {
	inTeam
	Email, Role string
}

func newMembersInvite(g *globals, run func(context.Context, *session, membersInviteOptions) error) *cobra.Command {
	if run == nil {
		run = membersInvite
	}
	var o membersInviteOptions
	c := command(g, &cobra.Command{
		Use: "invite EMAIL", Short: "Invite a member", Args: cobra.ExactArgs(1),
		Long: "The invitation is a link that works once, for this email address, for 7 days. It is sent by email, or printed here to be handed on if no mail server is configured. Inviting the address again replaces it.",
	}, &o, func(args []string) { o.Email = args[0] }, run)
	o.flag(c)
	c.Flags().StringVar(&o.Role, "role", "Viewer", "role name or ID")
	return c
}

func membersInvite(ctx context.Context, s *session, o membersInviteOptions) error {
	path, err := o.path(ctx, s)
	if err != nil {
		return err
	}
	r, err := s.roles(ctx)
	if err != nil {
		return err
	}
	role, err := r.find(o.Role)
	if err != nil {
		return err
	}
	body, err := roleBody(role)
	if err != nil {
		return err
	}
	body["email"] = o.Email
	made, err := s.client.One(ctx, http.MethodPost, path+"/invites", body)
	if err != nil {
		return err
	}
	s.invited(o.Email, role, made.Meta.Delivery)
	if link := made.Meta.ShownOnce.URL; link != "" {
		_, _ = fmt.Fprintln(s.out, cell(link))
	}
	return nil
}

// invited reports an invitation, and how its link reaches the person.
func (s *session) invited(email string, role client.Resource, delivery string) {
	how := "The link was sent by email."
	if delivery == "log" {
		how = "No mail server is configured: share the link yourself."
	}
	_, _ = fmt.Fprintf(s.err, "Invited %s as %s. %s\n", cell(email), cell(role.Attribute("name")), how)
}

func newMembersInvites(g *globals, run func(context.Context, *session, membersListOptions) error) *cobra.Command {
	if run == nil {
		run = membersInvites
	}
	var o membersListOptions
	c := command(g, &cobra.Command{Use: "invites", Short: "List pending invitations"}, &o, nil, run)
	o.flag(c)
	return c
}

func membersInvites(ctx context.Context, s *session, o membersListOptions) error {
	path, err := o.path(ctx, s)
	if err != nil {
		return err
	}
	rows, err := s.client.All(ctx, path+"/invites")
	if err != nil {
		return err
	}
	r, err := s.roles(ctx)
	if err != nil {
		return err
	}
	return s.list(rows, columnID, attribute("EMAIL", "email"),
		column{"ROLE", func(i client.Resource) string { return r.name(i.Related("role")) }}, attribute("CREATED", "created_at"))
}

type membersUninviteOptions struct {
	inTeam
	Email string
}

func newMembersUninvite(g *globals, run func(context.Context, *session, membersUninviteOptions) error) *cobra.Command {
	if run == nil {
		run = membersUninvite
	}
	var o membersUninviteOptions
	c := command(g, &cobra.Command{
		Use: "uninvite EMAIL", Short: "Revoke an invitation", Args: cobra.ExactArgs(1),
	}, &o, func(args []string) { o.Email = args[0] }, run)
	o.flag(c)
	return c
}

func membersUninvite(ctx context.Context, s *session, o membersUninviteOptions) error {
	path, err := o.path(ctx, s)
	if err != nil {
		return err
	}
	r, err := s.pick(ctx, path+"/invites", "invitation", "email", o.Email)
	if err != nil {
		return err
	}
	if err := s.client.Do(ctx, http.MethodDelete, r.Path(), nil, nil); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.err, "Revoked the invitation of %s.\n", cell(o.Email))
	return nil
}
