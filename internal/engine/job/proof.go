package job

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Kinds of pieces that say what was planned and how it was verified.
const (
	// PiecePlan is the plan that a person looked at before the work was accepted, as JSON. It is not part of the output.
	PiecePlan = "plan"
	// PieceUndo is what would undo the change that the work was for, for Router.Undo. It is not part of the output either.
	PieceUndo = "undo"
	// pieceChecked has a line of evidence for each check; its step is the kind of the checks.
	pieceChecked = "checked"
	// pieceEnd is how the work ended; its step is the state.
	pieceEnd = "end"
)

// maxEvidence is how much of the evidence of a check is kept.
const maxEvidence = 500

// maxKeptPlan is how large a plan is stored whole; of a larger one, the differences are left out.
const maxKeptPlan = 512 << 10

// IsPrinted reports whether a piece of this kind is part of an event's output.
func IsPrinted(kind string) bool { return kind != PiecePlan && kind != PieceUndo }

// Keep stores the plan that work was accepted with, or what would undo it, beside each of its events.
func (e *Engine) Keep(ctx context.Context, tx *db.Tx, kept api.Kept) error {
	piece := Piece{Kind: PieceUndo, Content: string(kept.Undo)}
	if kept.Plan != nil {
		plan := *kept.Plan
		raw, err := json.Marshal(plan)
		if err == nil && len(raw) > maxKeptPlan {
			raw, err = json.Marshal(plan.WithoutDiffs())
		}
		if err != nil {
			return fmt.Errorf("keep a plan: %w", err)
		}
		piece = Piece{Kind: PiecePlan, Content: string(raw)}
	}
	for _, event := range tx.Begun {
		if err := Say(ctx, tx, event, piece); err != nil {
			return err
		}
	}
	return nil
}

// checked is what a run that succeeded has seen on its host, by the kinds of its checks. A change that had to be confirmed was, over a new connection.
func checked(task wire.Run, r wire.Result) (out []Piece) {
	if r.State != wire.StateSucceeded {
		return nil
	}
	checks := r.Checks
	if task.Change != nil && task.Change.ConfirmWithin > 0 {
		checks = append(checks, wire.Check{Kind: wire.CheckConnection, Evidence: "the server accepted a new connection after the change"})
	}
	for _, c := range checks[:min(len(checks), wire.MaxChecks)] {
		if !slices.Contains(wire.CheckKinds, c.Kind) { // of an agent that is newer, or lies
			continue
		}
		line := text.Clean(text.Line(c.Evidence), maxEvidence) + "\n"
		if n := len(out); n > 0 && out[n-1].Step == string(c.Kind) {
			out[n-1].Content += line
			continue
		}
		out = append(out, Piece{Kind: pieceChecked, Step: string(c.Kind), Content: line})
	}
	return out
}

// Record is what is stored of the work of an event beside its output.
type Record struct {
	Plan   *api.DryRun // that a person looked at; nil if none did
	Undo   []byte      // what would undo the change, for Router.Undo; nil if nothing can
	Checks []wire.Check
	At     int64 // of the last check, in microseconds
}

// RecordOf reads it. Checks of an attempt that failed afterwards do not count.
func RecordOf(ctx context.Context, q *query.Granted, event int64) (Record, error) {
	var out Record
	pieces, err := q.Ungranted().ListEventMarks(ctx, event)
	if err != nil {
		return out, fmt.Errorf("read the record of event %d: %w", event, err)
	}
	for _, p := range pieces {
		switch {
		case p.Kind == PiecePlan:
			if out.Plan = new(api.DryRun); json.Unmarshal([]byte(p.Content), out.Plan) != nil {
				out.Plan = nil
			}
		case p.Kind == PieceUndo:
			out.Undo = []byte(p.Content)
		case p.Kind == pieceChecked:
			out.At = p.CreatedAt
			for line := range strings.Lines(p.Content) {
				out.Checks = append(out.Checks, wire.Check{Kind: wire.CheckKind(p.Step), Evidence: strings.TrimSpace(line)})
			}
		case p.Step != StateSucceeded:
			out.Checks, out.At = nil, 0
		}
	}
	return out, nil
}
