package job

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/tracing"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The states of an operation.
const (
	StatePending   = "pending"
	StateRunning   = "running"
	StateSucceeded = "succeeded"
	StateFailed    = "failed"
	StateCancelled = "cancelled"
)

// Work is what a handler accepts: a change of a resource that a host has yet to make.
type Work struct {
	Grant    access.Grant
	ServerID int64
	SiteID   int64
	// Ready reports whether the server is provisioned. Work waits until it is.
	Ready bool
	// Aspect is the part of a server that converges as a unit.
	Aspect string
	// Resource is the kind and id of the row whose state the work settles.
	Resource   string
	ResourceID int64
	// Action is create, update, delete or another verb of the resource.
	Action string
	// Description is for display: "Installing firewall rule HTTP".
	Description string
	// RanAs is the account on the host.
	RanAs string
	// Lasting is set for work that is not rolled back when it ends early, such as people's scripts, which can't be undone automatically.
	Lasting bool
	// Needs are the permissions for retrying the work, cancelling it, and reading what a script printed in it, if the service begins
	// it. Work that a call begins needs what the call needed, and work that neither says so needs everything.
	Needs []access.Permission
	// Request is stored for settling and for retries; it contains no secrets.
	Request any
	// Within is how long it can take before it is given up.
	Within time.Duration
	// Archived lets it be accepted for an archived server, too.
	Archived bool
}

// Accepted is recorded work.
type Accepted struct {
	OperationID int64
	EventID     int64
}

// Converge is the job that makes an aspect of a server match its rows. It is level-triggered: one that finds nothing to do ends.
type Converge struct {
	ServerID int64  `json:"server_id"`
	Aspect   string `json:"aspect"`
}

// Kind returns the name of the job.
func (Converge) Kind() string { return "server.converge" }

// untilReady is how long work waits for its server to be provisioned; its own time begins then.
const untilReady = 7 * 24 * time.Hour

// Begin writes operation, event and job with their row. It is a conflict on an archived server.
func (q *Queue) Begin(ctx context.Context, tx *db.Tx, w Work) (Accepted, error) {
	ready, err := attended(ctx, tx, w)
	if err != nil {
		return Accepted{}, err
	}
	request, err := json.Marshal(w.Request)
	if err != nil {
		return Accepted{}, fmt.Errorf("note request: %w", err)
	}
	if !w.Ready && !ready && w.Within < untilReady { // it may have become ready since the caller read it
		w.Within = untilReady
	}
	var initiator, site *int64
	if w.Grant.UserID != 0 {
		initiator = &w.Grant.UserID
	}
	if w.SiteID != 0 {
		site = &w.SiteID
	}
	ctx, span := tracing.Start(ctx, "accept "+baseOf(w.Aspect), trace.SpanKindProducer, tracing.ServerID.Int64(w.ServerID), tracing.Aspect.String(w.Aspect),
		tracing.Action.String(w.Action), tracing.Resource.String(w.Resource))
	defer span.End()
	event, err := tx.InsertEvent(ctx, query.InsertEventParams{
		OrganizationID: w.Grant.OrganizationID, ServerID: &w.ServerID, SiteID: site, InitiatorID: initiator,
		Description: w.Description, RanAs: &w.RanAs, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return Accepted{}, fmt.Errorf("write event: %w", err)
	}
	op, err := tx.InsertOperation(ctx, query.InsertOperationParams{
		OrganizationID: w.Grant.OrganizationID, ServerID: w.ServerID, Aspect: w.Aspect,
		ResourceType: w.Resource,
		ResourceID:   w.ResourceID, Action: w.Action, Description: w.Description, Request: string(request), Deadline: tx.Now.Add(w.Within).UnixMicro(),
		EventID: &event.ID, SiteID: site, Needs: needed(ctx, w),
		AskedBy: initiator, Lasting: w.Lasting, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return Accepted{}, fmt.Errorf("write operation: %w", err)
	}
	span.SetAttributes(tracing.OperationID.Int64(op.ID))
	if err := tx.SetEventOperation(ctx, event.ID, &op.ID); err != nil {
		return Accepted{}, fmt.Errorf("write event: %w", err)
	}
	if err := q.Insert(ctx, tx, Converge{ServerID: w.ServerID, Aspect: w.Aspect}); err != nil {
		return Accepted{}, err
	}
	tx.Touched, tx.Begun = append(tx.Touched, db.Touched{ServerID: w.ServerID, Aspect: w.Aspect}), append(tx.Begun, event.ID)
	return Accepted{OperationID: op.ID, EventID: event.ID}, nil
}

// ReadOperations reads the operations of many resources at once.
func ReadOperations(ctx context.Context, q query.DBTX, ids ...*int64) (map[int64]query.Operation, error) {
	var args []any
	for _, id := range ids {
		if id != nil {
			args = append(args, *id)
		}
	}
	out := make(map[int64]query.Operation, len(args))
	if len(args) == 0 {
		return out, nil
	}
	rows, err := db.All[query.Operation](ctx, q, "operations", db.Equal("id", args...))
	if err != nil {
		return nil, err
	}
	for _, op := range rows {
		out[op.ID] = op
	}
	return out, nil
}

// Described makes the resources of rows, each with the block of its newest operation.
func Described[R, T any](ctx context.Context, q query.DBTX, rows []R, operation func(R) *int64, resource func(R, *api.Meta) T) ([]T, error) {
	ids := make([]*int64, len(rows))
	for i, row := range rows {
		ids[i] = operation(row)
	}
	ops, err := ReadOperations(ctx, q, ids...)
	if err != nil {
		return nil, err
	}
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = resource(row, &api.Meta{Operation: Meta(ops, ids[i])})
	}
	return out, nil
}

// Meta returns the block meta.operation, nil if a resource has none.
func Meta(ops map[int64]query.Operation, id *int64) *api.OperationMeta {
	if id == nil {
		return nil
	}
	op, ok := ops[*id]
	if !ok {
		return nil
	}
	m := &api.OperationMeta{
		ID: strconv.FormatInt(op.ID, 10), State: op.State, Action: op.Action, Attempt: op.Attempt, Deadline: api.TimeOf(op.Deadline),
		Reversible: !op.Lasting,
	}
	if op.Step != "" {
		m.Step = &op.Step
	}
	if op.Reason != "" {
		m.Reason, m.ReasonCode, m.ReasonParams = &op.Reason, op.ReasonCode, paramsOf(op.ReasonParams)
	}
	if op.EventID != nil {
		id := strconv.FormatInt(*op.EventID, 10)
		m.EventID = &id
	}
	if op.Cancelled && op.State == StateRunning {
		m.Reason, m.ReasonCode, m.ReasonParams = new(strings.TrimSpace(cancelNoted+" "+op.Reason)), string(codeCancelAsked), nil
	}
	if op.FinishedAt != nil {
		at := api.TimeOf(*op.FinishedAt)
		m.EndedAt = &at
	}
	return m
}

// maxShown is the maximum size of an event's output in one answer: the output of two runs. An event has more runs if work was retried.
const maxShown = 2 * wire.MaxOutput

// Output returns the output of an event so far, and of more than maxShown both ends. wanted selects kinds of output, nil all.
func Output(ctx context.Context, q *query.Granted, event int64, wanted func(kind string) bool) (string, error) {
	out := wire.Ends{Limit: maxShown}
	const page = 200
	for after := int64(0); ; {
		pieces, err := q.Ungranted().ListOutput(ctx, event, after, page)
		if err != nil {
			return "", fmt.Errorf("read output of event %d: %w", event, err)
		}
		for _, p := range pieces {
			if after = p.Seq; IsPrinted(p.Kind) && (wanted == nil || wanted(p.Kind)) {
				_, _ = out.Write([]byte(p.Content))
			}
		}
		if len(pieces) < page {
			return out.String(), nil
		}
	}
}

// Printed returns the output of programs in the work of an operation so far; empty if id is nil.
func Printed(ctx context.Context, q *query.Granted, id *int64) (string, error) {
	if id == nil {
		return "", nil
	}
	op, err := q.Ungranted().GetOperation(ctx, *id)
	if err != nil || op.EventID == nil {
		return "", err
	}
	return Output(ctx, q, *op.EventID, func(kind string) bool { return kind == string(wire.EventOutput) })
}

// cancelNoted is shown of work that is to end early, until it has ended on its server.
const cancelNoted = "Cancellation requested: this ends once the server has stopped it."

// Errors of retrying and cancelling.
var (
	ErrNotFailed = errors.New("the work has not failed")
	ErrEnded     = errors.New("the work has ended")
)

// held reads an operation under the lock of its server, so that nothing else ends or begins it meanwhile.
func held(ctx context.Context, tx *db.Tx, id int64) (query.Operation, error) {
	op, err := tx.Ungranted().GetOperation(ctx, id)
	if err == nil {
		err = tx.LockServer(ctx, op.ServerID)
	}
	if err != nil {
		return op, err
	}
	return tx.Ungranted().GetOperation(ctx, id)
}

// Retry makes failed work pending again, as requested by a person. Its resource becomes transitional again when it runs.
func (e *Engine) Retry(ctx context.Context, tx *db.Tx, id, by int64) error {
	op, err := held(ctx, tx, id)
	if err != nil {
		return fmt.Errorf("retry operation %d: %w", id, err)
	}
	state, err := retried(ctx, tx, op)
	if err != nil {
		return fmt.Errorf("retry operation %d: %w", id, err)
	}
	n, err := tx.RetryOperation(ctx, query.RetryOperationParams{
		ID: id, Deadline: tx.Now.Add(retryWithin).UnixMicro(), UpdatedAt: tx.Micros(),
		AskedBy: &by, State: state,
	})
	if err != nil {
		return fmt.Errorf("retry operation %d: %w", id, err)
	}
	if n == 0 {
		return ErrNotFailed
	}
	aspect, ok := e.aspects[baseOf(op.Aspect)]
	if !ok {
		return fmt.Errorf("retry operation %d: unknown aspect %s", id, op.Aspect)
	}
	server, err := tx.Ungranted().GetServer(ctx, op.ServerID)
	if err != nil {
		return fmt.Errorf("retry operation %d: %w", id, err)
	}
	if server.Revoked && op.Aspect != e.whole.Last {
		return api.Conflict(Archived)
	}
	if statusOf(server) != Connected { // a person asserts that it may be the right server again; the key must still match
		e.fleet.Forget(server.ID)
	}
	if err := aspect.write(ctx, tx, op, Queued); err != nil {
		return err
	}
	return e.queue.Insert(ctx, tx, Converge{ServerID: op.ServerID, Aspect: op.Aspect})
}

// retried returns the state of an operation that is tried again. One with a run whose end is not known has begun: the host may still do it, so newer
// operations don't supersede it.
func retried(ctx context.Context, tx *db.Tx, op query.Operation) (state string, err error) {
	open, err := openRuns(ctx, tx.Ungranted(), op)
	if len(open) > 0 {
		return StateRunning, err
	}
	return StatePending, err
}

// retryWithin is the time limit of retried work.
const retryWithin = 30 * time.Minute

// Cancel ends work that has not ended: at once if it did not start, else by killing it on the host.
func (q *Queue) Cancel(ctx context.Context, tx *db.Tx, id int64) error {
	op, err := held(ctx, tx, id)
	if err != nil {
		return fmt.Errorf("cancel operation %d: %w", id, err)
	}
	if op.State != StatePending && op.State != StateRunning {
		return ErrEnded
	}
	if err := tx.RequestCancel(ctx, id, tx.Micros()); err != nil {
		return fmt.Errorf("cancel operation %d: %w", id, err)
	}
	if op.State == StateRunning && !op.Cancelled && op.EventID != nil {
		if err := Say(ctx, tx, *op.EventID, Piece{Kind: "note", Content: cancelNoted + "\n"}); err != nil {
			return err
		}
	}
	return q.Insert(ctx, tx, Converge{ServerID: op.ServerID, Aspect: op.Aspect})
}

// Overdue counts operations that should have ended a minute ago: there are none while the program runs.
func Overdue(ctx context.Context, d *db.DB) (int, error) {
	rows, err := d.Read().Ungranted().ListOverdueOperations(ctx, d.Clock.Now().Add(-time.Minute).UnixMicro())
	if err != nil {
		return 0, fmt.Errorf("count overdue operations: %w", err)
	}
	return len(rows), nil
}
