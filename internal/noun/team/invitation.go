package team

import (
	"context"
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

// TeamInvitationAttributes are the attributes of an invitation that is open.
type TeamInvitationAttributes struct {
	Email     string       `json:"email"`
	CreatedAt api.NullTime `json:"created_at"`
	UpdatedAt api.NullTime `json:"updated_at"`
}

// ResourceType returns teamInvitations.
func (TeamInvitationAttributes) ResourceType() string { return "teamInvitations" }

// Metas are what the meta of these resources has besides.
func (TeamInvitationAttributes) Metas() []any { return []any{InvitationMeta{}} }

// TeamInvitationRelationships are an invitation's relationships. The team is null for an invitation to the organization.
type TeamInvitationRelationships struct {
	Role         api.ToOne[role.RoleAttributes]                 `json:"role"`
	Team         api.ToOne[TeamAttributes]                      `json:"team"`
	Organization api.ToOne[organization.OrganizationAttributes] `json:"organization"`
}

// InvitationResource is an invitation in a document.
type InvitationResource = api.Resource[TeamInvitationAttributes, TeamInvitationRelationships]

// CreateTeamInviteRequest invites an address.
type CreateTeamInviteRequest struct {
	RoleID int64  `json:"role_id"`
	Email  string `json:"email" format:"email"`
}

// invitedPath is an open invitation, and its target: a team, or nil for the organization.
type invitedPath struct {
	organization.Path
	team       *query.Team
	invitation query.Invitation
}

func (o *Operations) registerInvitations(op func(id, method, path, summary string, permissions []access.Permission) api.Operation) {
	const many, single = single + "/invites", single + "/invites/{invitation}"
	included := []any{role.RoleResource{}, Resource{}, organization.Resource{}}
	with := func(op api.Operation) api.Operation { op.Included = included; return op }
	list := func(op api.Operation) api.Operation {
		op.Includes = []api.Include{
			{Name: "role", Resource: role.RoleResource{}},
			{Name: "team", Resource: Resource{}},
			{Name: "organization", Resource: organization.Resource{}},
		}
		return with(op)
	}
	ofTeam := func(op api.Operation) api.Operation { op.Noun = "team-invites"; return op }
	store := ofTeam(with(op("organizations.teams.invites.store", http.MethodPost, many, "Invite a person to a team", create)))
	store.Mode, store.Description = api.Async, "The invitation is for this address only, works once and expires after 7 days. Inviting again replaces it. "+
		"meta.delivery says how the link is delivered. Without a mail server the link is in meta.shown_once.url, to be handed on."
	api.Index(o.Router, ofTeam(list(op("organizations.teams.invites.index", http.MethodGet, many, "List the open invitations to a team", view))),
		o.invitesOfTeam, o.invites)
	api.Write(o.Router, store, o.invitesOfTeam, o.invite)
	api.Show(o.Router, ofTeam(list(op("organizations.teams.invites.show", http.MethodGet, single, "Get an invitation to a team", view))),
		o.inviteOfTeam, o.invitation)
	cancel := ofTeam(op("organizations.teams.invites.destroy", http.MethodDelete, single, "Cancel an invitation to a team", destroy))
	cancel.Status = http.StatusNoContent
	api.WriteEmpty(o.Router, cancel, o.inviteOfTeam, o.cancelInvite)

	const manyOfOrg, singleOfOrg = "/orgs/{organization}/invites", "/orgs/{organization}/invites/{invitation}"
	ours := func(op api.Operation) api.Operation { op.Tag, op.Extension = "Organizations", true; return op }
	viewOrg, manage := []access.Permission{access.OrganizationView}, []access.Permission{access.OrganizationManage}
	index := ours(list(op("organizations.invites.index", http.MethodGet, manyOfOrg, "List the open invitations to an organization", viewOrg)))
	index.Formerly = "members invites"
	api.Index(o.Router, index, o.invitesOfOrganization, o.invites)
	store = ours(with(op("organizations.invites.store", http.MethodPost, manyOfOrg, "Invite a person to an organization", manage)))
	store.Formerly = "members invite"
	api.Write(o.Router, store, o.invitesOfOrganization, o.invite)
	api.Show(o.Router, ours(list(op("organizations.invites.show", http.MethodGet, singleOfOrg, "Get an invitation to an organization", viewOrg))),
		o.inviteOfOrganization, o.invitation)
	cancel = ours(op("organizations.invites.destroy", http.MethodDelete, singleOfOrg, "Cancel an invitation to an organization", manage))
	cancel.Status, cancel.Formerly = http.StatusNoContent, "members uninvite"
	api.WriteEmpty(o.Router, cancel, o.inviteOfOrganization, o.cancelInvite)
}

func (o *Operations) invitesOfTeam(ctx context.Context, actor access.Actor, path api.PathValues) (invitedPath, error) {
	p, err := o.inPath(ctx, actor, path)
	return invitedPath{Path: p.Path, team: &p.Team}, err
}

func (o *Operations) invitesOfOrganization(ctx context.Context, actor access.Actor, path api.PathValues) (invitedPath, error) {
	p, err := o.Organizations.InPath(ctx, actor, path)
	if err == nil && !p.Direct { // who else comes to the organization is none of a team's guests' business
		err = access.ErrNotFound
	}
	return invitedPath{Path: p}, err
}

func (o *Operations) inviteOfTeam(ctx context.Context, actor access.Actor, path api.PathValues) (invitedPath, error) {
	p, err := o.invitesOfTeam(ctx, actor, path)
	if err != nil {
		return invitedPath{}, err
	}
	return o.inviteInPath(ctx, p, path)
}

func (o *Operations) inviteOfOrganization(ctx context.Context, actor access.Actor, path api.PathValues) (invitedPath, error) {
	p, err := o.invitesOfOrganization(ctx, actor, path)
	if err != nil {
		return invitedPath{}, err
	}
	return o.inviteInPath(ctx, p, path)
}

func (o *Operations) inviteInPath(ctx context.Context, p invitedPath, path api.PathValues) (invitedPath, error) {
	id, err := path.ID("invitation")
	if err != nil {
		return p, err
	}
	row, err := o.DB.Read().GetInvitation(ctx, p, id)
	if err != nil {
		return p, fmt.Errorf("read invitation %d: %w", id, err)
	}
	if (p.team == nil) != (row.TeamID == nil) || p.team != nil && p.team.ID != *row.TeamID {
		return p, access.ErrNotFound
	}
	p.invitation = row
	return p, nil
}

// InvitationMeta is what invitations add to meta.
type InvitationMeta struct {
	// Delivery is how an invitation's link reaches the person: by "mail", or, without a mail server, through the installation's "log".
	Delivery string `json:"delivery,omitempty" enum:"mail,log"`
	// MailedAt and MailFailure are what became of the email: null and empty until the mail server was asked.
	MailedAt    api.NullTime `json:"mailed_at" doc:"When the mail server took the email. Null before that, and if it did not."`
	MailFailure string       `json:"mail_failure,omitempty" doc:"Why the mail server last refused the email, in full for managers."`
}

func (o *Operations) invitationResource(p invitedPath, list api.ListQuery, row query.Invitation) InvitationResource {
	id := strconv.FormatInt(row.ID, 10)
	res := InvitationResource{
		ID: id, Links: o.Router.Links("/orgs/" + p.Slug + "/invites/" + id),
		Attributes: TeamInvitationAttributes{Email: row.Email, CreatedAt: api.NullTimeOf(&row.CreatedAt), UpdatedAt: api.NullTimeOf(&row.UpdatedAt)},
		Relationships: &TeamInvitationRelationships{
			Role:         api.One[role.RoleAttributes](row.RoleID),
			Organization: api.One[organization.OrganizationAttributes](row.OrganizationID),
		},
	}
	counts := map[string]int{"role": 1, "organization": 1, "team": 0}
	if p.team != nil {
		res.Links = o.Router.Links(fmt.Sprintf("/orgs/%s/teams/%d/invites/%s", p.Slug, p.team.ID, id))
		res.Relationships.Team = api.One[TeamAttributes](p.team.ID)
		counts["team"] = 1
	}
	failure := row.MailFailure
	// A mail server's answer may name other addresses, and is for those who manage.
	if failure != "" && !p.Grant.May(access.OrganizationManage) {
		failure = "the mail server did not take it"
	}
	mailed := InvitationMeta{o.Inviter.Mail.Delivery(), api.NullTimeOf(row.MailedAt), failure}
	res.Meta = &api.Meta{Own: []any{mailed}, Included: list.Counts(counts)}
	return res
}

func (o *Operations) invites(ctx context.Context, c api.Call[invitedPath]) (api.Collection[InvitationResource], error) {
	where := []db.Cond{db.Equal("organization_id", c.Parent.OrganizationID), {SQL: "accepted_at IS NULL"}, {SQL: "team_id IS NULL"}}
	if c.Parent.team != nil {
		where[2] = db.Equal("team_id", c.Parent.team.ID)
	}
	page, err := db.Select[query.Invitation](ctx, o.DB.Reader(), c.List.Of("invitations", where...))
	if err != nil {
		return api.Collection[InvitationResource]{}, err
	}
	out := api.Collection[InvitationResource]{Next: page.Next, Prev: page.Prev}
	out.Data, out.Included, err = o.invitationResources(ctx, c, page.Rows...)
	return out, err
}

// invitationResources makes the documents of invitations, and of what include asks for.
func (o *Operations) invitationResources(ctx context.Context, c api.Call[invitedPath], rows ...query.Invitation) (data []InvitationResource, included []any,
	err error,
) {
	var roles []any
	for _, row := range rows {
		data, roles = append(data, o.invitationResource(c.Parent, c.List, row)), append(roles, row.RoleID)
	}
	if len(rows) == 0 {
		return nil, nil, nil
	}
	if c.List.Includes("role") {
		if included, err = o.roleResources(ctx, o.DB.Reader(), c.Parent.Grant, roles); err != nil {
			return nil, nil, err
		}
	}
	if c.List.Includes("team") && c.Parent.team != nil {
		included = append(included, o.resource(c.Parent.Slug, *c.Parent.team))
	}
	if c.List.Includes("organization") {
		included = append(included, organization.NewResource(o.Router, c.Parent.Organization))
	}
	return data, included, nil
}

func (o *Operations) invite(ctx context.Context, tx *db.Tx, c api.Call[invitedPath], b CreateTeamInviteRequest) (api.Document[InvitationResource], error) {
	var none api.Document[InvitationResource]
	email := organization.CheckEmail(c.Fields, "email", b.Email)
	if len(c.Fields["role_id"]) == 0 {
		if err := organization.Grantable(ctx, tx.Granted, c.Parent.Grant, c.Fields, "role_id", b.RoleID); err != nil {
			return none, err
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, link, err := o.Inviter.Invite(ctx, tx, c.Parent.Organization, c.Parent.team, c.Parent.Grant, email, b.RoleID)
	if err != nil {
		return none, err
	}
	res := o.invitationResource(c.Parent, api.ListQuery{}, row)
	if shown := o.Inviter.Shown(link); shown != (api.Secret{}) {
		res.Meta.ShownOnce = &api.ShownOnce{URL: shown}
	}
	location := "/orgs/" + c.Parent.Slug + "/invites/" + res.ID
	if c.Parent.team != nil {
		location = fmt.Sprintf("/orgs/%s/teams/%d/invites/%s", c.Parent.Slug, c.Parent.team.ID, res.ID)
	}
	return api.Document[InvitationResource]{Data: res, Location: location}, nil
}

func (o *Operations) invitation(ctx context.Context, c api.Call[invitedPath]) (api.Document[InvitationResource], error) {
	data, included, err := o.invitationResources(ctx, c, c.Parent.invitation)
	if err != nil {
		return api.Document[InvitationResource]{}, err
	}
	return api.Document[InvitationResource]{Data: data[0], Included: included}, nil
}

func (o *Operations) cancelInvite(ctx context.Context, tx *db.Tx, c api.Call[invitedPath], _ api.NoBody) (api.Empty, error) {
	if err := tx.DeleteInvitation(ctx, c.Parent.invitation.ID); err != nil {
		return api.Empty{}, fmt.Errorf("cancel invitation: %w", err)
	}
	return api.Empty{}, nil
}
