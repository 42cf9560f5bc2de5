package organization

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// The states of an invitation.
const (
	invitationOpen    = "open"
	invitationUsed    = "used"
	invitationExpired = "expired"
)

// InvitationAttributes are what an invitation says to the person who has its link.
type InvitationAttributes struct {
	State        string   `json:"state" enum:"open,used,expired"`
	Email        string   `json:"email" doc:"The only address that can accept it."`
	Organization string   `json:"organization" doc:"The name of the organization; empty unless the invitation is open, like all that follows."`
	Slug         string   `json:"slug"`
	Team         string   `json:"team" doc:"The name of the team; also empty for an invitation to the organization."`
	Role         string   `json:"role" doc:"The name of the role."`
	InvitedBy    string   `json:"invited_by" doc:"The name of the person who sent it."`
	ExpiresAt    api.Time `json:"expires_at"`
}

// ResourceType returns invitations.
func (InvitationAttributes) ResourceType() string { return "invitations" }

// InvitationResource is an invitation in a document.
type InvitationResource = api.Resource[InvitationAttributes, api.NoRelationships]

// OpenedRequest has the token of an invitation's link.
type OpenedRequest struct {
	Invitation api.Secret `json:"invitation" maxLength:"256" writeOnly:"true" doc:"The part of the emailed link after the #."`
}

func (o *Operations) registerOpened() {
	api.Do(o.Router, api.Operation{
		ID: "auth.invitation", Method: http.MethodPost, Path: "/auth/invitation", Tag: "Account", Mode: api.Sync, Public: true, Extension: true,
		Status: http.StatusOK, Summary: "Read an invitation by its link",
		Description: "Shows what the link invites to, and whom, before it is accepted. A link that was withdrawn is unknown.",
	}, api.Self, o.opened)
}

func (o *Operations) opened(ctx context.Context, c api.Call[access.Actor], b OpenedRequest) (api.Document[InvitationResource], error) {
	var out api.Document[InvitationResource]
	if err := c.Fields.Err(); err != nil {
		return out, err
	}
	err := o.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
		out.Data, err = o.described(ctx, tx, b.Invitation.Reveal())
		return err
	})
	if errors.Is(err, ErrInvitation) {
		return out, api.Invalid("invitation", "This invitation was withdrawn or replaced, or its link is incomplete.")
	}
	return out, err
}

// described returns the document of an invitation. One that is over says so to who has its link, and nothing about the organization.
func (o *Operations) described(ctx context.Context, tx *db.Tx, token string) (InvitationResource, error) {
	row, err := tx.Ungranted().GetInvitationByToken(ctx, secret.Hash(token))
	if errors.Is(err, db.ErrNotFound) {
		return InvitationResource{}, ErrInvitation
	}
	if err != nil {
		return InvitationResource{}, fmt.Errorf("read invitation: %w", err)
	}
	a := InvitationAttributes{State: invitationOpen, Email: row.Email, ExpiresAt: api.TimeOf(row.ExpiresAt)}
	res := InvitationResource{ID: strconv.FormatInt(row.ID, 10), Attributes: a, Links: o.Router.Links("/auth/invitation")}
	switch {
	case row.AcceptedAt != nil:
		res.Attributes.State = invitationUsed
		return res, nil
	case row.ExpiresAt <= tx.Micros():
		res.Attributes.State = invitationExpired
		return res, nil
	}
	if err := checkBacked(ctx, tx, row); err != nil {
		return res, err
	}
	org, err := tx.GetOrganization(ctx, row)
	if err != nil {
		return res, fmt.Errorf("read organization %d: %w", row.OrganizationID, err)
	}
	res.Attributes.Organization, res.Attributes.Slug = org.Name, org.Slug
	if row.TeamID != nil {
		team, err := tx.GetTeam(ctx, org, *row.TeamID)
		if err != nil {
			return res, fmt.Errorf("read team %d: %w", *row.TeamID, err)
		}
		res.Attributes.Team = team.Name
	}
	if res.Attributes.Role, err = roleName(ctx, tx.Granted, org, row.RoleID); err != nil {
		return res, err
	}
	inviter, err := tx.Ungranted().GetUser(ctx, row.InvitedBy)
	if err != nil {
		return res, fmt.Errorf("read user %d: %w", row.InvitedBy, err)
	}
	res.Attributes.InvitedBy = inviter.Name
	return res, nil
}

// roleName returns the name of a role, predefined or the organization's own.
func roleName(ctx context.Context, q *query.Granted, org query.Organization, id int64) (string, error) {
	roles := access.Predefined()
	if i := slices.IndexFunc(roles, func(r access.Role) bool { return r.ID == id }); i >= 0 {
		return roles[i].Name, nil
	}
	row, err := q.GetRole(ctx, org, id)
	if err != nil {
		return "", fmt.Errorf("read role %d: %w", id, err)
	}
	return row.Name, nil
}
