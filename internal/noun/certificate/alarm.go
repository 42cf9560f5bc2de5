package certificate

import (
	"context"
	"fmt"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
)

// Failing is a certificate that will expire unless a person acts.
type Failing struct {
	Certificate query.Certificate
	Site        query.Site
	Domain      query.Domain
	Reason      string
	ExpiresAt   time.Time
}

// Alarm notifies people that a certificate will expire unless they act, in the transaction that records the reason.
type Alarm interface {
	Alarm(ctx context.Context, tx *db.Tx, f Failing) error
}

// Alarms notifies all of them.
type Alarms []Alarm

// Alarm calls each in turn.
func (a Alarms) Alarm(ctx context.Context, tx *db.Tx, f Failing) error {
	for _, to := range a {
		if err := to.Alarm(ctx, tx, f); err != nil {
			return err
		}
	}
	return nil
}

// AlarmFunc is a function as an Alarm.
type AlarmFunc func(ctx context.Context, tx *db.Tx, f Failing) error

// Alarm calls f.
func (f AlarmFunc) Alarm(ctx context.Context, tx *db.Tx, of Failing) error { return f(ctx, tx, of) }

func alarm(ctx context.Context, tx *db.Tx, to Alarm, row query.Certificate, reason string) error {
	if to == nil || row.ExpiresAt == nil {
		return nil
	}
	s, err := tx.GetSite(ctx, row)
	if err != nil {
		return fmt.Errorf("read site %d: %w", row.SiteID, err)
	}
	d, err := tx.GetDomain(ctx, row, row.DomainID)
	if err != nil {
		return fmt.Errorf("read domain %d: %w", row.DomainID, err)
	}
	return to.Alarm(ctx, tx, Failing{Certificate: row, Site: s, Domain: d, Reason: reason, ExpiresAt: time.UnixMicro(*row.ExpiresAt).UTC()})
}

// Mailer sends notifications.
type Mailer interface {
	Put(ctx context.Context, tx *db.Tx, m mail.Message) error
}

// MailAlarm is an Alarm by mail to the owners of the organization.
type MailAlarm struct{ Mail Mailer }

// Alarm writes a mail to each of them.
func (a MailAlarm) Alarm(ctx context.Context, tx *db.Tx, f Failing) error {
	owners, err := tx.ListMemberEmails(ctx, f.Site, access.RoleOwner)
	if err != nil {
		return fmt.Errorf("list owners: %w", err)
	}
	for _, to := range owners {
		err := a.Mail.Put(ctx, tx, mail.Message{
			Organization: f.Site.OrganizationID, To: to, Subject: "Hostler: certificate for " + f.Domain.Name + " needs attention",
			Text: fmt.Sprintf("The certificate for %s expires on %s.\n\n%s\n\nIt is served until it expires.\n",
				f.Domain.Name, f.ExpiresAt.Format("2 January 2006 15:04 MST"), f.Reason),
			About: mail.About{Kind: MailExpiry, ID: f.Certificate.ID, State: f.ExpiresAt.Format(time.RFC3339)},
		})
		if err != nil {
			return err
		}
	}
	return nil
}
