// Package access is who is asking and what they may do. Stores take a Grant, never a bare id of an organization: loading is authorizing.
package access

import (
	"errors"
	"fmt"
)

// ErrNotFound is what a store answers for a row that does not exist, or that the caller may not know of; the two can't be told apart.
var ErrNotFound = errors.New("not found")

// Actor is an authenticated caller.
type Actor struct {
	UserID int64
	// TokenID is zero for a session of the dashboard.
	TokenID int64
	// Scopes narrows what a token may do; a session has all of them.
	Scopes Set
}

// Caller names the credential, for idempotency keys and limits.
func (a Actor) Caller() string {
	if a.TokenID != 0 {
		return fmt.Sprintf("token:%d", a.TokenID)
	}
	return fmt.Sprintf("user:%d", a.UserID)
}

// Authority can be asked whether it covers an operation: an Actor for operations outside of organizations, a Grant inside.
type Authority interface {
	// Require returns a *Denied naming what is missing: permissions of the role, or scopes of the token.
	Require(permissions, scopes []Permission) error
}

// Require checks the token's scopes; outside of an organization there is no role.
func (a Actor) Require(_, scopes []Permission) error {
	for _, s := range scopes {
		if !a.Scopes.Has(s) {
			return &Denied{Missing: s, Scope: true}
		}
	}
	return nil
}

// Grant is an actor inside an organization: what stores take.
type Grant struct {
	Actor
	OrganizationID int64
	Slug           string
	// Role is what the member's role permits.
	Role Set
}

// Require checks the role's permissions and the token's scopes.
func (g Grant) Require(permissions, scopes []Permission) error {
	for _, p := range permissions {
		if !g.Role.Has(p) {
			return &Denied{Missing: p}
		}
	}
	return g.Actor.Require(nil, scopes)
}

// May tells whether both the role and the token allow p.
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
