package organization

import (
	"context"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
)

// The names shown in place of people who are not in the caller's organization or teams.
const (
	formerMember = "A former member"
	otherMember  = "A member of another team"
)

// Initiators returns the users who began work as a caller may see them: the members of the organization, and to a member through teams those of these teams.
// The others are there without name and address: they left, or worked on a server before it was transferred here.
func Initiators(ctx context.Context, q query.DBTX, r *api.Router, g access.Grant, ids []any) ([]any, error) {
	users, err := db.All[query.User](ctx, q, "users", db.Equal("id", ids...))
	if err != nil {
		return nil, err
	}
	members, err := db.All[query.Membership](ctx, q, "memberships", db.Equal("organization_id", g.OrganizationID), db.Equal("user_id", ids...))
	if err != nil {
		return nil, err
	}
	var fellows []query.TeamMember
	if !g.Direct {
		teams := make([]any, len(g.Teams))
		for i, t := range g.Teams {
			teams[i] = t.TeamID
		}
		if fellows, err = db.All[query.TeamMember](ctx, q, "team_members", db.Equal("team_id", teams...), db.Equal("user_id", ids...)); err != nil {
			return nil, err
		}
	}
	var out []any
	for _, u := range users {
		switch {
		case u.ID == g.UserID:
		case !slices.ContainsFunc(members, func(m query.Membership) bool { return m.UserID == u.ID }):
			u = query.User{ID: u.ID, Name: formerMember, CreatedAt: u.CreatedAt, UpdatedAt: u.CreatedAt}
		case !g.Direct && !slices.ContainsFunc(fellows, func(m query.TeamMember) bool { return m.UserID == u.ID }):
			u = query.User{ID: u.ID, Name: otherMember, CreatedAt: u.CreatedAt, UpdatedAt: u.CreatedAt}
		}
		out = append(out, account.NewResource(r, u))
	}
	return out, nil
}
