package monitor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// MailChange is the kind of mail about a change of a monitor's state.
const MailChange = "monitor"

// CheckMail reports whether the monitor of a mail still exists and notifies the recipient. A change that was followed by another one is reported all the same.
func CheckMail(ctx context.Context, tx *db.Tx, m mail.Message) (bool, error) {
	row, err := tx.Ungranted().GetMonitorByID(ctx, m.About.ID)
	return err == nil && row.Notify == m.To, err
}

// Mailer sends what people have to know.
type Mailer interface {
	Put(ctx context.Context, tx *db.Tx, m mail.Message) error
}

// Alarm notifies people of a change beside the mail, in the transaction that records it.
type Alarm interface {
	MonitorChanged(ctx context.Context, tx *db.Tx, srv query.Server, title string, alert bool, text string) error
}

// Observer records the changes of monitors' states that hosts report, each once.
type Observer struct {
	DB    *db.DB
	Mail  Mailer
	Alarm Alarm
}

// Watch reads what a server last reported, which may be much: it measures itself also while Hostler does not look.
func (o *Observer) Watch(ctx context.Context, srv query.Server) error {
	now, err := o.DB.Read().GetServer(ctx, srv)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read server %d: %w", srv.ID, err)
	}
	changes := server.FactsOf(now).Monitors
	if len(changes) == 0 || now.Revoked {
		return nil
	}
	rows, err := o.DB.Read().ListMonitors(ctx, now)
	if err != nil {
		return fmt.Errorf("list monitors of server %d: %w", srv.ID, err)
	}
	for _, row := range rows {
		if row.Type != typeURL && row.Notified != "" && row.Notified != row.State { // a change that came too soon after another one
			if err := o.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
				return o.notify(ctx, tx, now, row, row.State, "It has been so since "+time.UnixMicro(row.SeenAt).UTC().Format(time.RFC3339)+".")
			}); err != nil {
				return fmt.Errorf("notify of monitor %d: %w", row.ID, err)
			}
		}
		for _, c := range changes {
			if row.Type == typeURL || c.ID != row.ID || c.At <= row.SeenAt || c.State != wire.MonitorOK && c.State != wire.MonitorAlert { // a host may say what it likes
				continue
			}
			if err := o.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
				return o.record(ctx, tx, now, row, c.State, c.At, describe(row, c))
			}); err != nil {
				return fmt.Errorf("record the state of monitor %d: %w", row.ID, err)
			}
			row.State, row.SeenAt = c.State, min(c.At, o.DB.Clock.Now().UnixMicro())
		}
	}
	return nil
}

// record writes a change of a state, and notifies people unless it is the first thing that is known and all is well.
func (o *Observer) record(ctx context.Context, tx *db.Tx, srv query.Server, row query.Monitor, state string, at int64, text string) error {
	n, err := tx.SetMonitorState(ctx, row.ID, state, new(min(at, tx.Micros())), at)
	if err != nil || n == 0 { // another process was quicker, or it is gone
		return err
	}
	if state == row.State || state == wire.MonitorOK && row.State == stateUnknown {
		return nil
	}
	return o.notify(ctx, tx, srv, row, state, text)
}

// notifyApart is the least time between two notifications of one monitor. A state that changed sooner is reported after it, if it is still another one.
const notifyApart = 10 * time.Minute

// notify notifies people of a monitor's state, unless the last notification about the monitor is recent or names the same state: a server can report any
// number of changes.
func (o *Observer) notify(ctx context.Context, tx *db.Tx, srv query.Server, row query.Monitor, state, details string) error {
	n, err := tx.SetMonitorNotified(ctx, row.ID, state, tx.Micros(), tx.Now.Add(-notifyApart).UnixMicro())
	if err != nil || n == 0 {
		return err
	}
	alert := state == wire.MonitorAlert
	line := headline(row, strings.Join(strings.Fields(srv.Name), " "), alert)
	title := line
	if row.Type != typeURL { // which begins with the name of a host
		title = text.Capital(line)
	}
	if err := o.Mail.Put(ctx, tx, mail.Message{
		Organization: srv.OrganizationID, To: row.Notify, Subject: "Hostler: " + line, Text: title + ".\n\n" + details,
		About: mail.About{Kind: MailChange, ID: row.ID, State: state},
	}); err != nil {
		return err
	}
	return o.Alarm.MonitorChanged(ctx, tx, srv, title, alert, details)
}
