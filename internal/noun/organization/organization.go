// Package organization is who owns everything: organizations and the membership of people in them.
package organization

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Parameter is the path parameter with the slug of an organization.
const Parameter = "organization"

// Path is an organization that the caller is a member of, as a path names it, with what the caller may do there.
type Path struct {
	access.Grant
	Organization query.Organization
}

// Store reads organizations.
type Store struct {
	DB *db.DB
	// OpenRegistration is the setting that is "true" where anyone can make an account.
	OpenRegistration string
}

// ErrSlug is returned for a slug that is malformed; ErrSlugTaken for one that exists.
var (
	ErrSlug      = errors.New("a slug is 1 to 63 lower-case letters, digits and dashes, and starts and ends with a letter or digit")
	ErrSlugTaken = errors.New("an organization with this slug exists")
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
	_, err = tx.InsertMembership(ctx, query.InsertMembershipParams{
		OrganizationID: org.ID, UserID: owner, RoleID: access.RoleOwner,
		CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return org, fmt.Errorf("create organization %s: %w", slug, err)
	}
	return org, nil
}

// Current locks a row of an organization until the transaction ends, and reads it by get: it may have changed since the path led to it.
func Current[R any](ctx context.Context, tx *db.Tx, table string, get func(context.Context, query.InOrganization, int64) (R, error),
	organization query.InOrganization, id int64,
) (R, error) {
	if err := tx.LockRow(ctx, table, id); err != nil {
		var none R
		return none, err
	}
	row, err := get(ctx, organization, id)
	if errors.Is(err, db.ErrNotFound) {
		return row, api.ErrNotFound
	}
	if err != nil {
		return row, fmt.Errorf("read row %d of %s: %w", id, table, err)
	}
	return row, nil
}

// InPath loads the organization that a path names. A foreign one is not found, like one that does not exist.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	return s.Get(ctx, actor, path.Slug(Parameter))
}

// Get returns the organization with this slug, if the actor is a member.
func (s *Store) Get(ctx context.Context, actor access.Actor, slug string) (Path, error) {
	return Get(ctx, s.DB.Read(), actor, slug)
}

// Get returns the organization with this slug, if the actor is a member and the credential is valid there; access.ErrNotFound otherwise.
func Get(ctx context.Context, q *query.Granted, actor access.Actor, slug string) (Path, error) {
	org, err := q.GetOrganizationOfMember(ctx, actor, slug)
	if err != nil {
		return Path{}, fmt.Errorf("read organization: %w", err)
	}
	if !actor.Reaches(org.ID) {
		return Path{}, access.ErrNotFound
	}
	member, err := q.GetMembership(ctx, org, actor.UserID)
	if err != nil {
		return Path{}, fmt.Errorf("read membership: %w", err)
	}
	g, err := grant(ctx, q, actor, org, member)
	return Path{Grant: g, Organization: org}, err
}

// Grants returns the actor's grants in all organizations where role and token allow p, for the operations that cross organizations.
func (s *Store) Grants(ctx context.Context, actor access.Actor, p access.Permission) ([]access.Grant, error) {
	members, err := s.DB.Read().ListMemberships(ctx, actor)
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
	held, err := readRights(ctx, s.DB.Reader(), actor, members)
	if err != nil {
		return nil, err
	}
	var out []access.Grant
	for _, m := range members {
		i := slices.IndexFunc(orgs, func(o query.Organization) bool { return o.ID == m.OrganizationID })
		if i < 0 || !actor.Reaches(m.OrganizationID) {
			continue
		}
		g := newGrant(actor, orgs[i], m, held.role(m.OrganizationID, m.RoleID), held.teams[m.OrganizationID])
		if g.May(p) {
			out = append(out, g)
		}
	}
	return out, nil
}

// Slugs returns the organizations that the actor is in.
func (s *Store) Slugs(ctx context.Context, actor access.Actor) (map[string]int64, error) {
	grants, err := s.Grants(ctx, actor, access.OrganizationView)
	out := map[string]int64{}
	for _, g := range grants {
		out[g.Slug] = g.OrganizationID
	}
	return out, err
}

// GrantOf returns the current grant of a member of an organization, whatever they signed in with. For others the error is access.ErrNotFound.
func GrantOf(ctx context.Context, q *query.Granted, organization, user int64) (access.Grant, error) {
	org, err := q.Ungranted().GetOrganization(ctx, organization)
	var member query.Membership
	if err == nil {
		member, err = q.GetMembership(ctx, org, user)
	}
	if errors.Is(err, db.ErrNotFound) {
		return access.Grant{}, access.ErrNotFound
	}
	if err != nil {
		return access.Grant{}, fmt.Errorf("read membership: %w", err)
	}
	return grant(ctx, q, access.Actor{UserID: user, Scopes: access.SetOf(access.All()...)}, org, member)
}

// grant reads the grant of a member, for each request again: a role that lost a permission loses it at once.
func grant(ctx context.Context, q *query.Granted, actor access.Actor, org query.Organization, m query.Membership) (access.Grant, error) {
	rows, err := q.ListTeamRoles(ctx, org, actor.UserID)
	if err != nil {
		return access.Grant{}, fmt.Errorf("read teams of user %d: %w", actor.UserID, err)
	}
	teams := make([]access.TeamGrant, len(rows))
	for i, row := range rows {
		teams[i].TeamID = row.TeamID
		if teams[i].Role, err = RolePermissions(ctx, q, org, row.RoleID); err != nil {
			return access.Grant{}, err
		}
	}
	role, err := RolePermissions(ctx, q, org, m.RoleID)
	if err != nil {
		return access.Grant{}, err
	}
	return newGrant(actor, org, m, role, teams), nil
}

func newGrant(actor access.Actor, org query.Organization, m query.Membership, role access.Set, teams []access.TeamGrant) access.Grant {
	g := access.NewGrant(actor, role, m.RoleID != 0, teams)
	g.OrganizationID, g.Slug, g.Owner = org.ID, org.Slug, m.RoleID == access.RoleOwner
	return g
}

// Mandatory returns what every role has: members can see their organization.
func Mandatory() access.Set { return access.SetOf(access.OrganizationView, access.UserView) }

// RolePermissions returns the permissions of a role, predefined or the organization's own; none for a role that is gone.
func RolePermissions(ctx context.Context, q *query.Granted, organization query.InOrganization, role int64) (access.Set, error) {
	if role == 0 {
		return access.Set{}, nil
	}
	if set, ok := access.PermissionsOf(role); ok {
		return set, nil
	}
	row, err := q.GetRole(ctx, organization, role)
	if errors.Is(err, db.ErrNotFound) {
		return access.Set{}, nil
	}
	if err != nil {
		return access.Set{}, fmt.Errorf("read role %d: %w", role, err)
	}
	names, err := q.ListRolePermissions(ctx, row)
	if err != nil {
		return access.Set{}, fmt.Errorf("read permissions of role %d: %w", role, err)
	}
	set := Mandatory()
	for _, name := range names {
		set = set.Add(access.Permission(name)) // what a newer release knew and this one does not is not granted
	}
	return set, nil
}

// RoleSets returns the permissions of rows of an organization's own roles, in their order.
func RoleSets(ctx context.Context, q query.DBTX, rows ...query.Role) ([]access.Set, error) {
	ids, at, sets := make([]any, len(rows)), make(map[int64]int, len(rows)), make([]access.Set, len(rows))
	for i, row := range rows {
		ids[i], at[row.ID], sets[i] = row.ID, i, Mandatory()
	}
	pairs, err := db.All[query.RolePermission](ctx, q, "role_permissions", db.Equal("role_id", ids...))
	if err != nil {
		return nil, err
	}
	for _, pair := range pairs {
		sets[at[pair.RoleID]] = sets[at[pair.RoleID]].Add(access.Permission(pair.Permission))
	}
	return sets, nil
}

// Grantable loads a role that a caller wants to give, or reports under a field why not.
func Grantable(ctx context.Context, q *query.Granted, g access.Grant, f api.Fields, field string, role int64) error {
	set, predefined := access.PermissionsOf(role)
	if !predefined {
		_, err := q.GetRole(ctx, g, role)
		if errors.Is(err, db.ErrNotFound) {
			f.Add(field, "The selected %s does not exist.", field)
			return nil
		}
		if err != nil {
			return fmt.Errorf("read role %d: %w", role, err)
		}
		if set, err = RolePermissions(ctx, q, g, role); err != nil {
			return err
		}
	}
	switch missing := set.Without(g.MayGive()); {
	case !missing.Empty():
		f.Add(field, "The selected %s has permissions that you don't have: %s.", field, missing.List()[0])
	case role == access.RoleOwner && !g.Owner:
		f.Add(field, "Only an owner can make another member an owner.")
	}
	return nil
}

var errOwners = &api.Error{Status: http.StatusForbidden, Message: "Only an owner can do this to an owner."}

// MayTouch prevents a caller from changing a member whose role permits more than the caller's, and anyone but owners from changing owners.
func MayTouch(ctx context.Context, q *query.Granted, g access.Grant, role int64) error {
	set, err := RolePermissions(ctx, q, g, role)
	if err != nil {
		return err
	}
	if more := set.Without(g.Role); !more.Empty() {
		return &access.Denied{Missing: more.List()[0]}
	}
	if role == access.RoleOwner && !g.Owner {
		return errOwners
	}
	return nil
}

// Visible returns the condition on the resources of a kind on which a caller has p: of the organization, and either unshared, where their role there has
// it, or shared with a team of theirs where their role has it. shares is the table of shares, column its id there.
func Visible(g access.Grant, shares, column string, p access.Permission) db.Cond {
	own := db.Equal("organization_id", g.OrganizationID)
	if g.SeesAll() {
		return own
	}
	var ways []db.Cond
	if g.Outside(p) {
		ways = append(ways, db.Cond{SQL: "id NOT IN (SELECT " + column + " FROM " + shares + ")"})
	}
	if teams := g.TeamIDs(p); len(teams) > 0 {
		c := db.Equal("team_id", teams...)
		ways = append(ways, db.Cond{SQL: "id IN (SELECT " + column + " FROM " + shares + " WHERE " + c.SQL + ")", Args: c.Args})
	}
	return db.Both(own, db.Any(ways...))
}

// CheckTeam finds the team that a new resource is shared with, among those in which the caller has p. Members through teams only
// have to name one of theirs.
func CheckTeam(ctx context.Context, tx *db.Tx, f api.Fields, g access.Grant, p access.Permission, id *int64) error {
	if len(f["team_id"]) > 0 {
		return nil
	}
	if id == nil {
		if !g.Direct {
			f.Add("team_id", "The team_id field is required: you belong to this organization through teams only.")
		}
		return nil
	}
	_, err := tx.GetTeam(ctx, g, *id)
	if errors.Is(err, db.ErrNotFound) || err == nil && !g.Direct && !slices.Contains(g.TeamIDs(p), any(*id)) {
		f.Add("team_id", "The selected team_id does not exist.")
		return nil
	}
	if err != nil {
		return fmt.Errorf("read team %d: %w", *id, err)
	}
	return nil
}

// IDs returns the organizations of grants, for a list across them.
func IDs(grants []access.Grant) []any {
	out := make([]any, len(grants))
	for i, g := range grants {
		out[i] = g.OrganizationID
	}
	return out
}
