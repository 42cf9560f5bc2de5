package team

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/role"
)

// MembershipAttributes are the attributes of a member of a team or of an organization. The resource's id is the user's, as paths have it.
type MembershipAttributes struct {
	Name      string       `json:"name"`
	Email     string       `json:"email"`
	CreatedAt api.NullTime `json:"created_at"`
	UpdatedAt api.NullTime `json:"updated_at"`
}

// ResourceType returns memberships.
func (MembershipAttributes) ResourceType() string { return "memberships" }

// MembershipRelationships are a member's relationships. The role is null for members of an organization who are in it through teams only.
type MembershipRelationships struct {
	Role api.ToOne[role.RoleAttributes] `json:"role"`
}

// MembershipResource is a member in a document.
type MembershipResource = api.Resource[MembershipAttributes, MembershipRelationships]

// UpdateTeamMemberRequest gives a member a role.
type UpdateTeamMemberRequest struct {
	RoleID int64 `json:"role_id"`
}

type memberPath struct {
	Path
	member query.TeamMember
}

type organizationMemberPath struct {
	organization.Path
	member query.Membership
}

func (o *Operations) registerMembers(op func(id, method, path, summary string, permissions []access.Permission) api.Operation) {
	const many, single = single + "/members", single + "/members/{user}"
	included := []any{role.RoleResource{}, role.PermissionResource{}}
	ofTeam := func(op api.Operation) api.Operation { op.Noun = "team-members"; return op }
	with := func(op api.Operation) api.Operation { op.Included = included; return ofTeam(op) }
	api.Index(o.Router, with(op("organizations.teams.members.index", http.MethodGet, many, "List the members of a team", view)), o.inPath, o.members)
	api.Show(o.Router, with(op("organizations.teams.members.show", http.MethodGet, single, "Get a member of a team", view)), o.memberInPath, o.member)
	api.Write(o.Router, with(op("organizations.teams.members.update", http.MethodPut, single, "Change the role of a member of a team", create)), o.memberInPath,
		o.updateMember)
	remove := ofTeam(op("organizations.teams.members.destroy", http.MethodDelete, single, "Remove a member from a team", destroy))
	remove.Status = http.StatusNoContent
	api.WriteEmpty(o.Router, remove, o.memberInPath, o.removeMember)

	const manyOfOrg, singleOfOrg = "/orgs/{organization}/members", "/orgs/{organization}/members/{user}"
	ours := func(op api.Operation) api.Operation { op.Tag, op.Extension = "Organizations", true; return op }
	viewOrg, manage := []access.Permission{access.OrganizationView}, []access.Permission{access.OrganizationManage}
	api.Index(o.Router, ours(op("organizations.members.index", http.MethodGet, manyOfOrg, "List the members of an organization", viewOrg)),
		o.Organizations.InPath, o.organizationMembers)
	api.Show(o.Router, ours(op("organizations.members.show", http.MethodGet, singleOfOrg, "Get a member of an organization", viewOrg)),
		o.organizationMemberInPath, o.organizationMember)
	update := ours(op("organizations.members.update", http.MethodPut, singleOfOrg, "Change the role of a member of an organization", manage))
	update.Formerly = "members role"
	api.Write(o.Router, update, o.organizationMemberInPath, o.updateOrganizationMember)
	remove = ours(op("organizations.members.destroy", http.MethodDelete, singleOfOrg, "Remove a member from an organization", manage))
	remove.Status, remove.Conflict = http.StatusNoContent, true
	api.WriteEmpty(o.Router, remove, o.organizationMemberInPath, o.removeOrganizationMember)
	leave := ours(op("organizations.membership.destroy", http.MethodDelete, "/orgs/{organization}/membership", "Leave an organization", viewOrg))
	leave.Noun, leave.Verb, leave.Status, leave.Conflict = "members", "leave", http.StatusNoContent, true
	api.WriteEmpty(o.Router, leave, o.Organizations.InPath, o.leave)
}

func (o *Operations) memberInPath(ctx context.Context, actor access.Actor, path api.PathValues) (memberPath, error) {
	parent, err := o.inPath(ctx, actor, path)
	if err != nil {
		return memberPath{}, err
	}
	id, err := path.ID("user")
	if err != nil {
		return memberPath{}, err
	}
	row, err := o.DB.Read().GetTeamMember(ctx, parent.Team, id)
	if err != nil {
		return memberPath{}, fmt.Errorf("read member %d of team %d: %w", id, parent.Team.ID, err)
	}
	return memberPath{parent, row}, nil
}

// membership is what the two kinds of members have in common.
type membership struct{ user, role, created, updated int64 }

func (o *Operations) membershipResources(ctx context.Context, q query.DBTX, path string, rows ...membership) ([]MembershipResource, error) {
	var ids []any
	for _, row := range rows {
		ids = append(ids, row.user)
	}
	users, err := db.All[query.User](ctx, q, "users", db.Equal("id", ids...))
	if err != nil {
		return nil, err
	}
	byID := map[int64]query.User{}
	for _, u := range users {
		byID[u.ID] = u
	}
	out := make([]MembershipResource, len(rows))
	for i, row := range rows {
		id := strconv.FormatInt(row.user, 10)
		out[i] = MembershipResource{
			ID: id, Links: o.Router.Links(path + "/" + id), Relationships: &MembershipRelationships{Role: api.One[role.RoleAttributes](row.role)},
			Attributes: MembershipAttributes{
				Name: byID[row.user].Name, Email: byID[row.user].Email, CreatedAt: api.NullTimeOf(&row.created),
				UpdatedAt: api.NullTimeOf(&row.updated),
			},
		}
	}
	return out, nil
}

// membershipPage returns a page of members of either kind.
func membershipPage[R any](ctx context.Context, o *Operations, path string, l db.List, of func(R) membership) (api.Collection[MembershipResource], error) {
	return api.Paged(ctx, o.DB.Reader(), l, func(rows ...R) ([]MembershipResource, error) {
		members := make([]membership, len(rows))
		for i, row := range rows {
			members[i] = of(row)
		}
		return o.membershipResources(ctx, o.DB.Reader(), path, members...)
	})
}

func ofTeam(m query.TeamMember) membership {
	return membership{m.UserID, m.RoleID, m.CreatedAt, m.UpdatedAt}
}

func ofOrganization(m query.Membership) membership {
	return membership{m.UserID, m.RoleID, m.CreatedAt, m.UpdatedAt}
}

func (p Path) membersPath() string {
	return fmt.Sprintf("/orgs/%s/teams/%d/members", p.Slug, p.Team.ID)
}

func (o *Operations) members(ctx context.Context, c api.Call[Path]) (api.Collection[MembershipResource], error) {
	return membershipPage(ctx, o, c.Parent.membersPath(), c.List.Of("team_members", db.Equal("team_id", c.Parent.Team.ID)), ofTeam)
}

func (o *Operations) memberDocument(ctx context.Context, q query.DBTX, path string, row membership) (api.Document[MembershipResource], error) {
	return api.Single(o.membershipResources(ctx, q, path, row))
}

func (o *Operations) member(ctx context.Context, c api.Call[memberPath]) (api.Document[MembershipResource], error) {
	return o.memberDocument(ctx, o.DB.Reader(), c.Parent.membersPath(), ofTeam(c.Parent.member))
}

// lock locks an organization, so that its members and their roles stay as they are.
func lock(ctx context.Context, tx *db.Tx, org int64) error {
	if err := tx.LockOrganization(ctx, org); err != nil {
		return fmt.Errorf("lock organization: %w", err)
	}
	return nil
}

// locked locks the organization, so that its members and their roles stay as they are, and asks whether the caller may change a member of a team: one who
// was made an owner, or removed, since the request began.
func locked(ctx context.Context, tx *db.Tx, p memberPath) error {
	if err := lock(ctx, tx, p.OrganizationID); err != nil {
		return err
	}
	row, err := tx.GetTeamMember(ctx, p.Team, p.member.UserID)
	if err != nil {
		return fmt.Errorf("read member %d of team %d: %w", p.member.UserID, p.Team.ID, err)
	}
	return organization.MayTouch(ctx, tx.Granted, p.Grant, row.RoleID)
}

// lockedInOrganization is locked for a member of an organization.
func lockedInOrganization(ctx context.Context, tx *db.Tx, p organizationMemberPath) error {
	if err := lock(ctx, tx, p.OrganizationID); err != nil {
		return err
	}
	row, err := tx.GetMembership(ctx, p, p.member.UserID)
	if err != nil {
		return fmt.Errorf("read member %d: %w", p.member.UserID, err)
	}
	return organization.MayTouch(ctx, tx.Granted, p.Grant, row.RoleID)
}

func (o *Operations) updateMember(ctx context.Context, tx *db.Tx, c api.Call[memberPath], b UpdateTeamMemberRequest) (api.Document[MembershipResource], error) {
	var none api.Document[MembershipResource]
	if err := locked(ctx, tx, c.Parent); err != nil {
		return none, err
	}
	if len(c.Fields) == 0 {
		if err := organization.Grantable(ctx, tx.Granted, c.Parent.Grant, c.Fields, "role_id", b.RoleID); err != nil {
			return none, err
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.SetTeamMemberRole(ctx, c.Parent.Team.ID, c.Parent.member.UserID, b.RoleID, tx.Micros())
	if err != nil {
		return none, fmt.Errorf("update member: %w", err)
	}
	if err := forget(ctx, tx, c.Parent.OrganizationID, c.Parent.member.UserID, &c.Parent.Team.ID); err != nil {
		return none, err
	}
	return o.memberDocument(ctx, tx.SQL, c.Parent.membersPath(), ofTeam(row))
}

func (o *Operations) removeMember(ctx context.Context, tx *db.Tx, c api.Call[memberPath], _ api.NoBody) (api.Empty, error) {
	if err := locked(ctx, tx, c.Parent); err != nil {
		return api.Empty{}, err
	}
	if err := tx.DeleteTeamMember(ctx, c.Parent.Team.ID, c.Parent.member.UserID); err != nil {
		return api.Empty{}, fmt.Errorf("remove member: %w", err)
	}
	return api.Empty{}, errors.Join(forgetIdle(ctx, tx, c.Parent.OrganizationID), forget(ctx, tx, c.Parent.OrganizationID, c.Parent.member.UserID,
		&c.Parent.Team.ID))
}

func (o *Operations) organizationMemberInPath(ctx context.Context, actor access.Actor, path api.PathValues) (organizationMemberPath, error) {
	org, err := o.Organizations.InPath(ctx, actor, path)
	if err != nil {
		return organizationMemberPath{}, err
	}
	id, err := path.ID("user")
	if err != nil {
		return organizationMemberPath{}, err
	}
	rows, err := db.All[query.Membership](ctx, o.DB.Reader(), "memberships", append(visibleMembers(org.Grant), db.Equal("user_id", id))...)
	if err != nil {
		return organizationMemberPath{}, err
	}
	if len(rows) == 0 {
		return organizationMemberPath{}, access.ErrNotFound
	}
	return organizationMemberPath{org, rows[0]}, nil
}

// visibleMembers returns the condition on the members that a caller can see: members through teams only see the people there.
func visibleMembers(g access.Grant) []db.Cond {
	own := []db.Cond{db.Equal("organization_id", g.OrganizationID)}
	if g.Direct {
		return own
	}
	teams := []any{}
	for _, t := range g.Teams {
		teams = append(teams, t.TeamID)
	}
	in := db.Equal("team_id", teams...)
	return append(own, db.Cond{SQL: "user_id IN (SELECT user_id FROM team_members WHERE " + in.SQL + ")", Args: in.Args})
}

func (o *Operations) organizationMembers(ctx context.Context, c api.Call[organization.Path]) (api.Collection[MembershipResource], error) {
	return membershipPage(ctx, o, "/orgs/"+c.Parent.Slug+"/members", c.List.Of("memberships", visibleMembers(c.Parent.Grant)...), ofOrganization)
}

func (o *Operations) organizationMember(ctx context.Context, c api.Call[organizationMemberPath]) (api.Document[MembershipResource], error) {
	return o.memberDocument(ctx, o.DB.Reader(), "/orgs/"+c.Parent.Slug+"/members", ofOrganization(c.Parent.member))
}

const messageLastOwner = "An organization has at least one owner. Make another member an owner first."

// lastOwner reports whether a member is the only owner. Of two owners who leave at once one waits here for the other.
func lastOwner(ctx context.Context, tx *db.Tx, organization query.InOrganization, user int64) (bool, error) {
	if err := tx.LockOrganization(ctx, organization.InOrganization()); err != nil {
		return false, fmt.Errorf("count owners: %w", err)
	}
	m, err := tx.GetMembership(ctx, organization, user)
	if err != nil {
		return false, fmt.Errorf("count owners: %w", err)
	}
	if m.RoleID != access.RoleOwner {
		return false, nil
	}
	n, err := tx.CountOwners(ctx, organization)
	if err != nil {
		return false, fmt.Errorf("count owners: %w", err)
	}
	return n == 1, nil
}

func (o *Operations) updateOrganizationMember(ctx context.Context, tx *db.Tx, c api.Call[organizationMemberPath],
	b UpdateTeamMemberRequest,
) (api.Document[MembershipResource], error) {
	var none api.Document[MembershipResource]
	if err := lockedInOrganization(ctx, tx, c.Parent); err != nil {
		return none, err
	}
	if len(c.Fields) == 0 {
		if err := organization.Grantable(ctx, tx.Granted, c.Parent.Grant, c.Fields, "role_id", b.RoleID); err != nil {
			return none, err
		}
	}
	if b.RoleID != access.RoleOwner && len(c.Fields) == 0 {
		last, err := lastOwner(ctx, tx, c.Parent, c.Parent.member.UserID)
		if err != nil {
			return none, err
		}
		if last {
			c.Fields.Add("role_id", "%s", messageLastOwner)
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.SetMembershipRole(ctx, c.Parent.OrganizationID, c.Parent.member.UserID, b.RoleID, tx.Micros())
	if err != nil {
		return none, fmt.Errorf("update member: %w", err)
	}
	if err := organization.CloseInvitations(ctx, tx, c.Parent.OrganizationID); err != nil {
		return none, err
	}
	return o.memberDocument(ctx, tx.SQL, "/orgs/"+c.Parent.Slug+"/members", ofOrganization(row))
}

func (o *Operations) removeOrganizationMember(ctx context.Context, tx *db.Tx, c api.Call[organizationMemberPath], _ api.NoBody) (api.Empty, error) {
	if err := lockedInOrganization(ctx, tx, c.Parent); err != nil {
		return api.Empty{}, err
	}
	return api.Empty{}, end(ctx, tx, c.Parent.Grant, c.Parent.member.UserID)
}

func (o *Operations) leave(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], _ api.NoBody) (api.Empty, error) {
	row, err := tx.GetMembership(ctx, c.Parent, c.Parent.UserID)
	if err != nil {
		return api.Empty{}, fmt.Errorf("read membership: %w", err)
	}
	doc, err := o.memberDocument(ctx, tx.SQL, "/orgs/"+c.Parent.Slug+"/members", ofOrganization(row))
	if err == nil {
		err = api.Was(ctx, doc.Data)
	}
	if err != nil {
		return api.Empty{}, err
	}
	return api.Empty{}, end(ctx, tx, c.Parent.Grant, c.Parent.UserID)
}

// end takes a user out of an organization and of its teams.
func end(ctx context.Context, tx *db.Tx, in access.Grant, user int64) error {
	org := in.OrganizationID
	last, err := lastOwner(ctx, tx, in, user)
	if err != nil {
		return err
	}
	if last {
		return api.Conflict("%s", messageLastOwner)
	}
	err = errors.Join(tx.DeleteTeamMemberships(ctx, user, org), tx.DeleteMembership(ctx, org, user))
	if err != nil {
		return fmt.Errorf("end membership: %w", err)
	}
	return forget(ctx, tx, org, user, nil)
}

// forget closes the open invitations to a person whose role in an organization, or in a team of it, was changed, and those of
// theirs that have lost their backing: neither restores what was revoked.
func forget(ctx context.Context, tx *db.Tx, org, user int64, team *int64) error {
	if err := tx.DeleteInvitationsTo(ctx, org, user, team); err != nil {
		return fmt.Errorf("close invitations to user %d: %w", user, err)
	}
	return organization.CloseInvitations(ctx, tx, org)
}
