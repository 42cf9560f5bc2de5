package job

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Piece is a piece of output for an event.
type Piece struct{ Kind, Step, Content string }

// Say appends pieces to the output of an event. It writes the event's row first: each piece takes the next number of its event,
// and on PostgreSQL two concurrent transactions would both find the same one free.
func Say(ctx context.Context, tx *db.Tx, event int64, pieces ...Piece) error {
	if err := tx.TouchEvent(ctx, event, tx.Micros()); err != nil {
		return fmt.Errorf("write output of event %d: %w", event, err)
	}
	for _, p := range pieces {
		if err := tx.AppendOutput(ctx, query.AppendOutputParams{EventID: event, Kind: p.Kind, Step: p.Step, Content: p.Content, CreatedAt: tx.Micros()}); err != nil {
			return fmt.Errorf("write output of event %d: %w", event, err)
		}
	}
	return nil
}
