package job

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Aspect is a part of a server that converges as a unit: its firewall, its web server, the server itself.
type Aspect interface {
	// Plan returns the stages that make a host what it should be with the included operations done, and all other open ones not begun. Without any, it is
	// for everything that the server has. It reads only from q.
	Plan(ctx context.Context, q *query.Queries, server query.Server, included []query.Operation) ([]Stage, error)
	// Settle writes the end of an operation into its resource: what is true on the host now.
	Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error
	// Resume makes the resource of a retried operation transitional again.
	Resume(ctx context.Context, tx *db.Tx, op query.Operation) error
}

// plan asks an aspect for its stages and makes their names unique: a stage is found by its name after a crash.
func plan(ctx context.Context, a Aspect, q *query.Queries, server query.Server, included []query.Operation) ([]Stage, error) {
	stages, err := a.Plan(ctx, q, server, included)
	seen := map[string]int{}
	for i := range stages {
		name := stages[i].Name
		if seen[name]++; seen[name] > 1 {
			stages[i].Name = name + " (" + strconv.Itoa(seen[name]) + ")"
		}
	}
	return stages, err
}

// Follower is an aspect whose resources show the progress of their work, not only its end.
type Follower interface {
	// Begun is called when the work of an operation starts on its host, in the same transaction.
	Begun(ctx context.Context, tx *db.Tx, op query.Operation) error
	// Ended is called with the result of a run, before the operation is settled; again for the same run if the program was killed in between.
	Ended(ctx context.Context, tx *db.Tx, op query.Operation, result wire.Result) error
}

// Reader is an aspect whose work can't be rolled back: if a run of it did not succeed, it reads the state of the host before the
// operations end. It is called again if the program was killed in between.
type Reader interface {
	Read(ctx context.Context, server query.Server, batch []query.Operation) error
}

// Inspector is an aspect that no Change describes on the host: it determines itself how the host differs from what is applied.
type Inspector interface {
	Drift(ctx context.Context, server query.Server) ([]wire.Difference, error)
}

// Mender is an aspect whose plan makes a server what it should be already: a dry run compares the server instead of plans.
type Mender interface{ Mends() }

// Early is an aspect whose work does not wait until its server is set up. It reports whether its turn has come.
type Early interface {
	Early(server query.Server) bool
}

// Once is an aspect whose work is never restarted automatically: work that was lost with its host has failed.
type Once interface{ Once() }

// OneByOne is an aspect whose plan has stages for each resource. Its operations are done one at a time if IsOneByOne returns true: the
// result of one stage stays when the next one is cancelled.
type OneByOne interface{ IsOneByOne() bool }

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

// LaterError makes an After be retried later, until the work's time is up: something other than the server can't be reached.
type LaterError struct {
	Reason string
	// After is how long it is waited, by default as for a server that can't be reached.
	After time.Duration
}

func (e *LaterError) Error() string { return e.Reason }

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
