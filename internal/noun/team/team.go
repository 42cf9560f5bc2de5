// Package team manages sharing: teams, their members and invitations, what is shared with them, and the members of organizations.
package team

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/credential"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/recipe"
	"github.com/hostlerhq/hostler/internal/noun/role"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// TeamAttributes are the attributes of a team.
type TeamAttributes struct {
	Name      string       `json:"name"`
	CreatedAt api.NullTime `json:"created_at"`
	UpdatedAt api.NullTime `json:"updated_at"`
}

// ResourceType returns teams.
func (TeamAttributes) ResourceType() string { return "teams" }

// Resource is a team in a document.
type Resource = api.Resource[TeamAttributes, api.NoRelationships]

// Path is a team that the caller can see, with its organization.
type Path struct {
	organization.Path
	Team query.Team
}

// Operations are the operations on teams.
type Operations struct {
	DB            *db.DB
	Organizations *organization.Store
	Servers       *server.Store
	Credentials   *credential.Store
	Recipes       *recipe.Store
	Inviter       *organization.Inviter
	Router        *api.Router
}

// RoleRef names a role in a body.
type RoleRef struct {
	ID int64 `json:"id"`
}

// MemberRef names a member with the role in the team, default the one in the organization.
type MemberRef struct {
	ID   int64    `json:"id"`
	Role *RoleRef `json:"role,omitempty"`
}

// InviteRef names an address to invite, with the role in the team, default Viewer.
type InviteRef struct {
	Email string   `json:"email" format:"email"`
	Role  *RoleRef `json:"role,omitempty"`
}

// CreateTeamRequest asks for a team.
type CreateTeamRequest struct {
	Name    string      `json:"name" maxLength:"255"`
	Users   []MemberRef `json:"users,omitempty" nullable:"false"`
	Invites []InviteRef `json:"invites,omitempty" nullable:"false"`
}

// UpdateTeamRequest changes a team. Users, where given, are all its members.
type UpdateTeamRequest struct {
	Name  string      `json:"name" maxLength:"255"`
	Users []MemberRef `json:"users,omitempty" nullable:"false"`
}

const (
	many   = "/orgs/{organization}/teams"
	single = "/orgs/{organization}/teams/{team}"
)

var (
	view    = []access.Permission{access.TeamView}
	create  = []access.Permission{access.TeamCreate}
	destroy = []access.Permission{access.TeamDelete}
)

// Register adds the operations.
func (o *Operations) Register() {
	op := func(id, method, path, summary string, permissions []access.Permission) api.Operation {
		return api.Operation{ID: id, Method: method, Path: path, Tag: "Teams", Mode: api.Sync, Permissions: permissions, Summary: summary}
	}
	api.Index(o.Router, op("organizations.teams.index", http.MethodGet, many, "List teams", view), o.Organizations.InPath, o.index)
	store := op("organizations.teams.store", http.MethodPost, many, "Create a team", create)
	store.Description = "Without a mail server, the links of the invitations are in meta.shown_once.invitations, to be handed on."
	api.Write(o.Router, store, o.Organizations.InPath, o.store)
	api.Show(o.Router, op("organizations.teams.show", http.MethodGet, single, "Get a team", view), o.inPath, o.show)
	update := op("organizations.teams.update", http.MethodPut, single, "Update a team", create)
	update.Formerly = "teams rename"
	api.Write(o.Router, update, o.inPath, o.update)
	remove := op("organizations.teams.destroy", http.MethodDelete, single, "Delete a team", destroy)
	remove.Status = http.StatusNoContent
	remove.Description = "Resources that were shared only with this team become available to the whole organization again."
	api.WriteEmpty(o.Router, remove, o.inPath, o.destroy)
	o.registerMembers(op)
	o.registerInvitations(op)
	o.registerShares()
}

func (o *Operations) inPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	org, err := o.Organizations.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("team")
	if err != nil {
		return Path{}, err
	}
	row, err := o.DB.Read().GetTeam(ctx, org, id)
	if err != nil {
		return Path{}, fmt.Errorf("read team %d: %w", id, err)
	}
	if !org.Direct { // the role in this team counts, not those in others
		if org.Grant, err = org.Within([]int64{id}); err != nil {
			return Path{}, err
		}
	}
	return Path{Path: org, Team: row}, nil
}

func (o *Operations) resource(slug string, t query.Team) Resource {
	id := strconv.FormatInt(t.ID, 10)
	return Resource{
		ID: id, Links: o.Router.Links("/orgs/" + slug + "/teams/" + id),
		Attributes: TeamAttributes{Name: t.Name, CreatedAt: api.NullTimeOf(&t.CreatedAt), UpdatedAt: api.NullTimeOf(&t.UpdatedAt)},
	}
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	where := []db.Cond{db.Equal("organization_id", c.Parent.OrganizationID)}
	if !c.Parent.Direct {
		where = append(where, db.Equal("id", c.Parent.TeamIDs(access.TeamView)...))
	}
	return api.Paged(ctx, o.DB.Reader(), c.List.Of("teams", where...), api.Each(func(row query.Team) Resource {
		return o.resource(c.Parent.Slug, row)
	}))
}

func (o *Operations) show(_ context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return api.Document[Resource]{Data: o.resource(c.Parent.Slug, c.Parent.Team)}, nil
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], b CreateTeamRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if !c.Parent.Direct {
		return none, &access.Denied{Missing: access.TeamCreate}
	}
	name := c.Fields.Trimmed("name", b.Name)
	roles, err := o.checkMembers(ctx, tx, c.Fields, c.Parent.Grant, b.Users)
	if err != nil {
		return none, err
	}
	invited := make([]string, len(b.Invites))
	for i, inv := range b.Invites {
		field := "invites." + strconv.Itoa(i)
		invited[i] = organization.CheckEmail(c.Fields, field+".email", inv.Email)
		if invited[i] != "" { // another one for the address would replace the one before, whose link is shown
			api.Unique(c.Fields, field+".email", invited[:i], invited[i])
		}
		if err := organization.Grantable(ctx, tx.Granted, c.Parent.Grant, c.Fields, field+".role.id", inv.roleID()); err != nil {
			return none, err
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.InsertTeam(ctx, c.Parent.OrganizationID, name, tx.Micros())
	if db.IsUnique(err) {
		return none, api.Invalid("name", "The name has already been taken.")
	}
	if err != nil {
		return none, fmt.Errorf("create team: %w", err)
	}
	for i, m := range b.Users {
		if _, err := tx.PutTeamMember(ctx, row.ID, m.ID, roles[i], tx.Micros()); err != nil {
			return none, fmt.Errorf("add member: %w", err)
		}
	}
	res := o.resource(c.Parent.Slug, row)
	var links []api.ShownInvitation
	for i, inv := range b.Invites {
		_, link, err := o.Inviter.Invite(ctx, tx, c.Parent.Organization, &row, c.Parent.Grant, invited[i], inv.roleID())
		if err != nil {
			return none, err
		}
		if shown := o.Inviter.Shown(link); shown != (api.Secret{}) {
			links = append(links, api.ShownInvitation{Email: invited[i], URL: shown})
		}
	}
	if links != nil {
		res.Meta = &api.Meta{ShownOnce: &api.ShownOnce{Invitations: links}}
	}
	return api.Document[Resource]{Data: res, Location: fmt.Sprintf("/orgs/%s/teams/%d", c.Parent.Slug, row.ID)}, nil
}

func (i InviteRef) roleID() int64 {
	if i.Role == nil {
		return access.RoleViewer
	}
	return i.Role.ID
}

// checkMembers looks for the members in a body, and returns their roles. It locks the organization, so that they are still members when they are written.
func (o *Operations) checkMembers(ctx context.Context, tx *db.Tx, f api.Fields, g access.Grant, users []MemberRef) ([]int64, error) {
	if err := lock(ctx, tx, g.OrganizationID); err != nil {
		return nil, err
	}
	var ids []any
	for _, u := range users {
		ids = append(ids, u.ID)
	}
	rows, err := db.All[query.Membership](ctx, tx.SQL, "memberships", db.Equal("organization_id", g.OrganizationID), db.Equal("user_id", ids...))
	if err != nil {
		return nil, err
	}
	roles := make([]int64, len(users))
	for i, u := range users {
		field := "users." + strconv.Itoa(i)
		j := slices.IndexFunc(rows, func(m query.Membership) bool { return m.UserID == u.ID })
		switch {
		case j < 0:
			f.Add(field+".id", "The selected %s.id does not exist.", field)
			continue
		case !api.Unique(f, field+".id", ids[:i], any(u.ID)):
			continue
		case u.Role != nil:
			roles[i] = u.Role.ID
		default:
			if roles[i] = rows[j].RoleID; roles[i] == 0 {
				roles[i] = access.RoleViewer
			}
		}
		if err := organization.Grantable(ctx, tx.Granted, g, f, field+".role.id", roles[i]); err != nil {
			return nil, err
		}
	}
	return roles, nil
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateTeamRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	name := c.Fields.Trimmed("name", b.Name)
	roles, err := o.checkMembers(ctx, tx, c.Fields, c.Parent.Grant, b.Users)
	if err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if b.Users != nil {
		if err := o.replaceMembers(ctx, tx, c.Parent, b.Users, roles); err != nil {
			return none, err
		}
	}
	row, err := tx.RenameTeam(ctx, c.Parent.Team.ID, name, tx.Micros())
	if db.IsUnique(err) {
		return none, api.Invalid("name", "The name has already been taken.")
	}
	if err != nil {
		return none, fmt.Errorf("update team: %w", err)
	}
	return api.Document[Resource]{Data: o.resource(c.Parent.Slug, row)}, nil
}

// replaceMembers replaces all members. A caller can't remove a member whose role permits more than the caller's.
func (o *Operations) replaceMembers(ctx context.Context, tx *db.Tx, p Path, users []MemberRef, roles []int64) error {
	rows, err := db.All[query.TeamMember](ctx, tx.SQL, "team_members", db.Equal("team_id", p.Team.ID))
	if err != nil {
		return err
	}
	for _, row := range rows {
		i := slices.IndexFunc(users, func(u MemberRef) bool { return u.ID == row.UserID })
		if i >= 0 && roles[i] == row.RoleID {
			continue
		}
		if err := organization.MayTouch(ctx, tx.Granted, p.Grant, row.RoleID); err != nil {
			return err
		}
		if i < 0 {
			if err := tx.DeleteTeamMember(ctx, p.Team.ID, row.UserID); err != nil {
				return fmt.Errorf("remove member: %w", err)
			}
		}
		if err := tx.DeleteInvitationsTo(ctx, p.OrganizationID, row.UserID, &p.Team.ID); err != nil {
			return fmt.Errorf("close invitations to user %d: %w", row.UserID, err)
		}
	}
	for i, u := range users {
		if _, err := tx.PutTeamMember(ctx, p.Team.ID, u.ID, roles[i], tx.Micros()); err != nil {
			return fmt.Errorf("set member: %w", err)
		}
	}
	return forgetIdle(ctx, tx, p.OrganizationID)
}

// forgetIdle ends the membership of people who were in the organization through teams, and are in none any more, with the invitations that they sent.
func forgetIdle(ctx context.Context, tx *db.Tx, org int64) error {
	if err := tx.DeleteIdleMemberships(ctx, org); err != nil {
		return fmt.Errorf("end memberships: %w", err)
	}
	return organization.CloseInvitations(ctx, tx, org)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	if err := lock(ctx, tx, c.Parent.OrganizationID); err != nil { // so that no invitation to the team is accepted meanwhile
		return api.Empty{}, err
	}
	if err := tx.DeleteTeam(ctx, c.Parent.Team.ID); err != nil {
		return api.Empty{}, fmt.Errorf("delete team: %w", err)
	}
	return api.Empty{}, forgetIdle(ctx, tx, c.Parent.OrganizationID)
}

// roleResources returns the documents of roles that members have, for included.
func (o *Operations) roleResources(ctx context.Context, q query.DBTX, g access.Grant, ids []any) ([]any, error) {
	rows, err := db.All[query.Role](ctx, q, "roles", db.Equal("id", ids...))
	if err != nil {
		return nil, err
	}
	sets, err := organization.RoleSets(ctx, q, rows...)
	if err != nil {
		return nil, err
	}
	var out []any
	for i, row := range rows {
		out = append(out, role.NewResource(o.Router, g.Slug, row, sets[i]))
	}
	return out, nil
}
