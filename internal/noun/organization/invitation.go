package organization

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	mailer "github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// InvitationLife is how long an invitation can be accepted.
const InvitationLife = 7 * 24 * time.Hour

// ErrInvitation is the only answer for an invitation that is unknown, used, expired, cancelled, or for another address.
var ErrInvitation = errors.New("the invitation is not valid: it was used, has expired, was cancelled, or is for another address")

// Mail writes a message down in a transaction, and says how it reaches people.
type Mail interface {
	Put(ctx context.Context, tx *db.Tx, m mailer.Message) error
	Delivery() string
}

// MailInvitation is the kind of mail that invites.
const MailInvitation = "invitation"

// CheckMail reports whether the recipient of a mail can still accept its invitation.
func CheckMail(ctx context.Context, tx *db.Tx, m mailer.Message) (bool, error) {
	_, token, _ := strings.Cut(m.Link, "#")
	row, err := Open(ctx, tx, token)
	if errors.Is(err, ErrInvitation) {
		return false, nil
	}
	return row.Email == m.To, err
}

// NoteMail records on an invitation that the mail server took its email, or why it did not.
func NoteMail(ctx context.Context, tx *db.Tx, m mailer.Message, failure string) error {
	_, token, _ := strings.Cut(m.Link, "#")
	var mailed *int64
	if failure == "" {
		mailed = new(tx.Micros())
	}
	if err := tx.NoteInvitationMail(ctx, secret.Hash(token), mailed, failure); err != nil {
		return fmt.Errorf("note the email of an invitation: %w", err)
	}
	return nil
}

// Inviter makes invitations.
type Inviter struct {
	Mail   Mail
	Router *api.Router
}

// CheckEmail parses an address, or reports the error under the field.
func CheckEmail(f api.Fields, field, text string) string {
	if len(f[field]) > 0 {
		return ""
	}
	if _, err := value.ParseEmail(text); err != nil {
		f.Add(field, "The %s field must be an email address.", field)
		return ""
	}
	return strings.ToLower(text)
}

// Invite invites an address to the organization, or to a team. An open invitation of the same address to the same place is replaced.
// The link is only for the invited person: it is returned to be handed on where no email reaches them.
func (i *Inviter) Invite(ctx context.Context, tx *db.Tx, org query.Organization, team *query.Team, g access.Grant, email string,
	role int64,
) (row query.Invitation, link string, err error) {
	var teamID *int64
	where := org.Name
	if team != nil {
		teamID = &team.ID
		where = "the team " + team.Name + " of " + org.Name
	}
	if err := tx.DeleteOpenInvitations(ctx, org.ID, email, teamID); err != nil {
		return row, "", fmt.Errorf("invite: %w", err)
	}
	token := secret.Random(24)
	row, err = tx.InsertInvitation(ctx, query.InsertInvitationParams{
		OrganizationID: org.ID, TeamID: teamID, Email: email, RoleID: role, TokenHash: secret.Hash(token),
		InvitedBy: g.UserID, TokenID: api.OrNull(g.TokenID), GrantID: api.OrNull(g.OAuthID), ExpiresAt: tx.Now.Add(InvitationLife).UnixMicro(),
		CreatedAt: tx.Micros(),
	})
	if err != nil {
		return row, "", fmt.Errorf("invite: %w", err)
	}
	link = i.Router.URL("/invitation#" + token) // after the # a token reaches neither a server's log nor a Referer header
	return row, link, i.Mail.Put(ctx, tx, mailer.Message{
		Organization: row.OrganizationID, To: email, Subject: "You're invited to " + where, Link: link, About: mailer.About{Kind: MailInvitation},
		Text: "You're invited to join " + where + " on Hostler. The invitation is for this email address, works once and expires in 7 days:",
	})
}

// Shown returns what an answer shows once of a link: the link where no email reaches the invited person, else nothing.
func (i *Inviter) Shown(link string) api.Secret {
	if i.Mail.Delivery() == mailer.ByLog {
		return api.SecretOf(link)
	}
	return api.Secret{}
}

// Accept makes the user a member as invited. It works only for the invited address.
func Accept(ctx context.Context, tx *db.Tx, user query.User, token string) (query.Invitation, error) {
	row, err := find(ctx, tx, token)
	if err != nil {
		return row, err
	}
	if row.Email != user.Email {
		return row, ErrInvitation
	}
	if err := tx.LockOrganization(ctx, row.OrganizationID); err != nil { // taking the inviter's right away comes before this or after it, never between
		return row, fmt.Errorf("accept invitation: %w", err)
	}
	if err := checkBacked(ctx, tx, row); err != nil {
		return row, err
	}
	n, err := tx.AcceptInvitation(ctx, row.ID, new(tx.Micros()))
	if err != nil {
		return row, fmt.Errorf("accept invitation: %w", err)
	}
	if n == 0 { // another request was faster
		return row, ErrInvitation
	}
	role := row.RoleID
	if row.TeamID != nil {
		role = 0
	}
	member, err := tx.GetMembership(ctx, row, user.ID)
	switch {
	case errors.Is(err, db.ErrNotFound):
		_, err = tx.InsertMembership(ctx, query.InsertMembershipParams{
			OrganizationID: row.OrganizationID, UserID: user.ID, RoleID: role,
			CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
		})
	case err == nil && member.RoleID == 0 && role != 0:
		_, err = tx.SetMembershipRole(ctx, row.OrganizationID, user.ID, role, tx.Micros())
	}
	if err != nil {
		return row, fmt.Errorf("accept invitation: %w", err)
	}
	if row.TeamID != nil {
		if _, err := tx.PutTeamMember(ctx, *row.TeamID, user.ID, row.RoleID, tx.Micros()); err != nil {
			return row, fmt.Errorf("accept invitation: %w", err)
		}
	}
	return row, nil
}

// Open returns the invitation that a token is for, while it can be accepted.
func Open(ctx context.Context, tx *db.Tx, token string) (query.Invitation, error) {
	row, err := find(ctx, tx, token)
	if err != nil {
		return row, err
	}
	return row, checkBacked(ctx, tx, row)
}

func checkBacked(ctx context.Context, tx *db.Tx, row query.Invitation) error {
	valid, err := backed(ctx, tx, row)
	if err == nil && !valid {
		err = ErrInvitation
	}
	return err
}

func find(ctx context.Context, tx *db.Tx, token string) (query.Invitation, error) {
	row, err := tx.Ungranted().GetInvitationByToken(ctx, secret.Hash(token))
	if errors.Is(err, db.ErrNotFound) {
		return row, ErrInvitation
	}
	if err != nil {
		return row, fmt.Errorf("read invitation: %w", err)
	}
	if row.AcceptedAt != nil || row.ExpiresAt <= tx.Micros() {
		return row, ErrInvitation
	}
	return row, nil
}

// backed reports whether the sender of an invitation could send it today: they are a member with the right to invite there and to
// give that role, and the token or the program that they sent it with was not revoked.
func backed(ctx context.Context, tx *db.Tx, row query.Invitation) (bool, error) {
	org, err := tx.GetOrganization(ctx, row)
	if err != nil {
		return false, fmt.Errorf("read organization %d: %w", row.OrganizationID, err)
	}
	member, err := tx.GetMembership(ctx, org, row.InvitedBy)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read membership: %w", err)
	}
	inviter := access.Actor{UserID: row.InvitedBy, Scopes: access.SetOf(access.All()...)}
	if row.TokenID != nil {
		_, err = tx.GetUserToken(ctx, inviter, *row.TokenID)
	}
	if row.GrantID != nil && err == nil {
		_, err = tx.GetUserOAuthGrant(ctx, inviter, *row.GrantID)
	}
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read what an invitation was sent with: %w", err)
	}
	// What the token reached was checked when the invitation was sent, and does not grow or shrink: here counts the role.
	g, err := grant(ctx, tx.Granted, inviter, org, member)
	if err != nil {
		return false, err
	}
	needed := access.OrganizationManage
	if row.TeamID != nil {
		if needed = access.TeamCreate; !g.Direct {
			if g, err = g.Within([]int64{*row.TeamID}); errors.Is(err, access.ErrNotFound) {
				return false, nil
			} else if err != nil {
				return false, err
			}
		}
	}
	if g.Require(needed) != nil {
		return false, nil //nolint:nilerr // false says it
	}
	f := api.Fields{}
	err = Grantable(ctx, tx.Granted, g, f, "role", row.RoleID)
	return len(f) == 0, err
}

// CloseInvitations deletes the open invitations of an organization that have lost their sender's backing. Everything that revokes
// rights calls it, so that an invitation does not come back with the right.
func CloseInvitations(ctx context.Context, tx *db.Tx, organization int64) error {
	if err := tx.LockOrganization(ctx, organization); err != nil {
		return fmt.Errorf("close invitations: %w", err)
	}
	rows, err := db.All[query.Invitation](ctx, tx.SQL, "invitations", db.Equal("organization_id", organization), db.Cond{SQL: "accepted_at IS NULL"})
	if err != nil {
		return err
	}
	for _, row := range rows {
		valid, err := backed(ctx, tx, row)
		if err == nil && !valid {
			err = tx.DeleteInvitation(ctx, row.ID)
		}
		if err != nil {
			return fmt.Errorf("close invitation %d: %w", row.ID, err)
		}
	}
	return nil
}
