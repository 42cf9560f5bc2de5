package credential

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists the account that the server was ordered with.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	if l.Server.CredentialID == nil {
		return nil, nil
	}
	return transfer.List(ctx, l, "server_credentials", func(r query.ServerCredential) transfer.Item {
		return transfer.Of(transfer.Detached, "serverCredentials", r.ID, r.Name,
			"The machine stays in this provider account. Hostler can no longer power it on or off, or destroy it.")
	}, db.Equal("id", *l.Server.CredentialID))
}
