package job

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Aspect is a part of a server that converges as a unit: its firewall, its web server, the server itself. Or it is a kind of tasks (package task). Only Plan is
// needed; nil stands for "nothing of that".
type Aspect struct {
	// Plan returns the stages that make a host what it should be with the included operations done, and all other open ones not begun. Without any, it is
	// for everything that the server has. It reads only from q.
	Plan func(ctx context.Context, q *query.Queries, server query.Server, included []query.Operation) ([]Stage, error)
	// Write makes the resource of an operation show where its work stands, in the transaction that writes the operation. At an end it is what is true on the
	// host now. It may come to the same state more than once, and an end may be followed by Succeeded: the host said so later.
	Write func(ctx context.Context, tx *db.Tx, op query.Operation, at State) error
	// Heard keeps what a host reported of a run, before the operation ends; again for the same run if the program was killed in between.
	Heard func(ctx context.Context, tx *db.Tx, op query.Operation, result wire.Result) error
	// Waits returns what an operation waits for besides its server and other operations, as a sentence, or "" if it can begin.
	Waits func(ctx context.Context, q *query.Queries, op query.Operation) (string, error)
	// After returns, for the open operations of an aspect of a server, the open operations before which none of them begins. One that is done in the same
	// batch counts as done. An operation without any is left out.
	After func(ctx context.Context, q *query.Queries, serverID int64, aspect string) (map[int64][]int64, error)
	// Read is for work that can't be rolled back: if a run of it did not succeed, it reads the state of the host before the operations end. It is called
	// again if the program was killed in between.
	Read func(ctx context.Context, server query.Server, batch []query.Operation) error
	// Drift determines how the host differs from what is applied, where no Change describes that.
	Drift func(ctx context.Context, server query.Server) ([]wire.Difference, error)
	// Early reports whether the turn of its work has come, for work that does not wait until its server is set up.
	Early func(server query.Server) bool
	// Doubts is set where Write tells InDoubt from Failed: the end that the host tells later is written then, whatever it is. Else only Succeeded is.
	Doubts bool
	// Once is set for work that is never started a second time automatically: if it was lost with its host, it has failed.
	Once bool
	// OneByOne is set for a plan that has stages for each resource. Operations are done one at a time then, without a plan of several first: the result of
	// one stage stays when the next one is cancelled.
	OneByOne bool
	// Mends is set where the plan makes a server what it should be already: a dry run compares the server instead of plans.
	Mends bool
}

// State is where the work of an operation stands, for its resource.
type State string

// The states of work. All but the first two are ends; an operation shows TimedOut, Lost and InDoubt as failed.
const (
	// Queued waits for its turn again, as a person asked for.
	Queued State = "queued"
	Begun  State = "begun"

	Succeeded State = "succeeded"
	Failed    State = "failed"
	// Cancelled was ended by a person, by newer work, or because a right was revoked.
	Cancelled State = "cancelled"
	// TimedOut took longer than it may.
	TimedOut State = "timed out"
	// Lost ended with its server, and nothing says how far it came.
	Lost State = "lost"
	// InDoubt ran out of time, and only its server knows what became of it. Another end may follow.
	InDoubt State = "in doubt"
)

// Ended reports whether a state is an end.
func (s State) Ended() bool { return s != Queued && s != Begun }

// Done reports whether the work succeeded.
func (s State) Done() bool { return s == Succeeded }

// write makes a resource show where its work stands, if it shows that.
func (a Aspect) write(ctx context.Context, tx *db.Tx, op query.Operation, at State) error {
	if a.Write == nil {
		return nil
	}
	return a.Write(ctx, tx, op, at)
}

// plan asks an aspect for its stages. Two of one name are a fault of the program: a stage is found by its name, after each other one and after a crash.
func plan(ctx context.Context, a Aspect, q *query.Queries, server query.Server, included []query.Operation) ([]Stage, error) {
	stages, err := a.Plan(ctx, q, server, included)
	if err != nil {
		return nil, err
	}
	for i, s := range stages {
		if s.Name == "" || slices.ContainsFunc(stages[:i], func(other Stage) bool { return other.Name == s.Name }) {
			return nil, fmt.Errorf("the plan has two stages named %q, or one without a name", s.Name)
		}
	}
	return stages, nil
}

// Beside returns the name of an aspect of one thing on a server, for example a site's deployments: it has its own lane, works in
// parallel to the server's other aspects, and does one operation at a time.
func Beside(aspect string, id int64) string { return aspect + besideMark + strconv.FormatInt(id, 10) }

const besideMark = "/"

// baseOf returns the registered name of an aspect.
func baseOf(aspect string) string {
	base, _, _ := strings.Cut(aspect, besideMark)
	return base
}

func isBeside(aspect string) bool { return strings.Contains(aspect, besideMark) }

// PlanError is why a plan can't be made from rows and facts that contradict each other, for the user.
type PlanError struct{ Err error }

func (e *PlanError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *PlanError) Unwrap() error { return e.Err }

// Planned marks an error of a pure plan as a PlanError; nil stays nil.
func Planned(err error) error {
	if err == nil {
		return nil
	}
	return &PlanError{err}
}

// Stage is one Change of a plan, or one script; stages happen in order, and a completed one stays.
type Stage struct {
	Name   string
	Change wire.Change
	// Script is run instead of a Change if it is set.
	Script *wire.Script
	// Backup and Restore are streams between the host and a bucket, instead of a Change.
	Backup  *wire.Backup
	Restore *wire.Restore
	// Confirm is what must work before the change is kept, if the Change asks for a confirmation.
	Confirm host.ConfirmKind
	// Detach gives the stage its own unit on the host, for long work.
	Detach bool
	// Disrupts is set where the actions of the stage end connections: files of it that were changed by hand are overwritten without them.
	Disrupts bool
	// Apart is set where the stages after it are run although it failed. The work fails at its end then, and names what did.
	Apart bool
	// Within is how long the stage may take, default 2 minutes.
	Within time.Duration
	// About are the resources of the stage, for its successors.
	About []int64
	// After runs when the stage is done, with the host's answers: for example to read facts.
	After func(ctx context.Context, server query.Server) error
}

// task puts the stage into a run; it returns false if there is nothing to run.
func (s Stage) task(run *wire.Run) bool {
	switch {
	case s.Script != nil:
		run.Script = s.Script
	case s.Backup != nil:
		run.Backup = s.Backup
	case s.Restore != nil:
		run.Restore = s.Restore
	case len(s.Change.Steps) > 0:
		run.Change = &s.Change
	default:
		return false
	}
	return true
}

// StageError ends the work in an After: a retry will not help.
type StageError struct{ Reason string }

func (e *StageError) Error() string { return e.Reason }

func (e *StageError) why() Reason { return because(codeFailed, e.Reason).sentence() }

// LaterError makes an After be retried later, until the work's time is up: something other than the server can't be reached.
type LaterError struct {
	Reason string
	// After is how long it is waited, by default as for a server that can't be reached.
	After time.Duration
}

func (e *LaterError) Error() string { return e.Reason }

func (e *LaterError) why() Reason { return because(codeWaiting, e.Reason) }

const defaultStage = 2 * time.Minute

// Fleet is the engine's access to the hosts.
type Fleet interface {
	RunConfirmed(ctx context.Context, t host.Target, run wire.Run, check host.Check, on func(wire.Event)) (wire.Result, error)
	Drift(ctx context.Context, t host.Target, change wire.Change) (wire.Drift, error)
	// Edited names own files that are not what was written.
	Edited(ctx context.Context, t host.Target) ([]string, error)
	Cancel(ctx context.Context, t host.Target, id string) error
	Forget(serverID int64)
}

// Targets returns the address and credentials of a server.
type Targets interface {
	Target(server query.Server) (host.Target, error)
}
