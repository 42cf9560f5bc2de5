package job

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Archived is why no work is accepted for an archived server.
const Archived = "The server is archived. Reconnect it first."

// attended returns whether a server is ready. It is a conflict for work on an archived server, and a server that was transferred since the caller was
// authorized is not found. It stays where it is until the transaction ends.
func attended(ctx context.Context, tx *db.Tx, w Work) (ready bool, err error) {
	if err := tx.StayServer(ctx, w.ServerID); err != nil {
		return false, err
	}
	home, err := tx.Ungranted().GetServerHome(ctx, w.ServerID)
	switch {
	case errors.Is(err, db.ErrNotFound): // its work ends as that of a deleted server
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read where server %d belongs: %w", w.ServerID, err)
	case home.OrganizationID != w.Grant.OrganizationID:
		return false, api.ErrNotFound
	case home.Revoked && !w.Archived:
		return false, api.Conflict(Archived)
	}
	return home.IsReady, nil
}

// giveUp ends the work on an archived server, except for its removal. The host can no longer be asked whether it performed what it was sent.
func (e *Engine) giveUp(ctx context.Context, args Converge, aspect Aspect, open []query.Run) error {
	for _, run := range open {
		if err := e.endRun(ctx, run.ID, "unknown"); err != nil {
			return err
		}
	}
	if args.Aspect == e.whole.Last { // it can be deleted
		return nil
	}
	pending, err := e.db.Read().Ungranted().ListPendingOperations(ctx, args.ServerID, args.Aspect)
	if err != nil {
		return fmt.Errorf("list work on archived server %d: %w", args.ServerID, err)
	}
	if len(pending) == 0 {
		return nil
	}
	return e.settle(ctx, aspect, pending, outcome{state: StateCancelled, reason: because(codeArchived, "The server was archived.")})
}
