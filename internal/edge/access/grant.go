// Package access identifies callers, and defines permissions, the roles made of them, and what a caller was granted. Stores take a Grant, never a bare
// id of an organization: loading is authorizing.
package access

import (
	"errors"
	"fmt"
	"slices"
)

// ErrNotFound is a store's error for a row that does not exist, or that the caller is not allowed to see; the two are indistinguishable.
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
	// Scopes restricts what a token can do; a session has all of them.
	Scopes Set
	// RateLimit is the token's own limit of requests per minute, zero for none.
	RateLimit int
	// Organizations restricts where a token is valid; nil is everywhere.
	Organizations []int64
}

// Person returns the account that calls.
func (a Actor) Person() int64 { return a.UserID }

// Reaches reports whether the credential is valid in an organization.
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

// Authority checks permissions: an Actor for operations outside of organizations, a Grant inside.
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

// Grant is an actor inside an organization: the argument of stores.
type Grant struct {
	Actor
	OrganizationID int64
	Slug           string
	// Role is what the member's role permits; inside something that is shared with teams, what the roles in those teams permit.
	Role Set
	// outside is what the role in the organization permits, wherever the grant applies.
	outside Set
	// Owner is set for owners of the organization. A custom role may have every permission and still can't make an owner.
	Owner bool
	// Direct is set for members with a role in the organization; the others are members through teams only, and see what is shared with those.
	Direct bool
	// Teams are the teams that the member is in.
	Teams []TeamGrant
}

// InOrganization returns the organization that a call is in.
func (g Grant) InOrganization() int64 { return g.OrganizationID }

// TeamGrant is a membership in a team.
type TeamGrant struct {
	TeamID int64
	Role   Set
}

// organizational are the permissions over the organization as a whole: they come with a role in the organization, never with one in a team.
var organizational = SetOf(OrganizationManage, OrganizationDelete, BillingManage, IntegrationsManage, StorageManage)

// NewGrant returns the grant of a member: role is the role in the organization, direct whether there is one.
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

// SeesAll reports whether sharing does not restrict this member, because they manage the organization.
func (g Grant) SeesAll() bool { return g.Outside(OrganizationManage) }

// Outside reports whether the member's role in the organization has p, whatever the grant is inside of.
func (g Grant) Outside(p Permission) bool { return g.Direct && g.outside.Has(p) }

// TeamIDs returns the member's teams in which their role has p.
func (g Grant) TeamIDs(p Permission) []any {
	out := []any{}
	for _, t := range g.Teams {
		if t.Role.Has(p) {
			out = append(out, t.TeamID)
		}
	}
	return out
}

// Within returns the grant inside a thing that is shared with these teams. Without teams it belongs to all members of the
// organization; otherwise it belongs to the members of those teams, with their roles there. For all others the error is
// ErrNotFound. What the grant was inside of before does not count: a role in one place is none in another.
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

// MayGive returns what the member can give to others: what their role permits, as far as the token reaches. View permissions are
// not restricted by the token, so that one that invites can invite viewers.
func (g Grant) MayGive() Set { return g.Role.Intersect(g.Scopes.Union(viewerPermissions())) }

// Require checks the role and the token alike: a token never replaces a permission that the role lacks, nor the role a scope.
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

// Denied is the refusal of a caller who is allowed to know that the thing exists.
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
