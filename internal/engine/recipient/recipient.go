// Package recipient decides which addresses the notifications of an organization go to: the verified ones of its members, and those whose owners confirmed
// by a link that they want them. Anyone else gets one email, with that link.
package recipient

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
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

const (
	// linkLife is how long a link works, and the least time between two links to one address.
	linkLife = 7 * 24 * time.Hour
	// maxAsked is how many addresses an organization can ask within that time.
	maxAsked = 100
	// page is where a link leads.
	page = "/confirm-recipient"
)

// MailLink is the kind of mail that asks for the confirmation of an address.
const MailLink = "recipient-link"

// Mailer sends the link.
type Mailer interface {
	Put(ctx context.Context, tx *db.Tx, m mail.Message) error
}

// Asker asks the owners of addresses.
type Asker struct {
	Mail   Mailer
	Router *api.Router
}

// Ask sends the link to an address that is notified from now on, unless none is needed or one was sent lately. Its error is about the field.
func (a *Asker) Ask(ctx context.Context, tx *db.Tx, organization query.InOrganization, field, email string) error {
	id, email := organization.InOrganization(), strings.ToLower(email)
	waiting, err := Waiting(ctx, tx.SQL, id, email)
	if err != nil || !waiting[email] {
		return err
	}
	before := tx.Now.Add(-linkLife).UnixMicro()
	asked, err := tx.Ungranted().CountRecipientsAsked(ctx, id, before)
	if err != nil {
		return fmt.Errorf("count recipients: %w", err)
	}
	if asked >= maxAsked {
		return api.Invalid(field, "%d addresses have been asked this week to confirm and have not. Use one that is confirmed.", asked)
	}
	token := secret.Random(24)
	n, err := tx.AskRecipient(ctx, query.AskRecipientParams{
		OrganizationID: id, Email: email, TokenHash: secret.Hash(token), AskedAt: tx.Micros(), Before: before,
	})
	if err != nil {
		return fmt.Errorf("ask recipient: %w", err)
	}
	if n == 0 {
		return nil
	}
	org, err := tx.GetOrganization(ctx, organization)
	if err != nil {
		return fmt.Errorf("read organization %d: %w", id, err)
	}
	name := text.Line(org.Name)
	return a.Mail.Put(ctx, tx, mail.Message{
		Organization: id, To: email, Subject: "Confirm notifications of " + name, Link: a.Router.URL(page + "#" + token), About: mail.About{Kind: MailLink},
		Text: "The organization " + name + " on Hostler entered this address to be notified about its servers. If you want that, confirm it within 7 days. " +
			"If you don't, ignore this email, and no other one follows:",
	})
}

// CheckLink reports whether the link in a mail still works and is for its recipient.
func CheckLink(ctx context.Context, tx *db.Tx, m mail.Message) (bool, error) {
	_, token, _ := strings.Cut(m.Link, "#")
	row, err := tx.Ungranted().GetRecipientByToken(ctx, secret.Hash(token))
	return err == nil && row.Email == m.To && row.ConfirmedAt == nil, err
}

// Confirmed returns a check of mail to an address that a member entered: it also has to be confirmed, or a member's.
func Confirmed(check mail.Check) mail.Check {
	return func(ctx context.Context, tx *db.Tx, m mail.Message) (bool, error) {
		holds, err := check(ctx, tx, m)
		if err != nil || !holds {
			return false, err
		}
		waiting, err := Waiting(ctx, tx.SQL, m.Organization, m.To)
		return len(waiting) == 0, err
	}
}

// Waiting returns those of an organization's addresses, in lower case, that get nothing until they are confirmed.
func Waiting(ctx context.Context, q query.DBTX, organization int64, emails ...string) (map[string]bool, error) {
	out := map[string]bool{}
	var ids []any
	for _, e := range emails {
		if e = strings.ToLower(e); e != "" && !out[e] {
			out[e] = true
			ids = append(ids, e)
		}
	}
	if len(ids) == 0 {
		return out, nil
	}
	confirmed, err := db.All[query.Recipient](ctx, q, "recipients", db.Equal("organization_id", organization), db.Equal("email", ids...),
		db.Cond{SQL: "confirmed_at IS NOT NULL"})
	if err != nil {
		return nil, fmt.Errorf("read recipients: %w", err)
	}
	for _, r := range confirmed {
		delete(out, r.Email)
	}
	members, err := db.All[query.User](ctx, q, "users", db.Equal("email", ids...), verifiedMember(organization))
	if err != nil {
		return nil, fmt.Errorf("read recipients: %w", err)
	}
	for _, u := range members {
		delete(out, strings.ToLower(u.Email))
	}
	return out, nil
}

func verifiedMember(organization int64) db.Cond {
	return db.Cond{SQL: "email_verified_at IS NOT NULL AND id IN (SELECT user_id FROM memberships WHERE organization_id = ?)", Args: []any{organization}}
}

// Waits returns the condition on rows whose address, which is in the column, gets nothing until it is confirmed. organization is the expression of the
// organization of a row; both name the table.
func Waits(organization, column string) db.Cond {
	return db.Cond{SQL: "LOWER(" + column + ") <> ''" +
		" AND NOT EXISTS (SELECT 1 FROM recipients WHERE recipients.organization_id = " + organization + " AND recipients.email = LOWER(" + column +
		") AND recipients.confirmed_at IS NOT NULL)" +
		" AND NOT EXISTS (SELECT 1 FROM users JOIN memberships ON memberships.user_id = users.id WHERE users.email = LOWER(" + column +
		") AND users.email_verified_at IS NOT NULL AND memberships.organization_id = " + organization + ")"}
}

// Meta is what resources with an address to notify add to meta.
type Meta struct {
	Recipient State `json:"recipient" doc:"The address that is notified."`
}

// State is whether notifications go to an address.
type State struct {
	Confirmed bool `json:"confirmed" doc:"Whether notifications go to the address: a member's verified one, or one confirmed by the link that was sent there."`
}

// MetaOf returns what is said of an address; waiting is of Waiting.
func MetaOf(waiting map[string]bool, email string) Meta {
	return Meta{State{Confirmed: !waiting[strings.ToLower(email)]}}
}

// ConfirmRequest confirms an address.
type ConfirmRequest struct {
	Token api.Secret `json:"token" maxLength:"256" writeOnly:"true" doc:"The part after the # of the link in the email."`
}

// Operations are what the owners of addresses do.
type Operations struct {
	DB     *db.DB
	Router *api.Router
}

// Register adds the operation.
func (o *Operations) Register() {
	api.Do(o.Router, api.Operation{
		ID: "recipients.confirm", Method: "POST", Path: "/recipients/confirm", Tag: "Notifications", Mode: api.Sync, Public: true, Extension: true,
		Status: 204, Summary: "Confirm an address that is notified",
		Description: "Monitors, backup configurations and notification channels send email to the verified addresses of members, and to addresses confirmed here.",
	}, api.Self, o.confirm)
}

func (o *Operations) confirm(ctx context.Context, c api.Call[access.Actor], b ConfirmRequest) (api.Document[api.NoBody], error) {
	var none api.Document[api.NoBody]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	return none, o.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.Ungranted().GetRecipientByToken(ctx, secret.Hash(b.Token.Reveal()))
		if errors.Is(err, db.ErrNotFound) || err == nil && row.ConfirmedAt == nil && tx.Now.Sub(time.UnixMicro(row.AskedAt)) > linkLife {
			return api.Invalid("token", "This link has expired, or was replaced by a newer one.")
		}
		if err != nil {
			return fmt.Errorf("read recipient: %w", err)
		}
		return tx.ConfirmRecipient(ctx, row.ID, new(tx.Micros()))
	})
}
