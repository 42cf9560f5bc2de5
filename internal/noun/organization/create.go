package organization

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// mostOwned is how many organizations a person can own and still create another one.
const mostOwned = 500

// CreateOrganizationRequest creates an organization.
type CreateOrganizationRequest struct {
	Name string `json:"name" minLength:"1" maxLength:"255"`
	Slug string `json:"slug" minLength:"1" maxLength:"63" doc:"The organization's part of paths: lower-case letters, digits and dashes. It can't be changed."`
}

var (
	errMayNotCreate = &api.Error{
		Status:  http.StatusForbidden,
		Message: "Only people who manage an organization can create another one. Ask an owner to create it and to invite you.",
	}
	errOwnsMost = api.Conflict("You own %d organizations, the most that a person can own.", mostOwned)
)

func (o *Operations) registerCreate() {
	api.Write(o.Router, api.Operation{
		ID: "organizations.store", Method: http.MethodPost, Path: "/orgs", Tag: "Organizations", Mode: api.Sync, Personal: true, Extension: true,
		Status: http.StatusCreated, Noun: "orgs", Summary: "Create an organization",
		Description: "The caller becomes its owner. Who manages an organization can create others; where registration is open, everyone can.",
	}, api.Self, o.store)
}

// MayCreate reports whether a person can create organizations: who manages one already, or everyone where accounts are made without an invitation. An invited
// person would otherwise have this machine look after servers that its operator does not know.
func (s *Store) MayCreate(ctx context.Context, actor access.Actor) (bool, error) {
	if actor.SessionID == 0 {
		return false, nil
	}
	grants, err := s.Grants(ctx, actor, access.OrganizationManage)
	if err != nil {
		return false, err
	}
	for _, g := range grants {
		if g.SeesAll() {
			return true, nil
		}
	}
	open, err := s.DB.Read().Ungranted().GetSetting(ctx, s.OpenRegistration)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read settings: %w", err)
	}
	return open == "true", nil
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[access.Actor], b CreateOrganizationRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	name := c.Fields.Line("name", b.Name, 0)
	if !slugPattern.MatchString(b.Slug) && len(c.Fields["slug"]) == 0 {
		c.Fields.Add("slug", "The slug field must be lower-case letters, digits and dashes, and must start and end with a letter or digit.")
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if may, err := o.Store.MayCreate(ctx, c.Parent); err != nil {
		return none, err
	} else if !may {
		return none, errMayNotCreate
	}
	if err := tx.LockRow(ctx, "users", c.Parent.UserID); err != nil { // of two at once, one counts the other
		return none, err
	}
	members, err := tx.ListMemberships(ctx, c.Parent)
	if err != nil {
		return none, fmt.Errorf("read memberships: %w", err)
	}
	owned := 0
	for _, m := range members {
		if m.RoleID == access.RoleOwner {
			owned++
		}
	}
	if owned >= mostOwned {
		return none, errOwnsMost
	}
	org, err := Create(ctx, tx, name, b.Slug, c.Parent.UserID)
	if errors.Is(err, ErrSlugTaken) {
		return none, api.Invalid("slug", "The slug %s is taken.", b.Slug)
	}
	if err != nil {
		return none, err
	}
	return api.Document[Resource]{Data: NewResource(o.Router, org), Location: "/orgs/" + org.Slug}, nil
}
