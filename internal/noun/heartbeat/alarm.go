package heartbeat

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// Alarm notifies people that a heartbeat is missing, or that it beats again, in the transaction that records it. text has the details.
type Alarm interface {
	HeartbeatChanged(ctx context.Context, tx *db.Tx, row query.Heartbeat, missing bool, text string) error
}

// Alarms tells all of them.
type Alarms []Alarm

// HeartbeatChanged tells one after the other.
func (a Alarms) HeartbeatChanged(ctx context.Context, tx *db.Tx, row query.Heartbeat, missing bool, text string) error {
	for _, to := range a {
		if err := to.HeartbeatChanged(ctx, tx, row, missing, text); err != nil {
			return err
		}
	}
	return nil
}

// Mailer sends what people have to know.
type Mailer interface {
	Put(ctx context.Context, tx *db.Tx, m mail.Message) error
}

// MailAlarm is an Alarm by mail to the owners of the organization.
type MailAlarm struct{ Mail Mailer }

// HeartbeatChanged writes a mail to each of them.
func (a MailAlarm) HeartbeatChanged(ctx context.Context, tx *db.Tx, row query.Heartbeat, missing bool, details string) error {
	s, srv, err := whereOf(ctx, tx.Granted, row)
	if err != nil {
		return err
	}
	owners, err := tx.ListMemberEmails(ctx, s, access.RoleOwner)
	if err != nil {
		return fmt.Errorf("list owners: %w", err)
	}
	name, verb := text.Line(row.Name), "recovered"
	if missing {
		verb = "is missing"
	}
	for _, to := range owners {
		m := mail.Message{
			Organization: s.OrganizationID, To: to, Subject: "Hostler: heartbeat " + name + " " + verb,
			Text:  fmt.Sprintf("The heartbeat %s of %s on server %s %s.\n\n%s", name, s.Name, text.Line(srv.Name), verb, details),
			About: mail.About{Kind: MailChange, ID: row.ID, State: map[bool]string{true: statusMissing}[missing]},
		}
		if err := a.Mail.Put(ctx, tx, m); err != nil {
			return err
		}
	}
	return nil
}
