package monitor

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists the addresses that are notified of thresholds.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	return transfer.List(ctx, l, "monitors", func(r query.Monitor) transfer.Item {
		return transfer.Of(transfer.Left,
			"monitors", r.ID, r.Type, r.Notify+" receives no more alerts, unless it is the address of a member there or was confirmed there.")
	}, l.Here())
}
