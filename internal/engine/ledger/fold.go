package ledger

import (
	"encoding/json"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Phase is where a resource stands between what is applied on its host and what is requested.
type Phase int

// The phases of a resource.
const (
	// Gone: the host does not have it, and no open operation asks for it.
	Gone Phase = iota
	// Failed: its creation ended without success, so the host does not have it.
	Failed
	// Applied: the host has it as the row shows it.
	Applied
	// Creating, Updating and Deleting: an operation that has not ended asks for that.
	Creating
	Updating
	Deleting
)

// Row is what the row of a resource shows: one fold of what is applied and the open wishes in the order of acceptance.
type Row[S any] struct {
	ID    int64
	Phase Phase
	// Specification is the newest open wish, else what is applied, else what could not be created. It is zero if Phase is Gone.
	Specification S
	// Applied is what the host has, nil if it does not have the resource.
	Applied *S
	// OperationID is the newest open operation, else the one that ended last; nil if there was none.
	OperationID *int64
}

// folded is a Row before its specification is decoded.
type folded struct {
	phase         Phase
	specification json.RawMessage
	applied       json.RawMessage
	operation     *int64
}

func open(state string) bool { return state == job.StatePending || state == job.StateRunning }

// fold computes a row. applied is nil if the host does not have the resource; wishes are those of its operations, first the open
// ones, each from the newest to the oldest.
func fold(applied *query.Applied, wishes []query.ListWishedRow) folded {
	f := folded{phase: Gone}
	if applied != nil {
		f.applied = json.RawMessage(applied.Specification)
	}
	var last int64
	var newest *query.ListWishedRow // open
	for i, w := range wishes {
		if open(w.State) {
			newest, f.operation = &wishes[i], &wishes[i].OperationID
			break
		}
		if f.operation == nil || w.UpdatedAt > last {
			f.operation, last = &wishes[i].OperationID, w.UpdatedAt
		}
	}
	switch {
	case newest == nil && applied != nil:
		f.phase, f.specification = Applied, f.applied
	case newest == nil:
		if f.specification = lost(wishes); f.specification != nil {
			f.phase = Failed
		}
	case newest.Specification == nil: // removal requested: the row shows what is removed
		if f.specification = f.applied; applied == nil {
			f.specification = lost(wishes)
		}
		if f.specification != nil { // else it is already removed, and requested again
			f.phase = Deleting
		}
	default:
		f.phase, f.specification = Updating, json.RawMessage(*newest.Specification)
		if applied == nil {
			f.phase = Creating
		}
	}
	return f
}

// lost returns the newest requested specification that was never on the host, nil for none. A resource that was there once, and is not now, was deleted.
func lost(wishes []query.ListWishedRow) json.RawMessage {
	for _, w := range wishes {
		if w.State == job.StateSucceeded {
			break
		}
		if w.Specification != nil {
			return json.RawMessage(*w.Specification)
		}
	}
	return nil
}
