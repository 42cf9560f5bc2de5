package organization

import (
	"context"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// rights are a person's roles in all of their organizations, read with four queries however many there are.
type rights struct {
	// custom are the permissions of organizations' own roles.
	custom map[ownRole]access.Set
	// teams are the person's teams, by organization.
	teams map[int64][]access.TeamGrant
}

// ownRole is a role of an organization's own.
type ownRole struct{ organization, role int64 }

// role returns what RolePermissions does.
func (r rights) role(organization, role int64) access.Set {
	if set, ok := access.PermissionsOf(role); ok {
		return set
	}
	return r.custom[ownRole{organization, role}]
}

func readRights(ctx context.Context, q query.DBTX, actor access.Actor, members []query.Membership) (rights, error) {
	out := rights{map[ownRole]access.Set{}, map[int64][]access.TeamGrant{}}
	in, err := db.All[query.TeamMember](ctx, q, "team_members", db.Equal("user_id", actor.UserID))
	if err != nil {
		return out, err
	}
	teams, err := readByID[query.Team](ctx, q, "teams", in, func(m query.TeamMember) int64 { return m.TeamID })
	if err != nil {
		return out, err
	}
	of := make(map[int64]int64, len(teams))
	for _, team := range teams {
		of[team.ID] = team.OrganizationID
	}
	var named []int64
	for _, m := range members {
		named = append(named, m.RoleID)
	}
	for _, m := range in {
		named = append(named, m.RoleID)
	}
	roles, err := readByID[query.Role](ctx, q, "roles", named, func(id int64) int64 { return id })
	if err != nil {
		return out, err
	}
	sets, err := RoleSets(ctx, q, roles...)
	if err != nil {
		return out, err
	}
	for i, role := range roles {
		if role.OrganizationID != nil {
			out.custom[ownRole{*role.OrganizationID, role.ID}] = sets[i]
		}
	}
	for _, m := range in {
		org := of[m.TeamID]
		out.teams[org] = append(out.teams[org], access.TeamGrant{TeamID: m.TeamID, Role: out.role(org, m.RoleID)})
	}
	return out, nil
}

// readByID returns the rows of a table that others name.
func readByID[R, F any](ctx context.Context, q query.DBTX, table string, from []F, id func(F) int64) ([]R, error) {
	ids := make([]any, len(from))
	for i, f := range from {
		ids[i] = id(f)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return db.All[R](ctx, q, table, db.Equal("id", ids...))
}
