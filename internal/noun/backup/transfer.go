package backup

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists configurations: their storage, and the key that seals their archives, are the organization's.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	return transfer.List(ctx, l, "backup_configurations", func(r query.BackupConfiguration) transfer.Item {
		return transfer.Of(transfer.Detached, "backupConfigurations", r.ID, r.Name,
			"Uses this organization's storage. The configuration is deleted; its backups stay in the storage but can't be restored with Hostler.")
	}, l.Here())
}
