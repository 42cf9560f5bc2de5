package job

import (
	"context"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/host/wire"
)

// Aspect is a part of a server that is converged together: its firewall, its web server, the server itself.
type Aspect interface {
	// Plan turns rows into what the host should be, with the work in w as if it were done or not begun. It asks nobody but q.
	Plan(ctx context.Context, q *query.Queries, server query.Server, w Pending) ([]Stage, error)
	// Settle writes the end of an operation into its resource: what is true on the host now.
	Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error
	// Resume makes the resource of an operation that is tried again transitional once more.
	Resume(ctx context.Context, tx *db.Tx, op query.Operation) error
}

// PlanError is why a plan can't be made from what is known of a server, for people: rows and facts don't go together.
type PlanError struct{ Err error }

func (e *PlanError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *PlanError) Unwrap() error { return e.Err }

// Planned marks an error of a pure plan as a PlanError; nil stays nil.
func Planned(err error) error {
	if err == nil {
		return nil
	}
	return &PlanError{err}
}

// FailedError ends the work of a stage whose After found that it can't be done, for people.
type FailedError struct{ Reason string }

func (e *FailedError) Error() string { return e.Reason }

// Failed is a FailedError.
func Failed(reason string) error { return &FailedError{reason} }

// Pending is the accepted work of an aspect: what a plan is to include, and what it is to leave as it was.
type Pending struct {
	Included []query.Operation
	Held     []query.Operation
}

// Holds returns the held operation of a resource, if there is one: a plan then leaves that resource as it was before it.
func (p Pending) Holds(resource string, id int64) (query.Operation, bool) {
	for _, op := range p.Held {
		if op.ResourceType == resource && op.ResourceID == id {
			return op, true
		}
	}
	return query.Operation{}, false
}

// HoldsOperation tells whether an operation, the newest of a row for instance, is held.
func (p Pending) HoldsOperation(id *int64) bool {
	return id != nil && slices.ContainsFunc(p.Held, func(op query.Operation) bool { return op.ID == *id })
}

// Deletes tells whether the included work removes a resource.
func (p Pending) Deletes(resource string, id int64) bool {
	for _, op := range p.Included {
		if op.ResourceType == resource && op.ResourceID == id && op.Action == "delete" {
			return true
		}
	}
	return false
}

// Stage is one Change of a plan; stages happen one after the other, and what is done stays done.
type Stage struct {
	Name   string
	Change wire.Change
	// Confirm is what must work before the change is kept, when the Change asks for a confirmation.
	Confirm host.ConfirmKind
	// Detach gives the stage a unit of its own on the host, for what takes long.
	Detach bool
	// Within is how long the stage may take, default 2 minutes.
	Within time.Duration
	// After runs when the stage is done, with the host's answers at hand: reading facts, for instance.
	After func(ctx context.Context, server query.Server) error
}

const defaultStage = 2 * time.Minute

// Fleet is what the engine needs of the hosts.
type Fleet interface {
	RunConfirmed(ctx context.Context, t host.Target, run wire.Run, check host.Check, on func(wire.Event)) (wire.Result, error)
	Drift(ctx context.Context, t host.Target, change wire.Change) (wire.Drift, error)
	Cancel(ctx context.Context, t host.Target, id string) error
	Forget(serverID int64)
}

// Targets says where a server is and how to prove that we may enter.
type Targets interface {
	Target(server query.Server) (host.Target, error)
}
