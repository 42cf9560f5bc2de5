package certificate

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Transfers lists those that are renewed through a DNS provider of the organization.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	return transfer.List(ctx, l, "certificates", func(r query.Certificate) transfer.Item {
		return transfer.Of(transfer.Detached, "certificates", r.ID, l.Sites[r.SiteID],
			"Renewed through this organization's DNS provider. It stays active until it expires; request a new one first.")
	}, l.OnSites, db.Cond{SQL: "dns_provider_id IS NOT NULL"})
}
