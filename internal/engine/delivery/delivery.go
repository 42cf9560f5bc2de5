// Package delivery brings messages to somebody else's programs: written down in the transaction of what they tell, sent afterwards, and again
// until they are taken or too old. What becomes of them decides nothing else.
package delivery

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// The states of a delivery.
const (
	StatePending   = "pending"
	StateDelivered = "delivered"
	StateFailed    = "failed"
)

// Outcome is what became of one attempt.
type Outcome struct {
	// Status is the code of an HTTP answer, zero where there was none; Response is the beginning of its body.
	Status   int
	Response string
	// Failure says why it was not taken; empty is taken.
	Failure string
	// Lasting is set where trying again can't help.
	Lasting bool
	// After is how long the receiver asked to be left alone.
	After time.Duration
}

// leastSecret is how long a text must be to be taken out of an answer: a shorter one is in many.
const leastSecret = 6

// Without returns the outcome without these secrets: a receiver's error page often repeats the path that it was asked for.
func (o Outcome) Without(secrets ...string) Outcome {
	for _, s := range secrets {
		if len(s) >= leastSecret {
			o.Response, o.Failure = strings.ReplaceAll(o.Response, s, "…"), strings.ReplaceAll(o.Failure, s, "…")
		}
	}
	return o
}

// Sender makes one attempt. An error is one of ours: the attempt does not count.
type Sender interface {
	Send(ctx context.Context, d query.Delivery) (Outcome, error)
}

// Jobs enqueues work in a transaction.
type Jobs interface {
	Insert(ctx context.Context, tx *db.Tx, args job.Args) error
}

// Queue holds what is to be delivered.
type Queue struct {
	DB   *db.DB
	Jobs Jobs
	// Webhooks sends what is for webhooks of sites, Channels what is for notification channels.
	Webhooks, Channels Sender
	// Pauses stand between attempts, default DefaultPauses.
	Pauses []time.Duration
}

// To is the receiver; one of the two is set.
type To struct{ WebhookID, ChannelID *int64 }

// Send is the job that brings one message.
type Send struct {
	ID int64 `json:"id"`
}

// Kind names the job.
func (Send) Kind() string { return "delivery.send" }

// Sweep is the job that wakes what lost its job, and drops what is old.
type Sweep struct{}

// Kind names the job.
func (Sweep) Kind() string { return "delivery.sweep" }

const (
	sweepEvery = time.Minute
	lostAfter  = 10 * time.Minute
	keptFor    = 30 * 24 * time.Hour
	// attemptFor bounds an attempt, whatever the sender does.
	attemptFor = 30 * time.Second
)

// DefaultPauses stand between attempts: a receiver that is restarted gets its message within seconds, one that is away over night the next day.
// After the last a message is given up.
func DefaultPauses() []time.Duration {
	return []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour}
}

// mostAfter is the longest that a receiver can put us off.
const mostAfter = time.Hour

// Work adds the queue's jobs to the workers.
func (q *Queue) Work(w *job.Workers) {
	job.Handle(w, q.send)
	job.Handle(w, q.sweep)
}

// Periodic returns how often the queue is swept.
func Periodic() job.Periodic { return job.Periodic{Every: sweepEvery, Args: Sweep{}} }

// Put writes a message down in a transaction. The receiver knows it again by its message id.
func (q *Queue) Put(ctx context.Context, tx *db.Tx, to To, event, payload string) (query.Delivery, error) {
	return q.put(ctx, tx, to, "msg_"+secret.Random(20), event, payload)
}

// Again sends a message once more, as a delivery of its own under the same message id.
func (q *Queue) Again(ctx context.Context, tx *db.Tx, d query.Delivery) (query.Delivery, error) {
	return q.put(ctx, tx, To{WebhookID: d.WebhookID, ChannelID: d.ChannelID}, d.MessageID, d.Event, d.Payload)
}

func (q *Queue) put(ctx context.Context, tx *db.Tx, to To, messageID, event, payload string) (query.Delivery, error) {
	now := tx.Micros()
	d, err := tx.InsertDelivery(ctx, query.InsertDeliveryParams{WebhookID: to.WebhookID, ChannelID: to.ChannelID, MessageID: messageID, Event: event, Payload: payload, NextAt: &now})
	if err != nil {
		return d, fmt.Errorf("write delivery of %s: %w", event, err)
	}
	return d, q.Jobs.Insert(ctx, tx, Send{ID: d.ID})
}

// send makes one attempt and notes it. An attempt that nobody noted, as the process ended in between, is made again: receivers know a message
// that they have by its id.
func (q *Queue) send(ctx context.Context, args Send) error {
	d, err := q.DB.Read().GetDelivery(ctx, args.ID)
	if errors.Is(err, db.ErrNotFound) { // its receiver was deleted
		return nil
	}
	if err != nil {
		return fmt.Errorf("read delivery %d: %w", args.ID, err)
	}
	if d.State != StatePending || d.NextAt == nil {
		return nil
	}
	if early := time.UnixMicro(*d.NextAt).Sub(q.DB.Clock.Now()); early > time.Second { // a second job, or one of a process that ended
		return job.Again(early)
	}
	sender := q.Channels
	if d.WebhookID != nil {
		sender = q.Webhooks
	}
	attempt, cancel := context.WithTimeout(ctx, attemptFor)
	defer cancel()
	out, err := sender.Send(attempt, d)
	if ctx.Err() != nil { // shutting down: the next process tries again
		return job.Again(0)
	}
	if err != nil {
		return fmt.Errorf("deliver %d: %w", d.ID, err)
	}
	pause, err := q.note(ctx, d, out)
	if err != nil || pause == 0 {
		return err
	}
	return job.Again(pause)
}

// note keeps what became of an attempt, and says when the next one is; zero for none.
func (q *Queue) note(ctx context.Context, d query.Delivery, out Outcome) (pause time.Duration, err error) {
	pauses := q.Pauses
	if pauses == nil {
		pauses = DefaultPauses()
	}
	err = q.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		p := query.NoteDeliveryParams{ID: d.ID, Attempts: d.Attempts, State: StateDelivered, Response: Clean(out.Response, maxResponse), Failure: Clean(out.Failure, maxFailure), UpdatedAt: tx.Micros()}
		if out.Status != 0 {
			p.StatusCode = new(int64(out.Status))
		}
		switch {
		case out.Failure == "":
			p.EndedAt = &p.UpdatedAt
		case out.Lasting || int(d.Attempts) >= len(pauses):
			p.State, p.EndedAt = StateFailed, &p.UpdatedAt
		default:
			pause = max(pauses[d.Attempts], min(out.After, mostAfter))
			p.State, p.NextAt = StatePending, new(tx.Now.Add(pause).UnixMicro())
		}
		n, err := tx.NoteDelivery(ctx, p)
		if n == 0 { // another process was quicker, or the receiver is gone
			pause = 0
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("note delivery %d: %w", d.ID, err)
	}
	return pause, nil
}

func (q *Queue) sweep(ctx context.Context, _ Sweep) error {
	err := q.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		lost, err := tx.ListLostDeliveries(ctx, new(tx.Now.Add(-lostAfter).UnixMicro()))
		if err != nil {
			return err
		}
		for _, id := range lost {
			if err := tx.PostponeDelivery(ctx, id, new(tx.Micros())); err != nil {
				return err
			}
			if err := q.Jobs.Insert(ctx, tx, Send{ID: id}); err != nil {
				return err
			}
		}
		return tx.DeleteOldDeliveries(ctx, new(tx.Now.Add(-keptFor).UnixMicro()))
	})
	if err != nil {
		return fmt.Errorf("sweep deliveries: %w", err)
	}
	return nil
}
