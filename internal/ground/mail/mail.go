// Package mail sends what people have to know. A mail is written in the transaction of what it speaks of, and sent afterwards, also when the
// process dies in between.
package mail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Message is one mail to one address.
type Message struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
	// Text says everything but the link.
	Text string `json:"text"`
	// Link stands on a line of its own. It opens something, and is a secret.
	Link string `json:"link"`
	// About is checked again before the mail is sent.
	About About `json:"about"`
}

// About is what a mail speaks of. State is how that was when the mail was written, where a change of it makes the mail untrue.
type About struct {
	Kind  string `json:"kind"`
	ID    int64  `json:"id,omitempty"`
	State string `json:"state,omitempty"`
}

// Check reports whether a mail still says the truth to a person that it concerns: an invitation can be accepted, an owner still is one. Mail that waits
// for a mail server may be a day old.
type Check func(ctx context.Context, tx *db.Tx, m Message) (bool, error)

// Sender hands a message on.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// Outbox keeps mail until it is sent.
type Outbox struct {
	DB     *db.DB
	Box    *secret.Box
	Sender Sender
	Log    *slog.Logger
	// Checks are the checks of mail by About.Kind. Put refuses what none is for.
	Checks map[string]Check
}

// The ways that mail reaches people.
const (
	ByMail = "mail"
	ByLog  = "log"
)

// Delivery returns how mail reaches people here.
func (o *Outbox) Delivery() string {
	if _, none := o.Sender.(noServer); none {
		return ByLog
	}
	return ByMail
}

func place(name string) secret.Place {
	return secret.Place{Table: "mails", Row: name, Column: "sealed"}
}

// Put writes a message down in a transaction.
func (o *Outbox) Put(ctx context.Context, tx *db.Tx, m Message) error {
	if o.Checks[m.About.Kind] == nil {
		return fmt.Errorf("write mail: nothing checks whether %q still holds", m.About.Kind)
	}
	plain, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	name := secret.Random(12)
	sealed, err := o.Box.Seal(place(name), plain)
	if err != nil {
		return err
	}
	if err := tx.InsertMail(ctx, name, sealed, tx.Micros()); err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	return nil
}

const (
	every       = time.Second
	mostTries   = 8
	firstPause  = time.Minute
	sendTimeout = 30 * time.Second
)

// Run sends until ctx ends.
func (o *Outbox) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := o.Deliver(ctx); err != nil && ctx.Err() == nil {
			o.Log.ErrorContext(ctx, "sending mail failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Deliver sends what is due. A mail that can't be sent is tried again later, and given up after a day. Of two processes one sends it: whoever
// moves its next attempt.
func (o *Outbox) Deliver(ctx context.Context) error {
	due, err := o.DB.Read().ListDueMails(ctx, o.DB.Clock.Now().UnixMicro())
	if err != nil {
		return fmt.Errorf("read mail: %w", err)
	}
	for _, row := range due {
		if err := o.deliver(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

func (o *Outbox) deliver(ctx context.Context, row query.Mail) error {
	mine := false
	err := o.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		n, err := tx.PostponeMail(ctx, row.ID, row.Attempts, tx.Now.Add(firstPause<<row.Attempts).UnixMicro())
		mine = n == 1
		return err
	})
	if err != nil || !mine {
		return err
	}
	plain, err := o.Box.Open(place(row.Name), row.Sealed)
	if err != nil {
		return err
	}
	var m Message
	if err := json.Unmarshal(plain, &m); err != nil {
		return fmt.Errorf("read mail: %w", err)
	}
	if err := o.send(ctx, m); err != nil {
		o.Log.WarnContext(ctx, "a mail could not be sent", "mail", row.ID, "attempt", row.Attempts+1, "error", err)
		if row.Attempts+1 < mostTries {
			return nil
		}
	}
	return o.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.DeleteMail(ctx, row.ID) })
}

// send sends a message that still holds. What does not hold any more is done without.
func (o *Outbox) send(ctx context.Context, m Message) error {
	holds := true
	if check := o.Checks[m.About.Kind]; check != nil { // one that an older version wrote has none
		err := o.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
			holds, err = check(ctx, tx, m)
			return err
		})
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return fmt.Errorf("check mail: %w", err)
		}
		holds = holds && err == nil
	}
	if !holds {
		o.Log.DebugContext(ctx, "a mail is not sent, as what it says does not hold any more", "about", m.About.Kind)
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	err := o.Sender.Send(ctx, m)
	if errors.Is(err, ErrNoServer) { // the one place where a link is logged: nothing else could hand it on
		o.Log.InfoContext(ctx, "no mail server is set; hand this link on", "to", m.To, "subject", m.Subject, "link", m.Link)
		return nil
	}
	return err
}
