// Package mail sends notifications by mail. A mail is stored in the transaction of the change it reports, and sent afterwards,
// even if the process dies in between.
package mail

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// Message is one mail to one address.
type Message struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
	// Text is everything but the steps and the link.
	Text string `json:"text"`
	// Steps are what became of the work that the mail is about.
	Steps []Step `json:"steps,omitempty"`
	// Link is on a separate line. It grants access to something, and is a secret.
	Link string `json:"link"`
	// About is checked before the mail is sent.
	About About `json:"about"`
	// Organization is whose mail it is, 0 for none. Organizations take turns.
	Organization int64 `json:"-"`
}

// About identifies the subject of a mail. State is the subject's state when the mail was written, if a change of it makes the mail untrue.
type About struct {
	Kind  string `json:"kind"`
	ID    int64  `json:"id,omitempty"`
	State string `json:"state,omitempty"`
}

// A Check reports whether a mail is still true and for the right person: an invitation can be accepted, an owner still is one.
// Mail that waits for a mail server may be a day old.
type Check func(ctx context.Context, tx *db.Tx, m Message) (bool, error)

// An Outcome records for the subject of a mail that a mail server took it, or with a failure why it did not.
type Outcome func(ctx context.Context, tx *db.Tx, m Message, failure string) error

// A Sender delivers a message.
type Sender interface {
	Send(ctx context.Context, m Message) error
}

// Outbox stores mail until it is sent.
type Outbox struct {
	DB     *db.DB
	Box    *secret.Box
	Sender Sender
	Log    *slog.Logger
	// Checks are the checks of mail by About.Kind. Put refuses mail without a check.
	Checks map[string]Check
	// Outcomes are who learns by About.Kind what became of a mail, after each attempt.
	Outcomes map[string]Outcome

	// Every is how often Run looks for mail that is tried again or was left by another process, default 10 s.
	Every time.Duration

	written chan struct{} // wakes Run; nil until New
}

// New returns an outbox whose Run learns of mail when it is written.
func New(o Outbox) *Outbox {
	o.written = make(chan struct{}, 1)
	o.Every = cmp.Or(o.Every, every)
	return &o
}

// How mail is delivered.
const (
	ByMail = "mail"
	ByLog  = "log"
)

// Delivery returns how this installation delivers mail.
func (o *Outbox) Delivery() string {
	if _, none := o.Sender.(noServer); none {
		return ByLog
	}
	return ByMail
}

func sealedAt(name string) secret.Place {
	return secret.Place{Table: "mails", Row: name, Column: "sealed"}
}

// Put stores a message in a transaction.
func (o *Outbox) Put(ctx context.Context, tx *db.Tx, m Message) error {
	if o.Checks[m.About.Kind] == nil {
		return fmt.Errorf("write mail: nothing checks whether %q still holds", m.About.Kind)
	}
	plain, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	name := secret.Random(12)
	sealed, err := o.Box.Seal(sealedAt(name), plain)
	if err != nil {
		return err
	}
	if err := tx.InsertMail(ctx, name, sealed, tx.Micros(), m.Organization); err != nil {
		return fmt.Errorf("write mail: %w", err)
	}
	tx.AfterCommit(func() {
		select {
		case o.written <- struct{}{}:
		default:
		}
	})
	return nil
}

const (
	every       = 10 * time.Second
	mostTries   = 8
	firstPause  = time.Minute
	sendTimeout = 30 * time.Second
	// parallel is how many mails are sent at a time, one for each organization.
	parallel = 8
	// KeepFailed is how long it is known that a mail could not be sent.
	KeepFailed = 3 * 24 * time.Hour
	maxFailure = 500
)

// Run sends until ctx ends, as soon as a mail is committed by this process.
func (o *Outbox) Run(ctx context.Context) {
	tick := time.NewTicker(o.Every)
	defer tick.Stop()
	for {
		if err := o.Deliver(ctx); err != nil && ctx.Err() == nil {
			o.Log.ErrorContext(ctx, "sending mail failed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-o.written:
		}
	}
}

// Deliver sends what is due: one mail of an organization at a time, in the order they were written, and several organizations
// beside one another. Those that had the fewest turns go first, so an organization with many mails, or slow ones, holds up only
// itself. With two processes, the one that moves the next attempt sends the mail.
func (o *Outbox) Deliver(ctx context.Context) error {
	type ended struct {
		organization int64
		err          error
	}
	var (
		done  = make(chan ended, parallel)
		busy  = map[int64]bool{} // also those whose turn failed because of the panel itself: they wait for the next call
		turns = map[int64]int{}
		sends int
		errs  error
	)
	for {
		due, err := o.DB.Read().Ungranted().ListDueMails(ctx, o.DB.Clock.Now().UnixMicro())
		if err != nil {
			errs = errors.Join(errs, fmt.Errorf("read mail: %w", err))
		}
		slices.SortStableFunc(due, func(a, b query.Mail) int { return turns[a.OrganizationID] - turns[b.OrganizationID] })
		for _, row := range due {
			if busy[row.OrganizationID] || sends == parallel {
				continue
			}
			busy[row.OrganizationID] = true
			turns[row.OrganizationID]++
			sends++
			go func() { done <- ended{row.OrganizationID, o.deliver(ctx, row)} }()
		}
		if sends == 0 {
			return errs
		}
		select {
		case e := <-done:
			sends--
			if busy[e.organization] = e.err != nil; e.err != nil {
				errs = errors.Join(errs, e.err)
			}
		case <-o.written:
		}
	}
}

// deliver makes one attempt. A mail that the mail server refuses for good is given up at once; one that it does not take now is
// tried again for two hours. Either way the last cause is kept.
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
	plain, err := o.Box.Open(sealedAt(row.Name), row.Sealed)
	if err != nil {
		return err
	}
	var m Message
	if err := json.Unmarshal(plain, &m); err != nil {
		return fmt.Errorf("read mail: %w", err)
	}
	m.Organization = row.OrganizationID
	sent, failed := o.send(ctx, m)
	if failed != nil {
		o.Log.WarnContext(ctx, "a mail could not be sent", "mail", row.ID, "attempt", row.Attempts+1, "error", failed)
	}
	if ctx.Err() != nil && failed != nil {
		return nil //nolint:nilerr // shutting down says nothing about the mail
	}
	return o.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if outcome := o.Outcomes[m.About.Kind]; outcome != nil && (sent || failed != nil) {
			if err := outcome(ctx, tx, m, cause(failed, m)); err != nil {
				return err
			}
		}
		switch {
		case failed == nil:
			return tx.DeleteMail(ctx, row.ID)
		case row.Attempts+1 < mostTries && !errors.Is(failed, ErrRefused):
			return tx.NoteMail(ctx, row.ID, cause(failed, m))
		}
		if err := tx.EndMail(ctx, row.ID, cause(failed, m), m.Subject, new(tx.Micros())); err != nil {
			return err
		}
		return tx.DeleteFailedMails(ctx, new(tx.Now.Add(-KeepFailed).UnixMicro()))
	})
}

// cause returns why a mail could not be sent, as one line; empty without an error. A server that repeats the mail does not make its link
// known.
func cause(err error, m Message) string {
	if err == nil {
		return ""
	}
	says := err.Error()
	if m.Link != "" {
		says = strings.ReplaceAll(says, m.Link, "…")
	}
	return text.Clean(text.Line(says), maxFailure)
}

// send sends a message that is still valid, and drops one that is not. It reports whether a mail server took it.
func (o *Outbox) send(ctx context.Context, m Message) (bool, error) {
	holds := true
	if check := o.Checks[m.About.Kind]; check != nil { // mail written by an older version has none
		err := o.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
			holds, err = check(ctx, tx, m)
			return err
		})
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return false, fmt.Errorf("check mail: %w", err)
		}
		holds = holds && err == nil
	}
	if !holds {
		o.Log.DebugContext(ctx, "a mail is not sent, as what it says does not hold any more", "about", m.About.Kind)
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	err := o.Sender.Send(ctx, m)
	if errors.Is(err, ErrNoServer) { // the only place where a link is logged: there is no other way to deliver it
		what := "no mail server is set; hand this link on"
		if m.Link == "" {
			what = "no mail server is set; this mail is not sent"
		}
		says, _, _ := strings.Cut(m.Text, "\n\n") // what follows may be the output of a script
		o.Log.InfoContext(ctx, what, "to", m.To, "subject", m.Subject, "text", says, "link", m.Link)
		return false, nil
	}
	return err == nil, err
}
