// Package delivery delivers messages to other programs: they are stored in the transaction of the event that they report, sent
// afterwards, and retried until they are accepted or too old. Their fate affects nothing else.
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
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// The states of a delivery.
const (
	StatePending   = "pending"
	StateDelivered = "delivered"
	StateFailed    = "failed"
)

// Outcome is the result of one attempt.
type Outcome struct {
	// Status is the status code of an HTTP answer, zero if there was none; Response is the beginning of its body.
	Status   int
	Response string
	// Failure is why it was not accepted; empty if it was.
	Failure string
	// Lasting is set if a retry can't help.
	Lasting bool
	// After is how long the receiver asked us to wait.
	After time.Duration
}

// leastSecret is the minimum length of a text that is removed from answers: a shorter one occurs in many.
const leastSecret = 6

// Without returns the outcome without these secrets: a receiver's error page often repeats the requested path.
func (o Outcome) Without(secrets ...string) Outcome {
	for _, s := range secrets {
		if len(s) >= leastSecret {
			o.Response, o.Failure = strings.ReplaceAll(o.Response, s, "…"), strings.ReplaceAll(o.Failure, s, "…")
		}
	}
	return o
}

// Sender makes one attempt. An error is our own: the attempt does not count.
type Sender interface {
	Send(ctx context.Context, d query.Delivery) (Outcome, error)
}

// Jobs enqueues work in a transaction.
type Jobs interface {
	Insert(ctx context.Context, tx *db.Tx, args job.Args) error
}

// Queue stores messages for delivery.
type Queue struct {
	DB   *db.DB
	Jobs Jobs
	// Webhooks sends to webhooks of sites, Channels to notification channels.
	Webhooks, Channels Sender
	// Pauses are the pauses between attempts, default DefaultPauses.
	Pauses []time.Duration
}

// To is the receiver; one of the two is set.
type To struct{ WebhookID, ChannelID *int64 }

// Send is the job that delivers one message.
type Send struct {
	ID int64 `json:"id"`
}

// Kind returns the name of the job.
func (Send) Kind() string { return "delivery.send" }

// Sweep is the job that wakes messages without a job, and deletes old ones.
type Sweep struct{}

// Kind returns the name of the job.
func (Sweep) Kind() string { return "delivery.sweep" }

const (
	sweepEvery = time.Minute
	lostAfter  = 10 * time.Minute
	// attemptFor limits an attempt, whatever the sender does.
	attemptFor = 30 * time.Second
)

// DefaultPauses returns the pauses between attempts: a receiver that restarts gets its message within seconds, one that is down
// overnight the next day. After the last one a message is dropped.
func DefaultPauses() []time.Duration {
	return []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour}
}

// mostAfter is the longest that a receiver can delay an attempt.
const mostAfter = time.Hour

// Work adds the queue's jobs to the workers.
func (q *Queue) Work(w *job.Workers) {
	job.Handle(w, q.send)
	job.Handle(w, q.sweep)
}

// Periodic returns the schedule of the sweep.
func Periodic() job.Periodic { return job.Periodic{Every: sweepEvery, Args: Sweep{}} }

// Put stores a message in a transaction. Its message id lets the receiver recognize a repetition.
func (q *Queue) Put(ctx context.Context, tx *db.Tx, to To, event, payload string) (query.Delivery, error) {
	return q.put(ctx, tx, to, "msg_"+secret.Random(20), event, payload)
}

// Again sends a message once more, as a separate delivery with the same message id.
func (q *Queue) Again(ctx context.Context, tx *db.Tx, d query.Delivery) (query.Delivery, error) {
	return q.put(ctx, tx, To{WebhookID: d.WebhookID, ChannelID: d.ChannelID}, d.MessageID, d.Event, d.Payload)
}

func (q *Queue) put(ctx context.Context, tx *db.Tx, to To, messageID, event, payload string) (query.Delivery, error) {
	now := tx.Micros()
	d, err := tx.InsertDelivery(ctx, query.InsertDeliveryParams{
		WebhookID: to.WebhookID, ChannelID: to.ChannelID, MessageID: messageID, Event: event,
		Payload: payload, NextAt: &now,
	})
	if err != nil {
		return d, fmt.Errorf("write delivery of %s: %w", event, err)
	}
	return d, q.Jobs.Insert(ctx, tx, Send{ID: d.ID})
}

// send makes one attempt and records it. An unrecorded attempt, because the process ended in between, is repeated: receivers
// recognize a message by its id.
func (q *Queue) send(ctx context.Context, args Send) error {
	d, err := q.DB.Read().Ungranted().GetDelivery(ctx, args.ID)
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

// note records the result of an attempt, and returns the pause before the next one; zero for none.
func (q *Queue) note(ctx context.Context, d query.Delivery, out Outcome) (pause time.Duration, err error) {
	pauses := q.Pauses
	if pauses == nil {
		pauses = DefaultPauses()
	}
	err = q.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		p := query.NoteDeliveryParams{
			ID: d.ID, Attempts: d.Attempts, State: StateDelivered, Response: text.Clean(out.Response, maxResponse),
			Failure: text.Clean(out.Failure, maxFailure), UpdatedAt: tx.Micros(),
		}
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
		if n == 0 { // another process was quicker, or the receiver has been deleted
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
		lost, err := tx.Ungranted().ListLostDeliveries(ctx, new(tx.Now.Add(-lostAfter).UnixMicro()))
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
		return nil
	})
	if err != nil {
		return fmt.Errorf("sweep deliveries: %w", err)
	}
	return nil
}
