// Package organization is who owns everything: organizations and the membership of people in them.
package organization

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
)

// Path is an organization that the caller is a member of, as a path names it, with what the caller may do there.
type Path struct {
	access.Grant
	Organization query.Organization
}

// Store reads organizations.
type Store struct{ DB *db.DB }

// ErrSlug is returned for a slug that is malformed; ErrSlugTaken for one that exists.
var (
	ErrSlug      = errors.New("a slug is 1 to 63 lower-case letters, digits and dashes, and starts and ends with a letter or digit")
	ErrSlugTaken = errors.New("an organization with this slug exists")
	ErrOwner     = errors.New("there is no user with this e-mail address")
)

var slugPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// Create makes an organization owned by a user.
func Create(ctx context.Context, tx *db.Tx, name, slug string, owner int64) (query.Organization, error) {
	if !slugPattern.MatchString(slug) {
		return query.Organization{}, ErrSlug
	}
	org, err := tx.InsertOrganization(ctx, name, slug, tx.Micros(), tx.Micros())
	if db.IsUnique(err) {
		return org, ErrSlugTaken
	}
	if err != nil {
		return org, fmt.Errorf("create organization %s: %w", slug, err)
	}
	_, err = tx.InsertMembership(ctx, query.InsertMembershipParams{OrganizationID: org.ID, UserID: owner, RoleID: access.RoleOwner, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()})
	if err != nil {
		return org, fmt.Errorf("create organization %s: %w", slug, err)
	}
	return org, nil
}

// InPath loads the organization that a path names. Somebody else's is not found, like one that does not exist.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.Path) (Path, error) {
	return s.Get(ctx, actor, path.Slug("organization"))
}

// Get is the organization with this slug, if the actor is a member.
func (s *Store) Get(ctx context.Context, actor access.Actor, slug string) (Path, error) {
	org, err := s.DB.Read().GetOrganizationBySlug(ctx, slug)
	if err != nil {
		return Path{}, fmt.Errorf("read organization: %w", err)
	}
	member, err := s.DB.Read().GetMembership(ctx, org.ID, actor.UserID)
	if err != nil {
		return Path{}, fmt.Errorf("read membership: %w", err)
	}
	return Path{Grant: grant(actor, org, member), Organization: org}, nil
}

// Grants are the actor's grants in all organizations where role and token allow p, for the operations that cross organizations.
func (s *Store) Grants(ctx context.Context, actor access.Actor, p access.Permission) ([]access.Grant, error) {
	members, err := s.DB.Read().ListMemberships(ctx, actor.UserID)
	if err != nil {
		return nil, fmt.Errorf("read memberships: %w", err)
	}
	var ids []any
	for _, m := range members {
		ids = append(ids, m.OrganizationID)
	}
	orgs, err := db.All[query.Organization](ctx, s.DB.Reader(), "organizations", db.Equal("id", ids...))
	if err != nil {
		return nil, err
	}
	var out []access.Grant
	for _, m := range members {
		i := slices.IndexFunc(orgs, func(o query.Organization) bool { return o.ID == m.OrganizationID })
		if i < 0 {
			continue
		}
		if g := grant(actor, orgs[i], m); g.May(p) {
			out = append(out, g)
		}
	}
	return out, nil
}

func grant(actor access.Actor, org query.Organization, m query.Membership) access.Grant {
	g := access.Grant{Actor: actor, OrganizationID: org.ID, Slug: org.Slug}
	g.Role, _ = access.PermissionsOf(m.RoleID)
	return g
}

// IDs are the organizations of grants, for a list across them.
func IDs(grants []access.Grant) []any {
	out := make([]any, len(grants))
	for i, g := range grants {
		out[i] = g.OrganizationID
	}
	return out
}
