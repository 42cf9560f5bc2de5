// Package access is who is asking and what they may do. Stores take a Grant, never a bare id of an organization: loading is authorizing.
package access

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNotFound is what a store answers for a row that does not exist, or that the caller may not know of; the two can't be told apart.
var ErrNotFound = errors.New("not found")

// Actor is an authenticated caller.
type Actor struct {
	UserID int64
	// TokenID is zero for a session of the dashboard.
	TokenID int64
	// OAuthID is the grant of an OAuth token, zero for everything else.
	OAuthID int64
	// SessionID is zero for a token.
	SessionID int64
	// Scopes narrows what a token may do; a session has all of them.
	Scopes Set
	// RateLimit is the token's own limit of requests a minute, zero for none.
	RateLimit int
	// Organizations narrows where a token is good; nil is everywhere.
	Organizations []int64
}

// Reaches reports whether the credential is good in an organization.
func (a Actor) Reaches(organization int64) bool {
	return a.Organizations == nil || slices.Contains(a.Organizations, organization)
}

// Caller names the credential, for idempotency keys and limits.
func (a Actor) Caller() string {
	if a.TokenID != 0 {
		return fmt.Sprintf("token:%d", a.TokenID)
	}
	if a.OAuthID != 0 {
		return fmt.Sprintf("oauth:%d", a.OAuthID)
	}
	return fmt.Sprintf("user:%d", a.UserID)
}

// Authority can be asked whether it covers an operation: an Actor for operations outside of organizations, a Grant inside.
type Authority interface {
	// Require returns a *Denied that names the first permission that the role or the token lacks.
	Require(permissions ...Permission) error
}

// Require checks the token's scopes; outside of an organization there is no role.
func (a Actor) Require(permissions ...Permission) error {
	for _, p := range permissions {
		if !a.Scopes.Has(p) {
			return &Denied{Missing: p, Scope: true}
		}
	}
	return nil
}

// Grant is an actor inside an organization: what stores take.
type Grant struct {
	Actor
	OrganizationID int64
	Slug           string
	// Role is what the member's role permits, in a place that is shared with teams: what the roles in those teams permit.
	Role Set
	// outside is what the role in the organization permits, wherever the grant is good for.
	outside Set
	// Owner is set for owners of the organization. A custom role may hold every permission, and still makes nobody an owner.
	Owner bool
	// Direct is set for members with a role in the organization; the others are in it through teams only, and see what is shared with those.
	Direct bool
	// Teams are the teams that the member is in.
	Teams []TeamGrant
}

// InOrganization returns the organization that a call is in.
func (g Grant) InOrganization() int64 { return g.OrganizationID }

// TeamGrant is membership in a team.
type TeamGrant struct {
	TeamID int64
	Role   Set
}

// organizational is what concerns the organization as a whole: it comes with a role in the organization, never with one in a team.
var organizational = SetOf(OrganizationManage, OrganizationDelete, BillingManage, IntegrationsManage)

// NewGrant returns the grant of a member: role is the one in the organization, direct whether there is one.
func NewGrant(a Actor, role Set, direct bool, teams []TeamGrant) Grant {
	g := Grant{Actor: a, Role: role, Direct: direct, Teams: teams}
	if !direct {
		for _, t := range teams {
			g.Role = g.Role.Union(t.Role)
		}
		g.Role = g.Role.Without(organizational)
	}
	g.outside = g.Role
	return g
}

// SeesAll reports whether sharing narrows nothing for this member: for those who manage the organization.
func (g Grant) SeesAll() bool { return g.Direct && g.outside.Has(OrganizationManage) }

// TeamIDs returns the teams of the member whose role there has p.
func (g Grant) TeamIDs(p Permission) []any {
	out := []any{}
	for _, t := range g.Teams {
		if t.Role.Has(p) {
			out = append(out, t.TeamID)
		}
	}
	return out
}

// Within returns the grant inside a thing that is shared with these teams. What is shared with none belongs to all members of the organization;
// what is shared belongs to the members of those teams, with their roles there. ErrNotFound is for everybody else. What the grant was inside of
// before does not count: a role in one place is none in another.
func (g Grant) Within(shared []int64) (Grant, error) {
	if g.SeesAll() || len(shared) == 0 && g.Direct {
		g.Role = g.outside
		return g, nil
	}
	var role Set
	member := false
	for _, t := range g.Teams {
		if slices.Contains(shared, t.TeamID) {
			member, role = true, role.Union(t.Role)
		}
	}
	if !member {
		return Grant{}, ErrNotFound
	}
	g.Role = role.Without(organizational)
	return g, nil
}

// MayGive returns what the member can give others: what their role permits, as far as the token reaches. Looking is not held back by the token, so
// that one that invites can invite viewers.
func (g Grant) MayGive() Set { return g.Role.Intersect(g.Scopes.Union(viewerPermissions())) }

// InTeam reports whether the member is in a team.
func (g Grant) InTeam(id int64) bool {
	return slices.ContainsFunc(g.Teams, func(t TeamGrant) bool { return t.TeamID == id })
}

// Require checks the role and the token alike: a token never stands in for a permission that the role lacks, nor the role for a scope.
func (g Grant) Require(permissions ...Permission) error {
	for _, p := range permissions {
		if !g.Role.Has(p) {
			return &Denied{Missing: p}
		}
	}
	return g.Actor.Require(permissions...)
}

// May reports whether both the role and the token allow p.
func (g Grant) May(p Permission) bool { return g.Role.Has(p) && g.Scopes.Has(p) }

// Denied is a refusal of somebody who may know that the thing exists.
type Denied struct {
	Missing Permission
	// Scope is set when the token lacks it rather than the role.
	Scope bool
}

func (d *Denied) Error() string {
	if d.Scope {
		return fmt.Sprintf("This token does not have the scope %s.", d.Missing)
	}
	return fmt.Sprintf("Your role does not have the permission %s.", d.Missing)
}
